"""The loop of ring attention: blocks of keys and values arrive one by one, and update a running softmax."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf

from ..facts.arguments import require_counts, require_index, require_positive


def ring_output(*, scores: str, values: str, cp: int, rank: int, hops: int, scale: float) -> float:
    """Return the attention output of a rank's last query after some hops, under a causal mask, one channel wide.

        m' = max(m, s)      l' = l · e^(m-m') + e^(s-m')      o' = o · e^(m-m') + e^(s-m') · v      output = o / l

    The keys are cut into cp contiguous chunks. In hop 0 a rank has its own chunk, in hop h that of rank - h, around the
    ring. Chunks of later ranks are masked. The running maximum m keeps every exponential at most 1.

    Units:   scores and values have one whole number per key, separated by spaces; a score is its number times scale. Result is a number.
    Raises:  ValueError if a count is below 1, cp does not divide the keys, there are not as many values as scores, more hops
             than ranks, the rank is out of range, or the scale is not positive.
    Source:  Liu et al. 2023, arXiv:2310.01889, section 3; Milakov & Gimelshein 2018, arXiv:1805.02867 (online softmax).

    >>> ring_output(scores="0 0 0 0", values="1 3 5 7", cp=2, rank=1, hops=1, scale=1)    # the mean of 5 and 7
    6.0
    >>> ring_output(scores="0 0 0 0", values="1 3 5 7", cp=2, rank=1, hops=2, scale=1)
    4.0
    """
    require_counts(cp=cp, hops=hops)
    require_index(below=cp, rank=rank)
    require_positive(scale=scale)
    raw, carried = [int(word) for word in scores.split()], [int(word) for word in values.split()]
    if len(raw) % cp or len(raw) != len(carried) or hops > cp:
        raise ValueError(
            f"{cp} ranks must divide {len(raw)} scores and {len(carried)} values, and make at most {cp} hops"
        )
    chunk = len(raw) // cp
    highest, total, weighted = -inf, 0.0, 0.0
    for hop in range(hops):
        block = (rank - hop) % cp
        if block > rank:
            continue
        for place in range(block * chunk, (block + 1) * chunk):
            score = scale * raw[place]
            new_highest = max(highest, score)
            kept, added = exp(highest - new_highest), exp(score - new_highest)
            total = total * kept + added
            weighted = weighted * kept + added * carried[place]
            highest = new_highest
    return weighted / total


def ring_output_without(
    *, scores: str, values: str, cp: int, rank: int, hops: int, scale: float, without: str
) -> float:
    """Return the result of ring_output with one of its rules omitted, as a typical mistake.

        "mask"       chunks of later ranks count        "direction"   hop h has the chunk of rank + h
        "rescaling"  l' = l + e^(s-m')                  "rescaling of blocks"   the same, with one maximum per block
        "weights"    the mean of the blocks' outputs

    Units:   as in ring_output. Result is a number.
    Raises:  ValueError as ring_output, or for an unknown rule.
    Source:  as in ring_output.

    >>> run = {"scores": "0 0 0 0", "values": "1 3 5 7", "cp": 2, "rank": 0, "hops": 2, "scale": 1}
    >>> ring_output(**run), ring_output_without(**run, without="mask")
    (2.0, 4.0)
    """
    ring_output(scores=scores, values=values, cp=cp, rank=rank, hops=hops, scale=scale)
    raw, carried = [scale * int(word) for word in scores.split()], [int(word) for word in values.split()]
    chunk = len(raw) // cp
    way = 1 if without == "direction" else -1
    blocks = [(rank + way * hop) % cp for hop in range(hops)]
    places = [range(block * chunk, (block + 1) * chunk) for block in blocks if block <= rank or without == "mask"]
    if without in ("mask", "direction"):
        return _softmax_mean(raw, carried, [place for block in places for place in block])
    if without == "weights":
        return sum(_softmax_mean(raw, carried, block) for block in places) / len(places)
    if without not in ("rescaling", "rescaling of blocks"):
        raise ValueError(f"unknown rule {without!r}")
    if without == "rescaling":
        places = [range(place, place + 1) for block in places for place in block]
    highest, total, weighted = -inf, 0.0, 0.0
    for block in places:
        highest = max(highest, *(raw[place] for place in block))
        total += sum(exp(raw[place] - highest) for place in block)
        weighted += sum(exp(raw[place] - highest) * carried[place] for place in block)
    return weighted / total


def _softmax_mean(scores: Sequence[float], values: Sequence[float], places: Sequence[int]) -> float:
    highest = max(scores[place] for place in places)
    weights = [exp(scores[place] - highest) for place in places]
    return sum(weight * values[place] for weight, place in zip(weights, places, strict=True)) / sum(weights)
