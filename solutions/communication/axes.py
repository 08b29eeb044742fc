"""Axes of parallelism over two pods: what each of them sends between the pods, and which may do so over thin links."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_fraction, require_positive
from .hierarchy import pod_uplink_bytes_per_s

AXES = ("data", "pipeline", "tensor")


def data_parallel_pod_bytes(*, parameters: float, bytes_per_gradient: float = 4) -> float:
    """Bytes that each of two pods sends to the other in a step when whole replicas are in each.

        bytes = 2 · (2-1)/2 · b · P = b · P

    Gradients are added up inside each pod, and the two sums are all-reduced. The tokens do not appear.

    Units:   a count; bytes per gradient. Result in bytes.
    Raises:  ValueError if an argument is not positive.
    Source:  hierarchy.leader_port_bytes for two places in the ring.

    >>> data_parallel_pod_bytes(parameters=8e9) / 1e9
    32.0
    """
    require_positive(parameters=parameters, bytes_per_gradient=bytes_per_gradient)
    return bytes_per_gradient * parameters


def pipeline_pod_bytes(*, batch_tokens: float, hidden: int, bytes_per_value: float = 2) -> float:
    """Bytes that each of two pods sends to the other in a step when one half of the layers is in each.

        bytes = b · B · h

    The first half sends a vector for each token of the batch, and the second half sends its gradient back. The
    parameters do not appear.

    Units:   tokens of the whole batch; width of the model; bytes per value. Result in bytes.
    Raises:  ValueError if hidden is below 1 or another argument is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2 (bsh for each micro-batch).

    >>> pipeline_pod_bytes(batch_tokens=4e6, hidden=4096) / 1e9
    32.768
    """
    require_positive(batch_tokens=batch_tokens, bytes_per_value=bytes_per_value)
    require_counts(hidden=hidden)
    return bytes_per_value * batch_tokens * hidden


def tensor_parallel_pod_bytes(*, batch_tokens: float, hidden: int, layers: int, bytes_per_value: float = 2) -> float:
    """Bytes that each of two pods sends to the other in a step when every layer is split over both.

        bytes = 4 · L · 2 · (2-1)/2 · b · B · h = 4 · L · b · B · h

    A layer all-reduces the vectors of all tokens four times, twice in each pass. They are added up inside each pod first.

    Units:   tokens of the whole batch; width of the model; layers; bytes per value. Result in bytes.
    Raises:  ValueError if a count is below 1 or another argument is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2 (two all-reduces a layer in each pass).

    >>> tensor_parallel_pod_bytes(batch_tokens=4e6, hidden=4096, layers=32) / 1e9
    4194.304
    """
    require_counts(layers=layers)
    return 4 * layers * pipeline_pod_bytes(batch_tokens=batch_tokens, hidden=hidden, bytes_per_value=bytes_per_value)


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
    """Time of what a pod sends to the other, over the time in which the GPUs of two pods compute the step.

        share = (bytes · r/(n · β)) / (6 · P · B/(2 · n · F))

    Units:   bytes of one pod and step; tokens of the whole batch; bytes/s per direction; a ratio, 7 for 1:7; FLOP/s of
             one GPU. Result is a ratio.
    Raises:  ValueError if gpus_per_pod or oversubscription is below 1, or another argument is not positive.
    Source:  hierarchy.pod_uplink_bytes_per_s; Kaplan et al. 2020, arXiv:2001.08361, section 2.1 (6 FLOP).

    >>> job = {"parameters": 8e9, "batch_tokens": 4e6, "gpus_per_pod": 512, "port_bytes_per_s": 50e9, "flop_per_s": 4e14}
    >>> round(share_of_computation(pod_bytes=32e9, oversubscription=7, **job), 4)
    0.0187
    """
    require_positive(pod_bytes=pod_bytes, parameters=parameters, batch_tokens=batch_tokens, flop_per_s=flop_per_s)
    uplink_bytes_per_s = pod_uplink_bytes_per_s(
        gpus_per_pod=gpus_per_pod, port_bytes_per_s=port_bytes_per_s, oversubscription=oversubscription
    )
    computed_s = 6 * parameters * batch_tokens / (2 * gpus_per_pod * flop_per_s)
    return pod_bytes / uplink_bytes_per_s / computed_s


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
    """The axes of which one alone may lie across two pods, where its traffic may take a share of the computation.

    The names of AXES in their order, joined by " or "; "none" if there is none.

    Units:   those of share_of_computation; allowed_share is a fraction.
    Raises:  ValueError as share_of_computation does, or if allowed_share is not above 0 and at most 1.
    Source:  the functions above.

    >>> job = {"parameters": 405e9, "layers": 126, "hidden": 16384, "gpus_per_pod": 3072, "port_bytes_per_s": 50e9,
    ...        "oversubscription": 7, "flop_per_s": 4e14, "allowed_share": 0.02}
    >>> [axes_that_may_cross(batch_tokens=tokens, **job) for tokens in (2e6, 16e6)]
    ['pipeline', 'data or pipeline']
    """
    require_fraction(allowed_share=allowed_share)
    sent = {
        "data": data_parallel_pod_bytes(parameters=parameters),
        "pipeline": pipeline_pod_bytes(batch_tokens=batch_tokens, hidden=hidden),
        "tensor": tensor_parallel_pod_bytes(batch_tokens=batch_tokens, hidden=hidden, layers=layers),
    }
    few_enough = [
        axis
        for axis in AXES
        if share_of_computation(
            pod_bytes=sent[axis],
            parameters=parameters,
            batch_tokens=batch_tokens,
            gpus_per_pod=gpus_per_pod,
            port_bytes_per_s=port_bytes_per_s,
            oversubscription=oversubscription,
            flop_per_s=flop_per_s,
        )
        <= allowed_share
    ]
    return " or ".join(few_enough) or "none"
