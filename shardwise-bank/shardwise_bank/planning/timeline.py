"""The timeline of a plan's pipeline as plain data, from the schedule simulator."""

from __future__ import annotations

from functools import lru_cache

from shardwise_bank.pipelines.named import NAMED, PLACED, SPLIT
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, WEIGHT, Pipeline
from shardwise_bank.pipelines.simulate import Run, simulate
from shardwise_bank.planning.charts import Drawing
from shardwise_bank.solutions.planner.judging import Layout, Plan
from shardwise_bank.solutions.planner.stages import micro_batches
from shardwise_bank.solutions.planner.time import stage_seconds

MOST_DRAWN = 2048  # operations
COLOURS = {FORWARD: ("forward", "blue"), BACKWARD: ("backward", "orange"), WEIGHT: ("weight gradient", "green")}


def pipeline_bars(plan: Plan) -> Drawing | str:
    """Return the timeline of each stage from the schedule simulator, or a sentence when there is nothing to draw.

    When there are many micro-batches, only the first few are drawn.
    """
    layout = plan.layout
    if layout.pp == 1:
        return "No pipeline: PP is 1."
    name = "interleaved" if layout.virtual_stages > 1 else layout.schedule
    if name not in NAMED:
        return f"Cannot draw {layout.schedule_name}, because the simulator does not support it. Its bubble and memory follow its authors' formulas."
    whole = micro_batches(layout, plan.batch)
    count = _drawn(layout, whole)
    if not count or (name in PLACED and count < 2 * layout.pp):
        chunks = f" with {layout.virtual_stages} virtual stages each" if layout.virtual_stages > 1 else ""
        return f"{layout.pp} stages{chunks} are too many to draw."
    stages = stage_seconds(plan.model, plan.cluster, layout.local, plan.batch)
    run = _simulated(
        name, count, _chunks(layout), tuple((_slots(stage.forward, layout), _slots(stage.backward, layout)) for stage in stages)
    )  # fmt: skip
    few = f"{count} of {whole:,}" if count < whole else f"{whole}"
    return {
        "title": f"Timeline of {layout.pp} stages for {few} micro-batches, {layout.schedule_name}",
        "rows": [f"stage {stage + 1}" for stage in range(layout.pp)],
        "axis": {"label": "ms", "low": 0, "high": run.makespan / 1e3},
        "kinds": {letter: {"name": name, "colour": colour} for letter, (name, colour) in COLOURS.items()},
        "spans": [
            {
                "row": place,
                "kind": span.operation.letter,
                "from": span.start / 1e3,
                "to": span.end / 1e3,
                "text": str(span.operation.micro_batch),
            }
            for place, line in enumerate(run.spans)
            for span in line
        ],
    }


def _drawn(layout: Layout, whole: int) -> int:
    """Return how many micro-batches to draw: enough to fill the pipeline and a little more, as far as there is room, or none."""
    group: int = layout.pp if layout.virtual_stages > 1 else 1
    most = MOST_DRAWN // (layout.pp * _chunks(layout) * (3 if layout.schedule in SPLIT else 2))
    count: int = min(whole, 2 * layout.pp, most)
    return count - count % group


def _chunks(layout: Layout) -> int:
    """Return the number of pieces of the model on a GPU."""
    return 2 if layout.schedule in PLACED else layout.virtual_stages


def _slots(seconds: float, layout: Layout) -> int:
    """Convert the seconds of a stage to microseconds of one of its chunks."""
    pieces = 2 if PLACED.get(layout.schedule) == "v" else layout.virtual_stages
    chunk_us: float = seconds * 1e6 / pieces
    return max(1, round(chunk_us))


@lru_cache(maxsize=64)
def _simulated(name: str, count: int, chunks: int, slots: tuple[tuple[int, int], ...]) -> Run:
    is_split = name in SPLIT
    pipeline = Pipeline(
        stages=len(slots),
        micro_batches=count,
        forward=tuple(forward for forward, _ in slots),
        backward=tuple(max(1, backward // 2) if is_split else backward for _, backward in slots),
        weight=tuple(max(1, backward - backward // 2) for _, backward in slots) if is_split else (),
        chunks=chunks,
        placement=PLACED.get(name, "loop"),
    )
    return simulate(pipeline, NAMED[name](pipeline))
