"""Tensor parallelism in time: what it adds to the compute, and how wide a group pays."""

from __future__ import annotations

from functools import partial

from ..facts.arguments import require_counts, require_positive
from .tensor_parallel import ALL_REDUCES_A_LAYER, traffic_bytes

PASSES = {"forward": 1, "step": 3, "step with recompute": 4}  # each as much work as a forward pass


def traffic_seconds(
    *, tokens: int, hidden: int, layers: int, tp: int, bus_bandwidth_bytes_per_s: float, span: str = "step"
) -> float:
    """Time of the tensor-parallel all-reduces for one micro-batch, without overlap.

        seconds = traffic / busbw

    Units:   counts; bytes/s per direction, as nccl-tests reports bus bandwidth; span as in all_reduces. Result in seconds.
    Raises:  ValueError if a count is below 1, the bandwidth not positive, or the span unknown.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2; nccl-tests, doc/PERFORMANCE.md.

    >>> one = {"tokens": 4096, "hidden": 8192, "layers": 80, "tp": 8, "span": "forward"}
    >>> round(traffic_seconds(**one, bus_bandwidth_bytes_per_s=450e9) * 1e3, 1)    # milliseconds
    41.8
    """
    require_positive(bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s)
    sent_bytes = traffic_bytes(tokens=tokens, hidden=hidden, layers=layers, tp=tp, span=span)
    return sent_bytes / bus_bandwidth_bytes_per_s


def step_seconds(
    *, tokens: int, hidden: int, layer_parameters: float, layers: int, tp: int, flop_per_s: float,
    bus_bandwidth_bytes_per_s: float, forward_passes: int = 1,
) -> float:  # fmt: skip
    """Time of one micro-batch, forward and backward, on a tensor-parallel group without overlap.

        seconds = layers · ( 2 · (r + 2) · tokens · W / (t · F)  +  (2·r + 2) · 2 · 2 · tokens · d · (t-1)/t / β )

    A layer runs forward r times, twice where it is recomputed. A backward pass is twice the work, and has two all-reduces.

    Units:   layer_parameters are those of the whole layer; FLOP/s of one GPU; bus bandwidth in bytes/s per direction;
             forward_passes of every layer, 1 or, with recomputation, 2. BF16, no attention scores. Result in seconds.
    Raises:  ValueError if a count is below 1 or a size or rate not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 3.2 and 3.5; nccl-tests, doc/PERFORMANCE.md.

    >>> run = {"tokens": 8192, "hidden": 8192, "layer_parameters": 855_638_016, "layers": 80, "flop_per_s": 500e12}
    >>> round(step_seconds(**run, tp=8, bus_bandwidth_bytes_per_s=450e9), 2)    # Llama 3 70B
    1.01
    """
    require_counts(tokens=tokens, hidden=hidden, layers=layers, tp=tp, forward_passes=forward_passes)
    require_positive(layer_parameters=layer_parameters, flop_per_s=flop_per_s)
    require_positive(bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s)
    message_bytes = 2 * tokens * hidden
    sent_bytes = 2 * message_bytes * (tp - 1) / tp
    layer_all_reduces = 2 * forward_passes + 2
    passes = forward_passes + 2
    layer_flop = 2 * passes * tokens * layer_parameters
    compute_s = layer_flop / (tp * flop_per_s)
    traffic_s = layer_all_reduces * sent_bytes / bus_bandwidth_bytes_per_s
    return layers * (compute_s + traffic_s)


