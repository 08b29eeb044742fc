"""The simulator: every stage works off its line, each operation as soon as the stage is free and what it needs is there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shardwise_bank.pipelines.pipeline import FORWARD, Operation, Pipeline, Place, Schedule


@dataclass(frozen=True)
class Span:
    """An operation that was run, and when."""

    stage: int
    operation: Operation
    start: int
    end: int


@dataclass(frozen=True)
class Wait:
    """A stage that stands still for ever: since when, with which operation, and what it waits for."""

    stage: int
    since: int
    operation: Operation
    needs: Place


@dataclass(frozen=True)
class Overflow:
    """A forward that starts while a stage holds as many micro-batches as it has room for."""

    stage: int
    operation: Operation
    start: int
    held: int  # with this one
    room: int


@dataclass(frozen=True)
class Run:
    """What became of a schedule."""

    spans: tuple[tuple[Span, ...], ...]  # of each stage
    makespan: int  # when the last operation that could be run has ended
    in_flight: tuple[int, ...]  # the most micro-batches, or chunks of them, that each stage held at once
    waits: tuple[Wait, ...] = ()  # stages that stand still with operations left
    circle: tuple[
        Wait, ...
    ] = ()  # of these stages that wait for each other, if any do; the first is the first that stood still
    overflow: Overflow | None = None  # the earliest one

    @property
    def is_sound(self) -> bool:
        """Whether everything was run, and nothing beyond the memory."""
        return not self.circle and self.overflow is None

    def gaps(self, stage: int) -> list[tuple[int, int]]:
        """When a stage was idle between 0 and the makespan: from and until."""
        edges = [0, *(edge for span in self.spans[stage - 1] for edge in (span.start, span.end)), self.makespan]
        return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]

    def idle(self, stage: int) -> int:
        """In how many slots a stage was idle."""
        return sum(end - start for start, end in self.gaps(stage))

    @property
    def total_idle(self) -> int:
        """The idle slots of all stages together."""
        return sum(self.idle(stage) for stage in range(1, len(self.spans) + 1))


def simulate(pipeline: Pipeline, schedule: Schedule, room: Sequence[int | None] = ()) -> Run:
    """Run a schedule that has no operation twice on a stage; `room` is how many micro-batches each stage may hold.

    A micro-batch is in flight on a stage from the start of its forward to the end of its last backward operation there:
    B, or W where the backward is split. The time that this takes grows with the number of operations and no faster.
    """
    ended: dict[Place, int] = {}
    waiting: defaultdict[Place, list[int]] = defaultdict(list)
    spans: list[list[Span]] = [[] for _ in schedule]
    clocks = [0] * pipeline.stages
    ready = list(range(pipeline.stages, 0, -1))
    while ready:
        stage = ready.pop()
        line, done = schedule[stage - 1], spans[stage - 1]
        while len(done) < len(line):
            operation = line[len(done)]
            needs = pipeline.needs(stage, operation)
            missing = next((need for need in needs if need not in ended), None)
            if missing is not None:
                waiting[missing].append(stage)
                break
            arrived = [ended[need] + (pipeline.hop if need[0] != stage else 0) for need in needs]
            start = max(clocks[stage - 1], *arrived, 0)
            clocks[stage - 1] = end = start + pipeline.slots(stage, operation.letter)
            done.append(Span(stage, operation, start, end))
            ended[stage, operation] = end
            ready += waiting.pop((stage, operation), [])
    peaks, overflow = held(pipeline, spans, room)
    waits = _waits(pipeline, schedule, spans, clocks)
    return Run(
        spans=tuple(map(tuple, spans)),
        makespan=max(clocks),
        in_flight=peaks,
        waits=tuple(waits.values()),
        circle=_circle(waits),
        overflow=overflow,
    )


def held(
    pipeline: Pipeline, spans: Sequence[Sequence[Span]], room: Sequence[int | None]
) -> tuple[tuple[int, ...], Overflow | None]:
    """The most that each stage held, and the earliest forward that had no room."""
    peaks = []
    over = []
    for stage, line in enumerate(spans, start=1):
        held = peak = 0
        most = room[stage - 1] if room else None
        for span in line:
            if span.operation.letter == FORWARD:
                held += 1
                if most is not None and held > most and held > peak:
                    over.append(Overflow(stage, span.operation, span.start, held, most))
                peak = max(peak, held)
            elif span.operation.letter == pipeline.last_letter:
                held -= 1
        peaks.append(peak)
    return tuple(peaks), min(over, key=lambda breach: (breach.start, breach.stage), default=None)


def _waits(
    pipeline: Pipeline, schedule: Schedule, spans: Sequence[Sequence[Span]], clocks: Sequence[int]
) -> dict[int, Wait]:
    """The stages that stand still with operations left, each with what it waits for."""
    stuck: dict[int, Wait] = {}
    ran = {(span.stage, span.operation) for line in spans for span in line}
    for stage, line in enumerate(schedule, start=1):
        if len(spans[stage - 1]) < len(line):
            operation = line[len(spans[stage - 1])]
            missing = next(need for need in pipeline.needs(stage, operation) if need not in ran)
            stuck[stage] = Wait(stage, clocks[stage - 1], operation, missing)
    return stuck


def _circle(stuck: Mapping[int, Wait]) -> tuple[Wait, ...]:
    """Stages of which each waits for an operation that stands behind the one at which the next of them waits."""
    circles = []
    for stage in stuck:
        path = [stage]
        while (after := stuck[path[-1]].needs[0]) in stuck and after not in path:
            path.append(after)
        if after in path:  # else it waits for what is in no line
            circles.append([stuck[place] for place in path[path.index(after) :]])
    if not circles:
        return ()
    found = min(circles, key=lambda circle: (min(wait.since for wait in circle), len(circle)))
    first = min(found, key=lambda wait: (wait.since, wait.stage))
    turn = found.index(first)
    return tuple(found[turn:] + found[:turn])
