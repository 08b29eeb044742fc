"""Tensor parallelism: what matrices cut over GPUs leave on each of them, and what the GPUs send each other."""

from __future__ import annotations

from ..activations.activations import layer_activation_bytes
from ..facts.arguments import require_counts, require_positive
from ..ring import ring

ALL_REDUCES_A_LAYER = {"forward": 2, "step": 4, "step with recompute": 6}


def shard_shape(*, inputs: int, outputs: int, tp: int, cut: str, stored: str = "in, out") -> tuple[int, int]:
    """Shape of one GPU's part of the weight matrix of a linear layer, Y = X·W with W of (inputs, outputs).

        cut "columns":  (inputs, outputs / tp)        each GPU makes some of the outputs
        cut "rows":     (inputs / tp, outputs)        each GPU reads some of the inputs, and makes a part of every sum

    `torch.nn.Linear` stores the transpose, (out, in), and then the same cut goes through the other index.

    Units:   counts; cut is "columns" or "rows" of W; stored is "in, out" or "out, in". Result is a shape.
    Raises:  ValueError if a count is below 1, tp does not divide what is cut, or a word is unknown.
    Source:  Shoeybi et al. 2019, arXiv:1909.08053, section 3; torch.nn.Linear documentation (weight: out × in).

    >>> shard_shape(inputs=8192, outputs=8192, tp=8, cut="columns")
    (8192, 1024)
    >>> shard_shape(inputs=8192, outputs=8192, tp=8, cut="columns", stored="out, in")    # the same numbers, in torch
    (1024, 8192)
    """
    require_counts(inputs=inputs, outputs=outputs, tp=tp)
    if cut not in ("columns", "rows"):
        raise ValueError(f"cut must be columns or rows, not {cut!r}")
    if stored not in ("in, out", "out, in"):
        raise ValueError(f'stored must be "in, out" or "out, in", not {stored!r}')
    if (outputs if cut == "columns" else inputs) % tp:
        raise ValueError(f"{tp} GPUs must divide the {cut} of a matrix of {inputs} inputs and {outputs} outputs")
    shape = (inputs, outputs // tp) if cut == "columns" else (inputs // tp, outputs)
    return shape if stored == "in, out" else (shape[1], shape[0])


def kv_copies(*, kv_heads: int, tp: int) -> int:
    """On how many GPUs of a tensor-parallel group each key/value head lies.

        copies = max(1, tp / kv_heads)

    A GPU needs the key and value head that its query heads use. With more GPUs than such heads, several keep the same one.

    Units:   counts.
    Raises:  ValueError if a count is below 1, or neither number divides the other.
    Source:  Ainslie et al. 2023, arXiv:2305.13245, section 2.2 (sharding of grouped queries).

    >>> [kv_copies(kv_heads=8, tp=tp) for tp in (4, 8, 16)]    # Llama 3 70B
    [1, 1, 2]
    """
    require_counts(kv_heads=kv_heads, tp=tp)
    if kv_heads % tp and tp % kv_heads:
        raise ValueError(f"{kv_heads} KV heads and {tp} GPUs must divide one another")
    return max(1, tp // kv_heads)


def layer_parameters_per_gpu(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int) -> int:
    """Matrix elements of one layer on one GPU of a tensor-parallel group: grouped queries, and a SwiGLU MLP.

        (2·d² + 2·d·(d/a)·k·copies + 3·d·f) / tp        with  copies = max(1, tp/k)

    Shapes:  query and output (d, d); key and value (d, d·k/a); gate, up and down (d, f). Norms are not counted.
    Units:   counts.
    Raises:  ValueError if a count is below 1, or heads, KV heads or the MLP cannot be dealt out evenly.
    Source:  Shoeybi et al. 2019, arXiv:1909.08053, section 3; Llama Team 2024, arXiv:2407.21783, Table 3 (shapes).

    >>> shape = {"hidden": 8192, "ffn_hidden": 28672, "heads": 64, "kv_heads": 8}    # Llama 3 70B
    >>> [round(layer_parameters_per_gpu(**shape, tp=tp) / 1e6, 1) for tp in (1, 8, 16)]
    [855.6, 107.0, 54.5]
    """
    require_counts(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, tp=tp)
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    if heads % tp or ffn_hidden % tp:
        raise ValueError(f"{tp} GPUs must divide the {heads} heads and the {ffn_hidden} columns of the MLP")
    kv_width = hidden // heads * kv_heads * kv_copies(kv_heads=kv_heads, tp=tp)
    return (2 * hidden * hidden + 2 * hidden * kv_width + 3 * hidden * ffn_hidden) // tp


def weight_bytes_per_gpu(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, bytes_per_weight: float = 2
) -> float:
    """Weights of a model's layers on one GPU of a tensor-parallel group, embeddings not counted.

        bytes = width · layers · layer_parameters_per_gpu

    Units:   counts, and bytes for each weight. Result in bytes.
    Raises:  ValueError as layer_parameters_per_gpu does, or if layers is below 1.
    Source:  Shoeybi et al. 2019, arXiv:1909.08053, section 3; Llama Team 2024, arXiv:2407.21783, Table 3 (shapes).

    >>> shape = {"layers": 80, "hidden": 8192, "ffn_hidden": 28672, "heads": 64, "kv_heads": 8}    # Llama 3 70B
    >>> round(weight_bytes_per_gpu(**shape, tp=8) / 1e9, 2)    # 12·d² a layer would give 16.11
    17.11
    """
    require_counts(layers=layers)
    require_positive(bytes_per_weight=bytes_per_weight)
    layer = layer_parameters_per_gpu(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, tp=tp)
    return bytes_per_weight * layers * layer


def largest_tp(*, heads: int, kv_heads: int, ffn_hidden: int, group: int) -> int:
    """The largest tensor-parallel degree of at most `group` that deals everything out evenly and copies no head.

    It divides the query heads, the key/value heads and the columns of the MLP.

    Units:   counts; group is how many GPUs have fast links to one another.
    Raises:  ValueError if a count is below 1.
    Source:  Megatron-LM, megatron/core/transformer/transformer_config.py (divisibility of heads and query groups).

    >>> largest_tp(heads=32, kv_heads=8, ffn_hidden=14336, group=8), largest_tp(heads=25, kv_heads=25, ffn_hidden=6400, group=8)
    (8, 5)
    """
    require_counts(heads=heads, kv_heads=kv_heads, ffn_hidden=ffn_hidden, group=group)
    return max(t for t in range(1, group + 1) if heads % t == kv_heads % t == ffn_hidden % t == 0)


def all_reduces(*, layers: int, span: str) -> int:
    """All-reduces that tensor parallelism needs for one micro-batch.

        forward: 2 · layers        step: 4 · layers        step with recompute: 6 · layers

    Attention and MLP each need one for their output, and one in the backward pass for the gradient of their input.
    Recomputing every layer repeats those of the forward pass.

    Units:   a count; span is "forward", "step" or "step with recompute" (full recomputation of every layer).
    Raises:  ValueError if layers is below 1 or the span unknown.
    Source:  Shoeybi et al. 2019, arXiv:1909.08053, section 3; Narayanan et al. 2021, arXiv:2104.04473, section 2.3.

    >>> [all_reduces(layers=80, span=span) for span in ("forward", "step", "step with recompute")]
    [160, 320, 480]
    """
    require_counts(layers=layers)
    if span not in ALL_REDUCES_A_LAYER:
        raise ValueError(f"span must be one of {', '.join(ALL_REDUCES_A_LAYER)}, not {span!r}")
    return ALL_REDUCES_A_LAYER[span] * layers


def recomputed_layers(*, counted: int, layers: int, micro_batches: int) -> int:
    """Layers that a run recomputes, from the tensor-parallel all-reduces in the trace of one step.

        recomputed = (counted / micro_batches - 4 · layers) / 2

    Units:   counts; `counted` of one GPU and one step. Result is a count, from 0 to layers.
    Raises:  ValueError if a count is below 1, or no whole number of layers gives what was counted.
    Source:  all_reduces, solved for the layers that repeat their forward pass.

    >>> recomputed_layers(counted=1600, layers=80, micro_batches=4)
    40
    """
    require_counts(counted=counted, layers=layers, micro_batches=micro_batches)
    step = ALL_REDUCES_A_LAYER["step"] * layers * micro_batches
    recomputed, rest = divmod(counted - step, ALL_REDUCES_A_LAYER["forward"] * micro_batches)
    if rest or not 0 <= recomputed <= layers:
        raise ValueError(
            f"the counted all-reduces must fit {layers} layers and {micro_batches} micro-batches, not {counted}"
        )
    return recomputed


def phase_bytes(*, tokens: int, hidden: int, tp: int, bytes_per_value: float = 2) -> float:
    """Bytes that each GPU sends in one phase of a tensor-parallel all-reduce, or in one gather of sequence parallelism.

        bytes = width · tokens · d · (t-1)/t

    Units:   counts; tokens are those of a micro-batch, of all its sequences. Result in bytes.
    Raises:  ValueError if a count is below 1 or the width of a value not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.2.2; Thakur et al. 2005, section 4.1.

    >>> phase_bytes(tokens=4096, hidden=8192, tp=8) / 2**20    # MiB, half of an all-reduce
    56.0
    """
    require_counts(tokens=tokens, hidden=hidden)
    require_positive(bytes_per_value=bytes_per_value)
    return ring.bytes_sent_per_phase(message_bytes=bytes_per_value * tokens * hidden, gpus=tp)


def all_reduce_bytes(*, tokens: int, hidden: int, tp: int, bytes_per_value: float = 2) -> float:
    """Bytes that each GPU sends in one tensor-parallel all-reduce of a layer's output.

        bytes = 2 · width · tokens · d · (t-1)/t

    The message is the whole output, one vector of d values for each token: every GPU has a part of every sum.

    Units:   counts; tokens are those of a micro-batch, of all its sequences. Result in bytes.
    Raises:  ValueError if a count is below 1 or the width of a value not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2; Shoeybi et al. 2019, arXiv:1909.08053, section 3.

    >>> all_reduce_bytes(tokens=4096, hidden=8192, tp=8) / 2**20    # MiB; 56 is one phase
    112.0
    """
    require_counts(tokens=tokens, hidden=hidden)
    require_positive(bytes_per_value=bytes_per_value)
    return ring.bytes_sent_per_gpu(message_bytes=bytes_per_value * tokens * hidden, gpus=tp)


def traffic_bytes(*, tokens: int, hidden: int, layers: int, tp: int, span: str = "step") -> float:
    """Bytes that tensor parallelism makes each GPU send for one micro-batch in BF16.

        bytes = all-reduces · 2 · 2 · tokens · d · (t-1)/t

    Sequence parallelism replaces each all-reduce by a reduce-scatter and an all-gather, and sends as much.

    Units:   counts; span as in all_reduces. Result in bytes.
    Raises:  ValueError if a count is below 1 or the span unknown.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2 (8bsh(t-1)/t elements a layer).

    >>> traffic_bytes(tokens=4096, hidden=8192, layers=80, tp=8, span="forward") / 2**30    # GiB
    17.5
    """
    each = all_reduce_bytes(tokens=tokens, hidden=hidden, tp=tp)
    return all_reduces(layers=layers, span=span) * each


def kept_bytes(
    *, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, sequence_parallel: bool
) -> float:
    """What one layer keeps on one GPU for its backward pass, in BF16 with nothing recomputed, with or without SP.

        without:  2 · tokens · ( 4·d + (2·d + 2·d·k/a + 3·f) / t )
        with:     2 · tokens · ( 4·d +  2·d + 2·d·k/a + 3·f  ) / t

    Tensor parallelism alone leaves whole what is between the matrices: input and output of both norms. Sequence
    parallelism splits their tokens over the same group.

    Shapes:  (tokens, d) four times between the matrices; the rest inside attention and MLP
    Units:   counts; tokens of one micro-batch. Result in bytes.
    Raises:  ValueError if a count is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, sections 4.2.1 and 4.2.2, counted anew for RMSNorm, SwiGLU,
             grouped queries and no dropout.

    >>> one = {"tokens": 8192, "hidden": 8192, "ffn_hidden": 28672, "heads": 64, "kv_heads": 8, "tp": 8}
    >>> [round(kept_bytes(**one, sequence_parallel=sp) / 1e9, 3) for sp in (False, True)]    # Llama 3 70B
    [0.751, 0.281]
    """
    cut = layer_activation_bytes(
        tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, tp=tp
    )
    between_matrices = 2 * tokens * 4 * hidden
    return cut if sequence_parallel else cut + between_matrices - between_matrices / tp


def tokens_with_sequence_parallelism(
    *, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int
) -> float:
    """Tokens of a micro-batch that keep, with sequence parallelism, what `tokens` keep with tensor parallelism alone.

        tokens' = tokens · kept without SP / kept with SP

    Units:   counts. Result in tokens, not rounded.
    Raises:  ValueError as kept_bytes does.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, sections 4.2.1 and 4.2.2, with the tensors of kept_bytes.

    >>> shape = {"hidden": 8192, "ffn_hidden": 28672, "heads": 64, "kv_heads": 8}    # Llama 3 70B
    >>> [round(tokens_with_sequence_parallelism(tokens=8192, **shape, tp=tp)) for tp in (1, 2, 8)]
    [8192, 10148, 21886]
    """
    shape = {"tokens": tokens, "hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads}
    alone = kept_bytes(**shape, tp=tp, sequence_parallel=False)
    shared_out = kept_bytes(**shape, tp=tp, sequence_parallel=True)
    return tokens * alone / shared_out
