"""Whether a drawn question is legible: its texts become HTML with nothing left over, and it is the same when it is read back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shardwise.bank.lint.wording import texts_of
from shardwise.kinds import kind_of
from shardwise.markdown.html import to_html
from shardwise.question import Question

_SET_APART = re.compile(r"<(code|math|pre)\b.*?</\1>", re.DOTALL)


def legibility_faults(question: Question) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the texts of a question as they are shown, each after the key of the template it belongs to."""
    for name, text in texts_of(question):
        outside = _SET_APART.sub("", to_html(text))
        for sign in ("$", "\\"):
            if sign in outside:
                yield name, f"a text shows {sign} that is part of no formula: {_around(outside, sign)!r}"
        if "{{" in text:
            yield name, f"a text shows an expression that was never filled in: {_around(text, '{{')!r}"


def keeping_faults(question: Question) -> Iterator[str]:
    """Yield what a question loses when a lock file keeps it."""
    kind = kind_of(question)
    for name, model, part in (("form", kind.Form, question.form), ("key", kind.Key, question.key)):
        kept = part.model_dump_json()
        if model.model_validate_json(kept).model_dump_json() != kept:
            yield f"its {name} is another one after it was kept in a lock file"


def _around(text: str, sign: str) -> str:
    place = text.index(sign)
    return text[max(0, place - 20) : place + 30].strip()
