"""Reading an answer to a bug hunt: the line, an input, and the fixed line. A bad part costs only that part."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.blanks import is_blank
from shardwise.kinds.bugline.model import LONGEST_LINE, PARTS, BuglineForm
from shardwise.kinds.calls import brief
from shardwise.units import show_number

LONGEST_ANSWER = 5000  # characters
LONGEST_INPUT = 1000  # characters of an input that was written as text
_LARGEST = 1e30  # larger than any argument of a reference
_PART = re.compile(r"(?:^|(?<=[\n,;]))\s*(line|input|fix)\b\s*[:=]?\s*", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:the )?(?:line|l)? *(?:number|no\.?|#)? *([0-9]{1,5})(?: *[.:)|]+ *| +|\Z)(.*)", re.I | re.DOTALL
)
_NAMED = re.compile(
    r"[\"']?([A-Za-z_]\w*)[\"']?\s*[=:]\s*([^\s,;]+(?:\s*[*x×·]\s*10\s*(?:\^|\*\*)\s*-?\d+)?)\s*(?:[,;\s]|\Z)\s*"
)
_POWER = re.compile(r"([\d.]+)\s*[*x×·]\s*10\s*(?:\^|\*\*)\s*(-?\d{1,3})")
_SIGNS = str.maketrans({"×": "*", "·": "*", "−": "-", "–": "-", "÷": "/"})  # characters that no listing contains


@dataclass(frozen=True)
class Bad:
    """A part that could not be read, and why."""

    why: str


def line_and_mend(form: BuglineForm, raw: Any) -> dict[str, Any]:
    """Return the parts that were answered, each as a value or as Bad. Raises Unreadable if none can be read."""
    given = _decoded(raw)
    if isinstance(given, int) and not isinstance(given, bool):  # the line alone
        given = {"line": given}
    if not isinstance(given, Mapping):
        raise Unreadable(f"I expected {{'line': ..., 'input': {{...}}, 'fix': '...'}}, but this is of type "
                         f"{type(raw).__name__}.")  # fmt: skip
    given = {low if (low := str(name).strip().lower()) in PARTS else name: part for name, part in given.items()}
    strangers = sorted(str(name)[:20] for name in given if name not in PARTS)
    if strangers:
        raise Unreadable(f"The parts are line, input and fix. I do not know {', '.join(strangers)}.")
    readers = {"line": _line, "input": _input, "fix": _fix}
    found: dict[str, Any] = {}
    for name in PARTS:
        if name in given and not is_blank(given[name]):
            try:
                found[name] = readers[name](form, given[name])
            except Unreadable as error:
                found[name] = Bad(str(error))
    if found and all(isinstance(part, Bad) for part in found.values()):
        raise Unreadable(" ".join(part.why for part in found.values()))
    return found


def _decoded(raw: Any) -> Any:
    if not isinstance(raw, str):
        return raw
    if len(raw) > LONGEST_ANSWER:
        raise Unreadable(f"I couldn't read an answer of {len(raw):,} characters.")
    for read in (json.loads, ast.literal_eval):  # as a form or a notebook cell writes it
        try:
            return read(raw.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    if parts := _in_lines(raw):
        return parts
    raise Unreadable("I expected the parts line, input and fix, each on a line of its own, such as “line: 3”.")


def _in_lines(text: str) -> dict[str, str]:
    """Return the parts of an answer such as "line 2", or "line: 2, input: hosts=2, fix: n = 2 * hosts"; "" if it names none."""
    found = list(_PART.finditer(text))
    if not found or text[: found[0].start()].strip():
        lines = set(re.findall(r"\bline (\d+)\b", text, re.IGNORECASE))  # "the bug is in line 5"
        return {"line": lines.pop()} if len(lines) == 1 else {}
    ends = [part.start() for part in found[1:]] + [len(text)]
    return {part[1].lower(): text[part.end() : end].strip().rstrip(",;") for part, end in zip(found, ends, strict=True)}


def _line(form: BuglineForm, value: Any) -> int:
    """Return the number of a line given as 3, "3", "line 3", "3: steps = 2 * hosts", or by its text in the listing."""
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and len(value) <= LONGEST_LINE:
        found = _NUMBERED.fullmatch(value.strip())
        copied = _bare(found[2] if found else value)
        alike = [number for number, text in enumerate(form.listing, start=1) if copied and _bare(text) == copied]
        if found and (not copied or int(found[1]) in alike):
            value = int(found[1])
        elif not found and len(alike) == 1:
            value = alike[0]
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= len(form.listing):
        raise Unreadable(f"line is the number of a line, 1 to {len(form.listing)}.")
    return value


def _bare(text: str) -> str:
    return "".join(text.split())


def _arguments(form: BuglineForm, text: str) -> dict[str, str] | None:
    """Parse arguments written as text, "hosts=2, message_bytes=1e9", also as a call; None for anything else."""
    inner = re.sub(rf"\A\s*(?:{form.function}|dict)?\s*[({{]|[)}}]\s*\Z", "", text)
    found = _NAMED.findall(inner)
    is_read = bool(found) and not _NAMED.sub("", inner).strip() and len(dict(found)) == len(found)
    return dict(found) if is_read else None


def _input(form: BuglineForm, value: Any) -> dict[str, int | float]:
    """Return an input for the right function; an argument with a default may be omitted."""
    if isinstance(value, str) and len(value) <= LONGEST_INPUT:
        value = _arguments(form, value)
    if not isinstance(value, Mapping):
        raise Unreadable(f"input names the arguments {', '.join(form.domain)}, each with a number.")
    known = dict.fromkeys((*form.domain, *form.optional))
    given = {str(name): part for name, part in value.items() if not is_blank(part)}
    if strangers := sorted(name[:30] for name in given if name not in known):
        raise Unreadable(
            f"input: the function has no argument {', '.join(strangers)}. It takes {', '.join(form.domain)}."
        )
    found: dict[str, int | float] = {}
    faults = []
    for name in known:
        if name in given:
            try:
                found[name] = number_of(form, name, given[name])
            except Unreadable as error:
                faults.append(str(error))
    missing = [name for name in form.domain if name not in given and name not in form.optional]
    if missing:
        faults.append(f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing.")
    if faults:
        raise Unreadable(f"input: {' '.join(faults)}")
    return found


def number_of(form: BuglineForm, name: str, value: Any) -> int | float:
    """Return the value of an argument. Raises Unreadable.

    If the usual values are not negative, any value that is not negative is read: stages, steps and ranks begin at 0, however large
    their usual values are. Senseless values, such as 0 hosts, are left to the right function, which is run on them.
    """
    low, high = form.domain.get(name, (-math.inf, math.inf))
    least = 0 if low >= 0 else -_LARGEST
    number = _read_as_number(value)
    if number is None or not least <= number <= _LARGEST or (name in form.whole and number != int(number)):
        whole, bound = "whole " if name in form.whole else "", f" of at least {least}" if least >= 0 else ""
        usual = f", such as {shown_number(low)} or {shown_number(high)}" if name in form.domain else ""
        seen = f"“{value[:40]}”" if isinstance(value, str) else brief(value)[:40]
        raise Unreadable(f"{name} is a {whole}number{bound} in base units{usual}, but I saw {seen}.")
    return int(number) if name in form.whole else number


def shown_number(number: float) -> str:
    """Return the end of a range: 64, 0.002, 10⁹, 1.4 × 10¹⁰."""
    return show_number(number, 9).removeprefix("1 × ")


def _read_as_number(value: Any) -> int | float | None:
    if isinstance(value, str) and len(value) <= 40:
        value = _POWER.sub(r"\1e\2", value.strip())
        try:
            return int(value) if value.isdecimal() else float(value)
        except ValueError:
            return None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _fix(form: BuglineForm, value: Any) -> str:
    if isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str) or len(value) > LONGEST_LINE:
        raise Unreadable(f"fix is the corrected line as text, of at most {LONGEST_LINE} characters.")
    line = re.sub(r"\A```[a-z]*\n|\n```\Z", "", value.strip()).translate(_SIGNS).strip()
    if len(line) > 2 and line[0] == line[-1] == "`":
        line = line.strip("`").strip()
    if "\n" in line or "\r" in line:
        raise Unreadable("fix is one line.")
    return line
