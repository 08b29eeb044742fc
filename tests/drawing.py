"""How much is drawn of what has no end: in the quick run, in the long one, and with EFFORT=5 five times as much as in that."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

EFFORT = float(os.environ.get("EFFORT", "1"))


def tries(count: int) -> int:
    """How often the long run tries what it usually tries so often."""
    return max(1, round(EFFORT * count))


def every_sixth_at_once(items: Sequence[object]) -> list[ParameterSet]:
    """Values of a parameter of which every sixth is tried at once, and the others in the long run."""
    return [pytest.param(item, marks=[pytest.mark.slow] if place % 6 else []) for place, item in enumerate(items)]


def a_quarter_at_once(examples: int) -> int:
    """How many examples a property draws that says itself how many, which the profile of a run does not bind; or how many seeds are tried."""
    return examples // 4 if settings.get_current_profile_name() == "quick" else tries(examples)
