"""Quality filters: tokens kept and purity; and the mean sequence length of a run with several stages."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts.arguments import require_counts, require_fraction, require_positive


def filtered_tokens(*, tokens: float, good_share: float, good_kept: float, bad_kept: float) -> float:
    """Return the tokens that a quality filter keeps of a crawl.

        kept = D · (g · k_good + (1 - g) · k_bad)

    Units:   tokens; the share of good text in the crawl and the shares of good and of bad text that the filter keeps, as
             fractions. Result in tokens.
    Raises:  ValueError if tokens is not positive or a share is not a fraction.
    Source:  counting; Penedo et al. 2024 (FineWeb-Edu), arXiv:2406.17557, section 4 (a threshold that keeps 8 %).

    >>> round(filtered_tokens(tokens=10e12, good_share=0.1, good_kept=0.8, bad_kept=0.05) / 1e12, 2)
    1.25
    """
    require_positive(tokens=tokens)
    require_fraction(good_share=good_share, good_kept=good_kept, bad_kept=bad_kept)
    return tokens * (good_share * good_kept + (1 - good_share) * bad_kept)


def filtered_purity(*, good_share: float, good_kept: float, bad_kept: float) -> float:
    """Return the share of good text in the output of a quality filter.

        purity = g · k_good / (g · k_good + (1 - g) · k_bad)

    Most of a crawl is bad text, so even a small share of it that passes can outweigh the good text.

    Units:   fractions, as in filtered_tokens. Result as a fraction.
    Raises:  ValueError if a share is not a fraction.
    Source:  Bayes' rule.

    >>> round(filtered_purity(good_share=0.1, good_kept=0.8, bad_kept=0.05), 2)
    0.64
    """
    require_fraction(good_share=good_share, good_kept=good_kept, bad_kept=bad_kept)
    good = good_share * good_kept
    return good / (good + (1 - good_share) * bad_kept)


def mean_sequence_length(*, shares: Sequence[float], lengths: Sequence[int]) -> float:
    """Return the sequence length of a run with several stages, averaged over its tokens.

        mean = Σ share · length

    Core attention per token is proportional to the sequence length, so this mean decides the FLOP of the whole run.

    Units:   shares of the training tokens, which sum to 1; lengths in tokens. Result in tokens.
    Raises:  ValueError if a length is not a count, a share is not a fraction, the shares do not sum to 1, or there are not as
             many lengths.
    Source:  counting as in Chowdhery et al. 2022, arXiv:2204.02311, appendix B.

    >>> mean_sequence_length(shares=(0.75, 0.25), lengths=(4096, 32768))
    11264.0
    """
    stages = list(zip(shares, lengths, strict=True))
    for share, length in stages:
        require_fraction(share=share)
        require_counts(length=length)
    if abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"the shares must sum to 1, not {sum(shares):g}")
    return sum(share * length for share, length in stages)
