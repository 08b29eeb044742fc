"""All-reduces over nodes and pods: what crosses each kind of link, and what a switch that adds can change."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive


def leader_port_bytes(*, message_bytes: float, servers: int) -> float:
    """Bytes that a node sends when one GPU of each node, its leader, carries the whole message.

        bytes = 2 · M · (k-1)/k

    All of them leave through the leader's one port.

    Units:   bytes; a count. Result in bytes.
    Raises:  ValueError if message_bytes is not positive or servers is below 1.
    Source:  Bekman, Machine Learning Engineering, network, "Inter-node speed depends on intra-node speed".

    >>> leader_port_bytes(message_bytes=20e9, servers=8) / 1e9
    35.0
    """
    require_positive(message_bytes=message_bytes)
    require_counts(servers=servers)
    return 2 * message_bytes * (servers - 1) / servers


def sharded_port_bytes(*, message_bytes: float, servers: int, gpus_per_server: int) -> float:
    """Bytes that each GPU sends to other nodes when the message has first been reduce-scattered inside its node.

        bytes = 2 · (M/g) · (k-1)/k

    Each of the g GPUs of a node holds the sum of its part, and all-reduces it with the same part of the other nodes.

    Units:   bytes; counts. Result in bytes.
    Raises:  ValueError if message_bytes is not positive or a count is below 1.
    Source:  Bekman, Machine Learning Engineering, network, model 3 of the same section.

    >>> sharded_port_bytes(message_bytes=4 * 2**30, servers=4, gpus_per_server=8) / 2**30     # GiB
    0.75
    """
    require_counts(gpus_per_server=gpus_per_server)
    return leader_port_bytes(message_bytes=message_bytes / gpus_per_server, servers=servers)


def nvlink_bytes(*, message_bytes: float, gpus_per_server: int) -> float:
    """Bytes that each GPU sends inside its node for the reduce-scatter before and the all-gather after the network.

        bytes = 2 · M · (g-1)/g

    Units:   bytes; a count. Result in bytes.
    Raises:  ValueError if message_bytes is not positive or gpus_per_server is below 1.
    Source:  Bekman, Machine Learning Engineering, network, model 3 of the same section.

    >>> nvlink_bytes(message_bytes=4 * 2**30, gpus_per_server=8) / 2**30      # GiB
    7.0
    """
    require_positive(message_bytes=message_bytes)
    require_counts(gpus_per_server=gpus_per_server)
    return 2 * message_bytes * (gpus_per_server - 1) / gpus_per_server


def leader_seconds(
    *, message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> float:
    """Time of an all-reduce with a leader in each node, one phase after another, without latency.

        seconds = M/β_nvlink + 2 · M · (k-1)/(k · β_port) + M/β_nvlink

    The nodes reduce to their leaders, the leaders run a ring over one port each, and then they broadcast. Reduce and
    broadcast run in small slices, so each takes the time of one message; a node of one GPU skips them.

    Units:   bytes; bytes/s per direction, both. Result in seconds.
    Raises:  ValueError if a count is below 1, or a size or rate is not positive.
    Source:  Bekman, Machine Learning Engineering, network; reduce and broadcast: nccl-tests, doc/PERFORMANCE.md.

    >>> case = {"message_bytes": 20e9, "servers": 8, "gpus_per_server": 8, "nvlink_bytes_per_s": 300e9}
    >>> round(leader_seconds(**case, port_bytes_per_s=100e9) * 1e3)     # milliseconds, of which 350 on the network
    483
    """
    require_counts(gpus_per_server=gpus_per_server)
    require_positive(port_bytes_per_s=port_bytes_per_s, nvlink_bytes_per_s=nvlink_bytes_per_s)
    over_the_port = leader_port_bytes(message_bytes=message_bytes, servers=servers) / port_bytes_per_s
    inside = 2 * message_bytes / nvlink_bytes_per_s if gpus_per_server > 1 else 0.0
    return over_the_port + inside


def sharded_seconds(
    *,
    message_bytes: float,
    servers: int,
    gpus_per_server: int,
    port_bytes_per_s: float,
    nvlink_bytes_per_s: float,
    latency_s: float = 0.0,
) -> float:
    """Time of an all-reduce that sends each part through its own port, one phase after another.

        seconds = 2 · M · (g-1)/(g · β_nvlink) + 2 · (M/g) · (k-1)/(k · β_port) + 2 · (g-1 + k-1) · α

    Reduce-scatter inside the node, all-reduce of each part between nodes, all-gather inside the node. Rings of g and
    of k have far fewer steps than one ring of all g · k GPUs.

    Units:   bytes; bytes/s per direction, both; seconds per step. Result in seconds.
    Raises:  ValueError if a count is below 1, a size or rate is not positive, or latency_s is negative.
    Source:  Bekman, Machine Learning Engineering, network, model 3 of the same section.

    >>> case = {"message_bytes": 20e9, "servers": 8, "gpus_per_server": 8, "nvlink_bytes_per_s": 300e9}
    >>> round(sharded_seconds(**case, port_bytes_per_s=100e9) * 1e3, 1)    # 43.75 of it on the network
    160.4
    """
    require_not_negative(latency_s=latency_s)
    inside_s, outside_s = _busy_seconds(message_bytes, servers, gpus_per_server, port_bytes_per_s, nvlink_bytes_per_s)
    steps = 2 * (gpus_per_server - 1) + 2 * (servers - 1)
    return inside_s + outside_s + steps * latency_s


def sharded_overlapped_seconds(
    *, message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> float:
    """Time of the same all-reduce when many slices of the message are in flight, so that all links work at once.

        seconds = max(2 · M · (g-1)/(g · β_nvlink), 2 · (M/g) · (k-1)/(k · β_port))

    This is the least that the bytes allow. A measurement lies between it and the phases one after another.

    Units:   bytes; bytes/s per direction, both. Result in seconds.
    Raises:  ValueError if a count is below 1, or a size or rate is not positive.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 12, "Cross-node collectives" (the maximum over levels).

    >>> case = {"message_bytes": 4 * 2**30, "servers": 4, "gpus_per_server": 8}
    >>> round(sharded_overlapped_seconds(**case, port_bytes_per_s=50e9, nvlink_bytes_per_s=900e9) * 1e3, 1)
    16.1
    """
    inside_s, outside_s = _busy_seconds(message_bytes, servers, gpus_per_server, port_bytes_per_s, nvlink_bytes_per_s)
    return max(inside_s, outside_s)


def sharded_bounds_seconds(
    *, message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> tuple[float, float]:
    """Lower and upper bound on the time of an all-reduce over nodes.

    The least is sharded_overlapped_seconds, the most is sharded_seconds.

    Units:   bytes; bytes/s per direction, both. Results in seconds.
    Raises:  ValueError if a count is below 1, or a size or rate is not positive.
    Source:  those of the two.

    >>> case = {"message_bytes": 4 * 2**30, "servers": 4, "gpus_per_server": 8}
    >>> best, worst = sharded_bounds_seconds(**case, port_bytes_per_s=50e9, nvlink_bytes_per_s=900e9)
    >>> round(best * 1e3, 1), round(worst * 1e3, 1)     # milliseconds; 22.05 were measured
    (16.1, 24.5)
    """
    inside_s, outside_s = _busy_seconds(message_bytes, servers, gpus_per_server, port_bytes_per_s, nvlink_bytes_per_s)
    return max(inside_s, outside_s), inside_s + outside_s


def _busy_seconds(
    message_bytes: float, servers: int, gpus_per_server: int, port_bytes_per_s: float, nvlink_bytes_per_s: float
) -> tuple[float, float]:
    """How long a GPU's NVLink is busy in both its phases, and how long its port is."""
    require_positive(port_bytes_per_s=port_bytes_per_s, nvlink_bytes_per_s=nvlink_bytes_per_s)
    inside_bytes = nvlink_bytes(message_bytes=message_bytes, gpus_per_server=gpus_per_server)
    outside_bytes = sharded_port_bytes(message_bytes=message_bytes, servers=servers, gpus_per_server=gpus_per_server)
    return inside_bytes / nvlink_bytes_per_s, outside_bytes / port_bytes_per_s


