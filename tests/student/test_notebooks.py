"""Notebooks in a real Jupyter kernel, as a student runs them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from checkout import ROOT, checkout_bank
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.posing import pose
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.clearing import clear_notebook
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.notebooks import (
    PRACTICE_SEED,
    chapter_notebook,
    file_text,
    lesson_cells,
    practice_check,
)
from shardwise.course.assigning.rendering import render
from shardwise.course.assigning.simulated_class import fill, mistaken, right
from shardwise.errors import ShardwiseError
from shardwise.kinds import text_of
from shardwise.markdown.html import keep_together

NOTEBOOKS = ROOT / "notebooks"
CHAPTERS = list(checkout_bank().chapters)
pytestmark = pytest.mark.filterwarnings("ignore")  # jupyter_client and zmq warn about their own sockets


def _run(notebook: object, folder_: Path, *, allow_errors: bool = False) -> nbformat.NotebookNode:
    """Run a notebook in a real kernel and return it; an error in any cell fails the test."""
    node = nbformat.reads(json.dumps(notebook), as_version=4)
    NotebookClient(
        node, timeout=60, allow_errors=allow_errors, resources={"metadata": {"path": str(folder_)}}
    ).execute()
    return node


def _run_in_turn(notebooks: Sequence[dict[str, Any]], folder: Path) -> list[nbformat.NotebookNode]:
    """Run notebooks one after another in one kernel, which takes a second to start, and return them."""
    cells = [{**cell, "id": f"{turn}-{cell['id']}"} for turn, made in enumerate(notebooks) for cell in made["cells"]]
    ran = iter(_run({**notebooks[0], "cells": cells}, folder).cells)
    return [nbformat.v4.new_notebook(cells=[next(ran) for _ in made["cells"]]) for made in notebooks]


def _texts(node: nbformat.NotebookNode, kind: str) -> list[str]:
    return [
        output["data"][kind]
        for cell in node.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


@pytest.fixture(autouse=True)
def _bank_of_this_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make practice notebooks find this bank, wherever they are."""
    monkeypatch.setenv("SHARDWISE_BANK", str(ROOT))


@pytest.mark.parametrize(
    "chapters",
    [CHAPTERS[:1], pytest.param(CHAPTERS[1:], marks=pytest.mark.slow)],
    ids=["the first", "the others in one kernel"],
)
def test_a_rendered_notebook_runs_clean_from_top_to_bottom(chapters: list[str], tmp_path: Path) -> None:
    handed_out = [json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text("utf-8")) for chapter in chapters]
    for notebook in handed_out:  # names from another notebook must not help
        notebook["cells"].insert(0, {**nbformat.v4.new_code_cell("%reset -f"), "id": "reset"})
    for chapter, node in zip(chapters, _run_in_turn(handed_out, tmp_path), strict=True):
        said = _texts(node, "text/plain")
        assert not any("No answer yet" in text for text in said), chapter  # cells in which nothing was typed are silent
        streams = [cell for cell in node.cells for output in cell.get("outputs", []) if output.output_type == "stream"]
        assert streams == [], chapter


def test_right_answers_earn_every_point_and_mistakes_are_named(whole_bank: Bank, tmp_path: Path) -> None:
    chapter = "01-ring-all-reduce"
    questions = [pose(problem, PRACTICE_SEED) for problem in whole_bank.of_chapter(chapter)]
    fresh = file_text(chapter_notebook(whole_bank, chapter, typed=True))
    handed_in = [fill(json.loads(fresh), questions, write) for write in (right, mistaken)]
    for notebook in handed_in:  # its lesson runs in another test
        notebook["cells"] = [cell for cell in notebook["cells"] if cell["metadata"]["shardwise"]["role"] != "lesson"]
    node, again = _run_in_turn(handed_in, tmp_path)
    heads = [text.partition("\n")[0].removesuffix("s") for text in _texts(node, "text/plain")]
    assert [head for head in heads if " · " in head] == [  # the other outputs are interactive figures
        f"✓ Correct · {question.points:g} of {question.points:g} point" for question in questions
    ]
    html = "\n".join(_texts(again, "text/html"))
    first = next(question for question in questions if question.slug == "bytes-per-gpu")
    assert "You counted one phase" in html
    assert first.key.model_dump()["mistakes"][0]["say"].split(".")[0] in html
    assert "<script" not in html


