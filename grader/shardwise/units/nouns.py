"""Nouns: the words with which a question names what it counts, so that "24 micro-batches" is a number of steps.

An answer may use the noun that the question counts. Nouns that it only mentions may follow, as in "6 nodes per rack", but
not replace it: "6 cores" is not a number of nodes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import dropwhile, takewhile

from shardwise.errors import ShardwiseError
from shardwise.units.parsing import unit
from shardwise.units.table import COUNTED

_ALIKE = (  # synonyms
    ("token", "tok"),
    ("gpu", "accelerator", "card", "device", "chip"),
    ("node", "server", "machine", "host"),
    ("sequence", "sample", "example"),
    ("parameter", "param", "weight"),
)
SYNONYMS = {word: words for words in _ALIKE for word in words} | {  # other words for a count, whatever the prompt says
    "step": ("iteration", "update", "pass", "round", "microbatch"),
}
_NO_NOUNS = frozenset(  # a number of these is a different number, or they do not say what is counted
    ("thousand", "million", "billion", "trillion", "hundred", "dozen", "pair", "half", "third", "quarter", "tenth", "time", "score",
     "the", "and", "many", "with", "for", "its", "this", "thi", "doe", "has", "ha", "wa", "all", "are", "that", "percent", "cent", "mille")
)  # fmt: skip
_GLOBAL = frozenset(
    ("batch", "global", "data", "parallel", "gradient")
)  # "sequences per global batch" whatever the prompt says
_DENYING = frozenset(
    ("not", "no", "without", "minus", "plus", "or", "fewer", "less", "few", "below", "under", "over", "above", "than")
)
_CONNECTING = ("per", "of", "in", "on", "for", "each", "every", "the", "a", "an")
_NUMBER = re.compile(r"\d(?:[\d,.]*\d)?")  # without the full stop after it
_WORD = r"[A-Za-z]+(?:-[A-Za-z]+)*"
_ASKED = re.compile(  # "two clusters with the same number of GPUs" asks for nothing
    rf"\b(?:how many(?: of (?:the|its|all|these|those)(?: \d+)?)?|number of(?=[^.?!]*\?)) ((?:{_WORD} ){{0,3}}?{_WORD}s)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(rf"\b\d[\d,.]* ((?:{_WORD} )?{_WORD}s)\b")
_SHARED = re.compile(rf"\b(?:per|each|every) ({_WORD}(?: {_WORD})?)", re.IGNORECASE)


@lru_cache(maxsize=8192)
def normal(word: str) -> str:
    """Return a noun in normal form: singular, without capitals and hyphens.

    >>> normal("Micro-Batches"), normal("GPUs"), normal("passes")
    ('microbatch', 'gpu', 'pass')
    """
    plain = re.sub(r"[-_ ]", "", word).lower()
    if re.search(r"(?:ch|sh|ss|x)es$", plain):
        return plain[:-2]
    return plain if plain.endswith("ss") or len(plain) < 3 else plain.removesuffix("s")


def in_plural(word: str) -> str:
    """Return the plural of a noun; a noun that ends with s is one already.

    >>> in_plural("server"), in_plural("racks"), in_plural("copy")
    ('servers', 'racks', 'copies')
    """
    if word.endswith("s"):
        return word
    return f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


def nouns_asked_for(text: str) -> tuple[str, ...]:
    """Return the nouns for what a prompt asks to count, as written in it.

    >>> nouns_asked_for("A step feeds 128 **replicas** on 8 nodes. How many gradient micro-batches is that for each data loader?")
    ('micro-batches',)
    """
    named = [phrase.split()[-1] for phrase in _ASKED.findall(_plain(text))]
    return tuple(dict.fromkeys(word for word in named if _is_noun(normal(word))))


def nouns_in(text: str) -> tuple[str, ...]:
    """Return the nouns of a prompt in normal form: those that it asks to count, those after numbers, and those after "each".

    A unit that counts something, such as "node", is included only if the prompt asks for its number.

    >>> nouns_in("A step feeds 128 **replicas** on 8 nodes. How many micro-batches is that for each data loader?")
    ('data', 'loader', 'microbatch', 'replica')
    """
    plain = _plain(text)
    asked = _normal_words(_ASKED.findall(plain))
    others = _normal_words([*_COUNTED.findall(plain), *_SHARED.findall(plain)]) - _counts()
    return tuple(sorted(filter(_is_noun, asked | others)))


def _plain(text: str) -> str:
    """Return a prompt without line breaks and markup, and with 2 for each number, since a decimal point does not end a sentence."""
    return re.sub(r"[*`_]", "", re.sub(r"\s+", " ", _NUMBER.sub("2", text)))


def _normal_words(phrases: Sequence[str]) -> set[str]:
    return {normal(word) for phrase in phrases for word in phrase.split()}


def _is_noun(word: str) -> bool:
    return len(word) > 2 and word not in _NO_NOUNS and not _is_measured(word)


@lru_cache(maxsize=1)
def _counts() -> frozenset[str]:
    return frozenset(normal(name) for name in (*COUNTED, "seq", "param"))


@lru_cache(maxsize=4096)
def _is_measured(word: str) -> bool:
    """Return whether a word is a unit of measurement, such as a day: a number of days is not a plain count."""
    try:
        return "[" in unit(word).dimension and normal(word) not in _counts()
    except ShardwiseError:
        return False


def is_called(text: str, asked: str, nouns: Collection[str], others: Collection[str] = ()) -> bool:
    """Return whether a text names what is counted: a noun for what the question counts, with nouns that it mentions next to it.

    A question that asks how many parameters there are may ask for a plain number, so its own nouns have synonyms too.

    >>> is_called("warmup steps", "step", (), ("warmup",)), is_called("GB", "step", ()), is_called("steps per rack", "step", (), ("rack",))
    (True, False, True)
    >>> is_called("params", "", ("parameter",)), is_called("racks", "step", (), ("rack",))
    (True, False)
    """
    naming, beside = _words_of(text)
    own = _with_synonyms({*nouns, asked} - {""})
    is_shared = re.search(r"\b(?:per|each|every)\b", text, re.IGNORECASE)  # 6 nodes per banana is a different number
    if not naming or not (_is_known if is_shared else _is_qualifying)(beside, own, others):
        return False
    return "".join(naming) in own or (naming[-1] in own and _is_qualifying(naming[:-1], own, others))


def is_mentioned(text: str, nouns: Collection[str]) -> bool:
    """Return whether a text consists of nouns that a question mentions, or that questions count: it may follow "per".

    >>> is_mentioned("data loader", ("data", "loader")), is_mentioned("GPU and step", ()), is_mentioned("GB", ("loader",))
    (True, False, False)
    """
    naming, beside = _words_of(text)
    own = _with_synonyms({*nouns, *_counts()})
    return (
        bool(naming) and ("".join(naming) in own or naming[-1] in own) and _is_known([*naming[:-1], *beside], own, ())
    )


def counted_by(text: str, others: Collection[str]) -> str:
    """Return what a text counts if the question only mentions it, as "cores" in "5 cores" if the question asks for nodes; else "".

    >>> counted_by("data loaders of a rack", ("loader", "rack")), counted_by("racks", ("loader",))
    ('loaders', '')
    """
    words = _heading(re.findall(_WORD, text))
    if not words or normal(words[-1]) not in others:
        return ""
    return in_plural(words[-1])


def _words_of(text: str) -> tuple[list[str], list[str]]:
    """Return the normal forms of the words that name something, and of those after "per", "of" and the like."""
    words = re.findall(_WORD, text.replace("_", "-"))
    if not 1 <= len(words) <= 8 or re.sub(r"[A-Za-z\s_/-]", "", text):
        return [], []
    naming = _heading(words)
    start = next((place for place, word in enumerate(words) if word.lower() not in _CONNECTING), 0) + len(naming)
    return [normal(word) for word in naming], [
        normal(word) for word in words[start:] if word.lower() not in _CONNECTING
    ]


def _heading(words: Sequence[str]) -> list[str]:
    """Return the words before the first connecting word, without a leading article."""
    after = dropwhile(lambda word: word.lower() in _CONNECTING, words)
    return list(takewhile(lambda word: word.lower() not in _CONNECTING, after))


def _with_synonyms(nouns: Collection[str]) -> set[str]:
    return {*nouns}.union(*(SYNONYMS.get(noun, ()) for noun in nouns))


def _is_known(words: Collection[str], own: Collection[str], others: Collection[str]) -> bool:
    return all(word in own or word in others or word in _counts() or word in _GLOBAL for word in words)


def _is_qualifying(words: Collection[str], own: Collection[str], others: Collection[str]) -> bool:
    """Return whether words may qualify a noun: "DP" and "equal" may, but not a unit of measurement, "half" or "fewer"."""
    return all(
        _is_known([word], own, others) or not (word in _NO_NOUNS or word in _DENYING or _is_measured(word))
        for word in words
    )
