"""Notebooks: a chapter for practice, or a student's set, as cells with metadata that nbgrader and we understand."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from pprint import pformat
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from shardwise.atomic_files import write
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.compiled import cache_folder
from shardwise.bank.digests import package_digest
from shardwise.bank.discovery import shipped
from shardwise.bank.posing import pose
from shardwise.errors import ShardwiseError
from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.question import Question

PRACTICE_SEED = "0"  # every practice notebook starts from this seed; another() goes on from it
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_VERBS = ("another", "check", "hint", "practice", "solution")


def chapter_notebook(bank: Bank, chapter: str, *, named: str | None = None) -> nbformat.NotebookNode:
    """A chapter as a practice notebook: lesson, questions, an answer cell and a check cell each.

    `named` is where the notebook finds the bank; without it, the notebook practises the shipped one.
    """
    about = bank.chapters[chapter]
    folder = bank.lessons / chapter
    cells = [*lesson_cells(folder, chapter), _intro(chapter), _code(_setup(named), "setup", f"{chapter}-setup")]
    for number, problem in enumerate(bank.of_chapter(chapter), start=1):
        question = pose(problem, PRACTICE_SEED)
        cells += question_cells(question, number)
        cells.append(practice_check(question))
    metadata = {"practice": chapter, "seed": PRACTICE_SEED, "title": about.title}
    return _notebook(cells, metadata)


def _setup(named: str | None) -> str:
    """The first code cell: the student's verbs, and where the problems are."""
    if named is None:
        return f"from shardwise import {', '.join(_VERBS)}"
    return f"from shardwise import {', '.join((*_VERBS, 'use_bank'))}\n\nuse_bank({named!r})"


def lesson_cells(folder: Path, chapter: str) -> list[nbformat.NotebookNode]:
    """The lesson, one cell a section, with its pictures inside the cells."""
    if not (folder / "lesson.md").exists():
        raise ShardwiseError(f"The chapter {chapter} has no lesson.md; every notebook begins with one.")
    text = (folder / "lesson.md").read_text("utf-8").strip()
    cells = []
    for number, section in enumerate(re.split(r"\n(?=## )", text)):
        attachments: dict[str, dict[str, str]] = {}
        for name in re.findall(r"\]\(figures/([\w.-]+)\)", section):
            attachments[name] = _attachment(folder / "figures" / name)
        source = re.sub(r"\]\(figures/([\w.-]+)\)", r"](attachment:\1)", section)
        cell = _markdown(source.strip(), "lesson", f"{chapter}-lesson-{number}")
        if attachments:
            cell["attachments"] = attachments
        cells.append(cell)
    return cells


def _attachment(path: Path) -> dict[str, str]:
    return {"image/png": base64.b64encode(path.read_bytes()).decode()}


def _intro(chapter: str) -> nbformat.NotebookNode:
    return _markdown(
        "## Practice\n\n"
        "Answer in the cell under each question and run the cell below it: the feedback comes at once.\n\n"
        "- `hint()` gives the next hint for the problem that you checked last, `solution()` its worked solution.\n"
        "- `another()` draws the same problem with new numbers. Every problem has many variants.\n"
        '- `practice("name")` shows a question as a form, if you prefer buttons to cells.\n'
        "- An answer that cannot be read costs nothing. Numbers take any unit of the right kind: `1750 MB` is `1.75 GB`.",
        "lesson",
        f"{chapter}-practice",
    )


def question_cells(question: Question, number: int) -> list[nbformat.NotebookNode]:
    """The question's text, and the cell for its answer."""
    kind, variable = kind_of(question), variable_of(question)
    points = f"{question.points:g} point{'' if question.points == 1 else 's'}"
    text = (
        f"### {number}. {question.title}\n\n*{points}, {question.difficulty}*\n\n{text_of(question)}\n\n"
        f"{kind.instruction(question.form, variable)}"
    )
    answer = _code(kind.cells(question.form, variable), "answer", f"{question.name}-answer", question)
    answer.metadata["nbgrader"] = _nbgrader(f"{question.name}-answer", solution=True)
    return [_markdown(text, "question", f"{question.name}-question", question), answer]


def practice_check(question: Question) -> nbformat.NotebookNode:
    """The cell that marks an answer; its value is the points, which is what nbgrader reads."""
    cell = _code(f'check("{question.slug}").score()', "check", f"{question.name}-check", question)
    cell.metadata["nbgrader"] = _nbgrader(f"{question.name}-check", grade=True, locked=True, points=question.points)
    return cell


def set_notebook(
    questions: Sequence[Question], *, intro: str, setup: Mapping[str, Any], metadata: Mapping[str, Any]
) -> nbformat.NotebookNode:
    """A student's graded notebook: questions and answer cells; check cells say how answers are read, no more."""
    source = (
        "# Run this cell first. It lets check() read your answers; it holds no keys.\nimport shardwise\n\n"
        f"check = shardwise.handed_out(\n{pformat(dict(setup), width=110, sort_dicts=False)}\n).check"
    )
    cells = [_markdown(intro, "lesson", "intro"), _code(source, "setup", "setup")]
    for number, question in enumerate(questions, start=1):
        asked, answer = question_cells(question, number)
        # In nbgrader's terms a manually graded answer: nothing in this notebook can judge it.
        answer.metadata["nbgrader"] = _nbgrader(
            f"{question.name}-answer", grade=True, solution=True, points=question.points
        )
        check = _code(f'check("{question.slug}")', "check", f"{question.name}-check", question)
        cells += [asked, answer, check]
    return _notebook(cells, metadata)


