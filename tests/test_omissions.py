"""Omissions: what leaves out a term, a factor or a rule of the question is told from the key on every draw that is asked."""

from __future__ import annotations

import pytest

from checkout import ROOT, problem_of
from shardwise.bank.posing import question_of, solved
from shardwise.kinds.quantity.slips import omission_faults
from shardwise.marking import check
from shardwise.question import Outcome
from shardwise.template.expressions import evaluate

# What each leaves out, or takes for another thing, and what the problem was like when that was right in a large share of seeds.
WRONG = {
    "02-zero/room-for-activations": (
        "device_bytes - reserved_bytes - 2 * parameters - 12 * parameters / gpus",  # no gradients
        (("[8, 16, 32, 64]", "[16, 32, 64, 128]"), ("abs_tol: 0.05", "rel_tol: 0.005")),
    ),
    "02-zero/zero3-states": (
        "16 * parameters / (gpus - 1)",
        (("64, 128]", "64, 128, 256]"), ("rel_tol: 0.005", "rel_tol: 0.01")),
    ),
    "05-communication-and-overlap/what-the-framework-hides": (
        "1 - compute_s * bus_bytes_per_s / (2 * message_bytes) * (mfu_alone / mfu_seen - 1)",  # no (N-1)/N
        (("[8, 16, 32]", "[16, 32, 64, 128]"), ("rel_tol: 0.005", "rel_tol: 0.015")),
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
    """In how many draws a wrong number earns the points. A draw that gives the key itself has nothing to tell."""
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
