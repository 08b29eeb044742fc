"""The stand-in for shardwise inside the sandbox: it grades nothing and never raises.

A student's notebook calls `check("x")`, `hint("x").show()` and the like between its answers. During grading, those lines
have to run without doing anything, so every attribute of this module, and every result of calling one, is the same inert
object. See imports.py for how it is imported.
"""

from __future__ import annotations

from collections.abc import Iterator

NAMES = (
    "another",
    "check",
    "check_all",
    "hint",
    "practice",
    "solution",
)  # the names that `from shardwise import *` imports


class Inert:
    """An inert object: callable, with any attribute, and always empty."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Inert:
        if name.startswith(("__", "_repr_", "_ipython_")):
            raise AttributeError(name)
        return self

    def __call__(self, *_arguments: object, **_keywords: object) -> Inert:
        return self

    def score(self, *_arguments: object, **_keywords: object) -> float:
        """Return the score that a notebook may ask for; nothing is marked here."""
        return 0.0

    def __repr__(self) -> str:
        return "(not shown while grading)"

    def __bool__(self) -> bool:
        return False

    def __float__(self) -> float:
        return 0.0

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[object]:
        return iter(())

    def __getitem__(self, _key: object) -> Inert:
        return self

    def __enter__(self) -> Inert:
        return self

    def __exit__(self, *_arguments: object) -> None:
        return None


INERT = Inert()


def attribute(name: str) -> Inert:
    """Serve as the stand-in module's `__getattr__`: every name exists except those that Python itself looks for."""
    if name.startswith("__"):
        raise AttributeError(name)
    return INERT
