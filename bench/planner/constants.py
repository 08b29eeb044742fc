"""One constant for each group of rows: what a model without constants of its own gets, so that it is compared at its best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from .predictions import Prediction, Predictor, Row

Key = Callable[[Row], str]


def one(row: Row) -> str:
    """A single constant for all, another for mixtures of experts."""
    return "MoE" if row.shape.is_moe else "dense"


def by_chip(row: Row) -> str:
    """A constant for each chip."""
    return f"{one(row)}, {row.run.chip}"


def by_chip_and_format(row: Row) -> str:
    """A constant for each chip and number format of the matrix products."""
    return f"{by_chip(row)}, {row.setting.precision}"


def best(rows: Sequence[Row], predict: Predictor, key: Key) -> Mapping[str, float]:
    """For each group of the rows with trust A, the factor on step times that makes the mean error smallest."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        said = predict(row).step_s
        if row.step_s is not None and said is not None and row.run.trust == "A":
            for name in {key(row), one(row), ""}:
                ratios.setdefault(name, []).append(said / row.step_s)
    return {name: _smallest_error(np.array(found)) for name, found in ratios.items()}


def scaled(rows: Sequence[Row], predict: Predictor, key: Key) -> Predictor:
    """Step times times the best constant of their group; a group that the rows lack gets that of all dense or all mixtures."""
    factors = best(rows, predict, key)

    def scaled_prediction(row: Row) -> Prediction:
        said = predict(row)
        names = [name for name in (key(row), one(row), "") if name in factors]
        if said.step_s is None or not names:
            return said
        return replace(said, step_s=said.step_s * factors[names[0]])

    return scaled_prediction


def _smallest_error(ratios: np.ndarray) -> float:
    """Among the factors that make one of the rows exact, that with the smallest mean error."""
    errors = np.abs(ratios[None, :] / ratios[:, None] - 1)
    return float(1 / ratios[errors.mean(axis=1).argmin()])
