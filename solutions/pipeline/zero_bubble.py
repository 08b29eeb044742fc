"""Schedules that split the backward pass: bubble, step and activation memory of ZB-H1, ZB-H2 and the V schedules."""

from __future__ import annotations

from functools import partial

from ..facts.arguments import require_counts, require_not_negative, require_positive
from .pipeline import interleaved_chunks_in_flight

SCHEDULES = ("GPipe", "1F1B", "interleaved", "ZB-H1", "ZB-H2")
SPLIT = ("ZB-H1", "ZB-H2")  # run the gradients of input and weights as two operations


def bubble_seconds(
    *,
    schedule: str,
    stages: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int = 1,
) -> float:
    """The longest that a GPU waits between its first and its last operation of a step.

        GPipe, 1F1B    (p - 1) · (F + B + W)
        interleaved    (p - 1) · (F + B + W) / v
        ZB-H1          (p - 1) · (F + B - W)
        ZB-H2          (p - 1) · (F + B - 2·W)

    B is the gradient of the input, which the stage before waits for; W the gradient of the weights, for which nobody waits
    and which therefore fills gaps. With F = B = W a third of the bubble is left under ZB-H1, and nothing under ZB-H2.

    Units:   seconds of one micro-batch on one GPU; counts. At least p micro-batches, under ZB-H2 at least 2p - 1.
    Raises:  ValueError if a count is below 1, a time is not positive, the schedule is unknown, or 2·W is above F + B.
    Source:  Qi et al. 2024, arXiv:2401.10241, section 2.3, Table 2; interleaving: Narayanan et al. 2021, section 2.2.2.

    >>> times = {"stages": 4, "forward_s": 1, "input_backward_s": 1, "weight_backward_s": 1}
    >>> [bubble_seconds(schedule=name, **times) for name in ("1F1B", "ZB-H1", "ZB-H2")]
    [9, 3, 0]
    """
    require_counts(stages=stages, virtual_stages=virtual_stages)
    require_positive(forward_s=forward_s, input_backward_s=input_backward_s, weight_backward_s=weight_backward_s)
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {schedule!r}")
    if 2 * weight_backward_s > forward_s + input_backward_s:
        raise ValueError("the weight gradient takes too long to fit into the gaps: 2W must be at most F + B")
    others = stages - 1
    if schedule == "ZB-H1":
        return others * (forward_s + input_backward_s - weight_backward_s)
    if schedule == "ZB-H2":
        return others * (forward_s + input_backward_s - 2 * weight_backward_s)
    whole = others * (forward_s + input_backward_s + weight_backward_s)
    return whole / virtual_stages if schedule == "interleaved" else whole


def step_seconds(
    *,
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int = 1,
) -> float:
    """Time that a GPU spends on a step: its work, and its wait.

        seconds = m · (F + B + W) + bubble

    Under ZB-H2 the GPUs begin and end at different times, and the next step begins on each as soon as it is done.

    Units:   seconds; counts.
    Raises:  ValueError as `bubble_seconds`, or if micro_batches is below p, under ZB-H2 below 2p - 1.
    Source:  Qi et al. 2024, arXiv:2401.10241, section 2.3.

    >>> step_seconds(schedule="ZB-H1", stages=4, micro_batches=8, forward_s=1, input_backward_s=1, weight_backward_s=1)
    27
    """
    require_counts(micro_batches=micro_batches)
    least = 2 * stages - 1 if schedule == "ZB-H2" else stages
    if micro_batches < least:
        raise ValueError(f"micro_batches must be at least {least} under {schedule}, not {micro_batches}")
    bubble = bubble_seconds(
        schedule=schedule, stages=stages, forward_s=forward_s, input_backward_s=input_backward_s,
        weight_backward_s=weight_backward_s, virtual_stages=virtual_stages,
    )  # fmt: skip
    return micro_batches * (forward_s + input_backward_s + weight_backward_s) + bubble


