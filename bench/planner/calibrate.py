"""The fit of the planner's constants to published runs, the calibration of its ranges, and the errors of both on held-out families.

python -m bench.planner.calibrate                  # errors with current and fitted constants, by held-out family and half; factors and coverage
python -m bench.planner.calibrate --write          # also write solutions/planner/ranges.yaml, and what the page shows to left_out.json

calibration.yaml lists the constants to fit. The fitted values are printed, and are copied into solutions/planner/constants.yaml
by hand. Ranges are written, never copied. Run it again after a copy, and after any change of runs, formulas or software.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cached_property
from math import exp
from pathlib import Path
from typing import Any

import numpy as np

from . import knowledge, planned, scores
from .coverage import Seen, factors, nested
from .fitting import Array, Fit, calibration, trial_constants
from .predictions import Row, readable
from .run_files import load
from .runs import Runs

HERE = Path(__file__).parent
LEFT_OUT = HERE / "left_out.json"
RANGES = HERE.parents[1] / "solutions" / "planner" / "ranges.yaml"
COMMAND = "python -m bench.planner.calibrate --write"
PUBLISHED = 3  # runs that a chip needs for its constants to count as known
KINDS = ("dense", "MoE", "memory")


def left_out(rows: Iterable[Row], refused: Container[str]) -> dict[str, Any]:
    """Return the stored errors, verdicts and coverage of held-out runs. Each row that the planner refuses is added as a miss."""
    found: dict[str, Any] = json.loads(LEFT_OUT.read_text("utf-8"))
    for row in rows:
        if row.run.id in refused:
            missed = [found["memory"]["family"]] * (row.memory_bytes is not None)
            if row.step_s is not None:
                missed += [found[row.kind]["family"], found["software"]["row"]]
                missed += [found[row.kind]["half"]] * bool(_second_half(row))
            for errors in missed:
                errors[row.run.id] = scores.MISS
            found["fit"][row.run.id] = "refused"
    return found


def main() -> None:
    """Fit, refit without each family, half and chip, print, and write the ranges and the held-out errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write {RANGES.name} and {LEFT_OUT.name}")
    options = parser.parse_args()
    runs = load()
    found = Calibration(runs)
    if options.write:
        RANGES.write_text(found.ranges(), "utf-8")
        LEFT_OUT.write_text(json.dumps(found.kept(), indent=0) + "\n", "utf-8")


