"""shardwise: auto-graded practice problems, for any field.

In a notebook: `from shardwise import check, hint, solution, another, practice, progress`.
"""

from __future__ import annotations

__version__ = "1.0.0"

TYPE_CHECKING = (
    False  # as in typing, but without importing it, because Ctrl-C is not handled until this module is loaded
)
if TYPE_CHECKING:
    from typing import Any

    from shardwise.student.api import (
        another,
        check,
        check_all,
        figure,
        handed_out,
        hint,
        practice,
        progress,
        solution,
        use_bank,
    )

__all__ = [
    "another",
    "check",
    "check_all",
    "figure",
    "handed_out",
    "hint",
    "practice",
    "progress",
    "solution",
    "use_bank",
]


def __getattr__(name: str) -> Any:
    """Load a student's function on first use, so that importing shardwise is fast."""
    if name in __all__:
        from shardwise.student import api

        return getattr(api, name)
    if not name.startswith("_"):
        from shardwise.plugins import VERBS, added, load_added

        if name in added(VERBS):
            return load_added(VERBS, name)
    raise AttributeError(f"module 'shardwise' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names for completion, including functions that are not loaded yet."""
    return sorted({*globals(), *__all__})
