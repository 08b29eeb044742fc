"""Pipeline stages compared by the memory that they need."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive
from ..pipeline.pipeline import in_flight


def stage_bytes(
    *, stages: int, stage: int, micro_batches: int, kept_bytes: float, first_stage_bytes: float, last_stage_bytes: float
) -> float:
    """What one stage of a 1F1B pipeline holds at its peak, states omitted that all stages have alike.

        bytes = min(m, p - i) · kept  +  first_stage_bytes if i = 0  +  last_stage_bytes if i = p - 1

    Units:   stage is i, counted from 0. kept_bytes is for one micro-batch in the layers of a stage. The first and the last
             stage add first_stage_bytes (states of the embedding) and last_stage_bytes (states of the output layer, logits). Bytes.
    Raises:  ValueError if a count is below 1, the stage does not exist, or a size is negative.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1; Korthikanti et al. 2022, arXiv:2205.05198, section 4.3.

    >>> pipeline = {"stages": 4, "micro_batches": 16, "kept_bytes": 2e9, "first_stage_bytes": 1e9, "last_stage_bytes": 9e9}
    >>> [stage_bytes(stage=stage, **pipeline) / 1e9 for stage in range(4)]
    [9.0, 6.0, 4.0, 11.0]
    """
    require_not_negative(kept_bytes=kept_bytes, first_stage_bytes=first_stage_bytes, last_stage_bytes=last_stage_bytes)
    held = in_flight(stages=stages, stage=stage, micro_batches=micro_batches) * kept_bytes
    if stage == 0:
        held += first_stage_bytes
    if stage == stages - 1:
        held += last_stage_bytes
    return held


def fullest_stage(
    *, stages: int, micro_batches: int, kept_bytes: float, first_stage_bytes: float, last_stage_bytes: float
) -> str:
    """Which stage of a 1F1B pipeline runs out of memory first: "first", "last", or "middle" for one between.

        argmax over i of stage_bytes

    Units:   as in stage_bytes. Of equally full stages the first is named.
    Raises:  ValueError as in stage_bytes.
    Source:  as in stage_bytes.

    >>> fullest_stage(stages=4, micro_batches=16, kept_bytes=2e9, first_stage_bytes=1e9, last_stage_bytes=9e9)
    'last'
    """
    require_counts(stages=stages)
    held = [
        stage_bytes(
            stages=stages, stage=stage, micro_batches=micro_batches, kept_bytes=kept_bytes,
            first_stage_bytes=first_stage_bytes, last_stage_bytes=last_stage_bytes,
        )
        for stage in range(stages)
    ]  # fmt: skip
    fullest = held.index(max(held))
    if fullest == 0:
        return "first"
    return "last" if fullest == stages - 1 else "middle"


def smallest_virtual_stages(*, stages: int, stage_layers: int, plain_bytes: float, room_bytes: float) -> int:
    """The fewest virtual stages on each GPU with which an interleaved pipeline's first stage fits; more take less memory.

        plain · (1 + (p-1)/(p·v)) ≤ room,  v ≥ 2 divides the stage's layers

    Units:   plain_bytes is what the first stage keeps under plain 1F1B; stage_layers on each GPU. Result is a count.
    Raises:  ValueError if an argument is out of range, or one layer in each virtual stage is still too much.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3, solved for the interleaving stages.

    >>> smallest_virtual_stages(stages=8, stage_layers=12, plain_bytes=40e9, room_bytes=50e9)
    4
    """
    require_counts(stages=stages, stage_layers=stage_layers)
    require_positive(plain_bytes=plain_bytes, room_bytes=room_bytes)
    for virtual_stages in range(2, stage_layers + 1):
        chunks = stages * virtual_stages
        if stage_layers % virtual_stages == 0 and plain_bytes * (chunks + stages - 1) <= room_bytes * chunks:
            return virtual_stages
    raise ValueError("no interleaving fits")
