"""A layer as kernels: against a machine that plays them, and what waits for memory in it."""

from __future__ import annotations

from typing import Any

from solutions.roofline import flops, layer_kernels

LLAMA_8B: dict[str, Any] = {"hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}


def test_the_matrix_products_and_scores_are_the_flop_of_the_layer() -> None:
    kernels = layer_kernels.layer_kernels(tokens=8192, sequence_length=8192, **LLAMA_8B)
    small = [kernel.flop for kernel in kernels if kernel.intensity < 5]
    counted = flops.layer_flop(tokens=8192, sequence_length=8192, **LLAMA_8B)
    assert sum(kernel.flop for kernel in kernels) - sum(small) == counted
    assert len(small) == 5
    assert sum(small) < 0.001 * counted


def test_the_kernels_stand_in_the_order_in_which_they_run_and_count_whole_flop() -> None:
    for tp in (1, 8):
        kernels = layer_kernels.layer_kernels(tokens=8192, sequence_length=8192, tp=tp, **LLAMA_8B)
        assert [kernel.name for kernel in kernels] == [
            "first norm", "queries", "keys", "values", "attention", "output projection", "first residual sum",
            "second norm", "gate", "up", "SwiGLU product", "down", "second residual sum",
        ]  # fmt: skip
        assert all(isinstance(kernel.flop, int) for kernel in kernels)
