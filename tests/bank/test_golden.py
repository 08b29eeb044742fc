"""Every problem poses exactly the same questions as before, for 20 seeds, or for 5 of them in the quick run."""

from __future__ import annotations

from functools import cache

import pytest

from drawing import a_quarter_at_once
from golden import write as golden
from shardwise.bank.bank import Bank, Problem

HOW = (
    "\nIf that is meant, take it:  make generated\n"
    "and say in CHANGELOG.md what changed and why: students who draw these questions get others from now on."
)


@cache
def kept() -> golden.Digests:
    return golden.read()


def test_a_problem_poses_the_questions_that_it_posed_before(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = a_quarter_at_once(len(golden.SEEDS))
    monkeypatch.setattr(golden, "SEEDS", range(seeds))
    before = kept().get(problem.id) or golden.today(problem)  # a new problem poses the same questions twice
    changed = golden.differences(problem.id, before[:seeds], golden.today(problem))
    assert not changed, changed + HOW


def test_no_problem_has_disappeared(whole_bank: Bank) -> None:
    gone = [name for name in kept() if name not in whole_bank.problems]
    assert not gone, f"{', '.join(gone)}: gone.{HOW}"