def gather_bandwidth(*, children: int, uplink_bytes_per_s: float) -> float:
    """The rate at which a level of the network can all-gather or reduce-scatter, in message bytes per second.

        rate = β · D/(D-1)

    A level joins D equal parts of the cluster: GPUs in a node, nodes in a pod, pods in a cluster. Of each byte of
    the message, a part sends or receives (D-1)/D through its uplink. The lowest rate of all levels is that of the whole.

    Units:   uplink_bytes_per_s per direction, of one of the D parts; result in bytes/s.
    Raises:  ValueError if children is below 2 or the rate is not positive.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 12, "Cross-node collectives" (precise derivation).

    >>> [round(gather_bandwidth(children=d, uplink_bytes_per_s=w) / 1e9) for d, w in ((8, 450e9), (32, 400e9))]
    [514, 413]
    """
    require_counts(children=children)
    require_positive(uplink_bytes_per_s=uplink_bytes_per_s)
    if children < 2:
        raise ValueError(f"children must be at least 2, not {children!r}")
    return uplink_bytes_per_s * children / (children - 1)


def pod_uplink_bytes_per_s(*, gpus_per_pod: int, port_bytes_per_s: float, oversubscription: float) -> float:
    """What a pod sends to other pods, when their links are thinner than the ports of its GPUs together.

        rate = n · β_port/r

    Units:   port_bytes_per_s per direction; oversubscription is a ratio, 1 for a network that thins nowhere, 7 for 1:7.
    Raises:  ValueError if gpus_per_pod is below 1, oversubscription below 1, or the rate is not positive.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.1 (pods of 3,072 GPUs, 1:7 between them).

    >>> pod_uplink_bytes_per_s(gpus_per_pod=3072, port_bytes_per_s=50e9, oversubscription=7) / 3072 / 1e9    # a GPU's share
    7.142857142857143
    """
    require_counts(gpus_per_pod=gpus_per_pod)
    require_positive(port_bytes_per_s=port_bytes_per_s, oversubscription=oversubscription)
    if oversubscription < 1:
        raise ValueError(f"oversubscription must be at least 1, not {oversubscription!r}")
    return gpus_per_pod * port_bytes_per_s / oversubscription


