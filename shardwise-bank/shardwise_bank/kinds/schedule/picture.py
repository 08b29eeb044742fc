"""The timeline of a run: a row per stage, with its operations and what went wrong."""

from __future__ import annotations

from typing import Literal

from shardwise.question import Bar, Timeline, TimelineRow
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, Pipeline
from shardwise_bank.pipelines.simulate import Run

MOST_BARS, MOST_SLOTS = 800, 600  # of a chart that is still readable
Look = Literal["blue", "orange", "green", "wrong"]


def timeline(pipeline: Pipeline, run: Run, mark: int | None) -> Timeline | None:
    """Return the run as a timeline; None when it is too large to read."""
    if sum(map(len, run.spans)) > MOST_BARS or run.makespan > MOST_SLOTS:
        return None
    rows = [_row(pipeline, run, stage) for stage in range(1, pipeline.stages + 1)]
    end = max([run.makespan, *(bar.end for row in rows for bar in row.bars)])
    return Timeline(about=_about(rows), rows=tuple(rows), end=end, mark=mark if run.is_sound else None)


def _row(pipeline: Pipeline, run: Run, stage: int) -> TimelineRow:
    over = run.overflow
    bars = []
    for span in run.spans[stage - 1]:
        look: Look = {FORWARD: "blue", BACKWARD: "orange"}.get(span.operation.letter, "green")  # type: ignore[assignment]
        if over is not None and (over.stage, over.operation) == (stage, span.operation):
            look = "wrong"
        bars.append(Bar(start=span.start, end=span.end, label=pipeline.written(span.operation), look=look))
    for wait in run.circle:
        if wait.stage == stage:
            label = f"{pipeline.written(wait.operation)}?"
            end = wait.since + pipeline.slots(stage, wait.operation.letter)
            bars.append(Bar(start=wait.since, end=end, label=label, look="wrong"))
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
