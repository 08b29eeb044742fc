"""FSDP with FP8 matmuls: the collectives to narrow so that they hide behind the matmuls."""

from __future__ import annotations

from ..facts.arguments import require_positive

EXCHANGES = {
    "nothing": (2, 4),
    "gather": (1, 4),
    "sum": (2, 2),
    "both": (1, 2),
}  # bytes per weight gathered, per gradient summed


def exchange_to_narrow(*, tokens_per_gpu: float, flop_per_s: float, bus_bandwidth_bytes_per_s: float) -> str:
    """Return the smallest change that makes FSDP's collectives no longer than the matmuls, in both passes.

        forward   w ≤ 2 · T · β / F         backward   w + g ≤ 4 · T · β / F         with (N-1)/N as 1

    w bytes are gathered per weight in each pass, and g bytes per gradient are reduced. From the smallest change to the
    largest: "nothing" (BF16, FP32), "gather" (FP8, FP32), "sum" (BF16, BF16), "both" (FP8, BF16), "more tokens".
    Gathering in FP8 changes no result if the matmuls read these FP8 weights anyway; a sum in BF16 does.

    Units:   tokens of one GPU and micro-batch; FLOP/s; bytes/s per direction. Result is a word.
    Raises:  ValueError if an argument is not positive.
    Source:  torchao, torchao/float8 (enable_fsdp_float8_all_gather); PyTorch, MixedPrecisionPolicy(reduce_dtype);
             Austin et al. 2025, How to Scale Your Model, part 5 (FSDP against compute).

    >>> run = {"flop_per_s": 800e12, "bus_bandwidth_bytes_per_s": 50e9}
    >>> [exchange_to_narrow(tokens_per_gpu=each, **run) for each in (32768, 22000, 18000, 14000, 8192)]
    ['nothing', 'gather', 'sum', 'both', 'more tokens']
    """
    require_positive(
        tokens_per_gpu=tokens_per_gpu, flop_per_s=flop_per_s, bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s
    )
    bytes_per_flop = tokens_per_gpu * bus_bandwidth_bytes_per_s / flop_per_s
    for change, (gathered, summed) in EXCHANGES.items():
        if gathered <= 2 * bytes_per_flop and gathered + summed <= 4 * bytes_per_flop:
            return change
    return "more tokens"