def throughput_gain(
    *,
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int = 1,
) -> float:
    """How much more a schedule trains in the same time than 1F1B.

        gain = step of 1F1B / step of the schedule - 1

    Units:   seconds; counts. Result as a ratio of rates, less 1.
    Raises:  ValueError as `step_seconds`.
    Source:  Qi et al. 2024, arXiv:2401.10241, sections 2.3 and 5.2.

    >>> times = {"forward_s": 1, "input_backward_s": 1, "weight_backward_s": 1}
    >>> round(throughput_gain(schedule="ZB-H1", stages=8, micro_batches=24, **times), 3)
    0.177
    >>> round(throughput_gain(schedule="ZB-H2", stages=8, micro_batches=24, **times), 3)
    0.292
    """
    step = partial(
        step_seconds, stages=stages, micro_batches=micro_batches, forward_s=forward_s, input_backward_s=input_backward_s,
        weight_backward_s=weight_backward_s,
    )  # fmt: skip
    plain, whole = step(schedule="1F1B"), step(schedule=schedule, virtual_stages=virtual_stages)
    return plain / whole - 1


def bubble_rate_with_hops(
    *,
    schedule: str,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    hop_s: float,
) -> float:
    """Share of its step that a GPU waits, when a tensor takes a while from stage to stage.

        bubble = bubble without hops + hops · hop
        hops   = 2 · (p - 1 + (m - 1) - ⌈(m - 1)/p⌉) under 1F1B, 4 · (p - 1) under ZB-H1, 2 · (p - 1) under ZB-H2

    1F1B waits for hops in every round of p micro-batches. With a split backward pass a weight gradient is at hand meanwhile.

    Units:   seconds; counts; the hop takes no time of a GPU and is short next to the passes. Result as a fraction.
    Raises:  ValueError as `step_seconds`, if hop_s is negative, or for a schedule other than these three.
    Source:  counted on the schedules; Qi et al. 2024, arXiv:2401.10241, Table 5 from the times of Table 6.

    >>> times = {"forward_s": 18.522, "input_backward_s": 18.086, "weight_backward_s": 9.337, "hop_s": 0.601}
    >>> [round(bubble_rate_with_hops(schedule=name, stages=8, micro_batches=24, **times), 4)
    ...  for name in ("1F1B", "ZB-H1", "ZB-H2")]      # as printed for the 1.5B model
    [0.2431, 0.1585, 0.1083]
    """
    require_not_negative(hop_s=hop_s)
    whole = step_seconds(
        schedule=schedule, stages=stages, micro_batches=micro_batches, forward_s=forward_s,
        input_backward_s=input_backward_s, weight_backward_s=weight_backward_s,
    )  # fmt: skip
    bubble = bubble_seconds(
        schedule=schedule, stages=stages, forward_s=forward_s, input_backward_s=input_backward_s,
        weight_backward_s=weight_backward_s,
    )  # fmt: skip
    others = stages - 1
    rounds = -(-(micro_batches - 1) // stages)
    hops = {"1F1B": 2 * (others + micro_batches - 1 - rounds), "ZB-H1": 4 * others, "ZB-H2": 2 * others}
    if schedule not in hops:
        raise ValueError(f"schedule must be one of {', '.join(hops)}, not {schedule!r}")
    waited = hops[schedule] * hop_s if others else 0.0
    return (bubble + waited) / (whole + waited)


def peak_micro_batches(*, schedule: str, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """Micro-batches whose activations the most loaded GPU holds at its peak, each in all layers of that GPU.

        GPipe m,  1F1B and ZB-H1 p,  interleaved p + (p - 1)/v,  ZB-H2 2p - 1;  and never more than m

    Activations are counted until the weight gradient is done.

    Units:   every argument is a count. Result in micro-batches, with interleaving perhaps not a whole number.
    Raises:  ValueError if a count is below 1, the schedule is unknown, or interleaving gets no multiple of p.
    Source:  Qi et al. 2024, arXiv:2401.10241, section 2.3, Table 2; Korthikanti et al. 2022, arXiv:2205.05198,
             section 4.2.3.

    >>> [peak_micro_batches(schedule=name, stages=4, micro_batches=12) for name in ("GPipe", "1F1B", "ZB-H1", "ZB-H2")]
    [12, 4, 4, 7]
    >>> peak_micro_batches(schedule="interleaved", stages=4, micro_batches=12, virtual_stages=2)
    5.5
    """
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    if schedule not in SCHEDULES:
        raise ValueError(f"schedule must be one of {', '.join(SCHEDULES)}, not {schedule!r}")
    if schedule == "interleaved":
        chunks = interleaved_chunks_in_flight(
            stages=stages, stage=0, micro_batches=micro_batches, virtual_stages=virtual_stages
        )
        return chunks / virtual_stages
    most = {"GPipe": micro_batches, "1F1B": stages, "ZB-H1": stages, "ZB-H2": 2 * stages - 1}[schedule]
    return min(micro_batches, most)


def quickest_schedule_that_fits(
    *,
    stages: int,
    micro_batches: int,
    forward_s: float,
    input_backward_s: float,
    weight_backward_s: float,
    virtual_stages: int,
    micro_batch_bytes: float,
    room_bytes: float,
    splits_backward: bool,
) -> str:
    """Return the schedule with the shortest step whose activations fit, or "nothing fits". Of two equally quick the leaner wins.

    Units:   seconds of one micro-batch on one GPU; bytes: activations of one micro-batch in all layers of a GPU, and the
             room for them. Without splits_backward both gradients are one operation, and there is no ZB-H1 or ZB-H2.
    Raises:  ValueError as `step_seconds`, or if a number of bytes is not positive.
    Source:  Qi et al. 2024, arXiv:2401.10241, section 2.3; Narayanan et al. 2021, arXiv:2104.04473, section 2.2.

    >>> case = {"stages": 8, "micro_batches": 32, "forward_s": 1, "input_backward_s": 1, "weight_backward_s": 1,
    ...         "virtual_stages": 2, "micro_batch_bytes": 4e9}
    >>> [quickest_schedule_that_fits(**case, room_bytes=room, splits_backward=True) for room in (70e9, 50e9, 20e9)]
    ['ZB-H2', 'ZB-H1', 'nothing fits']
    >>> [quickest_schedule_that_fits(**case, room_bytes=room, splits_backward=False) for room in (70e9, 40e9)]
    ['interleaved', '1F1B']
    """
    require_positive(micro_batch_bytes=micro_batch_bytes, room_bytes=room_bytes)
    timed = []
    for schedule in SCHEDULES:
        if schedule in SPLIT and not splits_backward:
            continue
        chunks = virtual_stages if schedule == "interleaved" else 1
        held = peak_micro_batches(schedule=schedule, stages=stages, micro_batches=micro_batches, virtual_stages=chunks)
        if held * micro_batch_bytes <= room_bytes:
            seconds = step_seconds(
                schedule=schedule, stages=stages, micro_batches=micro_batches, forward_s=forward_s,
                input_backward_s=input_backward_s, weight_backward_s=weight_backward_s, virtual_stages=chunks,
            )  # fmt: skip
            timed.append((seconds, held, schedule))
    return min(timed)[2] if timed else "nothing fits"


def v_schedule_peak_micro_batches(*, schedule: str, stages: int) -> int:
    """Micro-batches, in all layers of a GPU, that the V schedules hold at their peak.

        V-Min ⌊(p + 4)/3⌋,  V-Half ⌊(p + 2)/2⌋,  V-ZB p

    Each GPU has two chunks of layers, placed down and up again, so the GPU that waits longest for one chunk waits least
    for the other. 1F1B holds p on its first GPU.

    Units:   stages is a count. Result in micro-batches.
    Raises:  ValueError if stages is below 1 or the schedule is unknown.
    Source:  Qi et al. 2024, arXiv:2405.15362, section 3, and the table of the authors' scheduler.

    >>> [v_schedule_peak_micro_batches(schedule=name, stages=16) for name in ("V-Min", "V-Half", "V-ZB")]
    [6, 9, 16]
    """
    require_counts(stages=stages)
    peaks = {"V-Min": (stages + 4) // 3, "V-Half": (stages + 2) // 2, "V-ZB": stages}
    if schedule not in peaks:
        raise ValueError(f"schedule must be one of {', '.join(peaks)}, not {schedule!r}")
    return peaks[schedule]
