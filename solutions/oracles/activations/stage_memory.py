"""Stages and schedules compared by what their operations leave behind, and by when the played step ends."""

from __future__ import annotations

from fractions import Fraction

from ..pipeline.pipeline import Played, in_flight, play, play_orders
from ..pipeline.schedules import gpipe


def stage_bytes(
    *, stages: int, stage: int, micro_batches: int, kept_bytes: float, first_stage_bytes: float, last_stage_bytes: float
) -> float:
    """Follow a stage's operations, and put what its ends hold besides on top."""
    besides = {0: first_stage_bytes} if stages > 1 else {0: first_stage_bytes + last_stage_bytes}
    if stages > 1:
        besides[stages - 1] = last_stage_bytes
    forwards_held = in_flight(stages=stages, stage=stage, micro_batches=micro_batches)
    return sum([kept_bytes] * forwards_held) + besides.get(stage, 0.0)


def fullest_stage(
    *, stages: int, micro_batches: int, kept_bytes: float, first_stage_bytes: float, last_stage_bytes: float
) -> str:
    """Weigh all stages and name the fullest."""
    names = ["first", *["middle"] * (stages - 2), "last"] if stages > 1 else ["first"]
    weighed = [
        (stage_bytes(stages=stages, stage=stage, micro_batches=micro_batches, kept_bytes=kept_bytes,
                     first_stage_bytes=first_stage_bytes, last_stage_bytes=last_stage_bytes), name)
        for stage, name in enumerate(names)
    ]  # fmt: skip
    return max(weighed, key=lambda entry: entry[0])[1]


def smallest_virtual_stages(*, stages: int, stage_layers: int, plain_bytes: float, room_bytes: float) -> int:
    """Deal the stage's layers into ever more pieces, and weigh what the played first rank holds of them."""
    layer_bytes = Fraction(plain_bytes) / (stages * stage_layers)  # plain 1F1B has `stages` micro-batches in flight
    for pieces in range(2, stage_layers + 1):
        if stage_layers % pieces:
            continue
        held = play(stages, 4 * stages, pieces).peak_held(0) * (stage_layers // pieces) * layer_bytes
        if held <= Fraction(room_bytes):
            return pieces
    raise ValueError("no interleaving fits")


def _played_gpipe(stages: int, micro_batches: int) -> Played:
    orders = [gpipe(rank, stages, micro_batches) for rank in range(stages)]
    return play_orders(orders, [{"F": Fraction(1), "B": Fraction(2)}] * stages)