def largest_oversubscription(
    *, gradient_bytes: float, pods: int, gpus_per_pod: int, port_bytes_per_s: float, available_s: float
) -> float:
    """Lowest bandwidth between pods at which a hierarchical all-reduce still finishes in a given time.

        r = n · β_port · t/(2 · M · (D-1)/D)

    Inside the pods the gradients have been reduced before, so a pod sends each byte of the message about twice.

    Units:   gradient_bytes of one whole replica's message; bytes/s per direction of a GPU's port; seconds. A ratio.
    Raises:  ValueError if pods is below 2, gpus_per_pod below 1, or a size, rate or time is not positive.
    Source:  gather_bandwidth and pod_uplink_bytes_per_s, solved for the oversubscription.

    >>> round(largest_oversubscription(gradient_bytes=810e9, pods=8, gpus_per_pod=2048, port_bytes_per_s=50e9,
    ...                                available_s=0.2), 1)
    14.4
    """
    require_positive(gradient_bytes=gradient_bytes, available_s=available_s)
    wide_open = pod_uplink_bytes_per_s(gpus_per_pod=gpus_per_pod, port_bytes_per_s=port_bytes_per_s, oversubscription=1)
    all_reduce_bytes_per_s = gather_bandwidth(children=pods, uplink_bytes_per_s=wide_open) / 2
    return all_reduce_bytes_per_s * available_s / gradient_bytes


def in_switch_bytes(*, message_bytes: float, gpus: int) -> float:
    """Bytes that each GPU sends in an all-reduce that the switch adds up.

        bytes = M · (N+1)/N

    Every GPU owns one part of N. The switch reads that part from all N GPUs, adds, and gives the sum to the owner: so
    each GPU sends its whole message once. The owner sends the sum back once, and the switch copies it to all.

    Units:   bytes; a count. Result in bytes.
    Raises:  ValueError if message_bytes is not positive or gpus is below 2.
    Source:  NVIDIA 2022, "Upgrading Multi-GPU Interconnectivity with the Third-Generation NVIDIA NVSwitch" (N+1 for 2N).

    >>> in_switch_bytes(message_bytes=8e9, gpus=8) / 1e9     # a ring sends 14
    9.0
    """
    require_positive(message_bytes=message_bytes)
    require_counts(gpus=gpus)
    if gpus < 2:
        raise ValueError(f"gpus must be at least 2, not {gpus!r}")
    return message_bytes * (gpus + 1) / gpus


