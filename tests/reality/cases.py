"""A case: what a reference says, and how the same is measured."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One line of the table."""

    topic: str  # its heading
    what: str  # a sentence, in Markdown
    reference: str  # module.function in solutions/, with an index where it returns several: "module.function[1]"
    arguments: Mapping[str, Any]  # in base units
    unit: str  # of both numbers, as the table prints it
    measured: Callable[[], float]  # runs the thing; needs torch

    @property
    def formula(self) -> float:
        """What the reference gives."""
        name, _, index = self.reference.partition("[")
        module, _, function = name.rpartition(".")
        value = getattr(importlib.import_module(f"solutions.{module}"), function)(**self.arguments)
        return float(value[int(index[:-1])] if index else value)

    def row(self, measured: float) -> str:
        """The line of the table, with both numbers and how far they are apart."""
        formula = self.formula
        apart = "none" if math.isclose(measured, formula) else f"{abs(measured / formula - 1):.2%}" if formula else "–"
        return f"{self.beginning()} {written(measured)} | {apart} |"

    def beginning(self) -> str:
        """The line up to what was measured, which needs no torch."""
        return f"| {self.what} | `{self.reference}` | {self.unit} | {written(self.formula)} |"


def written(value: float) -> str:
    """A number as the table prints it.

    >>> written(20400.0), written(0.00048828125), written(2.0**-25)
    ('20400', '0.000488281', '2.98023e-08')
    """
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"
