"""Parameters of the parts of a layer: grouped, latent or recurrent mixers, and an MLP or one expert."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_whole


def attention_parameters(
    *, hidden: int, heads: int, kv_heads: int, head_dim: int, biases: bool = False, qk_norm: bool = False, sinks: bool = False
) -> int:  # fmt: skip
    """Parameters of the attention of one layer, without the norm before it.

        parameters = 2·d·a·h + 2·d·k·h

    Query and output have a heads of h elements, key and value k heads. With biases there is one for each output of
    a matrix. `qk_norm` adds a gain of h elements for queries and one for keys, `sinks` one number for each head.

    Units:   every argument is a count; so is the result. a·h need not be d.
    Raises:  ValueError if a count is below 1, or kv_heads do not divide heads.
    Source:  Vaswani et al. 2017, arXiv:1706.03762, section 3.2; grouped queries: Ainslie et al. 2023, arXiv:2305.13245.

    >>> attention_parameters(hidden=4096, heads=32, kv_heads=8, head_dim=128)
    41943040
    """
    require_counts(hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
    if heads % kv_heads:
        raise ValueError(f"{kv_heads} KV heads must divide the {heads} heads")
    inside, kv_inside = heads * head_dim, kv_heads * head_dim
    matrices = 2 * hidden * inside + 2 * hidden * kv_inside
    of_biases = inside + 2 * kv_inside + hidden if biases else 0
    return matrices + of_biases + (2 * head_dim if qk_norm else 0) + (heads if sinks else 0)


def latent_attention_parameters(
    *, hidden: int, heads: int, head_dim: int, rope_head_dim: int, query_rank: int, kv_rank: int, value_dim: int = 0
) -> int:
    """Parameters of multi-head latent attention (MLA) of one layer, without the norm before it.

        queries = d·q + q + q·a·(h + r), or d·a·(h + r) if q is 0
        keys, values = d·(c + r) + c + c·a·(h + v)
        output = a·v·d

    Queries pass through a vector of q elements (`query_rank`), keys and values through one of c (`kv_rank`), each
    with a norm of its own. r elements of a head carry the position; the key's are made once for all heads. A value has
    v = `value_dim` elements, as many as a head (h) unless it is given.

    Units:   every argument is a count; so is the result.
    Raises:  ValueError if a count is below 1, except query_rank and value_dim, which may be 0.
    Source:  DeepSeek-AI 2024 (DeepSeek-V2), arXiv:2405.04434, section 2.1 and appendix C.

    >>> latent_attention_parameters(
    ...     hidden=7168, heads=128, head_dim=128, rope_head_dim=64, query_rank=1536, kv_rank=512)
    187107328
    """
    require_counts(hidden=hidden, heads=heads, head_dim=head_dim)
    require_counts(rope_head_dim=rope_head_dim, kv_rank=kv_rank)
    require_whole(query_rank=query_rank, value_dim=value_dim)
    value_dim = value_dim or head_dim
    made_from = query_rank or hidden
    queries = made_from * heads * (head_dim + rope_head_dim) + (hidden + 1) * query_rank
    keys_and_values = hidden * (kv_rank + rope_head_dim) + kv_rank + kv_rank * heads * (head_dim + value_dim)
    return queries + keys_and_values + heads * value_dim * hidden


def recurrent_parameters(
    *, hidden: int, key_heads: int, value_heads: int, key_dim: int, value_dim: int, convolution: int = 0,
    gates: int = 0, gate_rank: int = 0,
) -> int:  # fmt: skip
    """Return the parameters of a recurrent mixer (linear attention, gated delta rule or Mamba-2), without norms and biases.

        in = d·(2·K + V) + d·V + d·g·v
        convolution = k·(2·K + V)
        out = V·d

    K = key_heads·key_dim and V = value_heads·value_dim elements; queries are as wide as keys. The second term of `in` is
    the output gate, for which a low-rank one has 2·r·(d + V) instead, with the decay of each key. Each value head
    has g gates (`gates`), which decide what the state forgets and writes. In Mamba-2, B and C are keys and queries, and K is groups times
    state size.

    Units:   every argument is a count; so is the result.
    Raises:  ValueError if a count is below 1, except convolution, gates and gate_rank, which may be 0.
    Source:  Yang et al. 2024 (Gated DeltaNet), arXiv:2412.06464, section 3.4; Dao & Gu 2024 (Mamba-2), arXiv:2405.21060,
             section 7; Qin et al. 2024 (lightning attention), arXiv:2405.17381, section 3; low rank: Kimi Team 2025,
             arXiv:2510.26692, section 4.

    >>> recurrent_parameters(hidden=2048, key_heads=16, value_heads=32, key_dim=128, value_dim=128, convolution=4, gates=2)
    33718272
    """
    require_counts(hidden=hidden, key_heads=key_heads, value_heads=value_heads, key_dim=key_dim, value_dim=value_dim)
    require_whole(convolution=convolution, gates=gates, gate_rank=gate_rank)
    mixed, values = 2 * key_heads * key_dim + value_heads * value_dim, value_heads * value_dim
    gate = 2 * gate_rank * (hidden + values) if gate_rank else hidden * values
    return hidden * (mixed + gates * value_heads) + gate + convolution * mixed + values * hidden


def mlp_parameters(*, hidden: int, ffn_hidden: int, mlp_matrices: int = 3, biases: bool = False) -> int:
    """Parameters of one MLP, or of one expert: `mlp_matrices` of d by f elements.

    SwiGLU has three matrices (gate, up, down), GELU and ReLU two (up, down).

    Units:   every argument is a count; so is the result.
    Raises:  ValueError if a count is below 1.
    Source:  Vaswani et al. 2017, arXiv:1706.03762, section 3.3; SwiGLU: Shazeer 2020, arXiv:2002.05202.

    >>> mlp_parameters(hidden=4096, ffn_hidden=14336)
    176160768
    """
    require_counts(hidden=hidden, ffn_hidden=ffn_hidden, mlp_matrices=mlp_matrices)
    of_biases = (mlp_matrices - 1) * ffn_hidden + hidden if biases else 0
    return mlp_matrices * hidden * ffn_hidden + of_biases


def layer_parameters(*, hidden: int, ffn_hidden: int, heads: int, kv_heads: int) -> int:
    """Weights in the matrices of one decoder layer with grouped-query attention and a SwiGLU MLP.

        parameters = 2·d²·(1 + k/a) + 3·d·f

    Queries and the output projection are d·d; keys and values are d·(d·k/a), because k of the a heads exist.
    SwiGLU has three matrices (gate, up, down), where a plain MLP has two. The two norm vectors are omitted.

    Shapes:  W_q, W_o: (d, d); W_k, W_v: (d, d·k/a); gate, up: (d, f); down: (f, d)
    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Ainslie et al. 2023, arXiv:2305.13245, section 2.2; Shazeer 2020, arXiv:2002.05202, section 2.

    >>> layer_parameters(hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8)   # Llama 3.1 405B
    3187671040
    """
    require_counts(hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads)
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    kv_width = hidden // heads * kv_heads
    attention = 2 * hidden * hidden + 2 * hidden * kv_width
    return attention + 3 * hidden * ffn_hidden
