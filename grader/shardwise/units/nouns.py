"""Nouns: the words by which a question calls what it counts, so that "24 micro-batches" is a number of steps."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from shardwise.errors import ShardwiseError
from shardwise.units.parsing import unit
from shardwise.units.table import COUNTED

SYNONYMS = {  # what a count is called whatever the prompt says
    "step": ("iteration", "update", "pass", "round", "microbatch"),
    "token": ("tok",),
    "gpu": ("accelerator", "card", "device"),
    "node": ("server", "machine", "host"),
    "sequence": ("sample", "example"),
    "sample": ("sequence", "example"),
    "parameter": ("param", "weight"),
}
_NO_NOUNS = frozenset(  # a number of these is another number, or they say nothing of what is counted
    ("thousand", "million", "billion", "trillion", "hundred", "dozen", "pair", "half", "third", "quarter", "tenth", "time", "score",
     "the", "and", "many", "with", "for", "its", "this", "thi", "doe", "has", "ha", "wa", "all", "are", "that", "percent", "cent", "mille")
)  # fmt: skip
_QUALIFYING = frozenset(  # what may stand before a noun of the question, whether its prompt has it or not
    ("accumulation", "gradient", "optimizer", "training", "warmup", "model", "data", "parallel", "dataparallel", "pipeline", "more", "extra")
)  # fmt: skip
_CONNECTING = ("per", "of", "in", "on", "for", "each", "every", "the", "a", "an")
_NUMBER = re.compile(r"\d[\d,.]*")
_WORD = r"[A-Za-z]+(?:-[A-Za-z]+)*"
_ASKED = re.compile(rf"\b(?:how many|number of) ((?:{_WORD} ){{0,3}}?{_WORD}s)\b", re.IGNORECASE)
_COUNTED = re.compile(rf"\b\d[\d,.]* ((?:{_WORD} )?{_WORD}s)\b")
_SHARED = re.compile(rf"\b(?:per|each|every) ({_WORD}(?: {_WORD})?)", re.IGNORECASE)


@lru_cache(maxsize=8192)
def normal(word: str) -> str:
    """A noun without capitals, hyphens and plural.

    >>> normal("Micro-Batches"), normal("GPUs"), normal("passes")
    ('microbatch', 'gpu', 'pass')
    """
    plain = re.sub(r"[-_ ]", "", word).lower()
    if re.search(r"(?:ch|sh|ss|x)es$", plain):
        return plain[:-2]
    return plain if plain.endswith("ss") or len(plain) < 3 else plain.removesuffix("s")


def nouns_in(text: str) -> tuple[str, ...]:
    """The nouns of a prompt, in their normal form: what it asks the number of, what it counts, and what stands after "each".

    A unit that counts something, such as "node", is among them only where the prompt asks for its number.

    >>> nouns_in("A step feeds 128 **replicas** on 8 nodes. How many micro-batches is that for each data loader?")
    ('data', 'loader', 'microbatch', 'replica')
    """
    return _nouns_beside_numbers(_NUMBER.sub("2", text))  # the draws of a question differ in little but numbers


@lru_cache(maxsize=4096)
def _nouns_beside_numbers(text: str) -> tuple[str, ...]:
    plain = re.sub(r"[*`_]", "", re.sub(r"\s+", " ", text))
    asked = _normal_words(_ASKED.findall(plain))
    others = _normal_words([*_COUNTED.findall(plain), *_SHARED.findall(plain)]) - _counts()
    return tuple(sorted(word for word in asked | others if len(word) > 2 and not _is_measured(word)))


def _normal_words(phrases: Sequence[str]) -> set[str]:
    return {normal(word) for phrase in phrases for word in phrase.split()} - _NO_NOUNS


@lru_cache(maxsize=1)
def _counts() -> frozenset[str]:
    return frozenset(normal(name) for name in (*COUNTED, "seq", "param"))


@lru_cache(maxsize=4096)
def _is_measured(word: str) -> bool:
    """Whether a word is a unit of something that is measured, such as a day: a number of days is no plain count."""
    try:
        return "[" in unit(word).dimension and normal(word) not in _counts()
    except ShardwiseError:
        return False


def is_called(text: str, asked: str, nouns: Collection[str]) -> bool:
    """Whether a text names what is counted: words of the question's own, or other words for what is asked for.

    A question that asks how many parameters there are may ask for a plain number, so its own words have other words too.

    >>> is_called("warmup steps", "step", ("warmup",)), is_called("GB", "step", ()), is_called("steps per rack", "step", ("rack",))
    (True, False, True)
    >>> is_called("params", "", ("parameter",)), is_called("params", "", ("copy",))
    (True, False)
    """
    words = re.findall(_WORD, text.replace("_", "-"))
    if not 1 <= len(words) <= 8 or re.sub(r"[A-Za-z\s_/-]", "", text):
        return False
    own = {*nouns, asked} - {""}
    known = own.union(*(SYNONYMS.get(noun, ()) for noun in own))
    naming = [normal(word) for word in words if word.lower() not in _CONNECTING]
    return bool(naming) and (
        "".join(naming) in known or (naming[-1] in known and all(word in known | _QUALIFYING for word in naming))
    )
