"""The capstone on a mixture of experts: exchanges, DualPipe's step time, gradient synchronisation, and the bill."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from ..ring.ring import bytes_sent_per_phase
from .mixture_memory import require_split

BYTES_OUT, BYTES_BACK = 1, 2  # dispatch in FP8, combine in BF16: DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.3


def limited_exchange_seconds(
    *, tokens: int, hidden: int, node_limit: int, nodes: int, port_bytes_per_s: float
) -> float:
    """Return how long the exchange of one layer and micro-batch occupies a GPU's port, forward and backward.

        seconds = 2 · T·d·(1 + 2) · M·(n - 1)/n / β

    A token goes to M of the n nodes, its own among them as often as any other, once to each; NVLink passes it on. Both
    passes dispatch in FP8 (1 byte) and combine in BF16 (2 bytes).

    Units:   tokens of a GPU's micro-batch; counts; bytes/s per direction. Result in seconds.
    Raises:  ValueError if an argument is not positive, or node_limit exceeds nodes.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, sections 2.1.2, 3.2.2 and 3.3.3.

    >>> round(1e3 * limited_exchange_seconds(tokens=4096, hidden=7168, node_limit=4, nodes=8, port_bytes_per_s=50e9), 2)
    12.33
    """
    require_counts(tokens=tokens, hidden=hidden, node_limit=node_limit, nodes=nodes)
    require_positive(port_bytes_per_s=port_bytes_per_s)
    if node_limit > nodes:
        raise ValueError(f"a token cannot go to {node_limit} of {nodes} nodes")
    crossings = node_limit * (nodes - 1) / nodes
    one_pass = tokens * hidden * (BYTES_OUT + BYTES_BACK) * crossings
    return 2 * one_pass / port_bytes_per_s


def exposed_step_seconds(*, work_s: float, exchange_s: float, stages: int, micro_batches: int) -> float:
    """Return the time of a plain 1F1B pipeline in which every exchange is exposed.

        seconds = (m + p - 1)·(t + x)

    Units:   work_s (t) and exchange_s (x): seconds of one micro-batch on one stage, both passes; counts.
    Raises:  ValueError if an argument is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1, with the exchange as part of a stage's time.

    >>> exposed_step_seconds(work_s=0.15, exchange_s=0.05, stages=16, micro_batches=120)
    27.0
    """
    require_positive(work_s=work_s, exchange_s=exchange_s)
    require_counts(stages=stages, micro_batches=micro_batches)
    return (micro_batches + stages - 1) * (work_s + exchange_s)


def dualpipe_bubble_seconds(*, work_s: float, exchange_s: float, stages: int) -> float:
    """Return the bubble of DualPipe when forward pass, input gradient and weight gradient each take a third of the work.

        bubble = (p/2 - 1)·(F&B + B - 3·W)    with  F&B = t,  B = 2·t/3 + x/2,  W = t/3

    In a pair F&B the exchange of one micro-batch hides behind the work of the other; a B alone waits for its own.

    Units:   work_s (t) and exchange_s (x): seconds of one micro-batch on one stage, both passes; an even count of stages.
    Raises:  ValueError if an argument is not positive, stages is odd, or the exchange takes longer than two thirds of the work.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, Table 2.

    >>> dualpipe_bubble_seconds(work_s=3, exchange_s=2, stages=16)
    21.0
    """
    _require_hidden(work_s=work_s, exchange_s=exchange_s, stages=stages)
    backward = 2 * work_s / 3 + exchange_s / 2
    weights = work_s / 3
    return (stages / 2 - 1) * (work_s + backward - 3 * weights)


def dualpipe_step_seconds(
    *, work_s: float, exchange_s: float, bubble_s: float, stages: int, micro_batches: int
) -> float:
    """Return the time of a DualPipe pipeline: its work, the exchanges that nothing hides, and the bubble.

        seconds = m·t + (p + 1)·x + bubble

    On the GPUs that finish last, p + 1 forward and p + 1 backward passes run alone, while the pipeline fills and drains.

    Units:   as dualpipe_bubble_seconds; bubble_s in seconds; micro_batches is an even count of at least 2·p.
    Raises:  ValueError as dualpipe_bubble_seconds, or if there are too few micro-batches.
    Source:  counting in the schedule of deepseek-ai/DualPipe, dualpipe.py; DeepSeek-AI 2024, arXiv:2412.19437, Table 2.

    >>> dualpipe_step_seconds(work_s=3, exchange_s=2, bubble_s=21, stages=16, micro_batches=120)
    415
    """
    _require_hidden(work_s=work_s, exchange_s=exchange_s, stages=stages)
    require_positive(bubble_s=bubble_s)
    require_counts(micro_batches=micro_batches)
    if micro_batches % 2 or micro_batches < 2 * stages:
        raise ValueError(f"DualPipe needs an even number of at least {2 * stages} micro-batches, not {micro_batches}")
    return micro_batches * work_s + (stages + 1) * exchange_s + bubble_s


def hidden_share(*, exchange_s: float, stages: int, micro_batches: int, exposed_s: float, pipeline_s: float) -> float:
    """Return which share of the time that DualPipe saves comes from hidden exchanges; the rest comes from the bubble.

        share = (m - p - 1)·x / (1F1B without overlap - DualPipe)

    Units:   exchange_s (x): seconds of one micro-batch on one stage; seconds of both pipelines; counts. Result is a share.
    Raises:  ValueError if an argument is not positive, DualPipe takes longer, or there are too few micro-batches.
    Source:  counting: dualpipe_step_seconds exposes p + 1 exchanges, and 1F1B all of them.

    >>> hidden_share(exchange_s=0.05, stages=16, micro_batches=120, exposed_s=26, pipeline_s=18)
    0.64375
    """
    require_positive(exchange_s=exchange_s, exposed_s=exposed_s, pipeline_s=pipeline_s)
    require_counts(stages=stages, micro_batches=micro_batches)
    if stages % 2 or micro_batches % 2:
        raise ValueError(f"DualPipe needs even numbers, not {stages} stages and {micro_batches} micro-batches")
    paired = micro_batches - stages - 1
    if paired < 1 or pipeline_s >= exposed_s:
        raise ValueError("DualPipe saves nothing: it needs pairs, and has to be the quicker one")
    return paired * exchange_s / (exposed_s - pipeline_s)


def two_ring_sync_seconds(
    *, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int, port_bytes_per_s: float
) -> float:
    """Return the time to reduce-scatter the gradients of both stages and to all-gather their new weights.

        seconds = 2·(4 + 2)·( D·(g - 1)/g + (R/ep)·(h - 1)/h ) / β    with  g = 2·dp,  h = 2·dp/ep

    A stage is on two GPUs of each pipeline, so its dense weights have 2·dp holders, and each expert 2·dp/ep.

    Units:   parameters of the whole model; counts; bytes/s per direction. Result in seconds.
    Raises:  ValueError as dualpipe_state_bytes, or if the rate is not positive.
    Source:  rings in both groups; formats: DeepSeek-AI 2024, arXiv:2412.19437, section 3.3.2.

    >>> round(two_ring_sync_seconds(parameters=671e9, routed_parameters=654e9, stages=16, dp=128, ep=64,
    ...                             port_bytes_per_s=50e9), 3)
    0.369
    """
    require_split(parameters=parameters, routed_parameters=routed_parameters, stages=stages, dp=dp, ep=ep)
    require_positive(port_bytes_per_s=port_bytes_per_s)
    outside, experts = (parameters - routed_parameters) / stages, routed_parameters / stages / ep
    width = 4 + 2  # gradients in FP32, new weights in BF16
    dense_bytes = bytes_sent_per_phase(message_bytes=2 * width * outside, gpus=2 * dp)
    expert_bytes = bytes_sent_per_phase(message_bytes=2 * width * experts, gpus=2 * dp // ep)
    return (dense_bytes + expert_bytes) / port_bytes_per_s


def synced_step_seconds(*, pipeline_s: float, sync_s: float) -> float:
    """Return the step time when gradients and weights are synchronised after the pipeline.

        seconds = pipeline + sync

    Units:   seconds. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  counting.

    >>> synced_step_seconds(pipeline_s=19.5, sync_s=0.5)
    20.0
    """
    require_positive(pipeline_s=pipeline_s, sync_s=sync_s)
    return pipeline_s + sync_s


def gpu_hours_per_trillion(*, step_s: float, gpus: int, batch_tokens: float) -> float:
    """Return the GPU-hours per trillion training tokens, which DeepSeek-V3's report prints.

        hours = G · step/3600 · 10¹² / tokens per step

    Units:   seconds; counts. Result is a number of hours.
    Raises:  ValueError if an argument is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 1: 180K H800 hours; the step of 19.926 s: 2025, arXiv:2505.09343, Table 4.

    >>> round(gpu_hours_per_trillion(step_s=19.926, gpus=2048, batch_tokens=15360 * 4096), -2)
    180200.0
    """
    require_positive(step_s=step_s, batch_tokens=batch_tokens)
    require_counts(gpus=gpus)
    return gpus * step_s / 3600 * 1e12 / batch_tokens


def mixture_rent_dollars(*, hours_per_trillion: float, tokens: float, dollars_per_gpu_hour: float) -> float:
    """Return the rent of a run from its GPU-hours per trillion tokens.

        dollars = hours · D/10¹² · price

    Units:   hours; tokens is a count; dollars. Result in dollars.
    Raises:  ValueError if an argument is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, Table 1: 2,664K hours for 14.8 trillion tokens, 5.328 million dollars.

    >>> mixture_rent_dollars(hours_per_trillion=180e3, tokens=14.8e12, dollars_per_gpu_hour=2)
    5328000.0
    """
    require_positive(hours_per_trillion=hours_per_trillion, tokens=tokens, dollars_per_gpu_hour=dollars_per_gpu_hour)
    return hours_per_trillion * tokens / 1e12 * dollars_per_gpu_hour


def _require_hidden(*, work_s: float, exchange_s: float, stages: int) -> None:
    require_positive(work_s=work_s, exchange_s=exchange_s)
    require_counts(stages=stages)
    if stages % 2:
        raise ValueError(f"DualPipe needs an even number of stages, not {stages}")
    if exchange_s > 2 / 3 * work_s:  # a forward pass alone waits longer than the rest of its pair computes
        raise ValueError("the exchange takes longer than two thirds of the work that hides it")