def overhead_of_compute(
    *, hidden: int, layer_parameters: float, tp: int, flop_per_s: float, bus_bandwidth_bytes_per_s: float,
    span: str = "forward",
) -> float:  # fmt: skip
    """Time that tensor parallelism adds to a layer, relative to its compute time.

        overhead = c · d · (t-1) · F / (W · β)        c = 4 forward, 8/3 in a step, 3 in a step with recompute

    Two all-reduces of 2·tokens·d bytes against 2·tokens·W/t FLOP, forward: the tokens cancel. A backward pass has as many
    all-reduces and twice the work. The work of a GPU shrinks with t and its traffic does not, so the overhead grows with
    t - 1, and it may exceed 1. Attention scores are not counted.

    Units:   layer_parameters are those of the whole layer; FLOP/s of one GPU; bytes/s per direction. Result is a ratio.
    Raises:  ValueError if a count is below 1, a rate not positive, or the span unknown.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2; Austin et al. 2025, How to Scale Your Model, part 5.

    >>> layer = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 500e12}    # Llama 3 70B
    >>> [round(overhead_of_compute(**layer, tp=8, bus_bandwidth_bytes_per_s=450e9, span=s), 3) for s in ("forward", "step")]
    [0.298, 0.199]
    """
    require_counts(hidden=hidden, tp=tp)
    require_positive(layer_parameters=layer_parameters, flop_per_s=flop_per_s)
    require_positive(bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s)
    if span not in PASSES:
        raise ValueError(f"span must be one of {', '.join(PASSES)}, not {span!r}")
    factor = 4 * ALL_REDUCES_A_LAYER[span] / (2 * PASSES[span])
    return factor * hidden * (tp - 1) * flop_per_s / (layer_parameters * bus_bandwidth_bytes_per_s)


def share_of_time(
    *, hidden: int, layer_parameters: float, tp: int, flop_per_s: float, bus_bandwidth_bytes_per_s: float
) -> float:
    """The share of a layer's forward time that tensor-parallel communication takes, none of it hidden.

        share = overhead / (1 + overhead)

    Units:   as in overhead_of_compute. Result is a fraction of the total time, always below 1.
    Raises:  ValueError if a count is below 1 or a rate not positive.
    Source:  definition, with overhead_of_compute.

    >>> layer = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 500e12}
    >>> round(share_of_time(**layer, tp=8, bus_bandwidth_bytes_per_s=450e9), 3)
    0.23
    """
    overhead = overhead_of_compute(
        hidden=hidden,
        layer_parameters=layer_parameters,
        tp=tp,
        flop_per_s=flop_per_s,
        bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s,
    )
    return overhead / (1 + overhead)


def largest_tp_under_share(
    *,
    heads: int,
    hidden: int,
    layer_parameters: float,
    flop_per_s: float,
    bus_bandwidth_bytes_per_s: float,
    largest_share: float,
) -> int:
    """Return the largest degree at which communication takes at most a given share of a layer's forward time, none of it hidden.

        the largest divisor of the query heads that is at most  1 + s/(1-s) · W · β / (4 · d · F)

    Units:   as in overhead_of_compute; largest_share above 0 and below 1; heads is a count. Result is a count.
    Raises:  ValueError if a count is below 1, a rate not positive, or the share not between 0 and 1.
    Source:  overhead_of_compute, solved for t; compare Austin et al. 2025, How to Scale Your Model, part 5.

    >>> layer = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 500e12}
    >>> largest_tp_under_share(heads=64, **layer, bus_bandwidth_bytes_per_s=450e9, largest_share=0.25)
    8
    >>> largest_tp_under_share(heads=40, **layer, bus_bandwidth_bytes_per_s=360e9, largest_share=0.25)    # up to 7.3
    5
    """
    require_counts(heads=heads, hidden=hidden)
    require_positive(layer_parameters=layer_parameters, flop_per_s=flop_per_s)
    require_positive(bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s, largest_share=largest_share)
    if largest_share >= 1:
        raise ValueError(f"largest_share must be below 1, not {largest_share!r}")
    overhead = largest_share / (1 - largest_share)
    limit = 1 + overhead * layer_parameters * bus_bandwidth_bytes_per_s / (4 * hidden * flop_per_s)
    return max(degree for degree in range(1, heads + 1) if heads % degree == 0 and degree <= limit)


