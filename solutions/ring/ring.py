"""Collectives on a ring: what an all-reduce sends, how long it takes, and how its speed is reported."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_not_negative, require_positive


def bytes_sent_per_gpu(*, message_bytes: float, gpus: int) -> float:
    """Bytes that each GPU sends in one ring all-reduce.

        bytes = 2 · M · (N-1)/N

    Reduce-scatter and all-gather each pass N-1 of the N chunks once: that is the 2.

    Units:   message_bytes in bytes; gpus is a count. Result in bytes.
    Raises:  ValueError if gpus is below 1 or message_bytes is not positive.
    Source:  Patarasuk & Yuan 2009, J. Parallel Distrib. Comput. 69(2), section 3.

    >>> bytes_sent_per_gpu(message_bytes=1e9, gpus=8) / 1e9      # eight GPUs, 1 GB of gradients
    1.75
    >>> bytes_sent_per_gpu(message_bytes=1e9, gpus=1000) / 1e9   # a hundred times the GPUs, hardly more bytes
    1.998
    """
    require_positive(message_bytes=message_bytes)
    require_counts(gpus=gpus)
    chunk_bytes = message_bytes / gpus
    return 2 * (gpus - 1) * chunk_bytes


def bytes_sent_per_phase(*, message_bytes: float, gpus: int) -> float:
    """Bytes that each GPU sends in one phase, reduce-scatter or all-gather.

        bytes = M · (N-1)/N

    Units:   message_bytes in bytes; result in bytes.
    Raises:  ValueError if gpus is below 1 or message_bytes is not positive.
    Source:  Thakur et al. 2005, Int. J. High Perform. Comput. Appl. 19(1), section 4.1.

    >>> bytes_sent_per_phase(message_bytes=1e9, gpus=8) / 1e9
    0.875
    """
    require_positive(message_bytes=message_bytes)
    require_counts(gpus=gpus)
    chunk_bytes = message_bytes / gpus
    return (gpus - 1) * chunk_bytes


def naive_root_bytes(*, message_bytes: float, gpus: int) -> float:
    """Bytes that GPU 0 receives when every other GPU sends it the whole message.

        bytes = (N-1) · M

    Units:   message_bytes in bytes; result in bytes.
    Raises:  ValueError if gpus is below 1 or message_bytes is not positive.
    Source:  counting; the motivation in Sergeev & Del Balso 2018, arXiv:1802.05799, section 3.

    >>> naive_root_bytes(message_bytes=1e9, gpus=8) / 1e9
    7.0
    """
    require_positive(message_bytes=message_bytes)
    require_counts(gpus=gpus)
    return (gpus - 1) * message_bytes


def steps(*, gpus: int) -> int:
    """Sequential steps of a ring all-reduce.

        steps = 2 · (N-1)

    Units:   a count.
    Raises:  ValueError if gpus is below 1.
    Source:  Patarasuk & Yuan 2009, section 3.

    >>> steps(gpus=8)
    14
    """
    require_counts(gpus=gpus)
    return 2 * (gpus - 1)


def tree_steps(*, gpus: int) -> int:
    """Steps of a binomial-tree all-reduce: reduce to the root, then broadcast.

        steps = 2 · ⌈log2 N⌉

    Each step carries the whole message, where a ring's step carries 1/N of it.

    Units:   a count.
    Raises:  ValueError if gpus is below 1.
    Source:  Thakur et al. 2005, section 4.5 (binomial tree reduce and broadcast).

    >>> tree_steps(gpus=8)
    6
    """
    require_counts(gpus=gpus)
    return 2 * math.ceil(math.log2(gpus))


def latency_seconds(*, gpus: int, latency_s: float) -> float:
    """Time that a ring all-reduce spends on latency alone.

        seconds = 2 · (N-1) · α

    Units:   latency_s in seconds per step; result in seconds.
    Raises:  ValueError if gpus is below 1 or latency_s is negative.
    Source:  Thakur et al. 2005, section 3 (the α-β model).

    >>> round(latency_seconds(gpus=8, latency_s=5e-6) * 1e6, 6)   # microseconds
    70.0
    """
    require_counts(gpus=gpus)
    require_not_negative(latency_s=latency_s)
    return 2 * (gpus - 1) * latency_s


def all_reduce_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of a ring all-reduce.

        seconds = 2 · (N-1) · (M/(N·β) + α)

    Every step waits for one chunk to cross one link in one direction, so the rate is that of one direction.

    Units:   bytes; bytes/s per direction; seconds per step. Result in seconds.
    Raises:  ValueError if gpus is below 1, a size or rate is not positive, or latency_s is negative.
    Source:  Patarasuk & Yuan 2009, section 3; α-β model of Thakur et al. 2005.

    >>> t = all_reduce_seconds(message_bytes=2e9, gpus=8, bandwidth_bytes_per_s=50e9, latency_s=5e-6)
    >>> round(t * 1e3, 2)                # milliseconds: 70 for the bytes, 0.07 for the latency
    70.07
    >>> all_reduce_seconds(message_bytes=2e9, gpus=1, bandwidth_bytes_per_s=50e9)   # nobody to talk to
    0.0
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    require_not_negative(latency_s=latency_s)
    chunk_bytes = message_bytes / gpus
    steps_taken = 2 * (gpus - 1)
    seconds_per_step = chunk_bytes / bandwidth_bytes_per_s + latency_s
    return steps_taken * seconds_per_step


def tree_all_reduce_seconds(
    *, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float = 0.0
) -> float:
    """Time of a binomial-tree all-reduce of an unsplit message.

        seconds = 2 · ⌈log2 N⌉ · (M/β + α)

    Double binary trees split the message and do far better at large sizes; this tree sends it whole.

    Units:   bytes; bytes/s per direction; seconds per step. Result in seconds.
    Raises:  ValueError if gpus is below 1, a size or rate is not positive, or latency_s is negative.
    Source:  Thakur et al. 2005, section 4.5; Jeaugey 2019, NCCL 2.4 double binary trees.

    >>> t = tree_all_reduce_seconds(message_bytes=2e9, gpus=8, bandwidth_bytes_per_s=50e9)
    >>> round(t * 1e3)                   # milliseconds, where the ring takes 70
    240
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    require_not_negative(latency_s=latency_s)
    levels = math.ceil(math.log2(gpus))
    seconds_per_level = message_bytes / bandwidth_bytes_per_s + latency_s
    return 2 * levels * seconds_per_level


