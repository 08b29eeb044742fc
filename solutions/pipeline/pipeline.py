"""A pipeline of equal stages: its bubble under both names, its step, and how many micro-batches each stage has in flight."""

from __future__ import annotations

from math import ceil, floor

from ..facts.arguments import require_counts, require_fraction, require_index, require_positive


def bubble_overhead(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Pipeline bubble as a multiple of the ideal compute time. It may be above 1.

        overhead = (p - 1) / (v · m)

    GPipe and 1F1B have the same bubble (v = 1). Interleaving divides it by the virtual stages of a GPU.

    Units:   every argument is a count. Result as a ratio of times.
    Raises:  ValueError if an argument is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 2.2.1 and 2.2.2 ("fraction of ideal computation time").

    >>> bubble_overhead(stages=16, micro_batches=4)    # the bubble is 3.75 times the work
    3.75
    >>> bubble_overhead(stages=16, micro_batches=4, virtual_stages=2)
    1.875
    """
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    return (stages - 1) / (virtual_stages * micro_batches)


def bubble_idle_fraction(*, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Share of the step that a pipeline stage spends waiting. It is always below 1.

        idle = (p - 1) / (v · m + p - 1)

    Units:   every argument is a count. Result as a fraction of the whole step.
    Raises:  ValueError if an argument is below 1.
    Source:  Huang et al. 2019, arXiv:1811.06965, section 2.3; for v: Narayanan et al. 2021, section 2.2.2.

    >>> round(bubble_idle_fraction(stages=16, micro_batches=4), 3)
    0.789
    >>> round(bubble_idle_fraction(stages=16, micro_batches=4, virtual_stages=2), 3)
    0.652
    """
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    return (stages - 1) / (virtual_stages * micro_batches + stages - 1)


def step_seconds(*, stages: int, micro_batches: int, micro_batch_seconds: float, virtual_stages: int = 1) -> float:
    """Time of a step of GPipe, 1F1B or interleaved 1F1B, when stages are equal and sending is free.

        seconds = (m + (p - 1)/v) · t

    Units:   micro_batch_seconds is t, the forward and backward pass of one micro-batch in all layers of one GPU.
    Raises:  ValueError if a count is below 1 or the time is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.

    >>> step_seconds(stages=4, micro_batches=12, micro_batch_seconds=0.1)        # 1.2 s of work and 0.3 s of bubble
    1.5
    >>> step_seconds(stages=4, micro_batches=12, micro_batch_seconds=0.1, virtual_stages=2)
    1.35
    """
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    require_positive(micro_batch_seconds=micro_batch_seconds)
    return (micro_batches + (stages - 1) / virtual_stages) * micro_batch_seconds


def speedup_of_more_replicas(*, stages: int, micro_batches: int, factor: int, virtual_stages: int = 1) -> float:
    """How many times faster a step becomes with `factor` times the replicas and the same global batch.

        speedup = (m + (p - 1)/v) / (m/factor + (p - 1)/v)

    The batch is shared by more pipelines, so each has fewer micro-batches for the same bubble. Gradient traffic is omitted.

    Units:   every argument is a count; micro_batches is m of one pipeline before. Result as a ratio.
    Raises:  ValueError if an argument is below 1, or factor does not divide m.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 2.2 and 3.3 (the bubble as data parallelism grows).

    >>> round(speedup_of_more_replicas(stages=8, micro_batches=16, factor=2), 3)   # twice the GPUs
    1.533
    """
    require_counts(stages=stages, micro_batches=micro_batches, factor=factor, virtual_stages=virtual_stages)
    if micro_batches % factor:
        raise ValueError(f"{micro_batches} micro-batches are not shared evenly by {factor} times the replicas")
    bubble = (stages - 1) / virtual_stages
    return (micro_batches + bubble) / (micro_batches / factor + bubble)


def smallest_micro_batches(
    *, stages: int, target: float, measure: str, virtual_stages: int = 1, strict: bool = False, multiple: int = 1
) -> int:
    """The smallest number of micro-batches whose bubble is at most, or strictly below, a target.

        overhead        m ≥ (p - 1) / (v · target)
        idle fraction   m ≥ (p - 1) · (1 - target) / (v · target),   both rounded up to a multiple

    Megatron-LM's interleaving wants a multiple of p with its default groups of p micro-batches.

    Units:   target as a ratio; measure is "overhead" (bubble over ideal compute time) or "idle fraction" (bubble over
             the whole step); the rest are counts. Result is a count.
    Raises:  ValueError if a count is below 1, the target is not positive, an idle fraction is above 1, or the
             measure has another name.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2; Huang et al. 2019, arXiv:1811.06965, section 2.3,
             both solved for m.

    >>> smallest_micro_batches(stages=8, target=0.05, measure="overhead")                # exactly 5 %
    140
    >>> smallest_micro_batches(stages=8, target=0.05, measure="overhead", strict=True)
    141
    >>> smallest_micro_batches(stages=8, target=0.05, measure="idle fraction", strict=True)
    134
    >>> smallest_micro_batches(stages=8, target=0.05, measure="overhead", virtual_stages=2, strict=True, multiple=8)
    72
    """
    require_counts(stages=stages, virtual_stages=virtual_stages, multiple=multiple)
    require_positive(target=target)
    if measure not in ("overhead", "idle fraction"):
        raise ValueError(f"measure must be 'overhead' or 'idle fraction', not {measure!r}")
    bound = (stages - 1) / (virtual_stages * target)
    if measure == "idle fraction":
        require_fraction(target=target)
        bound *= 1 - target
    if multiple > 1:
        bound /= multiple
    # floats may put a bound that is a whole number a little next to itself
    enough = floor(bound * (1 + 1e-12)) + 1 if strict else ceil(bound * (1 - 1e-12))
    return max(1, enough) * multiple if multiple > 1 else max(1, enough)


def warm_up_forwards(*, stages: int, stage: int, micro_batches: int) -> int:
    """Forward passes that a stage runs under 1F1B before it begins to alternate.

        warm-up = min(m, p - 1 - i)

    Units:   stage is i, counted from 0; the rest are counts. Result is a count.
    Raises:  ValueError if a count is below 1 or the stage does not exist.
    Source:  Megatron-LM, megatron/core/pipeline_parallel/schedules.py (num_warmup_microbatches).

    >>> [warm_up_forwards(stages=4, stage=i, micro_batches=12) for i in range(4)]
    [3, 2, 1, 0]
    """
    _require_stage(stages=stages, stage=stage, micro_batches=micro_batches)
    return min(micro_batches, stages - 1 - stage)


def warm_up_by_stage(*, stages: int, micro_batches: int) -> tuple[int, ...]:
    """Warm-up forward passes of each stage under 1F1B, from the first stage to the last.

        warm-up of stage i = min(m, p - 1 - i)

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1.
    Source:  Megatron-LM, megatron/core/pipeline_parallel/schedules.py (num_warmup_microbatches).

    >>> warm_up_by_stage(stages=4, micro_batches=12)
    (3, 2, 1, 0)
    """
    require_counts(stages=stages, micro_batches=micro_batches)
    return tuple(warm_up_forwards(stages=stages, stage=stage, micro_batches=micro_batches) for stage in range(stages))


def in_flight(*, stages: int, stage: int, micro_batches: int) -> int:
    """Micro-batches whose activations a stage holds at its peak under 1F1B: one more than its warm-up.

        in flight = min(m, p - i)

    The first forward pass of the alternation comes before the first backward pass has freed anything. GPipe holds all m.

    Units:   stage is i, counted from 0; the rest are counts. Result is a count.
    Raises:  ValueError if a count is below 1 or the stage does not exist.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1; Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3.

    >>> [in_flight(stages=4, stage=i, micro_batches=12) for i in range(4)]
    [4, 3, 2, 1]
    >>> in_flight(stages=8, stage=0, micro_batches=6)   # there are only six
    6
    """
    _require_stage(stages=stages, stage=stage, micro_batches=micro_batches)
    return min(micro_batches, stages - stage)


def in_flight_by_stage(*, stages: int, micro_batches: int) -> tuple[int, ...]:
    """Micro-batches that each stage holds at its peak under 1F1B, from the first stage to the last.

        in flight of stage i = min(m, p - i)

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1.

    >>> in_flight_by_stage(stages=4, micro_batches=12)
    (4, 3, 2, 1)
    >>> in_flight_by_stage(stages=4, micro_batches=2)
    (2, 2, 2, 1)
    """
    require_counts(stages=stages, micro_batches=micro_batches)
    return tuple(in_flight(stages=stages, stage=stage, micro_batches=micro_batches) for stage in range(stages))


def interleaved_chunks_in_flight(*, stages: int, stage: int, micro_batches: int, virtual_stages: int) -> int:
    """Chunks, one micro-batch in one virtual stage each, that a GPU holds at its peak under interleaved 1F1B.

        chunks = min(v · m, (v + 1) · p - 2·i - 1)      v ≥ 2; with v = 1 it is 1F1B's min(m, p - i)

    A chunk is 1/v of the GPU's layers. The first GPU so holds p + (p - 1)/v micro-batches: interleaving costs memory.

    Units:   stage is i, counted from 0; the rest are counts. Result is a count of chunks.
    Raises:  ValueError if a count is below 1, the stage does not exist, or m is not a multiple of p.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3 (factor 1 + (p - 1)/(p·v) on the first GPU);
             Megatron-LM, megatron/core/pipeline_parallel/schedules.py.

    >>> interleaved_chunks_in_flight(stages=4, stage=0, micro_batches=12, virtual_stages=2)   # 5.5 micro-batches
    11
    """
    _require_stage(stages=stages, stage=stage, micro_batches=micro_batches)
    require_counts(virtual_stages=virtual_stages)
    if virtual_stages == 1:
        return in_flight(stages=stages, stage=stage, micro_batches=micro_batches)
    if micro_batches % stages:
        raise ValueError(f"{micro_batches} micro-batches are not a multiple of {stages} stages")
    return min(virtual_stages * micro_batches, (virtual_stages + 1) * stages - 2 * stage - 1)


def interleaving_memory_factor(*, stages: int, virtual_stages: int) -> float:
    """How much more activation memory interleaving takes on the first GPU than 1F1B.

        factor = 1 + (p - 1) / (p · v)      v ≥ 2; plain 1F1B has 1

    Units:   every argument is a count. Result as a ratio of bytes.
    Raises:  ValueError if an argument is below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.3.

    >>> round(interleaving_memory_factor(stages=8, virtual_stages=3), 3)   # GPT-3 175B as trained there
    1.292
    """
    require_counts(stages=stages, virtual_stages=virtual_stages)
    return 1.0 if virtual_stages == 1 else 1 + (stages - 1) / (stages * virtual_stages)


def _require_stage(*, stages: int, stage: int, micro_batches: int) -> None:
    require_counts(stages=stages, micro_batches=micro_batches)
    require_index(below=stages, stage=stage)