def throughput_lost(
    *, hidden: int, layer_parameters: float, flop_per_s: float, tp: int, bus_bandwidth_bytes_per_s: float,
    wider_tp: int, wider_bandwidth_bytes_per_s: float,
) -> float:  # fmt: skip
    """Throughput that a cluster loses when all its replicas take a wider tensor-parallel group, and so there are fewer.

        lost = 1 - (1 + overhead) / (1 + wider overhead)        overheads of a step, forward and backward

    Units:   as in overhead_of_compute; each width has its own bus bandwidth. Result is a fraction; below 0 is a gain.
    Raises:  ValueError if a count is below 1 or a rate not positive.
    Source:  overhead_of_compute; compare Narayanan et al. 2021, arXiv:2104.04473, section 5.4.

    >>> layer = {"hidden": 8192, "layer_parameters": 855_638_016, "flop_per_s": 500e12}    # Llama 3 70B
    >>> round(throughput_lost(**layer, tp=8, bus_bandwidth_bytes_per_s=360e9,
    ...                       wider_tp=16, wider_bandwidth_bytes_per_s=240e9), 3)
    0.306
    """
    added = partial(
        overhead_of_compute, hidden=hidden, layer_parameters=layer_parameters, flop_per_s=flop_per_s, span="step"
    )
    narrow = added(tp=tp, bus_bandwidth_bytes_per_s=bus_bandwidth_bytes_per_s)
    wide = added(tp=wider_tp, bus_bandwidth_bytes_per_s=wider_bandwidth_bytes_per_s)
    return 1 - (1 + narrow) / (1 + wide)


def mlp_bound_tp(*, ffn_hidden: int, flop_per_s: float, bandwidth_bytes_per_s: float) -> float:
    """The degree above which an MLP of two matrices takes longer to communicate than to compute, for large groups.

        t = f · β / F

    A gather and a reduce-scatter of 2·tokens·d bytes each are against 4·tokens·d·f/t FLOP, with (t-1)/t taken as 1.

    Units:   a count; FLOP/s and bytes/s per direction of one chip. Result is a degree, not rounded.
    Raises:  ValueError if ffn_hidden is below 1 or a rate not positive.
    Source:  Austin et al. 2025, How to Scale Your Model, part 5, "Tensor Parallelism".

    >>> round(mlp_bound_tp(ffn_hidden=28672, flop_per_s=4.59e14, bandwidth_bytes_per_s=1.8e11), 1)    # TPU v5p, one axis
    11.2
    """
    require_counts(ffn_hidden=ffn_hidden)
    require_positive(flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    return ffn_hidden * bandwidth_bytes_per_s / flop_per_s


def balanced_fsdp_degree(*, tokens: float, ffn_hidden: int, gpus: int, fsdp_axes: int = 1, tp_axes: int = 1) -> float:
    """The degree of FSDP at which FSDP and tensor parallelism together send least, when both have links of one speed.

        x = sqrt( tokens / f · axes_fsdp / axes_tp · N )        and tensor parallelism gets N/x

    FSDP sends the weights of its slice, which shrink with the TP degree; TP sends the activations of its tokens, which
    shrink with the FSDP degree.

    Units:   tokens of the whole batch; counts. Result is a degree, not rounded.
    Raises:  ValueError if tokens is not positive or a count is below 1.
    Source:  Austin et al. 2025, How to Scale Your Model, part 5, "Mixed FSDP and Tensor Parallelism".

    >>> round(balanced_fsdp_degree(tokens=48_000, ffn_hidden=32_768, gpus=64, fsdp_axes=2), 1)
    13.7
    """
    require_positive(tokens=tokens)
    require_counts(ffn_hidden=ffn_hidden, gpus=gpus, fsdp_axes=fsdp_axes, tp_axes=tp_axes)
    return float((tokens / ffn_hidden * fsdp_axes / tp_axes * gpus) ** 0.5)
