"""The 405B run, simulated: matrices are listed and cut, and days and dollars counted."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..ring.ring import simulated_bytes_sent_per_phase
from ..roofline.layer_flop import attention_flop_per_pair_and_channel, flop_per_weight_and_token
from ..search import bisect

HOUR_S = 3600.0
DAY_S = 86400.0


# Weights: the matrices by shape, and the slices that the ranks of a tensor-parallel group hold.


def _layer(hidden: int, ffn_hidden: int, heads: int, kv_heads: int) -> list[tuple[str, int, int, str]]:
    """The matrices of a layer as (name, inputs, outputs, the side that tensor parallelism cuts)."""
    head = hidden // heads
    return [
        ("query", hidden, heads * head, "outputs"),
        ("key", hidden, kv_heads * head, "outputs"),
        ("value", hidden, kv_heads * head, "outputs"),
        ("projection", heads * head, hidden, "inputs"),
        ("gate", hidden, ffn_hidden, "outputs"),
        ("up", hidden, ffn_hidden, "outputs"),
        ("down", ffn_hidden, hidden, "inputs"),
    ]


def layer_parameters(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int) -> int:
    """Add up the matrices of one layer."""
    return sum(inputs * outputs for _, inputs, outputs, _ in _layer(hidden, ffn_hidden, heads, kv_heads))


def model_parameters(*, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int) -> int:
    """Walk the model from the embedding to the output head, and add up every matrix."""
    total = vocabulary * hidden  # a row for each token
    for _ in range(layers):
        for _, inputs, outputs, _ in _layer(hidden, ffn_hidden, heads, kv_heads):
            total += inputs * outputs
    return total + hidden * vocabulary  # a score for each token


def _slice_parameters(layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int) -> Fraction:
    """Weights on one rank: every matrix of every layer, cut along its side."""
    held = Fraction(0)
    for _ in range(layers):
        for _, inputs, outputs, side in _layer(hidden, ffn_hidden, heads, kv_heads):
            held += Fraction(inputs, tp) * outputs if side == "inputs" else inputs * Fraction(outputs, tp)
    return held


def stage_weight_bytes(
    *,
    stage_layers: int,
    hidden: int,
    ffn_hidden: int,
    heads: int,
    kv_heads: int,
    tp: int,
    bytes_per_weight: int,
) -> float:
    """Cut every matrix of the stage over the tensor-parallel ranks, and weigh the slices of one rank."""
    return float(_slice_parameters(stage_layers, hidden, ffn_hidden, heads, kv_heads, tp) * bytes_per_weight)


def state_bytes_per_gpu(*, gpu_parameters: float, gradient_shards: int, optimizer_shards: int) -> float:
    """Keep a ledger of tensors, each with the bytes of an element and the replicas that share it."""
    ledger = {
        "BF16 weights": (2, 1),
        "FP32 gradients": (4, gradient_shards),
        "FP32 master weights": (4, optimizer_shards),
        "FP32 first moments": (4, optimizer_shards),
        "FP32 second moments": (4, optimizer_shards),
    }
    return float(sum(Fraction(gpu_parameters) * width / owners for width, owners in ledger.values()))


# Time and money: work is done day by day, or hour by hour, until none is left.


def _ticks(work: float, per_tick: float) -> float:
    """Ticks until the work is done, the last one in part; coarser ticks when there would be over 20,000."""
    coarse = 1
    while work / (per_tick * coarse) > 20_000:
        coarse *= 10
    done = 0
    while work >= per_tick * coarse:
        work -= per_tick * coarse
        done += coarse
    return done + work / per_tick


def training_flop(*, parameters: float, tokens: float) -> float:
    """Train a small layer on numbers that count their operations, and scale up to all weights and tokens."""
    return float(Fraction(parameters) * Fraction(tokens) * flop_per_weight_and_token())


@lru_cache(maxsize=1024)
def training_seconds_at_rate(*, parameters: float, tokens: float, gpus: int, achieved_flop_per_s: float) -> float:
    """Count the days until all tokens are done."""
    flop_per_token = training_flop(parameters=parameters, tokens=1)
    tokens_per_day = achieved_flop_per_s * DAY_S / flop_per_token * gpus
    return _ticks(tokens, tokens_per_day) * DAY_S


def training_seconds_at_mfu(
    *, parameters: float, tokens: float, gpus: int, peak_flop_per_s: float, mfu: float
) -> float:
    """The same, when each second of the peak holds `mfu` seconds of the model's own work."""
    return training_seconds_at_rate(
        parameters=parameters,
        tokens=tokens,
        gpus=gpus,
        achieved_flop_per_s=mfu * peak_flop_per_s,
    )


def gpu_seconds(*, parameters: float, tokens: float, peak_flop_per_s: float, mfu: float) -> float:
    """Let 10,000 GPUs work hour by hour until all tokens are done."""
    gpus = 10_000
    tokens_per_hour = mfu * peak_flop_per_s * HOUR_S / training_flop(parameters=parameters, tokens=1) * gpus
    return _ticks(tokens, tokens_per_hour) * HOUR_S * gpus


