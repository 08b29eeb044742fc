"""How much harder one draw is than another: counted by hand on questions of the bank, and printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from shardwise.bank.bank import Bank
from shardwise.bank.lint.fairness import effort, significant_digits, spread
from shardwise.bank.posing import pose
from shardwise.cli.main import app
from shardwise.units import unit

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def bank() -> Bank:
    return Bank.open(ROOT)


@pytest.mark.parametrize(
    ("numeral", "digits"),
    [
        ("8", 1),
        ("10", 1),
        ("16,384", 5),
        ("16\u202f384", 5),
        ("3.5", 2),
        ("0.0125", 3),
        ("405", 3),
        ("1.750", 3),
        ("0", 1),
    ],
)
def test_digits_are_those_that_a_calculation_carries(numeral: str, digits: int) -> None:
    assert significant_digits(numeral) == digits


def test_a_draw_of_two_numbers_counts_their_digits(bank: Bank) -> None:
    problem = bank.problems["01-ring-all-reduce/bytes-per-gpu"]
    question = pose(problem, 3)
    assert question.params == {"gpus": "24", "message_bytes": "2 GB"}
    found = effort(problem, "3")
    assert found.digits == 1  # of 24; 2 has one digit
    assert found.conversions == 0  # gigabytes are given and asked


def test_each_size_of_unit_but_one_is_a_conversion(bank: Bank) -> None:
    problem = bank.problems["01-ring-all-reduce/ring-time"]
    question = pose(problem, 0)
    sizes = {unit(name).factor for name in ("GB", "GB/s", "µs", "ms") if name in question.prompt + question.form.unit}
    assert effort(problem, "0").conversions == 2 * (len(sizes) - 1) > 0


def test_a_problem_that_asks_the_same_of_all_has_no_spread(bank: Bank) -> None:
    assert spread(bank.problems["02-zero/states-formula"], seeds=10).gap == 0


def test_the_spread_lies_between_its_two_draws_and_says_why(bank: Bank) -> None:
    problem = bank.problems["02-zero/plan-without-labels"]
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
    assert "2 problems; the widest spread is" in lines[-1] and lines[-1].endswith("of 02-zero/plan-without-labels")