def faster_algorithm(*, message_bytes: float, gpus: int, bandwidth_bytes_per_s: float, latency_s: float) -> str:
    """Which of the two is faster for a message, "ring" or "tree".

    Large messages favour the ring, which splits them; small ones the tree, which has fewer steps.

    Units:   bytes; bytes/s per direction; seconds per step.
    Raises:  ValueError as the two times do.
    Source:  Thakur et al. 2005, section 4.5.

    >>> faster_algorithm(message_bytes=2e9, gpus=8, bandwidth_bytes_per_s=50e9, latency_s=5e-6)
    'ring'
    >>> faster_algorithm(message_bytes=4e3, gpus=256, bandwidth_bytes_per_s=50e9, latency_s=5e-6)
    'tree'
    """
    ring = all_reduce_seconds(
        message_bytes=message_bytes, gpus=gpus, bandwidth_bytes_per_s=bandwidth_bytes_per_s, latency_s=latency_s
    )
    tree = tree_all_reduce_seconds(
        message_bytes=message_bytes, gpus=gpus, bandwidth_bytes_per_s=bandwidth_bytes_per_s, latency_s=latency_s
    )
    return "ring" if ring <= tree else "tree"


def bus_bandwidth(*, message_bytes: float, gpus: int, measured_s: float) -> float:
    """Bus bandwidth of a measured all-reduce, to compare with the rate of the links.

        busbw = (M / t) · 2 · (N-1)/N

    The factor is what any all-reduce must move, whatever its algorithm; it makes figures comparable across N.

    Units:   bytes and seconds; result in bytes/s per direction.
    Raises:  ValueError if gpus is below 1 or another argument is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md.

    >>> round(bus_bandwidth(message_bytes=2e9, gpus=8, measured_s=0.090) / 1e9, 2)
    38.89
    """
    require_positive(message_bytes=message_bytes, measured_s=measured_s)
    require_counts(gpus=gpus)
    algorithm_rate = message_bytes / measured_s
    moved_per_byte = 2 * (gpus - 1) / gpus
    return algorithm_rate * moved_per_byte


