"""Activation memory: references against their counts, their limits, and the numbers of the 405B run."""

from __future__ import annotations

from typing import Any

from solutions import activations

LLAMA: dict[str, Any] = {"hidden": 16384, "ffn_hidden": 53248, "heads": 128, "kv_heads": 8}


def test_deeper_pipelines_do_not_relieve_the_first_stage_of_activations() -> None:
    held = {
        stages: activations.in_flight_bytes(
            layer_bytes=5.3e8, stage_layers=128 // stages, stages=stages, micro_batches=64
        )
        for stages in (2, 4, 8, 16, 32)
    }
    assert len(set(held.values())) == 1


def test_405b_at_8k_needs_16_stages_although_its_weights_need_2() -> None:
    layer = activations.layer_activation_bytes(**LLAMA, tokens=8192, tp=1)
    assert round(layer / 1e9, 2) == 4.26
    kept = 126 * layer
    assert round(kept / 8 / 1e9, 1) == 67.1
    run = {"weight_bytes": 2 * 405e9, "tp": 8, "memory_bytes": 76e9}  # 4 GB for buffers and sharded states
    assert activations.smallest_pipeline(**run, activation_bytes=kept) == 16
    assert activations.smallest_pipeline(**run, activation_bytes=1) == 2