@pytest.mark.slow
def test_a_check_cell_alone_marks_what_is_on_the_screen(whole_bank: Bank, tmp_path: Path) -> None:
    """This holds right after a restart, with errors in answer cells, and whatever another() has drawn."""
    question = pose(whole_bank.find("bytes-per-gpu"), PRACTICE_SEED)
    check = practice_check(question)["source"]
    right_, wrong = right(question), 'bytes_per_gpu = "1 B"'
    cells = [
        check,
        right_,
        check,
        "bytes_per_gpu = 1.75 GB",  # a syntax error: the variable still holds the earlier, right answer
        check,
        "bytes_per_gpu = 1.75 * gigabyte",
        check,
        f"{wrong}\n1 / 0",  # this one was set before the cell stopped
        check,
        "from shardwise import another\nanother('bytes-per-gpu')",
        right_,
        check,
    ]
    node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    said = _texts(_run(node, tmp_path, allow_errors=True), "text/plain")
    assert said.pop(5).startswith("### How much does each GPU send?")
    heads = [text.partition("\n")[0] for text in said]
    full, none, stopped = "✓ Correct · 2 of 2 points", "○ No answer yet", "? Unreadable"
    assert heads == [none, full, stopped, stopped, "✗ Not yet · 0 of 2 points", full]
    assert "The cell that sets bytes_per_gpu stopped: SyntaxError: invalid" in said[2]
    assert "The variable still holds its old value, which does not count." in said[2]
    assert "stopped: NameError: name 'gigabyte' is not defined" in said[3]


