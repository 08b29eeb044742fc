"""Tensor parallelism: references against layers that were cut and played, and the figures that papers print."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.activations import activations
from solutions.oracles.tensor_and_context import tensor_parallel as played
from solutions.ring import ring
from solutions.shapes.layer_parameters import layer_parameters
from solutions.tensor_and_context import tensor_parallel as tp

LLAMA_70B = {"hidden": 8192, "ffn_hidden": 28672, "heads": 64, "kv_heads": 8}
degrees = st.integers(1, 40)
tokens = st.integers(1, 10**6)
widths = st.sampled_from([1, 2, 4])
spans = st.sampled_from(["forward", "step", "step with recompute"])


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8, 13])
def test_a_cut_layer_computes_what_an_uncut_one_does(ranks: int) -> None:
    assert played.play_layer(ranks).right


@given(
    inputs=st.integers(1, 3000), outputs=st.integers(1, 3000), degree=degrees,
    cut=st.sampled_from(["columns", "rows", "blocks"]), stored=st.sampled_from(["in, out", "out, in", "flat"]),
)  # fmt: skip
def test_a_shard_is_what_numpy_cuts(inputs: int, outputs: int, degree: int, cut: str, stored: str) -> None:
    case: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "tp": degree, "cut": cut, "stored": stored}
    try:
        expected = played.shard_shape(**case)
    except ValueError:
        with pytest.raises(ValueError, match="must"):
            tp.shard_shape(**case)
    else:
        assert str(tp.shard_shape(**case)) == str(expected)  # whole numbers, and no floats
        assert math.prod(expected) * degree == inputs * outputs


@given(smaller=st.integers(1, 64), times=st.integers(1, 16), swapped=st.booleans())
def test_copies_of_a_head_are_counted_on_the_ranks(smaller: int, times: int, swapped: bool) -> None:
    degree, kv_heads = (smaller * times, smaller) if swapped else (smaller, smaller * times)
    assert tp.kv_copies(kv_heads=kv_heads, tp=degree) == played.kv_copies(kv_heads=kv_heads, tp=degree)


@given(
    width=st.integers(1, 128), kv_heads=st.integers(1, 16), sharing=st.integers(1, 16), inner=st.integers(1, 50),
    degree=st.sampled_from([1, 2, 4, 8, 16, 32]),
)  # fmt: skip
def test_parameters_of_a_rank_are_listed_matrix_by_matrix(
    width: int, kv_heads: int, sharing: int, inner: int, degree: int
) -> None:
    heads = kv_heads * sharing
    assume(heads % degree == 0 and (kv_heads % degree == 0 or degree % kv_heads == 0))
    case = {"hidden": heads * width, "ffn_hidden": inner * degree, "heads": heads, "kv_heads": kv_heads, "tp": degree}
    assert tp.layer_parameters_per_gpu(**case) == played.layer_parameters_per_gpu(**case)


def test_weights_are_those_of_every_layer() -> None:
    model = {**LLAMA_70B, "layers": 80, "tp": 16}
    assert tp.weight_bytes_per_gpu(**model) == played.weight_bytes_per_gpu(**model) == 2 * 80 * 54_525_952


@given(layers=st.integers(1, 130), micro_batches=st.integers(1, 64), data=st.data())
def test_a_trace_tells_how_many_layers_are_recomputed(layers: int, micro_batches: int, data: st.DataObject) -> None:
    counted = data.draw(st.integers(4 * layers, 6 * layers)) * micro_batches
    case = {"counted": counted, "layers": layers, "micro_batches": micro_batches}
    if counted // micro_batches % 2:
        for module in (tp, played):
            with pytest.raises(ValueError, match=r"must fit|no run"):
                module.recomputed_layers(**case)
    else:
        assert tp.recomputed_layers(**case) == played.recomputed_layers(**case)


@given(tokens=st.integers(1, 10**5), degree=degrees)
def test_the_tokens_of_sequence_parallelism_fill_what_the_others_filled(tokens: int, degree: int) -> None:
    case = {**LLAMA_70B, "tokens": tokens, "tp": degree}
    more = tp.tokens_with_sequence_parallelism(**case)
    assert math.isclose(more, played.tokens_with_sequence_parallelism(**case), rel_tol=1e-9)
    assert tokens <= more * (1 + 1e-12)
    assert more <= degree * tokens


def test_on_one_gpu_a_layer_is_whole() -> None:
    whole = layer_parameters(**LLAMA_70B)
    assert tp.layer_parameters_per_gpu(**LLAMA_70B, tp=1) == whole == 855_638_016
    assert tp.layer_parameters_per_gpu(**LLAMA_70B, tp=8) * 8 == whole


def test_past_the_kv_heads_doubling_the_group_does_not_halve_the_weights() -> None:
    assert tp.layer_parameters_per_gpu(**LLAMA_70B, tp=16) * 2 > tp.layer_parameters_per_gpu(**LLAMA_70B, tp=8)


@given(kv_heads=st.integers(1, 40), sharing=st.integers(1, 16), ffn=st.integers(1, 30000), group=st.integers(1, 72))
def test_the_largest_degree_is_found_by_dealing_out(kv_heads: int, sharing: int, ffn: int, group: int) -> None:
    case = {"heads": kv_heads * sharing, "kv_heads": kv_heads, "ffn_hidden": ffn, "group": group}
    assert tp.largest_tp(**case) == played.largest_tp(**case)


@given(tokens=tokens, hidden=st.integers(1, 30000), degree=degrees, width=widths)
def test_bytes_are_those_that_a_played_layer_sends(tokens: int, hidden: int, degree: int, width: int) -> None:
    case = {"tokens": tokens, "hidden": hidden, "tp": degree, "bytes_per_value": width}
    assert same(tp.all_reduce_bytes(**case), played.all_reduce_bytes(**case))
    assert same(tp.phase_bytes(**case), played.phase_bytes(**case))
    assert same(tp.all_reduce_bytes(**case), 2 * tp.phase_bytes(**case))


@given(tokens=tokens, hidden=st.integers(1, 30000), layers=st.integers(1, 130), degree=degrees, span=spans)
def test_traffic_is_that_of_the_played_span(tokens: int, hidden: int, layers: int, degree: int, span: str) -> None:
    case = {"tokens": tokens, "hidden": hidden, "layers": layers, "tp": degree, "span": span}
    assert same(tp.traffic_bytes(**case), played.traffic_bytes(**case))
    assert tp.all_reduces(layers=layers, span=span) == played.all_reduces(layers=layers, span=span)


@pytest.mark.parametrize("degree", [2, 3, 8])
@pytest.mark.parametrize("span", ["forward", "step", "step with recompute"])
def test_sequence_parallelism_sends_as_much_as_tensor_parallelism_alone(degree: int, span: str) -> None:
    layer = played.play_layer(degree)
    assert layer.sent[span] == layer.sharded[span]


def test_the_chain_of_56_mebibytes_done_right() -> None:
    one = {"tokens": 4096, "hidden": 8192, "tp": 8}
    assert tp.phase_bytes(**one) == 56 * 2**20
    assert tp.all_reduce_bytes(**one) == 112 * 2**20
    forward = {**one, "layers": 80, "span": "forward"}
    assert tp.traffic_bytes(**forward) == 17.5 * 2**30


@given(tokens=tokens, degree=degrees, sequence=st.booleans())
def test_what_a_layer_keeps_is_walked_through(tokens: int, degree: int, sequence: bool) -> None:
    case: dict[str, Any] = {**LLAMA_70B, "tokens": min(tokens, 10**5), "tp": degree, "sequence_parallel": sequence}
    assert same(tp.kept_bytes(**case), played.kept_bytes(**case))


def test_sequence_parallelism_is_what_the_activations_of_a_stage_are_counted_with() -> None:
    one = {**LLAMA_70B, "tokens": 8192, "tp": 8}
    assert tp.kept_bytes(**one, sequence_parallel=True) == activations.layer_activation_bytes(**one)
    alone = {**one, "tp": 1}
    assert tp.kept_bytes(**alone, sequence_parallel=True) == tp.kept_bytes(**alone, sequence_parallel=False)


def test_an_all_reduce_of_tensor_parallelism_is_an_all_reduce() -> None:
    ours = tp.all_reduce_bytes(tokens=4096, hidden=8192, tp=8)
    assert ours == ring.bytes_sent_per_gpu(message_bytes=2 * 4096 * 8192, gpus=8)


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        ("shard_shape", {"inputs": 10, "outputs": 10, "tp": 4, "cut": "columns"}),
        ("kv_copies", {"kv_heads": 8, "tp": 12}),
        ("layer_parameters_per_gpu", {**LLAMA_70B, "tp": 7}),
        ("layer_parameters_per_gpu", {**LLAMA_70B, "heads": 63, "tp": 1}),
        ("largest_tp", {"heads": 0, "kv_heads": 8, "ffn_hidden": 8, "group": 8}),
        ("all_reduces", {"layers": 80, "span": "backward"}),
        ("phase_bytes", {"tokens": 0, "hidden": 8, "tp": 2}),
        ("recomputed_layers", {"counted": 1601, "layers": 80, "micro_batches": 4}),
        ("recomputed_layers", {"counted": 2000, "layers": 80, "micro_batches": 4}),
        ("tokens_with_sequence_parallelism", {**LLAMA_70B, "tokens": 0, "tp": 2}),
        ("weight_bytes_per_gpu", {**LLAMA_70B, "layers": 0, "tp": 1}),
        ("all_reduce_bytes", {"tokens": 1, "hidden": 8, "tp": 2, "bytes_per_value": 0}),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(function: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        getattr(tp, function)(**wrong)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"heads": 48}, "48 heads must divide the width 8192"),
        ({"kv_heads": 12}, "12 KV heads the heads"),
        ({"tp": 7}, "7 GPUs must divide the 64 heads"),
        ({"tp": 8, "ffn_hidden": 28676}, "the 28676 columns of the MLP"),
    ],
)
def test_what_does_not_divide_is_told(wrong: dict[str, int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tp.layer_parameters_per_gpu(**{**LLAMA_70B, "tp": 1, **wrong})


def test_oracles_refuse_what_cannot_be_dealt_out() -> None:
    with pytest.raises(ValueError, match="dealt out"):
        played.layer_parameters_per_gpu(hidden=12, ffn_hidden=5, heads=4, kv_heads=1, tp=5)
    with pytest.raises(ValueError, match="neither divides"):
        played.kv_copies(kv_heads=8, tp=12)
    with pytest.raises(ValueError, match="no even shares"):
        played.layer_parameters_per_gpu(hidden=12, ffn_hidden=5, heads=4, kv_heads=4, tp=2)
    for function in (played.all_reduces, played.traffic_bytes):
        extra = {} if function is played.all_reduces else {"tokens": 1, "hidden": 1, "tp": 2}
        with pytest.raises(ValueError, match="no such span"):
            function(layers=1, span="backward", **extra)
