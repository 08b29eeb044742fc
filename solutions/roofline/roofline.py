"""The roofline: FLOP against bytes of memory traffic, for the operations of a layer, an optimizer step and decoding."""

from __future__ import annotations

from math import ceil

from ..facts.arguments import require_counts, require_not_negative, require_positive


def ridge_point(*, peak_flop_per_s: float, memory_bytes_per_s: float) -> float:
    """Arithmetic intensity from which on an accelerator can reach its peak.

        ridge = peak / memory bandwidth

    Units:   FLOP/s and bytes/s of one accelerator. Result in FLOP per byte.
    Raises:  ValueError if an argument is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785.

    >>> round(ridge_point(peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12))    # H100
    295
    """
    require_positive(peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s)
    return peak_flop_per_s / memory_bytes_per_s


def roofline_seconds(*, flop: float, moved_bytes: float, peak_flop_per_s: float, memory_bytes_per_s: float) -> float:
    """Least time of an operation that computes and moves bytes at once: the longer of the two.

        seconds = max(FLOP / peak, bytes / bandwidth)

    Units:   FLOP, bytes, FLOP/s, bytes/s. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785; Austin et al. 2025, How to Scale Your
             Model, part 1 (with no overlap at all it would be the sum).

    >>> round(roofline_seconds(flop=2 * 8e9, moved_bytes=16e9, peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12) * 1e3, 2)
    4.78
    """
    require_positive(
        flop=flop, moved_bytes=moved_bytes, peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s
    )
    return max(flop / peak_flop_per_s, moved_bytes / memory_bytes_per_s)


def attainable_flop_per_s(*, intensity: float, peak_flop_per_s: float, memory_bytes_per_s: float) -> float:
    """Highest rate at an arithmetic intensity: the roofline itself.

        rate = min(peak, intensity · bandwidth)

    Units:   FLOP per byte, FLOP/s, bytes/s. Result in FLOP/s.
    Raises:  ValueError if an argument is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785.

    >>> attainable_flop_per_s(intensity=100, peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12) / 1e12
    335.0
    """
    require_positive(intensity=intensity, peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s)
    return min(peak_flop_per_s, intensity * memory_bytes_per_s)


def matmul_intensity(*, tokens: int, inputs: int, outputs: int, bytes_per_element: float = 2) -> float:
    """Arithmetic intensity of a linear layer, each matrix read or written once.

        intensity = 2·t·k·n / (b · (t·k + k·n + t·n))

    With few tokens it is about 2·t/b, so t for 16-bit numbers: only the weights' bytes matter then.

    Shapes:  (t, k)·(k, n) → (t, n)
    Units:   counts; bytes_per_element of all three matrices. Result in FLOP per byte.
    Raises:  ValueError if an argument is not positive.
    Source:  Austin et al. 2025, How to Scale Your Model, part 1, section "Matrix multiplication".

    >>> round(matmul_intensity(tokens=1, inputs=4096, outputs=14336), 2), round(matmul_intensity(tokens=8192, inputs=4096, outputs=14336))
    (1.0, 2294)
    """
    require_counts(tokens=tokens, inputs=inputs, outputs=outputs)
    require_positive(bytes_per_element=bytes_per_element)
    elements = tokens * inputs + inputs * outputs + tokens * outputs
    return 2 * tokens * inputs * outputs / (bytes_per_element * elements)


def compute_bound_tokens(
    *, inputs: int, outputs: int, peak_flop_per_s: float, memory_bytes_per_s: float, bytes_per_weight: float = 2,
    bytes_per_activation: float = 2,
) -> int:  # fmt: skip
    """Fewest tokens at which a linear layer computes at least as long as it moves bytes.

        2·t·k·n / peak  ≥  (w·k·n + a·t·(k + n)) / bandwidth
        t ≥ R·w·k·n / (2·k·n - R·a·(k + n)),   R = peak / bandwidth

    For wide matrices this is R·w/2. In a narrow one the activations' bytes grow as fast as the FLOP, and no number of
    tokens helps.

    Shapes:  (t, k)·(k, n) → (t, n)
    Units:   counts; FLOP/s; bytes/s; bytes of one weight and of one activation. Result is a count of tokens.
    Raises:  ValueError if an argument is not positive, or no number of tokens is enough.
    Source:  Austin et al. 2025, How to Scale Your Model, part 1, solved without its approximation.

    >>> h100 = dict(peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12)
    >>> compute_bound_tokens(inputs=4096, outputs=14336, **h100)      # the ridge point is 295
    326
    >>> compute_bound_tokens(inputs=256, outputs=256, **h100)
    Traceback (most recent call last):
    ValueError: a (256, 256) matrix stays memory-bound with any number of tokens
    """
    require_counts(inputs=inputs, outputs=outputs)
    require_positive(bytes_per_weight=bytes_per_weight, bytes_per_activation=bytes_per_activation)
    ridge = ridge_point(peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s)
    weights = inputs * outputs
    gain_per_token = 2 * weights - ridge * bytes_per_activation * (inputs + outputs)
    if gain_per_token <= 0:
        raise ValueError(f"a ({inputs}, {outputs}) matrix stays memory-bound with any number of tokens")
    return ceil(ridge * bytes_per_weight * weights / gain_per_token)


