"""Fully sharded training, played: two lanes of computation and network, and memory that is taken and given back."""

from __future__ import annotations

from .search import bisect
from .zero import Ledger, adam_tensors, bytes_by_rank, play_step

LAYERS = 12  # of the model whose forward pass is played; their number does not change what hides
WEIGHTS = 10**8  # of each layer; it cancels


def sharded_step_bytes(*, parameters: float, gpus: int, weight_gathers: int, bytes_per_gradient: float) -> float:
    """Play a step of fully sharded training, with the weights kept or dropped after the forward pass."""
    if weight_gathers not in (1, 2):
        raise ValueError("weights are gathered once or twice a step")
    ledger = play_step(round(parameters), gpus, 3, bytes_per_gradient, weight_gathers == 1)
    return float(ledger.sent.mean())


def _stalled_seconds(tokens: float, flop_per_s: float, bandwidth_bytes_per_s: float, bytes_per_weight: float) -> float:
    """How long the computation of a forward pass waits for gathers, once its first layer is there.

    While a layer computes, the network gathers the next one.
    """
    stalled = 0.0
    clock = network_done = bytes_per_weight * WEIGHTS / bandwidth_bytes_per_s  # the first layer is there
    for _ in range(1, LAYERS):
        network_done = clock + bytes_per_weight * WEIGHTS / bandwidth_bytes_per_s
        for _ in range(2):  # a multiplication and an addition for each weight
            clock += WEIGHTS * tokens / flop_per_s
        stalled += max(0.0, network_done - clock)
        clock = max(clock, network_done)
    return stalled


def tokens_to_hide_gathers(*, flop_per_s: float, bandwidth_bytes_per_s: float, bytes_per_weight: float = 2) -> float:
    """Bisect for the tokens with which a played forward pass no longer waits."""
    rates = (flop_per_s, bandwidth_bytes_per_s, bytes_per_weight)
    return bisect(lambda tokens: -_stalled_seconds(tokens, *rates), 0.0, 1e12)


def hybrid_port_bytes(*, parameters: float, servers: int, gpus_per_server: int) -> float:
    """Reduce each server's shards over the servers by messages between all pairs, and count what a GPU sends."""
    sent = 0.0
    begun = 0
    for place in range(gpus_per_server):
        end = round(parameters) * (place + 1) // gpus_per_server
        ledger = Ledger(servers)  # the GPUs in this place of every server hold the same shard
        ledger.all_reduce(end - begun, 2)
        sent += float(ledger.sent.sum())
        begun = end
    return sent / (servers * gpus_per_server)


def gather_peak_bytes(*, parameters: float, layers: int, gpus: int, prefetched: int) -> float:
    """Play the backward pass layer by layer, take and give back memory, and note the most that was held."""
    shards = float(bytes_by_rank(adam_tensors(), elements=round(parameters), ranks=gpus, stage=3).mean())
    whole_layer = 2 * parameters / layers  # of weights, and of gradients
    gathered: set[int] = set()
    peak = 0.0
    for layer in reversed(range(layers)):
        gathered |= {wanted for wanted in range(layer - prefetched, layer + 1) if wanted >= 0}
        gradients = whole_layer
        peak = max(peak, shards + whole_layer * len(gathered) + gradients)
        gathered.remove(layer)  # the gradients are reduce-scattered, and weights and gradients dropped
    return peak


def step_memory_bytes(
    *, parameters: float, layers: int, gpus: int, layer_activation_bytes: float, phase: str, layer: int
) -> float:
    """Play a step with a list of everything that the GPU holds, and add the list up at the moment that is asked for."""
    rows = {row.name: row.width * parameters / gpus for row in adam_tensors()}
    held = {name: share for name, share in rows.items() if name != "gradient"}
    moments = {("between", 1): sum(held.values())}
    for number in range(1, layers + 1):
        held["gathered"] = rows["weight"] * gpus / layers
        held[f"activations {number}"] = layer_activation_bytes
        moments["forward", number] = sum(held.values())
        del held["gathered"]
    for number in range(layers, 0, -1):
        held["gathered"] = rows["weight"] * gpus / layers
        held["whole gradients"] = rows["gradient"] * gpus / layers
        moments["backward", number] = sum(held.values())
        held["own gradients"] = held.get("own gradients", 0) + held.pop("whole gradients") / gpus
        del held["gathered"], held[f"activations {number}"]
    return moments[phase, 1 if phase == "between" else layer]
