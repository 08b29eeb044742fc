"""How many examples a property draws that says itself how many: a number of its own is not bound by the profile of the run.

A test that goes through seeds by itself may go through a quarter of them, too.
"""

from __future__ import annotations

from hypothesis import settings


def a_quarter_at_once(examples: int) -> int:
    """All of these examples in the long run; a quarter of them in the quick one, as of all other properties."""
    return examples // 4 if settings.get_current_profile_name() == "quick" else examples
