"""Reading a layout as people write it: a dictionary, a list, "TP8 PP16 DP128", YAML, JSON, or the flags of a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.blanks import is_blank, visible
from shardwise.units import show_number
from shardwise_bank.kinds.layout import grid
from shardwise_bank.kinds.layout.grid import Layout
from shardwise_bank.kinds.layout.model import LayoutForm, Option, ShownAxis
from shardwise_bank.kinds.layout.notation import GPUS, Token, layout_tokens, squashed

LONGEST = 2000  # characters of an answer
MOST_PARTS = 60  # of a dictionary or a list
MOST_FAULTS = 5  # reported at once
_NEGATIVE = re.compile(r"[-−]\s*[0-9]")  # elsewhere in a text, a dash connects a name and its value
_REST = ("allothers", "others", "alltheothers", "rest", "therest", "allrest")  # of an axis that follows from the others


@dataclass(frozen=True)
class Reading:
    """A layout, and a note about the values that followed from others."""

    layout: Layout
    note: str = ""


def read_layout(form: LayoutForm, raw: Any) -> Reading:
    """Read the layout of an answer. Raises Unreadable with everything that is wrong."""
    faults: list[str] = []
    given: dict[str, Option] = {}
    for name, value in _pairs(form, raw, faults):
        if name in given and given[name] != value:
            faults.append(f"{name} is given twice, as {given[name]} and as {value}")
        given.setdefault(name, value)
    gpus = given.pop(GPUS, None)
    if gpus is not None and form.of and gpus != form.number:
        faults.append(f"you wrote {written_option(gpus)} {form.noun}, but there are {written_option(form.number)}")
    notes = _completed(form, given, faults)
    if faults:
        messages = [fault[0].upper() + fault[1:] for fault in dict.fromkeys(faults)]
        more = [f"There are {len(messages) - MOST_FAULTS} more faults"] if len(messages) > MOST_FAULTS else []
        raise Unreadable(f"I couldn't read this as a layout. {'. '.join([*messages[:MOST_FAULTS], *more])}.")
    return Reading(tuple(given[axis.name] for axis in form.axes), "; ".join(notes))


def _completed(form: LayoutForm, given: dict[str, Option], faults: list[str]) -> list[str]:
    """Fill in omitted values that have a default or follow from others; return notes about them."""
    notes = []
    for axis in form.axes:
        if axis.name not in given and axis.default is not None and axis.name != form.follows:
            given[axis.name] = axis.default
            notes.append(f"{axis.name} is not given, so it is {written_option(axis.default)}")
    others = [name for name in form.of if name != form.follows]
    left = next((axis for axis in form.axes if axis.name == form.follows and axis.name not in given), None)
    if left is not None and set(others) <= set(given):
        rest = grid.remaining(form, given, left.name)
        product = " · ".join(others)
        if rest is None:
            faults.append(f"{left.name} is missing, and {product} does not divide {written_option(form.number)}")
        elif left.options and rest not in left.options:
            faults.append(
                f"{left.name} is missing, and {product} leaves {written_option(rest)} for it, which is not one of {choices(left)}"
            )
        else:
            given[left.name] = rest
            divisor = f"({product})" if len(others) > 1 else product
            notes.append(f"{left.name} follows: {written_option(form.number)} / {divisor} = {written_option(rest)}")
    missing = [axis.name for axis in form.axes if axis.name not in given]
    missing = [name for name in missing if name != form.follows] or missing  # it follows once the others are given
    if missing and not faults:
        named = " and ".join([", ".join(missing[:-1]), missing[-1]] if len(missing) > 1 else missing)
        faults.append(f"there is no value for {named}")
    return notes


def _pairs(form: LayoutForm, raw: Any, faults: list[str]) -> Iterator[tuple[str, Option]]:
    """Yield every axis that an answer names, with its value."""
    if isinstance(raw, str):
        yield from _written(form, raw, faults)
    elif isinstance(raw, Mapping):
        yield from _named(form, list(raw.items()), faults)
    elif isinstance(raw, Sequence) and 0 < len(raw) <= MOST_PARTS:
        if all(isinstance(part, list | tuple) and len(part) == 2 and isinstance(part[0], str) for part in raw):
            yield from _named(form, [(part[0], part[1]) for part in raw], faults)
        elif all(
            isinstance(part, str) and len(part) <= LONGEST and layout_tokens(form.axes, part).has_name for part in raw
        ):
            yield from _written(form, "\n".join(raw), faults)
        else:
            yield from _in_order(form, [_token(form, part) for part in raw], faults)
    else:
        faults.append(f"I expected a value for each axis, but this is of type {type(raw).__name__}")


def _named(
    form: LayoutForm, pairs: Sequence[tuple[Any, Any]], faults: list[str], depth: int = 2
) -> Iterator[tuple[str, Option]]:
    """Yield the axes of a dictionary, which may be nested."""
    if len(pairs) > MOST_PARTS:
        faults.append(f"I saw {len(pairs):,} names, but there are only {len(form.axes)} axes")
        return
    for name, value in pairs:
        if isinstance(value, Mapping) and depth:
            yield from _named(form, list(value.items()), faults, depth - 1)
            continue
        found = layout_tokens(form.axes, str(name)[:LONGEST])
        if found.unread or len(found.tokens) != 1 or not found.has_name:
            faults.append(f"“{str(name)[:30]}” is not one of {', '.join(axis.name for axis in form.axes)}")
            continue
        token, sets = _token(form, value), found.tokens[0].sets
        if sets is not None:
            yield from [sets] if value is True else []
            continue
        axis = found.tokens[0].axes[0]
        if axis == form.follows and isinstance(value, str) and squashed(value) in _REST:
            continue
        if is_blank(value) and not (value is None and _valued(form, axis, token) is not None):
            continue
        yield from _checked(form, axis, token, faults)


def _token(form: LayoutForm, value: Any) -> Token:
    """Return a value of a dictionary or a list as a token: a number, a word, or unreadable text."""
    if isinstance(value, bool):
        return Token(text=str(value), word=str(value).lower())
    if value is None:
        return Token(text="None", word="none")
    if isinstance(value, int | float):
        return Token(text=f"{value:g}" if abs(value) < 1e15 else "a number that is far too large", number=value)
    if isinstance(value, str) and len(value) <= LONGEST and not _NEGATIVE.match(value.lstrip()):
        found = layout_tokens(form.axes, value)
        valued = [token for token in found.tokens if not token.axes]
        if not found.unread and len(valued) == 1:
            return valued[0]
    return Token(text=str(value)[:30] if isinstance(value, str) else f"something of type {type(value).__name__}")


def _written(form: LayoutForm, raw: str, faults: list[str]) -> Iterator[tuple[str, Option]]:
    """Yield the axes of a text: names next to their values, or only values in the order of the axes."""
    if len(raw) > LONGEST:
        faults.append(f"I saw {len(raw):,} characters, far more than a layout needs")
        return
    found = layout_tokens(form.axes, visible(raw))
    if found.unread:
        faults += [f"I cannot read “{text}”" for text in found.unread[:3]]
        return
    tokens = found.tokens
    names = [token for token in tokens if token.axes]
    if not names:
        yield from _in_order(form, list(tokens), faults)
        return
    half = len(names)
    if (
        len(tokens) == 2 * half and all(token.axes for token in tokens[:half]) and half > 1
    ):  # a header, and a row below it
        tokens = tuple(token for pair in zip(tokens[:half], tokens[half:], strict=True) for token in pair)
    yield from _adjacent(form, tokens, faults)


def _adjacent(form: LayoutForm, tokens: Sequence[Token], faults: list[str]) -> Iterator[tuple[str, Option]]:
    """Yield names with the value that follows them, or that precedes them, as in "8-way TP"."""
    place = 0
    while place < len(tokens):
        token = tokens[place]
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        name, value = (token, after) if token.axes else (after, token)
        if token.sets is not None:
            yield token.sets
            place += 1
        elif name is not None and value is not None and _are_pair(form, name, value):
            yield from _checked(form, name.axes[0], value, faults)
            place += 2
        else:
            on = _valued(form, token.axes[0], Token(text="on", word="on")) if token.axes else None
            owners = _owners(form, token)
            if on is not None:
                yield token.axes[0], on
            elif len(owners) == 1:  # a word means the only axis that has it as an option
                yield from _checked(form, owners[0], token, faults)
            elif token.axes:
                faults.append(f"{token.axes[0]} has no value")
            else:
                faults.append(f"I do not know which axis {token.text} belongs to")
            place += 1


def _are_pair(form: LayoutForm, name: Token, value: Token) -> bool:
    """Return whether a value can belong to the name next to it: a word must be one of its options."""
    if not name.axes or value.axes or value.sets is not None:
        return False
    return value.number is not None or _valued(form, name.axes[0], value) is not None or not _owners(form, value)


def _owners(form: LayoutForm, token: Token) -> list[str]:
    """Return the axes that have a word as an option."""
    return [axis.name for axis in form.axes if token.word and token.option(axis) is not None]


def _in_order(form: LayoutForm, tokens: Sequence[Token], faults: list[str]) -> Iterator[tuple[str, Option]]:
    """Yield values without names, in the order of the axes; the axis that follows from the others may be omitted."""
    names = [axis.name for axis in form.axes]
    shorter = [name for name in names if name != form.follows]
    fitting = names if len(tokens) == len(names) else shorter if len(tokens) == len(shorter) and form.follows else []
    if not fitting or (len(tokens) == 1 and len(names) > 1):
        seen = f"{len(tokens)} values" if tokens else "no axis"
        faults.append(f"I saw {seen}; the axes are {', '.join(names)}")
        return
    for name, token in zip(fitting, tokens, strict=True):
        yield from _checked(form, name, token, faults)


def _checked(form: LayoutForm, name: str, token: Token, faults: list[str]) -> Iterator[tuple[str, Option]]:
    """Yield an axis with its value, if that is one of its options."""
    value = _valued(form, name, token)
    if value is not None:
        yield name, value
    elif name == GPUS:
        faults.append(f"I cannot read {token.text} {form.noun}")
    else:
        axis = next(axis for axis in form.axes if axis.name == name)
        known = f"not one of {choices(axis)}" if axis.options else "not a whole number of at least 1"
        seen = token.text if token.number is not None else f"“{token.text}”"
        faults.append(f"I read {seen} for {name}, which is {known}")


def _valued(form: LayoutForm, name: str, token: Token) -> Option | None:
    """Return the option of an axis that a token means, or None."""
    number = token.number
    whole = int(number) if number is not None and abs(number) <= 10**12 and number % 1 == 0 else None
    if name == GPUS:
        return whole
    axis = next(axis for axis in form.axes if axis.name == name)
    if whole is not None:
        return whole if whole in axis.options or (not axis.options and whole > 0) else None
    return token.option(axis)


def written_option(option: Option) -> str:
    """Return an option as text."""
    return show_number(option) if isinstance(option, int) else option


def choices(axis: ShownAxis) -> str:
    """Return the options of an axis as text: 1, 2, 4 or 8."""
    if not axis.options:
        return "any whole number"
    texts = [written_option(option) for option in axis.options]
    return " or ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