def link_utilisation(*, message_bytes: float, gpus: int, measured_s: float, bandwidth_bytes_per_s: float) -> float:
    """Fraction of a link's one-way rate that a measured all-reduce achieves.

        utilisation = busbw / β

    Units:   bytes, seconds, bytes/s per direction; result is a fraction.
    Raises:  ValueError if gpus is below 1 or another argument is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md.

    >>> u = link_utilisation(message_bytes=2e9, gpus=8, measured_s=0.090, bandwidth_bytes_per_s=50e9)
    >>> round(u, 3)
    0.778
    """
    require_positive(message_bytes=message_bytes, measured_s=measured_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(gpus=gpus)
    bytes_moved = 2 * message_bytes * (gpus - 1) / gpus
    bytes_possible = bandwidth_bytes_per_s * measured_s
    return bytes_moved / bytes_possible


def crossover_bytes(*, gpus: int, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """The message size at which ring and binomial tree take the same time.

        M = α · β · ((N-1) - L) / (L - (N-1)/N)   with  L = ⌈log2 N⌉

    Below it the tree's fewer steps win, above it the ring's smaller chunks do.

    Units:   bytes/s per direction, seconds per step; result in bytes.
    Raises:  ValueError if gpus is below 4 (ring and tree tie in steps) or another argument is not positive.
    Source:  the two times of this module, set equal.

    >>> round(crossover_bytes(gpus=64, bandwidth_bytes_per_s=50e9, latency_s=5e-6) / 1e6, 2)   # MB
    2.84
    """
    require_counts(gpus=gpus)
    require_positive(bandwidth_bytes_per_s=bandwidth_bytes_per_s, latency_s=latency_s)
    if gpus < 4:
        raise ValueError(f"gpus must be at least 4 for the two to differ in steps, not {gpus!r}")
    levels = math.ceil(math.log2(gpus))
    steps_saved = (gpus - 1) - levels
    messages_more = levels - (gpus - 1) / gpus
    return latency_s * bandwidth_bytes_per_s * steps_saved / messages_more


def largest_naive_group(*, message_bytes: float, bandwidth_bytes_per_s: float, wait_s: float) -> int:
    """Largest number of GPUs, including GPU 0, whose gradients all reach GPU 0 within a time budget.

        N = ⌊W · β / M⌋ + 1

    Gradients arrive over GPU 0's link, one after another. Its own needs no link: that is the 1.

    Units:   bytes; bytes/s per direction; seconds. Result is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  counting; the motivation in Sergeev & Del Balso 2018, arXiv:1802.05799, section 3.

    >>> largest_naive_group(message_bytes=16e9, bandwidth_bytes_per_s=50e9, wait_s=1)   # of 64 that wait for each other
    4
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s, wait_s=wait_s)
    return math.floor(wait_s * bandwidth_bytes_per_s / message_bytes) + 1


def parameters_behind_phase(*, sent_bytes: float, gpus: int, bytes_per_gradient: float) -> float:
    """Parameters of a model, from the bytes that each GPU sends to reduce-scatter the gradients.

        P = sent · N/(N-1) / b_g

    Units:   bytes; bytes per element; gpus is a count. Result is a count.
    Raises:  ValueError if gpus is below 2 (a single one sends nothing) or another argument is not positive.
    Source:  Thakur et al. 2005, section 4.1, solved for the message.

    >>> round(parameters_behind_phase(sent_bytes=31.62e9, gpus=64, bytes_per_gradient=4) / 1e9, 2)   # Llama 3 8B
    8.03
    """
    require_positive(sent_bytes=sent_bytes, bytes_per_gradient=bytes_per_gradient)
    require_counts(gpus=gpus)
    if gpus < 2:
        raise ValueError(f"gpus must be at least 2 to send anything, not {gpus!r}")
    return sent_bytes * gpus / (gpus - 1) / bytes_per_gradient


def algorithm_bandwidth_elsewhere(*, algorithm_bytes_per_s: float, gpus: int, other_gpus: int) -> float:
    """Algorithm bandwidth of an all-reduce on a different number of GPUs whose links are equally busy.

        algbw' = algbw · 2 · (N-1)/N / (2 · (N'-1)/N')

    Bus bandwidth is what stays the same.

    Units:   bytes/s; counts. Result in bytes/s.
    Raises:  ValueError if the rate is not positive or a count is below 2.
    Source:  nccl-tests, doc/PERFORMANCE.md.

    >>> algorithm_bandwidth_elsewhere(algorithm_bytes_per_s=200e9, gpus=2, other_gpus=1000) / 1e9   # nearly half
    100.1001001001001
    """
    require_positive(algorithm_bytes_per_s=algorithm_bytes_per_s)
    require_counts(gpus=gpus, other_gpus=other_gpus)
    if min(gpus, other_gpus) < 2:
        raise ValueError(f"gpus must be at least 2 to send anything, not {min(gpus, other_gpus)!r}")
    bus_bytes_per_s = algorithm_bytes_per_s * 2 * (gpus - 1) / gpus
    return bus_bytes_per_s / (2 * (other_gpus - 1) / other_gpus)


def largest_ring(*, message_bytes: float, bandwidth_bytes_per_s: float, latency_s: float, budget_s: float) -> int:
    """Largest number of GPUs whose ring all-reduces a message within a time budget.

        the largest N with  2 · (N-1) · (M/(N·β) + α) ≤ T,  from  2αN² + (2M/β - 2α - T)·N - 2M/β = 0

    The time grows with every GPU, so there is one such N. It is at least 1: a single GPU sends nothing.

    Units:   bytes; bytes/s per direction; seconds per step; seconds. Result is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  all_reduce_seconds of this module, solved for N.

    >>> largest_ring(message_bytes=25e6, bandwidth_bytes_per_s=50e9, latency_s=5e-6, budget_s=2e-3)
    101
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_positive(latency_s=latency_s, budget_s=budget_s)
    twice_s = 2 * message_bytes / bandwidth_bytes_per_s
    linear = twice_s - 2 * latency_s - budget_s
    root = (math.sqrt(linear * linear + 8 * latency_s * twice_s) - linear) / (4 * latency_s)
    return max(1, math.floor(root * (1 + 1e-12)))  # a budget that is met exactly is met


def rails_all_reduce_seconds(
    *,
    message_bytes: float,
    servers: int,
    gpus_per_server: int,
    port_bytes_per_s: float,
    nvlink_bytes_per_s: float,
) -> float:
    """Time of an all-reduce over nodes in which every GPU has a network port of its own, without latency.

        seconds = 2 · M · (N-1)/N / min(g · β_port, β_nvlink · g/(g-1))      with  N = g · servers

    The message is divided among g rings. Each ring leaves and enters a node through another of its g ports, so the
    ports work at once. Inside the node a GPU passes on the g-1 rings that do not leave through its own port.

    Units:   bytes; bytes/s per direction, both. Result in seconds.
    Raises:  ValueError if servers or gpus_per_server is below 2, or a size or rate is not positive.
    Source:  Jeaugey 2019, GTC session S9656 "Distributed training and fast inter-GPU communication with NCCL".

    >>> case = {"message_bytes": 2e9, "servers": 2, "gpus_per_server": 8, "nvlink_bytes_per_s": 450e9}
    >>> rails_all_reduce_seconds(**case, port_bytes_per_s=50e9) * 1e3    # 75 ms if one port carried everything
    9.375
    """
    require_positive(message_bytes=message_bytes, port_bytes_per_s=port_bytes_per_s)
    require_positive(nvlink_bytes_per_s=nvlink_bytes_per_s)
    require_counts(servers=servers, gpus_per_server=gpus_per_server)
    if min(servers, gpus_per_server) < 2:
        raise ValueError(f"servers and gpus_per_server must be at least 2, not {servers!r} and {gpus_per_server!r}")
    gpus = servers * gpus_per_server
    bytes_per_gpu = 2 * message_bytes * (gpus - 1) / gpus
    over_a_port = bytes_per_gpu / gpus_per_server
    over_nvlink = bytes_per_gpu - over_a_port
    return max(over_a_port / port_bytes_per_s, over_nvlink / nvlink_bytes_per_s)


def link_gap(*, fast_bytes_per_s: float, slow_bytes_per_s: float) -> float:
    """How many times faster one link is than another, both per direction.

        gap = β_fast / β_slow

    Units:   bytes/s per direction, both; result is a ratio.
    Raises:  ValueError if an argument is not positive.
    Source:  H100 NVLink 450 GB/s and 400 Gb/s InfiniBand 50 GB/s per direction (NVIDIA H100 data sheet).

    >>> link_gap(fast_bytes_per_s=450e9, slow_bytes_per_s=50e9)   # not 18: 900 GB/s counts both directions
    9.0
    """
    require_positive(fast_bytes_per_s=fast_bytes_per_s, slow_bytes_per_s=slow_bytes_per_s)
    return fast_bytes_per_s / slow_bytes_per_s
