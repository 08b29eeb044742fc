"""Solving a draw: the pipeline and its target from the template's expressions, and the schedules that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Reject, ShardwiseError, Unreadable
from shardwise.template.draw import Draw
from shardwise.template.expressions import with_values
from shardwise_bank.kinds.schedule.explain import misses
from shardwise_bank.kinds.schedule.model import EachStage, Limited, ScheduleForm, ScheduleTemplate
from shardwise_bank.kinds.schedule.reading import read_schedule
from shardwise_bank.kinds.schedule.search import shortest
from shardwise_bank.pipelines.named import NAMED, NAMES, PLACED, SPLIT, greedy, limited
from shardwise_bank.pipelines.pipeline import MOST_CHUNKS, MOST_MICRO_BATCHES, MOST_STAGES, Pipeline, Schedule
from shardwise_bank.pipelines.simulate import Run, simulate

MOST_SLOTS = 1000  # duration of an operation


@dataclass(frozen=True)
class Solved:
    """A pipeline and its target, a schedule that should meet it, and schedules that miss it."""

    form: ScheduleForm
    solution: Schedule
    mistakes: tuple[Schedule, ...]


def run_of(form: ScheduleForm, schedule: Schedule) -> Run:
    """Simulate a schedule in a question's pipeline and memory."""
    return simulate(form.pipeline, schedule, form.room)


def meets(form: ScheduleForm, run: Run) -> bool:
    """Return whether everything ran and every target is met."""
    return run.is_sound and not any(misses(form, run))


def schedule_pattern(schedule: Schedule) -> tuple[str, ...]:
    """Return a schedule without its micro-batches: the letters and chunks of each line."""
    return tuple("".join(f"{step.letter}{step.chunk if step.chunk > 1 else ''}" for step in line) for line in schedule)


def solve(template: ScheduleTemplate, draw: Draw) -> Solved:
    """Return the pipeline, target and schedules of a draw. Raises Reject when two mistakes are indistinguishable."""
    form = _form(template, draw)
    solution = _schedule(template.answer.solution, form, draw)
    mistakes = tuple(_schedule(mistake.schedule, form, draw) for mistake in template.mistakes)
    for number, schedule in enumerate(mistakes, start=1):
        if meets(form, run_of(form, schedule)):
            raise Reject(f"mistake {number} meets the target")
    if len({schedule_pattern(schedule) for schedule in mistakes}) < len(mistakes):
        raise Reject("two mistakes are the same schedule")
    return Solved(form, solution, mistakes)


def _form(template: ScheduleTemplate, draw: Draw) -> ScheduleForm:
    answer, target = template.answer, template.answer.target
    stages = _whole(draw.evaluate(answer.stages), "answer.stages", 2, MOST_STAGES)
    pipeline = Pipeline(
        stages=stages,
        micro_batches=_whole(draw.evaluate(answer.micro_batches), "answer.micro_batches", 1, MOST_MICRO_BATCHES),
        chunks=_whole(draw.evaluate(answer.chunks), "answer.chunks", 1, MOST_CHUNKS)
        if answer.placement == "loop"
        else 2,
        placement=answer.placement,
        forward=_each(draw, answer.forward, "answer.forward", stages),
        backward=_each(draw, answer.backward, "answer.backward", stages),
        weight=() if answer.weight is None else _each(draw, answer.weight, "answer.weight", stages),
        hop=_whole(draw.evaluate(answer.hop), "answer.hop", 0, MOST_SLOTS),
    )
    no_bounds: tuple[int | None, ...] = (None,) * stages
    room = no_bounds if answer.memory is None else _each(draw, answer.memory, "answer.memory", stages, is_bound=True)
    known = _measures(pipeline, room)
    held = target.in_flight

    def bound(written: str | int | float | None, name: str) -> int | None:
        return None if written is None else _whole(draw.evaluate(written, **known), name, 0, 10**9)

    return ScheduleForm(
        stages=pipeline.stages,
        micro_batches=pipeline.micro_batches,
        chunks=pipeline.chunks,
        placement=pipeline.placement,
        forward=pipeline.forward,
        backward=pipeline.backward,
        weight=pipeline.weight,
        hop=pipeline.hop,
        room=room,
        most_slots=bound(target.makespan, "answer.target.makespan"),
        most_idle=bound(target.idle, "answer.target.idle"),
        most_in_flight=no_bounds
        if held is None
        else _each(draw, held, "answer.target.in_flight", stages, is_bound=True, **known),
    )


