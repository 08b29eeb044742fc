"""The collectives side by side: what each sends, how long it takes, and how its bus bandwidth is counted."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_not_negative, require_positive
from ..ring import ring

# In some, all of the message leaves one GPU. In the others every GPU keeps a part, and sends N-1 of N parts once or twice.
_WHOLE = ("broadcast", "reduce", "send and receive")
_ONE_PASS = ("reduce-scatter", "all-gather", "all-to-all")
_BY_PARTS = ("gather", "scatter")  # the root keeps its part, and receives or sends the others
COLLECTIVES = (*_WHOLE, *_ONE_PASS, *_BY_PARTS, "all-reduce")


def bus_factor(*, collective: str, gpus: int) -> float:
    """Return the fewest bytes that the busiest GPU has to send, or in a gather to receive, per byte of the message.

        all-reduce                                2 · (N-1)/N
        reduce-scatter, all-gather, all-to-all        (N-1)/N
        gather, scatter                               (N-1)/N
        broadcast, reduce, send and receive           1

    The message is the whole array: all that is gathered, all that is scattered, and in an all-to-all everything that one
    GPU has for the N of them, itself included. nccl-tests multiplies the algorithm bandwidth by this factor.

    Units:   gpus is a count; result is a ratio. One GPU sends nothing, so the factor of one is 0.
    Raises:  ValueError for an unknown collective, or gpus below 1.
    Source:  nccl-tests, doc/PERFORMANCE.md, "Summary"; src/gather.cu, src/scatter.cu and src/sendrecv.cu.

    >>> bus_factor(collective="all-reduce", gpus=8), bus_factor(collective="all-gather", gpus=8)
    (1.75, 0.875)
    >>> bus_factor(collective="broadcast", gpus=8)
    1.0
    """
    require_counts(gpus=gpus)
    if collective not in COLLECTIVES:
        raise ValueError(f"collective must be one of {', '.join(COLLECTIVES)}, not {collective!r}")
    if gpus == 1:
        return 0.0
    if collective in _WHOLE:
        return 1.0
    passes = 2 if collective == "all-reduce" else 1
    return passes * (gpus - 1) / gpus


def bytes_sent(*, collective: str, message_bytes: float, gpus: int) -> float:
    """Bytes that the busiest GPU sends in a collective.

        bytes = factor · S

    Units:   message_bytes is the whole array, in bytes. Result in bytes.
    Raises:  ValueError for an unknown collective, gpus below 1, or a size that is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md; Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19(1), section 4.

    >>> bytes_sent(collective="reduce-scatter", message_bytes=16e9, gpus=64) / 1e9
    15.75
    """
    require_positive(message_bytes=message_bytes)
    return bus_factor(collective=collective, gpus=gpus) * message_bytes


def bus_bandwidth(*, collective: str, message_bytes: float, gpus: int, measured_s: float) -> float:
    """Bus bandwidth of a measured collective.

        busbw = factor · S / t

    Units:   bytes of the whole array, seconds; result in bytes/s per direction.
    Raises:  ValueError for an unknown collective, gpus below 1, or a size or time that is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md.

    >>> round(bus_bandwidth(collective="all-to-all", message_bytes=1e9, gpus=8, measured_s=0.0025) / 1e9, 1)
    350.0
    """
    require_positive(measured_s=measured_s)
    return bytes_sent(collective=collective, message_bytes=message_bytes, gpus=gpus) / measured_s


def seconds_at_bus_bandwidth(*, collective: str, message_bytes: float, gpus: int, bus_bytes_per_s: float) -> float:
    """Time of a collective, from the bus bandwidth that a benchmark reports for it.

        seconds = factor · S / busbw

    Units:   bytes of the whole array; bytes/s per direction. Result in seconds.
    Raises:  ValueError for an unknown collective, gpus below 1, or a size or rate that is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md, solved for the time.

    >>> round(seconds_at_bus_bandwidth(collective="all-reduce", message_bytes=4 * 2**30, gpus=32,
    ...                                bus_bytes_per_s=377.34e9) * 1e3, 2)    # milliseconds
    22.05
    """
    require_positive(bus_bytes_per_s=bus_bytes_per_s)
    return bytes_sent(collective=collective, message_bytes=message_bytes, gpus=gpus) / bus_bytes_per_s


def collective_seconds(
    *, collective: str, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of a collective that passes chunks of 1/N in steps, in the α-β model.

        reduce-scatter, all-gather, all-to-all      (N-1) · (S/(N·β) + α)
        all-reduce                              2 · (N-1) · (S/(N·β) + α)

    A ring passes the chunks on; an all-to-all sends in step s to the GPU that is s places on.

    Units:   bytes of the whole array; bytes/s per direction; seconds per step. Result in seconds.
    Raises:  ValueError for a collective that has no chunks (broadcast, reduce: see chain_broadcast_seconds), gpus
             below 1, a size or rate that is not positive, or a negative latency.
    Source:  Thakur et al. 2005, section 4: ring all-gather, pairwise exchange for a long all-to-all or reduce-scatter.

    >>> t = collective_seconds(collective="all-gather", message_bytes=2 * 1024 * 16384, gpus=8,
    ...                        bandwidth_bytes_per_s=450e9)
    >>> round(t * 1e6)                # microseconds
    65
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    require_not_negative(latency_s=latency_s)
    if collective not in (*_ONE_PASS, "all-reduce"):
        raise ValueError(f"collective must be one of {', '.join((*_ONE_PASS, 'all-reduce'))}, not {collective!r}")
    passes = 1 if collective in _ONE_PASS else 2
    seconds_per_step = message_bytes / gpus / bandwidth_bytes_per_s + latency_s
    return passes * (gpus - 1) * seconds_per_step


def chain_broadcast_seconds(
    *, message_bytes: float, gpus: int, slices: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of a broadcast along a chain of GPUs, which pass the message on in slices.

        seconds = (N - 2 + k) · (S/(k·β) + α)

    The last GPU receives its first slice after N-1 steps, and one more in each of the next k-1. A reduce is the same
    chain run backwards.

    Units:   bytes; bytes/s per direction; seconds per step; counts. Result in seconds.
    Raises:  ValueError if gpus is below 2, slices below 1, a size or rate not positive, or the latency negative.
    Source:  Woolley 2015, "NCCL: Accelerated Multi-GPU Collective Communications", broadcast with a ring.

    >>> case = {"message_bytes": 1e9, "gpus": 8, "bandwidth_bytes_per_s": 50e9}
    >>> [round(chain_broadcast_seconds(**case, slices=k) * 1e3, 1) for k in (1, 8, 1000)]    # whole: 7 times the link
    [140.0, 35.0, 20.1]
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus, slices=slices)
    require_not_negative(latency_s=latency_s)
    if gpus < 2:
        raise ValueError(f"gpus must be at least 2 for a chain, not {gpus!r}")
    seconds_per_slice = message_bytes / slices / bandwidth_bytes_per_s + latency_s
    return (gpus - 2 + slices) * seconds_per_slice


def halving_doubling_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of an all-reduce by recursive halving and doubling.

        seconds = 2 · log2(N) · α + 2 · (N-1)/N · M/β

    Partners exchange half of what they still share, then a quarter, and so on: the bytes of a ring in the steps of a
    tree. Partners far apart need a network that gives every pair its full rate.

    Units:   bytes; bytes/s per direction; seconds per step. Result in seconds.
    Raises:  ValueError if gpus is not a power of two, a size or rate is not positive, or latency_s is negative.
    Source:  Thakur et al. 2005, section 4.5 (Rabenseifner's algorithm).

    >>> case = {"message_bytes": 2e9, "gpus": 8, "bandwidth_bytes_per_s": 50e9, "latency_s": 5e-6}
    >>> round(halving_doubling_seconds(**case) * 1e3, 2)      # the ring takes 70.07
    70.03
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    require_not_negative(latency_s=latency_s)
    if gpus & (gpus - 1):
        raise ValueError(f"gpus must be a power of two, not {gpus!r}")
    steps = 2 * int(math.log2(gpus))
    sent_bytes = ring.bytes_sent_per_gpu(message_bytes=message_bytes, gpus=gpus)
    return steps * latency_s + sent_bytes / bandwidth_bytes_per_s


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
    >>> round(double_tree_seconds(message_bytes=1e6, **case) * 1e3, 2)        # milliseconds
    0.14
    >>> round(ring.all_reduce_seconds(message_bytes=1e6, **case) * 1e3, 2)    # 2,046 latencies
    10.27
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
