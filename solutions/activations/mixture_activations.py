"""Activation memory of mixtures of experts and of multi-head latent attention."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive


def routed_bytes(*, tokens: int, experts_per_token: int, hidden: int, expert_ffn_hidden: int) -> float:
    """Return the activation memory of the routed experts of one layer per micro-batch, in BF16 and under an even load.

        bytes = 2 · tokens · k · (d + 3·f)

    Each token is copied to k experts. A copy keeps the input of the gate and up matrices, and gate, up and their product.

    Units:   every argument is a count; tokens are those that a GPU holds before they are dispatched. Result in bytes.
    Raises:  ValueError if an argument is below 1.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4, counted anew for the experts of DeepSeek-AI 2024,
             arXiv:2412.19437, section 2.1.2.

    >>> routed_bytes(tokens=4096, experts_per_token=8, hidden=2048, expert_ffn_hidden=768) / 1e6    # Qwen3-30B-A3B
    285.212672
    """
    require_counts(
        tokens=tokens, experts_per_token=experts_per_token, hidden=hidden, expert_ffn_hidden=expert_ffn_hidden
    )
    return float(2 * tokens * experts_per_token * (hidden + 3 * expert_ffn_hidden))


def largest_load_factor(
    *, room_bytes: float, layers_in_flight: int, other_layer_bytes: float, tokens: int, experts_per_token: int,
    hidden: int, expert_ffn_hidden: int,
) -> float:  # fmt: skip
    """Return the largest load of a GPU, as a multiple of the average number of copies, whose activations still fit.

        factor = (room / n - other) / routed

    Units:   bytes; n = layers_in_flight is layers times micro-batches that are held at once; other_layer_bytes is what a layer keeps
             besides its routed experts. Result is a ratio.
    Raises:  ValueError if a count is below 1, room_bytes is not positive, or the room is too small for an even load.
    Source:  routed_bytes, solved for the load.

    >>> qwen = {"tokens": 4096, "experts_per_token": 8, "hidden": 2048, "expert_ffn_hidden": 768}
    >>> round(largest_load_factor(room_bytes=30e9, layers_in_flight=48, other_layer_bytes=150e6, **qwen), 2)
    1.67
    """
    require_positive(room_bytes=room_bytes)
    require_counts(layers_in_flight=layers_in_flight)
    require_not_negative(other_layer_bytes=other_layer_bytes)
    routed = routed_bytes(
        tokens=tokens, experts_per_token=experts_per_token, hidden=hidden, expert_ffn_hidden=expert_ffn_hidden
    )
    factor = (room_bytes / layers_in_flight - other_layer_bytes) / routed
    if factor < 1:
        raise ValueError("the activations do not fit even under an even load")
    return factor


def up_projection_bytes(*, tokens: int, heads: int, head_dim: int, rope_head_dim: int, tp: int) -> float:
    """Return the activation memory of the up-projected queries, keys and values of one MLA layer, in BF16.

        bytes = 2 · tokens · H · ((h + r) + (h + r) + h) / tp

    A head has h channels without and r with rotary positions in queries and keys, and h in values. The key's r channels are
    shared, but a kernel for whole heads gets a copy in each.

    Units:   every argument is a count. Result in bytes on one GPU of the tensor-parallel group.
    Raises:  ValueError if an argument is below 1, or tp does not divide the heads.
    Source:  DeepSeek-AI 2024, arXiv:2405.04434, section 2.1 and appendix C.

    >>> up_projection_bytes(tokens=4096, heads=128, head_dim=128, rope_head_dim=64, tp=1) / 1e6    # DeepSeek-V3
    536.870912
    """
    require_counts(tokens=tokens, heads=heads, head_dim=head_dim, rope_head_dim=rope_head_dim, tp=tp)
    if heads % tp:
        raise ValueError(f"a tensor-parallel degree of {tp} must divide the {heads} heads")
    width = 2 * (head_dim + rope_head_dim) + head_dim
    return 2 * tokens * heads * width / tp


def up_projection_saving_bytes(
    *, layers_in_flight: int, tokens: int, heads: int, head_dim: int, rope_head_dim: int, tp: int
) -> float:
    """Return by how much peak memory falls if each layer recomputes its up-projections from the latents.

        bytes = (n - 1) · up-projections of a layer

    The layer in its backward pass holds its own again.

    Units:   layers_in_flight (n) is layers times micro-batches that are held at once; the rest are counts. Result in bytes.
    Raises:  ValueError as up_projection_bytes.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.3 (recomputation of RMSNorm and MLA up-projection).

    >>> case = {"tokens": 4096, "heads": 128, "head_dim": 128, "rope_head_dim": 64, "tp": 1}
    >>> round(up_projection_saving_bytes(layers_in_flight=61, **case) / 1e9, 1)
    32.2
    """
    require_counts(layers_in_flight=layers_in_flight)
    layer = up_projection_bytes(tokens=tokens, heads=heads, head_dim=head_dim, rope_head_dim=rope_head_dim, tp=tp)
    return (layers_in_flight - 1) * layer
