"""A case: a reference, and the measurement that it is compared with."""

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
    measured: Callable[[], float]  # needs PyTorch

    @property
    def formula(self) -> float:
        """Return the value of the reference."""
        name, _, index = self.reference.partition("[")
        module, _, function = name.rpartition(".")
        value = getattr(importlib.import_module(f"solutions.{module}"), function)(**self.arguments)
        return float(value[int(index[:-1])] if index else value)

    def row(self, measured: float) -> str:
        """Return the line of the table, with both numbers and their relative difference."""
        formula = self.formula
        difference = (
            "none" if math.isclose(measured, formula) else f"{abs(measured / formula - 1):.2%}" if formula else "–"
        )
        return f"{self.beginning()} {written(measured)} | {difference} |"

    def beginning(self) -> str:
        """Return the line up to the measured value. It needs no PyTorch."""
        return f"| {self.what} | `{self.reference}` | {self.unit} | {written(self.formula)} |"


def written(value: float) -> str:
    """Return a number as the table prints it.

    >>> written(20400.0), written(0.00048828125), written(2.0**-25)
    ('20400', '0.000488281', '2.98023e-08')
    """
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"
