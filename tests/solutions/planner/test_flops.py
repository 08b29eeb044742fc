"""FLOP from the shape: against a trace of the whole step, against printed formulas, and at the edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.cost import run_costs
from solutions.oracles.roofline import flop_rules as rules_traced
from solutions.oracles.roofline import flops as traced
from solutions.roofline import flop_rules, flops
from solutions.shapes import models

LLAMA_8B: dict[str, Any] = {
    "layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 128256,
}  # fmt: skip

shapes = st.fixed_dictionaries(
    {
        "layers": st.integers(1, 6), "hidden": st.sampled_from([64, 128, 192]), "ffn_hidden": st.integers(1, 300),
        "heads": st.sampled_from([8, 16]), "kv_heads": st.sampled_from([1, 2, 8]), "vocabulary": st.integers(1, 999),
        "mlp_matrices": st.sampled_from([2, 3]), "causal": st.booleans(), "sequence_length": st.integers(1, 70),
    }
)  # fmt: skip


def layer_of(shape: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in shape.items() if name not in ("layers", "vocabulary")}


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(shape=shapes, sequences=st.integers(1, 3))
def test_the_count_is_what_a_traced_step_does(shape: dict[str, Any], sequences: int) -> None:
    case = {**shape, "tokens": sequences * shape["sequence_length"]}
    assert flops.forward_flop(**case) == traced.forward_flop(**case)
    for recompute in flops.RECOMPUTE:
        assert flops.step_flop(**case, recompute=recompute) == traced.step_flop(**case, recompute=recompute)
    layer = layer_of(case)
    assert flops.layer_flop(**layer) == traced.layer_flop(**layer)
    parts = {part: flops.layer_pass_flop(part=part, **layer) for part in "FBW"}
    assert parts == {part: traced.layer_pass_flop(part=part, **layer) for part in "FBW"}
    assert parts["B"] + parts["W"] == 2 * parts["F"]


@settings(deadline=None, max_examples=a_quarter_at_once(40))
@given(
    sequences=st.integers(1, 20), length=st.integers(1, 4096), layers=st.integers(1, 100),
    hidden=st.sampled_from([128, 1600, 12288]), vocabulary=st.integers(1, 60000),
)  # fmt: skip
def test_megatrons_formulas_are_the_count_of_a_gpt(
    sequences: int, length: int, layers: int, hidden: int, vocabulary: int
) -> None:
    gpt = {
        "sequences": sequences,
        "sequence_length": length,
        "layers": layers,
        "hidden": hidden,
        "vocabulary": vocabulary,
    }
    for recompute in ("none", "full"):
        ours = flop_rules.gpt_step_flop(**gpt, recompute=recompute)
        assert ours == pytest.approx(rules_traced.gpt_step_flop(**gpt, recompute=recompute), rel=1e-9)
    printed = flop_rules.gpt_step_flop(**gpt, recompute="selective") - flop_rules.gpt_step_flop(**gpt)
    one_forward_of_the_scores = 4 * sequences * layers * length**2 * hidden
    assert printed == pytest.approx(3 * one_forward_of_the_scores, rel=1e-6)  # three times what its text says


def test_the_length_at_which_the_rule_is_right_is_that_of_the_count() -> None:
    parameters = models.parameters(model="Llama-3-8B")
    length = round(flop_rules.exact_length(vocabulary=128256, layers=32, hidden=4096))
    ratio = flop_rules.six_n_over_count(parameters=parameters, sequence_length=length, **LLAMA_8B)
    assert ratio == pytest.approx(1, rel=1e-4)


def test_palms_mfu_is_six_n_and_a_little() -> None:
    case: dict[str, Any] = {"parameters": 540.35e9, "tokens_per_s": 238.3e3, "gpus": 6144, "peak_flop_per_s": 275e12}
    whole = flop_rules.palm_mfu(layers=118, heads=48, head_dim=256, sequence_length=2048, **case)
    assert run_costs.mfu_from_throughput(**case) < whole < 1.02 * run_costs.mfu_from_throughput(**case)


def test_a_gpts_hfu_is_above_its_mfu() -> None:
    gpt: dict[str, Any] = {
        "sequences": 64, "sequence_length": 2048, "layers": 96, "hidden": 12288, "vocabulary": 51200, "step_s": 13.75,
        "gpus": 64, "peak_flop_per_s": 312e12,
    }  # fmt: skip
    shares = [flop_rules.gpt_utilisation(recompute=word, **gpt) for word in flops.RECOMPUTE]
    assert shares == sorted(shares)
    days = flop_rules.gpt_training_seconds(
        training_tokens=64 * 2048, sequence_length=2048, layers=96, hidden=12288, vocabulary=51200, gpus=64,
        achieved_flop_per_s=312e12 * shares[0], recompute="none",
    )  # fmt: skip
    assert days == pytest.approx(13.75, rel=1e-9)


def test_palm_recomputed_three_quarters_of_its_forward_pass() -> None:
    share = flop_rules.recomputed_share(mfu=0.462, hfu=0.578)
    assert share == pytest.approx(rules_traced.recomputed_share(mfu=0.462, hfu=0.578), rel=1e-9)
    assert share == pytest.approx(0.75, abs=0.01)
    assert flop_rules.recomputed_share(mfu=0.462, hfu=0.462) == 0


@given(model=st.floats(1e13, 1e15), scores=st.floats(0.05, 0.5), surplus=st.floats(0, 0.4))
def test_the_surplus_of_a_profiler_tells_the_setting(model: float, scores: float, surplus: float) -> None:
    case = {
        "model_flop_per_s": model, "counted_flop_per_s": model * (1 + surplus), "score_share": scores,
        "layer_share": 0.95,
    }  # fmt: skip
    assume(min(abs(surplus - scores / 6), abs(surplus - (scores + 0.95) / 6)) > 1e-6)  # halfway between two settings
    assert flop_rules.setting_behind_a_count(**case) == rules_traced.setting_behind_a_count(**case)
