"""A plan: a layout of a run with what it holds in memory, how long its step takes, and its faults."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..roofline import mfu
from .faults import Fault
from .flops import step_flop
from .layer import peak_flop_per_s
from .memory import cache_bytes
from .shapes import Batch, Cluster, Layout, Model

OUTSIDE_THE_PIPELINE = ("stragglers", "bubble", "data_parallel", "optimizer", "pipeline_parallel")


@dataclass(frozen=True)
class Plan:
    """A layout, judged. Where it cannot run for another reason than memory or TP beyond the node, memory and step are empty."""

    model: Model
    cluster: Cluster
    layout: Layout
    batch: Batch
    memory: dict[str, float]
    step: dict[str, float]
    faults: tuple[Fault, ...]

    @property
    def memory_bytes(self) -> float:
        """Bytes that the fullest GPU needs."""
        return sum(self.memory.values()) if self.memory else math.inf

    @property
    def cache_bytes(self) -> float:
        """Bytes that the allocator keeps beyond those, as far as there is room; nvidia-smi shows them too."""
        return cache_bytes(self.cluster, self.memory)

    @property
    def fits(self) -> bool:
        """Whether the fullest GPU has room for it all."""
        return self.memory_bytes <= self.cluster.memory_bytes

    @property
    def step_s(self) -> float:
        """Seconds of a step."""
        return sum(self.step.values()) if self.step else math.inf

    @property
    def bubble_overhead(self) -> float:
        """Bubble over the time in which the slowest stage works on its micro-batches."""
        busy = sum(seconds for part, seconds in self.step.items() if part not in OUTSIDE_THE_PIPELINE)
        return self.step["bubble"] / busy if self.step else math.inf

    @property
    def bubble_idle_fraction(self) -> float:
        """Bubble over bubble and work: the share of the pipeline's time that a GPU waits."""
        return self.bubble_overhead / (1 + self.bubble_overhead) if self.step else 1.0

    @property
    def mfu(self) -> float:
        """Model FLOP utilisation: attention counted in full as PaLM and Megatron count, over the dense BF16 peak."""
        return self._share(again=False)

    @property
    def hfu(self) -> float:
        """Hardware FLOP utilisation: what is recomputed counts too."""
        return self._share(again=True)

    @property
    def tokens_per_s_per_gpu(self) -> float:
        """Tokens a second of one GPU."""
        return self.batch.tokens / self.step_s / self.cluster.gpus

    def _share(self, *, again: bool) -> float:
        if not self.step:
            return 0.0
        return mfu.step_utilisation(
            step_flop=step_flop(self.model, self.layout, self.batch, again=again), step_s=self.step_s,
            gpus=self.cluster.gpus, peak_flop_per_s=peak_flop_per_s(self.cluster.accelerator),
        )  # fmt: skip
