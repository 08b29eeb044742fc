"""The 405B run played out: ranks placed, matrices listed, layers dealt, days tallied, a pipeline stepped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

HOUR_S = 3600.0
DAY_S = 86400.0


# Layouts: ranks are placed one by one, and layouts are listed and sieved.


@lru_cache(maxsize=512)
def data_parallel_replicas(*, gpus: int, tp: int, cp: int, pp: int) -> int:
    """Give every rank its coordinates, innermost axis first, and see which replicas came out whole."""
    rest = np.arange(gpus)
    for degree in (tp, cp, pp):
        rest = rest // degree
    members = np.bincount(rest)
    if (members != tp * cp * pp).any():
        raise ValueError("a replica is left incomplete")
    return len(members)


@lru_cache(maxsize=512)
def usable_gpus(*, gpus: int, failed_nodes: int, gpus_per_node: int, tp: int, cp: int, pp: int) -> int:
    """Switch nodes off, seat the GPUs that are left in replicas, and count those of complete replicas."""
    on = np.ones(gpus, dtype=bool)
    if failed_nodes * gpus_per_node > gpus:
        raise ValueError("more nodes failed than there are")
    for node in range(failed_nodes):
        on[node * gpus_per_node : (node + 1) * gpus_per_node] = False
    seats = np.arange(int(on.sum())) // (tp * cp * pp)
    sizes = np.bincount(seats)
    return int(sizes[sizes == tp * cp * pp].sum())


def nodes_per_rack(*, tp: int, cp: int, pp: int, dp: int, gpus_per_node: int, racks: int) -> int:
    """Fill nodes with ranks, then deal the nodes to the racks in turn."""
    ranks = np.arange(tp * cp * pp * dp)
    nodes = np.unique(ranks // gpus_per_node)
    loads = np.bincount(nodes % racks, minlength=racks)
    if len(ranks) % gpus_per_node or len(set(loads.tolist())) != 1:
        raise ValueError("the racks are not filled evenly")
    return int(loads[0])


def layers_per_stage(*, layers: int, stages: int) -> tuple[int, ...]:
    """Deal the layers like cards, round by round, the middle of the pipeline first and its ends last."""
    if layers < stages:
        raise ValueError("a stage is left empty")
    ends = list(range(stages))
    last_served: list[int] = []
    while ends:  # the last stage is served after all others, the first one before it, and so on inwards
        last_served.append(ends.pop())
        if ends:
            last_served.append(ends.pop(0))
    held = [0] * stages
    dealt = 0
    while dealt < layers:
        for stage in reversed(last_served):
            if dealt < layers:
                held[stage] += 1
                dealt += 1
    return tuple(held)


def fuller_stages(*, layers: int, stages: int) -> int:
    """Deal the layers, and count the stages with the most."""
    held = layers_per_stage(layers=layers, stages=stages)
    return sum(one == max(held) for one in held)


@dataclass(frozen=True)
class Layout:
    """One way to use every GPU."""

    tp: int
    cp: int
    pp: int
    dp: int


@lru_cache(maxsize=64)
def _divisors(gpus: int) -> tuple[int, ...]:
    return tuple(one for one in range(1, gpus + 1) if gpus % one == 0)


def layouts(gpus: int, gpus_per_node: int, cp: int, max_stages: int) -> Iterator[Layout]:
    """Every layout with TP and PP powers of two, TP inside a node, and the product of the axes all GPUs."""
    for tp in (degree for degree in range(1, gpus_per_node + 1) if degree.bit_count() == 1):
        for pp in (degree for degree in range(1, max_stages + 1) if degree.bit_count() == 1):
            for dp in _divisors(gpus):
                if tp * cp * pp * dp == gpus:
                    yield Layout(tp, cp, pp, dp)


@lru_cache(maxsize=1024)
def best_layout(
    *,
    gpus: int,
    parameters: int,
    bytes_per_parameter: int,
    budget_bytes: int,
    gpus_per_node: int,
    cp: int = 1,
    max_stages: int = 32,
) -> tuple[int, int, int, int]:
    """List the layouts, drop those whose states burst the budget, take most replicas, then the largest TP."""
    state = Fraction(parameters) * bytes_per_parameter
    fitting = [one for one in layouts(gpus, gpus_per_node, cp, max_stages)
               if state / (one.tp * one.pp) <= budget_bytes]  # fmt: skip
    if not fitting:
        raise ValueError("no layout fits")
    best = max(fitting, key=lambda one: (one.dp, one.tp))
    return best.tp, best.cp, best.pp, best.dp


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


# Time and money: work is done a day, or an hour, at a time until none is left.


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
    """Count the three products that every weight takes part in for every token: each multiplies and adds."""
    products = ("forward", "gradient of the input", "gradient of the weight")
    operations = ("multiply", "add")
    return sum(parameters * tokens for _ in products for _ in operations)


@lru_cache(maxsize=1024)
def training_seconds_at_rate(*, parameters: float, tokens: float, gpus: int, achieved_flop_per_s: float) -> float:
    """Work off the tokens day by day."""
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
    """Clock 10,000 GPUs hour by hour until the tokens are gone."""
    gpus = 10_000
    tokens_per_hour = mfu * peak_flop_per_s * HOUR_S / training_flop(parameters=parameters, tokens=1) * gpus
    return _ticks(tokens, tokens_per_hour) * HOUR_S * gpus


def wall_clock_seconds(*, gpu_time_s: float, gpus: int) -> float:
    """Spend the GPU time a day of the cluster at a time."""
    return _ticks(gpu_time_s, gpus * DAY_S) * DAY_S


def _bisect(enough: Callable[[float], bool]) -> float:
    """The smallest number between 0 and 16 that is enough."""
    low, high = 0.0, 16.0
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def mfu_from_gpu_time(*, parameters: float, tokens: float, gpu_time_s: float, peak_flop_per_s: float) -> float:
    """Search the utilisation at which that GPU time just suffices for the tokens."""
    needed = training_flop(parameters=parameters, tokens=tokens)
    return _bisect(lambda mfu: peak_flop_per_s * mfu * gpu_time_s >= needed)


def mfu_from_throughput(*, parameters: float, tokens_per_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Search the utilisation at which the cluster keeps up with a second's tokens."""
    per_gpu = training_flop(parameters=parameters, tokens=tokens_per_s / gpus)
    return _bisect(lambda mfu: peak_flop_per_s * mfu >= per_gpu)


