"""Whose predictions are compared: the planner's, a spreadsheet's, and those of the two peers that were asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import constants, planned, spreadsheet
from .peers import asking
from .predictions import Prediction, Predictor, Row
from .runs import Runs
from .scores import FitTo


@dataclass(frozen=True)
class Model:
    """One of those compared. `fit` says what of it was fitted on rows, and `fit_to` fits that."""

    name: str
    fit: str
    fit_to: FitTo


def models(runs: Runs, answers: Mapping[str, Any] | None) -> list[Model]:
    """The planner first. `answers` are the peers', by peer and row; without them nothing is reported of the peers."""
    ours, sheet = planned.predictor(runs), spreadsheet.predict
    found = [
        Model("shardwise", "its constants, on these runs", lambda _: ours),
        _scaled("spreadsheet", "a utilisation for each chip", sheet, constants.by_chip),
        _scaled("spreadsheet", "a utilisation for each chip and format", sheet, constants.by_chip_and_format),
    ]
    if answers:
        peers = {name: partial(_said, answers[name]) for name in asking.NAMES}
        found += [
            _scaled("llm-analysis", "one constant", peers["llm-analysis"], constants.one),
            _scaled(
                "llm-analysis",
                "a constant for each chip and format",
                peers["llm-analysis"],
                constants.by_chip_and_format,
            ),
            Model("Calculon", "nothing: as shipped", lambda _: peers["Calculon"]),
            _scaled("Calculon", "a constant for each chip and format", peers["Calculon"], constants.by_chip_and_format),
        ]
    return found


def _scaled(name: str, fit: str, predict: Predictor, key: constants.Key) -> Model:
    return Model(name, fit, lambda rows: constants.scaled(rows, predict, key))


def _said(answers: Mapping[str, Any], row: Row) -> Prediction:
    return asking.answer(answers.get(row.run.id, {"why": "not asked"}))
