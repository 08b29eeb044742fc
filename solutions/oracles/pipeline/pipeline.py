"""A pipeline step, played: every rank works off its list of operations as soon as what they depend on is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import NamedTuple

from .schedules import Operation, schedule

FORWARD_TICKS, BACKWARD_TICKS = 1, 2  # a backward is two products for each weight, a forward one

Ticks = int | Fraction


class Span(NamedTuple):
    """One operation that was played; there are thousands in a step."""

    rank: int
    kind: str
    chunk: int
    micro_batch: int
    start: Ticks
    end: Ticks


@dataclass(frozen=True)
class Played:
    """A pipeline step that was played: what each rank did when."""

    operations: tuple[Span, ...]

    @property
    def ticks(self) -> Ticks:
        """When the last rank was done."""
        return max(span.end for span in self.operations)

    @property
    def busy_ticks(self) -> Ticks:
        """How long the first rank worked."""
        return self.worked(0)

    @property
    def spans(self) -> tuple[tuple[int, str, int, Ticks, Ticks], ...]:
        """Rank, kind, micro-batch, start and end of every operation."""
        return tuple((span.rank, span.kind, span.micro_batch, span.start, span.end) for span in self.operations)

    @property
    def bubble_ticks(self) -> Ticks:
        """The longest that a rank waits between its own first and last operation."""
        return max(self.occupied(rank) - self.worked(rank) for rank in self._by_rank)

    @cached_property
    def _by_rank(self) -> dict[int, list[Span]]:
        spans: dict[int, list[Span]] = {}
        for span in self.operations:
            spans.setdefault(span.rank, []).append(span)
        return spans

    def of_rank(self, rank: int) -> list[Span]:
        """What one rank did, in its order."""
        return self._by_rank[rank]

    def occupied(self, rank: int) -> Ticks:
        """From a rank's first operation to its last."""
        own = self.of_rank(rank)
        return own[-1].end - own[0].start

    def worked(self, rank: int) -> Ticks:
        """How long a rank worked."""
        return sum(span.end - span.start for span in self.of_rank(rank))

    def peak_held(self, rank: int) -> int:
        """Most chunks of activations that a rank holds: a forward leaves one, its last backward operation frees it."""
        own = self.of_rank(rank)
        freeing = "W" if any(span.kind == "W" for span in own) else "B"
        held = peak = 0
        for span in own:
            held += (span.kind == "F") - (span.kind == freeing)
            peak = max(peak, held)
        return peak

    def messages_sent(self, rank: int, stages: int) -> int:
        """Activations and gradients that a rank sends on to other ranks."""
        last = max(span.chunk for span in self.operations) * stages + stages - 1
        sent = 0
        for span in self.operations:
            position = span.chunk * stages + span.rank
            if span.rank == rank and stages > 1:
                sent += (span.kind == "F" and position < last) + (span.kind == "B" and position > 0)
        return sent


def play_orders(
    orders: Sequence[Sequence[Operation]], ticks: Sequence[Mapping[str, Ticks]], hop_ticks: Ticks = 0
) -> Played:
    """Play any order of operations on each rank; virtual stage c of rank r is place c·p + r of the pipeline.

    `ticks` says for every rank how long a kind of operation takes, `hop_ticks` how long a tensor is under way between
    two ranks. Sending takes no time of the sender.
    """
    stages = len(orders)
    chunks = 1 + max(chunk for order in orders for _, chunk, _ in order)
    last = stages * chunks - 1
    places = [0] * stages
    clocks: list[Ticks] = [0] * stages
    ended: dict[tuple[str, int, int], Ticks] = {}
    spans: list[Span] = []
    moved = True
    while moved:
        moved = False
        for rank, order in enumerate(orders):
            start = clocks[rank]
            for kind, chunk, micro_batch in order[places[rank] :]:
                position = chunk * stages + rank
                need = _need(kind, position, micro_batch, last)
                if need is not None:
                    if need not in ended:
                        break
                    ready = ended[need] + (hop_ticks if need[1] % stages != rank else 0)
                    if ready > start:
                        start = ready
                end = start + ticks[rank][kind]
                ended[kind, position, micro_batch] = end
                spans.append(Span(rank, kind, chunk, micro_batch, start, end))
                start = end
                places[rank] += 1
                moved = True
            clocks[rank] = start
    if any(place < len(order) for place, order in zip(places, orders, strict=True)):
        raise RuntimeError("the schedule deadlocks")
    return Played(tuple(spans))


