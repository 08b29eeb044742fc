"""Wrong answers: recognised mistakes, and options by their texts, counted over all draws."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from shardwise.analysis.responses import ItemResponses, Response
from shardwise.errors import Unreadable
from shardwise.kinds import kind_of
from shardwise.kinds.choice import ChoiceForm, ChoiceKey
from shardwise.kinds.labels import in_every_draw
from shardwise.kinds.match.model import MatchForm, MatchKey

_NUMERALS = re.compile(r"\d[\d.,\u202f]*")
MOST_TEXTS = 8  # wrong answers of a kind without options that are listed
LONGEST_TEXT = 300  # characters of an answer that is listed


@dataclass(frozen=True)
class Tally:
    """A wrong answer in words, with the students who gave it."""

    text: str  # Markdown
    students: tuple[str, ...]

    @property
    def count(self) -> int:
        """How many students gave it."""
        return len(self.students)


@dataclass(frozen=True)
class OptionTally:
    """An option of a choice, or a pair of a match, with how often it was offered, picked, and right."""

    text: str
    offered: int
    right: int  # draws in which it is right
    picked: tuple[str, ...]  # students who picked it
    picked_wrongly: tuple[str, ...]  # those in whose draw it is wrong


def recognised_mistakes(item: ItemResponses) -> list[Tally]:
    """Return the recognised mistakes by how many students made them, in the words of one draw."""
    texts: dict[str, str] = {}
    students: dict[str, list[str]] = defaultdict(list)
    for response in item.responses:
        index = response.feedback.mistake
        known = kind_of(response.question).mistakes(response.question) if index is not None else []
        if index is not None and index < len(known):
            same = same_in_every_draw(known[index])
            texts.setdefault(same, known[index])
            students[same].append(response.student)
    found = [Tally(texts[same], tuple(who)) for same, who in students.items()]
    return sorted(found, key=lambda tally: -tally.count)


def same_in_every_draw(text: str) -> str:
    """Return a text without its numbers, which differ between draws.

    >>> same_in_every_draw("Count all 1,024 nodes.")
    'Count all N nodes.'
    """
    return _NUMERALS.sub("N", text)


def option_tallies(item: ItemResponses) -> list[OptionTally]:
    """Return the options of a choice, or the wrong pairs of a match, the most picked first; none for another kind."""
    offered, right = Counter[str](), Counter[str]()
    picked, wrongly = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for response in item.responses:
        for text, is_right, is_picked in _options(response):
            offered[text] += 1
            right[text] += is_right
            if is_picked:
                picked[text].append(response.student)
                if not is_right:
                    wrongly[text].append(response.student)
    is_match = any(isinstance(response.question.form, MatchForm) for response in item.responses)
    found = [
        OptionTally(text, offered[text], right[text], tuple(picked[text]), tuple(wrongly[text]))
        for text in offered
        if wrongly[text] or not is_match
    ]
    return sorted(found, key=lambda tally: (-len(tally.picked), tally.text))


def _options(response: Response) -> Iterator[tuple[str, bool, bool]]:
    """Yield what could be picked, whether it is right, and whether it was picked; nothing for an unread answer."""
    form, key, value = response.question.form, response.question.key, _value(response)
    if value is None:
        return
    if isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey):
        for label, text in in_every_draw(form.options).items():
            yield text, label in key.correct, label in value
    if isinstance(form, MatchForm) and isinstance(key, MatchKey) and isinstance(value, Mapping):
        items, options = in_every_draw(form.items), in_every_draw(form.options)
        for number, item in items.items():
            for letter, option in options.items():
                yield f"{item} → {option}", key.pairs.get(number) == letter, value.get(number) == letter


def _value(response: Response) -> Any:
    try:
        read = response.feedback.read
        return kind_of(response.question).parse(response.question.form, read) if read else None
    except Unreadable:
        return None


def other_texts(item: ItemResponses) -> list[Tally]:
    """Return the most frequent wrong answers to a kind whose answers are texts, such as a formula, without recognised mistakes."""
    if item.kind not in ("formula", "bugline", "order"):
        return []
    students: dict[str, list[str]] = defaultdict(list)
    for response in item.wrong:
        if response.feedback.mistake is None and response.feedback.read:
            students[_in_words(response)[:LONGEST_TEXT]].append(response.student)
    found = [Tally(text, tuple(who)) for text, who in students.items() if len(who) > 1]
    return sorted(found, key=lambda tally: -tally.count)[:MOST_TEXTS]


def _in_words(response: Response) -> str:
    """Return an answer; an order of letters, which are shuffled in each draw, as the texts of its items."""
    items = getattr(response.question.form, "items", None)
    if not items or not isinstance(value := _value(response), list | tuple):
        return response.feedback.read
    texts = in_every_draw(items)
    return " → ".join(texts.get(label, str(label)) for label in value)
