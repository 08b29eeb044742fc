"""FSDP and tensor parallelism on the same links: what a layer sends when GPUs are split between the two."""

from __future__ import annotations

from functools import partial

from ..facts.arguments import require_counts, require_positive
from ..ring import ring
from .tensor_parallel import traffic_bytes


def layer_bytes_sent(*, tokens: int, hidden: int, layer_parameters: float, fsdp: int, tp: int) -> float:
    """Bytes that a GPU sends in a layer's forward pass, for the weights over FSDP and for the activations over TP, in BF16.

        bytes = 2 · W/t · (x-1)/x  +  2 · 2 · 2 · (T/x) · d · (t-1)/t

    FSDP gathers the slice of the layer that a tensor-parallel rank works with. Tensor parallelism has two ring all-reduces
    of the outputs of its group's tokens.

    Units:   tokens of the whole batch on x · t GPUs; layer_parameters of the whole layer; counts. Result in bytes.
    Raises:  ValueError if a count is below 1, the parameters not positive, or fsdp does not divide the tokens.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2; Austin et al. 2025, How to Scale Your Model, part 5.

    >>> run = {"tokens": 262_144, "hidden": 8192, "layer_parameters": 855_638_016}    # Llama 3 70B, 64 sequences of 4,096
    >>> [round(layer_bytes_sent(**run, fsdp=x, tp=64 // x) / 1e6) for x in (8, 16, 32, 64)]    # MB
    [2066, 1206, 1097, 1685]
    """
    require_counts(tokens=tokens, hidden=hidden, fsdp=fsdp, tp=tp)
    require_positive(layer_parameters=layer_parameters)
    if tokens % fsdp:
        raise ValueError(f"fsdp must divide the {tokens} tokens, not {fsdp}")
    gathered = ring.bytes_sent_per_phase(message_bytes=2 * layer_parameters / tp, gpus=fsdp)
    return gathered + traffic_bytes(tokens=tokens // fsdp, hidden=hidden, layers=1, tp=tp, span="forward")


def lightest_fsdp_degree(*, tokens: int, hidden: int, layer_parameters: float, gpus: int) -> int:
    """FSDP degree, a power of two, at which GPUs send the fewest bytes in a layer's forward pass; TP takes the other factor.

        least of  2 · W/t · (x-1)/x + 8 · (T/x) · d · (t-1)/t  over  x · t = N,  near  x = sqrt(4 · T · d · N / W)

    Units:   as in layer_bytes_sent; gpus is a power of two. Result is a count.
    Raises:  ValueError if gpus is not a power of two, or as layer_bytes_sent does.
    Source:  Austin et al. 2025, How to Scale Your Model, part 5, "Mixed FSDP and Tensor Parallelism", for two all-reduces
             of a whole layer and links of one speed.

    >>> lightest_fsdp_degree(tokens=262_144, hidden=8192, layer_parameters=855_638_016, gpus=64)
    32
    """
    require_counts(gpus=gpus)
    if gpus & (gpus - 1):
        raise ValueError(f"gpus must be a power of two, not {gpus}")
    sent = partial(layer_bytes_sent, tokens=tokens, hidden=hidden, layer_parameters=layer_parameters)
    degrees = [1 << power for power in range(gpus.bit_length())]
    return min(degrees, key=lambda fsdp: sent(fsdp=fsdp, tp=gpus // fsdp))
