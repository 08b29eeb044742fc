"""Errors that shardwise raises on purpose, each one addressed to the person who can act on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


class ShardwiseError(Exception):
    """Anything we say on purpose; the command line prints it without a traceback."""


class Unreadable(ShardwiseError):
    """A student's answer that cannot be read. It is not wrong."""

    def __init__(
        self, why: str, *, shows_example: bool = False, parts: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(why)
        self.shows_example = shows_example  # whether `why` says already what an answer looks like
        self.parts = parts  # of an answer in parts, those that cannot be read, and why


class Reject(Exception):
    """A draw that a template cannot use; the dice are thrown again."""


# What the code of a bank may raise at any time. A KeyboardInterrupt is not among them: it may be the user's own.
AUTHORS_CAN_RAISE = (Exception, SystemExit, GeneratorExit)


def said_by(error: BaseException) -> str:
    """What an author's or a library's exception says, after its type; its own words may raise in their turn."""
    try:
        words = str(error)
    except AUTHORS_CAN_RAISE:
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


@dataclass(frozen=True, order=True)
class Fault:
    """One thing wrong in a file an author wrote: where it stands, what was seen, and what to do.

    As text it commands no terminal: control characters, which a file may have anywhere, are shown by their numbers.
    """

    place: str  # file, file:line or file:line:col
    message: str
    remedy: str = ""
    excerpt: str = ""  # the line itself with a caret, when there is one

    def __str__(self) -> str:
        parts = [f"{self.place}: {self.message}"]
        parts += [self.excerpt] if self.excerpt else []
        parts += [f"     {self.remedy}"] if self.remedy else []
        text = "\n".join(parts)
        if text.replace("\n", "").isprintable():
            return text
        return "".join(each if each in "\n\u00a0" or each.isprintable() else ascii(each)[1:-1] for each in text)


class Faulty(ShardwiseError):
    """A file, or several, with every fault that was found in them."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[Faulty], tuple[tuple[Fault, ...]]]:
        """How it comes out of another process: with its faults, and not with their text in their place."""
        return Faulty, (self.faults,)
