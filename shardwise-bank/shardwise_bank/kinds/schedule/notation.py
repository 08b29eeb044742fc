"""The notation of one stage's line: the operations that a text names, in order."""

from __future__ import annotations

import re
from typing import NamedTuple

from shardwise.errors import Unreadable
from shardwise.kinds.blanks import visible

MOST_WRITTEN = 10_000  # operations in one line; no stage of a problem has as many
_LETTERS = {"forward": "F", "fwd": "F", "fw": "F", "f": "F", "backward": "B", "bwd": "B", "bw": "B", "b": "B", "weight": "W", "wgrad": "W", "w": "W"}  # fmt: skip
_NAME = "|".join(_LETTERS)
_N = r"\d{1,4}(?!\d)"
_TO = r"\s*(?:-|,?\s*\.{2,3}\s*,?|\bto\b|\bthrough\b)\s*"
_OPERATION = re.compile(
    rf"(?P<name>{_NAME})[\s_#^({{\[-]*(?:mb|micro-?batch)?[\s_]*(?P<first>{_N})(?:(?P<chunk>CHUNK))?[)\]}}]*"
    rf"(?:{_TO}(?:(?P=name)[\s_#^-]*)?(?P<last>{_N})(?:(?P<last_chunk>CHUNK))?[)\]}}]*)?".replace(
        "CHUNK", rf"\s?[.:/_]\s?(?:c(?:hunk)?)?\s?{_N}|\s?c(?:hunk)?\s?{_N}|[a-h](?![a-z0-9])"
    ),
    re.IGNORECASE,
)
_MORE_NUMBERS = re.compile(rf"(?P<first>{_N})(?:{_TO}(?P<last>{_N}))?(?![a-z])", re.IGNORECASE)  # F1, 2, 3
_BETWEEN = re.compile(
    r"(?:[\s,;|/+&'\"`*()\[\]{}<>=_.~$\\-]|\b(?:and|then|idle|wait|bubble|noop|none|null)\b)+", re.IGNORECASE
)
_NUMBER_FIRST = re.compile(rf"[\s,;|-]*(?:{_N}(?:\.\d+)?[fbw](?![a-z0-9])[\s,;|-]*)+", re.IGNORECASE)  # 1F 2F 1B
_LETTERS_ALONE = re.compile(r"[fbw][fbw\s,;|-]*", re.IGNORECASE)  # F F B F B B
_UNKNOWN = re.compile(r"[^\s,;|]{1,40}")
_ARROWS = re.compile(r"-+>|=+>|[→⇒➔➜⟶▶►»]")
_COMMENT = re.compile(r"(?:^|\s)(?:#(?!\s*\d)|//).*$", re.MULTILINE)


class Written(NamedTuple):
    """An operation as written; the chunk is None when none was named."""

    letter: str
    micro_batch: int
    chunk: int | None


def plainer(text: str) -> str:
    """Normalise dashes and arrows in a text, and remove comments and invisible characters."""
    text = _ARROWS.sub(" ", visible(text).translate({ord(dash): "-" for dash in "−–—‒‑"} | {0x2026: "...", 0xB7: " "}))
    return _COMMENT.sub("", text)


def schedule_tokens(text: str, *, has_chunks: bool) -> tuple[list[Written], list[str]]:
    """Return the operations that a line names, and its unreadable parts. Raises Unreadable when it names far too many.

    >>> schedule_tokens("F1-3, B1 f4", has_chunks=False)[0] == [*(Written("F", n, None) for n in (1, 2, 3)), ("B", 1, None), ("F", 4, None)]
    True
    """
    if _LETTERS_ALONE.fullmatch(text.strip()) and not has_chunks:
        letters = re.sub(r"[^FBW]", "", text.upper())
        return [Written(letter, letters[: place + 1].count(letter), None) for place, letter in enumerate(letters)], []
    if _NUMBER_FIRST.fullmatch(text):
        text = re.sub(r"(\d+)(?:\.(\d+))?([fbw])", _turned, text, flags=re.IGNORECASE)
    found: list[Written] = []
    unread: list[str] = []
    place = 0
    while place < len(text):
        if len(found) > MOST_WRITTEN:
            shown = text[:place].rstrip(" ,;|")[-20:]
            raise Unreadable(
                f"I couldn't read a line that names more than {MOST_WRITTEN} operations, with ranges such as "
                f"“{shown}”. Write every operation once.",
                shows_example=True,
            )
        if between := _BETWEEN.match(text, place):
            place = between.end()
        elif operation := _OPERATION.match(text, place):
            found += _expanded(operation)
            place = operation.end()
        elif found and (more := _MORE_NUMBERS.match(text, place)):
            last = found[-1]
            found += [Written(last.letter, number, last.chunk) for number in _numbers(more["first"], more["last"])]
            place = more.end()
        else:
            unknown = _UNKNOWN.match(text, place)
            token = unknown[0] if unknown else text[place]
            unread.append(token.strip("“”")[:20])
            place += len(token)
    return found, unread


def _turned(found: re.Match[str]) -> str:
    return f"{found[3]}{found[1]}" + (f".{found[2]}" if found[2] else "")


def _expanded(found: re.Match[str]) -> list[Written]:
    """Return the operations of a token: one, or those of a range such as F1-4 or B2.1-4.1."""
    letter = _LETTERS[found["name"].lower()]
    chunk = _chunk(found["last_chunk"] or found["chunk"])
    if (
        found["chunk"] and found["last_chunk"] and _chunk(found["chunk"]) != chunk
    ):  # F1.1-F1.2 are two operations, not a range
        return [
            Written(letter, int(found["first"]), _chunk(found["chunk"])),
            Written(letter, int(found["last"]), chunk),
        ]
    return [Written(letter, number, chunk) for number in _numbers(found["first"], found["last"])]


def _numbers(first: str, last: str | None) -> range:
    """Return the numbers from the first to the last, ascending or descending."""
    low, high = int(first), int(last or first)
    return range(low, high + 1) if low <= high else range(low, high - 1, -1)


def _chunk(text: str | None) -> int | None:
    """Return the number of a chunk; the letters a, b, c are 1, 2, 3."""
    if not text:
        return None
    digits = re.sub(r"\D", "", text)
    return int(digits) if digits else ord(text.strip().lower()[-1]) - ord("a") + 1
