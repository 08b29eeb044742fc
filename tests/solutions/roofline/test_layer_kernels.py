"""A layer as kernels: against a machine that plays them, and what waits for memory in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.roofline import layer_kernels as played
from solutions.roofline import flops, layer_kernels

H100: dict[str, Any] = {"peak_flop_per_s": 989e12, "memory_bytes_per_s": 3.35e12}
LLAMA_8B: dict[str, Any] = {"hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(
    sequences=st.integers(1, 4), length=st.sampled_from([64, 512, 2048]), hidden=st.sampled_from([1024, 4096]),
    ffn=st.sampled_from([4096, 14336]), kv_heads=st.sampled_from([2, 8]), tp=st.sampled_from([1, 2]),
    efficiency=st.sampled_from([1.0, 0.8]),
)  # fmt: skip
def test_the_layer_takes_what_the_machine_takes(
    sequences: int, length: int, hidden: int, ffn: int, kv_heads: int, tp: int, efficiency: float
) -> None:
    case: dict[str, Any] = {
        "tokens": sequences * length, "sequence_length": length, "hidden": hidden, "ffn_hidden": ffn, "heads": 16,
        "kv_heads": kv_heads, "tp": tp, **H100,
    }  # fmt: skip
    ours = layer_kernels.layer_seconds(matmul_efficiency=efficiency, **case)
    assert ours == pytest.approx(played.layer_seconds(matmul_efficiency=efficiency, **case), rel=1e-9)
    share = layer_kernels.memory_bound_share(**case)
    assert share == pytest.approx(played.memory_bound_share(**case), rel=1e-9)


def test_the_matrix_products_and_scores_are_the_flop_of_the_layer() -> None:
    kernels = layer_kernels.layer_kernels(tokens=8192, sequence_length=8192, **LLAMA_8B)
    small = [kernel.flop for kernel in kernels if kernel.intensity < 5]
    counted = flops.layer_flop(tokens=8192, sequence_length=8192, **LLAMA_8B)
    assert sum(kernel.flop for kernel in kernels) - sum(small) == counted
    assert len(small) == 5
    assert sum(small) < 0.001 * counted


def test_few_tokens_make_every_kernel_wait_for_memory() -> None:
    assert layer_kernels.memory_bound_share(tokens=64, sequence_length=64, **LLAMA_8B, **H100) == 1
    assert layer_kernels.memory_bound_share(tokens=8192, sequence_length=8192, **LLAMA_8B, **H100) < 0.1


def test_the_kernels_stand_in_the_order_in_which_they_run_and_count_whole_flop() -> None:
    for tp in (1, 8):
        kernels = layer_kernels.layer_kernels(tokens=8192, sequence_length=8192, tp=tp, **LLAMA_8B)
        assert [kernel.name for kernel in kernels] == [
            "first norm", "queries", "keys", "values", "attention", "output projection", "first residual sum",
            "second norm", "gate", "up", "SwiGLU product", "down", "second residual sum",
        ]  # fmt: skip
        assert all(isinstance(kernel.flop, int) for kernel in kernels)


@pytest.mark.parametrize("wrong", [{"tp": 16}, {"tp": 3}, {"kv_heads": 6}, {"heads": 24}, {"hidden": 4100}], ids=str)
def test_heads_that_do_not_divide_are_refused(wrong: dict[str, int]) -> None:
    for module in (layer_kernels, played):
        with pytest.raises(ValueError, match="heads"):
            module.layer_seconds(tokens=64, sequence_length=64, **{**LLAMA_8B, **wrong}, **H100)
