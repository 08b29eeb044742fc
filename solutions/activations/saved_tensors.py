"""Tensors that eager PyTorch saves for the backward pass, operation by operation."""

from __future__ import annotations

from ..facts.arguments import require_counts


def eager_mlp_bytes(*, tokens: int, hidden: int, ffn_hidden: int) -> float:
    """Return the bytes that autograd saves for an unfused RMSNorm and SwiGLU MLP in BF16.

        bytes = tokens · (4·d + 2·d + 2·d  +  2·f + 2·f + 2·f + 2·f)

    The norm computes in FP32 and saves that copy, and its 16-bit output for the gradient of its weight; the matrices save
    their input, which is the scaled output. The activation saves the gate; the product saves both of its factors, and the
    last matrix saves the product. What has one value per token is omitted.

    Units:   every argument is a count. Result in bytes.
    Raises:  ValueError if an argument is below 1.
    Source:  counted with torch.autograd.graph.saved_tensors_hooks in PyTorch 2.15; the norm as in huggingface/transformers,
             LlamaRMSNorm.

    >>> eager_mlp_bytes(tokens=1, hidden=4096, ffn_hidden=14336)
    147456.0
    >>> fused = 2 * (2 * 4096 + 3 * 14336)
    >>> round(147456 / fused, 2)
    1.44
    """
    require_counts(tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden)
    norm = 4 * hidden + 2 * hidden + 2 * hidden
    swiglu = 4 * 2 * ffn_hidden
    return float(tokens * (norm + swiglu))
