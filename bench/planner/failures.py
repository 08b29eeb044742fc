"""The largest errors of the planner, each with the reason in reasons.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from shardwise.template.yaml_source import load_yaml

from . import scores
from .predictions import Predictor, Row

_LARGE = 0.25  # the page explains every error above this


def failures(rows: Sequence[Row], planner: Predictor) -> str:
    """Return the tables of step times and of memory that are far off, or of fits that are predicted wrongly."""
    errors = scores.step_errors(rows, planner)
    known = reasons()
    lines = [
        "## Largest errors\n",
        f"Runs whose predicted step time is off by more than {100 * _LARGE:.0f} %, or that the planner cannot predict:\n",
        "| run | trust | reported (s) | predicted (s) | error | reason |",
        "|---|---|---|---|---|---|",
    ]
    for row in sorted(rows, key=lambda row: -abs(errors.get(row.run.id, 9))):
        said = planner(row)
        if row.step_s is not None and abs(errors.get(row.run.id, 9)) > _LARGE:
            cells = f"{said.step_s:.3g} | {errors[row.run.id]:+.0%}" if said.step_s else "— | —"
            why = said.why or known.get(row.run.id) or known.get(row.run.family, "")
            lines.append(f"| {row.run.id} | {row.run.trust} | {row.step_s:.4g} | {cells} | {why} |")
    memory = scores.memory_errors(rows, planner)
    lines += ["", f"Runs whose predicted memory is off by more than {100 * _LARGE:.0f} %, or whose fit is predicted wrongly:\n",
              "| run | reported (GB) | predicted (GB) | outcome | reason |", "|---|---|---|---|---|"]  # fmt: skip
    for row in rows:
        said = planner(row)
        wrong_fit = row.tests_fit and said.fits is not None and said.fits != row.fitted
        if abs(memory.get(row.run.id, 0)) > _LARGE or wrong_fit:
            printed = f"{row.memory_bytes / 1e9:.1f}" if row.memory_bytes else "—"
            ran = "ran" if row.fitted else "out of memory"
            judged = ran + (f", predicted {'to fit' if said.fits else 'not to fit'}" if wrong_fit else "")
            why = known.get(f"{row.run.id} memory") or known.get(f"{row.run.family} memory", "")
            lines.append(f"| {row.run.id} | {printed} | {(said.counted_bytes or 0) / 1e9:.1f} | {judged} | {why} |")
    return "\n".join(lines) + "\n"


@cache
def reasons() -> dict[str, str]:
    """Return why the planner is far off, by run or family, from reasons.yaml."""
    return dict(load_yaml(Path(__file__).with_name("reasons.yaml")).data)
