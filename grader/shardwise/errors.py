"""The errors that shardwise raises on purpose, each addressed to the person who can act on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


class ShardwiseError(Exception):
    """An error with a message for users; the command line prints it without a traceback."""


class Unreadable(ShardwiseError):
    """A student's answer cannot be read. It is not wrong."""

    def __init__(
        self, why: str, *, shows_example: bool = False, parts: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(why)
        self.shows_example = shows_example  # whether `why` already shows what an answer looks like
        self.parts = parts  # the parts of an answer that cannot be read, with the reasons


class Reject(Exception):
    """A template cannot use a draw, so another one is made."""


# What the code of a bank may raise at any time. KeyboardInterrupt is excluded, because it may come from the user.
AUTHORS_CAN_RAISE = (Exception, SystemExit, GeneratorExit)


def said_by(error: BaseException) -> str:
    """Return the type and message of an author's or a library's exception, whose message may itself raise an error."""
    try:
        words = str(error)
    except AUTHORS_CAN_RAISE:
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


@dataclass(frozen=True, order=True)
class Fault:
    """A fault in an author's file: its place, what is wrong, and what to do.

    Its text is safe for a terminal: control characters, which a file may contain, are shown as escapes.
    """

    place: str  # file, file:line or file:line:col
    message: str
    remedy: str = ""
    excerpt: str = ""  # the line itself with a caret, if there is one

    def __str__(self) -> str:
        parts = [f"{self.place}: {self.message}"]
        parts += [self.excerpt] if self.excerpt else []
        parts += [f"     {self.remedy}"] if self.remedy else []
        text = "\n".join(parts)
        if text.replace("\n", "").isprintable():
            return text
        return "".join(each if each in "\n\u00a0" or each.isprintable() else ascii(each)[1:-1] for each in text)


class Faulty(ShardwiseError):
    """One or more files have faults; the error contains all of them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[Faulty], tuple[tuple[Fault, ...]]]:
        """Pickle the error with its faults instead of their text, for other processes."""
        return Faulty, (self.faults,)
