"""Faults of a planner's input, all collected before they are reported, and the wording of a command or a form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.units import read

MOST_NEAR = 4
LARGEST = 10**9  # of a count
FARTHEST = 1e30  # of any other number, in base units
SHOWN = 40  # characters of a value that a message repeats


@dataclass(frozen=True)
class Wording:
    """The name of a setting in messages: `--global-batch` on a command line, “global batch” in a form."""

    is_command: bool

    def name(self, setting: str) -> str:
        """Return the name of a setting."""
        return f"--{setting.replace('_', '-')}" if self.is_command else setting.replace("_", " ")

    def by(self, way: str) -> str:
        """Return how to give something on a command line; nothing in a form, where the field is visible."""
        return f" {way}" if self.is_command else ""


COMMAND, FORM = Wording(is_command=True), Wording(is_command=False)


@dataclass
class InputFaults:
    """Faults of an input, collected while it is parsed, in the wording of a command or a form."""

    wording: Wording
    messages: list[str] = field(default_factory=list)

    def add(self, words: str) -> None:
        """Add a fault."""
        self.messages.append(words)

    def named(self, text: str, what: str, known: Mapping[str, str]) -> str | None:
        """Return the known name that a text matches, ignoring case, dots and dashes; if none matches, add a fault."""
        names = {squashed_name(called): name for called, name in known.items()}
        if squashed_name(text) in names:
            return names[squashed_name(text)]
        near = get_close_matches(squashed_name(text)[:SHOWN], names, n=MOST_NEAR, cutoff=0.5)
        listed = list(dict.fromkeys(names[name] for name in near))
        every = dict.fromkeys(known.values())
        hint = f"Did you mean {' or '.join(listed)}?" if listed else f"Choose from {', '.join(every)}."
        self.add(f"Unknown {what} {text[:SHOWN]!r}. {hint}")
        return None

    def number(self, value: Any, what: str, unit: str, *, way: Any = "none") -> float | None:
        """Parse a positive number in that unit; add a fault for anything else."""
        try:
            is_plain = isinstance(value, int | float) and not isinstance(value, bool)
            number = float(value if is_plain else read(str(value), unit, way).value)
        except ShardwiseError as error:
            self.add(f"{what}: {error}")
            return None
        except OverflowError:
            number = math.inf
        if not 1 / FARTHEST <= number <= FARTHEST:
            self.add(f"{what} must be a positive number of a realistic size, not {excerpt(value)}.")
            return None
        return number

    def count(self, value: Any, what: str, *, largest: int = LARGEST) -> int | None:
        """Parse a whole number of at least 1; add a fault for anything else."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= largest or value % 1:
            is_large = isinstance(value, int | float) and value > largest
            most = f"at most {largest:,}" if is_large else "at least 1"
            self.add(f"{what} must be a whole number of {most}, not {excerpt(value)}.")
            return None
        return int(value)


def excerpt(value: Any) -> str:
    """Return a value as text for a message, shortened."""
    if isinstance(value, int) and abs(value) > 10**SHOWN:  # Python writes no number of more than 4,300 digits
        return "a number that is far too large" if value > 0 else "a number that is far too small"
    return f"{value!r:.{SHOWN}}"


def squashed_name(text: str) -> str:
    """Return a name in lower case without dots, dashes and spaces."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def report_unknown(given: Mapping[str, Any], known: Sequence[str], where: str, faults: InputFaults) -> None:
    """Add a fault for each unknown name."""
    for name in given:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Choose from {', '.join(known)}."
            faults.add(f"{where}: {str(name)[:40]!r} is unknown. {hint}")
