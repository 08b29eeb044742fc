"""The layout problems, counted by hand: what a student works out from the prompt alone gives the verdict of the planner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from math import ceil
from typing import Any

import pytest

from checkout import checkout_bank
from shardwise.bank.posing import pose, solved
from shardwise.marking import check
from shardwise.question import Question
from solutions.planner import verdicts as layout_judge

Run = Mapping[str, Any]  # the parameters of a question
Layout = tuple[dict[str, int], float]  # degrees, and the bytes that the fullest GPU holds
DEGREES = (1, 2, 4, 8, 16, 32)
PEAK = {"H200-141GB": 989e12, "B200-180GB": 2250e12}  # dense BF16, data sheets
CLOSE = 0.02  # what is so near to its limit counts, as docs/templates.md says


def drawn(slug: str, seeds: int) -> Iterator[tuple[Question, Run]]:
    problem = checkout_bank().find(slug)
    for seed in range(seeds):
        yield pose(problem, seed), solved(problem, str(seed))[0].values


def states(weights: float, *, gradients: float, optimizer_ranks: float) -> float:
    return (2 + gradients) * weights + 12 * weights / optimizer_ranks


def in_flight(run: Run, layers: int, *, pp: int, dp: int) -> float:
    """Activations of the first stage under 1F1B, in all its layers, before TP and CP share them out."""
    return float(min(pp, run["global_batch"] / dp) * layers * run["kept_bytes"])


def first_stage_layers(layers: int, pp: int) -> int:
    """The first and the last stage have one less where stages cannot have equally many."""
    return ceil(layers / pp) - (ceil(layers / pp) * pp - layers >= 2)


def dense(run: Run) -> Iterator[Layout]:
    """What layouts of a dense model hold on a GPU; CP is 1 for sequences that are not long."""
    for tp, cp, pp in product(DEGREES[:4], DEGREES if run["sequence"] > 8192 else (1,), DEGREES[:4]):
        dp = run["gpus"] // (tp * cp * pp)
        if dp:
            held = states(run["parameters"] / (tp * pp), gradients=4, optimizer_ranks=dp * cp)
            held += in_flight(run, first_stage_layers(run["layers"], pp), pp=pp, dp=dp) / (tp * cp)
            yield {"tp": tp, "cp": cp, "pp": pp, "dp": dp}, held


def with_experts(run: Run) -> Iterator[Layout]:
    """What layouts of a mixture hold on a GPU: EP cuts the routed experts, and TP all else."""
    for tp, pp, ep in product(DEGREES[:4], DEGREES[:4], DEGREES[:4]):
        dp, layers = run["gpus"] // (tp * pp), first_stage_layers(run["layers"], pp)
        share = layers / run["layers"]
        experts, rest = share * run["routed"] / ep, share * (run["parameters"] - run["routed"]) / tp
        held = states(experts, gradients=4, optimizer_ranks=tp * dp / ep)
        held += states(rest, gradients=4, optimizer_ranks=dp)
        yield {"tp": tp, "pp": pp, "ep": ep, "dp": dp}, held + in_flight(run, layers, pp=pp, dp=dp) / tp


@pytest.mark.parametrize(
    ("slug", "layouts"),
    [("a-layout-that-fits", dense), ("a-layout-for-long-documents", dense), ("a-layout-for-experts", with_experts)],
)
def test_what_fits_by_hand_is_right_and_nothing_else(slug: str, layouts: Callable[[Run], Iterator[Layout]]) -> None:
    for question, run in drawn(slug, 6):
        by_hand, marked = [], []
        for layout, held in layouts(run):
            bubble = (layout["pp"] - 1) / (run["global_batch"] / layout["dp"])
            limits = [(held, run["hbm_bytes"]), (bubble, run["bubble"])]
            if run["global_batch"] % layout["dp"] or any(abs(seen / limit - 1) < CLOSE for seen, limit in limits):
                continue
            answer = {axis: layout[axis] for axis in layout if axis != "cp" or "long" in slug}
            by_hand += [answer] if all(seen < limit for seen, limit in limits) else []
            marked += [answer] if check(question, answer).outcome == "correct" else []
        assert by_hand == marked, question.seed
        assert by_hand


def test_tp_over_two_nodes_breaks_the_condition_that_the_question_names() -> None:
    question, run = next(drawn("a-layout-that-fits", 1))
    feedback = check(question, {"tp": 16, "pp": 1, "dp": run["gpus"] // 16})
    assert "cannot run" not in feedback.say
    assert feedback.say.startswith(
        "This layout breaks a mandatory constraint: tensor parallelism stays inside a node of 8 GPUs."
    )


def test_bubble_and_port_together_pick_the_layout_of_the_405b() -> None:
    for question, run in drawn("a-layout-for-the-405b", 25):
        gpus, batch, chunks = int(run["gpus"]), int(run["global_batch"]), int(run["most_chunks"])
        achieved = float(run["share"]) * PEAK[run["accelerator"]]
        computing_s = 6 * run["parameters"] * 8192 * batch / (gpus * achieved)
        possible = []
        for pp, v in product(DEGREES, range(1, chunks + 1)):
            dp = gpus // 8 // pp
            m = batch // dp
            if (126 % (pp * v) and 128 % (pp * v)) or (
                v > 1 and (pp == 1 or m % pp)
            ):  # 126 are 128 less one at each end
                continue
            weights = run["parameters"] / (8 * pp)
            passes = min(2 * (pp - 1) + (v - 1) * pp + 1, m * v) if v > 1 else min(pp, m)  # of one chunk each
            held = states(weights, gradients=4, optimizer_ranks=dp)
            held += passes * run["layers"] / (pp * v) * run["kept_bytes"] / 8
            bubble = (pp - 1) / (v * m)
            port_s = 6 * weights / 50e9 - computing_s / m
            if held < (1 + CLOSE / 2) * run["hbm_bytes"] and bubble <= run["bubble"]:
                possible.append((computing_s * (1 + bubble) + max(0.0, port_s), pp, v, dp))
        _, pp, v, dp = min(possible)
        assert check(question, {"pp": pp, "virtual_stages": v, "dp": dp}).outcome == "correct", question.seed


def test_the_chunks_of_a_right_layout_of_the_405b_are_equal_but_for_the_two_at_the_ends() -> None:
    """(p - 1)/(v · m) is the bubble of equal chunks, so what is right has them; what has not is told so, and earns nothing."""
    right, told = set(), set()
    for question, run in drawn("a-layout-for-the-405b", 25):
        options = next(axis.options for axis in question.form.axes if axis.name == "virtual_stages")
        for pp, v in product(DEGREES[1:], options[1:]):
            feedback = check(question, {"pp": pp, "virtual_stages": v, "dp": run["gpus"] // 8 // pp})
            chunks = pp * v
            if chunks % 2 == 0 and 63 % (chunks // 2) and 64 % (chunks // 2):
                told.add(chunks)
                assert feedback.credit == 0, (question.seed, pp, v)
                assert (
                    f"{chunks} chunks, which cannot be equal" in feedback.say or f"make {chunks} chunks" in feedback.say
                )
            elif feedback.outcome == "correct":
                right.add(chunks)
    assert right == {32, 64, 128} and {24, 28, 48, 112} <= told


def test_what_the_405b_prompt_says_of_the_step_is_what_the_planner_finds() -> None:
    quicker = 0
    for question, run in drawn("a-layout-for-the-405b", 25):
        at = {name: run[name] for name in ("accelerator", "gpus", "global_batch")}
        judged = partial(layout_judge.verdict, model="Llama-3-405B", sequence=8192, tp=8, zero=1, **at)

        def step_s(pp: int, run: Run = run, judged: Callable[..., Any] = judged) -> float:
            found = judged(pp=pp, dp=run["gpus"] // 8 // pp, virtual_stages=run["most_chunks"])
            assert found["held_bytes"] < run["hbm_bytes"]
            return float(found["step_s"])

        bubble = 15 / 16 / (run["most_chunks"] * 8 * run["global_batch"] / run["gpus"])
        sending = 6 * run["parameters"] / (8 * 16) / 50e9
        assert run["compute_s"] * (1 + bubble) + sending == pytest.approx(step_s(16), rel=0.08), question.seed
        if "demands fewer" in question.solution:
            quicker += 1
            assert step_s(16) < step_s(run["longest"]) < 1.16 * step_s(16), question.seed
    assert quicker
