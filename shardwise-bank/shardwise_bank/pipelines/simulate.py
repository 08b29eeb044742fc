"""The simulator: every stage runs its line in order, each operation as soon as the stage is free and its inputs have arrived."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shardwise_bank.pipelines.pipeline import FORWARD, Operation, Pipeline, Place, Schedule


@dataclass(frozen=True)
class Span:
    """An operation with its start and end."""

    stage: int
    operation: Operation
    start: int
    end: int


@dataclass(frozen=True)
class Wait:
    """A stage that is blocked for ever: since when, at which operation, and what it waits for."""

    stage: int
    since: int
    operation: Operation
    needs: Place


@dataclass(frozen=True)
class Overflow:
    """A forward that starts when the memory of its stage is already full."""

    stage: int
    operation: Operation
    start: int
    held: int  # including this one
    room: int


@dataclass(frozen=True)
class Run:
    """The result of simulating a schedule."""

    spans: tuple[tuple[Span, ...], ...]  # of each stage
    makespan: int  # end of the last operation that could run
    in_flight: tuple[int, ...]  # peak of micro-batches, or of chunks, held by each stage
    waits: tuple[Wait, ...] = ()  # blocked stages with operations left
    circle: tuple[Wait, ...] = ()  # a deadlock among these, if any, starting with the stage that was blocked first
    overflow: Overflow | None = None  # the earliest one

    @property
    def is_sound(self) -> bool:
        """Whether everything ran within the memory."""
        return not self.circle and self.overflow is None

    def gaps(self, stage: int) -> list[tuple[int, int]]:
        """Return the idle intervals of a stage between 0 and the makespan."""
        edges = [0, *(edge for span in self.spans[stage - 1] for edge in (span.start, span.end)), self.makespan]
        return [(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if end > start]

    def idle(self, stage: int) -> int:
        """Return the number of idle slots of a stage."""
        return sum(end - start for start, end in self.gaps(stage))

    @property
    def total_idle(self) -> int:
        """The idle slots of all stages together."""
        return sum(self.idle(stage) for stage in range(1, len(self.spans) + 1))


def simulate(pipeline: Pipeline, schedule: Schedule, room: Sequence[int | None] = ()) -> Run:
    """Run a schedule that has no operation twice on a stage; `room` is the number of micro-batches that fit on each stage.

    A micro-batch is in flight on a stage from the start of its forward to the end of its last backward operation there:
    B, or W when the backward pass is split. The run time is linear in the number of operations.
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
    """Return the peak that each stage held, and the earliest forward without room."""
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
    """Return the blocked stages with operations left, each with what it waits for."""
    stuck: dict[int, Wait] = {}
    ran = {(span.stage, span.operation) for line in spans for span in line}
    for stage, line in enumerate(schedule, start=1):
        if len(spans[stage - 1]) < len(line):
            operation = line[len(spans[stage - 1])]
            missing = next(need for need in pipeline.needs(stage, operation) if need not in ran)
            stuck[stage] = Wait(stage, clocks[stage - 1], operation, missing)
    return stuck


def _circle(stuck: Mapping[int, Wait]) -> tuple[Wait, ...]:
    """Return a cycle of stages in which each waits for an operation behind the one at which the next is blocked."""
    circles = []
    for stage in stuck:
        path = [stage]
        while (after := stuck[path[-1]].needs[0]) in stuck and after not in path:
            path.append(after)
        if after in path:  # otherwise it waits for an operation that is in no line
            circles.append([stuck[place] for place in path[path.index(after) :]])
    if not circles:
        return ()
    found = min(circles, key=lambda circle: (min(wait.since for wait in circle), len(circle)))
    first = min(found, key=lambda wait: (wait.since, wait.stage))
    turn = found.index(first)
    return tuple(found[turn:] + found[:turn])
