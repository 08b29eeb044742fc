"""Near-duplicates at scale: the chance that MinHash with bands finds a pair, and where its curve rises."""

from __future__ import annotations

from math import ceil, log1p

from ..facts.arguments import require_counts, require_fraction


def candidate_probability(*, similarity: float, bands: int, rows: int) -> float:
    """Chance that two documents agree in all hashes of at least one band, and so become candidates.

        p = 1 - (1 - s^r)^b

    One MinHash agrees with the chance s, the Jaccard similarity of the two sets of n-grams.

    Units:   similarity as a fraction; bands and rows (hashes of a band) are counts. Result as a fraction.
    Raises:  ValueError if the similarity is not a fraction or a count is below 1.
    Source:  Broder 1997, doi:10.1109/SEQUEN.1997.666900; Leskovec, Rajaraman, Ullman, Mining of Massive Datasets,
             section 3.4.2; Penedo et al. 2024 (FineWeb), arXiv:2406.17557, section 3.4 (14 bands of 8).

    >>> [round(candidate_probability(similarity=s, bands=14, rows=8), 2) for s in (0.5, 0.7, 0.75, 0.8)]
    [0.05, 0.56, 0.77, 0.92]
    """
    require_fraction(similarity=similarity)
    require_counts(bands=bands, rows=rows)
    return 1 - (1 - similarity**rows) ** bands


def threshold_similarity(*, bands: int, rows: int) -> float:
    """Similarity near which the curve of candidates rises most steeply.

        s = (1/b)^(1/r)

    There one band is expected to agree, and the chance is about 1 - 1/e.

    Units:   counts. Result as a fraction.
    Raises:  ValueError if a count is below 1.
    Source:  Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.4.2.

    >>> round(threshold_similarity(bands=14, rows=8), 2), round(threshold_similarity(bands=450, rows=20), 2)
    (0.72, 0.74)
    """
    require_counts(bands=bands, rows=rows)
    return float((1 / bands) ** (1 / rows))


def fewest_bands(*, similarity: float, rows: int, recall: float) -> int:
    """The fewest bands with which a pair of this similarity is found with at least this chance.

        b = ⌈ln(1 - recall) / ln(1 - s^r)⌉

    Units:   similarity and recall as fractions below 1; rows is a count. Result is a count.
    Raises:  ValueError if a fraction is not between 0 and 1 or rows is no count.
    Source:  candidate_probability of this module, solved for the bands.

    >>> fewest_bands(similarity=0.8, rows=8, recall=0.95)
    17
    """
    require_fraction(similarity=similarity, recall=recall)
    require_counts(rows=rows)
    if similarity == 1 or recall == 1:
        raise ValueError("similarity and recall must be below 1")
    return ceil(log1p(-recall) / log1p(-(similarity**rows)) * (1 - 1e-12))