def _nbgrader(
    grade_id: str, *, grade: bool = False, locked: bool = False, solution: bool = False, points: float | None = None
) -> dict[str, Any]:
    """Metadata of nbgrader's schema, version 3."""
    cell: dict[str, Any] = {
        "schema_version": 3, "grade": grade, "locked": locked, "solution": solution, "task": False, "grade_id": grade_id
    }  # fmt: skip
    if points is not None:
        cell["points"] = points
    return cell


def _ours(role: str, question: Question | None) -> dict[str, Any]:
    return {"role": role} if question is None else {"role": role, "question": question.cell}


def _markdown(source: str, role: str, identity: str, question: Question | None = None) -> nbformat.NotebookNode:
    cell: nbformat.NotebookNode = new_markdown_cell(source, id=_cell_id(identity))
    cell.metadata["shardwise"] = _ours(role, question)
    cell.metadata["nbgrader"] = _nbgrader(_cell_id(identity), locked=True)
    return cell


def _code(source: str, role: str, identity: str, question: Question | None = None) -> nbformat.NotebookNode:
    cell: nbformat.NotebookNode = new_code_cell(source, id=_cell_id(identity))
    cell.metadata["shardwise"] = _ours(role, question)
    cell.metadata["nbgrader"] = _nbgrader(_cell_id(identity), locked=True)
    return cell


def _cell_id(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "-", text)[:64]


def _notebook(cells: Iterable[nbformat.NotebookNode], metadata: Mapping[str, Any]) -> nbformat.NotebookNode:
    made: nbformat.NotebookNode = new_notebook(cells=list(cells))
    made.metadata = nbformat.from_dict({
        "kernelspec": _KERNEL, "language_info": {"name": "python"}, "shardwise": dict(metadata)
    })  # fmt: skip
    nbformat.validate(made)
    return made


def file_text(notebook: nbformat.NotebookNode) -> str:
    """The notebook as the bytes of its file: sorted keys, so that the same notebook is the same file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def render(banks: Banks, out: Path, *, check: bool, force: bool = False) -> list[Path]:
    """Write every chapter's notebook into `out`; with `check` write nothing. Gives the files that differed.

    Raises ShardwiseError, before anything is written, when somebody has worked in a notebook that would be overwritten.
    """
    remembered = _Remembered()
    wanted = {out / f"{chapter}.ipynb": chapter for chapter in banks.chapters}
    texts: dict[Path, str] = {}
    for path, chapter in wanted.items():
        bank = banks.of(chapter)
        named = _named(bank, out)
        key = f"{package_digest()} {bank.digest} {chapter} {named}"
        present = path.read_text("utf-8") if path.exists() else None
        if present is None or remembered.digests.get(key) != _digest(present):
            text = file_text(chapter_notebook(bank, chapter, named=named))
            remembered.digests[key] = _digest(text)
            if text != present:
                texts[path] = text
    remembered.keep()
    if check:
        return [*texts, *(path for path in sorted(out.glob("*.ipynb")) if path not in wanted)]
    used = [] if force else [path for path in texts if path.exists() and _worked_in(path.read_text("utf-8"))]
    if used:
        names = ", ".join(map(str, used))
        raise ShardwiseError(
            f"{names}: somebody has run cells there. Move it away, give another --out, or use --force."
        )
    for path, text in texts.items():
        write(path, text.encode())
    return list(texts)


def _named(bank: Bank, out: Path) -> str | None:
    """How a notebook in `out` names its bank: not at all when it is the shipped one."""
    with suppress(ShardwiseError):
        if bank.folder == shipped():
            return None
    return Path(os.path.relpath(bank.folder, out.resolve())).as_posix()


class _Remembered:
    """Digests of notebooks that were rendered before, by all that they are made of: what is unchanged is not made anew."""

    def __init__(self) -> None:
        self._file = cache_folder() / "rendered.json"
        self.digests: dict[str, str] = {}
        with suppress(OSError, ValueError, TypeError, RecursionError):
            self.digests = dict(json.loads(self._file.read_bytes()))
        self._before = dict(self.digests)

    def keep(self) -> None:
        """Write what is new; a cache folder that cannot be written is no fault, only slow."""
        if self.digests != self._before:
            newest = dict(list(self.digests.items())[-500:])
            with suppress(OSError):
                write(self._file, json.dumps(newest).encode())


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _worked_in(text: str) -> bool:
    """Whether a notebook has been run: what we write has neither outputs nor counts."""
    return bool(re.search(r'"execution_count": \d|"output_type"', text))
