"""Fully sharded training, played: two lanes of computation and network, and memory that is taken and given back."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from ..search import bisect
from .zero import Ledger, adam_tensors, bytes_by_rank, counted, play_step

LAYERS = 12  # of the model whose forward pass is played; their number does not change what hides
WEIGHTS = 10**8  # of each layer; it cancels


def sharded_step_bytes(*, parameters: float, gpus: int, weight_gathers: int, bytes_per_gradient: float) -> float:
    """Play a step of fully sharded training, with the weights kept or dropped after the forward pass."""
    if weight_gathers not in (1, 2):
        raise ValueError("weights are gathered once or twice a step")
    ledger = play_step(round(parameters), gpus, 3, bytes_per_gradient, weight_gathers == 1)
    return float(ledger.sent.mean())


def micro_batches_behind(*, sent_bytes: float, parameters: float, gpus: int) -> int:
    """Play micro-batch after micro-batch until the counter passes the middle between this many and one more."""
    each = float(play_step(round(parameters), gpus, 3).sent.mean())
    counter, played = each, 1
    while counter + each / 2 < sent_bytes:
        counter += each
        played += 1
    return played


@dataclass(frozen=True)
class Segment:
    """Something that the network or the computation is busy with."""

    lane: str  # "network" or "computation"
    layer: int
    start: float
    end: float


def played_forward(*, layers: int, gather_s: float, compute_s: float) -> list[Segment]:
    """A forward pass in which the network gathers the next layer while one computes, and the next begins when both are done."""
    segments = [Segment("network", 1, 0.0, gather_s)]
    clock = gather_s
    for layer in range(1, layers + 1):
        segments.append(Segment("computation", layer, clock, clock + compute_s))
        gathered = clock
        if layer < layers:
            gathered = clock + gather_s
            segments.append(Segment("network", layer + 1, clock, gathered))
        clock = max(clock + compute_s, gathered)
    return segments


def _stalled_seconds(tokens: float, flop_per_s: float, bandwidth_bytes_per_s: float, bytes_per_weight: float) -> float:
    """How long the computation of a played forward pass waits for gathers, once its first layer is there."""
    compute_s = 2 * tokens * WEIGHTS / flop_per_s  # a multiplication and an addition for each weight and token
    played = played_forward(
        layers=LAYERS, gather_s=bytes_per_weight * WEIGHTS / bandwidth_bytes_per_s, compute_s=compute_s
    )
    computed = [segment for segment in played if segment.lane == "computation"]
    return sum(later.start - earlier.end for earlier, later in pairwise(computed))


def tokens_to_hide_gathers(*, flop_per_s: float, bandwidth_bytes_per_s: float, bytes_per_weight: float = 2) -> float:
    """Bisect for the tokens with which a played forward pass no longer waits."""
    rates = (flop_per_s, bandwidth_bytes_per_s, bytes_per_weight)
    return bisect(lambda tokens: -_stalled_seconds(tokens, *rates), 0.0, 1e12)


def hybrid_port_bytes(*, parameters: float, servers: int, gpus_per_server: int) -> float:
    """Reduce each node's shards over the nodes by messages between all pairs, and count what a GPU sends."""
    sent = 0.0
    begun = 0
    for place in range(gpus_per_server):
        end = round(parameters) * (place + 1) // gpus_per_server
        ledger = Ledger(servers)  # the GPUs in this place of every node hold the same shard
        ledger.all_reduce(end - begun, 2)
        sent += float(ledger.sent.sum())
        begun = end
    return sent / (servers * gpus_per_server)


def gather_peak_bytes(*, parameters: float, layers: int, gpus: int, prefetched: int) -> float:
    """Play the backward pass layer by layer, take and give back memory, and note the most that was held."""
    shards = float(bytes_by_rank(adam_tensors(), elements=round(parameters), ranks=gpus, stage=3).mean())
    weights, gradients = (counted(parameters, 1, 0, [row]) / layers for row in adam_tensors()[:2])  # of one layer
    gathered: set[int] = set()
    peak = 0.0
    for layer in reversed(range(layers)):
        gathered |= {wanted for wanted in range(layer - prefetched, layer + 1) if wanted >= 0}
        peak = max(peak, shards + weights * len(gathered) + gradients)
        gathered.remove(layer)  # the gradients are reduce-scattered, and weights and gradients dropped
    return peak


def step_memory_bytes(
    *, parameters: float, layers: int, gpus: int, layer_activation_bytes: float, phase: str, layer: int
) -> float:
    """Play a step with a list of everything that the GPU holds, and add the list up at the moment that is asked for."""
    shard = {row.name: counted(parameters, gpus, 3, [row]) for row in adam_tensors()}
    whole = {row.name: counted(parameters, 1, 0, [row]) / layers for row in adam_tensors()}  # of one layer
    held = {name: size for name, size in shard.items() if name != "gradient"}
    moments = {("between", 1): sum(held.values())}
    for number in range(1, layers + 1):
        held["gathered"] = whole["weight"]
        held[f"activations {number}"] = layer_activation_bytes
        moments["forward", number] = sum(held.values())
        del held["gathered"]
    for number in range(layers, 0, -1):
        held["gathered"] = whole["weight"]
        held["whole gradients"] = whole["gradient"]
        moments["backward", number] = sum(held.values())
        held["own gradients"] = held.get("own gradients", 0) + held.pop("whole gradients") / gpus
        del held["gathered"], held[f"activations {number}"]
    return moments[phase, 1 if phase == "between" else layer]
