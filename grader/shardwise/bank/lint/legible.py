"""Legibility of a drawn question: its texts render as HTML without remnants, and a lock file restores it unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shardwise.bank.lint.wording import texts_of
from shardwise.kinds import kind_of
from shardwise.markdown.html import to_html
from shardwise.question import Question

_SET_APART = re.compile(r"<(code|math|pre)\b.*?</\1>", re.DOTALL)


def legibility_faults(question: Question) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the rendered texts of a question, as pairs of the template's key and a message."""
    for name, text in texts_of(question):
        outside = _SET_APART.sub("", to_html(text))
        for sign in ("$", "\\"):
            if sign in outside:
                yield name, f"a text shows a {sign} that does not belong to a formula: {_around(outside, sign)!r}"
        if "{{" in text:
            yield name, f"a text shows an expression that was not filled in: {_around(text, '{{')!r}"


def keeping_faults(question: Question) -> Iterator[str]:
    """Yield the fields of a question that change when a lock file saves it."""
    kind = kind_of(question)
    for name, model, part in (("form", kind.Form, question.form), ("key", kind.Key, question.key)):
        kept = part.model_dump_json()
        if model.model_validate_json(kept).model_dump_json() != kept:
            yield f"its {name} changes when it is saved in a lock file"


def _around(text: str, sign: str) -> str:
    place = text.index(sign)
    return text[max(0, place - 20) : place + 30].strip()
