"""Parsing of submitted notebooks, with suspicion, down to the code to run."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shardwise.course.collecting.bounds import BOUNDS
from shardwise.course.collecting.submitted_files import BadSubmission
from shardwise.file_names import SAFE_NAME
from shardwise.markdown.escaping import safe

_FORMS = (
    "This practice notebook shows its questions as forms, which check each answer at once, so there is nothing to grade. "
    "Use `shardwise render --typed` to write notebooks with answer cells."
)
# In a check cell: a line that we wrote, an answer passed to check(), and an assignment or definition.
_OF_OURS = re.compile(r"(?:(?:from|import) shardwise\b|(?:shardwise\.)?(?:check\w*|another|hint|solution)\()[^;]*;?")
_HANDED = re.compile(r"check\([\"'][\w-]*[\"'],(?! *\w+ *=)")
_GIVES = re.compile(r"(?:^|;) *(?:def |[\w.]+ *(?:, *[\w.]+ *)*(?::[^=;\n]*)?=(?!=))", re.MULTILINE)
# nbgrader replaces solutions by this stub (nbgrader/preprocessors/clearsolutions.py), and courses configure variants of it. An
# answer cell in which a student left it is blank, not a wrong answer, so these patterns recognise it and its marks.
_RAISES = r"raise NotImplementedError(?:\([^()\n]*\))?[ \t]*(?:#.*)?$"
_STUB = re.compile(rf"^[ \t]*### (?:BEGIN|END) SOLUTION[ \t]*$|^[ \t]*# YOUR CODE HERE[ \t]*$|^{_RAISES}", re.MULTILINE)
_STUB_IN_BODY = re.compile(rf"^([ \t]+){_RAISES}", re.MULTILINE)


class Stripped(BadSubmission):
    """A notebook without our metadata, which some editors do not save."""


@dataclass(frozen=True)
class StudentCell:
    """A code cell to run: the answer to a question, or a cell that the student added."""

    key: str
    source: str
    question: str | None


@dataclass(frozen=True)
class Submission:
    """The parts of a student's file that are used: student, set and code, without texts, outputs and locked cells."""

    set: str | None  # the set of a graded notebook
    practice: str | None  # the chapter of a practice notebook
    seed: str
    student: str
    cells: tuple[StudentCell, ...]
    notes: tuple[str, ...]
    # Questions whose answer cell is not run, with the reason and the cell's content.
    unrun: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def parse_notebook(contents: bytes, name: str, set_name: str | None = None) -> Submission:
    """Parse a submitted notebook. Raises only BadSubmission, with a message for the report.

    `set_name` is the set of a notebook that lost its metadata, whose answers are then found by their variables; without it,
    such a notebook raises Stripped.
    """
    data = _loaded(contents)
    metadata = data.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    if isinstance(ours, dict) and isinstance(ours.get("forms"), str):
        raise BadSubmission(_FORMS)
    if not isinstance(ours, dict) and set_name is not None:
        ours = {"set": set_name}
    if not isinstance(ours, dict) or not (isinstance(ours.get("set"), str) or isinstance(ours.get("practice"), str)):
        raise Stripped("This notebook does not come from shardwise: its metadata name neither a set nor a chapter.")
    cells, notes, unrun = _cells(data)
    return Submission(
        set=_name(ours.get("set"), "set"),
        practice=_name(ours.get("practice"), "chapter"),
        seed=safe(str(ours.get("seed", "0")), 64),
        student=_name(ours.get("student"), "student") or name,
        cells=tuple(cells),
        notes=tuple(notes),
        unrun=unrun,
    )


