"""Time of the optimizer step, on the GPU or on its host."""

from __future__ import annotations

from ..roofline import roofline
from .constants import constant
from .host import host_link_bytes_per_s, host_memory_bytes_per_s
from .memory import gradient_width
from .rates import hbm_bytes_per_s
from .shapes import Cluster, Layout


def update_seconds(cluster: Cluster, layout: Layout, parameters: float) -> float:
    """Return the seconds of the optimizer step: one pass over the states in GPU memory, or in host memory, to which gradients and weights travel.

    On the host, transfers overlap with the CPU's pass.

    Units:   parameters of one stage on one GPU. Result in seconds.
    Source:  Ren et al. 2021, arXiv:2101.06840, section 4 (ZeRO-Offload); Megatron-LM, --overlap-cpu-optimizer-d2h-h2d.

    >>> cluster = Cluster("H100-80GB", 8)
    >>> near, far = (update_seconds(cluster, Layout(offload=where), 1e9) for where in ("none", "optimizer"))
    >>> far > 10 * near
    True
    """
    share = parameters / (layout.shards if layout.zero else 1)
    moved = roofline.adam_step_seconds(parameters=share, memory_bytes_per_s=1)
    moved += 2 * share * (layout.state_bytes - 12)  # the states are read and written
    if layout.offload != "optimizer":
        return moved / hbm_bytes_per_s(cluster.accelerator) * constant("update_passes")
    there = share * gradient_width(layout) / host_link_bytes_per_s(cluster)
    back = 2 * share / host_link_bytes_per_s(cluster)
    return max(there, back, moved / host_memory_bytes_per_s(cluster))
