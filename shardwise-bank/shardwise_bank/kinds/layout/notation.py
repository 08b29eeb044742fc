"""The notation of layouts: names of axes, numbers and words in a text, with any separators."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from shardwise.units import THIN_SPACE
from shardwise_bank.kinds.layout.model import Option, ShownAxis
from shardwise_bank.kinds.layout.vocabulary import FLAGS, NOISE, spellings, values

Axes = tuple[ShownAxis, ...]
GPUS = "gpus"  # the size of the cluster, which students often repeat
_GPU_NAMES = ("gpus", "gpu", "world size", "num gpus", "n gpus", "total gpus", "ranks", "devices")
_JOINT = r"[\s_.\-]*"
_NUMBER = re.compile(rf"\d{{1,3}}(?:[{THIN_SPACE}\u00a0\u2009]\d{{3}})+(?!\d)|\d+(?:\.\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])")  # one number with thousands separators, if a name precedes it
_MINUS = re.compile(r"(?<=[=:])\s*[-−]\s*(?=\d)")
_BELOW_ZERO = "\ue002"  # replaces such a minus, since any other dash is a separator
_BETWEEN = re.compile(r"(?:[\s,;|/×·∗*+&(){}\[\]\"'“”‘’`$<>\\=:_.→–—−-]|\bx\b|(?<=\d)\s*x(?=\s*\d)|\^|%)+")
_REMARK = re.compile(r"(?:^|\s)(?:#|//)[^\n]*")
_STRANGE = re.compile(r"[^\s,;=:]+")
_WAYS = re.compile(r"[\s-]*ways?\b")


@dataclass(frozen=True)
class Token:
    """The name of an axis, a number, a word that may be a value, or a flag that sets an axis by its presence."""

    text: str
    axes: tuple[str, ...] = ()
    number: int | float | None = None
    word: str = ""
    sets: tuple[str, Option] | None = None

    def option(self, axis: ShownAxis) -> Option | None:
        """Return the option of an axis that the word means."""
        return (
            next((option for word, option in values(axis) if squashed(word) == squashed(self.word)), None)
            if self.word
            else None
        )


@dataclass(frozen=True)
class NamedValue:
    """The tokens of a text, and the parts that could not be read."""

    tokens: tuple[Token, ...]
    unread: tuple[str, ...]

    @property
    def has_name(self) -> bool:
        """Whether any token is a name."""
        return any(token.axes or token.sets for token in self.tokens)


def squashed(text: str) -> str:
    """Return a word in lower case without spaces, dots, dashes and underscores."""
    return re.sub(r"[\s_.\-]", "", text.lower())


@lru_cache(maxsize=1024)
def layout_tokens(axes: Axes, text: str) -> NamedValue:
    """Return the tokens of a text."""
    words = _words(axes)
    tokens: list[Token] = []
    unread: list[str] = []
    lowered = _MINUS.sub(_BELOW_ZERO, _REMARK.sub(" ", text.lower()))
    place = 0
    while place < len(lowered):
        if lowered[place] == _BELOW_ZERO and (number := _NUMBER.match(lowered, place + 1)):
            tokens.append(Token(text=f"-{number[0]}", number=-_number(number[0])))
            place = number.end()
        elif between := _BETWEEN.match(lowered, place):
            place = between.end()
        elif found := words.pattern.match(lowered, place):
            token = words.tokens[squashed(found[0])]
            tokens += [token] if token is not None else []
            place = found.end()
        elif number := _number_at(lowered, place, after_name=bool(tokens) and bool(tokens[-1].axes)):
            tokens.append(Token(text=number[0], number=_number(number[0])))
            ways = _WAYS.match(lowered, number.end())
            place = ways.end() if ways else number.end()
        else:
            end = _STRANGE.match(lowered, place)
            unread.append((end[0] if end else lowered[place])[:30])
            place = end.end() if end else place + 1
    return NamedValue(tuple(tokens), tuple(unread))


def _number_at(text: str, place: int, *, after_name: bool) -> re.Match[str] | None:
    """Match the number at a place. A comma separates thousands after a name or before “GPUs”; elsewhere it separates values."""
    grouped = _GROUPED.match(text, place)
    if grouped and (after_name or re.match(r"\s*(?:gpus?|ranks|devices)\b", text[grouped.end() : grouped.end() + 20])):
        return grouped
    return _NUMBER.match(text, place)


def _number(text: str) -> int | float:
    number = float(re.sub(r"[^\d.]", "", text))
    return int(number) if number % 1 == 0 else number


@dataclass(frozen=True)
class _Words:
    pattern: re.Pattern[str]
    tokens: dict[str, Token | None]  # by the squashed word; None for words without meaning


@lru_cache(maxsize=64)
def _words(shown: Axes) -> _Words:
    """Collect every known word: those of the axes and of their options, and those without meaning."""
    known: dict[str, Token | None] = {}
    phrases: list[str] = []

    def add(phrase: str, token: Token | None) -> None:
        if squashed(phrase) not in known:
            known[squashed(phrase)] = token
            phrases.append(phrase)

    axes = {axis.name: axis for axis in shown}
    for axis in shown:
        add(axis.name.replace("_", " "), Token(text=axis.name, axes=(axis.name,)))
    for phrase, (name, value) in FLAGS.items():
        if name in axes and value in axes[name].options:
            add(phrase, Token(text=phrase, sets=(name, value)))
    for axis in shown:
        for word, _ in values(axis):
            add(word, Token(text=word, word=word))
    for axis in shown:
        for phrase in spellings(axis):
            add(phrase, Token(text=axis.name, axes=(axis.name,)))
    for phrase in _GPU_NAMES:
        add(phrase, Token(text=phrase, axes=(GPUS,)))
    for phrase in NOISE:
        add(phrase, None)
    parts = sorted(phrases, key=len, reverse=True)
    either = "|".join(map(_joined, parts))
    glued = "|".join(_joined(word) for axis in shown for word, _ in values(axis)) or "(?!)"
    return _Words(re.compile(rf"(?:{either})(?=[^a-z]|$|(?:{glued})(?![a-z]))"), known)


def _joined(phrase: str) -> str:
    """Return the pattern of a phrase, with any joining characters between its words."""
    return _JOINT.join(re.escape(word) for word in re.split(r"[\s_.\-]+", phrase))
