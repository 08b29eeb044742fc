"""The host of a GPU: the rates at which its memory works, and at which a GPU reaches it."""

from __future__ import annotations

from ..facts import hardware
from .constants import constant
from .shapes import Cluster


def host_link_bytes_per_s(cluster: Cluster) -> float:
    """Return the achieved bandwidth between a GPU and the memory of its host, per direction: PCIe, or NVLink-C2C.

    Raises:  ValueError for an accelerator whose link hardware.yaml lacks.

    >>> link = host_link_bytes_per_s(Cluster("H100-80GB", 8))
    >>> link < 64e9, host_link_bytes_per_s(Cluster("GB200-186GB", 72)) > 3 * link
    (True, True)
    """
    return hardware.host_link_bytes_per_s(accelerator=cluster.accelerator) * constant("host_link")


def host_memory_bytes_per_s(cluster: Cluster) -> float:
    """Return the achieved bandwidth of the host's memory, as a share for each of its GPUs.

    Raises:  ValueError for an accelerator whose host hardware.yaml lacks.

    >>> host_memory_bytes_per_s(Cluster("H100-80GB", 8)) < 77e9
    True
    """
    return hardware.host_memory_bytes_per_s(accelerator=cluster.accelerator) * constant("host_memory")
