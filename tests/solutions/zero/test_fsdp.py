"""Fully sharded training: references against played steps, which send, wait and hold memory, and their limits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solutions.oracles.zero import fsdp as played
from solutions.zero import fsdp, zero

B = 10**9
parameter_counts = st.integers(10**6, 2 * 10**12)


def test_a_sharded_step_with_16_bit_gradients_is_zero_3_or_zero_2() -> None:
    case = {"parameters": 7 * B, "gpus": 64}
    for gathers, stage in ((2, 3), (1, 2)):
        sent = fsdp.sharded_step_bytes(**case, weight_gathers=gathers, bytes_per_gradient=2)
        assert sent == zero.step_traffic_bytes(**case, stage=stage)


@given(parameters=parameter_counts, gpus=st.integers(2, 600), count=st.integers(1, 40), off=st.floats(-0.3, 0.3))
def test_a_counter_tells_how_many_micro_batches_a_step_has(parameters: int, gpus: int, count: int, off: float) -> None:
    each = zero.step_traffic_bytes(parameters=parameters, gpus=gpus, stage=3)
    case = {"sent_bytes": (count + off) * each, "parameters": parameters, "gpus": gpus}
    assert fsdp.micro_batches_behind(**case) == played.micro_batches_behind(**case) == count


def test_most_is_held_when_the_backward_pass_begins_if_activations_are_large() -> None:
    run = {"parameters": 8 * B, "layers": 32, "gpus": 16, "layer_activation_bytes": 0.5e9}
    held = {
        (phase, layer): fsdp.step_memory_bytes(**run, phase=phase, layer=layer)
        for phase in ("forward", "backward")
        for layer in range(1, 33)
    }
    assert max(held, key=lambda moment: held[moment]) == ("backward", 32)
