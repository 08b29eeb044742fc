"""Forks: a copy of a problem that passes the lint, replaces its original, and knows when that has changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from checkout import ROOT
from shardwise.bank.bank import Bank
from shardwise.bank.discovery import open_banks
from shardwise.bank.forking import changed_originals, fork_problem
from shardwise.bank.lint.lint import faults_of, lint
from shardwise.bank.posing import pose
from shardwise.errors import ShardwiseError

FINANCE = ROOT / "examples" / "bank"


@pytest.mark.parametrize(
    "name",
    [
        "02-zero/adam-states",  # its oracle is in another topic
        "15-layout/racks-for-the-run",
        "08-tensor-and-context-parallelism/sixteen-over-two-servers",  # its modules read a table next to them
    ],
)
def test_a_fork_passes_the_lint_and_poses_the_same_question(tmp_path: Path, name: str) -> None:
    original = open_banks(["shipped"]).find(name)
    fork_problem(original, tmp_path / "mine")
    mine = open_banks([tmp_path / "mine"])
    assert faults_of(lint(mine, seeds=20, workers=1)) == []
    made = pose(mine.find(name), 3)
    assert made.model_copy(update={"digest": ""}) == pose(original, 3).model_copy(update={"digest": ""})


def test_a_second_fork_joins_the_first_and_keeps_a_reference_that_was_changed(tmp_path: Path) -> None:
    finance, mine = open_banks([FINANCE]), tmp_path / "mine"
    first, second, *_ = [problem for problem in finance.problems.values() if "loans." in problem.text]
    fork_problem(first, mine)
    reference = mine / "solutions" / "loans.py"
    reference.write_text(reference.read_text() + "\n# ours\n")
    assert fork_problem(second, mine).kept == (reference,)
    assert list(Bank.open(mine).problems) == [first.id, second.id]
    assert reference.read_text().endswith("# ours\n")
    both = open_banks([mine, FINANCE])
    assert list(both.problems) == list(finance.problems)  # in the order of the original's chapter
    with pytest.raises(ShardwiseError, match=f"already has the problem {first.id}. Nothing was written"):
        fork_problem(first, mine)


def test_a_fork_has_a_module_that_a_reference_imports_when_it_runs(tmp_path: Path) -> None:
    solutions = shutil.copytree(FINANCE, tmp_path / "finance") / "solutions"
    (solutions / "rounding.py").touch()
    with (solutions / "loans.py").open("a") as reference:
        reference.write("\ndef _rounding():\n    from . import rounding\n    return rounding\n")
    finance, mine = open_banks([tmp_path / "finance"]), tmp_path / "mine"
    problem = next(problem for problem in finance.problems.values() if "loans." in problem.text)
    assert mine / "solutions" / "rounding.py" in fork_problem(problem, mine).written


def test_a_fork_reports_that_its_original_or_a_reference_has_changed(tmp_path: Path) -> None:
    shutil.copytree(FINANCE, tmp_path / "finance")
    finance, mine = open_banks([tmp_path / "finance"]), tmp_path / "mine"
    problem = next(problem for problem in finance.problems.values() if "loans." in problem.text)
    fork_problem(problem, mine)
    assert list(changed_originals(Bank.open(mine), finance)) == [(problem.id, "")]
    with (tmp_path / "finance" / "solutions" / "loans.py").open("a") as reference:
        reference.write("\n# A correction.\n")
    ((name, why),) = changed_originals(Bank.open(mine), open_banks([tmp_path / "finance"]))
    assert (name, why) == (problem.id, f"the original has changed: compare {problem.path}")
    assert list(changed_originals(Bank.open(mine), open_banks(["shipped"]))) == [
        (problem.id, f"the original {problem.id} no longer exists")
    ]


def test_a_problem_is_not_forked_into_its_own_bank(tmp_path: Path) -> None:
    problem = next(iter(open_banks([FINANCE]).problems.values()))
    with pytest.raises(ShardwiseError, match="Name another folder with --into"):
        fork_problem(problem, FINANCE)