def fused_attention_intensity(
    *,
    queries: int,
    keys: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    causal: bool = False,
    bytes_per_element: float = 2,
) -> float:
    """Arithmetic intensity of the scores of one sequence when a fused kernel keeps them on the chip.

        FLOP  = 4·q·s·a·h            half of it with a causal mask
        bytes = b · (2·q·a·h + 2·s·k·h)       Q and output; K and V

    In training q = s, and it grows with the sequence. In decoding q = 1, and it is about a/k for 16-bit numbers.

    Shapes:  Q, output (q, a·h); K, V (s, k·h)
    Units:   counts; bytes_per_element. Result in FLOP per byte.
    Raises:  ValueError if an argument is not positive, or heads are not a multiple of kv_heads, or a causal mask has not
             as many queries as keys.
    Source:  Dao et al. 2022, arXiv:2205.14135, section 3; Ainslie et al. 2023, arXiv:2305.13245, section 1.

    >>> llama_8b = dict(heads=32, kv_heads=8, head_dim=128)
    >>> round(fused_attention_intensity(queries=8192, keys=8192, **llama_8b))
    6554
    >>> round(fused_attention_intensity(queries=1, keys=8192, **llama_8b), 1)
    4.0
    """
    require_counts(queries=queries, keys=keys, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
    require_positive(bytes_per_element=bytes_per_element)
    if heads % kv_heads:
        raise ValueError(f"{heads} heads are not a multiple of {kv_heads} KV heads")
    if causal and queries != keys:
        raise ValueError("a causal mask is counted for as many queries as keys")
    flop = 4 * queries * keys * heads * head_dim / (2 if causal else 1)
    moved = bytes_per_element * (2 * queries * heads * head_dim + 2 * keys * kv_heads * head_dim)
    return flop / moved


def unfused_attention_bytes(
    *, tokens: int, sequence_length: int, heads: int, kv_heads: int, head_dim: int, bytes_per_element: float = 2
) -> float:
    """Bytes that plain attention moves in a forward pass of a layer: the scores pass through memory four times.

        bytes = b · (2·t·a·h + 2·t·k·h + 4·a·t·s)

    Scores are written by the first product, read and written by the softmax, and read by the second product. Q, K, V and
    the output pass once, as in a fused kernel. A separate mask, scaling or dropout would add passes of its own.

    Shapes:  scores (a, s, s) for each sequence
    Units:   tokens of the whole batch; counts; bytes_per_element. Result in bytes.
    Raises:  ValueError if an argument is not positive.
    Source:  Dao et al. 2022, arXiv:2205.14135, section 2.2 (Algorithm 0) and theorem 2.

    >>> moved = unfused_attention_bytes(tokens=8192, sequence_length=8192, heads=32, kv_heads=8, head_dim=128)
    >>> round(moved / 1e9, 1)    # where a fused kernel moves 0.17 GB
    17.3
    """
    require_counts(tokens=tokens, sequence_length=sequence_length, heads=heads, kv_heads=kv_heads, head_dim=head_dim)
    require_positive(bytes_per_element=bytes_per_element)
    outer = 2 * tokens * heads * head_dim + 2 * tokens * kv_heads * head_dim
    return bytes_per_element * (outer + 4 * heads * tokens * sequence_length)


def score_traffic_seconds(
    *,
    tokens: int,
    sequence_length: int,
    layers: int,
    heads: int,
    memory_bytes_per_s: float,
    bytes_per_element: float = 2,
) -> float:
    """Least time that scores and probabilities of plain attention take to pass through memory, in a forward pass.

        seconds = layers · 4 · b · a · t · s / bandwidth

    Units:   tokens of the whole micro-batch; counts; bytes/s. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Dao et al. 2022, arXiv:2205.14135, section 2.2 (Algorithm 0) and theorem 2.

    >>> run = dict(tokens=8192, sequence_length=8192, layers=32, heads=32, memory_bytes_per_s=3.35e12)
    >>> round(score_traffic_seconds(**run) * 1e3)    # ms of Llama-3-8B, where the products at the peak take 36
    164
    """
    require_counts(tokens=tokens, sequence_length=sequence_length, layers=layers, heads=heads)
    require_positive(memory_bytes_per_s=memory_bytes_per_s, bytes_per_element=bytes_per_element)
    return layers * 4 * bytes_per_element * heads * tokens * sequence_length / memory_bytes_per_s


def elementwise_seconds(
    *, elements: int, tensors_read: int, tensors_written: int, memory_bytes_per_s: float, bytes_per_element: float = 2
) -> float:
    """Least time of an operation that touches each element a few times and hardly computes: a norm, SwiGLU's product.

        seconds = elements · (read + written) · b / bandwidth

    Units:   elements of one tensor; counts of tensors of that size; bytes/s. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785, left of the ridge.

    >>> round(elementwise_seconds(elements=8192 * 4096, tensors_read=1, tensors_written=1, memory_bytes_per_s=3.35e12) * 1e6)
    40
    """
    require_counts(elements=elements, tensors_read=tensors_read, tensors_written=tensors_written)
    require_positive(memory_bytes_per_s=memory_bytes_per_s, bytes_per_element=bytes_per_element)
    return elements * (tensors_read + tensors_written) * bytes_per_element / memory_bytes_per_s


def adam_step_seconds(
    *, parameters: float, memory_bytes_per_s: float, bytes_per_gradient: float = 4, bytes_per_weight: float = 2
) -> float:
    """Least time of Adam's update on one GPU, which reads and writes its FP32 states once and hardly computes.

        seconds = P · (g + 3·4 read, 3·4 + w written) / bandwidth

    Units:   parameters that this GPU updates; bytes of a gradient and of a weight; bytes/s. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1 (the states), each passed over once.

    >>> round(adam_step_seconds(parameters=8.03e9 / 64, memory_bytes_per_s=3.35e12) * 1e3, 2)    # ms, sharded over 64
    1.12
    """
    require_positive(
        parameters=parameters, memory_bytes_per_s=memory_bytes_per_s, bytes_per_gradient=bytes_per_gradient,
        bytes_per_weight=bytes_per_weight,
    )  # fmt: skip
    return parameters * (bytes_per_gradient + 12 + 12 + bytes_per_weight) / memory_bytes_per_s


def weight_pass_seconds(
    *,
    parameters: float,
    tokens: int,
    peak_flop_per_s: float,
    memory_bytes_per_s: float,
    bytes_per_weight: float = 2,
    cache_bytes: float = 0,
) -> float:
    """Return the least time to push some tokens through all weights once: a decoding step of a batch, or a prefill.

        seconds = max(2·P·tokens / peak, (w·P + cache) / bandwidth)

    In decoding every sequence has one token and reads its cache of keys and values; in a prefill all tokens of the
    prompts pass at once. The FLOP of scores and the activations are omitted.

    Units:   parameters held by this accelerator; tokens is a count; bytes of the caches of all sequences; FLOP/s, bytes/s.
             Result in seconds.
    Raises:  ValueError if an argument is not positive, or the cache negative.
    Source:  Austin et al. 2025, How to Scale Your Model, part 7; Pope et al. 2022, arXiv:2211.05102, section 2.

    >>> h100 = dict(peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12)
    >>> [round(weight_pass_seconds(parameters=8.03e9, tokens=t, **h100) * 1e3, 2) for t in (1, 64, 8192)]   # ms
    [4.79, 4.79, 133.03]
    >>> round(weight_pass_seconds(parameters=8.03e9, tokens=64, cache_bytes=64 * 2**30, **h100) * 1e3, 1)   # 8K tokens each
    25.3
    """
    require_positive(parameters=parameters, bytes_per_weight=bytes_per_weight)
    require_counts(tokens=tokens)
    require_not_negative(cache_bytes=cache_bytes)
    return roofline_seconds(
        flop=2 * parameters * tokens, moved_bytes=bytes_per_weight * parameters + cache_bytes, peak_flop_per_s=peak_flop_per_s,
        memory_bytes_per_s=memory_bytes_per_s,
    )  # fmt: skip


def decode_intensity(
    *, parameters: float, sequences: int, cache_bytes_per_sequence: float = 0, bytes_per_weight: float = 2
) -> float:
    """Arithmetic intensity of one decoding step: each sequence adds a token, and all weights are read for them.

        intensity = 2·P·B / (w·P + B·cache)

    Units:   parameters, sequences: counts; cache in bytes of keys and values for a sequence. Result in FLOP per byte.
    Raises:  ValueError if parameters or sequences are not positive, or the cache is negative.
    Source:  Pope et al. 2022, arXiv:2211.05102, section 2; the scores' own FLOP are omitted.

    >>> decode_intensity(parameters=8e9, sequences=64)
    64.0
    >>> round(decode_intensity(parameters=8e9, sequences=64, cache_bytes_per_sequence=2**30), 1)    # 8K tokens of 8B
    12.1
    """
    require_positive(parameters=parameters, bytes_per_weight=bytes_per_weight)
    require_counts(sequences=sequences)
    require_not_negative(cache_bytes_per_sequence=cache_bytes_per_sequence)
    return 2 * parameters * sequences / (bytes_per_weight * parameters + sequences * cache_bytes_per_sequence)


def bound_by(*, intensity: float, peak_flop_per_s: float, memory_bytes_per_s: float) -> str:
    """What limits an operation: "compute" at or above the ridge point, "memory" below it.

    Units:   FLOP per byte, FLOP/s, bytes/s. Result is a word.
    Raises:  ValueError if an argument is not positive.
    Source:  Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785.

    >>> bound_by(intensity=64, peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12)
    'memory'
    """
    require_positive(intensity=intensity)
    ridge = ridge_point(peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s)
    return "compute" if intensity >= ridge else "memory"
