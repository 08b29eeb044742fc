"""Formulas next to measurements of PyTorch, which runs in several processes of this machine."""

from __future__ import annotations

from . import collectives, data_parallel, model_parallel, numbers, rates, shapes

CASES = [*collectives.CASES, *data_parallel.CASES, *model_parallel.CASES, *shapes.CASES, *numbers.CASES, *rates.CASES]