def rental_dollars(*, gpus: int, run_s: float, dollars_per_gpu_hour: float) -> float:
    """Add up the bill day by day: each day every GPU is paid for 24 hours."""
    per_day = sum(gpus * dollars_per_gpu_hour for _ in range(24))
    days, rest_s = divmod(run_s, DAY_S)
    bill = sum(per_day for _ in range(int(days)))
    return bill + per_day * rest_s / DAY_S


def dollars_saved_by_relative_gain(*, bill_dollars: float, gain: float) -> float:
    """Rerun a job of 100 days with the better kernels, and compare the two bills."""
    per_day = bill_dollars / 100
    return bill_dollars - per_day * _ticks(100.0, 1.0 + gain)


def dollars_saved_by_points(*, bill_dollars: float, mfu: float, points: float) -> float:
    """Rerun a job of 100 days at the higher utilisation; a day at MFU u does u days of peak work."""
    per_day = bill_dollars / 100
    peak_days = sum(mfu for _ in range(100))
    return bill_dollars - per_day * _ticks(peak_days, mfu + points)


def electricity_dollars(
    *, gpus: int, watts_per_gpu: float, run_s: float, dollars_per_kwh: float, pue: float = 1.0
) -> float:
    """Read two meters day by day, the computers' and the building's overhead, in joules; pay for both."""
    it_joules = site_joules = 0.0
    left_s = run_s
    while left_s > 0:
        day_s = min(DAY_S, left_s)
        it_joules += watts_per_gpu * day_s * gpus
        site_joules += watts_per_gpu * day_s * gpus * (pue - 1)
        left_s -= day_s
    joules_per_kwh = 1000 * HOUR_S
    return (it_joules + site_joules) / joules_per_kwh * dollars_per_kwh


def dollars_per_useful_gpu_hour(*, dollars_per_gpu_hour: float, useful_share: float) -> float:
    """Pay hour by hour until a hundred hours of training have come together."""
    return _ticks(100.0, useful_share) * dollars_per_gpu_hour / 100


def seconds_saved_by_speedup(*, run_s: float, speedup: float) -> float:
    """Work off the old run's seconds at the new pace, an hour at a time, and see how much earlier it ends."""
    return run_s - _ticks(run_s, speedup * HOUR_S) * HOUR_S


def dollars_to_finish(
    *, parameters: float, tokens: float, peak_flop_per_s: float, mfu: float, dollars_per_gpu_hour: float
) -> float:
    """Rent 1,000 GPUs and pay every hour until the tokens are gone."""
    gpus = 1000
    achieved = peak_flop_per_s * mfu
    run_s = training_seconds_at_rate(parameters=parameters, tokens=tokens, gpus=gpus, achieved_flop_per_s=achieved)
    return rental_dollars(gpus=gpus, run_s=run_s, dollars_per_gpu_hour=dollars_per_gpu_hour)


# The pipeline: every rank works off its list of operations as soon as what they depend on is done.

FORWARD_TICKS, BACKWARD_TICKS = 1, 2  # a backward is two products for each weight, a forward one

Operation = tuple[str, int, int]  # "F" or "B", virtual stage on this rank, micro-batch


