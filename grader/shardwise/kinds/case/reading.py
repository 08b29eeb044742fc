"""Reading the answers to the parts of a case: from a dictionary, a list, or text such as "stages = 12; fits = b"."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.blanks import is_blank
from shardwise.kinds.case.model import CaseForm, PartForm

LONGEST = 20_000  # characters of an answer to all parts
TWICE = "{name} appears twice. Keep the answer that you mean."
MOST_NAMES = 200  # of parts, in an answer
MOST_VALUES = 1000  # in the answer to a part, counting those in nested lists
_SHOWN = 40  # characters of an unknown name


@dataclass(frozen=True)
class Reply:
    """The answer to one part: its value, or why it cannot be read, or neither if it is blank."""

    value: Any = None
    why: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether nothing was answered."""
        return self.value is None and not self.why


@dataclass(frozen=True)
class PartReplies:
    """The answers to the parts in their order, and names in them that no part has."""

    parts: tuple[Reply, ...]
    strangers: tuple[str, ...] = ()


def replies_of(form: CaseForm, raw: Any) -> PartReplies | None:
    """Return the answer to each part; None if there is no answer at all. Raises Unreadable if none can be read."""
    given, strangers = _by_part(form, raw)
    replies = tuple(_reply(part, given.get(part.name)) for part in form.parts)
    if all(reply.value is None for reply in replies):
        why = {part.name: reply.why for part, reply in zip(form.parts, replies, strict=True) if reply.why}
        if why:
            first = next(iter(why))
            more = f" The same goes for {len(why) - 1} more." if len(why) > 1 else ""
            raise Unreadable(f"{first}: {why[first]}{more}", parts=why)
        if strangers:
            raise _unknown(form, strangers)
        return None
    return PartReplies(replies, strangers)


def _reply(part: PartForm, raw: Any) -> Reply:
    if raw is None:
        return Reply()
    kind = part.its_kind
    if _is_large(raw):
        return Reply(why=f"I couldn't read an answer of more than {MOST_VALUES:,} values. Each part needs a short one.")
    try:
        return Reply(value=parsed_answer(kind, part.form, raw))
    except Unreadable as error:
        return Reply(why=str(error))


def _is_large(raw: Any) -> bool:
    """Return whether an answer holds too many values; reading them could take minutes."""
    seen, waiting = 0, [raw]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping | list | tuple):
            seen += len(value)
            if seen > MOST_VALUES:
                return True
            waiting += value.values() if isinstance(value, Mapping) else value
    return False


def unknown(form: CaseForm, strangers: Sequence[str]) -> str:
    """Return the message about names that no part has."""
    named = " and ".join(f"“{name[:_SHOWN]}”" for name in strangers[:2])
    return f"I saw {named}; the parts are {', '.join(part.name for part in form.parts)}."


def _unknown(form: CaseForm, strangers: Sequence[str]) -> Unreadable:
    return Unreadable(unknown(form, strangers))


def _by_part(form: CaseForm, raw: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the raw answers by the names of the parts, and unknown names. Raises Unreadable."""
    if isinstance(raw, str):
        if len(raw) > LONGEST:
            raise Unreadable(f"I couldn't read an answer of {len(raw):,} characters. Each part has a short one.")
        raw = _from_text(form, raw)
    if isinstance(raw, list | tuple) and len(raw) == len(form.parts):
        return dict(zip((part.name for part in form.parts), raw, strict=True)), ()
    if not isinstance(raw, Mapping):
        raise Unreadable(
            f"I expected an answer for each of {', '.join(part.name for part in form.parts)}: "
            "a dictionary with these names, or text such as “name = answer; name = answer”."
        )
    if len(raw) > MOST_NAMES:
        raise Unreadable(f"I saw {len(raw):,} names, but there are only {len(form.parts)} parts.")
    names = dict(_spellings(form))
    found: dict[str, Any] = {}
    strangers = []
    for name, answer in raw.items():
        part = names.get(_bare(str(name)))
        if part is None:
            if not is_blank(answer):
                strangers.append(str(name))
        elif part in found and not is_blank(found[part]) and not is_blank(answer):
            raise Unreadable(TWICE.format(name=part))
        elif part not in found or is_blank(found[part]):
            found[part] = answer
    return found, tuple(strangers)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name).strip().lower()


def _spellings(form: CaseForm) -> Iterator[tuple[str, str]]:
    """Yield the names by which a part may be called: its title, its number and its name, which takes precedence."""
    for number, part in enumerate(form.parts, start=1):
        yield _bare(part.title), part.name
        yield f"part {number}", part.name
        yield str(number), part.name
    for part in form.parts:
        yield _bare(part.name), part.name


def _from_text(form: CaseForm, text: str) -> Any:
    """Parse a text as a dictionary or a list: JSON, "name = answer" separated by semicolons or line breaks, or YAML's "name: answer"."""
    with suppress(ValueError, RecursionError):
        read = json.loads(text)
        if isinstance(read, dict | list):
            return read
    names = "|".join(
        re.sub(r"[ _]", r"[\\s_-]+", re.escape(name).replace(r"\ ", " "))
        for name in sorted(
            {part.name for part in form.parts} | {part.title for part in form.parts}, key=len, reverse=True
        )
    )
    begins = re.compile(
        rf"(?:\A|[;\n,{{])[ \t]*(?:[-*•][ \t]+)?[\"'`*]*(?P<name>{names}|part\s+\d+)[\"'`*]*[ \t]*(?:=|:|->|→)[ \t]*",
        re.IGNORECASE,
    )
    found = list(begins.finditer(text))
    if not found or text[: found[0].start()].strip(" \t\n{"):
        return _in_order(form, text)
    ends = [match.start() for match in found[1:]] + [len(text)]
    pairs = [(match["name"], _unquoted(text[match.end() : end])) for match, end in zip(found, ends, strict=True)]
    twice = {name for name, _ in pairs if [other for other, _ in pairs].count(name) > 1}
    if twice:
        raise Unreadable(TWICE.format(name=min(twice)))
    return dict(pairs)


def _in_order(form: CaseForm, text: str) -> Any:
    """Return answers without names, one for each part, on separate lines or separated by semicolons."""
    for between in ("\n", ";"):
        pieces = [piece for piece in text.split(between) if piece.strip(" \t{}")]
        if len(pieces) == len(form.parts):
            return [_unquoted(re.sub(r"^\s*\(?\d+[).]\s+", "", piece)) for piece in pieces]
    return text


def _unquoted(text: str) -> str:
    """Return an answer without the notation around it: quotes, or a comma or brace after it."""
    text = text.strip().rstrip(";,").strip()
    if text.endswith("}") and text.count("}") > text.count("{"):
        text = text[:-1].strip().rstrip(",").strip()
    quoted = re.fullmatch(r"([\"'`])(.*)\1", text, re.DOTALL)
    return quoted[2] if quoted else text
