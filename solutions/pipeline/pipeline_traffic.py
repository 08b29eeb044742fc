"""What crosses the boundaries of a pipeline: bytes of a message, of a GPU and of all, and what a slow hop costs."""

from __future__ import annotations

from math import ceil

from ..facts.arguments import require_counts, require_not_negative, require_positive


def boundary_message_bytes(*, tokens: int, hidden: int, bytes_per_element: int = 2, tp: int = 1) -> float:
    """What one GPU sends over one boundary for one micro-batch, in one pass.

        bytes = tokens · d · bytes_per_element / tp

    Forward it is the activation between two layers, backward the gradient of that activation. With tensor parallelism
    each of the tp GPUs can send its own part, because the next stage has as many GPUs to put the parts together.

    Shapes:  (tokens, d), cut over tp
    Units:   bytes_per_element in bytes; the rest are counts, tokens those of one micro-batch. Result in bytes.
    Raises:  ValueError if an argument is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 3.2 (b·s·h) and 4.1 (scatter/gather).

    >>> boundary_message_bytes(tokens=8192, hidden=4096) / 1e6     # Llama-3-8B, one sequence
    67.108864
    """
    require_counts(tokens=tokens, hidden=hidden, bytes_per_element=bytes_per_element, tp=tp)
    return tokens * hidden * bytes_per_element / tp


def boundaries(*, stages: int, virtual_stages: int = 1) -> int:
    """Boundaries that a micro-batch crosses in one pass.

        boundaries = p · v - 1        with p ≥ 2; a single stage sends nothing

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1.
    Source:  counting; Narayanan et al. 2021, arXiv:2104.04473, section 2.2.2.

    >>> boundaries(stages=4), boundaries(stages=4, virtual_stages=4)   # five times as many, not four
    (3, 15)
    """
    require_counts(stages=stages, virtual_stages=virtual_stages)
    return stages * virtual_stages - 1 if stages > 1 else 0