def delivered_flop(*, gpus: int, run_s: float, peak_flop_per_s: float, mfu: float) -> float:
    """Train models of one parameter on a billion tokens, one after another, until the run is over; count the FLOP."""
    model_s = training_seconds_at_mfu(parameters=1, tokens=1e9, gpus=gpus, peak_flop_per_s=peak_flop_per_s, mfu=mfu)
    return run_s / model_s * training_flop(parameters=1, tokens=1e9)


def wall_clock_seconds(*, gpu_time_s: float, gpus: int) -> float:
    """Spend the GPU time, one day of the whole cluster after the other."""
    return _ticks(gpu_time_s, gpus * DAY_S) * DAY_S


def mfu_from_gpu_time(*, parameters: float, tokens: float, gpu_time_s: float, peak_flop_per_s: float) -> float:
    """Search the lowest utilisation at which that GPU time is enough for the tokens."""
    needed = training_flop(parameters=parameters, tokens=tokens)
    return bisect(lambda mfu: peak_flop_per_s * mfu * gpu_time_s - needed, 0.0, 16.0)


def mfu_from_throughput(*, parameters: float, tokens_per_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Search the lowest utilisation at which the cluster does a second's tokens in a second."""
    per_gpu = training_flop(parameters=parameters, tokens=tokens_per_s / gpus)
    return bisect(lambda mfu: peak_flop_per_s * mfu - per_gpu, 0.0, 16.0)


def mfu_with_attention(*, mfu: float, parameters: float, layers: int, hidden: int, sequence_length: int) -> float:
    """Count one sequence's operations in the weights, and in the scores of each layer and channel, pair by pair."""
    pairs = sequence_length * sequence_length
    weights = flop_per_weight_and_token() * Fraction(parameters) * sequence_length
    scores = sum(attention_flop_per_pair_and_channel() * pairs * hidden for _ in range(layers))
    return float(Fraction(mfu) * (weights + scores) / weights)


def _meters(gpus: int, run_s: float) -> NDArray[np.float64]:
    """Let every GPU's meter run, day after day, and read the seconds on each; coarser ticks in runs over 1,000 days."""
    meters = np.zeros(gpus)
    tick_s = DAY_S
    while run_s > 1000 * tick_s:
        tick_s *= 10
    left_s = run_s
    while left_s > 0:
        meters += min(tick_s, left_s)
        left_s -= tick_s
    return meters


def rental_dollars(*, gpus: int, run_s: float, dollars_per_gpu_hour: float) -> float:
    """Write an invoice with a line for each GPU, by the meter on it, and add up the lines."""
    invoice = _meters(gpus, run_s) / HOUR_S * dollars_per_gpu_hour
    return float(invoice.sum())


def dollars_saved_by_points(*, bill_dollars: float, mfu: float, points: float) -> float:
    """Rerun a job of 100 days at the higher utilisation; a day at MFU u does u days of peak work."""
    per_day = bill_dollars / 100
    peak_days = sum(mfu for _ in range(100))
    return bill_dollars - per_day * _ticks(peak_days, mfu + points)


def electricity_dollars(
    *, gpus: int, watts_per_gpu: float, run_s: float, dollars_per_kwh: float, pue: float = 1.0
) -> float:
    """Add up two meters for each GPU, its own energy and what the building adds to it, in joules; pay for both."""
    own_joules = _meters(gpus, run_s) * watts_per_gpu
    overhead_joules = own_joules * (pue - 1)
    joules_per_kwh = 1000 * HOUR_S
    return float(own_joules.sum() + overhead_joules.sum()) / joules_per_kwh * dollars_per_kwh


def dollars_per_useful_gpu_hour(*, dollars_per_gpu_hour: float, useful_share: float) -> float:
    """Pay hour by hour until a hundred hours of training have been done."""
    return _ticks(100.0, useful_share) * dollars_per_gpu_hour / 100


def seconds_saved_by_speedup(*, run_s: float, speedup: float) -> float:
    """Do the old run's work at the new pace, hour by hour, and see how much earlier it ends."""
    return run_s - _ticks(run_s, speedup * HOUR_S) * HOUR_S


def dollars_to_finish(
    *, parameters: float, tokens: float, peak_flop_per_s: float, mfu: float, dollars_per_gpu_hour: float
) -> float:
    """Rent 1,000 GPUs until all tokens are done."""
    gpus = 1000
    achieved = peak_flop_per_s * mfu
    run_s = training_seconds_at_rate(parameters=parameters, tokens=tokens, gpus=gpus, achieved_flop_per_s=achieved)
    return rental_dollars(gpus=gpus, run_s=run_s, dollars_per_gpu_hour=dollars_per_gpu_hour)


# The data-parallel ring, played by oracles/ring.py.


def gradient_sync_seconds(
    *,
    stage_layers: int,
    hidden: int,
    ffn_hidden: int,
    heads: int,
    kv_heads: int,
    tp: int,
    dp: int,
    bandwidth_bytes_per_s: float,
) -> float:
    """Cut the matrices for one GPU, play a phase of the ring for each tensor that travels, and clock the bytes."""
    elements = _slice_parameters(stage_layers, hidden, ffn_hidden, heads, kv_heads, tp)
    widths = {"FP32 gradients": 4, "BF16 weights": 2}
    messages = [float(elements * width) for width in widths.values()]
    sent = sum(simulated_bytes_sent_per_phase(message_bytes=message, gpus=dp) for message in messages)
    return sent / bandwidth_bytes_per_s
