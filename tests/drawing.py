"""What the quick run draws of much that is alike; the long run draws all of it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings


def every_sixth_at_once(items: Sequence[object]) -> list[ParameterSet]:
    """Values of a parameter of which every sixth is tried at once, and the others in the long run."""
    return [pytest.param(item, marks=[pytest.mark.slow] if place % 6 else []) for place, item in enumerate(items)]


def a_quarter_at_once(examples: int) -> int:
    """How many examples a property draws that says itself how many, which the profile of a run does not bind; or how many seeds are tried."""
    return examples // 4 if settings.get_current_profile_name() == "quick" else examples
