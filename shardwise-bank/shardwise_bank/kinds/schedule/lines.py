"""Splitting an answer into stages: lines with or without labels, lists, and dictionaries."""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.blanks import is_blank
from shardwise_bank.kinds.schedule.notation import plainer
from shardwise_bank.pipelines.named import NAMES
from shardwise_bank.pipelines.pipeline import Pipeline

_STAGE = r"(?:pipeline[\s_-]*)?(?:stage|server|node|gpu|rank|device|worker|pp|s|p)[\s_#-]*"
_LABEL = re.compile(  # at the start of a line: "stage 1:", "| GPU 2 |", "1)", "1 F1 F2"
    rf"[\s|>*•`\"'{{(\[,-]*(?:{_STAGE}(\d{{1,4}})(?!\d)|(\d{{1,4}})(?=[\s\"'*`]*(?:[:=)|]|\.(?!\d))|\s+[fbw]\d))[\s\"'*`)\]]*(?:[:=|)]+|\.(?!\d)|-(?=\s))?",
    re.IGNORECASE,
)
_INNER = re.compile(rf"(?<=[\s;,|]){_STAGE}\d{{1,4}}\s*[:=)]", re.IGNORECASE)  # in the middle of a line
_RULE = re.compile(r"[\s|:`~=+-]*(?:text|python)?\s*")  # a fence, the rule of a table
_TALK = re.compile(r"[^\d:]*:?\s*")  # "My schedule:"


def schedule_lines(pipeline: Pipeline, raw: Any) -> tuple[dict[int, str], list[str]]:
    """Return the text of each stage's line, keyed by stage, and the faults of other lines.

    Stages may be missing; the caller decides whether that is a fault. Raises Unreadable when there are no lines at all.
    """
    longest = 4_000 + 60 * pipeline.stages + 20 * pipeline.stages * len(pipeline.operations())
    if isinstance(raw, str):
        _bounded(len(raw), longest)
        if (name := "".join(raw.lower().split())) in NAMES:
            return {}, [f"“{name}” is the name of a schedule; write its operations"]
        raw = _literal(raw)
    if isinstance(raw, list | tuple) and len(raw) == pipeline.stages and all(isinstance(part, str) for part in raw):
        _bounded(sum(map(len, raw)), longest)
        raw = "\n".join(raw)  # one line per stage, perhaps with its label
    if isinstance(raw, Mapping):
        _bounded(len(raw), longest)
        rows = [(str(name)[:40], _joined(part, longest)) for name, part in raw.items()]
    elif isinstance(raw, list | tuple):
        _bounded(len(raw), longest)
        if len(raw) != pipeline.stages:
            raise Unreadable(
                f"I saw a list of {len(raw)}, but there are {pipeline.stages} stages: write one list per stage."
            )
        rows = [("", _joined(part, longest)) for part in raw]
    elif isinstance(raw, str):
        rows = _rows(pipeline, unicodedata.normalize("NFKC", plainer(raw)))
    else:
        raise Unreadable(
            f"I expected the operations of {pipeline.stages} stages, but this is of type {type(raw).__name__}."
        )
    _bounded(sum(len(text) for _, text in rows), longest)
    return _by_stage(pipeline, rows)


def _bounded(length: int, longest: int) -> None:
    if length > longest:
        raise Unreadable(
            f"I couldn't read an answer of {length:,} characters. Write every operation once.", shows_example=True
        )


def _literal(text: str) -> Any:
    """Return a list or a dictionary that was typed as text, or the text itself."""
    if text.lstrip()[:1] not in ("[", "{", "("):
        return text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ast.literal_eval(text.strip())
            str(found)  # raises ValueError for numbers with too many digits
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return text
    return found if isinstance(found, dict | list | tuple) else text


def _joined(part: Any, longest: int) -> str:
    """Return the operations of one stage, given as text or as a list, as text."""
    if isinstance(part, str):
        return unicodedata.normalize("NFKC", plainer(part[: longest + 1]))
    if isinstance(part, list | tuple):
        _bounded(len(part), longest)
        return unicodedata.normalize("NFKC", plainer(" ; ".join(map(_item, part))))
    return "" if part is None else f"“{type(part).__name__}”"


def _item(item: Any) -> str:
    """Return one item of a list as text: "F1", ("F", 1), ("F", 1, 2) or nothing."""
    if is_blank(item):
        return ""
    if isinstance(item, str):
        return item
    if isinstance(item, list | tuple) and 2 <= len(item) <= 3 and isinstance(item[0], str):
        numbers = [number for number in item[1:] if type(number) is int and 0 <= number < 10_000]
        if len(numbers) == len(item) - 1:
            return item[0][:20] + ".".join(map(str, numbers))
    return f"“{type(item).__name__}”"


def _rows(pipeline: Pipeline, text: str) -> list[tuple[str, str]]:
    """Return the lines of a text, each with its label or none; a line without a label continues the previous one."""
    pieces = [piece for line in text.splitlines() for piece in _cut(line) if not _RULE.fullmatch(piece)]
    labels = [_LABEL.match(piece) for piece in pieces]
    if not any(labels):
        if len(pieces) == 1:
            parts = next(
                (cut for sign in (";", "|", "/") if len(cut := pieces[0].split(sign)) == pipeline.stages), None
            )
            pieces = parts or pieces
        return [("", piece) for piece in pieces]
    rows: list[tuple[str, str]] = []
    for piece, label in zip(pieces, labels, strict=True):
        if label:
            rows.append((label[1] or label[2], piece[label.end() :]))
        elif rows:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {piece}")
        elif not _TALK.fullmatch(piece):
            rows.append(("", piece))
    return rows


def _cut(line: str) -> list[str]:
    """Split a line before each label in its middle."""
    edges = [0, *(found.start() for found in _INNER.finditer(line)), len(line)]
    return [line[start:end] for start, end in pairwise(edges) if line[start:end].strip()]


def _by_stage(pipeline: Pipeline, rows: Sequence[tuple[str, str]]) -> tuple[dict[int, str], list[str]]:
    """Return the rows by the number of their stage; labels may count from 0."""
    if not any(label for label, _ in rows):
        if len(rows) == pipeline.stages:
            return {stage: text for stage, (_, text) in enumerate(rows, start=1)}, []
        seen = "one line" if len(rows) == 1 else f"{len(rows)} lines"
        return {}, [
            f"I saw {seen}, but there are {pipeline.stages} stages; write one line per stage, such as “stage 1: F1 ...”"
        ]
    numbers, faults = [], []
    for label, text in rows:
        digits = re.sub(r"\D", "", label)
        numbers.append(int(digits) if digits else None)
        if not digits:
            faults.append(f"“{(label or text).strip()[:20]}” is not the name of a stage")
    known = [number for number in numbers if number is not None]
    shift = 1 if 0 in known and max(known) < pipeline.stages else 0
    found: dict[int, str] = {}
    for number, (_, text) in zip(numbers, rows, strict=True):
        if number is None:
            continue
        if not 1 <= number + shift <= pipeline.stages:
            faults.append(f"stage {number} does not exist; the stages are 1 to {pipeline.stages}")
        elif number + shift in found:
            faults.append(f"stage {number} has two lines")
        else:
            found[number + shift] = text
    return found, faults
