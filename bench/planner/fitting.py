"""A damped Gauss-Newton fit of the planner's constants, on logarithms of predicted / reported figures."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

from shardwise.template.yaml_source import load_yaml
from solutions.facts.tables import table
from solutions.planner import constants as planner_constants

from .predictions import Row

Array = np.ndarray[Any, np.dtype[np.float64]]
Ratio = Callable[[Row], float]  # predicted / reported figure of a row, with the current constants
_STEP = 0.02  # of a logarithm, for derivatives
_ROUNDS = 12  # of a fit at most
_OUTLIER = 0.08  # above this error, the weight of a row decreases


@cache
def calibration() -> dict[str, Any]:
    """Return the content of calibration.yaml: the constants to fit, and their starting values."""
    return dict(load_yaml(Path(__file__).with_name("calibration.yaml")).data)


@contextmanager
def trial_constants() -> Iterator[None]:
    """Restore the constants after a block that may change them."""
    constants = planner_constants.constants()
    before = deepcopy(constants)
    try:
        yield
    finally:
        constants.clear()
        constants.update(before)
        _forget()


class Fit:
    """A fit of some constants to one figure of some rows, with a robust loss and a prior around the starting values."""

    def __init__(self, rows: Sequence[Row], names: Sequence[str], prior: float, ratio: Ratio) -> None:
        self.rows, self.names, self.prior, self.ratio = rows, names, prior, ratio
        families = Counter(row.run.family for row in rows)
        # a large family has more weight than a small one, but less than in proportion
        self.weights: Array = np.array(
            [(1.0 if row.run.trust == "A" else 0.5) / families[row.run.family] ** 0.3 for row in rows]
        )
        self.now: Array = np.array([log(_get(name)) for name in names])
        # values without these runs: a constant that only a held-out family determines falls back to its value here
        self.start: Array = np.array([log(calibration()["start"][name]) for name in names])
        self.point = self.now
        self.at_point: Array = np.zeros(0)
        self.slopes: Array = np.zeros((0, 0))

    def use(self, point: Array) -> None:
        """Set the fitted constants to the values whose logarithms a point has."""
        for name, value in zip(self.names, point, strict=True):
            for each in (name, *calibration()["ties"].get(name, ())):
                _set(each, exp(value) * calibration()["ratios"].get(each, 1.0))
        _forget()

    def errors(self, point: Array) -> Array:
        """Return log(predicted / reported) of each row, with the constants at a point."""
        self.use(point)
        return np.array([log(self.ratio(row)) for row in self.rows])

    def jacobian(self, point: Array, errors: Array) -> Array:
        """Return the derivative of each row's error with respect to each constant's logarithm."""
        moved = (self.errors(point + _STEP * np.eye(len(point))[at]) for at in range(len(point)))
        return np.stack([(column - errors) / _STEP for column in moved], axis=1)

    def step(self, jacobian: Array, errors: Array, point: Array, weights: Array, damping: float) -> Array:
        """Return the Gauss-Newton step from a point."""
        robust = weights / np.sqrt(1 + (errors / _OUTLIER) ** 2)
        held = 0.01 / self.prior**2
        matrix = (jacobian * robust[:, None]).T @ jacobian + held * np.eye(len(point))
        slope = (jacobian * robust[:, None]).T @ errors + held * (point - self.start)
        taken = -np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), slope)
        clipped: Array = np.clip(taken, -0.5, 0.5)
        return clipped

    def loss(self, errors: Array, point: Array) -> float:
        """Return the loss that a fit minimises."""
        robust = 2 * _OUTLIER**2 * (np.sqrt(1 + (errors / _OUTLIER) ** 2) - 1)
        return float(self.weights @ robust + 0.01 * np.sum(((point - self.start) / self.prior) ** 2))

    def run(self) -> Fit:
        """Find the best point, beginning from the current constants or the starting values, and use it."""
        begin = {self.loss(self.errors(point), point): point for point in (self.start, self.now)}
        loss, damping = min(begin), 1e-3
        point = begin[loss].copy()
        errors = self.errors(point)
        for _ in range(_ROUNDS):
            jacobian = self.jacobian(point, errors)
            before = loss
            for _ in range(6):
                trial = point + self.step(jacobian, errors, point, self.weights, damping)
                trial_errors = self.errors(trial)
                if (trial_loss := self.loss(trial_errors, trial)) < loss:
                    point, errors, loss, damping = trial, trial_errors, trial_loss, max(damping / 5, 1e-6)
                    break
                damping *= 5
            if before - loss < 1e-3 * before:
                break
        self.point, self.at_point, self.slopes = point, errors, self.jacobian(point, errors)
        self.use(point)
        return self

    def without(self, left_out: Iterable[int]) -> Array:
        """Return the point of a first-order refit without some rows."""
        weights = self.weights.copy()
        weights[list(left_out)] = 0
        moved, linear = self.point.copy(), self.at_point.copy()
        for _ in range(20):
            taken = self.step(self.slopes, linear, moved, weights, 1e-6)
            moved, linear = moved + taken, linear + self.slopes @ taken
        return moved


def _get(name: str) -> float:
    found: Any = planner_constants.constants()
    for key in name.split("/"):
        found = found[key]
    return float(found)


def _set(name: str, value: float) -> None:
    *path, last = name.split("/")
    found: Any = planner_constants.constants()
    for key in path:
        found = found[key]
    found[last] = value


def _forget() -> None:
    """Clear the caches of the planner's modules, but not the constants themselves."""
    for name, module in sys.modules.items():
        if name.startswith("solutions.planner."):
            for member in vars(module).values():
                if callable(getattr(member, "cache_clear", None)) and member is not table:
                    member.cache_clear()