def _loaded(contents: bytes) -> dict[str, Any]:
    try:
        text = contents.decode("utf-8-sig")  # some editors on Windows put a byte order mark before the text
    except UnicodeDecodeError:
        raise BadSubmission("This file is not UTF-8 text, so it is not a notebook.") from None
    if not text.strip():
        raise BadSubmission("This file is empty.")
    if contents.count(b"[") + contents.count(b"{") > BOUNDS.brackets:
        raise BadSubmission(f"This notebook has more than {BOUNDS.brackets:,} brackets. Clear its outputs.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, ValueError) else "its nesting is too deep"
        raise BadSubmission(f"This is not a notebook, because it is not valid JSON: {detail[:200]}.") from None
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise BadSubmission("This JSON file is not a notebook of format 4: it has no list of cells.")
    if data.get("nbformat") != 4:
        raise BadSubmission(
            f"This notebook has format {safe(str(data.get('nbformat')), 10)}, but only format 4 can be read. Save it with a current version of Jupyter."
        )
    if len(data["cells"]) > BOUNDS.cells:
        raise BadSubmission(f"This notebook has {len(data['cells']):,} cells, but the limit is {BOUNDS.cells:,}.")
    return data


def _cells(data: dict[str, Any]) -> tuple[list[StudentCell], list[str], dict[str, tuple[str, str]]]:
    """Return the code cells in order, without the set-up and unchanged check cells; notes; and answer cells that are not run.

    Code that a student added to a check cell runs too, as it did in the student's notebook, and may give the answer.
    """
    cells: list[StudentCell] = []
    notes: list[str] = []
    answered: dict[str, int] = {}
    unrun: dict[str, tuple[str, str]] = {}
    total = 0
    for number, cell in enumerate(data["cells"], start=1):
        if not isinstance(cell, dict):
            continue
        role, question = _role(cell)
        source, is_code = _source(cell), cell.get("cell_type") == "code"
        if role == "answer":
            source = _STUB_IN_BODY.sub(r"\1...", _STUB.sub("", source))
        if role == "check" and is_code and len(source) <= BOUNDS.cell_characters:
            source = _beside_check(source)
        if role == "setup" or (role == "check" and not (is_code and source.strip())):
            continue
        gives = role == "check" and (_GIVES.search(source) or _HANDED.search(source))
        answers = question if role == "answer" or gives else None
        if not is_code and not answers:
            continue
        why = _why_not_run(cell, source, total)
        if answers and (why or not source.strip()):
            unrun[answers] = why, source[: BOUNDS.cell_characters]
        if why:
            notes.append(f"Cell {number} {why} and was not run.")
            continue
        total += len(source)
        if role == "answer" and answers:
            answered[answers] = answered.get(answers, 0) + 1
        if source.strip():
            cells.append(StudentCell(f"cell-{number}", source, answers))
    notes += [f"{count} cells answer {name}; the last one counts." for name, count in answered.items() if count > 1]
    return cells, notes, unrun


def _beside_check(source: str) -> str:
    """Return the code that a student typed into a check cell, without our lines.

    Each of our lines becomes an empty line, so that an error names the right line of the cell.

    >>> _beside_check('from shardwise import check\\nhalf = 3\\ncheck("half", of="week-1")')
    '\\nhalf = 3\\n'
    """
    return "\n".join(
        ""
        if _OF_OURS.fullmatch(line.strip()) and line.count("(") == line.count(")") and not _HANDED.search(line)
        else line
        for line in source.split("\n")
    )


def _why_not_run(cell: dict[str, Any], source: str, before: int) -> str:
    """Return why a cell is not run, or an empty string; `before` is the amount of code before it."""
    if cell.get("cell_type") != "code":
        return "is not a code cell"
    if not isinstance(cell.get("source", ""), str | list):
        return "contains no text"
    if len(source) > BOUNDS.cell_characters or before + len(source) > BOUNDS.code_characters:
        return f"has {len(source):,} characters"
    return ""


def _role(cell: dict[str, Any]) -> tuple[str, str | None]:
    metadata = cell.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    if not isinstance(ours, dict):
        return "", None
    role, question = ours.get("role"), ours.get("question")
    return str(role)[:20], safe(question, 200) if isinstance(question, str) else None


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    # a lone surrogate is possible in JSON but not in a file; it becomes a question mark
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _name(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(SAFE_NAME, value):
        raise BadSubmission(f"This notebook's metadata name the {what} {str(value)[:40]!r}, which is not a valid name.")
    return value
