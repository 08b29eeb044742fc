"""Tensor parallelism: references against layers that were cut and played, and the figures that papers print."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.activations import activations
from solutions.oracles.tensor_and_context import tensor_parallel as played
from solutions.ring import ring
from solutions.shapes.layer_parameters import layer_parameters
from solutions.tensor_and_context import tensor_parallel as tp

LLAMA_70B = {"hidden": 8192, "ffn_hidden": 28672, "heads": 64, "kv_heads": 8}
degrees = st.integers(1, 40)
tokens = st.integers(1, 10**6)


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


def test_on_one_gpu_a_layer_is_whole() -> None:
    whole = layer_parameters(**LLAMA_70B)
    assert tp.layer_parameters_per_gpu(**LLAMA_70B, tp=1) == whole == 855_638_016
    assert tp.layer_parameters_per_gpu(**LLAMA_70B, tp=8) * 8 == whole


@given(kv_heads=st.integers(1, 40), sharing=st.integers(1, 16), ffn=st.integers(1, 30000), group=st.integers(1, 72))
def test_the_largest_degree_is_found_by_dealing_out(kv_heads: int, sharing: int, ffn: int, group: int) -> None:
    case = {"heads": kv_heads * sharing, "kv_heads": kv_heads, "ffn_hidden": ffn, "group": group}
    assert tp.largest_tp(**case) == played.largest_tp(**case)


def test_sequence_parallelism_is_what_the_activations_of_a_stage_are_counted_with() -> None:
    one = {**LLAMA_70B, "tokens": 8192, "tp": 8}
    assert tp.kept_bytes(**one, sequence_parallel=True) == activations.layer_activation_bytes(**one)
    alone = {**one, "tp": 1}
    assert tp.kept_bytes(**alone, sequence_parallel=True) == tp.kept_bytes(**alone, sequence_parallel=False)


def test_an_all_reduce_of_tensor_parallelism_is_an_all_reduce() -> None:
    ours = tp.all_reduce_bytes(tokens=4096, hidden=8192, tp=8)
    assert ours == ring.bytes_sent_per_gpu(message_bytes=2 * 4096 * 8192, gpus=8)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"kv_heads": 12}, "12 KV heads the heads"),
        ({"tp": 7}, "7 GPUs must divide the 64 heads"),
    ],
)
def test_what_does_not_divide_is_told(wrong: dict[str, int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        tp.layer_parameters_per_gpu(**{**LLAMA_70B, "tp": 1, **wrong})
