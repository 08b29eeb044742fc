"""Formulas next to the thing itself: PyTorch runs on processes of this machine, and what it did is counted."""

from __future__ import annotations

from . import collectives, data_parallel, model_parallel, numbers, rates, shapes

CASES = [
    *collectives.CASES,
    *data_parallel.CASES,
    *model_parallel.CASES,
    *shapes.CASES,
    *numbers.CASES,
    *rates.CASES,
]
