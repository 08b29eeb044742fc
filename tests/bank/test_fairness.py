"""How much harder one draw is than another: compared with counts by hand, and printed."""

from __future__ import annotations

from typer.testing import CliRunner

from checkout import ROOT
from shardwise.bank.bank import Bank
from shardwise.bank.lint.fairness import effort, spread
from shardwise.cli.main import app


def test_a_problem_with_equal_draws_has_no_spread(whole_bank: Bank) -> None:
    assert spread(whole_bank.problems["02-zero/states-formula"], seeds=10).gap == 0


def test_the_spread_is_between_two_draws_and_explains_itself(whole_bank: Bank) -> None:
    problem = whole_bank.problems["02-zero/plan-without-labels"]
    found = spread(problem, seeds=20)
    efforts = [effort(problem, str(seed)).total for seed in range(20)]
    assert found.gap == max(efforts) - min(efforts) > 0
    assert found.why.startswith("digits +")


def test_the_widest_spread_comes_first_and_is_named() -> None:
    done = CliRunner().invoke(
        app,
        ["lint", "--fairness", "--bank", str(ROOT), "02-zero/plan-without-labels", "states-formula", "--seeds", "8"],
    )
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if "02-zero/" in line]
    assert "plan-without-labels" in lines[0] and "states-formula" in lines[1]
    assert "2 problems; the widest spread is" in lines[-1] and lines[-1].endswith("for 02-zero/plan-without-labels")
