"""Mixtures of data: epochs of each source, weights from epochs or from a temperature, and which source is used up first."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts.arguments import require_fraction, require_index, require_not_negative, require_positive


def source_epochs(*, tokens: float, weight: float, source_tokens: float) -> float:
    """How often a run goes over one source of its mixture.

        epochs = weight · D / U

    Units:   tokens of the run and of the source are counts; weight is the share of all training tokens. Result is a number.
    Raises:  ValueError if a count is not positive or the weight is not a fraction.
    Source:  Brown et al. 2020 (GPT-3), arXiv:2005.14165, Table 2.2.

    >>> round(source_epochs(tokens=300e9, weight=0.60, source_tokens=410e9), 2)    # filtered Common Crawl of GPT-3
    0.44
    """
    require_positive(tokens=tokens, source_tokens=source_tokens)
    require_fraction(weight=weight)
    return weight * tokens / source_tokens


def largest_weight(*, tokens: float, source_tokens: float, epochs: float) -> float:
    """The largest weight of a source that is gone over at most so often.

        weight = epochs · U / D

    Units:   counts; epochs is a number. Result as a fraction, above 1 where even the source alone stays below.
    Raises:  ValueError if an argument is not positive.
    Source:  source_epochs of this module, solved for the weight.

    >>> largest_weight(tokens=2e12, source_tokens=25e9, epochs=4)
    0.05
    """
    require_positive(tokens=tokens, source_tokens=source_tokens, epochs=epochs)
    return epochs * source_tokens / tokens


def tokens_until_limit(*, weights: Sequence[float], source_tokens: Sequence[float], epochs: Sequence[float]) -> float:
    """Training tokens after which the first source of a mixture reaches the most epochs it may have.

        D = min over sources of (epochs · U / weight)

    Units:   weights are shares, any scale; counts; numbers of epochs. Result is a count of tokens of the whole mixture.
    Raises:  ValueError if there is no source, the lists differ in length, or an entry is not positive.
    Source:  source_epochs of this module, solved for the tokens.

    >>> tokens_until_limit(weights=[0.9, 0.1], source_tokens=[1e12, 20e9], epochs=[1, 4]) / 1e9
    800.0
    """
    _require_sources(weights, source_tokens)
    _require_sources(weights, epochs)
    whole = sum(weights)
    return min(e * u / (w / whole) for w, u, e in zip(weights, source_tokens, epochs, strict=True))


def weight_from_epochs(*, source: int, sizes: Sequence[float], epochs: Sequence[float]) -> float:
    """Share of a source in a mixture that is built by repeating each source so often.

        weight = e_i · U_i / Σ e_j · U_j

    Units:   source counts from 0; sizes in bytes or tokens, all the same; epochs are numbers. Result as a fraction.
    Raises:  ValueError if there is no such source, the lists differ in length, or an entry is not positive.
    Source:  Gao et al. 2020 (The Pile), arXiv:2101.00027, Table 1.

    >>> round(weight_from_epochs(source=1, sizes=[227.12, 90.27], epochs=[1, 2]), 3)
    0.443
    """
    _require_sources(sizes, epochs)
    require_index(below=len(sizes), source=source)
    seen = [size * count for size, count in zip(sizes, epochs, strict=True)]
    return seen[source] / sum(seen)


def temperature_weight(*, source: int, sizes: Sequence[float], alpha: float) -> float:
    """Share of a source when small sources are raised by an exponent below 1.

        weight = U_i^α / Σ U_j^α

    α = 1 keeps the sizes, α = 0 gives all sources the same weight. 1/α is called the temperature.

    Units:   source counts from 0; sizes in bytes or tokens, all the same; alpha from 0 to 1. Result as a fraction.
    Raises:  ValueError if there is no such source, a size is not positive, or alpha is negative.
    Source:  Conneau et al. 2020 (XLM-R), arXiv:1911.02116, section 3.1 (α = 0.3).

    >>> round(temperature_weight(source=1, sizes=[900e9, 100e9], alpha=0.5), 3)
    0.25
    """
    _require_sources(sizes, sizes)
    require_index(below=len(sizes), source=source)
    require_not_negative(alpha=alpha)
    raised = [(size / max(sizes)) ** alpha for size in sizes]
    return float(raised[source] / sum(raised))


def temperature_epochs(*, source: int, sizes: Sequence[float], alpha: float, tokens: float) -> float:
    """How often a run goes over a source whose weight comes from an exponent.

        epochs = D · U_i^α / Σ U_j^α / U_i

    Units:   as temperature_weight; sizes and tokens are counts of tokens. Result is a number.
    Raises:  ValueError as temperature_weight, or if tokens is not positive.
    Source:  temperature_weight and source_epochs of this module.

    >>> round(temperature_epochs(source=1, sizes=[900e9, 100e9], alpha=0.5, tokens=1e12), 2)
    2.5
    """
    weight = temperature_weight(source=source, sizes=sizes, alpha=alpha)
    return source_epochs(tokens=tokens, weight=weight, source_tokens=sizes[source])


def _require_sources(left: Sequence[float], right: Sequence[float]) -> None:
    if not left or len(left) != len(right):
        raise ValueError("a mixture needs sources, and a value of each kind for every one")
    require_positive(**{f"source_{place}": value for place, value in enumerate([*left, *right])})
