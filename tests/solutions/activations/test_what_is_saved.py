"""Saved tensors, mixtures, latent attention, offloading and checkpoint policies against simulated steps."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.activations import checkpoint_policy, mixture_activations, offload, saved_tensors
from solutions.oracles.activations import checkpoint_policy as policy_engine
from solutions.oracles.activations import mixture_activations as mixture_engine
from solutions.oracles.activations import offload as offload_engine
from solutions.oracles.activations import saved_tensors as saved_engine

LLAMA: dict[str, Any] = {"hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(tokens=st.integers(1, 10**5), hidden=st.integers(1, 10**5), ffn_hidden=st.integers(1, 10**5))
def test_eager_saves_what_is_on_the_tape(tokens: int, hidden: int, ffn_hidden: int) -> None:
    case = {"tokens": tokens, "hidden": hidden, "ffn_hidden": ffn_hidden}
    assert saved_tensors.eager_mlp_bytes(**case) == saved_engine.eager_mlp_bytes(**case)


def test_eager_saves_what_pytorch_was_seen_to_save() -> None:
    # 64 tokens of width 256 and 896 in PyTorch 2.15, less one FP32 number per token
    assert saved_tensors.eager_mlp_bytes(tokens=64, hidden=256, ffn_hidden=896) == 64 * (9220 - 4)


@given(
    tokens=st.integers(1, 500), chosen=st.integers(1, 8), layers=st.integers(1, 100), other=st.floats(0, 1e6),
    load=st.floats(1, 20),
)  # fmt: skip
def test_the_largest_load_fills_the_room(tokens: int, chosen: int, layers: int, other: float, load: float) -> None:
    shape: dict[str, Any] = {"tokens": tokens, "experts_per_token": chosen, "hidden": 64, "expert_ffn_hidden": 24}
    routed = mixture_activations.routed_bytes(**shape)
    assert routed == mixture_engine.routed_bytes(**shape)
    room = layers * (other + load * routed) * (1 + 1e-9)
    case: dict[str, Any] = {"room_bytes": room, "layers_in_flight": layers, "other_layer_bytes": other, **shape}
    found = mixture_activations.largest_load_factor(**case)
    assert math.isclose(found, load, rel_tol=1e-6, abs_tol=1e-6 * other / routed)
    assert math.isclose(found, mixture_engine.largest_load_factor(**case), rel_tol=1e-9)


@given(
    layers=st.integers(1, 100),
    tokens=st.integers(1, 9000),
    heads=st.sampled_from([16, 64, 128]),
    tp=st.sampled_from([1, 2, 8]),
)
def test_recomputed_up_projections_lower_a_played_peak(layers: int, tokens: int, heads: int, tp: int) -> None:
    shape = {"tokens": tokens, "heads": heads, "head_dim": 128, "rope_head_dim": 64, "tp": tp}
    assert mixture_activations.up_projection_bytes(**shape) == mixture_engine.up_projection_bytes(**shape)
    case = {"layers_in_flight": layers, **shape}
    found = mixture_activations.up_projection_saving_bytes(**case)
    assert same(found, mixture_engine.up_projection_saving_bytes(**case))


@given(
    layers=st.integers(1, 130), forward=st.floats(1e-4, 0.1), kept=st.floats(1e6, 1e10), part=st.floats(0.01, 0.9),
    rate=st.floats(1e9, 1e12), share=st.floats(0.01, 0.99),
)  # fmt: skip
def test_offloading_and_recomputing_are_clocked(
    layers: int, forward: float, kept: float, part: float, rate: float, share: float
) -> None:
    link = {"layers": layers, "forward_s": forward, "layer_bytes": kept, "link_bytes_per_s": rate}
    count = max(1, math.ceil(share * layers))
    assert same(offload.offload_seconds(count=count, **link), offload_engine.offload_seconds(count=count, **link))
    free = share * layers * kept * (1 - part)
    case = {"free_bytes": free, "input_bytes": part * kept, **link}
    assert offload.offload_or_recompute(**case) == offload_engine.offload_or_recompute(**case)


@given(
    choices=st.tuples(*[st.sampled_from(["keep", "repeat"])] * 5), tokens=st.integers(1, 20000),
    sequence=st.sampled_from([2048, 8192, 65536]), layers=st.integers(1, 130),
)  # fmt: skip
def test_a_policy_costs_what_its_tensors_cost(choices: Any, tokens: int, sequence: int, layers: int) -> None:
    case: dict[str, Any] = dict(zip(checkpoint_policy.OPERATIONS, choices, strict=True))
    case |= {
        **LLAMA,
        "tokens": tokens,
        "sequence": sequence,
        "layers": layers,
        "flop_per_s": 4e14,
        "bytes_per_s": 2.6e12,
    }
    found, expected = checkpoint_policy.policy_cost(**case), policy_engine.policy_cost(**case)
    assert same(found["kept_bytes"], expected["kept_bytes"])
    assert same(found["added_s"], expected["added_s"])


def test_limits_of_offloading_and_of_the_load_count() -> None:
    # two of two layers are needed, exactly; then copies and repeated passes take equally long, and nothing is gained by copying
    case = {"layers": 2, "forward_s": 1.0, "layer_bytes": 3.0, "input_bytes": 1.0, "link_bytes_per_s": 1.0}
    assert offload.offload_or_recompute(free_bytes=4.0, **case) == "recompute"
    assert offload_engine.offload_or_recompute(free_bytes=4.0, **case) == "recompute"
    thirds = {"layers": 3, "forward_s": 1.0, "layer_bytes": 0.3, "input_bytes": 0.2, "link_bytes_per_s": 1.0}
    assert (
        offload.offload_or_recompute(free_bytes=0.3, **thirds) == "offload, hidden"
    )  # as floats, 0.3 is a little more than three times 0.3 - 0.2
    even = {"tokens": 1, "experts_per_token": 1, "hidden": 1, "expert_ffn_hidden": 1}
    room = {"room_bytes": 8.0, "layers_in_flight": 1, "other_layer_bytes": 0.0}
    assert mixture_activations.largest_load_factor(**room, **even) == 1


def test_what_makes_no_sense_is_refused() -> None:
    run: dict[str, Any] = {**LLAMA, "tokens": 1, "sequence": 1, "layers": 1, "flop_per_s": 1.0, "bytes_per_s": 1.0}
    words = {"norms": "keep", "qkv": "keep", "attention": "keep", "gate_up": "keep"}
    with pytest.raises(ValueError, match="product must be 'keep' or 'repeat'"):
        checkpoint_policy.policy_cost(**words, product="drop", **run)
    with pytest.raises(ValueError, match="must divide the 6 heads"):
        mixture_activations.up_projection_bytes(tokens=1, heads=6, head_dim=1, rope_head_dim=1, tp=4)
    link = {"layers": 2, "forward_s": 1.0, "layer_bytes": 2.0, "link_bytes_per_s": 1.0}
    with pytest.raises(ValueError, match="do not free as much"):
        offload.offload_or_recompute(free_bytes=3.0, input_bytes=1.0, **link)
    with pytest.raises(ValueError, match="more than its input"):
        offload.offload_or_recompute(free_bytes=3.0, input_bytes=2.0, **link)
