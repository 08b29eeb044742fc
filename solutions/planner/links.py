"""Groups of ranks on a cluster: the links that carry their traffic, and the time of collectives over them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..communication import hierarchy
from ..experts import expert_traffic
from ..facts import hardware
from ..facts.arguments import require_counts, require_not_negative, require_positive, require_whole
from .constants import constant
from .shapes import Cluster


def spread(cluster: Cluster, *, size: int, stride: int) -> tuple[int, int]:
    """Return the ranks per node of a group, and the nodes that it spans, when its neighbours are `stride` ranks apart.

    Raises:  ValueError if a count is below 1.

    >>> spread(Cluster("H100-80GB", 64), size=16, stride=2), spread(Cluster("H100-80GB", 64), size=4, stride=8)
    ((4, 4), (1, 4))
    """
    require_counts(size=size, stride=stride)
    inside = min(size, max(1, cluster.gpus_per_node // stride))
    while size % inside:
        inside -= 1
    return inside, size // inside


def fast_bytes_per_s(cluster: Cluster) -> float:
    """Return the achieved bandwidth of a GPU over its fast links, per direction.

    >>> fast_bytes_per_s(Cluster("H100-80GB", 8)) < 450e9
    True
    """
    return hardware.fast_link_bytes_per_s(accelerator=cluster.accelerator) * constant("fast_link")


def port_bytes_per_s(cluster: Cluster) -> float:
    """Return the achieved bandwidth of a GPU over the network between nodes, per direction.

    >>> port_bytes_per_s(Cluster("H100-80GB", 16)) < 50e9
    True
    """
    return cluster.network_bytes_per_s * constant("network")


@lru_cache(maxsize=1 << 16)
def phase_seconds(cluster: Cluster, *, message_bytes: float, size: int, stride: int, calls: float = 1) -> float:
    """Return the time of a reduce-scatter or an all-gather of a message over a group.

        seconds = half of hierarchy.sharded_overlapped_seconds + calls · (hop + nodes · rank)

    All members in a node send parts of the message through their ports at once, and all links work at the same time.
    A call costs a fixed latency, plus one per further node, since its slices pass the nodes one after another; on a cluster with a
    known `rank_s`, plus that for each further rank.

    Units:   message_bytes of the whole group's tensor; calls is the number of pieces. Result in seconds.
    Raises:  ValueError if a count is below 1 or a size negative.
    Source:  hierarchy.py; the two latencies are in planner/constants.yaml.

    >>> cluster = Cluster("H100-80GB", 64)
    >>> near = phase_seconds(cluster, message_bytes=1e9, size=8, stride=1)
    >>> far = phase_seconds(cluster, message_bytes=1e9, size=8, stride=8)
    >>> 9 < far / near < 11    # one port per rank instead of NVLink
    True
    """
    require_not_negative(message_bytes=message_bytes, calls=calls)
    if size == 1 or not message_bytes:
        return 0.0
    inside, nodes = spread(cluster, size=size, stride=stride)
    both_phases = hierarchy.sharded_overlapped_seconds(
        message_bytes=message_bytes, servers=nodes, gpus_per_server=inside,
        port_bytes_per_s=port_bytes_per_s(cluster), nvlink_bytes_per_s=fast_bytes_per_s(cluster),
    )  # fmt: skip
    late = (size - 1) * cluster.rank_s if cluster.rank_s else (nodes - 1) * constant("rank_s")
    return both_phases / 2 + calls * (constant("hop_s") + late)


def hop_seconds(cluster: Cluster, *, message_bytes: float, stride: int) -> float:
    """Return the time of a message to the rank `stride` away: over the fast links inside a node, over the network beyond it.

    Units:   bytes; result in seconds.
    Raises:  ValueError if the stride is below 1 or the size negative.

    >>> cluster = Cluster("H100-80GB", 64)
    >>> hop_seconds(cluster, message_bytes=1e8, stride=1) < hop_seconds(cluster, message_bytes=1e8, stride=8)
    True
    """
    require_counts(stride=stride)
    require_not_negative(message_bytes=message_bytes)
    rate = fast_bytes_per_s(cluster)
    if stride >= cluster.gpus_per_node:
        rate = min(rate, port_bytes_per_s(cluster))
    return message_bytes / rate + constant("hop_s")


def all_to_all_seconds(cluster: Cluster, *, sent_bytes: float, size: int, stride: int, calls: int = 1) -> float:
    """Return the time in which every rank of a group sends the same number of bytes, in equal shares to each of the others.

    Units:   sent_bytes of one rank, in all calls together. Result in seconds.
    Raises:  ValueError if a count is below 1 or the size negative.

    >>> cluster = Cluster("H100-80GB", 64)
    >>> far, near = (all_to_all_seconds(cluster, sent_bytes=1e9, size=8, stride=stride) for stride in (8, 1))
    >>> far > 5 * near
    True
    """
    require_not_negative(sent_bytes=sent_bytes)
    require_counts(calls=calls)
    if size == 1:
        return 0.0
    inside, _ = spread(cluster, size=size, stride=stride)
    away = (size - inside) / (size - 1)
    near, far = (1 - away) * sent_bytes / fast_bytes_per_s(cluster), away * sent_bytes / port_bytes_per_s(cluster)
    return max(near, far) + calls * constant("hop_s")


def dispatch_seconds(
    cluster: Cluster, *, tokens: float, hidden: int, experts: int, experts_per_token: int, ep: int, stride: int = 1,
    node_limit: int = 0, bytes_per_element: float = 2, port_share: float = 0, once: bool = False, in_turn: bool = False,
) -> float:  # fmt: skip
    """Return the time of one all-to-all of an expert-parallel group: every copy over the fast links, one per node over the network.

    A router with a `node_limit` sends a token to at most that many nodes; otherwise, the expected number counts. A dispatcher that
    sends a token `once` sends one copy per rank instead of one per expert. `in_turn` is the routing of some benchmarks, which
    gives each token the experts that follow those of the token before.

    Units:   tokens of one GPU; counts; bytes of an element; the share of the port that the kernels achieve, or 0 for that of
             collectives. Result in seconds.
    Raises:  ValueError as expert_traffic.exchange_bytes and port_bytes.
    Source:  expert_traffic.py (DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.2: a token is sent to each node once).

    >>> case = {"tokens": 4096, "hidden": 7168, "experts": 256, "experts_per_token": 8}
    >>> dispatch_seconds(Cluster("H100-80GB", 64), ep=64, **case) > dispatch_seconds(Cluster("H100-80GB", 64), ep=8, **case)
    True
    >>> each, once = (dispatch_seconds(Cluster("H100-80GB", 8), ep=8, once=once, **case) for once in (False, True))
    >>> round(once / each, 2)
    0.67
    """
    require_positive(tokens=tokens)
    require_counts(hidden=hidden, experts=experts, experts_per_token=experts_per_token, ep=ep)
    require_whole(node_limit=node_limit)
    require_not_negative(port_share=port_share)
    if ep == 1:
        return 0.0
    _, nodes = spread(cluster, size=ep, stride=stride)
    one: dict[str, Any] = {
        "tokens": 1,
        "hidden": hidden,
        "experts_per_token": experts_per_token,
        "bytes_per_element": bytes_per_element,
    }
    near = (
        expert_traffic.port_bytes(experts=experts, nodes=ep, **one)
        if once
        else expert_traffic.exchange_bytes(ep=ep, **one)
    )
    far = expert_traffic.port_bytes(experts=experts, nodes=nodes, **one)
    if in_turn:  # neighbouring experts are on one rank or on few, and those on one node
        near, far = (
            min(
                sent,
                max(1.0, experts_per_token * places / experts) * hidden * bytes_per_element * (places - 1) / places,
            )
            for sent, places in ((near, ep), (far, nodes))
        )
    if node_limit:
        far = min(far, node_limit * hidden * bytes_per_element * (nodes - 1) / nodes)
    port = port_share * cluster.network_bytes_per_s or port_bytes_per_s(cluster)
    return tokens * max(near / fast_bytes_per_s(cluster), far / port) + constant("hop_s")


def exposed_seconds(communication_s: float, compute_s: float) -> float:
    """Return the time that communication adds to a step when it overlaps with compute: the excess, and a share of what is hidden.

        seconds = max(0, c - t) + contention · min(c, t)

    A collective takes some SMs and memory bandwidth from the kernels that it overlaps with.

    Units:   seconds.
    Raises:  ValueError if a time is negative.
    Source:  the form is ours; the constant `contention` is fitted (planner/constants.yaml).

    >>> round(exposed_seconds(3.0, 2.0) - 1.0, 3) == round(exposed_seconds(2.0, 2.0), 3)
    True
    """
    require_not_negative(communication_s=communication_s, compute_s=compute_s)
    hidden = min(communication_s, compute_s)
    return communication_s - hidden + constant("contention") * hidden
