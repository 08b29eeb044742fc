"""Context parallelism: a sequence cut over GPUs, which pass keys and values around, and who works how much under a mask."""

from __future__ import annotations

from collections.abc import Sequence

from ..activations.activations import layer_activation_bytes
from ..facts.arguments import require_counts, require_fraction, require_index, require_not_negative, require_positive


def hop_bytes(*, tokens_per_gpu: int, kv_heads: int, head_width: int, bytes_per_value: float = 2) -> float:
    """Bytes of keys and values that a GPU passes to its neighbour in one hop of ring attention, in one layer.

        bytes = 2 · width · c · k · h

    The 2 counts keys and values. Query heads do not appear: queries stay where they are.

    Shapes:  K and V, each (c, k, h)
    Units:   counts; with tensor parallelism, kv_heads are those on one GPU. Result in bytes.
    Raises:  ValueError if a count is below 1 or the width of a value not positive.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3.

    >>> hop_bytes(tokens_per_gpu=16384, kv_heads=8, head_width=128) / 2**20    # Llama 3 8B, MiB
    64.0
    """
    require_counts(tokens_per_gpu=tokens_per_gpu, kv_heads=kv_heads, head_width=head_width)
    require_positive(bytes_per_value=bytes_per_value)
    return 2 * bytes_per_value * tokens_per_gpu * kv_heads * head_width


def exchange_bytes(*, tokens: int, kv_heads: int, head_width: int, cp: int, bytes_per_value: float = 2) -> float:
    """Bytes that each GPU sends in the forward pass of one layer until all have seen all keys and values.

        bytes = 2 · width · S · k · h · (cp-1)/cp

    Ring attention sends this in cp - 1 hops, behind attention; Llama 3 sends the same in one all-gather before it.

    Units:   counts; tokens are those of the whole sequence. Result in bytes.
    Raises:  ValueError if a count is below 1, cp does not divide the tokens, or the width of a value is not positive.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> exchange_bytes(tokens=131072, kv_heads=8, head_width=128, cp=16) / 2**20    # MiB in a layer
    480.0
    """
    require_counts(tokens=tokens, cp=cp)
    if tokens % cp:
        raise ValueError(f"{cp} GPUs must divide a sequence of {tokens} tokens")
    hop = hop_bytes(
        tokens_per_gpu=tokens // cp, kv_heads=kv_heads, head_width=head_width, bytes_per_value=bytes_per_value
    )
    return (cp - 1) * hop


def all_to_all_bytes(
    *, tokens: int, heads: int, kv_heads: int, head_width: int, cp: int, bytes_per_value: float = 2
) -> float:
    """Bytes that each GPU sends in the forward pass of one layer when all-to-alls trade tokens for heads (Ulysses).

        bytes = width · (S/cp) · (2·a + 2·k) · h · (cp-1)/cp

    Queries, keys and values go out before attention, so that every GPU has all tokens of some heads; the output comes back.

    Units:   counts; tokens are those of the whole sequence. Result in bytes.
    Raises:  ValueError if a count is below 1, or cp does not divide the tokens, the heads or the KV heads.
    Source:  Jacobs et al. 2023, arXiv:2309.14509, section 3.

    >>> all_to_all_bytes(tokens=131072, heads=32, kv_heads=8, head_width=128, cp=8) / 2**20    # Llama 3 8B, MiB
    280.0
    """
    require_counts(tokens=tokens, heads=heads, kv_heads=kv_heads, head_width=head_width, cp=cp)
    require_positive(bytes_per_value=bytes_per_value)
    if tokens % cp or heads % cp or kv_heads % cp:
        raise ValueError(f"{cp} GPUs must divide {tokens} tokens, {heads} heads and {kv_heads} KV heads")
    held_values = tokens // cp * (2 * heads + 2 * kv_heads) * head_width
    return bytes_per_value * held_values * (cp - 1) / cp


def lighter_exchange(*, heads: int, kv_heads: int, cp: int) -> str:
    """Which exchange makes a GPU send fewer bytes in a layer's forward pass: "ring" or "all-to-all".

        ring: 2·k·cp        all-to-all: 2·a + 2·k        so the ring while cp < a/k + 1

    A ring also works where cp exceeds the KV heads; the all-to-all then needs copies of them, and is not offered.

    Units:   counts.
    Raises:  ValueError if a count is below 1, kv_heads do not divide the heads, or both send the same.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3; Jacobs et al. 2023, arXiv:2309.14509, section 3.

    >>> [lighter_exchange(heads=32, kv_heads=8, cp=cp) for cp in (4, 8)]    # Llama 3 8B: equal at 5
    ['ring', 'all-to-all']
    """
    require_counts(heads=heads, kv_heads=kv_heads, cp=cp)
    if heads % kv_heads:
        raise ValueError(f"{kv_heads} KV heads must divide the {heads} heads")
    if cp == heads // kv_heads + 1:
        raise ValueError(f"at {cp} GPUs both send the same")
    return "ring" if cp < heads // kv_heads + 1 else "all-to-all"


