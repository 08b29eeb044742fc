"""Notebooks: a chapter for practice, or a student's set, as cells with metadata that nbgrader and we understand."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from pprint import pformat
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from shardwise.bank.bank import Bank, pose
from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.question import Question

PRACTICE_SEED = "0"  # every practice notebook starts from this seed; another() goes on from it
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_VERBS = "from shardwise import another, check, hint, practice, solution"


def chapter_notebook(bank: Bank, chapter: str) -> nbformat.NotebookNode:
    """A chapter as a practice notebook: lesson, questions, an answer cell and a check cell each."""
    about = bank.chapters[chapter]
    folder = bank.root / chapter
    cells = [*lesson_cells(folder, chapter), _intro(chapter), _code(_VERBS, "setup", f"{chapter}-setup")]
    for number, problem in enumerate(bank.of_chapter(chapter), start=1):
        question = pose(problem, PRACTICE_SEED)
        cells += question_cells(question, number)
        cells.append(practice_check(question))
    metadata = {"practice": chapter, "seed": PRACTICE_SEED, "title": about.title}
    return _notebook(cells, metadata)


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
        '- `practice("name")` shows a number, a choice or a bug hunt as a form, if you prefer buttons to cells.\n'
        "- An answer that cannot be read costs nothing. Numbers take any unit of the right kind: `1750 MB` is `1.75 GB`.",
        "lesson",
        f"{chapter}-practice",
    )


def question_cells(question: Question, number: int) -> list[nbformat.NotebookNode]:
    """The question's text, and the cell for its answer."""
    kind = kinds()[question.kind]
    variable = kind.variable(question.form, question.variable)
    points = f"{question.points:g} point{'' if question.points == 1 else 's'}"
    text = (
        f"### {number}. {question.title}\n\n*{points}, {question.difficulty}*\n\n{question.prompt}\n\n"
        f"{kind.instruction(question.form, variable)}"
    )
    answer = _code(kind.cells(question.form, variable), "answer", f"{question.slug}-answer", question)
    answer.metadata["nbgrader"] = _nbgrader(f"{question.slug}-answer", solution=True)
    return [_markdown(text, "question", f"{question.slug}-question", question), answer]


def practice_check(question: Question) -> nbformat.NotebookNode:
    """The cell that marks an answer; its value is the points, which is what nbgrader reads."""
    cell = _code(f'check("{question.slug}").score()', "check", f"{question.slug}-check", question)
    cell.metadata["nbgrader"] = _nbgrader(f"{question.slug}-check", grade=True, locked=True, points=question.points)
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
            f"{question.slug}-answer", grade=True, solution=True, points=question.points
        )
        check = _code(f'check("{question.slug}")', "check", f"{question.slug}-check", question)
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
    return {"role": role} if question is None else {"role": role, "question": question.id}


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


def text_of(notebook: nbformat.NotebookNode) -> str:
    """The notebook as the bytes of its file: sorted keys, so that the same notebook is the same file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def render(bank: Bank, out: Path, *, check: bool, force: bool = False) -> list[Path]:
    """Write every chapter's notebook into `out`; with `check` write nothing. Gives the files that differed.

    Raises ShardwiseError, before anything is written, when somebody has worked in one that would be overwritten.
    """
    texts = {out / f"{chapter}.ipynb": text_of(chapter_notebook(bank, chapter)) for chapter in bank.chapters}
    drifted = [path for path, text in texts.items() if not path.exists() or path.read_text("utf-8") != text]
    if check:
        return drifted + [path for path in sorted(out.glob("*.ipynb")) if path not in texts]
    used = [] if force else [path for path in drifted if path.exists() and _worked_in(path.read_text("utf-8"))]
    if used:
        names = ", ".join(map(str, used))
        raise ShardwiseError(
            f"{names}: somebody has run cells there. Move it away, give another --out, or use --force."
        )
    out.mkdir(parents=True, exist_ok=True)
    for path in drifted:
        path.write_text(texts[path], "utf-8")
    return drifted


def _worked_in(text: str) -> bool:
    """Whether a notebook has been run: what we write has neither outputs nor counts."""
    return bool(re.search(r'"execution_count": \d|"output_type"', text))
