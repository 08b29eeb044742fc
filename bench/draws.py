"""Draws and whole questions per second over the bank, on one core, and what the parts of a question cost.

python bench/draws.py [--seconds 5]
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from shardwise.bank.bank import Problem
from shardwise.bank.discovery import open_banks
from shardwise.bank.posing import pose, solved
from shardwise.template import expressions
from shardwise.template.references import References
from shardwise.template.rng import Rng

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def rate(what: Callable[[Problem, str], object], problems: list[Problem], seconds: float) -> float:
    """How many of `what` a second of CPU time, over all problems in turn."""
    for problem in problems:
        what(problem, "warm")
    done, start = 0, time.process_time()
    for seed in count():
        for problem in problems:
            what(problem, str(seed))
            done += 1
        if time.process_time() - start > seconds:
            return done / (time.process_time() - start)
    raise AssertionError


@contextmanager
def standing_for(original: object, other: object) -> Iterator[None]:
    """Let every module of ours, and the two classes, that know `original` know `other` in its place."""
    modules = [module for name, module in sys.modules.items() if name.startswith("shardwise")]
    owners = [owner for owner in (*modules, Rng, References) for name in vars(owner) if vars(owner)[name] is original]
    places = [(owner, name) for owner in owners for name, value in vars(owner).items() if value is original]
    for owner, name in places:
        setattr(owner, name, other)
    yield
    for owner, name in places:
        setattr(owner, name, original)


def calls_of(function: Callable[..., Any], problems: list[Problem], seeds: range) -> list[Call]:
    """Every call of `function`, or where it finds references of what it finds, while questions are made."""
    found: list[Call] = []

    @functools.cache  # a reference that is found twice is the same function, for what is remembered of it
    def noted(made: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(made)
        def call(*args: Any, **kwargs: Any) -> Any:
            found.append((made, args, kwargs))
            return made(*args, **kwargs)

        return call

    def finding(bank: References, name: str) -> Callable[..., Any]:
        return noted(function(bank, name))

    with standing_for(function, finding if function is References.reference else noted(function)):
        for problem in problems:
            for seed in seeds:
                pose(problem, seed)
    return found


def microseconds(calls: list[Call], rounds: int = 5) -> float:
    """CPU time of making these calls once more, the best of some rounds."""
    return 1e6 * min(_seconds(calls) for _ in range(rounds))


def _seconds(calls: list[Call]) -> float:
    start = time.process_time()
    for function, args, kwargs in calls:
        try:
            function(*args, **kwargs)
        except Exception:  # a reference that refuses an edge took its time as well
            continue
    return time.process_time() - start


PARTS = {
    "SHA-256": Rng.number,
    "references": References.reference,
    "expressions": expressions.evaluate,
    "prose": expressions.prose,
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    problems, seeds = list(open_banks().read_all().problems.values()), range(10)
    print(f"{'':10}{'draws/s':>10}{'questions/s':>13}   µs a question:", *(f"{part:>12}" for part in PARTS))
    for kind in (*dict.fromkeys(problem.data["kind"] for problem in problems), "all"):
        chosen = [problem for problem in problems if kind in ("all", problem.data["kind"])]
        share = seconds / 4 if kind != "all" else seconds
        print(f"{kind:10}{rate(solved, chosen, share):10,.0f}{rate(pose, chosen, share):13,.0f}{'':18}", end="")
        for function in PARTS.values():
            calls = calls_of(function, chosen, seeds)
            print(f"{microseconds(calls) / len(chosen) / len(seeds):13,.0f}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
