"""Tensor parallelism in time: passes of a layer are played, compute and communication one after the other."""

from __future__ import annotations

from ..search import bisect
from .tensor_parallel import BF16_BYTES, BLOCKS, play_layer

MATRIX_PRODUCTS = {
    "forward": 1,
    "step": 3,
    "step with recompute": 4,
}  # with each weight: output, input and weight gradients


def traffic_seconds(
    *, tokens: int, hidden: int, layers: int, tp: int, bus_bandwidth_bytes_per_s: float, span: str = "step"
) -> float:
    """Send layer after layer over the bus."""
    clock = 0.0
    for _ in range(layers):
        sent = play_layer(tp).sent[span] * tokens * hidden * BF16_BYTES
        clock += float(sent) / bus_bandwidth_bytes_per_s
    return clock


def _forward_seconds(
    hidden: int, layer_parameters: float, tp: float, flop_per_s: float, bus_bandwidth_bytes_per_s: float
) -> tuple[float, float]:
    """Compute and communication of a layer's forward pass, for one token; tp need not be whole."""
    multiply_and_add = layer_parameters / tp + layer_parameters / tp
    phases = 2 * BLOCKS  # a reduce-scatter and an all-gather for each block
    sent = phases * BF16_BYTES * hidden * (1 - 1 / tp)
    return multiply_and_add / flop_per_s, sent / bus_bandwidth_bytes_per_s


def _clocks(
    span: str, hidden: int, layer_parameters: float, tp: int, flop_per_s: float, bus_bandwidth_bytes_per_s: float
) -> tuple[float, float]:
    """Compute and communication of a layer for one token, from what a played layer sent."""
    if span not in MATRIX_PRODUCTS:
        raise ValueError("no such span")
    compute_s = 0.0
    for _ in range(MATRIX_PRODUCTS[span]):
        compute_s += (layer_parameters + layer_parameters) / tp / flop_per_s  # multiplications and additions
    sent_bytes = float(play_layer(tp).sent[span] * hidden * BF16_BYTES)
    return compute_s, sent_bytes / bus_bandwidth_bytes_per_s


def step_seconds(
    *, tokens: int, hidden: int, layer_parameters: float, layers: int, tp: int, flop_per_s: float,
    bus_bandwidth_bytes_per_s: float, forward_passes: int = 1,
) -> float:  # fmt: skip
    """Layer after layer: compute, then send."""
    span = {1: "step", 2: "step with recompute"}[forward_passes]
    compute_s, sent_s = _clocks(span, hidden, layer_parameters, tp, flop_per_s, bus_bandwidth_bytes_per_s)
    clock = 0.0
    for _ in range(layers):
        clock += tokens * compute_s
        clock += tokens * sent_s
    return clock


def overhead_of_compute(
    *, hidden: int, layer_parameters: float, tp: int, flop_per_s: float, bus_bandwidth_bytes_per_s: float,
    span: str = "forward",
) -> float:  # fmt: skip
    """Both times of a played layer, one over the other."""
    compute_s, sent_s = _clocks(span, hidden, layer_parameters, tp, flop_per_s, bus_bandwidth_bytes_per_s)
    return sent_s / compute_s


def share_of_time(
    *, hidden: int, layer_parameters: float, tp: int, flop_per_s: float, bus_bandwidth_bytes_per_s: float
) -> float:
    """Both times of a forward pass: the second over the sum."""
    compute_s, sent_s = _forward_seconds(hidden, layer_parameters, tp, flop_per_s, bus_bandwidth_bytes_per_s)
    return sent_s / (compute_s + sent_s)


def largest_tp_under_share(
    *,
    heads: int,
    hidden: int,
    layer_parameters: float,
    flop_per_s: float,
    bus_bandwidth_bytes_per_s: float,
    largest_share: float,
) -> int:
    """Give each GPU more and more heads, where they come out even, until the share is kept to."""
    for heads_each in range(1, heads + 1):
        if heads // heads_each * heads_each == heads:
            tp = heads // heads_each
            compute_s, sent_s = _forward_seconds(hidden, layer_parameters, tp, flop_per_s, bus_bandwidth_bytes_per_s)
            if sent_s <= largest_share * (compute_s + sent_s) * (1 + 1e-12):
                return tp
    raise ValueError("no heads")


def throughput_lost(
    *, hidden: int, layer_parameters: float, flop_per_s: float, tp: int, bus_bandwidth_bytes_per_s: float,
    wider_tp: int, wider_bandwidth_bytes_per_s: float,
) -> float:  # fmt: skip
    """Let as many GPUs as both widths divide train a thousand seconds in either way, and compare the tokens."""
    gpus = tp * wider_tp
    done = []
    for degree, bandwidth in ((tp, bus_bandwidth_bytes_per_s), (wider_tp, wider_bandwidth_bytes_per_s)):
        replicas = gpus // degree
        token_s = sum(_clocks("step", hidden, layer_parameters, degree, flop_per_s, bandwidth))
        done.append(replicas * 1000 / token_s)
    return 1 - done[1] / done[0]


def mlp_bound_tp(*, ffn_hidden: int, flop_per_s: float, bandwidth_bytes_per_s: float) -> float:
    """Bisect for the degree at which a token's two matrix products take as long as its gather and its reduce-scatter."""

    def late(tp: float) -> float:
        compute_s = 2 * (2 * ffn_hidden / tp) / flop_per_s  # for each channel of the model's width
        return 2 * BF16_BYTES / bandwidth_bytes_per_s - compute_s

    return bisect(late, 1e-6, 1e9)


def balanced_fsdp_degree(*, tokens: float, ffn_hidden: int, gpus: int, fsdp_axes: int = 1, tp_axes: int = 1) -> float:
    """Walk down the slope of the time of both: weights of an MLP's slice, and activations of a share of the tokens."""

    def slope(degree: float) -> float:
        step = 1e-4 * degree
        return seconds(degree + step) - seconds(degree - step)

    def seconds(degree: float) -> float:
        weights = 2 * BF16_BYTES * ffn_hidden / (gpus / degree)
        activations_sent = 2 * BF16_BYTES * tokens / degree
        return weights / fsdp_axes + activations_sent / tp_axes

    return bisect(slope, 1e-6, 1e9)
