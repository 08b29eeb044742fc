"""Stages of a pipeline compared by the memory that they hold, and what a change of schedule does to it."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive
from ..pipeline.pipeline import bubble_overhead, in_flight, interleaved_chunks_in_flight, interleaving_memory_factor

SCHEDULES = ("GPipe", "1F1B", "interleaved 1F1B")


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
        factor = interleaving_memory_factor(stages=stages, virtual_stages=virtual_stages)
        if stage_layers % virtual_stages == 0 and plain_bytes * factor <= room_bytes:
            return virtual_stages
    raise ValueError("no interleaving fits")


def schedule_change(*, before: str, after: str, stages: int, micro_batches: int, virtual_stages: int) -> str:
    """What a change of schedule does on the first stage: words for its activation memory and for the bubble.

        memory: m with GPipe, min(m, p) with 1F1B, chunks/v with interleaving      bubble: (p-1)/m, or (p-1)/(v·m)

    Units:   counts; virtual_stages applies to "interleaved 1F1B" only. Result is "less memory, same bubble" and the like.
    Raises:  ValueError for an unknown schedule, or counts that it does not take.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 2.2.1 and 2.2.2; Korthikanti et al. 2022, section 4.2.3.

    >>> schedule_change(before="GPipe", after="1F1B", stages=8, micro_batches=32, virtual_stages=2)
    'less memory, same bubble'
    >>> schedule_change(before="1F1B", after="interleaved 1F1B", stages=8, micro_batches=32, virtual_stages=2)
    'more memory, smaller bubble'
    """
    held, bubble = {}, {}
    for name in (before, after):
        if name not in SCHEDULES:
            raise ValueError(f"a schedule must be one of {', '.join(SCHEDULES)}, not {name!r}")
        pieces = virtual_stages if name == "interleaved 1F1B" else 1
        chunks = interleaved_chunks_in_flight(
            stages=stages, stage=0, micro_batches=micro_batches, virtual_stages=pieces
        )
        held[name] = micro_batches if name == "GPipe" else chunks / pieces
        bubble[name] = bubble_overhead(stages=stages, micro_batches=micro_batches, virtual_stages=pieces)
    memory_word = _compared(held[before], held[after], less="less", more="more")
    bubble_word = _compared(bubble[before], bubble[after], less="smaller", more="larger")
    return f"{memory_word} memory, {bubble_word} bubble"


def _compared(before: float, after: float, *, less: str, more: str) -> str:
    if after == before:
        return "same"
    return less if after < before else more
