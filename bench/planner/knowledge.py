"""Predictions of published runs with full or less knowledge of the software: its row, only its framework, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from solutions.planner import memory as planner_memory
from solutions.planner import stacks as planner_stacks
from solutions.planner import time as planner_time
from solutions.planner.constants import software as row_of_software
from solutions.planner.ranges import CHIPS, KINDS, kind_of_run
from solutions.planner.shapes import Layout

from . import planned
from .coverage import Seen
from .predictions import Row
from .runs import Runs

TIME_CELLS = (CHIPS, planner_stacks.KNOWLEDGE, KINDS)
SIZE_CELLS = (("known", planner_stacks.UNKNOWN),)  # of software


class Case:
    """A run with the planner's inputs, whose predictions follow the current constants."""

    def __init__(self, row: Row, runs: Runs) -> None:
        self.row = row
        self.model, self.cluster, self.layout, self.batch = planned.arguments(planned.as_it_ran(row, runs), runs)

    @property
    def kind(self) -> str:
        """Return the kind of the run, as ranges distinguish it."""
        return kind_of_run(self.model, self.cluster, self.layout)

    def time_ratio(self, layout: Layout | None = None) -> float:
        """Return predicted / reported step time."""
        parts = planner_time.step(self.model, self.cluster, layout or self.layout, self.batch)
        return sum(parts.values()) / (self.row.step_s or 1)

    def memory_ratio(self, layout: Layout | None = None) -> float:
        """Return predicted / reported memory, as the row's tool counts it."""
        held = planner_memory.memory(self.model, layout or self.layout, self.batch)
        return planned.counted_bytes(self.row, self.cluster, held) / (self.row.memory_bytes or 1)

    def times(self, group: str, chip: str) -> Iterator[Seen]:
        """Yield the predicted step time for each state of knowledge."""
        for state, layouts in self._states():
            ratios = [self.time_ratio(layout) for layout in layouts]
            yield Seen(
    self.row.run.id, group, (chip, state, self.kind), min(ratios), max(ratios), self.row.run.trust, ratios[0],
)  # fmt: skip

    def sizes(self) -> Iterator[Seen]:
        """Yield predicted memory, and its span with unknown software. Trust is A if micro-batch size and recomputation are reported.

        A run that ran out of memory although it was predicted to fit counts with the smallest error that this proves.
        """
        states = dict(self._states())
        for software, state in zip(SIZE_CELLS[0], ("row", "unknown"), strict=True):
            layouts = states.get(state, ())
            if self.row.memory_bytes:
                ratios = [self.memory_ratio(layout) for layout in layouts]
            elif self.row.fitted or not self.row.tests_fit:
                ratios = []
            else:
                ratios = [share for share in map(self.share_of_capacity, layouts) if share <= 1]
            if ratios:
                trust = "A" if self.row.tests_fit else "B"
                yield Seen(self.row.run.id, self.row.run.family, (software,), min(ratios), max(ratios), trust)

    def verdict(self) -> Iterator[Seen]:
        """Yield predicted memory as a share of capacity, for a run that tests the verdict on fit."""
        if self.row.tests_fit:
            share = self.share_of_capacity(self.layout)
            yield Seen(self.row.run.id, self.row.run.family, ("known",), share, share, self.row.run.trust)

    def share_of_capacity(self, layout: Layout) -> float:
        """Return predicted peak memory / GPU memory capacity."""
        return sum(planner_memory.memory(self.model, layout, self.batch).values()) / self.cluster.memory_bytes

    def _states(self) -> Iterator[tuple[str, Sequence[Layout]]]:
        """Yield each state of knowledge, with the layouts that its range spans; the first is the plan's own.

        Software that materialises attention scores dates from before 2023, so a plan without a year does not mean it.
        """
        row = self.layout.software
        yield "row", [self.layout]
        if row_of_software(row)["attention"] == "written":
            return
        if framework := _framework(row):
            yield "framework", [replace(self.layout, software=framework)]
        unknown = planner_stacks.stack("", self.cluster.accelerator)
        if unknown.best != unknown.typical:
            span = (unknown.planned, unknown.best, unknown.typical)
            yield "unknown", [replace(self.layout, software=each) for each in span]


def _framework(row: str) -> str:
    """Return the current row of the framework that a row belongs to, or ""."""
    current = {planner_stacks.stack(name, "").planned for name in planner_stacks.frameworks()}
    return next((other for other in sorted(current) if other.split("-")[0] == row.split("-")[0]), "")
