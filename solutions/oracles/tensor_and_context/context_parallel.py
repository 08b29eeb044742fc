"""Context parallelism, played: ring attention on small matrices, with every value that is sent and every pair counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ..activations import activations
from ..search import bisect, smallest

Array = NDArray[np.float64]
BF16_BYTES = 2


@dataclass(frozen=True)
class Played:
    """What a played attention did: values sent by each rank, pairs under the mask by rank and hop, and whether it is right."""

    sent: tuple[int, ...]
    pairs: tuple[tuple[int, ...], ...]  # by rank, then by hop
    right: bool


def positions(*, tokens: int, cp: int, layout: str) -> list[NDArray[np.int64]]:
    """The places of the sequence that each rank holds."""
    chunks = np.split(np.arange(tokens), cp if layout == "contiguous" else 2 * cp)
    if layout == "contiguous":
        return chunks
    if layout != "head and tail":
        raise ValueError("no such layout")
    return [np.concatenate((chunks[rank], chunks[-1 - rank])) for rank in range(cp)]


@lru_cache(maxsize=256)
def play_ring(tokens: int, heads: int, kv_heads: int, cp: int, layout: str = "contiguous") -> Played:
    """Causal attention in which keys and values go around; each rank keeps a running maximum, sum and output."""
    width = 2
    rng = np.random.default_rng(tokens)
    queries = rng.normal(size=(heads, tokens, width))
    keys, values = rng.normal(size=(2, kv_heads, tokens, width))
    places = positions(tokens=tokens, cp=cp, layout=layout)
    moving = [(place, keys[:, place], values[:, place]) for place in places]
    running = [
        (np.full((heads, len(p)), -np.inf), np.zeros((heads, len(p))), np.zeros((heads, len(p), width))) for p in places
    ]
    sent = [0] * cp
    pairs: list[list[int]] = [[] for _ in range(cp)]
    for hop in range(cp):
        for rank in range(cp):
            there, block_keys, block_values = moving[rank]
            allowed = places[rank][:, None] >= there[None, :]
            pairs[rank].append(int(allowed.sum()))
            running[rank] = _attend(running[rank], queries[:, places[rank]], block_keys, block_values, allowed)
        if hop < cp - 1:
            for rank in range(cp):
                sent[rank] += moving[rank][1].size + moving[rank][2].size
            moving = [moving[rank - 1] for rank in range(cp)]
    output = np.empty_like(queries)
    for place, (_, total, weighted) in zip(places, running, strict=True):
        output[:, place] = weighted / total[..., None]
    right = np.allclose(output, _full(queries, keys, values))
    return Played(tuple(sent), tuple(map(tuple, pairs)), bool(right))


def _attend(
    state: tuple[Array, Array, Array], queries: Array, keys: Array, values: Array, allowed: NDArray[np.bool_]
) -> tuple[Array, Array, Array]:
    """One block of an online softmax."""
    highest, total, weighted = state
    sharing = len(queries) // len(keys)
    keys, values = np.repeat(keys, sharing, axis=0), np.repeat(values, sharing, axis=0)
    scores = np.where(allowed, queries @ keys.transpose(0, 2, 1), -np.inf)
    new_highest = np.maximum(highest, scores.max(axis=-1))
    seen = np.where(np.isfinite(new_highest), new_highest, 0.0)  # nothing allowed yet
    old = np.exp(np.where(np.isfinite(highest), highest - seen, -np.inf))
    weights = np.exp(scores - seen[..., None])
    return new_highest, total * old + weights.sum(axis=-1), weighted * old[..., None] + weights @ values


def _full(queries: Array, keys: Array, values: Array) -> Array:
    """Attention of the whole sequence in one place."""
    sharing = len(queries) // len(keys)
    keys, values = np.repeat(keys, sharing, axis=0), np.repeat(values, sharing, axis=0)
    tokens = queries.shape[1]
    scores = np.where(np.tri(tokens, dtype=bool), queries @ keys.transpose(0, 2, 1), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    whole: Array = weights / weights.sum(axis=-1, keepdims=True) @ values
    return whole


def _values_a_token_and_channel(cp: int) -> Fraction:
    """Values that a rank sent in a played ring, for each token that it holds and each channel of a key."""
    tokens, kv_heads, width = 2 * cp, 1, 2
    return Fraction(sum(play_ring(tokens, kv_heads, kv_heads, cp).sent), cp * (tokens // cp) * kv_heads * width)


def hop_bytes(*, tokens_per_gpu: int, kv_heads: int, head_width: int, bytes_per_value: float = 2) -> float:
    """A ring of two has one hop."""
    return float(_values_a_token_and_channel(2) * tokens_per_gpu * kv_heads * head_width * Fraction(bytes_per_value))


def exchange_bytes(*, tokens: int, kv_heads: int, head_width: int, cp: int, bytes_per_value: float = 2) -> float:
    """What a rank sent in a played ring, for its tokens and channels."""
    if tokens % cp:
        raise ValueError("no even chunks")
    held = Fraction(tokens, cp) * kv_heads * head_width
    return float(_values_a_token_and_channel(cp) * held * Fraction(bytes_per_value))


@lru_cache(maxsize=256)
def _traded(heads: int, kv_heads: int, cp: int) -> Fraction:
    """Values of one channel that leave a rank for each of its tokens, when ranks trade tokens for heads and back."""
    owner = {
        name: [head * cp // count for head in range(count)]
        for name, count in (("q", heads), ("k", kv_heads), ("v", kv_heads))
    }
    sent = [0] * cp
    for rank in range(cp):  # holds one token of every head
        sent[rank] += sum(to != rank for heads_to in owner.values() for to in heads_to)
        outputs = sum(to == rank for to in owner["q"])  # of all tokens, of which each other rank wants its own
        sent[rank] += outputs * (cp - 1)
    return Fraction(sum(sent), cp)


def all_to_all_bytes(
    *, tokens: int, heads: int, kv_heads: int, head_width: int, cp: int, bytes_per_value: float = 2
) -> float:
    """Trade head by head, and count what changes its rank."""
    if tokens % cp or heads % cp or kv_heads % cp:
        raise ValueError("no even trade")
    return float(_traded(heads, kv_heads, cp) * Fraction(tokens, cp) * head_width * Fraction(bytes_per_value))


def lighter_exchange(*, heads: int, kv_heads: int, cp: int) -> str:
    """Play both on a short sequence, and compare what was sent."""
    if heads % kv_heads:
        raise ValueError("no even groups")
    ring = _values_a_token_and_channel(cp) * kv_heads
    shares = kv_heads * cp  # so many times the heads, so that they can be dealt out
    trade = _traded(heads * shares, kv_heads * shares, cp) / shares
    if ring == trade:
        raise ValueError("both send the same")
    return "ring" if ring < trade else "all-to-all"


def _stalled_seconds(
    tokens: float,
    flop_per_s: float,
    bandwidth_bytes_per_s: float,
    heads: int,
    kv_heads: int,
    width: float,
    share: float,
) -> float:
    """How long attention waits for blocks, on a ring of six with heads of one channel."""
    pairs = share * tokens * tokens * heads
    compute_s = 2 * (2 * pairs) / flop_per_s  # scores, and their product with the values
    clock = waited = 0.0
    for _ in range(5):
        arrives = clock + 2 * tokens * kv_heads * width / bandwidth_bytes_per_s
        clock += compute_s
        waited += max(0.0, arrives - clock)
        clock = max(clock, arrives)
    return waited


def tokens_to_hide_hops(
    *, flop_per_s: float, bandwidth_bytes_per_s: float, heads: int, kv_heads: int, pairs_share: float = 1,
    bytes_per_value: float = 2,
) -> float:  # fmt: skip
    """Bisect for the tokens with which a played ring no longer waits."""
    rates = (flop_per_s, bandwidth_bytes_per_s, heads, kv_heads, bytes_per_value, pairs_share)
    return bisect(lambda tokens: -_stalled_seconds(tokens, *rates), 0.0, 1e12)


def tokens_to_hide_both_rings(
    *, flop_per_s: float, bandwidth_bytes_per_s: float, heads: int, kv_heads: int, bytes_per_gradient: float,
    pairs_share: float = 1,
) -> float:  # fmt: skip
    """Time both passes for one group of heads, tensor by tensor, and find the tokens with which neither pass waits."""
    group = heads // kv_heads
    carried = {"forward": [2.0, 2.0], "backward": [2.0, 2.0, bytes_per_gradient, bytes_per_gradient]}  # K, V, dK, dV
    matmuls = {"forward": ["QK", "PV"], "backward": ["QK", "dP", "dV", "dQ", "dK"]}

    def spare_seconds(tokens: float) -> float:
        spare = []
        for way, widths in carried.items():
            hop_s = sum(width * tokens / bandwidth_bytes_per_s for width in widths)
            computed_s = sum(2 * tokens * tokens * pairs_share * group / flop_per_s for _ in matmuls[way])
            spare.append(computed_s - hop_s)
        return min(spare)

    return bisect(spare_seconds, 1.0, 1e12)


def causal_pairs(*, tokens: int, cp: int, rank: int, layout: str) -> int:
    """Add up, query by query, the keys that it may see."""
    if rank not in range(cp):
        raise ValueError("no such rank")
    return int((positions(tokens=tokens, cp=cp, layout=layout)[rank] + 1).sum())


def block_pairs(*, tokens: int, cp: int, rank: int, hop: int, layout: str) -> int:
    """Count for each query of the rank how many keys of the block that it then has stand no later."""
    if rank not in range(cp) or hop not in range(cp):
        raise ValueError("no such rank or hop")
    places = positions(tokens=tokens, cp=cp, layout=layout)
    return int(np.searchsorted(places[(rank - hop) % cp], places[rank], side="right").sum())


@dataclass(frozen=True)
class Computed:
    """A block with which a rank computed: whose keys and values, and from when to when, in seconds."""

    rank: int
    source: int
    begun: float
    ended: float


def play_hops(block_seconds: Sequence[Sequence[float]], hop_s: float) -> list[Computed]:
    """Play a ring from the seconds of each rank in each hop: blocks move on when sender and receiver have begun the hop.

    A rank ends a hop when it has computed and the next block is there. What the mask forbids takes no time.
    """
    ranks = len(block_seconds)
    begun = [0.0] * ranks
    computed = []
    for hop in range(ranks):
        ended = [begun[rank] + block_seconds[rank][hop] for rank in range(ranks)]
        for rank in range(ranks):
            if block_seconds[rank][hop]:
                computed.append(Computed(rank, (rank - hop) % ranks, begun[rank], ended[rank]))
        begun = [max(ended[rank], max(begun[rank], begun[rank - 1]) + hop_s) for rank in range(ranks)]
    return computed


def ring_attention_seconds(*, block_seconds: Sequence[float], hop_s: float) -> float:
    """When a ring of such ranks has played to its end."""
    return max((block.ended for block in play_hops([block_seconds] * len(block_seconds), hop_s)), default=0.0)


def slowest_over_average(*, cp: int) -> float:
    """Tile a long sequence: the rows of tiles of each rank, a tile on the diagonal counted as half."""
    tiles = np.tril(np.ones((cp, cp))) - np.eye(cp) / 2
    work = tiles.sum(axis=1)
    return float(work.max() / work.mean())


def slowdown_of_contiguous_chunks(*, attention_share: float, cp: int) -> float:
    """Play a step of equal layers: each waits for the rank with the most tiles, and then all do the rest of its work."""
    tiles = np.tril(np.ones((cp, cp))) - np.eye(cp) / 2
    balanced_tiles = tiles.sum() / cp
    clocks = {"contiguous": 0.0, "balanced": 0.0}
    for _ in range(10):
        clocks["contiguous"] += attention_share * max(row.sum() for row in tiles) / balanced_tiles
        clocks["balanced"] += attention_share
        clocks = {layout: clock + 1 - attention_share for layout, clock in clocks.items()}
    return clocks["contiguous"] / clocks["balanced"] - 1


def gather_over_attention(
    *, tokens: int, cp: int, heads: int, kv_heads: int, flop_per_s: float, bandwidth_bytes_per_s: float
) -> float:
    """Send what a played ring sends, and multiply for every second pair of the sequence, split over the ranks."""
    sent = float(_values_a_token_and_channel(cp)) * tokens / cp * kv_heads * BF16_BYTES
    pairs = sum(tokens / cp * (rank + 0.5) * tokens / cp for rank in range(cp)) / cp
    flop = 2 * 2 * pairs * heads  # two products, each a multiplication and an addition
    return (sent / bandwidth_bytes_per_s) / (flop / flop_per_s)


def _degrees(most: int) -> Iterator[int]:
    return (1 << power for power in range(most.bit_length()))


def smallest_cp(
    *, tokens: int, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int,
    room_bytes: float, max_cp: int = 256,
) -> int:  # fmt: skip
    """Fill a GPU with the layers of its chunk for each degree, and take the first that fits."""
    shape = {"hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads, "tp": tp}
    for cp in _degrees(max_cp):
        one = activations.layer_activation_bytes(tokens=tokens, **shape) / cp
        if sum(one for _ in range(layers)) <= room_bytes:
            return cp
    raise ValueError("nothing fits")


def longest_context(
    *, layers: int, hidden: int, ffn_hidden: int, heads: int, kv_heads: int, tp: int, cp: int, room_bytes: float
) -> int:
    """Search the fewest tokens that are too many for a GPU."""
    shape = {"hidden": hidden, "ffn_hidden": ffn_hidden, "heads": heads, "kv_heads": kv_heads, "tp": tp}

    def too_many(tokens: int) -> bool:
        return layers * activations.layer_activation_bytes(tokens=tokens, **shape) > room_bytes

    fit = smallest(too_many, largest=1 << 40) - 1
    if not fit:
        raise ValueError("not one token fits")
    return cp * fit
