"""Formulas and their slips: no wrong formula that we know earns points, and no explanation gives the right one away."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from checkout import checkout_bank, problem_of, template
from drawing import every_sixth_at_once
from shardwise.bank.bank import Problem
from shardwise.bank.lint.problem import lint_problem
from shardwise.bank.posing import pose
from shardwise.kinds.formula.compare import parse_formula
from shardwise.kinds.formula.explain import explain
from shardwise.kinds.formula.variants import nearby_formulas

FORMULAS = [problem for problem in checkout_bank().read_all().problems.values() if problem.kind.name == "formula"]


def test_symbols_whose_values_cannot_tell_a_slip_from_the_formula_are_faulted() -> None:
    values = ("choice: [2, 4, 8, 64]", "choice: [1]")
    one_gpu = problem_of(template("formula", values, ("formula: M*(N-1)/N", "formula: 4*M*(N-1)")), "x/a-problem")
    assert "were all rejected" in str(lint_problem(one_gpu, seeds=2).faults[0])
    up = template("formula", ("formula: 2*M*(N-1)/N", "formula: ceil(2*M*(N-1)/N)"))
    faults = "\n".join(map(str, lint_problem(problem_of(up, "x/a-problem"), seeds=2).faults))
    assert re.search(
        r"no values of the symbols distinguish floor\(2\*M\*\(N - 1\)/N\) from ceil\(2\*M\*\(N-1\)/N\)", faults
    )


@pytest.mark.parametrize(
    ("text", "slips"),
    [
        ("2*M*(N-1)/N", {"M*(N - 1)/N", "2*(N - 1)/N", "2*M/N", "2*M*N/N", "2*M*(N - 1)", "2*M*(N - 1 - 1)/N"}),
        ("ceil(M/N)", {"M/N", "floor(M/N)", "floor(M/N) + 1", "ceil(M)"}),
        ("M + N", {"M", "N"}),
    ],
)
def test_a_variant_is_one_slip_away(text: str, slips: set[str]) -> None:
    assert slips <= {str(slip.tree) for slip in nearby_formulas(parse_formula(text, ("M", "N")).tree, ("N",))}


@pytest.mark.parametrize(
    ("theirs", "sentence"),
    [
        ("floor(12*P/(D - A - 4*P))", "Your formula is the correct one except that it rounds down instead of up."),
        (
            "floor(12*P/(D-A-4P)) + 1",
            "Your formula is the correct one except that it gives one too many where nothing has to be rounded.",
        ),
        ("ceil(12P/(D-4P))", "Your formula is the correct one without its `A`."),
        ("ceil(12*P/(D - A))", "Your formula is the correct one without its `4*P`."),
        ("12*P/(D-A-4*P)", "Your formula is the correct one without its `ceil`."),
        ("ceil(P/D)", ""),
        ("ceil(1/(D - A - 4*P))", "Your formula is the correct one without its `12*P`."),
        ("12*P", ""),  # the rest would be told
    ],
)
def test_a_slip_inside_a_call_is_explained_where_that_tells_little(theirs: str, sentence: str) -> None:
    symbols = ("P", "D", "A")
    assert explain(parse_formula(theirs, symbols), parse_formula("ceil(12*P/(D - A - 4*P))", symbols)) == sentence


@pytest.mark.parametrize("asked", every_sixth_at_once(FORMULAS), ids=lambda problem: problem.slug)
def test_who_answers_next_to_nothing_is_told_next_to_nothing(asked: Problem) -> None:
    for seed in range(3):
        question = pose(asked, seed)
        symbols = tuple(question.form.model_dump()["symbols"])
        ours = parse_formula(question.key.model_dump()["formula"], symbols)
        answers = ["0", "1", *symbols, *(f"{name} + 0*{name}*{name}" for name in symbols), f"-{symbols[0]}"]
        answers += [f"{number}*{name}" for number in (1, 2, 3) for name in symbols]
        if sum(map(question.key.model_dump()["formula"].count, "+-*/^(")) > 3:  # of V/(2*L) a ratio is a good part
            answers += [f"{first}/{second}" for first, second in pairwise(symbols)]
        for text in answers:
            assert explain(parse_formula(text, symbols), ours) == "", text


@pytest.mark.parametrize("answer", ["L", "0*B + L", "0", "1", "W", "L + 0*W^3"])
def test_the_difference_to_a_symbol_is_not_told_for_it_is_the_rest_of_the_formula(answer: str) -> None:
    assert explain(parse_formula(answer, ("L", "B", "W")), parse_formula("L + B/W", ("L", "B", "W"))) == ""
