"""A plan: a layout of a run with its memory, its step time, and its faults."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..roofline import mfu
from .faults import Fault
from .flops import step_flop
from .memory import cache_bytes, memory
from .ranges import Range, kind_of_run, memory_factor, time_factor
from .rates import peak_flop_per_s
from .shapes import Batch, Cluster, Layout, Model
from .stacks import Stack, stack
from .time import step

OUTSIDE_THE_PIPELINE = ("stragglers", "bubble", "data_parallel", "optimizer", "pipeline_parallel")


@dataclass(frozen=True)
class Plan:
    """A verdict on a layout. If it breaks a constraint other than memory or TP inside a node, memory and step are empty.

    `software` says what is known of the software; without it, the layout names a row of the constants.
    """

    model: Model
    cluster: Cluster
    layout: Layout
    batch: Batch
    memory: dict[str, float]
    step: dict[str, float]
    faults: tuple[Fault, ...]
    software: Stack | None = None

    @property
    def stack(self) -> Stack:
        """Return what is known of the software."""
        return self.software or stack(self.layout.software, self.cluster.accelerator)

    @property
    def memory_bytes(self) -> float:
        """Return peak memory per GPU, on the most loaded GPU."""
        return sum(self.memory.values()) if self.memory else math.inf

    @property
    def cache_bytes(self) -> float:
        """Return the bytes that the allocator caches on top, as far as there is room; nvidia-smi shows them too."""
        return cache_bytes(self.cluster, self.memory)

    @property
    def fits(self) -> bool:
        """Return whether peak memory fits into GPU memory capacity."""
        return self.memory_bytes <= self.cluster.memory_bytes

    @property
    def fit(self) -> str:
        """Return "no" if predicted peak memory exceeds capacity, "tight" if only the upper end of its range does, or else "yes"."""
        if not self.fits:
            return "no"
        return "tight" if self.memory_range[1] > self.cluster.memory_bytes else "yes"

    @property
    def headroom_bytes(self) -> float:
        """Return the GPU memory that is left at the predicted peak; negative if the layout does not fit."""
        return self.cluster.memory_bytes - self.memory_bytes

    @cached_property
    def memory_range(self) -> Range:
        """Return the lowest and highest peak memory per GPU that 80 % of unseen runs stay within."""
        if not self.memory:
            return math.inf, math.inf
        sizes = [sum(memory(self.model, layout, self.batch).values()) for layout in self._span]
        return _widened([self.memory_bytes, *sizes], memory_factor(is_known=self.stack.knowledge != "unknown"))

    @cached_property
    def step_range(self) -> Range:
        """Return the shortest and longest step time, in seconds, that 80 % of unseen runs stay within."""
        if not self.step:
            return math.inf, math.inf
        steps = [sum(step(self.model, self.cluster, layout, self.batch).values()) for layout in self._span]
        factor = time_factor(
            kind=kind_of_run(self.model, self.cluster, self.layout), knowledge=self.stack.knowledge,
            accelerator=self.cluster.accelerator,
        )  # fmt: skip
        return _widened([self.step_s, *steps], factor)

    def range_of(self, figure: float, *, is_rate: bool) -> Range:
        """Return the range of a figure that is proportional to step time, or of a rate that is inversely proportional to it."""
        low, high = (end / self.step_s for end in self.step_range)
        return (figure / high, figure / low) if is_rate else (figure * low, figure * high)

    @property
    def step_s(self) -> float:
        """Return the step time in seconds."""
        return sum(self.step.values()) if self.step else math.inf

    @property
    def bubble_overhead(self) -> float:
        """Return the pipeline bubble relative to the busy time of the slowest stage."""
        busy = sum(seconds for part, seconds in self.step.items() if part not in OUTSIDE_THE_PIPELINE)
        return self.step["bubble"] / busy if self.step else math.inf

    @property
    def bubble_idle_fraction(self) -> float:
        """Return the pipeline bubble relative to the pipeline's total time, bubble included."""
        return self.bubble_overhead / (1 + self.bubble_overhead) if self.step else 1.0

    @property
    def mfu(self) -> float:
        """Return model FLOP utilisation: attention counted over all pairs, as PaLM and Megatron do, relative to the dense BF16 peak."""
        return self._share(again=False)

    @property
    def hfu(self) -> float:
        """Return hardware FLOP utilisation: recomputation counts too."""
        return self._share(again=True)

    @property
    def tokens_per_s_per_gpu(self) -> float:
        """Return tokens per second per GPU."""
        return self.batch.tokens / self.step_s / self.cluster.gpus

    @property
    def _span(self) -> list[Layout]:
        """Return the layout with the best and with the typical software, if the software is unknown; else nothing."""
        rows = {self.stack.best, self.stack.typical} - {self.layout.software}
        return [replace(self.layout, software=row) for row in sorted(rows)]

    def _share(self, *, again: bool) -> float:
        if not self.step:
            return 0.0
        return mfu.step_utilisation(
            step_flop=step_flop(self.model, self.layout, self.batch, again=again), step_s=self.step_s,
            gpus=self.cluster.gpus, peak_flop_per_s=peak_flop_per_s(self.cluster.accelerator),
        )  # fmt: skip


def _widened(figures: Sequence[float], factor: float) -> Range:
    return min(figures) / factor, max(figures) * factor
