"""FLOP of a decoder counted from its shape: the parts of a layer, a forward pass, a training step with what it recomputes."""

from __future__ import annotations

from ..facts.arguments import require_counts

RECOMPUTE = ("none", "selective", "full")


def projection_flop(*, tokens: int, hidden: int, heads: int, kv_heads: int) -> int:
    """FLOP of the four attention matrices of one layer, in a forward pass.

        FLOP = 2 · tokens · (2·d² + 2·d·(d·k/a))

    Each weight takes a multiplication and an addition for each token. Query and output matrix are d·d; the key and
    value matrices have k of the a heads.

    Shapes:  query, output (d, d); key, value (d, d·k/a)
    Units:   every argument is a count. Result in FLOP.
    Raises:  ValueError if an argument is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, appendix; grouped queries: Ainslie et al. 2023, arXiv:2305.13245.

    >>> projection_flop(tokens=1, hidden=4096, heads=32, kv_heads=8)    # Llama-3-8B: 42 million weights, 2 FLOP each
    83886080
    """
    require_counts(tokens=tokens, hidden=hidden, heads=heads, kv_heads=kv_heads)
    _require_heads(hidden, heads, kv_heads)
    kv_width = hidden // heads * kv_heads
    return 2 * tokens * (2 * hidden * hidden + 2 * hidden * kv_width)


def score_flop(*, tokens: int, sequence_length: int, hidden: int, causal: bool = False) -> int:
    """FLOP of the attention scores of one layer, in a forward pass: QKᵀ, and probabilities times values.

        FLOP = 4 · tokens · s · d        all pairs, as PaLM and Megatron count
        FLOP = 2 · tokens · s · d        the pairs that a causal mask leaves

    Each of the two products takes 2·d FLOP for a pair of tokens. Grouped queries save nothing here, since every query
    head meets every key. The diagonal is counted as one half, so that the causal count is exactly one half.

    Shapes:  for each head, (s, d/a)·(d/a, s) and (s, s)·(s, d/a)
    Units:   tokens of the whole batch; sequence_length and hidden are counts. Result in FLOP.
    Raises:  ValueError if an argument is below 1, or the tokens are not a whole number of sequences.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B; causal half: Dao 2023, arXiv:2307.08691, section 4.1.

    >>> full = score_flop(tokens=8192, sequence_length=8192, hidden=4096)
    >>> full / score_flop(tokens=8192, sequence_length=8192, hidden=4096, causal=True)
    2.0
    """
    require_counts(tokens=tokens, sequence_length=sequence_length, hidden=hidden)
    if tokens % sequence_length:
        raise ValueError(f"{tokens} tokens are not a whole number of sequences of {sequence_length}")
    return (2 if causal else 4) * tokens * sequence_length * hidden


def mlp_flop(*, tokens: int, hidden: int, ffn_hidden: int, mlp_matrices: int = 3) -> int:
    """FLOP of the MLP of one layer, in a forward pass.

        FLOP = 2 · tokens · matrices · d · f

    SwiGLU has three matrices (gate, up, down), a GELU MLP two (up, down).

    Shapes:  gate, up (d, f); down (f, d)
    Units:   every argument is a count. Result in FLOP.
    Raises:  ValueError if an argument is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, appendix; SwiGLU: Shazeer 2020, arXiv:2002.05202.

    >>> mlp_flop(tokens=1, hidden=4096, ffn_hidden=14336)    # Llama-3-8B
    352321536
    """
    require_counts(tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices)
    return 2 * tokens * mlp_matrices * hidden * ffn_hidden


def output_flop(*, tokens: int, hidden: int, vocabulary: int) -> int:
    """FLOP of the output layer in a forward pass. The input embedding is a look-up and takes none.

        FLOP = 2 · tokens · d · V

    Shapes:  (tokens, d)·(d, V)
    Units:   every argument is a count. Result in FLOP.
    Raises:  ValueError if an argument is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, appendix (logit layer).

    >>> output_flop(tokens=1, hidden=4096, vocabulary=128256)    # as much as two and a half layers of Llama-3-8B
    1050673152
    """
    require_counts(tokens=tokens, hidden=hidden, vocabulary=vocabulary)
    return 2 * tokens * hidden * vocabulary


def layer_flop(
    *, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    mlp_matrices: int = 3, causal: bool = False,
) -> int:  # fmt: skip
    """FLOP of one layer in a forward pass. Norms, softmax and activation functions are omitted, as everywhere.

        FLOP = projections + scores + MLP

    Units:   tokens of the whole batch; every other argument is a count. Result in FLOP.
    Raises:  ValueError as the parts do.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, appendix.

    >>> layer_flop(tokens=8192, sequence_length=8192, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8) / 1e12
    4.672924418048
    """
    return (
        projection_flop(tokens=tokens, hidden=hidden, heads=heads, kv_heads=kv_heads)
        + score_flop(tokens=tokens, sequence_length=sequence_length, hidden=hidden, causal=causal)
        + mlp_flop(tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices)
    )


