"""Sharding that keeps a layer compute-bound with few tokens per GPU: FSDP alone, FSDP with TP, or neither."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from .fsdp_beside_tp import layer_bytes_sent, lightest_fsdp_degree


def traffic_over_compute(
    *, tokens: int, hidden: int, layer_parameters: float, fsdp: int, tp: int, flop_per_s: float, bandwidth_bytes_per_s: float
) -> float:  # fmt: skip
    """Return the ratio of a layer's forward communication time to its matmul time, for one split of the GPUs.

        ratio = bytes(x, t) / β  /  (2 · T · W / (x · t) / F)

    Units:   tokens of the batch on all x · t GPUs; FLOP/s and bytes/s of one GPU, per direction. Result is a ratio.
    Raises:  ValueError as layer_bytes_sent, or if a rate is not positive.
    Source:  Austin et al. 2025, How to Scale Your Model, part 5.

    >>> run = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 1500e12, "bandwidth_bytes_per_s": 900e9}
    >>> [round(traffic_over_compute(tokens=64 * 1024, fsdp=x, tp=64 // x, **run), 2) for x in (8, 16, 32, 64)]
    [0.62, 0.57, 0.85, 1.6]
    """
    require_positive(flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    sent = layer_bytes_sent(tokens=tokens, hidden=hidden, layer_parameters=layer_parameters, fsdp=fsdp, tp=tp)
    computed_s = 2 * tokens * layer_parameters / (fsdp * tp) / flop_per_s
    return sent / bandwidth_bytes_per_s / computed_s


def sharding_that_hides(
    *, tokens: int, hidden: int, layer_parameters: float, gpus: int, flop_per_s: float, bandwidth_bytes_per_s: float
) -> str:
    """Return the sharding whose forward communication takes no longer than the compute: "FSDP", else "both", else "neither".

        FSDP alone    while  T/N  >  F/β                        (weights once past each GPU, whatever the tokens)
        both          while  T/N  >  about 16 · (F/β)² · d / W   (the best split of N into FSDP and TP)

    Units:   as traffic_over_compute; gpus is a power of two. Result is a word.
    Raises:  ValueError as traffic_over_compute, or if gpus is not a power of two.
    Source:  Austin et al. 2025, How to Scale Your Model, part 5, "Mixed FSDP and Tensor Parallelism", for two all-reduces of
             a whole layer, links of one speed, and both kinds of traffic on them one after the other.

    >>> run = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 1500e12, "bandwidth_bytes_per_s": 900e9}
    >>> [sharding_that_hides(tokens=64 * each, gpus=64, **run) for each in (4096, 1024, 256)]
    ['FSDP', 'both', 'neither']
    """
    require_counts(gpus=gpus)
    rates = {"flop_per_s": flop_per_s, "bandwidth_bytes_per_s": bandwidth_bytes_per_s}
    best = lightest_fsdp_degree(tokens=tokens, hidden=hidden, layer_parameters=layer_parameters, gpus=gpus)
    layer = {"tokens": tokens, "hidden": hidden, "layer_parameters": layer_parameters}
    if traffic_over_compute(**layer, fsdp=gpus, tp=1, **rates) <= 1:  # type: ignore[arg-type]  # counts stay counts
        return "FSDP"
    return "both" if traffic_over_compute(**layer, fsdp=best, tp=gpus // best, **rates) <= 1 else "neither"  # type: ignore[arg-type]
