"""Notebooks in a real Jupyter kernel, as a student runs them."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from checkout import ROOT, checkout_bank
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank
from shardwise.course.assignments import SetDefinition, Student, assign
from shardwise.course.lockfile import Lock
from shardwise.course.notebooks import PRACTICE_SEED, chapter_notebook, file_text, lesson_cells
from shardwise.course.rendering import render
from shardwise.course.simulated_class import fill, mistaken, right
from shardwise.errors import ShardwiseError
from shardwise.kinds import text_of

NOTEBOOKS = ROOT / "notebooks"
pytestmark = pytest.mark.filterwarnings("ignore")  # jupyter_client and zmq warn about their own sockets


def _run(notebook: object, folder_: Path) -> nbformat.NotebookNode:
    """The notebook after a real kernel has run all of it; an error in any cell fails the test."""
    node = nbformat.reads(json.dumps(notebook), as_version=4)
    NotebookClient(node, timeout=60, resources={"metadata": {"path": str(folder_)}}).execute()
    return node


def _texts(node: nbformat.NotebookNode, kind: str) -> list[str]:
    return [
        output["data"][kind]
        for cell in node.cells
        for output in cell.get("outputs", [])
        if kind in output.get("data", {})
    ]


@pytest.fixture(autouse=True)
def _bank_of_this_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bank that a practice notebook finds, wherever it lies."""
    monkeypatch.setenv("SHARDWISE_BANK", str(ROOT))


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(chapter, marks=[] if number == 0 else [pytest.mark.slow])
        for number, chapter in enumerate(checkout_bank().chapters)
    ],
)
def test_a_rendered_notebook_runs_clean_from_top_to_bottom(chapter: str, tmp_path: Path) -> None:
    handed_out = json.loads((NOTEBOOKS / f"{chapter}.ipynb").read_text("utf-8"))
    node = _run(handed_out, tmp_path)
    said = _texts(node, "text/plain")
    assert sum("No answer yet" in text for text in said) == len(checkout_bank().chapters[chapter].problems)
    assert all(output.output_type != "stream" for cell in node.cells for output in cell.get("outputs", []))


def test_right_answers_earn_every_point_and_mistakes_are_named(whole_bank: Bank, tmp_path: Path) -> None:
    chapter = "01-ring-all-reduce"
    questions = [pose(problem, PRACTICE_SEED) for problem in whole_bank.of_chapter(chapter)]
    fresh = file_text(chapter_notebook(whole_bank, chapter))
    node = _run(fill(json.loads(fresh), questions, right), tmp_path)
    scores = [float(text) for text in _texts(node, "text/plain") if text.replace(".", "").isdigit()]
    assert scores == [question.points for question in questions]
    node = _run(fill(json.loads(fresh), questions, mistaken), tmp_path)
    html = "\n".join(_texts(node, "text/html"))
    first = next(question for question in questions if question.slug == "bytes-per-gpu")
    assert "That is one phase" in html
    assert first.key.model_dump()["mistakes"][0]["say"].split(".")[0] in html
    assert "<script" not in html


@pytest.mark.slow
def test_another_hint_and_solution_work_in_a_kernel(whole_bank: Bank, tmp_path: Path) -> None:
    cells = [
        "from shardwise import another, check, hint, solution",
        "hint('bytes-per-gpu')",
        "hint()",
        "hint()",
        "solution()",
        "another()",
        "check('bytes-per-gpu', '1 B').outcome.value",
    ]
    node = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    said = _texts(_run(node, tmp_path), "text/markdown")
    assert [text.split("*")[2] for text in said[:2]] == ["Hint 1.", "Hint 2."]
    assert "That was the last hint" in said[2]
    assert "**Solution.**" in said[3]
    assert text_of(pose(whole_bank.find("bytes-per-gpu"), 0)) not in said[4]
    assert "### What each GPU sends" in said[4]


def test_a_notebook_of_another_bank_finds_it_from_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHARDWISE_BANK")
    init_bank(tmp_path / "mine")
    banks = Banks([Bank.open(tmp_path / "mine")])
    (path,) = render(banks, tmp_path / "course" / "notebooks", check=False)
    assert "use_bank('../../mine')" in path.read_text("utf-8")
    node = _run(json.loads(path.read_text("utf-8")), path.parent)
    said = _texts(node, "text/plain")
    assert any(text.startswith(f"Bank: {tmp_path / 'mine'} (1 chapter, ") for text in said)
    assert sum("No answer yet" in text for text in said) == len(banks.problems)


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
    lock = Lock(assign(whole_bank, definition, [Student("ada", "Ada")], bytes(32), tmp_path).lock)
    text = (tmp_path / "notebooks" / "ada" / "w.ipynb").read_text("utf-8")
    for write in (right, mistaken):
        node = _run(fill(json.loads(text), lock.questions("ada"), write), tmp_path)
        said = _texts(node, "text/plain")
        assert len(said) == len(slugs)
        for told in said:
            assert "Read" in told
            assert not any(word in told for word in ("Correct", "Not yet", "Partly", "points", "phase"))


def test_lessons_carry_pictures_that_jupyterlab_shows(whole_bank: Bank) -> None:
    for chapter in whole_bank.chapters:
        cells = lesson_cells(whole_bank.lessons / chapter, chapter)
        pictures = [kind for cell in cells for picture in cell.get("attachments", {}).values() for kind in picture]
        assert len(pictures) >= 2
        assert set(pictures) == {"image/png"}  # Lab resolves attachments of raster images only


def test_render_writes_what_check_accepts_and_check_sees_drift(whole_bank: Bank, tmp_path: Path) -> None:
    banks = Banks([whole_bank])
    assert len(render(banks, tmp_path, check=False)) == len(whole_bank.chapters)
    assert render(banks, tmp_path, check=True) == []
    path = tmp_path / "01-ring-all-reduce.ipynb"
    path.write_text(path.read_text("utf-8").replace("GPU", "TPU", 1), "utf-8")
    (tmp_path / "99-gone.ipynb").write_text("{}", "utf-8")
    assert render(banks, tmp_path, check=True) == [path, tmp_path / "99-gone.ipynb"]


def test_render_never_writes_over_a_notebook_that_somebody_has_worked_in(whole_bank: Bank, tmp_path: Path) -> None:
    banks = Banks([whole_bank])
    render(banks, tmp_path, check=False)
    path = tmp_path / "01-ring-all-reduce.ipynb"
    worked = path.read_text("utf-8").replace('"execution_count": null', '"execution_count": 3', 1)
    path.write_text(worked, "utf-8")
    with pytest.raises(ShardwiseError, match="somebody has run cells there"):
        render(banks, tmp_path, check=False)
    assert path.read_text("utf-8") == worked
    assert render(banks, tmp_path, check=False, force=True) == [path]


@pytest.mark.slow
def test_the_figures_are_those_that_the_references_draw() -> None:
    from matplotlib.image import imread

    from solutions.figures.__main__ import draw

    drawn = draw(ROOT / "problems")
    assert drawn
    for path, picture in drawn.items():
        ours, theirs = (imread(BytesIO(contents)) for contents in (path.read_bytes(), picture))
        assert ours.shape == theirs.shape, f"{path} differs; run make figures"
        assert abs(ours - theirs).mean() < 0.002, f"{path} differs; run make figures"  # 0 on the same machine