def tokens_to_hide_hops(
    *, flop_per_s: float, bandwidth_bytes_per_s: float, heads: int, kv_heads: int, pairs_share: float = 1,
    bytes_per_value: float = 2,
) -> float:  # fmt: skip
    """Tokens that each GPU needs so that a hop of ring attention hides behind the attention to the block it has.

        c = width/2 · (F/β) · (k/a) / share

    A block of c queries and c keys takes 4·c²·a·h FLOP without a mask, and the next block is 2·width·c·k·h bytes. Of the
    pairs in a block, pairs_share are computed: 1 without a mask, a half under a causal mask that is dealt out evenly.

    Units:   FLOP/s that attention reaches on one GPU; bytes/s per direction; counts; a fraction. Result in tokens.
    Raises:  ValueError if a rate is not positive, a count below 1, the share not above 0 and at most 1, or kv_heads do not
             divide the heads.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3 (c ≥ F/B for BF16 and as many KV heads as heads).

    >>> round(tokens_to_hide_hops(flop_per_s=312e12, bandwidth_bytes_per_s=300e9, heads=32, kv_heads=32))    # A100, NVLink
    1040
    >>> round(tokens_to_hide_hops(flop_per_s=400e12, bandwidth_bytes_per_s=50e9, heads=32, kv_heads=8))    # Llama 3 8B
    2000
    """
    require_positive(flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_positive(bytes_per_value=bytes_per_value)
    require_counts(heads=heads, kv_heads=kv_heads)
    require_fraction(pairs_share=pairs_share)
    if heads % kv_heads:
        raise ValueError(f"{kv_heads} KV heads must divide the {heads} heads")
    return bytes_per_value / 2 * flop_per_s / bandwidth_bytes_per_s * kv_heads / heads / pairs_share


def tokens_to_hide_both_rings(
    *, flop_per_s: float, bandwidth_bytes_per_s: float, heads: int, kv_heads: int, bytes_per_gradient: float,
    pairs_share: float = 1,
) -> float:  # fmt: skip
    """Return the tokens per GPU with which the hops of ring attention are hidden in the forward and the backward pass.

        forward   c = (F/β) · (k/a) / share          backward   c' = (2 + g)/5 · c          the larger of the two

    In the backward pass a block of BF16 keys and values travels with its gradients, of g bytes each, and five matmuls
    take 10 FLOP per pair and channel instead of 4.

    Units:   as tokens_to_hide_hops; bytes of an element of dK and dV. Result in tokens.
    Raises:  ValueError as tokens_to_hide_hops, or if the bytes are not positive.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3; Dao 2023 (FlashAttention-2), arXiv:2307.08691, section 4.1
             (a backward pass of 2.5 forward passes).

    >>> run = {"flop_per_s": 400e12, "bandwidth_bytes_per_s": 50e9, "heads": 32, "kv_heads": 8}
    >>> [round(tokens_to_hide_both_rings(**run, bytes_per_gradient=width)) for width in (2, 4)]
    [2000, 2400]
    """
    require_positive(bytes_per_gradient=bytes_per_gradient)
    forward = tokens_to_hide_hops(
        flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s, heads=heads, kv_heads=kv_heads,
        pairs_share=pairs_share,
    )  # fmt: skip
    backward = (2 + bytes_per_gradient) / 5 * forward
    return max(forward, backward)


def causal_pairs(*, tokens: int, cp: int, rank: int, layout: str) -> int:
    """Pairs of a query and a key that a GPU works through under a causal mask, in one layer and head.

        contiguous:     c · (r·c) + c·(c+1)/2                            with  c = S/cp
        head and tail:  the same for chunks r and 2·cp-1-r of 2·cp,      which is alike for every rank

    A query at place p (from 0) attends to p + 1 keys.

    Units:   counts; rank from 0; layout is "contiguous" or "head and tail". Result is a count.
    Raises:  ValueError if a count is below 1, the rank out of range, the layout unknown, or the chunks not even.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (2·CP chunks); Brandon et al. 2023, arXiv:2311.09431.

    >>> [causal_pairs(tokens=8, cp=4, rank=rank, layout="contiguous") for rank in range(4)]
    [3, 7, 11, 15]
    >>> [causal_pairs(tokens=8, cp=4, rank=rank, layout="head and tail") for rank in range(4)]
    [9, 9, 9, 9]
    """
    chunk = _chunk_tokens(tokens, cp, layout)
    require_index(below=cp, rank=rank)
    own = [rank] if layout == "contiguous" else [rank, 2 * cp - 1 - rank]
    return sum(chunk * place * chunk + chunk * (chunk + 1) // 2 for place in own)


def _chunk_tokens(tokens: int, cp: int, layout: str) -> int:
    """Tokens of a chunk: a rank has one that is contiguous, or two, of the head and of the tail."""
    require_counts(tokens=tokens, cp=cp)
    if layout not in ("contiguous", "head and tail"):
        raise ValueError(f"layout must be contiguous or head and tail, not {layout!r}")
    chunks = cp if layout == "contiguous" else 2 * cp
    if tokens % chunks:
        raise ValueError(f"{chunks} chunks must divide a sequence of {tokens} tokens")
    return tokens // chunks


def block_pairs(*, tokens: int, cp: int, rank: int, hop: int, layout: str) -> int:
    """Pairs of a query and a key that a GPU works through in one hop of ring attention under a causal mask, in one layer and head.

        contiguous:     c·(c+1)/2 with its own keys, c² with those of an earlier chunk, 0 with those of a later one,   c = S/cp
        head and tail:  2·h² + h with its own keys, 2·h² with those of any other rank,                                 h = S/(2·cp)

    In hop 0 a rank has its own keys; after each hop it has those of the rank one further back on the ring.

    Units:   counts; rank and hop from 0; layout is "contiguous" or "head and tail". Result is a count.
    Raises:  ValueError if a count is below 1, rank or hop out of range, the layout unknown, or the chunks not even.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3 (hops); Brandon et al. 2023, arXiv:2311.09431, section 3 (mask).

    >>> [block_pairs(tokens=8, cp=4, rank=3, hop=hop, layout="contiguous") for hop in range(4)]
    [3, 4, 4, 4]
    >>> [block_pairs(tokens=8, cp=4, rank=3, hop=hop, layout="head and tail") for hop in range(4)]
    [3, 2, 2, 2]
    """
    chunk = _chunk_tokens(tokens, cp, layout)
    require_index(below=cp, rank=rank, hop=hop)
    if layout == "head and tail":
        return 2 * chunk * chunk + (chunk if hop == 0 else 0)
    return chunk * (chunk + 1) // 2 if hop == 0 else chunk * chunk if hop <= rank else 0


def ring_attention_seconds(*, block_seconds: Sequence[float], hop_s: float) -> float:
    """Time of ring attention in one layer, for the rank that computes longest: a hop next to each block but the last.

        time = Σ max(block, hop)  +  last block

    A rank passes its block on while it computes with it, and goes on when both are done. With a chunk from the head and one
    from the tail of the sequence all ranks are alike; with contiguous chunks the last rank computes longest.

    Units:   seconds; block_seconds are those of the rank's blocks in the order of its hops. Result in seconds.
    Raises:  ValueError if there is no block, or a time is negative.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3.

    >>> ring_attention_seconds(block_seconds=[0.5, 1, 1, 1], hop_s=0.25)    # the last of four ranks: every hop hides
    3.5
    >>> ring_attention_seconds(block_seconds=[0.5, 0.5, 0.5, 0.5], hop_s=0.75)
    2.75
    """
    if not block_seconds:
        raise ValueError("block_seconds must name at least one block")
    for seconds in block_seconds:
        require_not_negative(block_seconds=seconds)
    require_not_negative(hop_s=hop_s)
    *others, last = block_seconds
    return sum(max(seconds, hop_s) for seconds in others) + last


def slowest_over_average(*, cp: int) -> float:
    """How much more causal attention the busiest GPU has than the average one, when chunks are contiguous.

        factor = (2·cp - 1) / cp        for sequences much longer than cp

    Every layer waits for the GPU with the last chunk, so this is also how much longer attention takes than balanced.

    Units:   a count; result is a ratio, below 2.
    Raises:  ValueError if cp is below 1.
    Source:  Brandon et al. 2023, arXiv:2311.09431, section 3; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> [slowest_over_average(cp=cp) for cp in (1, 2, 4, 16)]
    [1.0, 1.5, 1.75, 1.9375]
    """
    require_counts(cp=cp)
    return (2 * cp - 1) / cp


def slowdown_of_contiguous_chunks(*, attention_share: float, cp: int) -> float:
    """By how much a step becomes longer when contiguous chunks replace evenly dealt ones, under a causal mask.

        slowdown = share · (slowest_over_average - 1)

    In every layer all GPUs wait for the one with the last chunk, in its attention and nowhere else.

    Units:   attention_share is attention's share of the balanced step; a count. Result is a fraction of the balanced step.
    Raises:  ValueError if the share is not above 0 and at most 1, or cp below 1.
    Source:  Brandon et al. 2023, arXiv:2311.09431, section 3; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> round(slowdown_of_contiguous_chunks(attention_share=0.4, cp=4), 3)
    0.3
    """
    require_fraction(attention_share=attention_share)
    return attention_share * (slowest_over_average(cp=cp) - 1)


def gather_over_attention(
    *, tokens: int, cp: int, heads: int, kv_heads: int, flop_per_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Time of a layer's key/value all-gather over the time of its balanced causal attention, forward and in BF16.

        ratio = [4·S·k·(cp-1)/cp / β] / [2·S²·a/cp / F]  =  2·(cp-1)·(k/a)·(F/β) / S

    The gather grows with S and attention with S², so the ratio falls as sequences grow. The width of a head cancels.

    Units:   tokens of the whole sequence; FLOP/s that attention reaches; bytes/s per direction. Result is a ratio.
    Raises:  ValueError if a count is below 1, a rate not positive, or kv_heads do not divide the heads.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (O(S²) attention against O(S) all-gather).

    >>> run = {"cp": 16, "heads": 128, "kv_heads": 8, "flop_per_s": 400e12, "bandwidth_bytes_per_s": 50e9}
    >>> [round(gather_over_attention(tokens=tokens, **run), 3) for tokens in (8192, 131072)]    # Llama 3 405B
    [1.831, 0.114]
    """
    require_counts(tokens=tokens, cp=cp, heads=heads, kv_heads=kv_heads)
    require_positive(flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    if heads % kv_heads:
        raise ValueError(f"{kv_heads} KV heads must divide the {heads} heads")
    gather_s = 4 * tokens * kv_heads * (cp - 1) / cp / bandwidth_bytes_per_s
    attention_s = 2 * tokens * tokens * heads / cp / flop_per_s
    return gather_s / attention_s


def smallest_cp(
    *, tokens: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int,
    room_bytes: float, max_cp: int = 256,
) -> int:  # fmt: skip
    """The smallest power of two of context parallelism with which the activations of one long sequence fit on a GPU.

        layers · 2 · (S/cp) · (6·d + 2·d·k/a + 3·f) / tp   ≤   room

    BF16, a fused attention, sequence parallelism inside the TP group, and nothing recomputed.

    Units:   counts; tokens of the whole sequence; room_bytes is what a GPU has for activations. Result is a count.
    Raises:  ValueError if a count is below 1, the room not positive, or max_cp GPUs are too few.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2; the bytes are activations.layer_activation_bytes'.

    >>> shape = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}    # Llama 3 8B
    >>> [smallest_cp(tokens=131072, **shape, tp=tp, room_bytes=40e9) for tp in (2, 8)]
    [8, 2]
    """
    require_counts(tokens=tokens, layers=layers, max_cp=max_cp)
    require_positive(room_bytes=room_bytes)
    whole = layers * layer_activation_bytes(
        tokens=tokens, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, tp=tp
    )
    cp = 1
    while cp <= max_cp:
        if whole / cp <= room_bytes:
            return cp
        cp *= 2
    raise ValueError(f"{max_cp} GPUs are too few: a sequence keeps {whole:g} bytes, and {room_bytes:g} fit on each")


def longest_context(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, cp: int, room_bytes: float
) -> int:
    """The longest sequence, in tokens, whose activations fit on cp · tp GPUs.

        S = cp · ⌊ room / (layers · 2 · (6·d + 2·d·k/a + 3·f) / tp) ⌋

    BF16, a fused attention, sequence parallelism inside the TP group, and nothing recomputed.

    Units:   counts; room_bytes is what a GPU has for activations. Result in tokens, a multiple of cp.
    Raises:  ValueError if a count is below 1, the room not positive, or not one token fits.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4; Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> shape = {"layers": 32, "hidden": 4096, "ffn_hidden": 14336, "heads": 32, "kv_heads": 8}    # Llama 3 8B
    >>> [longest_context(**shape, tp=8, cp=cp, room_bytes=40e9) for cp in (1, 2)]
    [71806, 143612]
    """
    require_counts(layers=layers, cp=cp)
    require_positive(room_bytes=room_bytes)
    token_bytes = layers * layer_activation_bytes(
        tokens=1, hidden=hidden, ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, tp=tp
    )
    tokens_on_a_gpu = int(room_bytes // token_bytes)
    if tokens_on_a_gpu < 1:
        raise ValueError(f"{room_bytes:g} bytes must hold at least one token, which keeps {token_bytes:g}")
    return cp * tokens_on_a_gpu