class Calibration:
    """Fits of step time and memory, and their errors and verdicts on held-out runs."""

    def __init__(self, runs: Runs) -> None:
        self.rows = [row for row in readable(runs)[0] if not planned.refusal(row, runs)]
        self.case = {row.run.id: knowledge.Case(row, runs) for row in self.rows}
        with trial_constants():
            self.fits = {kind: self._fit(kind).run() for kind in KINDS}
            self._say_fits()
            self.held_out: dict[str, dict[str, dict[str, float]]] = {kind: {"family": {}, "half": {}} for kind in KINDS}
            self.times: list[Seen] = []
            self.sizes: list[Seen] = []
            self.verdicts: list[Seen] = []
            for name, key in (("family", _family), ("half", _second_half), ("chip", _chip)):
                for group, inside in self._refits(key):
                    if name != "chip":
                        self._record_errors(name, inside)
                    if name != "half":
                        self._record_knowledge(group, inside, new_chip=name == "chip")
        self._say_held_out()
        self._say_ranges()

    def _fit(self, kind: str) -> Fit:
        plan, rows = calibration()[kind], [row for row in self.rows if _counts(row, kind)]
        if kind == "memory":
            return Fit(rows, plan["names"], plan["prior"], lambda row: self.case[row.run.id].memory_ratio())
        return Fit(rows, plan["names"], plan["prior"], lambda row: self.case[row.run.id].time_ratio())

    def _refits(self, key: Callable[[Row], str]) -> Iterator[tuple[str, list[Row]]]:
        """Yield each group with its rows. Until the next one, the constants are those of fits without the group."""
        for group in sorted({key(row) for row in self.rows} - {""}):
            for fit in self.fits.values():
                fit.use(fit.without(at for at, row in enumerate(fit.rows) if key(row) == group))
            yield group, [row for row in self.rows if key(row) == group]
        for fit in self.fits.values():
            fit.use(fit.point)

    def _record_errors(self, split: str, rows: Sequence[Row]) -> None:
        for kind, fit in self.fits.items():
            for row in rows:
                if _counts(row, kind):
                    self.held_out[kind][split][row.run.id] = round(fit.ratio(row) - 1, 4)

    def _record_knowledge(self, group: str, rows: Sequence[Row], *, new_chip: bool) -> None:
        """Record the predictions for rows whose family or chip was held out, for each state of knowledge."""
        for row in rows:
            case = self.case[row.run.id]
            if row.step_s is not None:
                self.times += case.times(group, "new" if new_chip else "published")
            if not new_chip:
                self.sizes += case.sizes()
                self.verdicts += case.verdict()

    def ranges(self) -> str:
        """Return the text of solutions/planner/ranges.yaml."""
        per_chip = Counter(_chip(row) for row in self.rows if row.step_s is not None)
        chips = sorted({planned.accelerator(row) for row in self.rows if per_chip[_chip(row)] >= PUBLISHED})
        lines = [f"# Written by `{COMMAND}`: factors from a predicted figure to both ends of its range, which holds for 80 % of unseen runs.",
                 "# By what is known: chip, software, and kind of run. docs/planner.md explains them and reports their coverage.", "",
                 f"chips: [{', '.join(chips)}]  # with at least {PUBLISHED} published runs", "time:"]  # fmt: skip
        found = factors(self.times, knowledge.TIME_CELLS)
        for chip in knowledge.TIME_CELLS[0]:
            lines.append(f"  {chip}:")
            for software in knowledge.TIME_CELLS[1]:
                lines.append(f"    {software}:")
                lines += [f"      {kind}: {_flow(found[chip, software, kind])}" for kind in knowledge.TIME_CELLS[2]]
        sizes = factors(self.sizes, knowledge.SIZE_CELLS)
        lines += ["memory:", *(f"  {software}: {_flow(sizes[software,])}" for software in knowledge.SIZE_CELLS[0])]
        return "\n".join(lines) + "\n"

    def kept(self) -> dict[str, Any]:
        """Return the errors, verdicts and coverage of held-out runs, for the page."""
        return {
            "command": COMMAND, "date": datetime.now(UTC).date().isoformat(),
            **self.held_out,
            "software": {state: {each.name: round(each.middle - 1, 4) for each in self.times if each.cell[:2] == ("published", state)}
                         for state in knowledge.TIME_CELLS[1]},
            "fit": self._fit_held_out, "coverage": self._coverage,
        }  # fmt: skip

    @cached_property
    def _fit_held_out(self) -> dict[str, str]:
        """Return the verdict on fit of each row, with constants and factor from the other families."""
        found = {}
        for family in sorted({verdict.family for verdict in self.verdicts}):
            others = (each for each in self.sizes if each.family != family)
            factor = factors(others, knowledge.SIZE_CELLS)["known",].factor
            for each in self.verdicts:
                if each.family == family:
                    found[each.name] = "no" if each.high > 1 else "tight" if each.high * factor > 1 else "yes"
        return found

    @cached_property
    def _coverage(self) -> list[dict[str, Any]]:
        found = []
        for what, seen, cells in (
            ("step time", self.times, knowledge.TIME_CELLS),
            ("memory", self.sizes, knowledge.SIZE_CELLS),
        ):
            final = factors(seen, cells)
            for trust in "AB":
                for cell, covered in nested(seen, cells, trust).items():
                    entry = {"figure": what, "trust": trust, "cell": list(cell), "factor": round(final[cell].factor, 3)}
                    found.append(entry | asdict(covered))
        return found

    def _say_fits(self) -> None:
        for kind, fit in self.fits.items():
            best = np.array([row.run.trust == "A" for row in fit.rows])
            _say(f"{kind}, current constants", fit.errors(fit.now)[best])
            _say(f"{kind}, fitted", fit.errors(fit.point)[best])
            for name, value in zip(fit.names, fit.point, strict=True):
                print(f"  {name}: {exp(value):.4g}")

    def _say_held_out(self) -> None:
        best = {row.run.id for row in self.rows if row.run.trust == "A"}
        for split in ("family", "half"):
            for kind in KINDS:
                errors = [error for name, error in self.held_out[kind][split].items() if name in best]
                _say(f"{kind}, {split} held out", np.log1p(errors))

    def _say_ranges(self) -> None:
        for entry in self._coverage:
            words = f"{entry['figure']}, trust {entry['trust']}, {', '.join(entry['cell'])}"
            print(f"{words:60} factor {entry['factor']:.2f}  covers {entry['of_runs']:4.0%} of {entry['runs']:3} runs, "
                  f"{entry['of_families']:4.0%} of {entry['families']:2} families")  # fmt: skip
        ran = {row.run.id: row.fitted for row in self.rows}
        counts = Counter(
            f"{verdict}: {'ran' if ran[name] else 'out of memory'}" for name, verdict in self._fit_held_out.items()
        )
        print("fit, family held out:", dict(sorted(counts.items())))


def _counts(row: Row, kind: str) -> bool:
    """Return whether a row reports the figure of a fit: one of KINDS."""
    return bool(row.memory_bytes) if kind == "memory" else row.step_s is not None and row.kind == kind


def _family(row: Row) -> str:
    return row.run.family


def _second_half(row: Row) -> str:
    return "" if scores.in_first_half(row) else "second"


def _chip(row: Row) -> str:
    """Return the row's chip, or the chip whose constants it shares."""
    for leader, others in calibration()["ties"].items():
        if any(planned.accelerator(row) == other.split("/")[1] for other in others):
            return str(leader.split("/")[1])
    return planned.accelerator(row)


def _flow(factor: Any) -> str:
    return f"{{factor: {factor.factor:.3f}, runs: {factor.runs}, families: {factor.families}}}"


def _say(what: str, errors: Array) -> None:
    score = scores.Score.of(np.expm1(errors))
    print(f"{what:40} {score.count:4}  median {score.median:6.1%}  p90 {score.p90:6.1%}", flush=True)


if __name__ == "__main__":
    main()