def pipeline_bytes(*, message_bytes: float, stages: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """What all GPUs of one pipeline send in a step, over all boundaries together.

        bytes = 2 · m · (p · v - 1) · A

    Activations go forward and their gradients back. No single link carries this sum.

    Units:   message_bytes is A, in bytes; the rest are counts. Result in bytes.
    Raises:  ValueError if message_bytes is not positive or a count is below 1.
    Source:  counting; Narayanan et al. 2021, arXiv:2104.04473, sections 2.2.2 and 3.2.

    >>> pipeline_bytes(message_bytes=500e6, stages=4, micro_batches=12, virtual_stages=4) / 1e9
    180.0
    """
    require_positive(message_bytes=message_bytes)
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    return 2 * micro_batches * boundaries(stages=stages, virtual_stages=virtual_stages) * message_bytes


def gpu_bytes(*, message_bytes: float, stages: int, stage: int, micro_batches: int, virtual_stages: int = 1) -> float:
    """What the GPU of one stage sends in a step.

        bytes = 2 · v · m · A           a stage with neighbours on both sides
        bytes = (2 · v - 1) · m · A     the first and the last: the pipeline's own ends send nothing outwards

    Units:   message_bytes is A, in bytes; stage is counted from 0; the rest are counts. Result in bytes.
    Raises:  ValueError if message_bytes is not positive, a count is below 1, or the stage does not exist.
    Source:  counting; Narayanan et al. 2021, arXiv:2104.04473, section 2.2.2.

    >>> [gpu_bytes(message_bytes=500e6, stages=4, stage=i, micro_batches=12, virtual_stages=4) / 1e9 for i in range(4)]
    [42.0, 48.0, 48.0, 42.0]
    """
    require_positive(message_bytes=message_bytes)
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    require_not_negative(stage=stage)
    if stage >= stages:
        raise ValueError(f"stage must be from 0 to {stages - 1}, not {stage}")
    if stages == 1:
        return 0.0
    at_an_end = stage in (0, stages - 1)
    return (2 * virtual_stages - at_an_end) * micro_batches * message_bytes


def busiest_gpu_seconds(
    *, message_bytes: float, stages: int, micro_batches: int, bandwidth_bytes_per_s: float, virtual_stages: int = 1
) -> float:
    """How long the port of the busiest GPU sends in a step.

        seconds = 2 · v · m · A / β         with p ≥ 3; with two stages (2·v - 1) · m · A / β

    Units:   message_bytes is A, in bytes; bandwidth β in bytes/s per direction; the rest are counts.
    Raises:  ValueError if message_bytes or the bandwidth is not positive, a count is below 1, or there is one stage.
    Source:  counting; Narayanan et al. 2021, arXiv:2104.04473, sections 2.2.2 and 3.2.

    >>> round(busiest_gpu_seconds(message_bytes=500e6, stages=4, micro_batches=12, virtual_stages=4,
    ...                           bandwidth_bytes_per_s=50e9), 2)      # and not 180 GB over one link
    0.96
    """
    require_positive(message_bytes=message_bytes, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_counts(stages=stages, micro_batches=micro_batches, virtual_stages=virtual_stages)
    if stages == 1:
        raise ValueError("a pipeline of one stage sends nothing")
    sends = 2 * virtual_stages if stages > 2 else 2 * virtual_stages - 1
    return sends * micro_batches * message_bytes / bandwidth_bytes_per_s


def gpipe_hop_seconds(*, stages: int, hop_seconds: float) -> float:
    """What a hop adds to a step of GPipe: it is waited for while the pipeline fills and drains, and never between.

        seconds = 2 · (p - 1) · hop

    Units:   hop_seconds from the end of a pass on one stage until the next can begin; no computing hides it.
    Raises:  ValueError if stages is below 1 or the time is negative.
    Source:  counted on the schedule of Huang et al. 2019, arXiv:1811.06965, Figure 2.

    >>> round(gpipe_hop_seconds(stages=16, hop_seconds=1e-3) * 1e3)    # milliseconds
    30
    """
    require_counts(stages=stages)
    require_not_negative(hop_seconds=hop_seconds)
    return 2 * (stages - 1) * hop_seconds


def one_f_one_b_hop_seconds(*, stages: int, micro_batches: int, hop_seconds: float) -> float:
    """What a hop adds to a step of 1F1B, which waits for hops all the way through the step.

        seconds = 2 · hop · (p - 1 + (m - 1) - ⌈(m - 1)/p⌉)

    The first stage has p micro-batches in flight, and each needs p passes both ways and 2(p - 1) hops to come back. So in
    every round of p micro-batches it waits for 2(p - 1) hops. One or two more forwards in the warm-up would hide them.

    Units:   hop_seconds from the end of a pass on one stage until the next can begin, at most a forward pass.
    Raises:  ValueError if a count is below 1 or the time is negative.
    Source:  counted on the schedule of Narayanan et al. 2021, arXiv:2104.04473, Figure 4; that more warm-up hides it:
             Zhuang et al. 2022, arXiv:2211.05322 (eager 1F1B).

    >>> round(one_f_one_b_hop_seconds(stages=16, micro_batches=64, hop_seconds=1e-3) * 1e3)    # milliseconds
    148
    """
    require_counts(stages=stages, micro_batches=micro_batches)
    require_not_negative(hop_seconds=hop_seconds)
    if stages == 1:
        return 0.0
    rounds = -(-(micro_batches - 1) // stages)
    return 2 * hop_seconds * (stages - 1 + (micro_batches - 1) - rounds)


def one_f_one_b_slowdown(*, stages: int, micro_batch_seconds: float, hop_seconds: float) -> float:
    """Slowdown of a long 1F1B step by exposed hops between stages, as a fraction of its time.

        slowdown = 2 · (p - 1) · hop / (p · t)

    The first stage has p micro-batches in flight. The first of them returns after p forward and p backward passes, a
    total of p · t, and 2(p - 1) hops. So p micro-batches take p · t + 2(p - 1) · hop.

    Units:   micro_batch_seconds is t, forward and backward pass on one stage; hop_seconds until a tensor has arrived, while
             the GPUs compute; stages is a count. Result as a ratio of times, in the limit of many micro-batches.
    Raises:  ValueError if stages is below 1, micro_batch_seconds is not positive or hop_seconds negative.
    Source:  counted on the schedule of Narayanan et al. 2021, arXiv:2104.04473, Figure 4.

    >>> round(one_f_one_b_slowdown(stages=8, micro_batch_seconds=60e-3, hop_seconds=10e-3), 3)
    0.292
    """
    require_counts(stages=stages)
    require_positive(micro_batch_seconds=micro_batch_seconds)
    require_not_negative(hop_seconds=hop_seconds)
    return 2 * (stages - 1) * hop_seconds / (stages * micro_batch_seconds)


def in_flight_that_hides_hops(*, stages: int, micro_batch_seconds: float, hop_seconds: float) -> int:
    """Micro-batches that the first stage has in flight when the warm-up is long enough to hide every hop.

        in flight = 1 + (p - 1) · (1 + ⌈2 · hop / t⌉)

    Each stage must be ahead of the next one by a whole number of micro-batches: one for the passes, and more for the way of a
    tensor there and back. A hop of up to half a micro-batch so costs p - 1 more in flight; plain 1F1B has p.

    Units:   micro_batch_seconds is t, forward and backward pass on one stage; hop_seconds until a tensor has arrived;
             stages is a count. Result is a count.
    Raises:  ValueError if stages is below 1, micro_batch_seconds is not positive or hop_seconds negative.
    Source:  counted on schedules that alternate; the idea is eager 1F1B, Zhuang et al. 2022, arXiv:2211.05322.

    >>> in_flight_that_hides_hops(stages=8, micro_batch_seconds=60e-3, hop_seconds=10e-3)
    15
    >>> in_flight_that_hides_hops(stages=8, micro_batch_seconds=60e-3, hop_seconds=0)        # plain 1F1B
    8
    """
    require_counts(stages=stages)
    require_positive(micro_batch_seconds=micro_batch_seconds)
    require_not_negative(hop_seconds=hop_seconds)
    return 1 + (stages - 1) * (1 + ceil(2 * hop_seconds / micro_batch_seconds))


def waiting_step_seconds(
    *,
    layers: int,
    stages: int,
    virtual_stages: int,
    micro_batches: int,
    layer_seconds: float,
    tokens: int,
    hidden: int,
    tp: int,
    bandwidth_bytes_per_s: float,
) -> float:
    """Time of a step in which the busiest GPU also waits for everything that it sends: an upper estimate.

        seconds = (m + (p - 1)/v) · layers/p · layer_seconds + 2 · v · m · A / β,   A = 2 · tokens · d / tp

    Units:   layer_seconds for one micro-batch forward and backward; tokens those of one micro-batch, sent in BF16;
             bandwidth β in bytes/s per direction of one GPU; the rest are counts. Three stages or more.
    Raises:  ValueError if a count is below 1, there are fewer than three stages, or a time or rate is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 2.2 and 3.2.

    >>> seconds = waiting_step_seconds(layers=80, stages=8, virtual_stages=1, micro_batches=32, layer_seconds=5e-3,
    ...                                tokens=8192, hidden=8192, tp=8, bandwidth_bytes_per_s=50e9)
    >>> round(seconds, 3)     # 1.6 s of work, 0.35 s of bubble, and 21 ms of sending
    1.971
    """
    require_counts(layers=layers, virtual_stages=virtual_stages, micro_batches=micro_batches)
    require_counts(tokens=tokens, hidden=hidden, tp=tp)
    require_positive(layer_seconds=layer_seconds, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    if stages < 3:
        raise ValueError(f"stages must be at least 3, not {stages}")
    micro_batch_seconds = layers / stages * layer_seconds
    compute_seconds = micro_batches * micro_batch_seconds
    bubble_seconds = (stages - 1) / virtual_stages * micro_batch_seconds
    message_bytes = 2 * tokens * hidden / tp
    messages = 2 * virtual_stages * micro_batches
    return compute_seconds + bubble_seconds + messages * message_bytes / bandwidth_bytes_per_s


def best_virtual_stages(
    *, stages: int, stage_layers: int, micro_batches: int, layer_seconds: float, message_seconds: float
) -> int:
    """How many virtual stages make the step shortest, when a GPU waits for every message that it sends.

        step = (m + (p - 1)/v) · stage_layers · layer_seconds + 2 · v · m · message_seconds,   v divides stage_layers

    The bubble falls with v and the messages grow with it. Of two that take equally long the smaller v is returned. The
    pipeline has three or more stages, so that its busiest GPU has neighbours on both sides.

    Units:   layer_seconds for one micro-batch forward and backward in one layer; message_seconds for one message.
    Raises:  ValueError if a count is below 1, there are fewer than three stages, layer_seconds is not positive or
             message_seconds negative.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.2.

    >>> best_virtual_stages(stages=8, stage_layers=12, micro_batches=16, layer_seconds=3e-3, message_seconds=0)
    12
    >>> best_virtual_stages(stages=8, stage_layers=12, micro_batches=16, layer_seconds=3e-3, message_seconds=1.3e-3)
    3
    """
    require_counts(stages=stages, stage_layers=stage_layers, micro_batches=micro_batches)
    require_positive(layer_seconds=layer_seconds)
    require_not_negative(message_seconds=message_seconds)
    if stages < 3:
        raise ValueError(f"stages must be at least 3, not {stages}")
    best, shortest = 1, float("inf")
    for virtual_stages in range(1, stage_layers + 1):
        if stage_layers % virtual_stages:
            continue
        compute = (micro_batches + (stages - 1) / virtual_stages) * stage_layers * layer_seconds
        seconds = compute + 2 * virtual_stages * micro_batches * message_seconds
        if seconds < shortest * (1 - 1e-12):
            best, shortest = virtual_stages, seconds
    return best
