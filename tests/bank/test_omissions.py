"""Omissions: an answer without a term, factor or rule is never accepted, on any draw."""

from __future__ import annotations

import pytest

from checkout import problem_of, template
from shardwise.bank.lint.problem import lint_problem

RING = """\
title: Ring time
kind: quantity
points: 1
difficulty: easy
source: Patarasuk & Yuan 2009, section 3
params:
  gpus: {choice: [4, 8, 12, 16, 24]}
  message_bytes: {range: [1, 8, 1], unit: GB}
  bandwidth_bytes_per_s: {choice: [100], unit: GB/s, direction: per direction}
  latency_s: {choice: [1, 2, 3], unit: ms}
prompt: "{{ gpus }} GPUs, {{ message_bytes }}, {{ bandwidth_bytes_per_s }}, {{ latency_s }} a step: how long does it take?"
answer:
  reference: ring.ring.all_reduce_seconds
  oracle: ring.ring.simulated_all_reduce_seconds
  arguments: {latency_s: latency_s}
  unit: ms
  rel_tol: 0.005
mistakes:
  - {factor: 0.5, say: You know this mistake.}
hints: [Count the steps.]
solution: "Two phases of N-1 steps: it takes {{ key | unit('ms', 6) }}."
"""
TINY = ("[1, 2, 3], unit: ms", "[0.001], unit: us")
WHOLE = ("[4, 8, 12, 16, 24]", "[1000, 2000]")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ((), ""),
        ((TINY,), r"omitting the term `latency_s` gives the key within its tolerance of 0.5 % in 100% of the draws"),
        ((TINY, ("  unit: ms", "  unit: ms\n  negligible: {latency_s: the prompt says so}")), ""),
        ((("  unit: ms", "  unit: ms\n  negligible: {latency_s: the prompt says so}"),), "answer.negligible names `latency_s`"),
        ((("  unit: ms", "  unit: ms\n  negligible: {bubble: no such thing}"),), "answer.negligible names `bubble`"),
        ((WHOLE,), "omitting the term `gpus - 1` gives the key"),  # N for N-1
    ],
)  # fmt: skip
def test_a_slip_that_too_few_draws_reveal_is_a_fault_unless_the_author_explains_it(
    changes: tuple[tuple[str, str], ...], fault: str
) -> None:
    text = RING
    for old, new in changes:
        text = text.replace(old, new)
    faults = [found.message for found in lint_problem(problem_of(text), seeds=8).faults]
    assert [found for found in faults if found.startswith(fault)] if fault else not faults, faults


def test_an_omission_in_a_hidden_derived_parameter_is_explained() -> None:
    derived = template(
        "quantity",
        ("  gpus: {choice: [8, 16, 32, 64]}\n", "  gpus: {choice: [8, 16, 32, 64]}\n  extra: {choice: [1, 2]}\n"),
        ("message_bytes: {range: [1, 8, 1], unit: GB}", "whole_bytes: {range: [1, 8, 1], unit: GB}\n  message_bytes: {derived: whole_bytes + extra, unit: GB}"),
        ("all-reduce {{ message_bytes }}", "all-reduce {{ whole_bytes }} and {{ extra }} bytes"),
    )  # fmt: skip
    assert "omitting the term `extra`" in "\n".join(
        fault.message for fault in lint_problem(problem_of(derived), seeds=8).faults
    )
    printed = derived.replace("{{ whole_bytes }} and", "{{ message_bytes }}, {{ whole_bytes }} and")
    assert not lint_problem(problem_of(printed), seeds=8).faults
