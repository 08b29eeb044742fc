"""Fit the planner's constants to published runs, and measure the errors on held-out families.

python -m bench.planner.calibrate                  # errors with current and fitted constants, by held-out family, and by halves
python -m bench.planner.calibrate --write          # also store the held-out errors for the page

calibration.yaml lists the constants to fit. The fitted values are printed, and are copied into solutions/planner/constants.yaml
by hand. The fit is a damped Gauss-Newton on logarithms: the residuals are log(predicted / reported step time), with a robust loss,
and a prior holds the logarithms of the constants near their starting values.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from datetime import UTC, datetime
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np

from shardwise.template.yaml_source import load_yaml as load_yaml
from solutions.facts.tables import table
from solutions.planner import constants as planner_constants
from solutions.planner import time as planner_time

from . import planned, scores
from .predictions import Row, readable
from .runs import Runs, load

Array = np.ndarray[Any, np.dtype[np.float64]]
HERE = Path(__file__).parent
LEFT_OUT = HERE / "left_out.json"
_OUTLIER = 0.08  # above this error, the weight of a row decreases


@cache
def _plan() -> dict[str, Any]:
    return dict(load_yaml(HERE / "calibration.yaml").data)


@contextmanager
def tried() -> Iterator[None]:
    """Restore the constants at the end of the block, which may change them."""
    constants = planner_constants.constants()
    before = deepcopy(constants)
    try:
        yield
    finally:
        constants.clear()
        constants.update(before)
        _forget()


class Fit:
    """A fit of some constants to the step times of some rows."""

    def __init__(self, rows: Sequence[Row], runs: Runs, names: Sequence[str], prior: float) -> None:
        self.rows, self.names, self.prior = rows, names, prior
        self.arguments = [planned.arguments(planned.as_it_ran(row, runs), runs) for row in rows]
        families = Counter(row.run.family for row in rows)
        # a large family has more weight than a small one, but less than in proportion
        self.weights: Array = np.array(
            [(1.0 if row.run.trust == "A" else 0.5) / families[row.run.family] ** 0.3 for row in rows]
        )
        self.now: Array = np.array([log(_get(name)) for name in names])
        # values without these runs: a constant that only a held-out family determines falls back to its value here
        self.start: Array = np.array([log(_plan()["start"][name]) for name in names])

    def errors(self, point: Array) -> Array:
        """Return log(predicted / reported step time) of each row, with the constants at a point."""
        for name, value in zip(self.names, point, strict=True):
            for each in (name, *_plan()["ties"].get(name, ())):
                _set(each, exp(value))
        _forget()
        steps = (sum(planner_time.step(*arguments).values()) for arguments in self.arguments)
        return np.array([log(step / (row.step_s or 1)) for step, row in zip(steps, self.rows, strict=True)])

    def jacobian(self, point: Array, errors: Array, size: float = 0.02) -> Array:
        """Return the derivative of each row's error with respect to each constant's logarithm."""
        moved = (self.errors(point + size * np.eye(len(point))[at]) for at in range(len(point)))
        return np.stack([(column - errors) / size for column in moved], axis=1)

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

    def fitted(self, most: int = 12) -> tuple[Array, Array, Array]:
        """Return the best point, its errors, and the Jacobian there."""
        point, damping = self.start.copy(), 1e-3
        errors = self.errors(point)
        loss = self.loss(errors, point)
        for _ in range(most):
            jacobian = self.jacobian(point, errors)
            before = loss
            for _ in range(6):
                tried = point + self.step(jacobian, errors, point, self.weights, damping)
                tried_errors = self.errors(tried)
                if (tried_loss := self.loss(tried_errors, tried)) < loss:
                    point, errors, loss, damping = tried, tried_errors, tried_loss, max(damping / 5, 1e-6)
                    break
                damping *= 5
            if before - loss < 1e-3 * before:
                break
        return point, errors, self.jacobian(point, errors)

    def without(self, left_out: Iterable[int], point: Array, errors: Array, jacobian: Array) -> Array:
        """Return the errors after a first-order refit without some rows."""
        weights = self.weights.copy()
        weights[list(left_out)] = 0
        moved, linear = point.copy(), errors.copy()
        for _ in range(20):
            taken = self.step(jacobian, linear, moved, weights, 1e-6)
            moved, linear = moved + taken, linear + jacobian @ taken
        return self.errors(moved)


def left_out() -> dict[str, Any]:
    """Return the stored held-out errors."""
    return dict(json.loads(LEFT_OUT.read_text("utf-8")))


def main() -> None:
    """Fit, refit without each family and half, print, and store the errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"store the held-out errors in {LEFT_OUT.name}")
    options = parser.parse_args()
    runs = load()
    rows = [row for row in readable(runs)[0] if row.step_s is not None]
    kept: dict[str, Any] = {
        "command": "python -m bench.planner.calibrate --write",
        "date": datetime.now(UTC).date().isoformat(),
    }
    planner = planned.predictor(runs)
    with tried():
        for kind in ("dense", "MoE"):
            chosen = [row for row in rows if row.shape.is_moe == (kind == "MoE") and not planner(row).why]
            kept[kind] = _left_out(chosen, runs, kind)
    if options.write:
        LEFT_OUT.write_text(json.dumps(kept, indent=0) + "\n", "utf-8")


def _left_out(rows: Sequence[Row], runs: Runs, kind: str) -> dict[str, dict[str, float]]:
    plan = _plan()[kind]
    fit = Fit(rows, runs, plan["names"], plan["prior"])
    best = np.array([row.run.trust == "A" for row in rows])
    _say(f"{kind}, current constants", fit.errors(fit.now)[best])
    point, errors, jacobian = fit.fitted()
    _say(f"{kind}, fitted", errors[best])
    for name, value in zip(fit.names, point, strict=True):
        print(f"  {name}: {exp(value):.4g}")
    ids = [row.run.id for row in rows]
    families: dict[str, float] = {}
    for family in dict.fromkeys(row.run.family for row in rows):
        inside = [at for at, row in enumerate(rows) if row.run.family == family]
        found = fit.without(inside, point, errors, jacobian)
        families |= {ids[at]: round(float(np.expm1(found[at])), 4) for at in inside}
    second = [at for at, row in enumerate(rows) if not scores.in_first_half(row)]
    found = fit.without(second, point, errors, jacobian)
    halves = {ids[at]: round(float(np.expm1(found[at])), 4) for at in second}
    _say(f"{kind}, family held out", np.log1p([families[name] for name, good in zip(ids, best, strict=True) if good]))
    _say(f"{kind}, one half held out", np.log1p([halves[ids[at]] for at in second if best[at]]))
    fit.errors(point)  # leave the constants fitted
    return {"family": families, "half": halves}


def _say(what: str, errors: Array) -> None:
    score = scores.Score.of(np.expm1(errors))
    print(f"{what:40} {score.count:4}  median {score.median:6.1%}  p90 {score.p90:6.1%}", flush=True)


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


if __name__ == "__main__":
    main()
