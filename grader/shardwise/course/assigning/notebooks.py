"""Notebooks: a chapter for practice or a student's set, as cells with metadata for shardwise and nbgrader.

They are plain data in Jupyter's format 4.5. Building them with nbformat would validate every cell, which takes longer than
drawing its question; instead, the tests validate each kind of notebook.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from keyword import iskeyword
from pathlib import Path
from typing import Any

from shardwise.bank.bank import Bank
from shardwise.bank.chapters import section_faults
from shardwise.bank.lesson import by_figures, figure_of, lesson_of, sections_of
from shardwise.bank.posing import pose
from shardwise.errors import Faulty, ShardwiseError
from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.markdown.html import keep_together
from shardwise.markdown.plain import to_plain
from shardwise.plugins import VERBS, added
from shardwise.question import Question, in_points

Cell = dict[str, Any]
Notebook = dict[str, Any]
PRACTICE_SEED = "0"  # every practice notebook starts from this seed; another() continues from it
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
_SHORT = 60  # characters of an example in a comment after code
_VERBS = ("another", "check", "figure", "hint", "practice", "progress", "solution")
_HOW_TO_TYPE = """Answer in the cell under each question, then run the cell below it to get feedback.

- `hint()` gives the next hint for the problem that you checked last, and `solution()` its worked solution.
- `another()` draws the same problem with new numbers. Every problem has many variants.
- `practice("name")` shows a question as a form, if you prefer buttons to cells."""
_HOW_TO_USE_FORMS = """Choose **Run → Run All Cells**. Every question becomes a form that gives feedback at once.

- *Hint* and *Solution* are under the form. *New numbers* draws another variant of the same problem; every problem has many variants.
- What you typed stays in this notebook when you save it.
- If you prefer typing, open the folded cell under a form, replace the three dots with your answer, and run that cell."""
_UNREADABLE = (
    "- An answer that cannot be read costs nothing. You can use any unit of the right kind: `1750 MB` is `1.75 GB`."
)


def chapter_notebook(bank: Bank, chapter: str, *, named: str | None = None, typed: bool = False) -> Notebook:
    """Return a chapter as a practice notebook: the lesson, and each question as a form with a cell for a typed answer.

    With `typed`, each question has an answer cell and a check cell instead of the form, so that shardwise and nbgrader can
    grade the notebook. If the chapter lists its problems by sections of the lesson, each section is followed by its problems.
    `named` is the notebook's name for the bank; without it, the notebook uses the shipped bank. Raises Faulty if a section is
    not in the lesson.
    """
    about = bank.chapters[chapter]
    if faults := section_faults(bank, chapter):
        raise Faulty(faults)
    lesson = lesson_cells(bank.lessons / chapter, chapter, named)
    start = [
        _intro(chapter, "How to practise" if about.sections else "Practice", typed=typed),
        _code(_setup(chapter, named), "setup", f"{chapter}-setup"),
    ]
    problems = iter(_problem_cells(bank, chapter, named, typed=typed))
    if about.sections:  # the set-up precedes the first problem
        opening = [section for heading, section in lesson if not heading]
        cells = [*chain.from_iterable(opening), *start]
        for heading, section in lesson[len(opening) :]:
            cells += [*section, *chain.from_iterable(islice(problems, len(about.sections.get(heading, ()))))]
    else:
        cells = [*chain.from_iterable(section for _, section in lesson), *start, *chain.from_iterable(problems)]
    if not typed:
        cells.append(_end(chapter, named))
    return _notebook(cells, {"practice" if typed else "forms": chapter, "seed": PRACTICE_SEED, "title": about.title})


def _problem_cells(bank: Bank, chapter: str, named: str | None, *, typed: bool) -> Iterator[list[Cell]]:
    """Yield the cells of each problem of a chapter: question, answer and check, or a form and a cell for a typed answer."""
    for problem in bank.of_chapter(chapter):
        question, number = pose(problem, PRACTICE_SEED), bank.label(problem.id)
        if typed:
            asked, answer = question_cells(question, number)
            answer["source"] = _with_solution_marked(answer["source"])
            yield [asked, answer, practice_check(question, named)]
        else:
            yield [_form(question, number, named), _typed_answer(question, named)]


def _with_solution_marked(source: str) -> str:
    """Return an answer cell with the marks between which nbgrader puts its stub; without them it removes the entire cell."""
    *skeleton, last = source.split("\n")
    if last.strip() != "...":  # otherwise the last line is the body of a function
        return f"{source}\n### BEGIN SOLUTION\n### END SOLUTION"
    indent = last.removesuffix("...")
    return "\n".join([*skeleton, f"{indent}### BEGIN SOLUTION", last, f"{indent}### END SOLUTION"])


def _is_verb(name: str) -> bool:
    """Return whether a notebook can import a name."""
    return name.isidentifier() and not iskeyword(name) and not name.startswith("_")


def _setup(chapter: str, named: str | None) -> str:
    """Return the first code cell: it imports the student's functions, shows progress, and names the bank."""
    call = _progress(chapter, named)
    verbs = (
        sorted({*_VERBS, *filter(_is_verb, added(VERBS))}) if named is None else _VERBS
    )  # the shipped bank adds functions that are always available with it
    return f"from shardwise import {', '.join(verbs)}\n\n{call}"


