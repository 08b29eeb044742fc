"""A training step over two pods, walked layer by layer: every message that crosses is put on the pod that sends it."""

from __future__ import annotations

from collections import defaultdict

from ..ring.ring import play_ring

PARTS = 8  # into which the batch is cut; their number changes nothing


def _all_reduce(sent: defaultdict[int, float], message_bytes: float) -> None:
    """The two pods are the two places of a played ring."""
    for pod, share in enumerate(play_ring(2).sent_shares):
        sent[pod] += share * message_bytes


def pod_bytes(
    *,
    axis: str,
    parameters: float,
    layers: int,
    hidden: int,
    batch_tokens: float,
    bytes_per_gradient: float = 4,
    bytes_per_value: float = 2,
) -> float:
    """What the pod that sends more has sent at the end of a walked step."""
    sent: defaultdict[int, float] = defaultdict(int)
    home = [int(axis == "pipeline" and layer >= layers / 2) for layer in range(layers)]  # the pod of each layer
    for _ in range(PARTS):
        vectors = batch_tokens / PARTS * hidden * bytes_per_value
        for way in (range(layers), range(layers - 1, -1, -1)):  # forward, then backward
            before = None
            for layer in way:
                if before is not None and home[layer] != home[before]:
                    sent[home[before]] += vectors
                if axis == "tensor":  # after the attention and after the MLP
                    _all_reduce(sent, vectors)
                    _all_reduce(sent, vectors)
                before = layer
    if axis == "data":
        for _ in range(layers):
            _all_reduce(sent, parameters / layers * bytes_per_gradient)
    return max(sent.values(), default=0.0)


def data_parallel_pod_bytes(*, parameters: float, bytes_per_gradient: float = 4) -> float:
    """Whole replicas in each pod, walked."""
    return pod_bytes(
        axis="data", parameters=parameters, layers=12, hidden=8, batch_tokens=64, bytes_per_gradient=bytes_per_gradient
    )


def pipeline_pod_bytes(*, batch_tokens: float, hidden: int, bytes_per_value: float = 2) -> float:
    """Half of the layers in each pod, walked."""
    return pod_bytes(
        axis="pipeline", parameters=1.0, layers=12, hidden=hidden, batch_tokens=batch_tokens,
        bytes_per_value=bytes_per_value,
    )  # fmt: skip


def tensor_parallel_pod_bytes(*, batch_tokens: float, hidden: int, layers: int, bytes_per_value: float = 2) -> float:
    """Every layer over both pods, walked."""
    return pod_bytes(
        axis="tensor", parameters=1.0, layers=layers, hidden=hidden, batch_tokens=batch_tokens,
        bytes_per_value=bytes_per_value,
    )  # fmt: skip


def share_of_computation(
    *,
    pod_bytes: float,
    parameters: float,
    batch_tokens: float,
    gpus_per_pod: int,
    port_bytes_per_s: float,
    oversubscription: float,
    flop_per_s: float,
) -> float:
    """Give each GPU its part of the bytes and its part of the tokens, and compare two clocks."""
    sending = computing = 0.0
    for _ in range(2):  # the pods: one sends while the other sends, and one computes while the other computes
        part_of_bytes = pod_bytes / gpus_per_pod
        sending = max(sending, part_of_bytes / (port_bytes_per_s / oversubscription))
        own_tokens = batch_tokens / 2 / gpus_per_pod
        computing = max(computing, sum(flop * parameters * own_tokens / flop_per_s for flop in (2, 4)))
    return sending / computing


def axes_that_may_cross(
    *,
    parameters: float,
    layers: int,
    hidden: int,
    batch_tokens: float,
    gpus_per_pod: int,
    port_bytes_per_s: float,
    oversubscription: float,
    flop_per_s: float,
    allowed_share: float,
) -> str:
    """Walk a step for each axis, and keep those that are done in time."""
    kept = []
    for axis in ("data", "pipeline", "tensor"):
        crossing = pod_bytes(axis=axis, parameters=parameters, layers=layers, hidden=hidden, batch_tokens=batch_tokens)
        share = share_of_computation(
            pod_bytes=crossing,
            parameters=parameters,
            batch_tokens=batch_tokens,
            gpus_per_pod=gpus_per_pod,
            port_bytes_per_s=port_bytes_per_s,
            oversubscription=oversubscription,
            flop_per_s=flop_per_s,
        )
        if share <= allowed_share:
            kept.append(axis)
    return " or ".join(kept) if kept else "none"
