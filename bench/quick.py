"""How long a person waits: commands, and the first check() in a kernel, from a cold process; next to another checkout if one is named.

Next to the median stand the lowest, and the processor time, which says more where the machine is busy.

python bench/quick.py [--rounds 7] [--beside OTHER/.venv/bin]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from measure import ENVIRONMENT, run

ROOT = Path(__file__).parents[1]
FIRST = """
import time
start, began = time.perf_counter(), time.process_time()
from shardwise import check
checked = check({slug!r}, {answer!r})
checked._repr_mimebundle_()
assert checked.outcome == {outcome!r}, checked
print(time.perf_counter() - start, time.process_time() - began)
"""
TARGETS = {
    "list": 0.5, "show": 0.5, "check": 0.5, "assign, 300 students": 10.0,
    "first check()": 0.3, "first formula, right": 0.5, "first formula, wrong": 0.5, "first hunt": 0.5,
}  # fmt: skip
LONG = ("assign, 300 students",)  # half the rounds do
KERNELS = {
    "first check()": ("bytes-per-gpu", "2.997 GB", "correct"),
    "first formula, right": ("bytes-per-gpu-formula", "12*M*(N-1)/N", "correct"),
    "first formula, wrong": ("bytes-per-gpu-formula", "12*M*(N-1)/N + M", "incorrect"),
    "first hunt": ("ring-time-bug", {"line": 2, "fix": "x = 1"}, "incorrect"),
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
        "check": ["check", "bytes-per-gpu", "2.997 GB"],
        "assign, 300 students": ["assign", example, "--roster", str(roster), "--out", out, "--key", key],
    }


def seconds(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Measure the wall time and the processor time of a command."""
    usage = run(command, folder)
    return usage.seconds, usage.cpu_seconds


def first(python: str, slug: str, answer: object, outcome: str, folder: Path) -> tuple[float, float]:
    """Wall time and processor time of the first check() in a new kernel, its import included."""
    program = FIRST.format(slug=slug, answer=answer, outcome=outcome)
    command = [python, "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, env=ENVIRONMENT)
    wall, cpu = map(float, done.stdout.split())
    return wall, cpu


def main() -> None:
    """Measure in turn and print medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--beside", type=Path, help="the folder with another checkout's python and shardwise")
    given = parser.parse_args()
    places = {"now": Path(sys.executable).parent, **({"beside": given.beside.absolute()} if given.beside else {})}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for number in range(given.rounds + 1):  # the first round warms caches and is not counted
            for name, place in places.items():
                for what, command in commands(work, name).items():
                    if what in LONG and number > max(1, given.rounds // 2):
                        continue
                    if what.startswith("assign"):
                        subprocess.run(["rm", "-rf", str(work / f"course-{name}")], check=True)
                    taken = seconds([str(place / "shardwise"), *command], work)
                    if number:
                        found.setdefault((what, name), []).append(taken)
                for what, asked in KERNELS.items():
                    taken = first(str(place / "python"), *asked, work)
                    if number:
                        found.setdefault((what, name), []).append(taken)
    print(f"{'seconds, median (lowest), processor':40}{'target':>8}" + "".join(f"{name:>20}" for name in places))
    for what, target in TARGETS.items():
        cells = []
        for name in places:
            walls, cpus = zip(*found[what, name], strict=True)
            cells.append(f"{median(walls):.2f} ({min(walls):.2f}), {median(cpus):.2f}")
        print(f"{what:40}{target:>8}" + "".join(f"{cell:>20}" for cell in cells))


if __name__ == "__main__":
    main()