def forward_flop(
    *, tokens: int, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, mlp_matrices: int = 3, causal: bool = False,
) -> int:  # fmt: skip
    """FLOP of a forward pass of the whole decoder.

        FLOP = layers · layer + output layer

    Units:   tokens of the whole batch; every other argument is a count. Result in FLOP.
    Raises:  ValueError as the parts do.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, appendix.

    >>> flop = forward_flop(tokens=8192, sequence_length=8192, layers=32, hidden=4096, ffn_hidden=14336,
    ...                     heads=32, kv_heads=8, vocabulary=128256)
    >>> round(flop / 8192 / 1e9, 2)    # GFLOP per token; 2 per parameter would give 16.06
    19.3
    """
    require_counts(layers=layers)
    one_layer = layer_flop(
        tokens=tokens, sequence_length=sequence_length, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads,
        kv_heads=kv_heads, mlp_matrices=mlp_matrices, causal=causal,
    )  # fmt: skip
    return layers * one_layer + output_flop(tokens=tokens, hidden=hidden, vocabulary=vocabulary)


def step_flop(
    *, tokens: int, sequence_length: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, mlp_matrices: int = 3, causal: bool = False, recompute: str = "none",
) -> int:  # fmt: skip
    """FLOP that the GPUs do in a training step: forward, backward, and what is computed a second time.

        FLOP = 3 · forward + recomputed
        recomputed:  0 ("none"), layers · scores ("selective"), layers · layer ("full")

    A product C = A·B has two products of the same size in the backward pass, dA = dC·Bᵀ and dB = Aᵀ·dC. Full
    recomputation repeats every layer's forward pass; the output layer is not in a layer and is not repeated.

    Units:   tokens of the whole batch; every other argument is a count. Result in FLOP.
    Raises:  ValueError as the parts do, or for another word than those three.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, appendix A; Narayanan et al. 2021, arXiv:2104.04473, equation 3.

    >>> shape = dict(tokens=8192, sequence_length=8192, layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8,
    ...              vocabulary=128256)
    >>> model = step_flop(**shape)
    >>> [round(step_flop(**shape, recompute=word) / model, 3) for word in ("none", "selective", "full")]
    [1.0, 1.074, 1.315]
    """
    if recompute not in RECOMPUTE:
        raise ValueError(f"recompute must be one of {', '.join(RECOMPUTE)}, not {recompute!r}")
    require_counts(layers=layers)
    one_layer = layer_flop(
        tokens=tokens, sequence_length=sequence_length, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads,
        kv_heads=kv_heads, mlp_matrices=mlp_matrices, causal=causal,
    )  # fmt: skip
    scores = score_flop(tokens=tokens, sequence_length=sequence_length, hidden=hidden, causal=causal)
    again = {"none": 0, "selective": layers * scores, "full": layers * one_layer}[recompute]
    forward = layers * one_layer + output_flop(tokens=tokens, hidden=hidden, vocabulary=vocabulary)
    return 3 * forward + again


def layer_pass_flop(
    *, part: str, tokens: int, sequence_length: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    mlp_matrices: int = 3, causal: bool = False,
) -> int:  # fmt: skip
    """FLOP of a layer's forward pass (F), of its input gradients (B) or of its weight gradients (W).

        F = weights' products + scores
        B = weights' products + 2 · scores
        W = weights' products

    Scores have no weights, so both of their gradients belong to B. Zero-bubble schedules use that W can wait.

    Units:   part is "F", "B" or "W"; tokens of the whole batch; the rest are counts. Result in FLOP.
    Raises:  ValueError as the parts do, or for another letter than those three.
    Source:  Qi et al. 2024 (Zero Bubble Pipeline Parallelism), arXiv:2401.10241, Table 1.

    >>> shape = dict(tokens=2048, sequence_length=2048, hidden=4096, ffn_hidden=16384, heads=32, kv_heads=32,
    ...              mlp_matrices=2)
    >>> [layer_pass_flop(part=part, **shape) // 2**30 for part in "FBW"]    # bsh(24h + 4s), bsh(24h + 8s), 24bsh²
    [832, 896, 768]
    """
    if part not in ("F", "B", "W"):
        raise ValueError(f"part must be F, B or W, not {part!r}")
    scores = score_flop(tokens=tokens, sequence_length=sequence_length, hidden=hidden, causal=causal)
    weights = projection_flop(tokens=tokens, hidden=hidden, heads=heads, kv_heads=kv_heads) + mlp_flop(
        tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices
    )
    return weights + {"F": 1, "B": 2, "W": 0}[part] * scores


def _require_heads(hidden: int, heads: int, kv_heads: int) -> None:
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