def _progress(chapter: str, named: str | None) -> str:
    return f"progress({json.dumps(chapter, ensure_ascii=False)}{_where(named)})"


def _end(chapter: str, named: str | None) -> Cell:
    """Return the last cell: it shows progress, and after Run All it brings the first open problem into view."""
    cell = _code(
        f"# The end of this chapter\nfrom shardwise import progress\n\n{_progress(chapter, named)}",
        "end",
        f"{chapter}-end",
    )
    cell["metadata"] |= _FOLDED
    return cell


def lesson_cells(folder: Path, chapter: str, named: str | None = None) -> list[tuple[str, list[Cell]]]:
    """Return the headings of a lesson with their cells: text with embedded figures, and interactive figures."""
    if not (folder / "lesson.md").exists():
        raise ShardwiseError(f"The chapter {chapter} has no lesson.md, which every notebook begins with.")
    found = []
    for number, section in enumerate(sections_of(lesson_of(folder))):
        cells = []
        for place, (text, figure) in enumerate(by_figures(section.text)):
            identity = f"{chapter}-lesson-{number}" + (f"-{place}" if place else "")
            cells += [_lesson_text(text, folder, identity)] if text else []
            cells += [_figure(figure, chapter, named)] if figure else []
        found.append((section.heading, cells))
    return found


def _lesson_text(text: str, folder: Path, identity: str) -> Cell:
    attachments = {name: _attachment(figure_of(folder, name)) for name in re.findall(r"\]\(figures/([\w.-]+)\)", text)}
    cell = _markdown(re.sub(r"\]\(figures/([\w.-]+)\)", r"](attachment:\1)", text), "lesson", identity)
    if attachments:
        cell["attachments"] = attachments
    return cell