def _need(kind: str, position: int, micro_batch: int, last: int) -> tuple[str, int, int] | None:
    """What must be done before an operation: (kind, place in the whole pipeline, micro-batch), or nothing."""
    if kind == "F":
        return None if position == 0 else ("F", position - 1, micro_batch)
    if kind == "W":
        return ("B", position, micro_batch)
    return ("F", last, micro_batch) if position == last else ("B", position + 1, micro_batch)


@lru_cache(maxsize=256)
def play(stages: int, micro_batches: int, virtual_stages: int = 1) -> Played:
    """Play one step of 1F1B, interleaved where a rank has virtual stages; stages are equal and sending is free."""
    orders = [schedule(rank, stages, micro_batches, virtual_stages) for rank in range(stages)]
    return play_orders(orders, [{"F": FORWARD_TICKS, "B": BACKWARD_TICKS}] * stages)


# What follows has the names of solutions/pipeline/pipeline.py.


def bubble_overhead(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Play the step: the time the first rank waits over the time it works."""
    step = play(stages, micro_batches, virtual_stages)
    return float((step.ticks - step.busy_ticks) / Fraction(step.busy_ticks))


def bubble_idle_fraction(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Play the step: the time the first rank waits over all of it."""
    step = play(stages, micro_batches, virtual_stages)
    return float((step.ticks - step.busy_ticks) / Fraction(step.ticks))


def step_seconds(*, stages: int, micro_batches: int, micro_batch_seconds: float, virtual_stages: int = 1) -> float:
    """Play the step, and scale it so that a micro-batch takes the given time in all layers of a rank."""
    ticks_of_a_micro_batch = virtual_stages * (FORWARD_TICKS + BACKWARD_TICKS)
    played = play(stages, micro_batches, virtual_stages)
    return float(Fraction(micro_batch_seconds) * Fraction(played.ticks) / ticks_of_a_micro_batch)


def speedup_of_more_replicas(*, stages: int, micro_batches: int, factor: int, virtual_stages: int = 1) -> float:
    """Play the bubble, and lay it next to the work of both batches."""
    wait, work_each = _wait_and_work(stages, virtual_stages)
    fewer, rest = divmod(micro_batches, factor)
    if rest:
        raise ValueError("some replica would get less")
    return (wait + micro_batches * work_each) / (wait + fewer * work_each)


def smallest_micro_batches(
    *, stages: int, target: float, measure: str, virtual_stages: int = 1, strict: bool = False, multiple: int = 1
) -> int:
    """Add micro-batches until the wait, which does not grow, is short next to the work, or next to the step."""
    millionths = round(target * 10**6)
    wait, work_each = _wait_and_work(stages, virtual_stages)
    micro_batches = multiple
    while True:
        whole = micro_batches * work_each + (wait if measure == "idle fraction" else 0)
        if 10**6 * wait < millionths * whole + (0 if strict else 1):
            return micro_batches
        micro_batches += multiple


@lru_cache(maxsize=256)
def _wait_and_work(stages: int, virtual_stages: int) -> tuple[int, int]:
    """Ticks that the first rank waits in a step, and ticks that it works for each micro-batch."""
    step = play(stages, 2 * stages, virtual_stages)
    return int(step.ticks - step.busy_ticks), int(step.busy_ticks) // (2 * stages)


def warm_up_forwards(*, stages: int, stage: int, micro_batches: int) -> int:
    """Play the step, and count a rank's forwards before its first backward; the last of them belongs to the alternation."""
    kinds = [span.kind for span in play(stages, micro_batches).operations if span.rank == stage]
    forwards = kinds.index("B")
    return forwards if forwards == micro_batches < stages - stage else forwards - 1


def in_flight(*, stages: int, stage: int, micro_batches: int) -> int:
    """Play the step, and follow what a rank holds."""
    return play(stages, micro_batches).peak_held(stage)


def in_flight_by_stage(*, stages: int, micro_batches: int) -> tuple[int, ...]:
    """Play the step, and follow what every rank holds."""
    if micro_batches < 1:
        raise ValueError("nothing to play")
    played = play(stages, micro_batches)
    return tuple(played.peak_held(rank) for rank in range(stages))


def interleaved_chunks_in_flight(*, stages: int, stage: int, micro_batches: int, virtual_stages: int) -> int:
    """Play the step, and follow the chunks that a rank holds."""
    return play(stages, micro_batches, virtual_stages).peak_held(stage)


def interleaving_memory_factor(*, stages: int, virtual_stages: int) -> float:
    """Play a long step both ways, and compare what the first rank holds in layers."""
    plain = play(stages, 3 * stages).peak_held(0)
    return play(stages, 3 * stages, virtual_stages).peak_held(0) / virtual_stages / plain
