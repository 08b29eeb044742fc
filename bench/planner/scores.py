"""Errors of predicted step time and memory, and the accuracy of the verdict on fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from zlib import crc32

import numpy as np

from .predictions import Prediction, Predictor, Row, timed
from .printed import flop_per_token, rates
from .runs import Runs
from .settings import Unclear

FitTo = Callable[[Sequence[Row]], Predictor]  # fits constants to rows
MISS = 1.0  # error of a row that the planner refuses


@dataclass(frozen=True)
class Score:
    """The number of errors, their median and their 90th percentile, as fractions."""

    count: int
    median: float
    p90: float

    @classmethod
    def of(cls, errors: Iterable[float]) -> Score:
        """Return the score of signed or unsigned relative errors."""
        sizes = [abs(error) for error in errors]
        if not sizes:
            return cls(0, float("nan"), float("nan"))
        return cls(len(sizes), median(sizes), float(np.percentile(sizes, 90)))


@dataclass(frozen=True)
class Fit:
    """Numbers of verdicts "yes", "tight" and "no", for runs that ran and for runs that ran out of memory."""

    ran: Mapping[str, int]
    oom: Mapping[str, int]

    @property
    def balanced(self) -> float:
        """Return the balanced accuracy, in which both classes have equal weight. A verdict "tight" is half right for either."""
        shares = [
            (counts.get(right, 0) + counts.get("tight", 0) / 2) / sum(counts.values())
            for counts, right in ((self.ran, "yes"), (self.oom, "no"))
            if sum(counts.values())
        ]
        return sum(shares) / 2 if len(shares) == 2 else float("nan")


def step_errors(rows: Iterable[Row], predict: Predictor, refused: float | None = None) -> dict[str, float]:
    """Return predicted / reported step time - 1, by row. Rows without a prediction get the error `refused`, or are omitted if it is None."""
    found = {}
    for row in timed(rows):
        said = predict(row).step_s
        if said is not None and row.step_s is not None:
            found[row.run.id] = said / row.step_s - 1
        elif refused is not None:
            found[row.run.id] = refused
    return found


def memory_errors(rows: Iterable[Row], predict: Predictor, refused: float | None = None) -> dict[str, float]:
    """Return predicted / reported memory - 1, by row; `refused` as in step_errors."""
    found = {}
    for row in rows:
        predicted = predict(row)
        said = predicted.counted_bytes or predicted.memory_bytes
        if row.memory_bytes is not None and said is not None:
            found[row.run.id] = said / row.memory_bytes - 1
        elif row.memory_bytes is not None and refused is not None:
            found[row.run.id] = refused
    return found


def fit(rows: Iterable[Row], predict: Predictor) -> Fit:
    """Return the counts of verdicts on fit, over the rows that test it."""
    return fit_of(rows, {row.run.id: verdict for row in rows if (verdict := _verdict(predict(row)))})


def fit_of(rows: Iterable[Row], verdicts: Mapping[str, str]) -> Fit:
    """Return the counts of given verdicts, over the rows that test the fit and have one."""
    tested = [row for row in rows if row.tests_fit and row.run.id in verdicts]
    ran, oom = (Counter(verdicts[row.run.id] for row in tested if row.fitted == fitted) for fitted in (True, False))
    return Fit(ran, oom)


def _verdict(said: Prediction) -> str:
    return said.fit or {None: "", True: "yes", False: "no"}[said.fits]


def leave_one_family_out(rows: Sequence[Row], fit_to: FitTo) -> dict[str, float]:
    """Return each row's step-time error, with constants fitted to the other families."""
    errors: dict[str, float] = {}
    for family in sorted({row.run.family for row in rows}):
        rest = [row for row in rows if row.run.family != family]
        errors |= step_errors((row for row in rows if row.run.family == family), fit_to(rest))
    return errors


def fit_half_test_half(rows: Sequence[Row], fit_to: FitTo) -> dict[str, float]:
    """Return the step-time errors of the second half, with constants fitted to the first."""
    first = [row for row in rows if in_first_half(row)]
    return step_errors((row for row in rows if not in_first_half(row)), fit_to(first))


def in_first_half(row: Row) -> bool:
    """Return whether a row is in the first half, by a checksum of its id."""
    return crc32(row.run.id.encode()) % 2 == 0


def grouped(rows: Iterable[Row], errors: Mapping[str, float], key: Callable[[Row], str]) -> dict[str, Score]:
    """Return the score of each group of rows, the largest group first."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        if row.run.id in errors:
            groups.setdefault(key(row), []).append(errors[row.run.id])
    return {name: Score.of(found) for name, found in sorted(groups.items(), key=lambda item: -len(item[1]))}


def part(row: Row) -> str:
    """Return a row's group in the table of step times."""
    return f"{row.run.trust} {row.kind}"


def disagreements(rows: Iterable[Row], runs: Runs) -> dict[str, float]:
    """Return how far the FLOP rate of the reported time is from the reported one: each row's largest deviation."""
    found: dict[str, float] = {}
    for row in rows:
        if row.step_s is None or row.basis not in ("step time", "tokens/s"):
            continue
        tokens_per_s = row.setting.global_batch * row.setting.sequence / row.run.chips / row.step_s
        for figure, convention, rate in rates(row.run, runs):
            try:
                flop = flop_per_token(convention or "", row.run, row.shape)
            except Unclear:
                continue
            apart = tokens_per_s * flop / rate - 1
            if figure != "hfu" and abs(apart) >= abs(found.get(row.run.id, 0)):
                found[row.run.id] = apart
    return found


def self_consistency(rows: Iterable[Row], runs: Runs) -> tuple[int, int]:
    """Return how many rows report both a time and a FLOP rate, and on how many of them these agree within 1.5 %."""
    found = disagreements(rows, runs)
    return len(found), sum(abs(apart) < 0.015 for apart in found.values())
