"""Phrases: a part of an expression as it is called in a sentence, by the arguments that stand in it."""

from __future__ import annotations

from shardwise.kinds.quantity.arguments import Known
from shardwise.kinds.quantity.expressions import Node, nodes
from shardwise.units import show_number

MOST_NAMED = 3  # arguments of a part that is named by them


def names(here: Node) -> list[str]:
    """The arguments in a part, each once."""
    return list(dict.fromkeys(leaf.name for leaf in nodes(here) if leaf.operation == "argument"))


def is_short(here: Node) -> bool:
    """Whether a part can be named in a few words."""
    return len(names(here)) <= MOST_NAMED


def is_long(here: Node) -> bool:
    """Whether the names in one term are so many that they say little; those of several terms say which are meant."""
    return here.operation not in ("plus", "minus") and len(names(here)) >= MOST_NAMED


def term_in_words(here: Node, known: Known) -> str:
    """A term in words: what it is made of, and not how."""
    if here.operation == "argument":
        return known[here.name].says
    if here.is_number:
        return f"the {show_number(here.value, 6)}"
    if here.operation == "times" and here.parts[0].is_number and here.parts[1].operation == "argument":
        return f"{show_number(here.parts[0].value, 6)} times {known[here.parts[1].name].says}"
    if is_long(here):
        return "a term"
    return f"the {'terms' if here.operation in ('plus', 'minus') else 'term'} with {_joined(here, known)}"


def part_in_words(here: Node, known: Known) -> str:
    """A factor in words."""
    if here.operation == "argument":
        return known[here.name].says
    if here.is_number:
        return show_number(here.value, 6)
    if here.operation == "minus" and here.parts[0].operation == "argument" and here.parts[1].is_number:
        return f"{known[here.parts[0].name].says} minus {show_number(here.parts[1].value, 6)}"
    return f"what has {_joined(here, known)} in it" if names(here) else "a number"


def factor_in_words(power: int, part: Node, known: Known) -> str:
    """A factor that is left out, or the division by it where its power is negative, in words."""
    said = part_in_words(part, known)
    return f"the division by {said}" if power < 0 else f"the factor {said}" if part.is_number else said


def what_else(here: Node, done: str) -> str:
    """What is asked about a term that is too long to be named."""
    return f": what else is {done}?" if is_long(here) else ""


def _joined(here: Node, known: Known) -> str:
    says = [known[name].says for name in names(here)]
    return " and ".join([", ".join(says[:-1]), says[-1]] if says[1:] else says)
