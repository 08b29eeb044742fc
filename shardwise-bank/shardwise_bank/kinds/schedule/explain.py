"""Explanations of a simulated schedule: the first violation, the missed targets, and where stages are idle."""

from __future__ import annotations

from collections.abc import Iterator

from shardwise_bank.kinds.schedule.model import ScheduleForm
from shardwise_bank.pipelines.pipeline import Pipeline
from shardwise_bank.pipelines.simulate import Overflow, Run, Wait, held

MOST_GAPS = 4  # listed per stage


def counted_in_words(number: int, what: str) -> str:
    """Return a number of things: 1 slot, 2 slots, 2 micro-batches."""
    return f"{number} {what}{'' if number == 1 else 'es' if what.endswith('batch') else 's'}"


def counted_unit(form: ScheduleForm) -> str:
    """Return the unit of what is in flight."""
    return "chunk" if form.chunks > 1 else "micro-batch"


def violation(form: ScheduleForm, run: Run) -> str:
    """Return the first violation; nothing when everything ran within the memory."""
    since = min((wait.since for wait in run.circle), default=0)
    if run.overflow is not None and not (run.circle and since < run.overflow.start):
        return overflow(form, run.overflow)
    return deadlock(form.pipeline, run.circle) if run.circle else ""


def overflow(form: ScheduleForm, over: Overflow) -> str:
    """Explain where and when memory ran out."""
    return (
        f"Stage {over.stage} runs out of memory at time {over.start}: `{form.pipeline.written(over.operation)}` makes "
        f"{counted_in_words(over.held, counted_unit(form))} in flight there, but there is room for {over.room}."
    )


def deadlock(pipeline: Pipeline, circle: tuple[Wait, ...]) -> str:
    """Explain a deadlock: each stage with the operation that it waits for."""
    first = circle[0]
    early = f"`{pipeline.written(first.operation)}`"
    if len(circle) == 1:
        need = f"`{pipeline.written(first.needs[1])}`"
        return f"Stage {first.stage} runs {early} before its own {need}, but {early} needs the result of {need}."
    steps = "; ".join(
        f"stage {wait.stage} cannot run `{pipeline.written(wait.operation)}` until stage {wait.needs[0]} has run "
        f"`{pipeline.written(wait.needs[1])}`"
        + (
            f", which comes after `{pipeline.written(after.operation)}` in its line"
            if after.operation != wait.needs[1]
            else ""
        )
        for wait, after in zip(circle, [*circle[1:], first], strict=True)
    )
    return f"Deadlock: {steps}."


def misses(form: ScheduleForm, run: Run) -> Iterator[str]:
    """Yield the targets that a schedule misses."""
    if form.most_slots is not None and run.makespan > form.most_slots:
        yield f"The schedule takes {counted_in_words(run.makespan, 'slot')}; the target is at most {form.most_slots}."
    if form.most_idle is not None and run.total_idle > form.most_idle:
        yield f"All stages together are idle for {counted_in_words(run.total_idle, 'slot')}; the target is at most {form.most_idle}."
    if over := over_target(form, run):
        yield too_many(form, over)


def over_target(form: ScheduleForm, run: Run) -> Overflow | None:
    """Return the first forward that makes more in flight on its stage than the target allows."""
    return held(form.pipeline, run.spans, form.most_in_flight)[1]


def too_many(form: ScheduleForm, over: Overflow) -> str:
    """Explain which operation exceeds the target of what is in flight."""
    return (
        f"Stage {over.stage} has {counted_in_words(over.held, counted_unit(form))} in flight from time {over.start}, when "
        f"`{form.pipeline.written(over.operation)}` starts there; the target is at most {over.room}."
    )


def idle(form: ScheduleForm, run: Run) -> str:
    """List when each stage is idle, if a target for the slots or the idle slots is missed; otherwise nothing."""
    is_slow = form.most_slots is not None and run.makespan > form.most_slots
    if not run.is_sound or not (is_slow or (form.most_idle is not None and run.total_idle > form.most_idle)):
        return ""
    stages = [stage for stage in range(1, len(run.spans) + 1) if run.gaps(stage)]
    parts_of_stages = []
    for stage in stages[:8]:
        gaps = run.gaps(stage)
        parts = [f"{start}–{end}" for start, end in gaps[:MOST_GAPS]]
        more = f" and {len(gaps) - MOST_GAPS} more" if len(gaps) > MOST_GAPS else ""
        parts_of_stages.append(f"stage {stage} at {', '.join(parts)}{more}")
    return f"Idle: {'; '.join(parts_of_stages)}." if parts_of_stages else ""


def measured(run: Run) -> str:
    """Summarise the measures of a schedule."""
    peaks = ", ".join(map(str, run.in_flight[:8])) + (", ..." if len(run.in_flight) > 8 else "")
    return (
        f"It takes {counted_in_words(run.makespan, 'slot')}, with {counted_in_words(run.total_idle, 'idle slot')} in total. "
        f"Most in flight, by stage: {peaks}."
    )
