"""The software of a plan: a row of the constants, the row that stands for a framework, or a span of rows if it is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..facts.tables import table
from .constants import chip, constants

KNOWLEDGE = ("row", "framework", "unknown")  # from the most precise to none
UNKNOWN = "unknown"  # as a name of software, like no name at all


@dataclass(frozen=True)
class Stack:
    """Software as a plan names it, and the rows of planner/constants.yaml that it is planned with.

    `knowledge` is one of KNOWLEDGE. Unknown software is at best as fast as `best`, and typically as slow as `typical`.
    """

    name: str
    knowledge: str
    planned: str
    best: str
    typical: str

    @property
    def words(self) -> str:
        """Return in one line which software was assumed; nothing for a row that was named."""
        if self.knowledge == "framework":
            return f"planned with {self.planned}, the current software of {self.name}"
        if self.knowledge == "unknown" and self.best != self.typical:
            return f"unknown software: ranges go from {self.best} to {self.typical}, and the figures are those of {self.planned}"
        return f"unknown software: planned as {self.planned}" if self.knowledge == "unknown" else ""


def stack(name: str, accelerator: str, *, sinks: bool = False) -> Stack:
    """Return the software that a name means on an accelerator: a row, a framework, or "unknown".

    Unknown software is taken as the best for attention with sinks, which only the latest kernels fuse.

    Raises:  ValueError for another name, or for an accelerator without constants.

    >>> stack("megatron-2021", "A100-80GB").planned, stack("NeMo", "H100-80GB").planned
    ('megatron-2021', 'nemo-2025')
    >>> unknown = stack("", "H100-80GB")
    >>> unknown.knowledge, unknown.best != unknown.planned != unknown.typical
    ('unknown', True)
    """
    if name in ("", UNKNOWN):
        span = _table()["unknown"][chip(accelerator)["generation"]]
        if sinks:
            span = dict.fromkeys(span, span["best"])
        return Stack(UNKNOWN, "unknown", **span)
    named = _table()["frameworks"].get(name)
    row = named["row"] if named else name
    if row not in constants()["software"]:
        raise ValueError(f"unknown software {name!r}; choose from {', '.join(dict.fromkeys(stacks().values()))}")
    return Stack(name, "framework" if named else "row", row, row, row)


def stacks() -> dict[str, str]:
    """Return accepted names of software and the canonical name of each: frameworks, rows, and "unknown".

    >>> stacks()["megatron"], stacks()["fsdp-eager"]
    ('Megatron-LM', 'fsdp-eager')
    """
    called = {word: name for name, facts in _table()["frameworks"].items() for word in (name, *facts["called"])}
    return {UNKNOWN: UNKNOWN} | called | {row: row for row in constants()["software"]}


def frameworks() -> tuple[str, ...]:
    """Return the frameworks that a plan can name.

    >>> "torchtitan" in frameworks()
    True
    """
    return tuple(_table()["frameworks"])


def _table() -> dict[str, Any]:
    return table("planner/frameworks.yaml")
