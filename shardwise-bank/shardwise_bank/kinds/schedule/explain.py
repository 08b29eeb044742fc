"""What to say to a schedule that was run: the first thing that went wrong, what it misses, and where stages are idle."""

from __future__ import annotations

from collections.abc import Iterator

from shardwise_bank.kinds.schedule.model import ScheduleForm
from shardwise_bank.pipelines.pipeline import Pipeline
from shardwise_bank.pipelines.simulate import Overflow, Run, Wait, held

MOST_GAPS = 4  # of a stage that are listed


def counted_in_words(number: int, what: str) -> str:
    """A number of things: 1 slot, 2 slots, 2 micro-batches."""
    return f"{number} {what}{'' if number == 1 else 'es' if what.endswith('batch') else 's'}"


def counted_unit(form: ScheduleForm) -> str:
    """What is counted in flight."""
    return "chunk" if form.chunks > 1 else "micro-batch"


def violation(form: ScheduleForm, run: Run) -> str:
    """The first thing that cannot be; nothing where everything was run within the memory."""
    since = min((wait.since for wait in run.circle), default=0)
    if run.overflow is not None and not (run.circle and since < run.overflow.start):
        return _overflow(form, run.overflow)
    return _circle(form.pipeline, run.circle) if run.circle else ""


def _overflow(form: ScheduleForm, over: Overflow) -> str:
    """Where memory ran out, and when."""
    return (
        f"Stage {over.stage} runs out of memory at time {over.start}: `{form.pipeline.written(over.operation)}` is "
        f"{_ordinal(over.held)} in flight there, and there is room for {over.room}."
    )


def _ordinal(number: int) -> str:
    return f"the {number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number, 'th') }"


def _circle(pipeline: Pipeline, circle: tuple[Wait, ...]) -> str:
    """Stages that wait for each other for ever, each with what it waits for."""
    first = circle[0]
    told = f"`{pipeline.written(first.operation)}`"
    if len(circle) == 1:
        need = f"`{pipeline.written(first.needs[1])}`"
        return f"Stage {first.stage} runs {told} before its own {need}, and {told} needs what {need} leaves there."
    steps = "; ".join(
        f"stage {wait.stage} waits with `{pipeline.written(wait.operation)}` until stage {wait.needs[0]} has run "
        f"`{pipeline.written(wait.needs[1])}`"
        + (
            f", which comes after `{pipeline.written(after.operation)}` in its line"
            if after.operation != wait.needs[1]
            else ""
        )
        for wait, after in zip(circle, [*circle[1:], first], strict=True)
    )
    return f"These stages wait for each other for ever: {steps}."


def misses(form: ScheduleForm, run: Run) -> Iterator[str]:
    """What the target asks for, and this schedule does not reach."""
    if form.most_slots is not None and run.makespan > form.most_slots:
        yield f"It is done after {counted_in_words(run.makespan, 'slot')}; the target is at most {form.most_slots}. {idle(run)}"
    if form.most_idle is not None and run.total_idle > form.most_idle:
        where = idle(run) if form.most_slots is None else ""
        told = f"The stages are idle in {counted_in_words(run.total_idle, 'slot')} together; the target is at most {form.most_idle}."
        yield f"{told} {where}".strip()
    over = held(form.pipeline, run.spans, form.most_in_flight)[1]
    if over is not None:
        yield (
            f"Stage {over.stage} has {counted_in_words(over.held, counted_unit(form))} in flight from time {over.start}, when "
            f"`{form.pipeline.written(over.operation)}` starts there; the target is at most {over.room}."
        )


def idle(run: Run) -> str:
    """Where each stage is idle, from the one that is idle most."""
    stages = [stage for stage in range(1, len(run.spans) + 1) if run.gaps(stage)]
    told = []
    for stage in stages[:8]:
        gaps = run.gaps(stage)
        parts = [f"{start}–{end}" for start, end in gaps[:MOST_GAPS]]
        more = f" and {len(gaps) - MOST_GAPS} more" if len(gaps) > MOST_GAPS else ""
        told.append(f"stage {stage} at {', '.join(parts)}{more}")
    return f"Idle: {'; '.join(told)}." if told else ""


def measured(run: Run) -> str:
    """What a schedule reaches, in a sentence."""
    peaks = ", ".join(map(str, run.in_flight[:8])) + (", ..." if len(run.in_flight) > 8 else "")
    return (
        f"Done after {counted_in_words(run.makespan, 'slot')}, with {counted_in_words(run.total_idle, 'idle slot')} in all; "
        f"at most {peaks} in flight on the stages."
    )