def schedule(rank: int, stages: int, micro_batches: int, virtual_stages: int) -> list[Operation]:
    """The order of operations on one rank: 1F1B, or interleaved 1F1B in groups of `stages` micro-batches."""
    total = micro_batches * virtual_stages
    if virtual_stages == 1:
        visits = [(0, one) for one in range(micro_batches)]
        warmup = min(total, stages - rank - 1)
    else:
        if micro_batches % stages:
            raise ValueError("interleaving needs a multiple of the stages as micro-batches")
        visits = [
            (chunk, group + one)
            for group in range(0, micro_batches, stages)
            for chunk in range(virtual_stages)
            for one in range(stages)
        ]
        warmup = min(total, 2 * (stages - rank - 1) + (virtual_stages - 1) * stages)
    forwards: list[Operation] = [("F", chunk, one) for chunk, one in visits]
    backwards: list[Operation] = [("B", virtual_stages - 1 - chunk, one) for chunk, one in visits]
    steady = [forwards[warmup + turn // 2] if turn % 2 == 0 else backwards[turn // 2]
              for turn in range(2 * (total - warmup))]  # fmt: skip
    return forwards[:warmup] + steady + backwards[total - warmup :]


def _needs(operation: Operation, rank: int, stages: int, virtual_stages: int) -> tuple[str, int, int] | None:
    """What must be done before: (kind, position in the whole pipeline, micro-batch), or nothing."""
    kind, chunk, one = operation
    position = chunk * stages + rank
    last = stages * virtual_stages - 1
    if kind == "F":
        return None if position == 0 else ("F", position - 1, one)
    return ("F", last, one) if position == last else ("B", position + 1, one)


@dataclass(frozen=True)
class Played:
    """A pipeline step that was played: when it ended, and what each rank did when."""

    ticks: int
    busy_ticks: int  # of one rank
    spans: tuple[tuple[int, str, int, int, int], ...]  # rank, kind, micro-batch, start, end


@lru_cache(maxsize=256)
def play(stages: int, micro_batches: int, virtual_stages: int = 1) -> Played:
    """Play one step; communication is free, so what remains is the bubble."""
    orders = [schedule(rank, stages, micro_batches, virtual_stages) for rank in range(stages)]
    places, clocks = [0] * stages, [0] * stages
    ended: dict[tuple[str, int, int], int] = {}
    spans: list[tuple[int, str, int, int, int]] = []
    moved = True
    while moved:
        moved = False
        for rank, order in enumerate(orders):
            while places[rank] < len(order):
                kind, chunk, one = order[places[rank]]
                need = _needs((kind, chunk, one), rank, stages, virtual_stages)
                if need is not None and need not in ended:
                    break
                start = max(clocks[rank], 0 if need is None else ended[need])
                clocks[rank] = start + (FORWARD_TICKS if kind == "F" else BACKWARD_TICKS)
                ended[kind, chunk * stages + rank, one] = clocks[rank]
                spans.append((rank, kind, one, start, clocks[rank]))
                places[rank] += 1
                moved = True
    if any(place < len(order) for place, order in zip(places, orders, strict=True)):
        raise RuntimeError("the schedule deadlocks")
    busy = sum(end - start for rank, _, _, start, end in spans if rank == 0)
    return Played(max(clocks), busy, tuple(spans))


def bubble_overhead(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Play the step, and compare a rank's waiting with its working."""
    played = play(stages, micro_batches, virtual_stages)
    return (played.ticks - played.busy_ticks) / played.busy_ticks


def bubble_idle_fraction(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Play the step, and compare a rank's waiting with the whole step."""
    played = play(stages, micro_batches, virtual_stages)
    return (played.ticks - played.busy_ticks) / played.ticks


# The data-parallel ring: one rank's sends, chunk by chunk.


def _ring_sends(ranks: int) -> Iterator[int]:
    """The chunk that rank 0 sends in each step: first its share of the sums, then the finished sums."""
    for step in range(ranks - 1):
        yield -step % ranks
    for step in range(ranks - 1):
        yield (1 - step) % ranks


@lru_cache(maxsize=1024)
def gradient_traffic_bytes(*, gpu_parameters: float, bytes_per_gradient: int, dp: int) -> float:
    """Cut the gradients into a chunk for each rank, and add up what rank 0 sends."""
    chunk = Fraction(gpu_parameters) * bytes_per_gradient / dp
    sent = np.bincount([*_ring_sends(dp)], minlength=dp) if dp > 1 else np.zeros(1, dtype=int)
    return float(sum(int(times) for times in sent) * chunk)


@lru_cache(maxsize=1024)
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
    """Send the slice's gradients around the ring, a chunk a step, and add up the times of the steps."""
    elements = _slice_parameters(stage_layers, hidden, ffn_hidden, heads, kv_heads, tp)
    step_s = float(elements * 2 / dp) / bandwidth_bytes_per_s
    return sum(step_s for _ in _ring_sends(dp))
