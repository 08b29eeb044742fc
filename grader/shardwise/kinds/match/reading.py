"""Reading the letter that a student gave to each number: from a dictionary, pairs, a sequence of letters, or text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.blanks import is_blank
from shardwise.kinds.labels import LONGEST, one_letter
from shardwise.kinds.match.model import MatchForm

_JOINT = r"\s*(?:[-–—→⇒=:.,>&/]*|is|matches|(?:goes )?with|belongs to|to)\s*"
_PAIR = re.compile(rf"(\d+){_JOINT}([A-Za-z])(?![A-Za-z])")
_LINE = re.compile(r"^[ \t]*(?:[-*•][ \t]+)?\(?(\d+)[ \t]*(?:[-–—→⇒=:.)>]+[ \t]*)+(\S[^\n]*)$", re.M)  # 1: b) 24 GB
_ITEM = re.compile(r"\b(?:items?|numbers?|no\.|nr\.?|row)\s*(?=\d)", re.IGNORECASE)  # item 1: a
_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-{2,}[-|: \t]*$", re.M)  # the rule below the header of a Markdown table
_REVERSED = re.compile(rf"(?<![A-Za-z\d])([A-Za-z]){_JOINT}(\d+)(?!\d)")


def letters_of(form: MatchForm, raw: Any) -> dict[str, str]:
    """Return the letter of each number; empty if there is none at all. Raises Unreadable, also if some are missing."""
    numbers = [item.label for item in form.items]
    if isinstance(raw, str):
        given = _pairs(form, raw)
    elif isinstance(raw, Mapping):
        given = _named(form, list(raw.items()))
    elif _are_pairs(raw):
        given = _named(form, raw)
    elif isinstance(raw, list | tuple) and raw and all(isinstance(p, str) and _PAIR.fullmatch(p) for p in raw):
        given = _pairs(form, ", ".join(raw))
    elif isinstance(raw, list | tuple) and len(raw) == len(numbers):
        given = dict(zip(numbers, raw, strict=True))
    else:
        raise Unreadable(
            f"I expected a letter for each of {', '.join(numbers)}. An answer looks like “{example(form)}”.",
            shows_example=True,
        )
    strangers = [number for number in given if number not in numbers]
    if strangers:
        raise Unreadable(f"I saw “{strangers[0][:20]}” where one of the numbers {', '.join(numbers)} belongs.")
    found = {name: _letter(form, name, given[name]) for name in numbers if not is_blank(given.get(name))}
    missing = [name for name in numbers if name not in found]
    if found and missing:
        are = "has" if len(missing) == 1 else "have"
        raise Unreadable(f"{', '.join(missing)} {are} no letter yet: every item needs one.")
    return found


def example(form: MatchForm) -> str:
    """Return what an answer looks like, without regard to the key."""
    letters = [option.label for option in form.options]
    return ", ".join(f"{item.label} {letters[place % len(letters)]}" for place, item in enumerate(form.items))


def _named(form: MatchForm, pairs: Sequence[tuple[Any, Any]]) -> dict[str, Any]:
    """Return pairs of a number and a letter, in either order, by the number."""
    letters, numbers = ([line.label for line in lines] for lines in (form.options, form.items))
    named = [(str(name).strip().strip("()."), text) for name, text in pairs]
    if named and all(name.lower() in letters and str(text).strip() in numbers for name, text in named):
        named = [(str(number).strip(), letter) for letter, number in named]
    number, times = Counter(name for name, _ in named).most_common(1)[0] if named else ("", 0)
    if times > 1:
        raise Unreadable(f"{number[:20]} appears twice. An answer looks like “{example(form)}”.", shows_example=True)
    return dict(named)


def _pairs(form: MatchForm, text: str) -> dict[str, Any]:
    """Parse pairs written as text, such as "1b 2a", "1 - b, 2 - a", "b1 a2", {"1": "b"}, or the letters alone in the order of the items."""
    if len(text) > LONGEST:
        raise Unreadable(
            f"I couldn't read an answer of {len(text):,} characters. An answer looks like “{example(form)}”.",
            shows_example=True,
        )
    text = _without_table(_ITEM.sub("", text))
    bare = re.sub(
        r"[][{}()\"'“”*`]|\band\b|^\s*[-•]\s|\A\s*(?:the |my )?answers?\b(?: is| are)?:?",
        " ",
        text,
        flags=re.M | re.I,
    )
    for pattern in (_PAIR, _REVERSED):
        found = pattern.findall(bare)
        if found and not re.sub(r"[\s,;.|]", "", pattern.sub("", bare)):
            return _named(form, found)
    lines = _LINE.findall(text)
    if lines and all(_LINE.fullmatch(line) for line in text.splitlines() if line.strip()):
        return _named(form, lines)
    letters = re.findall(r"[A-Za-z]", bare)
    if len(letters) == len(form.items) and not re.sub(r"[A-Za-z\s,;/|.-]", "", bare):
        return dict(zip((item.label for item in form.items), letters, strict=True))
    raise Unreadable(
        f"I couldn't read “{text.strip()[:60]}” as pairs. An answer looks like “{example(form)}”.",
        shows_example=True,
    )


def _without_table(text: str) -> str:
    """Return the text with the rows of a Markdown table as lines, without the header."""
    if rule := _RULE.search(text):
        text = text[rule.end() :]
    return re.sub(r"[ \t]*\|[ \t]*", " ", text) if re.search(r"^[ \t]*\|.*\|[ \t]*$", text, re.M) else text


def _letter(form: MatchForm, number: str, raw: Any) -> str:
    known = [option.label for option in form.options]
    text = one_letter(raw, form.options) if isinstance(raw, str) else ""
    if text not in known:
        seen = f"“{raw[:20]}”" if isinstance(raw, str) else f"something of type {type(raw).__name__}"
        raise Unreadable(f"{number}: I saw {seen} where one of the letters {', '.join(known)} belongs.")
    return text


def _are_pairs(raw: Any) -> bool:
    """Return whether an answer is a list such as [(1, "b"), (2, "a")]."""
    return isinstance(raw, list | tuple) and bool(raw) and all(isinstance(p, list | tuple) and len(p) == 2 for p in raw)
