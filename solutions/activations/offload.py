"""Activations offloaded to CPU memory in the forward pass, compared with recomputation."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_positive

ANSWERS = ("offload, hidden", "offload, exposed", "recompute")


def offload_seconds(*, count: int, layers: int, forward_s: float, layer_bytes: float, link_bytes_per_s: float) -> float:
    """Return how much longer the forward pass takes when the activations of some layers are offloaded.

        seconds = max(0, n · A/β - L · t_f)

    The layers are spread over the model, so that copies may overlap with all of the forward pass. The backward pass takes
    about twice as long, so the way back is hidden too.

    Units:   count is n; per layer: forward_s (t_f) in seconds, layer_bytes (A); bytes/s in one direction. Result in seconds.
    Raises:  ValueError if a count is below 1, or another argument is not positive.
    Source:  Rajbhandari et al. 2021, arXiv:2104.07857, section 4.1 (bandwidth that offloaded activations need).

    >>> case = {"layers": 32, "forward_s": 9e-3, "layer_bytes": 1.07e9, "link_bytes_per_s": 50e9}
    >>> [round(offload_seconds(count=n, **case) * 1e3) for n in (13, 20)]    # milliseconds
    [0, 140]
    """
    require_counts(count=count, layers=layers)
    require_positive(forward_s=forward_s, layer_bytes=layer_bytes, link_bytes_per_s=link_bytes_per_s)
    return max(0.0, count * layer_bytes / link_bytes_per_s - layers * forward_s)


def offload_or_recompute(
    *, free_bytes: float, layers: int, forward_s: float, layer_bytes: float, input_bytes: float, link_bytes_per_s: float
) -> str:
    """Return the cheaper way to free memory: offload the activations of a layer except its input, or recompute them.

        n = ⌈free / (A - I)⌉ layers either way;  offload costs max(0, n · (A - I)/β - L · t_f),  recomputation n · t_f

    Units:   free_bytes to free; per layer: forward_s, layer_bytes (A), input_bytes (I); bytes/s in one direction. Result is
             "offload, hidden", "offload, exposed" (still cheaper), or "recompute".
    Raises:  ValueError if an argument is out of range, or all layers together do not free as much.
    Source:  as in offload_seconds; Megatron Core documentation, Fine-Grained Activation Offloading.

    >>> case = {"layers": 32, "forward_s": 9e-3, "layer_bytes": 1.14e9, "input_bytes": 0.07e9}
    >>> [offload_or_recompute(free_bytes=free, link_bytes_per_s=rate, **case)
    ...  for free, rate in ((12e9, 50e9), (16e9, 50e9), (16e9, 25e9))]
    ['offload, hidden', 'offload, exposed', 'recompute']
    """
    require_counts(layers=layers)
    require_positive(free_bytes=free_bytes, layer_bytes=layer_bytes, input_bytes=input_bytes)
    if input_bytes >= layer_bytes:
        raise ValueError("a layer keeps more than its input")
    freed_bytes = layer_bytes - input_bytes
    count = math.ceil(free_bytes / freed_bytes * (1 - 1e-12))
    if count > layers:
        raise ValueError("all layers together do not free as much")
    exposed_s = offload_seconds(
        count=count, layers=layers, forward_s=forward_s, layer_bytes=freed_bytes, link_bytes_per_s=link_bytes_per_s
    )
    if exposed_s == 0:
        return "offload, hidden"
    return "offload, exposed" if exposed_s < count * forward_s else "recompute"
