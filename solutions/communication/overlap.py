"""Communication next to computation: what is hidden, what remains exposed, and what that does to a step and its MFU."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive


def exposed_tail_seconds(*, layers: int, backward_s: float, reduce_s: float) -> float:
    """What remains of the gradients' reductions after the backward pass, when each layer's are sent as soon as they exist.

        seconds = t_c + (L-1) · max(0, t_c - t_b)

    The pass makes the gradients of a layer every t_b seconds, the last layer first. The network takes them one layer
    after the other, t_c seconds each. Those of layer 1 come when the pass ends, so they are never hidden.

    Units:   a count; seconds of one layer, both. Result in seconds.
    Raises:  ValueError if layers is below 1, backward_s is not positive, or reduce_s is negative.
    Source:  Li et al. 2020, arXiv:2006.15704, section 3.2.3 (one bucket a layer).

    >>> round(exposed_tail_seconds(layers=40, backward_s=5e-3, reduce_s=1.5e-3) * 1e3, 2)    # milliseconds
    1.5
    >>> round(exposed_tail_seconds(layers=40, backward_s=5e-3, reduce_s=6e-3) * 1e3, 2)      # the network falls behind
    45.0
    """
    require_counts(layers=layers)
    require_positive(backward_s=backward_s)
    require_not_negative(reduce_s=reduce_s)
    lag_s = max(0.0, reduce_s - backward_s)
    return reduce_s + (layers - 1) * lag_s


def hidden_share(*, layers: int, backward_s: float, reduce_s: float) -> float:
    """The share of the reductions' time that passes while the backward pass still computes.

        share = 1 - tail/(L · t_c)

    Units:   a count; seconds of one layer, both. Result is a fraction.
    Raises:  ValueError if layers is below 1, or a time is not positive.
    Source:  exposed_tail_seconds.

    >>> round(hidden_share(layers=40, backward_s=5e-3, reduce_s=1.5e-3), 4)     # (L-1)/L while the network keeps up
    0.975
    """
    require_positive(reduce_s=reduce_s)
    tail_s = exposed_tail_seconds(layers=layers, backward_s=backward_s, reduce_s=reduce_s)
    return 1 - tail_s / (layers * reduce_s)


def reduced_at_seconds(*, done: int, backward_s: float, reduce_s: float) -> float:
    """When the reductions of the first layers that a backward pass meets are done, counted from its beginning.

        seconds = max(j · t_b + t_c, t_b + j · t_c)

    A network that keeps up waits for the j-th layer and sends it. One that does not has been busy since the first layer.

    Units:   done counts layers in the order of the backward pass, last layer first; seconds of one layer. In seconds.
    Raises:  ValueError if done is below 1, backward_s is not positive, or reduce_s is negative.
    Source:  Li et al. 2020, arXiv:2006.15704, section 3.2.3 (one bucket a layer).

    >>> [round(reduced_at_seconds(done=j, backward_s=5e-3, reduce_s=6e-3) * 1e3) for j in (1, 2, 3)]    # milliseconds
    [11, 17, 23]
    """
    require_counts(done=done)
    require_positive(backward_s=backward_s)
    require_not_negative(reduce_s=reduce_s)
    return max(done * backward_s + reduce_s, backward_s + done * reduce_s)


def last_gradients_seconds(
    *,
    layer_parameters: float,
    vocabulary: int,
    hidden: int,
    bytes_per_gradient: float,
    gpus: int,
    bus_bytes_per_s: float,
) -> float:
    """What remains of the reductions after the pass when the network keeps up: those of layer 1 and of the embedding.

        seconds = 2 · (N-1)/N · b · (P_1 + V · d)/β

    The gradients of both exist when the pass ends. The embedding is what the forward pass begins with.

    Units:   counts; width of the model; bytes per gradient; bus bandwidth in bytes/s per direction. Result in seconds.
    Raises:  ValueError if a count is below 1, or another argument is not positive.
    Source:  Li et al. 2020, arXiv:2006.15704, section 3.2.3; nccl-tests, doc/PERFORMANCE.md (bus bandwidth).

    >>> round(last_gradients_seconds(layer_parameters=218e6, vocabulary=128256, hidden=4096, bytes_per_gradient=2,
    ...                              gpus=64, bus_bytes_per_s=360e9) * 1e3, 1)     # milliseconds, of Llama 3 8B
    8.1
    """
    require_counts(vocabulary=vocabulary, hidden=hidden, gpus=gpus)
    require_positive(
        layer_parameters=layer_parameters, bytes_per_gradient=bytes_per_gradient, bus_bytes_per_s=bus_bytes_per_s
    )
    gradient_bytes = bytes_per_gradient * (layer_parameters + vocabulary * hidden)
    return 2 * gradient_bytes * (gpus - 1) / gpus / bus_bytes_per_s


def bucketed_tail_seconds(*, buckets: int, backward_s: float, transfer_s: float, latency_s: float) -> float:
    """Exposed communication when the gradients are sent in equal buckets and every all-reduce has a fixed cost.

        seconds = c + (n-1) · max(0, c - T/n)      with  c = X/n + λ

    Units:   backward_s (T) and transfer_s (X, the bytes of all gradients) in seconds in total, latency_s (λ) in seconds of
             each all-reduce. Result in seconds.
    Raises:  ValueError if buckets is below 1, a time is not positive, or latency_s is negative.
    Source:  Li et al. 2020, arXiv:2006.15704, sections 3.2.2 and 3.2.3.

    >>> run = {"backward_s": 0.3, "transfer_s": 0.08, "latency_s": 0.6e-3}
    >>> [round(bucketed_tail_seconds(buckets=n, **run) * 1e3, 2) for n in (1, 20, 300, 1000)]    # milliseconds
    [80.6, 4.6, 0.87, 380.3]
    """
    require_counts(buckets=buckets)
    require_positive(backward_s=backward_s, transfer_s=transfer_s)
    require_not_negative(latency_s=latency_s)
    bucket_s = transfer_s / buckets + latency_s
    return exposed_tail_seconds(layers=buckets, backward_s=backward_s / buckets, reduce_s=bucket_s)


def best_buckets(*, backward_s: float, transfer_s: float, latency_s: float) -> int:
    """The number of equal buckets that leaves the shortest tail.

        n = (T-X)/λ  or  √(T/λ), whichever is more, rounded to the better neighbour

    More buckets make the last one smaller. From (T-X)/λ on, their fixed costs fill the backward pass, and the network falls
    behind; after that, fewer seconds a bucket weigh against more fixed costs, which is best at √(T/λ).

    Units:   seconds, as in bucketed_tail_seconds. Result is a count.
    Raises:  ValueError if a time is not positive.
    Source:  bucketed_tail_seconds, minimised.

    >>> best_buckets(backward_s=0.3, transfer_s=0.08, latency_s=0.6e-3)
    366
    """
    require_positive(backward_s=backward_s, transfer_s=transfer_s, latency_s=latency_s)
    best = max((backward_s - transfer_s) / latency_s, math.sqrt(backward_s / latency_s), 1.0)
    if math.isclose(best, round(best), rel_tol=1e-12):  # 0.22/0.001 is a little less than 220
        return round(best)
    times = {"backward_s": backward_s, "transfer_s": transfer_s, "latency_s": latency_s}
    return min((math.floor(best), math.ceil(best)), key=lambda n: bucketed_tail_seconds(buckets=n, **times))


def step_seconds(*, compute_s: float, communication_s: float, hidden: float) -> float:
    """Time of a step of which a share of the communication runs next to the computation.

        seconds = t + (1-h) · c

    At most t/c of the communication can be hidden, since hidden communication needs computation next to it.

    Units:   seconds; hidden is a fraction from 0 to 1. Result in seconds.
    Raises:  ValueError if compute_s is not positive, communication_s is negative, or hidden is out of range.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 1 (lower bound max(t, c), upper bound t + c).

    >>> round(step_seconds(compute_s=0.242, communication_s=0.35, hidden=0) * 1e3)     # milliseconds
    592
    """
    require_positive(compute_s=compute_s)
    require_not_negative(communication_s=communication_s, hidden=hidden)
    if hidden > 1 or hidden * communication_s > compute_s * (1 + 1e-12):
        raise ValueError(f"hidden must be at most 1 and leave no more hidden than is computed, not {hidden!r}")
    return compute_s + (1 - hidden) * communication_s


def effective_mfu(*, mfu_alone: float, compute_s: float, communication_s: float, hidden: float) -> float:
    """MFU of a step with communication, from the MFU of its computation alone.

        MFU = MFU_0 · t/(t + (1-h) · c)

    With nothing hidden (h = 0) this is the least, with h = min(1, t/c) the most that overlap can reach: MFU_0 · t/max(t, c).

    Units:   fractions; seconds. Result is a fraction.
    Raises:  ValueError as step_seconds does, or if mfu_alone is not above 0 and at most 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B (MFU); the bounds of step_seconds.

    >>> run = {"mfu_alone": 0.5, "compute_s": 0.242, "communication_s": 0.35}
    >>> [round(effective_mfu(**run, hidden=h), 3) for h in (0, 0.242 / 0.35)]
    [0.204, 0.346]
    """
    require_fraction(mfu_alone=mfu_alone)
    whole_s = step_seconds(compute_s=compute_s, communication_s=communication_s, hidden=hidden)
    return mfu_alone * compute_s / whole_s


def hidden_behind_mfu(*, mfu_alone: float, mfu_seen: float, compute_s: float, communication_s: float) -> float:
    """The share of the communication that must be hidden, when the MFU with and without communication are known.

        h = 1 - (t/c) · (MFU_0/MFU - 1)

    Units:   fractions; seconds. Result is a fraction; below 0 something else slows the step too.
    Raises:  ValueError if a time is not positive, an MFU is not a fraction, or mfu_seen is above mfu_alone.
    Source:  effective_mfu, solved for h.

    >>> round(hidden_behind_mfu(mfu_alone=0.5, mfu_seen=0.4, compute_s=1.0, communication_s=0.5), 3)
    0.5
    """
    require_fraction(mfu_alone=mfu_alone, mfu_seen=mfu_seen)
    require_positive(compute_s=compute_s, communication_s=communication_s)
    if mfu_seen > mfu_alone:
        raise ValueError(f"mfu_seen must be at most mfu_alone, not {mfu_seen!r} and {mfu_alone!r}")
    exposed_s = compute_s * (mfu_alone / mfu_seen - 1)
    return 1 - exposed_s / communication_s


def comm_compute_ratio(
    *,
    parameters: float,
    bytes_per_gradient: float,
    gpus: int,
    bus_bytes_per_s: float,
    flop_of_all_gpus: float,
    flop_per_s: float,
) -> float:
    """Ratio of the gradient all-reduce time to the compute time of a step.

        ratio = (2 · b · P · (N-1)/N/β) / (C/N/F)

    Units:   counts; bytes per element; bytes/s per direction; flop_of_all_gpus (C) is what all N together compute in
             the step, and flop_per_s (F) what one of them achieves. Result is a ratio: above 1 communication takes longer.
    Raises:  ValueError if gpus is below 1, or another argument is not positive.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 1, "Network communication rooflines".

    >>> round(comm_compute_ratio(parameters=10e9, bytes_per_gradient=2, gpus=64, bus_bytes_per_s=400e9,
    ...                          flop_of_all_gpus=6 * 10e9 * 128_000, flop_per_s=495e12), 3)
    0.406
    """
    require_positive(parameters=parameters, bytes_per_gradient=bytes_per_gradient, bus_bytes_per_s=bus_bytes_per_s)
    require_positive(flop_of_all_gpus=flop_of_all_gpus, flop_per_s=flop_per_s)
    require_counts(gpus=gpus)
    sent_bytes = 2 * bytes_per_gradient * parameters * (gpus - 1) / gpus
    return (sent_bytes / bus_bytes_per_s) / (flop_of_all_gpus / gpus / flop_per_s)


def tokens_to_hide_all_reduce(
    *,
    flop_per_s: float,
    bus_bytes_per_s: float,
    gpus: float = math.inf,
    bytes_per_gradient: float = 2,
    total_over_active: float = 1,
) -> float:
    """Tokens that a GPU needs in its last micro-batch for the backward pass to hide the all-reduce of the gradients.

        T = b · F/(2 · β) · (N-1)/N · P_total/P_active

    The backward pass takes 4 FLOP for each active parameter and token, the all-reduce sends 2 · b · (N-1)/N bytes for each
    parameter that there is, so the size of the model cancels. In a mixture of experts more parameters are reduced than
    a token passes through.

    Units:   FLOP/s; bytes/s per direction; bytes per element; gpus may be infinite; a ratio. Result in tokens.
    Raises:  ValueError if gpus is below 2, total_over_active below 1, or a rate or width is not positive.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 12, "Data Parallelism" and "MoE models".

    >>> round(tokens_to_hide_all_reduce(flop_per_s=990e12, bus_bytes_per_s=400e9))
    2475
    >>> round(tokens_to_hide_all_reduce(flop_per_s=990e12, bus_bytes_per_s=400e9, total_over_active=32))
    79200
    """
    require_positive(flop_per_s=flop_per_s, bus_bytes_per_s=bus_bytes_per_s, bytes_per_gradient=bytes_per_gradient)
    if not gpus >= 2:
        raise ValueError(f"gpus must be at least 2, not {gpus!r}")
    if not 1 <= total_over_active < math.inf:
        raise ValueError(f"total_over_active must be at least 1, not {total_over_active!r}")
    backward_flop_per_token = 4
    reduced_bytes = 2 * bytes_per_gradient * (1 - 1 / gpus) * total_over_active
    return reduced_bytes * flop_per_s / (backward_flop_per_token * bus_bytes_per_s)


def most_gpus_that_hide(
    *,
    batch_tokens: float,
    flop_per_s: float,
    bus_bytes_per_s: float,
    bytes_per_gradient: float,
    gpus_per_server: int = 8,
    total_over_active: float = 1,
) -> int:
    """Return the most GPUs, in whole nodes, over which FSDP can spread a batch so that each layer's collectives stay hidden.

        N = g · ⌊B/(T · g)⌋     with  T = F/β · max(2/2, (2+b)/4) · P_total/P_active

    The forward pass gathers 2 bytes for each parameter and computes 2 FLOP for each active parameter and token. The
    backward pass gathers 2 bytes, reduce-scatters b, and computes 4 FLOP. The (N-1)/N of many GPUs counts as 1.

    Units:   tokens of a whole step, in one micro-batch on each GPU; FLOP/s; bytes/s per direction; bytes per element; counts.
             Result is a number of GPUs.
    Raises:  ValueError if not one server fits, total_over_active is below 1, or another argument is not positive.
    Source:  Austin et al. 2025, "How to Scale Your Model", part 12, "Data Parallelism" and "MoE models".

    >>> case = {"batch_tokens": 4e6, "flop_per_s": 400e12, "bus_bytes_per_s": 360e9}
    >>> [most_gpus_that_hide(**case, bytes_per_gradient=b) for b in (2, 4)]
    [3600, 2400]
    """
    require_positive(batch_tokens=batch_tokens, flop_per_s=flop_per_s, bus_bytes_per_s=bus_bytes_per_s)
    require_positive(bytes_per_gradient=bytes_per_gradient)
    require_counts(gpus_per_server=gpus_per_server)
    if not 1 <= total_over_active < math.inf:
        raise ValueError(f"total_over_active must be at least 1, not {total_over_active!r}")
    bytes_per_flop = max(2 / 2, (2 + bytes_per_gradient) / 4)
    tokens = bytes_per_flop * total_over_active * flop_per_s / bus_bytes_per_s
    servers = math.floor(batch_tokens / (tokens * gpus_per_server))
    if servers < 1:
        raise ValueError(f"batch_tokens must be enough for one node, not {batch_tokens!r}")
    return servers * gpus_per_server


def estimated_step_seconds(
    *,
    parameters: float,
    layers: int,
    gpus: int,
    tokens: float,
    flop_per_s: float,
    bus_bytes_per_s: float,
) -> float:
    """Time of a data-parallel step: forward pass, backward pass, and what remains of the reductions after it.

        seconds = 2·P·T/F + 4·P·T/F + t_c + (L-1) · max(0, t_c - t_b)
                  with  t_b = 4·P·T/(L·F)  and  t_c = 2 · 2P/L · (N-1)/N / β

    Layers are equal, gradients are BF16, and each layer's are all-reduced as soon as they exist.

    Units:   counts; tokens of one GPU; FLOP/s of one GPU; bytes/s per direction. Result in seconds.
    Raises:  ValueError if a count is below 1, or another argument is not positive.
    Source:  Li et al. 2020, arXiv:2006.15704, section 3.2.3; Kaplan et al. 2020, arXiv:2001.08361, section 2.1 (FLOP).

    >>> run = {"parameters": 8e9, "layers": 32, "gpus": 64, "flop_per_s": 450e12, "bus_bytes_per_s": 360e9}
    >>> [round(estimated_step_seconds(**run, tokens=t) * 1e3) for t in (512, 8192)]    # milliseconds
    [107, 877]
    """
    require_counts(layers=layers, gpus=gpus)
    require_positive(parameters=parameters, tokens=tokens, flop_per_s=flop_per_s, bus_bytes_per_s=bus_bytes_per_s)
    forward_s = 2 * parameters * tokens / flop_per_s
    backward_s = 4 * parameters * tokens / flop_per_s
    layer_backward_s = backward_s / layers
    layer_gradient_bytes = 2 * parameters / layers
    layer_sent_bytes = 2 * layer_gradient_bytes * (gpus - 1) / gpus
    layer_reduce_s = layer_sent_bytes / bus_bytes_per_s
    lag_s = max(0, layer_reduce_s - layer_backward_s)
    tail_s = layer_reduce_s + (layers - 1) * lag_s
    return forward_s + backward_s + tail_s
