"""Faults in the texts of a drawn question: raw values, wrong counts, positions in a shuffled list."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shardwise.kinds import kind_of, text_of
from shardwise.question import Question

_WORDS = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, 3)}  # without "two", which counts too many other things
_WORD = rf"(?P<word>{'|'.join(_WORDS)})"
_COUNTED = (  # a number word here counts the options or items
    re.compile(rf"(?:^|[.!?:]\s+|\n\n)\**{_WORD}\**\s+(?!of\b)[a-z]", re.IGNORECASE),
    re.compile(rf"\b(?:these|the following|a team of|each of the|of the)\s+\**{_WORD}\b", re.IGNORECASE),
)
_PLACED = re.compile(
    r"\b(?:the|which)\s+\**(first|second|third|last)\**\s+(?:\w+\s+)?(?:of|among)\s+(?:these|them|the following)\b"
)
_RAW = re.compile(r"\b(?:nan|inf|None|Undefined)\b")
_LISTED = re.compile(r"(?<=[^\n])\n1[.)] (?!(?:.|\n)*\n2[.)] )")  # in the middle of a paragraph, only a 1 begins a list


def wording_faults(question: Question, written: str) -> Iterator[tuple[str, str]]:
    """Yield faults in the texts of a question, as pairs of the template's key and a message.

    `written` is the template: words in it are not raw values.
    """
    known = set(re.findall(r"\w+", written))
    for name, text in texts_of(question):
        if raw := set(_RAW.findall(text)) - known:
            yield name, f"a text shows the raw value {' and '.join(sorted(raw))}: {text[:60]!r}"
        if begun := _LISTED.search(text):
            yield name, f"a line begins with 1, which Markdown reads as a list: {_around(text, begun)!r}"
    shown = counts(question)
    if not shown:
        return
    for pattern in _COUNTED:
        for found in pattern.finditer(question.prompt):
            number = _NUMBERS[found["word"].lower()]
            if number not in shown:
                yield (
                    "prompt",
                    (
                        f"the prompt says {found['word'].lower()!r}, but the question shows {' and '.join(map(str, sorted(shown)))}: "
                        f"{_around(question.prompt, found)!r}"
                    ),
                )
    for found in _PLACED.finditer(question.prompt):
        yield (
            "prompt",
            (
                f"the prompt asks for the {found[1]} of items that every student sees in another order: "
                f"{_around(question.prompt, found)!r}"
            ),
        )


def texts_of(question: Question) -> Iterator[tuple[str, str]]:
    """Yield every text that a student reads, as pairs of the template's key and the text."""
    yield "prompt", text_of(question)
    yield "solution", question.solution
    yield "takeaway", question.takeaway
    yield from (("hints", hint) for hint in question.hints)


def counts(question: Question) -> set[int]:
    """Return the numbers of options and items that a question shows."""
    fields = kind_of(question).view(question.form)["fields"]
    return {len(field[name]) for field in fields for name in ("options", "items") if name in field}


def _around(text: str, found: re.Match[str]) -> str:
    return text[max(0, found.start() - 20) : found.end() + 30].strip()