def _figure(name: str, chapter: str, named: str | None) -> Cell:
    """Return the cell of an interactive figure. Its output is a line of text, because the lesson contains a still image."""
    cell = _code(
        f"from shardwise import figure\nfigure({json.dumps(name)}{_where(named)})", "figure", f"{chapter}-{name}"
    )
    cell["metadata"] |= _WHOLE
    text = "*To use this interactive figure, run this cell.*"
    shown = {"text/markdown": text, "text/plain": to_plain(text)}
    cell["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    return cell


def _attachment(picture: bytes) -> dict[str, str]:
    return {"image/png": base64.b64encode(picture).decode()}


def _intro(chapter: str, heading: str, *, typed: bool) -> Cell:
    how = _HOW_TO_TYPE if typed else _HOW_TO_USE_FORMS
    return _markdown(f"## {heading}\n\n{how}\n{_UNREADABLE}", "lesson", f"{chapter}-practice")


_FOLDED = {"jupyter": {"source_hidden": True}, "cellView": "form"}  # for Jupyter and VS Code; for Colab
_WHOLE = {"scrolled": False}  # otherwise Notebook 7 puts a tall output into a scrolling box


def _form(question: Question, number: str, named: str | None) -> Cell:
    """Return the cell of a question's form. Its output is the question as text, for readers without a kernel."""
    call = f"practice({json.dumps(question.slug)}{_where(named)})"
    source = (
        f"# {number} {question.title}\nfrom shardwise import practice\n\n{call}"  # a folded cell shows its first line
    )
    cell = _code(source, "form", f"{question.name}-form", question)
    cell["metadata"] |= _FOLDED | _WHOLE
    text = keep_together(f"{_headed(question, number)}\n\n*To answer in a form, run this cell.*")
    shown = {"text/markdown": text, "text/plain": to_plain(text)}
    cell["outputs"] = [{"output_type": "display_data", "data": shown, "metadata": {}}]
    return cell


def _typed_answer(question: Question, named: str | None) -> Cell:
    """Return a cell for a typed answer, as an alternative to the form; it also works after a restart of the kernel."""
    call = f"check({json.dumps(question.slug)}, ..., seed={question.seed}{_where(named)}){_such_as(question)}"
    source = f"# Or type your answer here, in place of the three dots\nfrom shardwise import check\n\n{call}"
    cell = _code(source, "typed", f"{question.name}-typed", question)
    cell["metadata"] |= _FOLDED
    return cell


def _such_as(question: Question) -> str:
    """Return a comment with an example answer, if it is short."""
    kind = kind_of(question)
    if kind.is_program:
        return f"  # the function {variable_of(question)}, defined in one of your cells"
    example = repr(kind.example(question.form))
    return f"  # such as {example}" if len(example) <= _SHORT else ""


def _where(named: str | None) -> str:
    return "" if named is None else f", bank={json.dumps(named, ensure_ascii=False)}"


def _headed(question: Question, number: str) -> str:
    points = in_points(question.points)
    return f"### {number} {question.title}\n\n*{points}, {question.difficulty}*\n\n{text_of(question)}"


def question_cells(question: Question, number: str) -> list[Cell]:
    """Return the cells with the question's text, under its number, and for its answer."""
    kind, variable = kind_of(question), variable_of(question)
    text = f"{_headed(question, number)}\n\n{kind.instruction(question.form, variable)}"
    answer = _code(kind.cells(question.form, variable), "answer", f"{question.name}-answer", question)
    answer["metadata"]["nbgrader"] = _nbgrader(f"{question.name}-answer", solution=True)
    return [_markdown(keep_together(text), "question", f"{question.name}-question", question), answer]


def practice_check(question: Question, named: str | None = None) -> Cell:
    """Return the cell that checks the answer above it; it also works after a restart of the kernel."""
    source = f'from shardwise import check\ncheck("{question.slug}"{_where(named)})'
    cell = _code(source, "check", f"{question.name}-check", question)
    cell["metadata"]["shardwise"]["seed"] = question.seed
    cell["metadata"]["nbgrader"] = _nbgrader(f"{question.name}-check", grade=True, locked=True, points=question.points)
    return cell


def set_notebook(
    questions: Sequence[Question], *, set_name: str, intro: str, closing: str, metadata: Mapping[str, Any]
) -> Notebook:
    """Return a student's graded notebook: questions, answer cells, and check cells that only show how an answer is read."""
    cells = [_markdown(intro, "lesson", "intro"), _set_up(questions, set_name)]
    for number, question in enumerate(questions, start=1):
        asked, answer = question_cells(question, f"{number}.")
        # For nbgrader it is a manually graded answer, because nothing in this notebook can judge it.
        answer["metadata"]["nbgrader"] = _nbgrader(
            f"{question.name}-answer", grade=True, solution=True, points=question.points
        )
        source = f'from shardwise import check\ncheck("{question.slug}", of="{set_name}")'
        cells += [asked, answer, _code(source, "check", f"{question.name}-check", question)]
    overview = f'from shardwise import check_all\ncheck_all(of="{set_name}")'
    cells += [_markdown(closing, "lesson", "hand-in"), _code(overview, "check", "check-all")]
    return _notebook(cells, metadata)


def _set_up(questions: Sequence[Question], set_name: str) -> Cell:
    """Return the folded cell that gives check() the data it needs to read answers, one line per question."""
    rows = "".join(f"    {question.slug!r}: {readable(question)!r},\n" for question in questions)
    source = (
        "# @title Set-up: run this cell first\n"
        "# check() needs this to read your answers. It contains no keys.\n"
        "from shardwise import another, check, check_all, handed_out, hint, practice, solution\n\n"
        f"handed_out({set_name!r}, {{\n{rows}}})"
    )
    cell = _code(source, "setup", "setup")
    cell["metadata"] |= _FOLDED
    return cell


def readable(question: Question) -> dict[str, Any]:
    """Return the data that is needed to read an answer to a question, but not to judge it."""
    about: dict[str, Any] = {"title": question.title, "kind": question.kind, "points": question.points}
    about["form"] = question.form.model_dump(mode="json", exclude_defaults=True)
    call = kind_of(question).trial(question)
    return about if call is None else {**about, "call": dict(call)}


def _nbgrader(
    grade_id: str, *, grade: bool = False, locked: bool = False, solution: bool = False, points: float | None = None
) -> dict[str, Any]:
    """Return a cell's metadata in nbgrader's schema, version 3."""
    cell: dict[str, Any] = {
        "schema_version": 3, "grade": grade, "locked": locked, "solution": solution, "task": False, "grade_id": grade_id
    }  # fmt: skip
    if points is not None:
        cell["points"] = points
    return cell


def _ours(role: str, question: Question | None) -> dict[str, Any]:
    return {"role": role} if question is None else {"role": role, "question": question.cell}


def _markdown(source: str, role: str, identity: str, question: Question | None = None) -> Cell:
    return {"cell_type": "markdown", **_common(source, role, identity, question)}


def _code(source: str, role: str, identity: str, question: Question | None = None) -> Cell:
    empty = {"execution_count": None, "outputs": list[Any]()}
    return {"cell_type": "code", **_common(source, role, identity, question), **empty}


def _common(source: str, role: str, identity: str, question: Question | None) -> Cell:
    name = _cell_id(identity)
    return {
        "id": name,
        "metadata": {"shardwise": _ours(role, question), "nbgrader": _nbgrader(name, locked=True)},
        "source": source,
    }


def _cell_id(text: str) -> str:
    return re.sub(r"[^a-zA-Z0-9_-]", "-", text)[:64]


def _notebook(cells: Iterable[Cell], metadata: Mapping[str, Any]) -> Notebook:
    about = {"kernelspec": _KERNEL, "language_info": {"name": "python"}, "shardwise": dict(metadata)}
    return {"cells": list(cells), "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def file_text(notebook: Notebook) -> str:
    """Return the text of a notebook's file, with sorted keys, so that equal notebooks are equal files."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def compact_text(notebook: Notebook) -> str:
    """Return the same text with one cell per line, which is much faster, for the notebooks of a class."""
    cells = ",\n".join(json.dumps(cell, ensure_ascii=False, sort_keys=True) for cell in notebook["cells"])
    rest = json.dumps({name: notebook[name] for name in sorted(notebook) if name != "cells"}, ensure_ascii=False)
    return f'{{"cells": [\n{cells}\n],\n{rest[1:]}\n'
