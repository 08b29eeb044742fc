"""The models that are compared: the planner, a spreadsheet, llm-analysis, Calculon and SimuMax."""

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

OURS = "shardwise"


@dataclass(frozen=True)
class Model:
    """A model in the comparison. `fit` describes what is fitted, and `fit_to` fits it to rows."""

    name: str
    fit: str
    fit_to: FitTo


def models(runs: Runs, answers: Mapping[str, Any] | None) -> list[Model]:
    """Return the models, the planner first. `answers` holds the peers' predictions by peer and row; without it, the peers are omitted."""
    ours, sheet = planned.predictor(runs), spreadsheet.predict
    found = [
        Model(OURS, "fitted constants", lambda _: ours),
        _scaled("spreadsheet", "one fitted utilisation per chip", sheet, constants.by_chip),
        _scaled("spreadsheet", "one fitted utilisation per chip and format", sheet, constants.by_chip_and_format),
    ]
    if answers:
        peers = {name: partial(_stored, answers.get(name, {})) for name in asking.NAMES}
        found += [
            _scaled("llm-analysis", "one fitted constant", peers["llm-analysis"], constants.by_kind),
            _scaled("llm-analysis", "one fitted constant per chip and format", peers["llm-analysis"], constants.by_chip_and_format),
            Model("Calculon", "as shipped", lambda _: peers["Calculon"]),
            Model("SimuMax", "as shipped", lambda _: peers["SimuMax"]),
            _scaled("Calculon", "one fitted constant per chip and format", peers["Calculon"], constants.by_chip_and_format),
        ]  # fmt: skip
    return found


def _scaled(name: str, fit: str, predict: Predictor, key: constants.Key) -> Model:
    return Model(name, fit, lambda rows: constants.scaled(rows, predict, key))


def _stored(answers: Mapping[str, Any], row: Row) -> Prediction:
    return asking.answer(answers.get(row.run.id, {"why": "not asked"}))
