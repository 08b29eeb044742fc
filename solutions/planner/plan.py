"""A plan: a layout of a run with its memory, its step time, and its faults."""

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
    """A verdict on a layout. If it breaks a constraint other than memory or TP inside a node, memory and step are empty."""

    model: Model
    cluster: Cluster
    layout: Layout
    batch: Batch
    memory: dict[str, float]
    step: dict[str, float]
    faults: tuple[Fault, ...]

    @property
    def memory_bytes(self) -> float:
        """Peak memory per GPU, on the most loaded GPU."""
        return sum(self.memory.values()) if self.memory else math.inf

    @property
    def cache_bytes(self) -> float:
        """Bytes that the allocator caches on top, as far as there is room; nvidia-smi shows them too."""
        return cache_bytes(self.cluster, self.memory)

    @property
    def fits(self) -> bool:
        """Whether peak memory fits into GPU memory capacity."""
        return self.memory_bytes <= self.cluster.memory_bytes

    @property
    def step_s(self) -> float:
        """Step time in seconds."""
        return sum(self.step.values()) if self.step else math.inf

    @property
    def bubble_overhead(self) -> float:
        """Pipeline bubble relative to the busy time of the slowest stage."""
        busy = sum(seconds for part, seconds in self.step.items() if part not in OUTSIDE_THE_PIPELINE)
        return self.step["bubble"] / busy if self.step else math.inf

    @property
    def bubble_idle_fraction(self) -> float:
        """Pipeline bubble relative to the pipeline's total time, bubble included."""
        return self.bubble_overhead / (1 + self.bubble_overhead) if self.step else 1.0

    @property
    def mfu(self) -> float:
        """Model FLOP utilisation: attention counted over all pairs, as PaLM and Megatron do, relative to the dense BF16 peak."""
        return self._share(again=False)

    @property
    def hfu(self) -> float:
        """Hardware FLOP utilisation: recomputation counts too."""
        return self._share(again=True)

    @property
    def tokens_per_s_per_gpu(self) -> float:
        """Tokens per second per GPU."""
        return self.batch.tokens / self.step_s / self.cluster.gpus

    def _share(self, *, again: bool) -> float:
        if not self.step:
            return 0.0
        return mfu.step_utilisation(
            step_flop=step_flop(self.model, self.layout, self.batch, again=again), step_s=self.step_s,
            gpus=self.cluster.gpus, peak_flop_per_s=peak_flop_per_s(self.cluster.accelerator),
        )  # fmt: skip
