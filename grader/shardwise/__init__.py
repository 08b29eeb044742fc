"""shardwise: practice problems for people who train large models on many GPUs.

In a notebook: `from shardwise import check, hint, solution, another, practice`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from shardwise.practice.api import another, check, handed_out, hint, practice, solution

__all__ = ["another", "check", "handed_out", "hint", "practice", "solution"]

# In a checkout `problems/` and `solutions/` lie at the root; in a wheel they lie inside this package.
# Extending the package's path lets `shardwise.solutions` mean the same in both.
_ROOT = Path(__file__).resolve().parents[2]
if not (Path(__file__).parent / "solutions").is_dir() and (_ROOT / "solutions").is_dir():
    __path__.append(str(_ROOT))


def __getattr__(name: str) -> Any:
    """The student's verbs, loaded when they are first used, so that importing shardwise costs nothing."""
    if name in __all__:
        from shardwise.practice import api as desk

        return getattr(desk, name)
    raise AttributeError(f"module 'shardwise' has no attribute {name!r}")
