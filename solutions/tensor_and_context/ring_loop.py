"""The loop of ring attention: blocks of keys and values arrive one by one, and a softmax is kept up to date."""

from __future__ import annotations

from math import exp, inf

from ..facts.arguments import require_counts, require_index, require_positive


def ring_output(*, scores: str, values: str, cp: int, rank: int, hops: int, scale: float) -> float:
    """Return the attention output of a rank's last query after some hops of ring attention under a causal mask, one channel wide.

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
