"""Interactive figures: how they are found and called, what a notebook shows, and what the lint reports."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from checkout import ROOT, checkout_bank, fresh_session
from contrast import contrast
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.lint.lint import lint
from shardwise.bank.pages.interactive_figures import Moving, moving, moving_faults, moving_names
from shardwise.bank.scaffold import init_bank
from shardwise.course.assigning.notebooks import chapter_notebook
from shardwise.errors import ShardwiseError
from shardwise.student import api
from shardwise.student.desk import Desk
from shardwise.student.widget import Picture

NAMES = moving_names(checkout_bank())
OWN = '''"""A line that rises."""

CHAPTER, STILL, TITLE = "01-first", "rise", "A rise"
CONTROLS = {"slope": {"label": "slope", "options": {"1": 1, "2": 2, "none": 0}, "start": "1"}}
PLAYS = "slope"


def show(*, slope):
    if not slope:
        raise ValueError("a rise needs a slope")
    return {"panels": [], "facts": [("slope", str(slope))]}


def predict():
    return {"ask": "How steep?", "unit": "m", "answer": 2.0, "why": "So it is."}
'''
LESSON = '# First\n\n## A rise\n\n![It rises.](figures/rise.png)\n\n```python\nfigure("a-rise")\n```\n\nAnd on.\n'


def the(name: str) -> Moving:
    return moving([checkout_bank()], name)


@pytest.fixture
def own(tmp_path: Path) -> Bank:
    """A bank with its own interactive figure."""
    folder = tmp_path / "bank"
    init_bank(folder)
    (chapter,) = (folder / "problems").glob("01-*")
    (folder / "solutions" / "interactive").mkdir()
    (folder / "solutions" / "interactive" / "a_rise.py").write_text(OWN.replace("01-first", chapter.name), "utf-8")
    (chapter / "lesson.md").write_text(LESSON, "utf-8")
    (chapter / "figures").mkdir(exist_ok=True)
    shutil.copy(ROOT / "problems/01-ring-all-reduce/figures/two-bandwidths.png", chapter / "figures" / "rise.png")
    return Bank.open(folder)


# What a picture says -----------------------------------------------------------------------------------------------


def test_every_chapter_with_a_picture_names_it_in_its_lesson() -> None:
    assert len(NAMES) >= 9
    for name in NAMES:
        lesson = (ROOT / "problems" / the(name).module.CHAPTER / "lesson.md").read_text("utf-8")
        still = f'figures/{the(name).module.STILL}.png)\n\n```python\nfigure("{name}")\n```\n'
        assert lesson.count(still) == 1, name


@pytest.mark.parametrize("name", NAMES)
def test_what_the_browser_begins_with_has_no_answer(name: str) -> None:
    picture = the(name)
    assert set(picture.view["predict"]) in ({"ask", "choices"}, {"ask", "unit"})
    assert picture.show(picture.view["start"])["panels"]
    assert all(picture.start[control["name"]] in control["options"] for control in picture.view["controls"])


@pytest.mark.parametrize("name", NAMES)
def test_the_right_guess_is_right_and_a_wrong_one_gets_the_answer(name: str) -> None:
    picture = the(name)
    known = picture.module.predict()
    if "choices" in known:
        judged = [picture.judge(choice)["right"] for choice in known["choices"]]
        assert judged == [place == known["answer"] for place in range(len(known["choices"]))]
        assert picture.judge("something else") == {"right": None, "say": "Choose one of the options."}
    else:
        assert picture.judge(f"{known['answer'] * 1.1:.4g} {known['unit']}")["right"] is True
        wrong = picture.judge(str(known["answer"] * 2))
        assert wrong["right"] is False and wrong["say"].startswith("No: ") and wrong["say"].endswith(known["why"])
        assert "I could not read “soon”" in picture.judge("soon")["say"]
        assert picture.judge("nan")["right"] is None


def test_an_unknown_or_impossible_setting_is_reported() -> None:
    picture = the("pipeline")
    with pytest.raises(ShardwiseError, match="stages must be one of 2, 4, 6, 8, not '5'"):
        picture.show({**picture.start, "stages": "5"})
    with pytest.raises(ShardwiseError, match="schedule must be one of GPipe"):
        picture.show({})
    with pytest.raises(ShardwiseError, match="Cannot draw this setting: interleaving needs a multiple of the stages"):
        picture.show({**picture.start, "schedule": "interleaved", "stages": "6"})


def test_an_unknown_name_gets_the_closest_one() -> None:
    with pytest.raises(ShardwiseError, match=r"Unknown figure “rings”. Did you mean “ring”\?"):
        the("rings")
    with pytest.raises(ShardwiseError, match=f"The figures are {', '.join(NAMES)}"):
        the("???")


def test_drawings_have_enough_contrast_in_both_themes_and_with_white_labels() -> None:
    style = (ROOT / "desk" / "src" / "draw" / "style.js").read_text("utf-8")
    colours = dict(re.findall(r"--draw-(\w+): (#\w{6});", style))
    assert set(colours) == {"blue", "orange", "green", "purple", "red", "grey"}
    for name, colour in colours.items():
        assert contrast(colour, "#ffffff") >= 4.5, name
        assert contrast(colour, "#111111") >= 3, name


# The desk and the notebook -----------------------------------------------------------------------------------------


def test_the_desk_answers_for_figures() -> None:
    desk = Desk(fresh_session())
    start = the("ring").start
    shown = desk.reply({"do": "figure", "name": "ring", "settings": start})["shown"]
    assert len(shown["frames"]) == 7
    assert desk.reply({"do": "figure", "name": "ring", "guess": "1.5 GB"})["judged"]["right"] is True
    broken: list[dict[str, Any]] = [
        {}, {"name": 3}, {"name": "ring"}, {"name": "ring", "settings": []}, {"name": "ring", "settings": {}}, {"name": "none", "guess": 1},
    ]  # fmt: skip
    for request in broken:
        reply = desk.reply({"do": "figure", **request})
        assert list(reply) == ["error"] and "ours broke" not in reply["error"], request


def test_a_notebook_without_a_kernel_shows_the_still_in_words_and_as_a_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    widget = api.figure("ring")
    assert isinstance(widget, Picture)
    assert "Seven boards of 4 by 4 cells" in widget._plain
    assert 'src="data:image/png;base64,iVBOR' in widget._html and 'alt="Seven boards' in widget._html
    assert "Unknown figure" in repr(api.figure("rung"))
    listed = repr(api.figure()).splitlines()
    assert len(listed) == len(NAMES) and any("A ring all-reduce, step by step" in line for line in listed)


def test_a_lesson_is_split_where_it_names_a_figure(own: Bank) -> None:
    (chapter,) = own.chapters
    notebook = chapter_notebook(own, chapter, named="../bank")
    nbformat.validate(nbformat.from_dict(notebook))
    place = next(place for place, cell in enumerate(notebook["cells"]) if "figure(" in cell["source"])
    before, cell, after = notebook["cells"][place - 1 : place + 2]
    assert cell["cell_type"] == "code"
    assert cell["source"] == 'from shardwise import figure\nfigure("a-rise", bank="../bank")'
    assert cell["outputs"][0]["data"]["text/markdown"] == "*To use this interactive figure, run this cell.*"
    assert before["source"].endswith("![It rises.](attachment:rise.png)") and list(before["attachments"]) == [
        "rise.png"
    ]
    assert after["source"] == "And on."


# A bank of one's own -----------------------------------------------------------------------------------------------


def test_a_bank_can_have_its_own_figures(own: Bank) -> None:
    assert [*moving_faults(own), *moving_faults(checkout_bank())] == []
    picture = moving([checkout_bank(), own], "a-rise")
    assert picture.show({"slope": "2"})["facts"] == [("slope", "2")]
    assert picture.still[1] == "It rises."


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("PLAYS =", "import nothing_such\nPLAYS =", "solutions/interactive/a_rise.py:5: cannot be loaded"),
        ("def predict", "def predicts", "solutions/interactive/a_rise.py lacks predict."),
        ('"start": "1"', '"start": "3"', "slope must be one of 1, 2, none, not '3'."),
        ('"rise"', '"fall"', "does not show figures/fall.png."),
        ('"why"', '"reason"', "KeyError: 'why'"),
    ],
)
def test_the_lint_reports_what_is_wrong_with_a_figure(own: Bank, old: str, new: str, words: str) -> None:
    file = own.folder / "solutions" / "interactive" / "a_rise.py"
    file.write_text(file.read_text("utf-8").replace(old, new), "utf-8")
    (fault,) = moving_faults(Bank.open(own.folder))
    assert words in f"{fault.place}: {fault.message}"


def test_the_lint_reports_a_lesson_that_names_a_missing_figure(own: Bank) -> None:
    (own.folder / "solutions" / "interactive" / "a_rise.py").unlink()
    faults = [fault for report in lint(Banks([own]), seeds=1, workers=1) for fault in report.faults]
    assert ["needs solutions/interactive/a_rise.py, which does not exist" in fault.message for fault in faults] == [
        True
    ]


def test_an_unreadable_lesson_is_reported_once(own: Bank) -> None:
    (own.folder / "solutions" / "interactive" / "a_rise.py").unlink()
    (lesson,) = own.folder.glob("problems/*/lesson.md")
    lesson.write_bytes(b"\xff")
    said = [fault.message for report in lint(Banks([own]), seeds=1, workers=1) for fault in report.faults]
    assert len([message for message in said if "is not UTF-8" in message]) == 1
