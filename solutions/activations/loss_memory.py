"""Logits and what the loss makes of them: memory that grows with the vocabulary, and is held where a step is fullest."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_not_negative, require_positive


def loss_bytes(*, tokens: int, vocabulary: int, copies_16: int = 1, copies_32: int = 2, tp: int = 1) -> float:
    """What logits and their copies take on a GPU while the loss is computed.

        bytes = (2 · copies_16 + 4 · copies_32) · tokens · vocabulary / tp

    A plain loss keeps BF16 logits, an FP32 copy (its softmax is computed in place or takes another), and the FP32 gradient.

    Shapes:  (tokens, vocabulary)
    Units:   counts; tp is over how many GPUs the output layer is cut. Result in bytes.
    Raises:  ValueError if a count is below 1, or a number of copies is negative.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.3 (4sbv/t for FP32 logits); Wijmans et al. 2024,
             arXiv:2411.09009 (cross-entropy).

    >>> loss_bytes(tokens=8192, vocabulary=128256) / 1e9            # Llama 3, one sequence
    10.50673152
    """
    require_counts(tokens=tokens, vocabulary=vocabulary, tp=tp)
    require_not_negative(copies_16=copies_16, copies_32=copies_32)
    bytes_per_logit = 2 * copies_16 + 4 * copies_32
    return bytes_per_logit * tokens * vocabulary / tp


def layers_equal_to_the_loss(*, vocabulary: int, token_layer_bytes: float, bytes_per_logit: float = 10) -> float:
    """How many layers keep as much for a token as the loss holds for it.

        layers = bytes_per_logit · vocabulary / token_layer_bytes

    Units:   token_layer_bytes is what one layer keeps for one token. Result is a number of layers, not rounded.
    Raises:  ValueError if vocabulary is below 1 or a size not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4.3, per token.

    >>> round(layers_equal_to_the_loss(vocabulary=128256, token_layer_bytes=139264), 1)   # Llama 3 8B, of its 32
    9.2
    """
    require_counts(vocabulary=vocabulary)
    require_positive(token_layer_bytes=token_layer_bytes, bytes_per_logit=bytes_per_logit)
    return bytes_per_logit * vocabulary / token_layer_bytes


def loss_chunks(*, tokens: int, vocabulary: int, room_bytes: float, bytes_per_logit: float = 10, tp: int = 1) -> int:
    """Into how many equal chunks of tokens the loss must be cut so that the logits of one chunk fit.

        chunk  ≤  room · tp / (bytes_per_logit · vocabulary),    chunks = smallest divisor of tokens with tokens/chunks ≤ chunk

    Units:   room_bytes on one GPU. Result is a number of chunks that divides the tokens.
    Raises:  ValueError if an argument is out of range, or one token does not fit.
    Source:  Hsu et al. 2024, arXiv:2410.10989, section 3.2 (FusedLinearCrossEntropy, in chunks).

    >>> loss_chunks(tokens=8192, vocabulary=128256, room_bytes=1e9)
    16
    """
    require_counts(tokens=tokens, vocabulary=vocabulary, tp=tp)
    require_positive(room_bytes=room_bytes, bytes_per_logit=bytes_per_logit)
    chunk_tokens = math.floor(room_bytes * tp / (bytes_per_logit * vocabulary))
    if chunk_tokens < 1:
        raise ValueError("the logits of a single token do not fit")
    return next(chunks for chunks in range(1, tokens + 1) if tokens % chunks == 0 and tokens // chunks <= chunk_tokens)
