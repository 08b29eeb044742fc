"""The timeline of a run: a row per stage, with its operations and what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from shardwise.question import Bar, Timeline, TimelineRow
from shardwise_bank.kinds.schedule import explain
from shardwise_bank.kinds.schedule.model import ScheduleForm
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, WEIGHT, Operation
from shardwise_bank.pipelines.simulate import Run

MOST_BARS, MOST_SLOTS = 800, 600  # of a chart that is still readable
Look = Literal["blue", "orange", "green", "wrong"]
LOOKS: dict[str, Look] = {FORWARD: "blue", BACKWARD: "orange", WEIGHT: "green"}


def timeline(form: ScheduleForm, run: Run, mark: int | None) -> Timeline | None:
    """Return the run as a timeline; None when it is too large to read."""
    if sum(map(len, run.spans)) > MOST_BARS or run.makespan > MOST_SLOTS:
        return None
    wrong = _violations(form, run)
    rows = [_row(form, run, stage, wrong) for stage in range(1, form.stages + 1)]
    end = max([run.makespan, *(bar.end for row in rows for bar in row.bars)])
    about = " ".join([f"{_about(rows)}.", *dict.fromkeys(wrong.values())])
    idle = explain.idle(form, run)
    return Timeline(about=about, rows=tuple(rows), end=end, mark=mark if run.is_sound else None, idle=idle)


def _violations(form: ScheduleForm, run: Run) -> dict[tuple[int, Operation], str]:
    """Return what is wrong with an operation of a stage, in plain text, for each that breaks a rule or a target."""
    found = {(wait.stage, wait.operation): explain.deadlock(form.pipeline, run.circle) for wait in run.circle}
    if run.overflow is not None:
        found[run.overflow.stage, run.overflow.operation] = explain.overflow(form, run.overflow)
    elif over := explain.over_target(form, run):
        found[over.stage, over.operation] = explain.too_many(form, over)
    return {place: why.replace("`", "") for place, why in found.items()}


def _row(form: ScheduleForm, run: Run, stage: int, wrong: Mapping[tuple[int, Operation], str]) -> TimelineRow:
    pipeline, bars = form.pipeline, []
    for span in run.spans[stage - 1]:
        why = wrong.get((stage, span.operation), "")
        look = "wrong" if why else LOOKS[span.operation.letter]
        bars.append(Bar(start=span.start, end=span.end, label=pipeline.written(span.operation), look=look, why=why))
    for wait in run.circle:
        if wait.stage == stage:
            label = f"{pipeline.written(wait.operation)}?"
            end = wait.since + pipeline.slots(stage, wait.operation.letter)
            why = wrong[stage, wait.operation]
            bars.append(Bar(start=wait.since, end=end, label=label, look="wrong", why=why))
    return TimelineRow(label=f"stage {stage}", bars=tuple(bars))


def _about(rows: list[TimelineRow]) -> str:
    """Describe the timeline stage by stage: F1, F2, 3 idle, B1."""
    stages = []
    for row in rows:
        parts, time = [], 0
        for bar in row.bars:
            parts += [f"{bar.start - time} idle"] if bar.start > time else []
            parts.append(bar.label)
            time = bar.end
        stages.append(f"{row.label}: {', '.join(parts) or 'nothing'}")
    return "; ".join(stages)
