"""The order of samples: which one a rank reads at a step, what a resumed run sees again, and how far a buffer shuffles."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, expm1, gcd, log

from ..facts.arguments import require_counts, require_fraction, require_index, require_whole


def sample_position(*, step: int, rank: int, slot: int, ranks: int, global_batch: int, samples: int) -> int:
    """Place in the shuffled order that a data-parallel rank reads, in a scheme that does not depend on the ranks.

        position = (step · B + rank · B/ranks + slot) mod N

    All samples of the run are numbered in the order of training. A step takes the next B of them, whoever computes it, and
    ranks share them as blocks. So a step has the same samples on any number of ranks.

    Units:   step, rank, slot count from 0; slot is a sample's place in the rank's part of the batch. Result counts from 0.
    Raises:  ValueError if a count is below 1, rank or slot lie outside, or the batch cannot be shared equally.
    Source:  design; MosaicML Streaming, documentation, Elastic Determinism, has the same aim.

    >>> sample_position(step=10, rank=3, slot=1, ranks=8, global_batch=64, samples=10_000)
    665
    >>> sample_position(step=10, rank=1, slot=9, ranks=4, global_batch=64, samples=10_000)    # the same sample on half the ranks
    665
    """
    require_counts(ranks=ranks, global_batch=global_batch, samples=samples)
    require_whole(step=step)
    if global_batch % ranks:
        raise ValueError(f"{global_batch} samples cannot be shared equally by {ranks} ranks")
    share = global_batch // ranks
    require_index(below=ranks, rank=rank)
    require_index(below=share, slot=slot)
    number = step * global_batch + rank * share + slot
    return number % samples


def epoch_of_step(*, step: int, global_batch: int, samples: int) -> int:
    """Epoch to which the first sample of a step belongs, both counted from 0.

        epoch = ⌊step · B / N⌋

    Units:   counts. Result counts from 0.
    Raises:  ValueError if a count is below 1, or the step is negative.
    Source:  arithmetic on the numbering of sample_position.

    >>> epoch_of_step(step=10, global_batch=64, samples=600)
    1
    """
    require_counts(global_batch=global_batch, samples=samples)
    require_whole(step=step)
    return step * global_batch // samples


def repeated_share(*, seen_share: float, ranks_before: int, ranks_after: int) -> float:
    """Share of a data set that is read a second time within an epoch, when ranks with parts of their own change in number.

    Each rank owns a contiguous part of the order and remembers which share of its part it has read. After the change the
    parts are others, and each rank goes on at the same share of its new part. With x a place in the order, from 0 to 1:

        repeated = measure of { x :  frac(R · x) < f  and  frac(R' · x) ≥ f }

    As much is never read: what the new ranks skip and the old ones had not reached.

    Units:   seen_share as a fraction of the epoch; counts. Result as a fraction of the data set.
    Raises:  ValueError if the share is not a fraction or a count is below 1.
    Source:  counting.

    >>> repeated_share(seen_share=0.5, ranks_before=64, ranks_after=32)
    0.25
    >>> repeated_share(seen_share=0.5, ranks_before=64, ranks_after=64)
    0.0
    """
    require_fraction(seen_share=seen_share)
    require_counts(ranks_before=ranks_before, ranks_after=ranks_after)
    common = gcd(ranks_before, ranks_after)  # the pattern comes so often
    before, after = ranks_before // common, ranks_after // common
    seen = Fraction(seen_share)
    repeated = Fraction(0)
    for part in range(before):
        low, high = Fraction(part) / before, (part + seen) / before
        for other in range(after):
            start, end = (other + seen) / after, Fraction(other + 1) / after
            repeated += max(Fraction(0), min(high, end) - max(low, start))
    return float(repeated)


def still_buffered(*, buffer_samples: int, draws: int) -> float:
    """Chance that a sample is still in a shuffle buffer after so many others have been drawn from it.

        p = (1 - 1/B)^n

    Each draw takes one of the B samples at random, and the next one of the stream takes its place.

    Units:   counts. Result as a fraction.
    Raises:  ValueError if the buffer is no count or the draws are negative.
    Source:  WebDataset and tf.data: a shuffle with a buffer; the chance to stay, draw after draw.

    >>> round(still_buffered(buffer_samples=10_000, draws=10_000), 3)     # 1/e
    0.368
    """
    require_counts(buffer_samples=buffer_samples)
    require_whole(draws=draws)
    return (1 - 1 / buffer_samples) ** draws


def buffer_for_spread(*, draws: int, share: float) -> int:
    """The smallest shuffle buffer from which at least a share of the samples comes out later than so many draws.

        (1 - 1/B)^n ≥ p     ⇒     B = ⌈1 / (1 - p^(1/n))⌉

    About n / ln(1/p).

    Units:   counts; share as a fraction. Result is a count of samples.
    Raises:  ValueError if draws is not a count, or the share is not below 1.
    Source:  WebDataset and tf.data: of B samples, each draw takes one at random, so n draws leave (1 - 1/B)^n of them.

    >>> buffer_for_spread(draws=100_000, share=0.1)
    43430
    """
    require_counts(draws=draws)
    require_fraction(share=share)
    if share == 1:
        raise ValueError("no buffer holds every sample back")
    return ceil(-1 / expm1(log(share) / draws) * (1 - 1e-12))


def earliest_draw(*, place: int, buffer_samples: int) -> int:
    """The first draw at which the sample at a place of the stream can come out of a shuffle buffer.

        draw = max(1, place - B + 1)

    The buffer holds the next B samples of the stream, so a sample can move forward by B - 1 places, and no further.

    Units:   place and result count from 1; buffer_samples is a count.
    Raises:  ValueError if a count is below 1.
    Source:  counting.

    >>> earliest_draw(place=1_000_000, buffer_samples=10_000)
    990001
    """
    require_counts(place=place, buffer_samples=buffer_samples)
    return max(1, place - buffer_samples + 1)
