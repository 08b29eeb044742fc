"""Draws and whole questions per second over the bank, on one core.

python bench/draws.py [--seconds 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import count

from shardwise.bank import Problem, bank, pose, roll


def rate(what: Callable[[Problem, str], object], problems: list[Problem], seconds: float) -> float:
    """How many of `what` a second, over all problems in turn."""
    for problem in problems:
        what(problem, "warm")
    done, start = 0, time.perf_counter()
    for seed in count():
        for problem in problems:
            what(problem, str(seed))
            done += 1
        if time.perf_counter() - start > seconds:
            return done / (time.perf_counter() - start)
    raise AssertionError


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    problems = list(bank().problems.values())
    print(f"{'':12}{'draws/s':>10}{'questions/s':>13}")
    for kind in (*dict.fromkeys(one.template.kind for one in problems), "all"):
        chosen = [one for one in problems if kind in ("all", one.template.kind)]
        share = seconds / 4 if kind != "all" else seconds
        print(f"{kind:12}{rate(roll, chosen, share):10,.0f}{rate(pose, chosen, share):13,.0f}")


if __name__ == "__main__":
    main()