def link_rate_behind_in_switch(*, bus_bytes_per_s: float, gpus: int) -> float:
    """Rate of the links when a switch adds up the data, from the reported bus bandwidth.

        rate = busbw · (N+1)/(2 · (N-1))

    The benchmark counts 2·(N-1)/N bytes for each byte of the message, the links carry (N+1)/N.

    Units:   bytes/s per direction, both.
    Raises:  ValueError if gpus is below 2 or the rate is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md, and in_switch_bytes.

    >>> round(link_rate_behind_in_switch(bus_bytes_per_s=480e9, gpus=8) / 1e9, 1)     # of 450
    308.6
    """
    require_positive(bus_bytes_per_s=bus_bytes_per_s)
    require_counts(gpus=gpus)
    if gpus < 2:
        raise ValueError(f"gpus must be at least 2, not {gpus!r}")
    return bus_bytes_per_s * (gpus + 1) / (2 * (gpus - 1))


def port_rate_behind_bus_bandwidth(*, bus_bytes_per_s: float, servers: int, gpus_per_server: int) -> float:
    """Average rate of each GPU's port during a sharded all-reduce, from the reported bus bandwidth.

        rate = busbw · (k-1)/(N-1)      with  N = g · k

    The benchmark counts 2·(N-1)/N bytes for each byte of the message, a port carries 2·(k-1)/(k·g).

    Units:   bytes/s per direction, both.
    Raises:  ValueError if servers is below 2, gpus_per_server below 1, or the rate is not positive.
    Source:  Bekman, Machine Learning Engineering, network, "So what should you expect?".

    >>> round(port_rate_behind_bus_bandwidth(bus_bytes_per_s=377.34e9, servers=4, gpus_per_server=8) / 1e9, 2)    # of 50
    36.52
    """
    require_positive(bus_bytes_per_s=bus_bytes_per_s)
    require_counts(servers=servers, gpus_per_server=gpus_per_server)
    if servers < 2:
        raise ValueError(f"servers must be at least 2, not {servers!r}")
    gpus = servers * gpus_per_server
    return bus_bytes_per_s * (servers - 1) / (gpus - 1)


def collective_gap(*, near_gpus: int, near_bus_bytes_per_s: float, far_gpus: int, far_bus_bytes_per_s: float) -> float:
    """Ratio of an all-reduce's times on more and on fewer GPUs, from measured bus bandwidths.

        gap = (N_f-1)/N_f / busbw_f · N_n/(N_n-1) · busbw_n

    The message cancels. The gap between links (ring.link_gap) is another quantity, and a larger one.

    Units:   counts; bytes/s. Result is a ratio of times for the same message.
    Raises:  ValueError if a count is below 2 or a rate is not positive.
    Source:  nccl-tests, doc/PERFORMANCE.md; measured in Bekman, Machine Learning Engineering, network.

    >>> round(collective_gap(near_gpus=8, near_bus_bytes_per_s=740.64e9, far_gpus=32, far_bus_bytes_per_s=377.34e9), 2)
    2.17
    """
    require_counts(near_gpus=near_gpus, far_gpus=far_gpus)
    require_positive(near_bus_bytes_per_s=near_bus_bytes_per_s, far_bus_bytes_per_s=far_bus_bytes_per_s)
    if min(near_gpus, far_gpus) < 2:
        raise ValueError(f"near_gpus and far_gpus must be at least 2, not {near_gpus!r} and {far_gpus!r}")
    near_s = (near_gpus - 1) / near_gpus / near_bus_bytes_per_s
    far_s = (far_gpus - 1) / far_gpus / far_bus_bytes_per_s
    return far_s / near_s
