"""One fitted constant per group of rows, for models that have no fitted constants themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from .predictions import Prediction, Predictor, Row

Key = Callable[[Row], str]


def by_kind(row: Row) -> str:
    """Return the group for one constant for dense models and one for mixtures of experts."""
    return row.kind


def by_chip(row: Row) -> str:
    """Return the group for one constant per chip."""
    return f"{by_kind(row)}, {row.run.chip}"


def by_chip_and_format(row: Row) -> str:
    """Return the group for one constant per chip and number format of the matrix multiplications."""
    return f"{by_chip(row)}, {row.setting.precision}"


def best(rows: Sequence[Row], predict: Predictor, key: Key) -> Mapping[str, float]:
    """Return the factor on step time that minimises the mean error, by group of the rows of trust A."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        said = predict(row).step_s
        if row.step_s is not None and said is not None and row.run.trust == "A":
            for name in {key(row), by_kind(row), ""}:
                ratios.setdefault(name, []).append(said / row.step_s)
    return {name: _smallest_error(np.array(found)) for name, found in ratios.items()}


def scaled(rows: Sequence[Row], predict: Predictor, key: Key) -> Predictor:
    """Return a predictor with step times scaled by the best factor of their group, or of all dense or MoE rows."""
    factors = best(rows, predict, key)

    def scaled_prediction(row: Row) -> Prediction:
        said = predict(row)
        names = [name for name in (key(row), by_kind(row), "") if name in factors]
        if said.step_s is None or not names:
            return said
        return replace(said, step_s=said.step_s * factors[names[0]])

    return scaled_prediction


def _smallest_error(ratios: np.ndarray) -> float:
    """Return the factor with the smallest mean error, among those that make one row exact."""
    errors = np.abs(ratios[None, :] / ratios[:, None] - 1)
    return float(1 / ratios[errors.mean(axis=1).argmin()])
