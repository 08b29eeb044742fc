"""A schedule while a student builds it: what runs when so far, what each stage waits for, and what can come next."""

from __future__ import annotations

from typing import Any

from shardwise.errors import Unreadable
from shardwise.markdown.timeline import as_svg
from shardwise_bank.kinds.schedule.explain import counted_in_words
from shardwise_bank.kinds.schedule.model import ScheduleForm
from shardwise_bank.kinds.schedule.picture import timeline
from shardwise_bank.kinds.schedule.reading import fault_sentences, read_so_far
from shardwise_bank.kinds.schedule.texts import last_slot
from shardwise_bank.pipelines.pipeline import Pipeline, Schedule
from shardwise_bank.pipelines.simulate import Run, Wait, simulate


def schedule_so_far(form: ScheduleForm, raw: Any) -> dict[str, Any]:
    """Return what the form shows of a possibly incomplete schedule: simulated times, but no verdict."""
    pipeline = form.pipeline
    try:
        schedule, faults = read_so_far(pipeline, raw)
    except Unreadable as error:
        return {"why": str(error)}
    run = simulate(pipeline, schedule, form.room)
    drawn = timeline(form, run, last_slot(form))
    return {
        "read": _measured(form, schedule, run),
        "why": fault_sentences(faults),
        "rows": [_row(form, schedule, run, stage) for stage in range(1, pipeline.stages + 1)],
        "picture": as_svg(drawn) if drawn else "",
    }


def _measured(form: ScheduleForm, schedule: Schedule, run: Run) -> str:
    """Summarise the operations that run so far."""
    placed, every = sum(map(len, schedule)), form.stages * len(form.pipeline.operations())
    count = f"{placed} of {every} operations placed"
    if not run.makespan:
        return f"{count}."
    return (
        f"{count}: {counted_in_words(run.makespan, 'slot')}, {counted_in_words(run.total_idle, 'idle slot')} in total."
    )


def _row(form: ScheduleForm, schedule: Schedule, run: Run, stage: int) -> dict[str, Any]:
    """Return a stage: its line, the operations that do not run yet, and its peak in flight."""
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
    """Explain what a blocked stage waits for, short enough for one line of the form."""
    stage, need = wait.needs
    where = "its own" if stage == wait.stage else f"stage {stage}'s"
    later = "which comes after it" if stage == wait.stage else "which is also waiting"
    why = later if need in schedule[stage - 1] else "not placed yet"
    return f"{pipeline.written(wait.operation)} waits for {where} {pipeline.written(need)}, {why}"
