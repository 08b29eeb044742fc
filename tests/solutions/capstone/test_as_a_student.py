"""Both capstones as a student solves them: rounded numbers, a wrong formula that is carried on, and what the texts say about the plan."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from case_students import answers, parts_of
from checkout import checkout_bank
from drawing import every_sixth_at_once, tries
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.markdown.feedback import as_plain
from shardwise.markdown.plain import to_plain
from shardwise.marking import check
from shardwise.question import Feedback, Outcome, Question
from solutions.layout import run_plan
from solutions.pipeline import pipeline
from solutions.planner import time as planner_time
from solutions.planner.shapes import Batch, Cluster, Layout, named_model

SEEDS = range(tries(7))


@cache
def capstone() -> Problem:
    return checkout_bank().find("train-a-model")


@cache
def asked(seed: int) -> Question:
    return pose(capstone(), seed)


def marked(seed: int, digits: int) -> Feedback:
    feedback = check(asked(seed), answers(capstone(), asked(seed), digits=digits))
    assert feedback.outcome != Outcome.BROKEN, feedback.say
    return feedback


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_rounding_to_three_figures_on_the_way_costs_nothing(seed: int) -> None:
    feedback = marked(seed, digits=3)
    assert feedback.points == asked(seed).points, feedback.say


@cache
def mixture() -> Problem:
    return checkout_bank().find("train-a-mixture")


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_rounding_costs_nothing_in_the_mixture_either(seed: int) -> None:
    question = pose(mixture(), seed)
    feedback = check(question, answers(mixture(), question, digits=3))
    assert feedback.points == question.points, feedback.say


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_every_drawn_mixture_is_a_good_run(seed: int) -> None:
    parts = parts_of(mixture(), pose(mixture(), seed)).parts
    right = {part.piece.name: part.bounds.right for part in parts if part.bounds}
    assert right["bubble"] < 0.06 * right["step"]
    assert right["pipeline"] - right["compute"] < 0.15 * right["step"]
    assert 1.1 * right["held"] < parts[-1].draw.values["memory_bytes"]
    assert 0.33 < right["mfu"] < 0.55
    assert 30e3 < right["hours"] < 250e3


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_sharded_gradients_are_reduced_behind_the_next_micro_batch(seed: int) -> None:
    right = {part.piece.name: part.bounds.right for part in parts_of(capstone(), asked(seed)).parts if part.bounds}
    values = parts_of(capstone(), asked(seed)).parts[-1].draw.values
    if values["is_gradient_sharded"]:
        assert right["sync"] * 4 / 6 < (right["compute"] + right["tp_wait"]) / right["micro_batches"]


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_the_planner_differs_from_the_case_as_the_solution_says(seed: int) -> None:
    values = parts_of(capstone(), asked(seed)).parts[-1].draw.values
    right = {part.piece.name: part.bounds.right for part in parts_of(capstone(), asked(seed)).parts if part.bounds}
    model = named_model(values["model"])
    cluster = Cluster(values["accelerator"], int(values["gpus"]), network_bytes_per_s=values["network_bytes_per_s"])
    tp, pp, dp = int(values["tp"]), int(values["pp"]), int(right["replicas"])
    layout = Layout(tp=tp, pp=pp, dp=dp, micro_batch=int(values["micro_batch"]))
    batch = Batch(int(values["batch_sequences"]), int(values["sequence_length"]))
    assert planner_time.step(model, cluster, layout, batch)["tensor_parallel"] < right["tp_wait"] / 2
    first, *_, last = planner_time.stage_seconds(model, cluster, layout, batch)
    assert last.compute > first.compute or values["layers"] % values["pp"]  # the last stage may have a layer less


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_the_plan_fits_with_buffers_and_fewer_stages_that_fit_are_priced(seed: int) -> None:
    values = parts_of(capstone(), asked(seed)).parts[-1].draw.values
    right = {part.piece.name: part.bounds.right for part in parts_of(capstone(), asked(seed)).parts if part.bounds}
    room, fewer = values["memory_bytes"], int(values["fewer"])
    times = int(values["pp"]) // fewer
    assert 1.1 * right["held"] <= room
    unsharded = right["weights"] * (1 if values["is_gradient_sharded"] else 3)
    said = re.search(r"The step takes ([\d.]+) s, ([\d.]+) % (less|more)", to_plain(asked(seed).solution))
    assert bool(said) == (1.1 * (right["held"] + (times - 1) * unsharded) <= room)
    if said:
        replicas, micro_batches = times * right["replicas"], round(right["micro_batches"] / times)
        port, stage_bytes = values["network_bytes_per_s"], times * right["weights"]
        step_s = run_plan.step_seconds(
            busy_s=right["compute"] + right["tp_wait"],
            idle=pipeline.bubble_idle_fraction(stages=fewer, micro_batches=micro_batches, virtual_stages=1),
            micro_batches=micro_batches,
            sync_s=run_plan.sync_seconds(weight_bytes=stage_bytes, replicas=replicas, bandwidth_bytes_per_s=port),
        )
        assert float(said[1]) == pytest.approx(step_s, rel=1e-3)
        assert (said[3] == "less") == (step_s < right["step"])
        assert float(said[2]) == pytest.approx(abs(100 * (step_s / right["step"] - 1)), rel=0.06)


def test_many_parts_that_are_right_are_named_by_their_numbers() -> None:
    """Thirty paragraphs, of which a student looks for the two that are wrong, say less than one line."""
    question = asked(1)
    right = answers(capstone(), question)
    names = list(right)
    said = as_plain(check(question, {**right, names[2]: "?", names[6]: None}))
    assert f"✓ Right: 1, 2, 4 to 6, 8 to {len(names)} · " in said
    assert said.count("✓") == 1


UNGROUPED = "4*d^2 + 3*d*f"


@cache
def with_grouped_heads() -> Question:
    """Return the first case whose keys and values are narrower than its queries."""
    questions = (asked(seed) for seed in range(100))
    return next(one for one in questions if one.params["model"] in ("DeepSeek-67B", "Llama-3-70B", "Qwen2.5-72B"))


def with_formula(formula: str) -> tuple[Question, dict[str, Any]]:
    """Answers of a student whose formula for a layer is this one, and who goes on from what it gives."""
    question = with_grouped_heads()
    part = next(part for part in parts_of(capstone(), question).parts if part.piece.name == "layer_weights")
    values = part.draw.values
    d, f, a, k = (float(values[name]) for name in ("hidden", "ffn_hidden", "heads", "kv_heads"))
    gives = eval(formula.replace("^", "**"), {"d": d, "f": f, "a": a, "k": k})
    assert part.bounds is not None
    return question, answers(capstone(), question, {"layer_weights": gives / part.bounds.right}) | {
        "layer_formula": formula
    }


@pytest.mark.parametrize("formula", [UNGROUPED, "d*d*(1 + 2*k/a) + 3*d*f", "12*d^2"])
def test_a_wrong_formula_costs_itself_alone_and_what_it_gives_is_gone_on_with(formula: str) -> None:
    question, given = with_formula(formula)
    feedback = check(question, given)
    assert [part for part, is_right in feedback.parts.items() if not is_right] == ["layer_formula"]
    assert feedback.points == question.points - 1
    said = as_plain(feedback)
    assert "Right from your answer to “Weights of a layer, as a formula”" in said
    assert "though that formula is off: an error counts once" in said
    blank = check(question, {**given, "layer_weights": None})
    lost = [part for part, is_right in blank.parts.items() if not is_right]
    assert lost == ["layer_formula", "layer_weights"]  # what follows for the blank part is gone on with


@pytest.mark.parametrize(
    "formula", ["d", "d*f*1000", "8.1e8", "0", "1/(a-a)", "2^d", "sqrt(-d)", "2*d*d*(1+k/a) + 3*d*f + 1"]
)
def test_a_formula_that_is_absurd_or_a_mere_number_is_not_gone_on_with(formula: str) -> None:
    question, given = with_formula(UNGROUPED)
    feedback = check(question, {**given, "layer_formula": formula})
    assert not feedback.parts["layer_weights"] and not feedback.parts["layer_formula"]


@pytest.mark.parametrize("seed", every_sixth_at_once(SEEDS))
def test_virtual_stages_and_fewer_stages_have_as_many_layers_as_the_prompt_says(seed: int) -> None:
    values = parts_of(capstone(), asked(seed)).parts[-1].draw.values
    layers, stages, fewer = (int(values[name]) for name in ("layers", "pp", "fewer"))
    fullest = -(-layers // stages)
    assert fullest % int(values["virtual_stages"]) == 0
    assert -(-layers // fewer) == fullest * stages // fewer


def test_a_wrong_formula_and_another_wrong_number_cost_both() -> None:
    """All that rests on the weights of a layer goes on from that number."""
    question = asked(1)
    wrong = answers(capstone(), question, {"layer_weights": 0.8}) | {"layer_formula": "d*d*(1 + 2*k/a) + 3*d*f"}
    feedback = check(question, wrong)
    lost = [part for part, is_right in feedback.parts.items() if not is_right]
    assert (lost, feedback.points) == (["layer_formula", "layer_weights"], question.points - 2)
    assert "Right from your answer to “Weights of a layer”" in as_plain(feedback)
