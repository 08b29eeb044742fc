"""Variants of a problem for its author, drawn in a process of their own, whose main thread can stop an endless reference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from shardwise.bank.bank import Bank, Problem
from shardwise.bank.cpu_limit import at_most
from shardwise.bank.lint.problem import lint_problem
from shardwise.bank.posing import question_of, solved
from shardwise.errors import ShardwiseError
from shardwise.kinds import kind_of
from shardwise.kinds.answers import known_answers, wanted_results
from shardwise.markdown.html import to_html
from shardwise.question import Question
from shardwise.template.draw import Draw, whole
from shardwise.units import show_amount

Data = dict[str, Any]


def linted(folder: Path, name: str, draws: int) -> Any:
    """Return the lint's report on a problem of the bank in a folder. Raises Faulty."""
    problem = Bank.open(folder).problems[name]
    _ = problem.template
    return lint_problem(problem, seeds=draws)


def posed_variants(folder: Path, name: str, count: int) -> list[tuple[Question, Data]]:
    """Return the questions that a problem poses for the first seeds, up to a draw that fails, each with its author's data.

    Raises Faulty.
    """
    problem, found = Bank.open(folder).problems[name], []
    _ = problem.template
    for seed in range(count):
        try:
            with at_most():
                found.append(_variant(problem, str(seed)))
        except (
            BaseException
        ):  # even KeyboardInterrupt: Ctrl-C is left to the command. The lint reports it with its line
            break
    return found


def _variant(problem: Problem, seed: str) -> tuple[Question, Data]:
    drawn, made = solved(problem, seed)
    question = question_of(problem, drawn, made)
    kind, answers = kind_of(question), known_answers(kind_of(question), question)
    proof = problem.kind.prove(problem.template, drawn, made)
    mistakes = [
        {"answer": _written(answers[number]) if number in answers else "", "html": to_html(said)}
        for number, said in enumerate(kind.mistakes(question))
    ]
    return question, {
        "seed": seed,
        "params": dict(question.params),
        "key": _written(answers.get(None, "")) or wanted_results(question),
        "oracle": _by_oracle(problem, drawn, made),
        "agrees": proof.confirmed,
        "faults": proof.faults,
        "needsOracle": kind.needs_oracle,
        "margin": finite(proof.margin),
        "rejected": question.rejected,
        "mistakes": mistakes,
        "hints": list(map(to_html, question.hints)),
        "solution": to_html(question.solution),
    }


def _by_oracle(problem: Problem, drawn: Draw, made: Any) -> list[str]:
    """Return the oracle's result for each part that asks for one number."""
    found = []
    for template, its in problem.kind.parts(problem.template, drawn, made):
        answer: Any = getattr(template, "answer", None)
        oracle, unit = getattr(answer, "oracle", None), getattr(answer, "unit", None)
        value = None
        if isinstance(oracle, str) and isinstance(unit, str):
            with suppress(ShardwiseError):  # the arguments are the student's, as in a formula
                value = its.references.call(its.references.oracle(oracle), its.values, answer.arguments)
        if isinstance(value, int | float):
            found.append(show_amount(whole(value), str(unit), getattr(answer, "direction", None) or "none"))
    return found


def _written(raw: Any) -> str:
    """Return an answer as text."""
    if isinstance(raw, Mapping):
        return "; ".join(f"{name} = {_written(value)}" for name, value in raw.items())
    return ", ".join(map(_written, raw)) if isinstance(raw, list | tuple) else str(raw)


def finite(margin: float) -> float | None:
    """Return a margin for JSON, in which infinity does not exist."""
    return margin if math.isfinite(margin) else None
