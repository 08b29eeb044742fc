"""A batch killed again and again at random points, and whether it ends as an undisturbed one.

python bench/kills.py [--kills 50]
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import run
from room import our_room

SHARDWISE = str(Path(sys.executable).with_name("shardwise"))


def files(out: Path) -> dict[str, bytes]:
    """Every byte of the results, but for the ledger, which also says when."""
    return {
        file.relative_to(out).as_posix(): file.read_bytes()
        for file in out.rglob("*")
        if file.is_file() and not file.name.startswith((".", "ledger"))
    }


def main() -> None:
    """Kill, go on, compare; a new batch whenever one has come to its end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--submissions", type=int, default=60)
    given = parser.parse_args()
    dice = random.Random(20)
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = Path(scratch)
        submitted = our_room(folder, given.submissions)
        grade = [SHARDWISE, "grade", str(submitted), "--out"]
        calm = run([*grade, "calm"], folder).seconds
        expected = files(folder / "calm")
        kills, ended, out = 0, 0, folder / "stormy"
        while kills < given.kills:
            process = subprocess.Popen(
                [*grade, str(out)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                process.wait(timeout=dice.uniform(0.05, calm))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
                if dice.random() < 0.7:  # often several kills before a batch may end
                    continue
            run([*grade, str(out)], folder)
            ended += 1
            if files(out) != expected:
                raise SystemExit(f"after {kills} kills the results differ: {out}")
            shutil.rmtree(out)
            time.sleep(0.05)
        print(f"{kills} kills at random points, {ended} batches of {given.submissions}: each ended with the same bytes")


if __name__ == "__main__":
    main()
