"""A schedule while it is being built: what runs when so far, what each stage waits for, and what it can be given next."""

from __future__ import annotations

from typing import Any

from shardwise.errors import Unreadable
from shardwise.markdown.timeline import as_svg
from shardwise_bank.kinds.schedule.explain import counted_in_words
from shardwise_bank.kinds.schedule.model import ScheduleForm
from shardwise_bank.kinds.schedule.picture import timeline
from shardwise_bank.kinds.schedule.reading import read_so_far, sentences
from shardwise_bank.kinds.schedule.texts import last_slot
from shardwise_bank.pipelines.pipeline import Pipeline, Schedule
from shardwise_bank.pipelines.simulate import Run, Wait, simulate


def schedule_so_far(form: ScheduleForm, raw: Any) -> dict[str, Any]:
    """What the form shows of a schedule that may not be complete: the simulator's times, and no verdict."""
    pipeline = form.pipeline
    try:
        schedule, faults = read_so_far(pipeline, raw)
    except Unreadable as error:
        return {"why": str(error)}
    run = simulate(pipeline, schedule, form.room)
    drawn = timeline(pipeline, run, last_slot(form))
    return {
        "read": _measured(form, schedule, run),
        "why": sentences(faults),
        "rows": [_row(form, schedule, run, stage) for stage in range(1, pipeline.stages + 1)],
        "picture": as_svg(drawn) if drawn else "",
    }


def _measured(form: ScheduleForm, schedule: Schedule, run: Run) -> str:
    """What the operations that run come to, in a sentence."""
    placed, every = sum(map(len, schedule)), form.stages * len(form.pipeline.operations())
    told = f"{placed} of {every} operations placed"
    if not run.makespan:
        return f"{told}."
    return (
        f"{told}: {counted_in_words(run.makespan, 'slot')}, of which the stages are idle in {run.total_idle} together."
    )


def _row(form: ScheduleForm, schedule: Schedule, run: Run, stage: int) -> dict[str, Any]:
    """A stage: its line, what stands in it and does not run yet, and the most that it held."""
    pipeline, line, ran = form.pipeline, schedule[stage - 1], len(run.spans[stage - 1])
    wait = next((wait for wait in run.waits if wait.stage == stage), None)
    peak, room = run.in_flight[stage - 1], form.room[stage - 1]
    limit = "" if room is None else f", room for {room}"
    return {
        "label": f"stage {stage}",
        "line": [pipeline.written(operation) for operation in line],
        "waiting": [pipeline.written(operation) for operation in line[ran:]],
        "why": _why(pipeline, schedule, wait) if wait else "",
        "held": f"up to {peak} in flight{limit}" if peak else "",
        "is_over": room is not None and peak > room,
    }


def _why(pipeline: Pipeline, schedule: Schedule, wait: Wait) -> str:
    """What a stage that stands still waits for, short enough for one line of the form."""
    stage, need = wait.needs
    where = "its own" if stage == wait.stage else f"stage {stage}'s"
    behind = "placed behind it" if stage == wait.stage else "which waits too"
    told = behind if need in schedule[stage - 1] else "not placed yet"
    return f"{pipeline.written(wait.operation)} waits for {where} {pipeline.written(need)}, {told}"
