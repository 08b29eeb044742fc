"""How long a person waits: commands, and the first check() in a kernel, from a cold process; beside another checkout if one is named.

python bench/quick.py [--rounds 7] [--beside OTHER/.venv/bin]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from measure import ENVIRONMENT

ROOT = Path(__file__).parents[1]
FIRST = """
import time
start = time.perf_counter()
from shardwise import check
check({slug!r}, {answer!r})._repr_mimebundle_()
print(time.perf_counter() - start)
"""
TARGETS = {
    "list": 0.4, "show": 0.4, "check": 0.4, "render, nothing to do": 1.0, "assign, 300 students": 5.0,
    "first check()": 0.3, "first formula, right": 0.5, "first formula, wrong": 0.5, "first hunt": 0.5,
}  # fmt: skip
KERNELS = {
    "first check()": ("bytes-per-gpu", "1.75 GB"),
    "first formula, right": ("bytes-per-gpu-formula", "8*M*(N-1)/N"),
    "first formula, wrong": ("bytes-per-gpu-formula", "8*M*(N-1)/N + M"),
    "first hunt": ("ring-time-bug", {"line": 2, "fix": "x = 1"}),
}


def commands(work: Path, name: str) -> Mapping[str, Sequence[str]]:
    """The commands by what they are called in the table."""
    roster = work / "roster.csv"
    roster.write_text("student,name\n" + "".join(f"s{number:03},Student {number}\n" for number in range(300)))
    out, key = str(work / f"course-{name}"), str(work / "course.key")
    example = str(ROOT / "examples" / "demo" / "set.yaml")
    return {
        "list": ["list"],
        "show": ["show", "bytes-per-gpu"],
        "check": ["check", "bytes-per-gpu", "1.75 GB"],
        "render, nothing to do": ["render", "--out", str(work / f"notebooks-{name}")],
        "assign, 300 students": ["assign", example, "--roster", str(roster), "--out", out, "--key", key],
    }


def seconds(command: Sequence[str], folder: Path) -> float:
    """Wall time of a command."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, capture_output=True, check=False, env=ENVIRONMENT)
    return time.perf_counter() - start


def first(python: str, slug: str, answer: object, folder: Path) -> float:
    """Seconds of the first check() in a new kernel, its import included."""
    program = FIRST.format(slug=slug, answer=answer)
    command = [python, "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return float(done.stdout)


def main() -> None:
    """Measure in turn and print medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--beside", type=Path, help="the folder with another checkout's python and shardwise")
    given = parser.parse_args()
    places = {"now": Path(sys.executable).parent, **({"beside": given.beside.absolute()} if given.beside else {})}
    found: dict[tuple[str, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for number in range(given.rounds + 1):  # the first round warms caches and is not counted
            for name, place in places.items():
                for what, command in commands(work, name).items():
                    if what.startswith("assign"):
                        subprocess.run(["rm", "-rf", str(work / f"course-{name}")], check=True)
                        if number > max(1, given.rounds // 2):
                            continue
                    taken = seconds([str(place / "shardwise"), *command], work)
                    if number:
                        found.setdefault((what, name), []).append(taken)
                for what, (slug, answer) in KERNELS.items():
                    taken = first(str(place / "python"), slug, answer, work)
                    if number:
                        found.setdefault((what, name), []).append(taken)
    print(f"{'seconds, median (lowest)':26}{'target':>8}" + "".join(f"{name:>16}" for name in places))
    for what, target in TARGETS.items():
        cells = [f"{median(found[what, name]):.2f} ({min(found[what, name]):.2f})" for name in places]
        print(f"{what:26}{target:>8}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