def test_a_graded_notebook_says_how_answers_are_read_and_never_whether_they_are_right(
    whole_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHARDWISE_BANK", str(tmp_path / "nowhere"))  # it needs no bank
    slugs = [
        "bytes-per-gpu",
        "ring-or-tree",
        "order-ring-events",
        "bytes-per-gpu-formula",
        "ring-time-function",
        "ring-time-bug",
    ]
    definition = SetDefinition.model_validate({"name": "w", "title": "Week", "problems": slugs})
    lock = Lock(assign(whole_bank, definition, [Student("ada", "Ada")], bytes(32), tmp_path).lock, bytes(32))
    text = (tmp_path / "notebooks" / "ada" / "w.ipynb").read_text("utf-8")
    answered = {right: "6 answered.", mistaken: "5 answered, 1 incomplete."}  # the mistaken hunt lacks its input
    handed_in = [fill(json.loads(text), lock.questions("ada"), write) for write in answered]
    for node, counted in zip(_run_in_turn(handed_in, tmp_path), answered.values(), strict=True):
        ready, *said, overview = _texts(node, "text/plain")
        assert ready == "Ready: 6 questions."
        assert overview.startswith(f"{counted} This does not say whether an answer is right.")
        assert len(said) == len(slugs)
        for told in said:
            assert "It will be marked after you hand in." in told or "Not answered yet: input." in told
            assert not any(word in told for word in ("Correct", "Not yet", "Partly", "points", "phase"))


def test_a_graded_notebook_begins_with_what_a_student_needs_and_its_set_up_is_folded_away(
    whole_bank: Bank, tmp_path: Path
) -> None:
    about = {"name": "w", "title": "Week", "problems": ["ring-time", "ring-time-bug"], "attempts": 2}
    due, where = "2026-12-01T23:59:00+01:00", "Upload it to [the course page](https://example.org)."
    definition = SetDefinition.model_validate({**about, "due": due, "hand_in": where})
    assign(whole_bank, definition, [Student("ada", "Ada Arnold")], bytes(32), tmp_path)
    cells = json.loads((tmp_path / "notebooks" / "ada" / "w.ipynb").read_text("utf-8"))["cells"]
    first, set_up, closing = cells[0]["source"], cells[1], cells[-2]["source"]
    assert "**Ada Arnold**: 2 questions, 5 points, **due Tuesday, 1 December 2026, 23:59 (UTC+01:00)**." in first
    for text in (first, closing):
        assert text.endswith(f"{where} You can hand in 2 times; the last submission counts.")
    assert set_up["metadata"]["jupyter"]["source_hidden"] and set_up["metadata"]["cellView"] == "form"
    assert set_up["source"].startswith("# @title Set-up: run this cell first\n")
    assert set_up["source"].count("\n") < 10
    assert "check_all(of=" in cells[-1]["source"]


def test_lessons_carry_pictures_that_jupyterlab_shows(whole_bank: Bank) -> None:
    for chapter in whole_bank.chapters:
        cells = lesson_cells(whole_bank.lessons / chapter, chapter)
        pictures = [
            kind
            for _, section in cells
            for cell in section
            for picture in cell.get("attachments", {}).values()
            for kind in picture
        ]
        assert len(pictures) >= 2
        assert set(pictures) == {"image/png"}  # Lab resolves attachments of raster images only


def test_a_form_is_the_question_as_text_until_its_cell_is_run(whole_bank: Bank) -> None:
    notebook = chapter_notebook(whole_bank, "01-ring-all-reduce")
    nbformat.validate(nbformat.from_dict(notebook))
    question = pose(whole_bank.find("bytes-per-gpu"), PRACTICE_SEED)
    form, typed = (cell for cell in notebook["cells"] if cell["metadata"]["shardwise"].get("question") == question.cell)
    assert form["source"].endswith('practice("bytes-per-gpu")')
    assert form["metadata"]["scrolled"] is False  # otherwise Notebook 7 would put a tall form into a scrolling box
    (output,) = form["outputs"]
    assert keep_together(text_of(question)) in output["data"]["text/markdown"]
    assert typed["source"].splitlines()[-1].startswith('check("bytes-per-gpu", ..., seed=0)  # such as ')
    assert typed["metadata"]["jupyter"] == form["metadata"]["jupyter"] == {"source_hidden": True}
    assert output["data"]["text/markdown"].startswith("### 1.3 How much does each GPU send?")


def test_a_cleared_notebook_is_as_it_was_rendered(whole_bank: Bank, tmp_path: Path) -> None:
    fresh, path = chapter_notebook(whole_bank, "02-zero"), tmp_path / "mine.ipynb"
    own = {**nbformat.v4.new_code_cell("mine = 1"), "id": "my-own", "execution_count": 7}
    for typed in (False, True):
        fresh = chapter_notebook(whole_bank, "02-zero", typed=typed)
        worked: dict[str, Any] = json.loads(file_text(fresh))
        for cell in worked["cells"]:
            if cell["metadata"]["shardwise"]["role"] in ("typed", "answer"):
                cell |= {"source": cell["source"].replace("...", "12 * 3"), "execution_count": 3, "outputs": []}
        count = sum(cell.get("execution_count") == 3 for cell in worked["cells"])
        worked["cells"].append(own)
        worked["metadata"]["shardwise"]["drafts"] = {"answer 02-zero/x 0": "12"}
        worked["metadata"]["widgets"] = {}
        path.write_text(json.dumps(worked), "utf-8")
        done = clear_notebook(Banks([whole_bank]), path)
        assert (done.drafts, done.outputs, done.kept) == (1, count + 1, 1) and 0 < done.answers <= count
        cleared = json.loads(path.read_text("utf-8"))
        assert cleared["cells"].pop() == {**own, "execution_count": None}
        assert cleared == fresh
    path.write_text('{"cells": [], "metadata": {"shardwise": {"set": "week-1"}}}')
    with pytest.raises(ShardwiseError, match="it is a graded notebook"):
        clear_notebook(Banks([whole_bank]), path)
    path.write_text("{}")
    with pytest.raises(ShardwiseError, match="it is not a notebook of shardwise"):
        clear_notebook(Banks([whole_bank]), path)


@pytest.fixture
def banks() -> Banks:
    """Return the small bank of examples/. `make test` renders the shipped bank anyway, which takes six seconds."""
    return Banks([Bank.open(ROOT / "examples" / "bank")])


def test_render_writes_what_check_accepts_and_check_sees_drift(banks: Banks, tmp_path: Path) -> None:
    [path] = render(banks, tmp_path, check=False)
    assert render(banks, tmp_path, check=True) == []
    path.write_text(path.read_text("utf-8").replace("loan", "lone", 1), "utf-8")
    (tmp_path / "99-gone.ipynb").write_text("{}", "utf-8")
    assert render(banks, tmp_path, check=True) == [path, tmp_path / "99-gone.ipynb"]


def test_render_never_writes_over_a_notebook_that_somebody_has_worked_in(banks: Banks, tmp_path: Path) -> None:
    [path] = render(banks, tmp_path, check=False)
    worked = path.read_text("utf-8").replace('"execution_count": null', '"execution_count": 3', 1)
    path.write_text(worked, "utf-8")
    with pytest.raises(ShardwiseError, match="it contains work"):
        render(banks, tmp_path, check=False)
    assert path.read_text("utf-8") == worked
    assert render(banks, tmp_path, check=False, force=True) == [path]
