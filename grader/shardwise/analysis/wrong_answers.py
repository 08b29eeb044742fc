"""Wrong answers: recognised mistakes, and options by their texts, counted over all draws."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from shardwise.analysis.responses import ItemResponses, Response
from shardwise.kinds import kind_of
from shardwise.kinds.choice import ChoiceForm, ChoiceKey
from shardwise.kinds.labels import in_every_draw
from shardwise.kinds.match.model import MatchForm, MatchKey
from shardwise.question import Outcome

_NUMERALS = re.compile(r"\d[\d.,\u202f]*")
MOST_TEXTS = 8  # wrong answers to list for a kind without options
LONGEST_TEXT = 300  # characters of a listed answer


@dataclass(frozen=True)
class Tally:
    """A wrong answer in words, with the students who gave it."""

    text: str  # Markdown
    students: tuple[str, ...]


@dataclass(frozen=True)
class OptionTally:
    """An option of a choice, or a pair of a match, with how often it was offered, picked, and right."""

    text: str
    offered: int
    right: int  # draws in which it is right
    picked: tuple[str, ...]  # students who picked it
    picked_wrongly: tuple[str, ...]  # those in whose draw it is wrong


def recognised_mistakes(item: ItemResponses) -> list[Tally]:
    """Return the recognised mistakes, the most frequent first, each in the words of one draw."""
    texts: dict[str, str] = {}
    students: dict[str, list[str]] = defaultdict(list)
    for response in item.responses:
        index = response.feedback.mistake
        known = kind_of(response.question).mistakes(response.question) if index is not None else []
        if index is not None and index < len(known):
            same = same_in_every_draw(known[index])
            texts.setdefault(same, known[index])
            students[same].append(response.student)
    return _most_frequent_first(Tally(texts[same], tuple(who)) for same, who in students.items())


def _most_frequent_first(tallies: Iterable[Tally]) -> list[Tally]:
    return sorted(tallies, key=lambda tally: -len(tally.students))


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
    """Yield each option, whether it is right, and whether it was picked; nothing if the answer could not be read."""
    form, key, value = response.question.form, response.question.key, response.value
    if isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey) and value is not None:
        for label, text in in_every_draw(form.options).items():
            yield text, label in key.correct, label in value
    if isinstance(form, MatchForm) and isinstance(key, MatchKey) and isinstance(value, Mapping):
        items, options = in_every_draw(form.items), in_every_draw(form.options)
        for number, item in items.items():
            for letter, option in options.items():
                yield f"{item} → {option}", key.pairs.get(number) == letter, value.get(number) == letter


def other_texts(item: ItemResponses) -> list[Tally]:
    """Return the most frequent unrecognised wrong answers of a kind whose answers are text, such as a formula; none for others."""
    if item.kind not in ("formula", "bugline", "order"):
        return []
    students: dict[str, list[str]] = defaultdict(list)
    for response in item.responses:
        said = response.feedback
        if said.outcome in (Outcome.INCORRECT, Outcome.PARTIAL) and said.mistake is None and said.read:
            students[_in_words(response)[:LONGEST_TEXT]].append(response.student)
    return _most_frequent_first(Tally(text, tuple(who)) for text, who in students.items() if len(who) > 1)[:MOST_TEXTS]


def _in_words(response: Response) -> str:
    """Return an answer as text. An order consists of the texts of its items, because every draw shuffles their letters."""
    items = getattr(response.question.form, "items", None)
    if not items or not isinstance(response.value, list | tuple):
        return response.feedback.read
    texts = in_every_draw(items)
    return " → ".join(texts.get(label, str(label)) for label in response.value)
