"""A layout to start from: the best of a short search, or else the one with the least memory."""

from __future__ import annotations

from dataclasses import replace

from .faults import precision_faults
from .memory import memory
from .search import Limits, layouts, search
from .shapes import Batch, Cluster, Layout, Model
from .stacks import stack

SHORT = Limits(max_cp=2, micro_batches=(1,), virtual_stages=(1, 2, 4), recompute=("none", "full"))
LEAN = Limits(micro_batches=(1,), virtual_stages=(1,), recompute=("full",))  # for when the short search finds nothing


def first_layout(model: Model, cluster: Cluster, batch: Batch, software: str = "") -> tuple[Layout, Batch]:
    """Return a layout that runs and fits, if a search finds one, and its batch: the given one, or the nearest that every DP divides.

    Where none fits, it is the layout with the least memory.

    >>> layout, batch = first_layout(Model("toy", 8, 1024, 4096, 8, 8, 32000), Cluster("H100-80GB", 8), Batch(64, 2048))
    >>> layout.dp, batch
    (8, Batch(global_batch=64, sequence=2048))
    """
    even = replace(batch, global_batch=cluster.gpus * max(1, round(batch.global_batch / cluster.gpus)))
    precision = "fp16" if precision_faults(cluster, "bf16") else "bf16"  # a V100 does not support BF16
    short, lean = (replace(limits, precision=precision, software=software) for limits in (SHORT, LEAN))
    for tried in dict.fromkeys((batch, even)):
        for limits in (short, lean):
            if found := search(model, cluster, tried, limits=limits):
                return found[0].layout, tried
    lean = replace(lean, software=stack(software, cluster.accelerator, sinks=model.sinks).planned)
    runs = list(layouts(model, cluster, batch, lean))
    if not runs:
        batch, runs = even, list(layouts(model, cluster, even, lean))  # which DP alone divides
    return min(runs, key=lambda layout: sum(memory(model, layout, batch).values())), batch
