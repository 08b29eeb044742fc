"""Omissions: an answer that leaves out a term, factor or rule is never accepted, on any draw."""

from __future__ import annotations

import pytest

from checkout import ROOT, problem_of, template
from shardwise.bank.lint.lint import lint_problem
from shardwise.bank.posing import question_of, solved
from shardwise.kinds.quantity.slips.plan import omission_faults
from shardwise.marking import check
from shardwise.question import Outcome
from shardwise.template.expressions import evaluate

# What each leaves out, or takes for another thing, and what the problem was like when that was right in a large share of seeds.
WRONG = {
    "02-zero/room-for-activations": (
        "device_bytes - reserved_bytes - 2 * parameters - 12 * parameters / gpus",  # no gradients
        (
            ("[4, 8, 12, 16]", "[16, 32, 64, 128]"),
            (
                "  - 2 * parameters / gpus > 0.015 * (device_bytes - reserved_bytes - 2 * parameters - 14 * parameters / gpus)  # the gradients count\n",
                "",
            ),
        ),
    ),
    "02-zero/zero3-states": (
        "16 * parameters / (gpus - 1)",
        (("[8, 16, 24, 32, 48, 64]", "[16, 32, 48, 64, 128, 256]"),),
    ),
    "05-communication-and-overlap/what-the-framework-hides": (
        "1 - compute_s * bus_bytes_per_s / (2 * message_bytes) * (mfu_alone / mfu_seen - 1)",  # no (N-1)/N
        (
            ("[16, 24, 32]", "[16, 32, 64, 128]"),
            ("rel_tol: 0.01", "rel_tol: 0.015"),
            ("  - (1 - hidden) / (hidden * gpus) > 0.02  # (N-1)/N counts\n", "  - hidden < 0.93\n"),
        ),
    ),
    "08-tensor-and-context-parallelism/tokens-after-sp": (
        # no keys and values
        "tokens * (4 * hidden * tp + 2 * hidden + 3 * ffn_hidden) / (6 * hidden + 3 * ffn_hidden)",
        (("rel_tol: 0.005", "rel_tol: 0.01"),),
    ),
    "12-expert-parallelism/copies-to-the-same-node": ("put_back", ()),  # as if an expert could be drawn twice
    "13-compute-and-cost/epochs-for-a-small-language": ("ceil(epochs)", ()),
}


def accepted(text: str, name: str, wrong: str, seeds: int = 60) -> int:
    """Return the number of draws in which a wrong value earns points, ignoring draws where it equals the key."""
    problem = problem_of(text, name)
    found = 0
    for seed in range(seeds):
        drawn, made = solved(problem, str(seed))
        question = question_of(problem, drawn, made)
        number = evaluate(wrong, {**drawn.references.helpers, **drawn.values})
        written = problem.kind.written(question.form, number)  # type: ignore[attr-defined]
        found += number != made.key and check(question, written).outcome is Outcome.CORRECT
    return found


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_answer_is_right_in_no_draw(name: str) -> None:
    text = (ROOT / f"problems/{name}.yaml").read_text("utf-8")
    assert accepted(text, name, WRONG[name][0]) == 0


@pytest.mark.parametrize("name", [name for name, (_, changes) in WRONG.items() if changes])
def test_a_problem_as_it_was_is_drawn_anew_or_faulted(name: str) -> None:
    wrong, changes = WRONG[name]
    text = (ROOT / f"problems/{name}.yaml").read_text("utf-8")
    for new, old in changes:
        assert text.count(new) == 1
        text = text.replace(new, old)
    found = accepted(text, name, wrong)
    problem = problem_of(text, name)
    for seed in range(20):
        solved(problem, str(seed))
    assert not found or list(omission_faults(problem.template, problem.references))


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
        ((TINY,), r"leaving out the term `latency_s` gives the key within its tolerance of 0.5 % in 100% of the draws"),
        ((TINY, ("  unit: ms", "  unit: ms\n  negligible: {latency_s: the prompt says so}")), ""),
        ((("  unit: ms", "  unit: ms\n  negligible: {latency_s: the prompt says so}"),), "answer.negligible names `latency_s`"),
        ((("  unit: ms", "  unit: ms\n  negligible: {bubble: no such thing}"),), "answer.negligible names `bubble`"),
        ((WHOLE,), "leaving out the term `gpus - 1` gives the key"),  # N for N-1
    ],
)  # fmt: skip
def test_what_too_few_draws_tell_is_a_fault_unless_the_author_says_why(
    changes: tuple[tuple[str, str], ...], fault: str
) -> None:
    text = RING
    for old, new in changes:
        text = text.replace(old, new)
    faults = [found.message for found in lint_problem(problem_of(text), seeds=8).faults]
    assert [found for found in faults if found.startswith(fault)] if fault else not faults, faults


def test_what_is_left_out_of_a_derived_parameter_that_the_prompt_does_not_print_is_told() -> None:
    derived = template(
        "quantity",
        ("  gpus: {choice: [8, 16, 32, 64]}\n", "  gpus: {choice: [8, 16, 32, 64]}\n  extra: {choice: [1, 2]}\n"),
        ("message_bytes: {range: [1, 8, 1], unit: GB}", "whole_bytes: {range: [1, 8, 1], unit: GB}\n  message_bytes: {derived: whole_bytes + extra, unit: GB}"),
        ("all-reduce {{ message_bytes }}", "all-reduce {{ whole_bytes }} and {{ extra }} bytes"),
    )  # fmt: skip
    assert "leaving out the term `extra`" in "\n".join(
        fault.message for fault in lint_problem(problem_of(derived), seeds=8).faults
    )
    printed = derived.replace("{{ whole_bytes }} and", "{{ message_bytes }}, {{ whole_bytes }} and")
    assert not lint_problem(problem_of(printed), seeds=8).faults


PIPELINE = """\
title: Stages
kind: quantity
points: 1
difficulty: easy
source: a search
params:
  weight_bytes: {choice: [320, 480, 640], unit: GB}
  activation_bytes: {choice: [SMALL], unit: GB}
  tp: {choice: [2, 4]}
  memory_bytes: {choice: [45, 70, 90], unit: GB}
prompt: "{{ weight_bytes }}, {{ activation_bytes }}, {{ tp }}, {{ memory_bytes }}: how many stages are there at least?"
answer: {reference: activations.activations.smallest_pipeline, oracle: activations.activations.smallest_pipeline, unit: stage, abs_tol: 0}
mistakes:
  - {factor: 3, say: You know this mistake.}
hints: ["Try 1, 2, 4."]
solution: "The memory holds it on {{ key }}."
"""


def test_what_is_left_out_of_a_search_is_told_by_its_source() -> None:
    sound = problem_of(PIPELINE.replace("SMALL", "20, 40, 60"))
    assert not [fault for fault in lint_problem(sound, seeds=20).faults if "leaving out" in fault.message]
    for seed in range(20):
        drawn = solved(sound, str(seed))[0].values
        stages = 1
        while drawn["weight_bytes"] / (drawn["tp"] * stages) > drawn["memory_bytes"]:  # no activations
            stages *= 2
        assert stages != solved(sound, str(seed))[1].key
    faults = [fault.message for fault in lint_problem(problem_of(PIPELINE.replace("SMALL", "0.01")), seeds=8).faults]
    assert any(fault.startswith("leaving out the term `activation_bytes / tp`") for fault in faults), faults
