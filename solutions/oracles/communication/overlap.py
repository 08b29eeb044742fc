"""A step, played on two lanes: computation on one, a network that takes one message at a time on the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..ring.ring import play_ring
from ..search import bisect, smallest

LAYERS = 24  # of the model whose backward pass is played; their number does not change what hides
WEIGHTS = 10**8  # of each layer; it cancels


@dataclass(frozen=True)
class Span:
    """Something that happened, with its beginning and its end in seconds."""

    lane: str
    what: int  # which layer or bucket, in the order of the backward pass
    begun: float
    ended: float


def play_backward(backward_s: Sequence[float], reduce_s: Sequence[float]) -> list[Span]:
    """Compute one layer after the other; send the gradients of each when they exist and the network is free."""
    spans: list[Span] = []
    clock = network_free = 0.0
    for number, (computing, sending) in enumerate(zip(backward_s, reduce_s, strict=True)):
        spans.append(Span("compute", number, clock, clock + computing))
        clock += computing
        begun = max(clock, network_free)
        network_free = begun + sending
        spans.append(Span("network", number, begun, network_free))
    return spans


def _tail(spans: list[Span]) -> float:
    last_computed = max(span.ended for span in spans if span.lane == "compute")
    return max(span.ended for span in spans) - last_computed


def exposed_tail_seconds(*, layers: int, backward_s: float, reduce_s: float) -> float:
    """How much later than the computation the played network ends."""
    return _tail(play_backward([backward_s] * layers, [reduce_s] * layers))


def computed_at_seconds(*, done: int, backward_s: float) -> float:
    """When the played pass has computed that many layers."""
    spans = play_backward([backward_s] * done, [0.0] * done)
    return max(span.ended for span in spans if span.lane == "compute")


def reduced_at_seconds(*, done: int, backward_s: float, reduce_s: float) -> float:
    """When the played network has sent that many layers."""
    spans = play_backward([backward_s] * done, [reduce_s] * done)
    return max(span.ended for span in spans if span.lane == "network")


def last_gradients_seconds(
    *,
    layer_parameters: float,
    vocabulary: int,
    hidden: int,
    bytes_per_gradient: float,
    gpus: int,
    bus_bytes_per_s: float,
) -> float:
    """Play a few layers on a network that keeps up, and then the rows of the embedding, which are there at once."""

    def sending(parameters: float) -> float:
        return sum(play_ring(gpus).busiest_shares) * parameters * bytes_per_gradient / bus_bytes_per_s

    reduce_s = sending(layer_parameters)
    computing = 2 * reduce_s + 1.0
    return _tail(play_backward([computing] * LAYERS + [0.0], [reduce_s] * LAYERS + [sending(vocabulary * hidden)]))


def hidden_share(*, layers: int, backward_s: float, reduce_s: float) -> float:
    """Add up how long the network was busy while something was computed."""
    spans = play_backward([backward_s] * layers, [reduce_s] * layers)
    end = max(span.ended for span in spans if span.lane == "compute")
    sends = [span for span in spans if span.lane == "network"]
    beside = sum(max(0.0, min(span.ended, end) - span.begun) for span in sends)
    return beside / sum(span.ended - span.begun for span in sends)


def bucketed_tail_seconds(*, buckets: int, backward_s: float, transfer_s: float, latency_s: float) -> float:
    """Play the buckets one by one."""
    computed = network_free = 0.0
    for _ in range(buckets):
        computed += backward_s / buckets
        network_free = max(network_free, computed) + transfer_s / buckets + latency_s
    return network_free - computed


def best_buckets(*, backward_s: float, transfer_s: float, latency_s: float) -> int:
    """Close in from both sides on the number of buckets whose played tail is shortest."""

    def tail(buckets: int) -> float:
        return bucketed_tail_seconds(buckets=buckets, backward_s=backward_s, transfer_s=transfer_s, latency_s=latency_s)

    low, high = 1, 2
    while tail(high) < tail(high // 2):
        high *= 2
    while high - low > 2:
        third = (high - low) // 3
        if tail(low + third) <= tail(high - third):
            high -= third
        else:
            low += third
    return min(range(low, high + 1), key=tail)


def _played_step(compute_s: float, communication_s: float, hidden: float) -> list[Span]:
    beside = Span("network", 0, 0.0, hidden * communication_s)
    after = Span("network", 1, compute_s, compute_s + communication_s - beside.ended)
    return [Span("compute", 0, 0.0, compute_s), beside, after]


def step_seconds(*, compute_s: float, communication_s: float, hidden: float) -> float:
    """The end of the last span of the played step."""
    return max(span.ended for span in _played_step(compute_s, communication_s, hidden))


def effective_mfu(*, mfu_alone: float, compute_s: float, communication_s: float, hidden: float) -> float:
    """FLOP of the computing lane over what the peak would do until the step ends."""
    spans = _played_step(compute_s, communication_s, hidden)
    peak = 1e15
    done = sum((span.ended - span.begun) * mfu_alone * peak for span in spans if span.lane == "compute")
    return done / (peak * max(span.ended for span in spans))


def hidden_behind_mfu(*, mfu_alone: float, mfu_seen: float, compute_s: float, communication_s: float) -> float:
    """Bisect for the hidden share at which the played step has the MFU that was seen."""
    run = {"mfu_alone": mfu_alone, "compute_s": compute_s, "communication_s": communication_s}
    return bisect(lambda hidden: effective_mfu(hidden=hidden, **run) - mfu_seen, -1e3, 1.0)


def comm_compute_ratio(
    *,
    parameters: float,
    bytes_per_gradient: float,
    gpus: int,
    bus_bytes_per_s: float,
    flop_of_all_gpus: float,
    flop_per_s: float,
) -> float:
    """Send the chunks of a played ring one after the other, while a second clock computes."""
    network = 0.0
    for share in play_ring(gpus).busiest_shares:
        network += share * parameters * bytes_per_gradient / bus_bytes_per_s
    computing = sum(flop_of_all_gpus / gpus for _ in range(gpus)) / gpus / flop_per_s  # the mean over the GPUs
    return network / computing


def _keeps_up(
    tokens: float, flop_per_s: float, bytes_per_s: float, sent_per_weight: float, flop_per_weight: float
) -> bool:
    """Return whether a simulated pass, with this much compute and traffic per layer, never waits for the network."""
    computing = flop_per_weight * WEIGHTS * tokens / flop_per_s
    sending = sent_per_weight * WEIGHTS / bytes_per_s
    spans = play_backward([computing] * LAYERS, [sending] * LAYERS)
    ready = {span.what: span.ended for span in spans if span.lane == "compute"}
    return all(span.begun == ready[span.what] for span in spans if span.lane == "network")


def tokens_to_hide_all_reduce(
    *,
    flop_per_s: float,
    bus_bytes_per_s: float,
    gpus: float = math.inf,
    bytes_per_gradient: float = 2,
    total_over_active: float = 1,
) -> float:
    """Bisect for the tokens with which the played network keeps up with the backward pass."""
    share = 2.0 if math.isinf(gpus) else max(play_ring(int(gpus)).sent_shares)
    sent_per_weight = share * bytes_per_gradient * total_over_active
    return bisect(
        lambda tokens: 1 if _keeps_up(tokens, flop_per_s, bus_bytes_per_s, sent_per_weight, 4) else -1, 0.0, 1e9
    )


def most_gpus_that_hide(
    *,
    batch_tokens: float,
    flop_per_s: float,
    bus_bytes_per_s: float,
    bytes_per_gradient: float,
    gpus_per_server: int = 8,
    total_over_active: float = 1,
) -> int:
    """Search for the largest number of nodes whose network keeps up with both simulated passes."""
    gathered, reduced = 2 * total_over_active, bytes_per_gradient * total_over_active

    def hides(servers: int) -> bool:
        tokens = batch_tokens / (servers * gpus_per_server) * (1 + 1e-9)
        return _keeps_up(tokens, flop_per_s, bus_bytes_per_s, gathered, 2) and _keeps_up(
            tokens, flop_per_s, bus_bytes_per_s, gathered + reduced, 4
        )

    return (smallest(lambda servers: not hides(servers), largest=1 << 60) - 1) * gpus_per_server


def estimated_step_seconds(
    *, parameters: float, layers: int, gpus: int, tokens: float, flop_per_s: float, bus_bytes_per_s: float
) -> float:
    """Compute layer by layer forward, then play the backward pass next to a network with the bytes of a played ring."""
    forward = 0.0
    for _ in range(layers):
        forward += 2 * parameters / layers * tokens / flop_per_s
    backward = [2 * 2 * parameters / layers * tokens / flop_per_s] * layers
    sent = max(play_ring(gpus).sent_shares) * 2 * parameters / layers
    return forward + max(span.ended for span in play_backward(backward, [sent / bus_bytes_per_s] * layers))
