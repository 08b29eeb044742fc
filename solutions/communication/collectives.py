"""Collectives over trees and over nodes, and the message size at which a ring is efficient."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_not_negative, require_positive


def double_tree_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of an all-reduce over two binary trees, each of which carries half of the message in small slices.

        seconds = 2 · ⌈log2 N⌉ · α + 2 · M/β

    A GPU that is inside one tree is a leaf of the other. Inside it sends its half up once and down to two children, as
    a leaf it sends its half up once: 2 · M in total. So every link is busy at its full rate, with a tree's few latencies.
    What the slices add while the trees fill is omitted. Two or three GPUs are too few for that: their
    busiest sends 1 or 1.5 · M.

    Units:   bytes; bytes/s per direction; seconds per level. Result in seconds.
    Raises:  ValueError if gpus is below 4, a size or rate is not positive, or latency_s is negative.
    Source:  Jeaugey 2019, "Massively scale your deep learning training with NCCL 2.4"; Sanders, Speck & Träff 2009.

    >>> case = {"gpus": 1024, "bandwidth_bytes_per_s": 50e9, "latency_s": 5e-6}
    >>> round(double_tree_seconds(message_bytes=1e6, **case) * 1e3, 2)    # milliseconds; a ring takes 10.27
    0.14
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    require_not_negative(latency_s=latency_s)
    if gpus < 4:
        raise ValueError(f"gpus must be at least 4 for two trees, not {gpus!r}")
    levels = math.ceil(math.log2(gpus))
    return 2 * levels * latency_s + 2 * message_bytes / bandwidth_bytes_per_s


def message_for_efficiency(*, efficiency: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """Smallest message for which a ring all-reduce spends at least a given share of its time on transfers, not on latency.

        M = N · α · β · e/(1 - e)

    Units:   efficiency is a fraction below 1; bytes/s per direction; seconds per step. Result in bytes.
    Raises:  ValueError if efficiency is not between 0 and 1, gpus is below 1, or a rate or latency is not positive.
    Source:  the α-β model of Thakur et al. 2005, section 3, solved for the message.

    >>> round(message_for_efficiency(efficiency=0.9, gpus=64, bandwidth_bytes_per_s=50e9, latency_s=5e-6) / 1e6)    # MB
    144
    """
    require_counts(gpus=gpus)
    require_positive(efficiency=efficiency, bandwidth_bytes_per_s=bandwidth_bytes_per_s, latency_s=latency_s)
    if efficiency >= 1:
        raise ValueError(f"efficiency must be below 1, not {efficiency!r}")
    return gpus * latency_s * bandwidth_bytes_per_s * efficiency / (1 - efficiency)


def all_to_all_over_servers_seconds(
    *,
    message_bytes: float,
    servers: int,
    gpus_per_server: int,
    port_bytes_per_s: float,
    nvlink_bytes_per_s: float,
) -> float:
    """Time of an all-to-all over nodes in which every GPU has a network port of its own, without latency.

        seconds = max(S · (N-g)/N / β_port,  S · (g-1)/N / β_nvlink)      with  N = g · servers

    Every pair of GPUs exchanges S/N. Nothing can be added up on the way, so all that is meant for other nodes leaves
    through the GPU's own port.

    Units:   message_bytes is what one GPU has for all N, itself included; bytes/s per direction. Result in seconds.
    Raises:  ValueError if a count is below 1, or a size or rate is not positive.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 12, "Cross-node collectives".

    >>> case = {"message_bytes": 1e9, "gpus_per_server": 8, "port_bytes_per_s": 50e9, "nvlink_bytes_per_s": 450e9}
    >>> [round(all_to_all_over_servers_seconds(**case, servers=k) * 1e3, 2) for k in (1, 2, 8)]    # milliseconds
    [1.94, 10.0, 17.5]
    """
    require_positive(message_bytes=message_bytes, port_bytes_per_s=port_bytes_per_s)
    require_positive(nvlink_bytes_per_s=nvlink_bytes_per_s)
    require_counts(servers=servers, gpus_per_server=gpus_per_server)
    gpus = servers * gpus_per_server
    over_the_port = message_bytes * (gpus - gpus_per_server) / gpus
    over_nvlink = message_bytes * (gpus_per_server - 1) / gpus
    return max(over_the_port / port_bytes_per_s, over_nvlink / nvlink_bytes_per_s)
