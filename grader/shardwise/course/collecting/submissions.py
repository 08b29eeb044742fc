"""What a submitted notebook holds: read with suspicion, and reduced to the code that is to be run."""

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
    "This practice notebook shows its questions as forms, which mark each answer as it is given, so there is nothing to grade. "
    "`shardwise render --typed` writes notebooks with answer cells."
)
# In a check cell: a line of ours, an answer that is handed to check, and what gives a name a value.
_OF_OURS = re.compile(r"(?:(?:from|import) shardwise\b|(?:shardwise\.)?(?:check\w*|another|hint|solution)\()[^;]*;?")
_HANDED = re.compile(r"check\([\"'][\w-]*[\"'],(?! *\w+ *=)")
_GIVES = re.compile(r"(?:^|;) *(?:def |[\w.]+ *(?:, *[\w.]+ *)*(?::[^=;\n]*)?=(?!=))", re.MULTILINE)
# What nbgrader puts in place of a solution (nbgrader/preprocessors/clearsolutions.py), and marks where it does.
_STUB = re.compile(
    r"^[ \t]*### (?:BEGIN|END) SOLUTION[ \t]*$|^[ \t]*# YOUR CODE HERE[ \t]*$|^raise NotImplementedError\(\)[ \t]*$",
    re.MULTILINE,
)
_STUB_IN_BODY = re.compile(r"^([ \t]+)raise NotImplementedError\(\)[ \t]*$", re.MULTILINE)


class Stripped(BadSubmission):
    """A notebook without our metadata: some editors save none."""


@dataclass(frozen=True)
class StudentCell:
    """A code cell to be run: the answer to a question, or a cell the student added."""

    key: str
    source: str
    question: str | None


@dataclass(frozen=True)
class Submission:
    """What is taken from a student's file: who, which set, and code. Texts, outputs and locked cells are not."""

    set: str | None  # of a graded notebook
    practice: str | None  # the chapter of a practice notebook
    seed: str
    student: str
    cells: tuple[StudentCell, ...]
    notes: tuple[str, ...]
    # Questions with an answer cell that is not run: why, and what it holds.
    unrun: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def parse_notebook(contents: bytes, name: str, set_name: str | None = None) -> Submission:
    """What a submitted notebook holds. Raises BadSubmission, in words for the report, and nothing else.

    `set_name` is the set of a notebook that lost its metadata; without it such a one is refused, with Stripped. Its answers are
    found by their variables alone.
    """
    data = _loaded(contents)
    metadata = data.get("metadata")
    ours = metadata.get("shardwise") if isinstance(metadata, dict) else None
    if isinstance(ours, dict) and isinstance(ours.get("forms"), str):
        raise BadSubmission(_FORMS)
    if not isinstance(ours, dict) and set_name is not None:
        ours = {"set": set_name}
    if not isinstance(ours, dict) or not (isinstance(ours.get("set"), str) or isinstance(ours.get("practice"), str)):
        raise Stripped("This notebook does not come from shardwise: its metadata name no set and no chapter.")
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
        text = contents.decode("utf-8-sig")  # some editors of Windows put a mark before the text
    except UnicodeDecodeError:
        raise BadSubmission("This file is not UTF-8 text, so it is no notebook.") from None
    if not text.strip():
        raise BadSubmission("This file is empty.")
    if contents.count(b"[") + contents.count(b"{") > BOUNDS.brackets:
        raise BadSubmission(f"This notebook has more than {BOUNDS.brackets:,} brackets. Clear its outputs.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        detail = str(error) if isinstance(error, ValueError) else "its nesting is too deep"
        raise BadSubmission(f"This is not a notebook: {detail[:200]}.") from None
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise BadSubmission("This is JSON, and no notebook of format 4: it has no list of cells.")
    if data.get("nbformat") != 4:
        raise BadSubmission(
            f"This notebook has format {safe(str(data.get('nbformat')), 10)}; format 4 is read. Save it with a current Jupyter."
        )
    if len(data["cells"]) > BOUNDS.cells:
        raise BadSubmission(f"This notebook has {len(data['cells']):,} cells; {BOUNDS.cells:,} are read.")
    return data


def _cells(data: dict[str, Any]) -> tuple[list[StudentCell], list[str], dict[str, tuple[str, str]]]:
    """The code cells in order, without the setup, and the checks as they were handed out. And what is not run.

    What was added to a check cell runs too, as it did in the student's notebook, and answers where it gives something.
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
    notes += [f"{count} cells answer {name}; the last value counts." for name, count in answered.items() if count > 1]
    return cells, notes, unrun


def _beside_check(source: str) -> str:
    """What a student typed into a check cell, without the lines that we had put there.

    An empty line stands for each of ours, so that an error in the student's code names the line where it is in the notebook.

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
    """What is wrong with a cell of which nothing is run; `before` is how much code stands before it."""
    if cell.get("cell_type") != "code":
        return "is no code cell"
    if not isinstance(cell.get("source", ""), str | list):
        return "holds no text"
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
    # a lone surrogate can stand in JSON and in no file; it becomes a question mark
    return source.encode("utf-8", "replace").decode("utf-8") if isinstance(source, str) else ""


def _name(value: Any, what: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(SAFE_NAME, value):
        raise BadSubmission(f"This notebook's metadata name the {what} {str(value)[:40]!r}, which is no name of ours.")
    return value
