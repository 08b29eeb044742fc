"""FSDP with TP as two clocks: the bytes of a layer on a link, and its matmuls on a GPU."""

from __future__ import annotations

from fractions import Fraction

from .fsdp_beside_tp import layer_bytes_sent


def traffic_over_compute(
    *, tokens: int, hidden: int, layer_parameters: float, fsdp: int, tp: int, flop_per_s: float, bandwidth_bytes_per_s: float
) -> float:  # fmt: skip
    """Divide the time on the link by the time of the matmuls, in fractions."""
    sent = layer_bytes_sent(tokens=tokens, hidden=hidden, layer_parameters=layer_parameters, fsdp=fsdp, tp=tp)
    own_tokens, own_weights = Fraction(tokens, fsdp), Fraction(layer_parameters) / tp
    computing = 2 * own_tokens * own_weights / Fraction(flop_per_s)
    return float(Fraction(sent) / Fraction(bandwidth_bytes_per_s) / computing)


def sharding_that_hides(
    *, tokens: int, hidden: int, layer_parameters: float, gpus: int, flop_per_s: float, bandwidth_bytes_per_s: float
) -> str:
    """Try every split into powers of two, FSDP alone first."""
    hidden_splits = [
        fsdp
        for fsdp in (gpus >> power for power in range(gpus.bit_length()))
        if traffic_over_compute(
            tokens=tokens, hidden=hidden, layer_parameters=layer_parameters, fsdp=fsdp, tp=gpus // fsdp,
            flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s,
        ) <= 1
    ]  # fmt: skip
    return "neither" if not hidden_splits else "FSDP" if hidden_splits[0] == gpus else "both"
