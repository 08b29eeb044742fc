"""Activation memory of a Llama-style decoder, cut over tensor and pipeline parallelism: a layer, a stage, a GPU."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive


def layer_activation_bytes(*, tokens: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int) -> float:
    """What one layer keeps of a micro-batch for its backward pass, on one GPU, in BF16 and with nothing recomputed.

        bytes = 2 · tokens · (6·d + 2·d·k/a + 3·f) / tp

    Six tensors are as wide as the model: input and output of both norms, queries, attention output. Keys and values
    have k of the a heads. Of the SwiGLU MLP the gate's output, the up output and their product are kept. A fused
    attention keeps no scores. With sequence parallelism all of this is cut over the tensor-parallel group.

    Shapes:  (tokens, d) six times; (tokens, d·k/a) twice; (tokens, f) three times
    Units:   every argument is a count; tokens are those of one micro-batch on this GPU. Result in bytes.
    Raises:  ValueError if an argument is below 1, or heads do not divide the width, or kv_heads the heads.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4, counted anew for RMSNorm, grouped-query attention,
             SwiGLU and no dropout; fused attention: Dao et al. 2022, arXiv:2205.14135, section 3.1.

    >>> held = layer_activation_bytes(tokens=8192, hidden=16384, ffn_hidden=53248, heads=128, kv_heads=8, tp=8)
    >>> round(held / 1e9, 3)   # Llama 3.1 405B, one sequence of 8K tokens
    0.533
    """
    require_counts(tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, tp=tp)
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    kv_width = hidden // heads * kv_heads
    kept_per_token = 6 * hidden + 2 * kv_width + 3 * ffn_hidden
    return 2 * tokens * kept_per_token / tp


def peak_activation_bytes(
    *, tokens: int, layers: int, recomputed_layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int,
    vocabulary: int, tp: int,
) -> float:  # fmt: skip
    """The most that activations and logits take on a GPU in a step, with the first n layers recomputed.

        bytes = n · input + (L - n) · layer + max(logits, layer - input if n = L)

    The peak is in the loss, when all layers keep what they keep and the logits come on top: BF16, a copy in FP32 and
    its gradient. Only if all layers are recomputed may the last one, held in full, weigh more than the logits.

    Units:   every argument is a count; tokens of one micro-batch; sequence parallelism cuts all over tp. Result in bytes.
    Raises:  ValueError if a count is below 1, or recomputed_layers not from 0 to layers.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, sections 4.3 and 5; layers as in layer_activation_bytes.

    >>> llama = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8, "vocabulary": 128256}
    >>> [round(peak_activation_bytes(tokens=8192, recomputed_layers=n, **llama, tp=1) / 1e9, 1) for n in (0, 16, 32)]
    [47.0, 29.8, 12.7]
    """
    require_counts(
        tokens=tokens, layers=layers, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads,
        vocabulary=vocabulary, tp=tp,
    )  # fmt: skip
    if not 0 <= recomputed_layers <= layers:
        raise ValueError(f"recomputed_layers must be from 0 to {layers}, not {recomputed_layers!r}")
    kv_width = hidden / heads * kv_heads
    numbers_per_token = 6 * hidden + 2 * kv_width + 3 * ffn_hidden
    layer_bytes = 2 * tokens * numbers_per_token / tp
    input_bytes = 2 * tokens * hidden / tp
    kept_bytes = recomputed_layers * input_bytes + (layers - recomputed_layers) * layer_bytes
    again_bytes = layer_bytes - input_bytes if recomputed_layers == layers else 0
    logit_bytes = (2 + 4 + 4) * tokens * vocabulary / tp
    return kept_bytes + max(again_bytes, logit_bytes)


def in_flight_bytes(*, layer_bytes: float, stage_layers: int, stages: int, micro_batches: int) -> float:
    """Activations that a GPU of the first pipeline stage holds at their peak, under 1F1B.

        bytes = min(m, p) · stage_layers · layer_bytes

    The first stage runs p forward passes before the first backward pass comes back to it, and from then on one of each.

    Units:   layer_bytes in bytes, for one micro-batch and one layer on one GPU; the rest are counts. Result in bytes.
    Raises:  ValueError if layer_bytes is not positive or a count is below 1.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1.

    >>> in_flight_bytes(layer_bytes=0.533e9, stage_layers=8, stages=16, micro_batches=16) / 1e9
    68.224
    >>> in_flight_bytes(layer_bytes=0.533e9, stage_layers=16, stages=8, micro_batches=32) / 1e9   # fewer stages, same peak
    68.224
    """
    require_positive(layer_bytes=layer_bytes)
    require_counts(stage_layers=stage_layers, stages=stages, micro_batches=micro_batches)
    in_flight = min(micro_batches, stages)
    return in_flight * stage_layers * layer_bytes


def smallest_pipeline(
    *, weight_bytes: float, activation_bytes: float, tp: int, memory_bytes: float, max_stages: int = 64
) -> int:
    """The smallest power of two of pipeline stages with which the first stage's weights and activations fit.

        weight_bytes / (tp · p)  +  activation_bytes / tp   ≤   memory_bytes

    The first stage has 1/p of the layers and p micro-batches in flight, so p cancels in the activations.

    Units:   bytes; weight_bytes of the whole model, activation_bytes of one micro-batch in all its layers.
             At least p micro-batches pass through the pipeline in a step.
    Raises:  ValueError if an argument is not positive, or max_stages stages are too few.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, sections 2.2.1 and 3; Llama Team 2024, section 3.3.2.

    >>> smallest_pipeline(weight_bytes=810e9, activation_bytes=537e9, tp=8, memory_bytes=76e9)   # Llama 3.1 405B
    16
    >>> smallest_pipeline(weight_bytes=810e9, activation_bytes=1, tp=8, memory_bytes=76e9)       # its weights alone
    2
    """
    require_positive(weight_bytes=weight_bytes, activation_bytes=activation_bytes, memory_bytes=memory_bytes)
    require_counts(tp=tp, max_stages=max_stages)
    stages = 1
    while stages <= max_stages:
        if weight_bytes / (tp * stages) + activation_bytes / tp <= memory_bytes:
            return stages
        stages *= 2
    raise ValueError(f"{max_stages} stages are too few: {memory_bytes:g} bytes do not hold weights and activations")
