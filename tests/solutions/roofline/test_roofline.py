"""The roofline against a machine that fetches tiles and computes, and at its edges."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.roofline import roofline as machine
from solutions.roofline import roofline

H100: dict[str, Any] = {"peak_flop_per_s": 989e12, "memory_bytes_per_s": 3.35e12}
chips = st.sampled_from(
    [
        H100,
        {"peak_flop_per_s": 312e12, "memory_bytes_per_s": 2.039e12},
        {"peak_flop_per_s": 197e12, "memory_bytes_per_s": 819e9},
    ]
)
sizes = st.integers(1, 60000)
widths = st.sampled_from([1, 2, 4])


@given(flop=st.floats(1, 1e18), moved=st.floats(1, 1e13), chip=chips, intensity=st.floats(0.01, 1e5))
def test_a_machine_that_overlaps_takes_the_longer_of_two_times(
    flop: float, moved: float, chip: dict[str, float], intensity: float
) -> None:
    case = {"flop": flop, "moved_bytes": moved, **chip}
    assert roofline.roofline_seconds(**case) == pytest.approx(machine.roofline_seconds(**case), rel=1e-9)
    rate = roofline.attainable_flop_per_s(intensity=intensity, **chip)
    assert rate == pytest.approx(machine.attainable_flop_per_s(intensity=intensity, **chip), rel=1e-9)
    assert roofline.bound_by(intensity=intensity, **chip) == machine.bound_by(intensity=intensity, **chip)
    assert roofline.ridge_point(**chip) == pytest.approx(machine.ridge_point(**chip), rel=1e-12)


@given(tokens=sizes, inputs=sizes, outputs=sizes, width=widths)
def test_a_linear_layer_touches_each_element_once(tokens: int, inputs: int, outputs: int, width: int) -> None:
    case = {"tokens": tokens, "inputs": inputs, "outputs": outputs, "bytes_per_element": width}
    ours = roofline.matmul_intensity(**case)
    assert ours == pytest.approx(machine.matmul_intensity(**case), rel=1e-9)
    assert ours <= 2 * min(tokens, inputs, outputs) / width


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(inputs=st.integers(300, 30000), outputs=st.integers(300, 60000), chip=chips, weight=widths, activation=widths)
def test_the_fewest_compute_bound_tokens_are_found_by_adding_tokens(
    inputs: int, outputs: int, chip: dict[str, float], weight: int, activation: int
) -> None:
    case: dict[str, Any] = {
        "inputs": inputs, "outputs": outputs, "bytes_per_weight": weight, "bytes_per_activation": activation, **chip,
    }  # fmt: skip
    try:
        ours = roofline.compute_bound_tokens(**case)
    except ValueError:
        with pytest.raises(ValueError, match="nothing up to"):
            machine.compute_bound_tokens(**case)
        return
    assume(ours < 10**9)
    assert ours == machine.compute_bound_tokens(**case)


@settings(deadline=None, max_examples=a_quarter_at_once(50))
@given(
    queries=st.integers(1, 900), keys=st.integers(1, 900), groups=st.integers(1, 8), kv_heads=st.integers(1, 8),
    head_dim=st.sampled_from([64, 128]), causal=st.booleans(), width=widths,
)  # fmt: skip
def test_fused_attention_reads_each_tensor_once(
    queries: int, keys: int, groups: int, kv_heads: int, head_dim: int, causal: bool, width: int
) -> None:
    case: dict[str, Any] = {
        "queries": queries, "keys": queries if causal else keys, "heads": groups * kv_heads, "kv_heads": kv_heads,
        "head_dim": head_dim, "causal": causal, "bytes_per_element": width,
    }  # fmt: skip
    ours = roofline.fused_attention_intensity(**case)
    assert ours == pytest.approx(machine.fused_attention_intensity(**case), rel=1e-9)


@given(sequences=st.integers(1, 5), length=st.integers(1, 9000), groups=st.integers(1, 8), kv_heads=st.integers(1, 8))
def test_plain_attention_passes_its_scores_through_memory(
    sequences: int, length: int, groups: int, kv_heads: int
) -> None:
    case = {
        "tokens": sequences * length, "sequence_length": length, "heads": groups * kv_heads, "kv_heads": kv_heads,
        "head_dim": 128,
    }  # fmt: skip
    assert roofline.unfused_attention_bytes(**case) == machine.unfused_attention_bytes(**case)
    traffic: dict[str, Any] = {
        "tokens": sequences * length, "sequence_length": length, "layers": groups, "heads": kv_heads,
        "memory_bytes_per_s": 3.35e12,
    }  # fmt: skip
    ours = roofline.score_traffic_seconds(**traffic)
    assert ours == pytest.approx(machine.score_traffic_seconds(**traffic), rel=1e-9)


@given(
    parameters=st.floats(1e6, 1e12), tokens=st.integers(1, 10000), chip=chips, width=widths,
    cache=st.floats(0, 1e10), elements=sizes, read=st.integers(1, 4), written=st.integers(1, 4),
)  # fmt: skip
def test_weights_states_and_tensors_are_passed_over_once(
    parameters: float,
    tokens: int,
    chip: dict[str, float],
    width: int,
    cache: float,
    elements: int,
    read: int,
    written: int,
) -> None:
    one_pass: dict[str, Any] = {"parameters": parameters, "tokens": tokens, "bytes_per_weight": width, **chip}
    for held in (0, cache):
        seconds = roofline.weight_pass_seconds(**one_pass, cache_bytes=held)
        assert seconds == pytest.approx(machine.weight_pass_seconds(**one_pass, cache_bytes=held), rel=1e-9)
    decode: dict[str, Any] = {
        "parameters": parameters, "sequences": tokens, "cache_bytes_per_sequence": cache, "bytes_per_weight": width,
    }  # fmt: skip
    assert roofline.decode_intensity(**decode) == pytest.approx(machine.decode_intensity(**decode), rel=1e-9)
    bandwidth = chip["memory_bytes_per_s"]
    adam: dict[str, Any] = {"parameters": parameters, "memory_bytes_per_s": bandwidth, "bytes_per_gradient": width}
    assert roofline.adam_step_seconds(**adam) == pytest.approx(machine.adam_step_seconds(**adam), rel=1e-9)
    passes: dict[str, Any] = {
        "elements": elements, "tensors_read": read, "tensors_written": written, "memory_bytes_per_s": bandwidth,
        "bytes_per_element": width,
    }  # fmt: skip
    assert roofline.elementwise_seconds(**passes) == pytest.approx(machine.elementwise_seconds(**passes), rel=1e-9)


def test_a_wide_layer_needs_about_the_ridge_point_in_tokens() -> None:
    ridge = roofline.ridge_point(**H100)
    wide = roofline.compute_bound_tokens(inputs=10**6, outputs=10**6, **H100)
    assert wide == pytest.approx(ridge, rel=0.01)
    assert roofline.compute_bound_tokens(inputs=10**6, outputs=10**6, bytes_per_weight=1, **H100) == pytest.approx(
        ridge / 2, rel=0.01
    )


def test_decoding_is_memory_bound_and_a_prefill_is_not() -> None:
    assert roofline.bound_by(intensity=roofline.decode_intensity(parameters=8e9, sequences=64), **H100) == "memory"
    assert (
        roofline.bound_by(intensity=roofline.matmul_intensity(tokens=8192, inputs=4096, outputs=14336), **H100)
        == "compute"
    )


def test_at_the_ridge_the_arithmetic_is_the_limit() -> None:
    assert roofline.bound_by(intensity=2, peak_flop_per_s=4, memory_bytes_per_s=2) == "compute"


def test_a_matrix_whose_tokens_gain_nothing_stays_memory_bound() -> None:
    chip = {"peak_flop_per_s": 256.0, "memory_bytes_per_s": 1.0}
    with pytest.raises(ValueError, match="memory-bound"):  # 2·512² FLOP a token, and 256·2·2·512 while its bytes move
        roofline.compute_bound_tokens(inputs=512, outputs=512, **chip)
    gaining = {"inputs": 1, "outputs": 1, "peak_flop_per_s": 1.0, "memory_bytes_per_s": 4.0}
    assert roofline.compute_bound_tokens(**gaining) == machine.compute_bound_tokens(
        bytes_per_weight=2, bytes_per_activation=2, **gaining
    )


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: roofline.compute_bound_tokens(inputs=256, outputs=256, **H100), "memory-bound with any number"),
        (lambda: roofline.fused_attention_intensity(queries=1, keys=8, heads=6, kv_heads=4, head_dim=8), "no multiple"),
        (
            lambda: roofline.fused_attention_intensity(queries=1, keys=8, heads=4, kv_heads=4, head_dim=8, causal=True),
            "causal",
        ),
        (lambda: roofline.decode_intensity(parameters=1e9, sequences=1, cache_bytes_per_sequence=-1), "at least 0"),
        (lambda: roofline.ridge_point(peak_flop_per_s=0, memory_bytes_per_s=1), "above 0"),
        (lambda: machine.fused_attention_intensity(queries=1, keys=8, heads=6, kv_heads=4, head_dim=8), "share"),
        (
            lambda: machine.fused_attention_intensity(queries=1, keys=8, heads=4, kv_heads=4, head_dim=8, causal=True),
            "square",
        ),
    ],
)
def test_what_cannot_be_is_refused(call: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()
