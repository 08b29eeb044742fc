"""The MLP on one GPU with a numerical gradient, with and without the channels of a rank."""

from __future__ import annotations

from fractions import Fraction


def mlp_on_ranks(
    *, x: float, up: str, down: str, bias: float, upstream: float, tp: int, rank: int
) -> tuple[float, float, float, float]:
    """Compute output and gradient with all channels and without the rank's; the difference is the rank's part."""
    channels = list(zip(map(int, up.split()), map(int, down.split()), strict=True))
    if len(channels) % tp or rank not in range(tp):
        raise ValueError("no even parts")
    inner = len(channels) // tp
    others = channels[: rank * inner] + channels[(rank + 1) * inner :]

    def output(value: Fraction, kept: list[tuple[int, int]]) -> Fraction:
        return sum((max(Fraction(0), value * first) * second for first, second in kept), Fraction(0))

    at = Fraction(x)
    step = at / 10**6  # away from 0, where the function bends; exact, because it is linear on either side
    slope = {
        name: Fraction(upstream) * (output(at + step, kept) - output(at, kept)) / step if step else Fraction(0)
        for name, kept in (("all", channels), ("others", others))
    }
    return (
        float(output(at, channels) - output(at, others)), float(output(at, channels) + Fraction(bias)),
        float(slope["all"] - slope["others"]), float(slope["all"]),
    )  # fmt: skip
