"""Labelled lists: options and items that a student names by letter."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from typing import Any

from shardwise.errors import Unreadable
from shardwise.markdown.html import inline
from shardwise.question import Form

LETTERS = string.ascii_lowercase


class Labelled(Form):
    """One line of a list, with the letter it is known by."""

    label: str
    text: str


def as_view(lines: Sequence[Labelled]) -> list[dict[str, str]]:
    """The lines for a front end: their texts as HTML."""
    return [{"label": line.label, "html": inline(line.text)} for line in lines]


def label(texts: Sequence[str]) -> tuple[Labelled, ...]:
    """The texts, labelled a, b, c ..."""
    return tuple(Labelled(label=letter, text=text) for letter, text in zip(LETTERS, texts, strict=False))


def listed(lines: Sequence[Labelled]) -> str:
    """The list as Markdown."""
    return "\n".join(f"- **{line.label})** {line.text}" for line in lines)


def letters(raw: Any, known: Sequence[Labelled], example: str) -> list[str]:
    """The letters of an answer such as "b", "a, c", "BDAC" or ["a", "c"], in the order given.

    Raises Unreadable for anything else, and for a letter that labels nothing or comes twice.
    """
    if isinstance(raw, str):
        if len(raw) > 200:
            raise Unreadable(f"I couldn't read an answer of {len(raw):,} characters. Letters are enough: {example}")
        words = re.split(r"[\s,;>→-]+|\band\b", raw.strip().lower())
        words = [word.strip("()[].'\"") for word in words if word.strip("()[].'\"")]
        if len(words) == 1 and len(words[0]) > 1:
            words = list(words[0])
    elif (
        isinstance(raw, list | tuple | set | frozenset)
        and all(isinstance(word, str) for word in raw)
        and len(raw) <= 50
    ):
        given = sorted(raw) if isinstance(raw, set | frozenset) else raw
        words = [word.strip().lower().strip("().") for word in given]
    else:
        raise Unreadable(
            f"I expected letters, and this is of type {type(raw).__name__}. An answer looks like {example}",
            shows_example=True,
        )
    names = [line.label for line in known]
    strangers = [word[:20] for word in words if word not in names]
    if strangers or not words:
        seen = f"“{strangers[0]}”" if strangers else "no letter"
        raise Unreadable(
            f"I saw {seen} where one of the letters {', '.join(names)} belongs. An answer looks like {example}",
            shows_example=True,
        )
    twice = sorted({word for word in words if words.count(word) > 1})
    if twice:
        raise Unreadable(f"“{twice[0]}” comes twice. An answer looks like {example}", shows_example=True)
    return words