def schedule_named(name: str, pipeline: Pipeline, room: tuple[int | None, ...]) -> Schedule:
    """Return the schedule with a name. Raises ShardwiseError when there is none, or none that fits into the memory."""
    if name not in NAMES:
        raise ShardwiseError(f"unknown schedule {name!r}; choose from {', '.join(NAMES)}")
    if name in SPLIT and not pipeline.weight:
        raise ShardwiseError(
            f"{name} splits the backward pass; write the duration of the weight gradient under `weight`"
        )
    if name in NAMED and name != "serial" and PLACED.get(name, "loop") != pipeline.placement:
        raise ShardwiseError(f"{name} needs `placement: {PLACED.get(name, 'loop')}`, not {pipeline.placement}")
    if name == "shortest":
        return shortest(pipeline, room)
    return greedy(pipeline, room) if name == "greedy" else NAMED[name](pipeline)


def _measures(pipeline: Pipeline, room: tuple[int | None, ...]) -> dict[str, Any]:
    """Return the functions that a target may call: makespan("1f1b"), idle("zb-h1"), in_flight("1f1b", 2)."""

    def run(name: str) -> Run:
        return simulate(pipeline, schedule_named(name, pipeline, room))

    return {
        "makespan": lambda name: run(name).makespan,
        "idle": lambda name: run(name).total_idle,
        "in_flight": lambda name, stage=1: run(name).in_flight[stage - 1],
    }


def _schedule(written: str | Limited, form: ScheduleForm, draw: Draw) -> Schedule:
    """Return a schedule that a template names or writes out."""
    pipeline = form.pipeline
    if isinstance(written, Limited):
        return limited(pipeline, _whole(draw.evaluate(written.in_flight), "in_flight", 1, MOST_MICRO_BATCHES))
    if written.strip() in NAMES:
        return schedule_named(written.strip(), pipeline, form.room)
    try:
        reading = read_schedule(pipeline, with_values(written, draw.printed))
    except Unreadable as error:
        raise ShardwiseError(f"cannot read a schedule of the template: {error}") from None
    if reading is None:
        raise ShardwiseError("a schedule of the template is empty")
    return reading.schedule


def _each(
    draw: Draw, written: EachStage, name: str, stages: int, *, is_bound: bool = False, **known: Any
) -> tuple[Any, ...]:
    """Return a number per stage: from one expression for all, from one that returns a list, or from one each."""
    values = (
        [draw.evaluate(part, **known) for part in written]
        if isinstance(written, tuple)
        else draw.evaluate(written, **known)
    )
    if not isinstance(values, Sequence) or isinstance(values, str):
        values = [values] * stages
    if len(values) != stages:
        raise ShardwiseError(f"{name} has {len(values)} numbers, but there are {stages} stages")
    least, most = (1, MOST_MICRO_BATCHES * MOST_CHUNKS) if is_bound else (1, MOST_SLOTS)
    return tuple(None if is_bound and value in (None, "none") else _whole(value, name, least, most) for value in values)


def _whole(value: Any, name: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value % 1 != 0:  # infinity % 1 is NaN
        raise ShardwiseError(f"{name} must be a whole number, not {value!r:.40}")
    if not least <= value <= most:
        raise ShardwiseError(f"{name} must be from {least} to {most}, not {value}")
    return int(value)
