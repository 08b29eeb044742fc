"""The desk's messages: what a form receives and when, and what its widget sends to the browser."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from checkout import TEMPLATES, asked, checkout_bank, fresh_session, of_each_kind, problem_of, template
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds import kinds, text_of
from shardwise.kinds.calls import Recorded, run_here
from shardwise.markdown.html import to_html
from shardwise.marking import check as mark
from shardwise.question import Outcome, Question
from shardwise.student import api
from shardwise.student.desk import Desk
from shardwise.student.messages import Checked
from shardwise.student.progress.file import ProgressFile
from shardwise.student.progress.journal import Journal
from shardwise.student.views import verdict
from shardwise.student.widget import Practice, ProgressCard
from shardwise.student.widget.form import _connected
from shardwise.student.widget.library import BUNDLE, _code, library
from shardwise_bank.planning.form import planner

NUMBER, CHOICE, HUNT = "bytes-per-gpu", "ring-or-tree", "ring-time-bug"


@pytest.fixture(autouse=True)
def _fresh_session(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    yield
    from ipywidgets import Widget

    Widget.close_all()


@pytest.fixture
def kept_progress(tmp_path: Path) -> Journal:
    """Give this session a journal that saves to a file, and return it."""
    journal = Journal(ProgressFile(tmp_path / "progress.sqlite"))
    vars(api._SESSION)["journal"] = journal
    return journal


class Student:
    """A student in front of one form."""

    def __init__(self, question: Question, desk: Desk | None = None) -> None:
        self.desk = desk or Desk(api._SESSION)
        self.told = self.desk.open(question)["question"]

    def asks(self, do: str, **more: Any) -> dict[str, Any]:
        """Return the reply to a button; if it contains a question, later requests are about that one."""
        request = {"do": do, "problem": self.told["id"], "seed": self.told["seed"], **more}
        reply = self.desk.reply(json.loads(json.dumps(request)))
        self.told = reply.get("question", self.told)
        return json.loads(json.dumps(reply))


def at(name: str) -> Student:
    return Student(asked(name))


def synced(widget: Practice) -> str:
    """Return everything that the browser can see of a question: the state without our own script."""
    return json.dumps({name: value for name, value in widget.get_state().items() if name != "_esm"}, default=str)


def secrets(question: Question) -> list[str]:
    """Return the texts of the key, the hints and the solution that are not in the question itself."""
    found = [
        *question.hints,
        *(to_html(hint) for hint in question.hints),
        question.solution,
        to_html(question.solution),
    ]

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            for part in value.values():
                collect(part)
        elif isinstance(value, list):
            for part in value:
                collect(part)
        elif isinstance(value, str) and len(value) > 15:
            found.append(value)

    collect(question.key.model_dump(mode="json"))
    public = text_of(question) + "\n".join(getattr(question.form, "listing", ()))
    return [json.dumps(text)[1:-1] for text in found if text not in public and text.strip() not in public]


@of_each_kind(6)
def test_nothing_of_key_solution_or_hints_reaches_the_browser_unasked(formed: Problem) -> None:
    for seed in range(2):
        question = pose(formed, seed)
        state = synced(Practice(Desk(api._SESSION), question))
        hidden = secrets(question)
        assert hidden
        assert [text for text in hidden if text in state] == []
        told = json.loads(state)["given"]["question"]
        assert set(told) == {
            *("id", "seed", "kind", "title", "points", "worth", "hints", "prompt", "form", "estimated_first", "another")
        }


@of_each_kind(3)
def test_the_desk_marks_like_the_cell_does(formed: Problem) -> None:
    question = pose(formed, 0)
    student = Student(question)
    for sample in formed.kind.samples(question):
        raw = sample.raw
        if isinstance(raw, Recorded):  # a browser sends the source of a function
            raw = formed.kind.sample_source(question, "", raw)
        sent = json.loads(json.dumps(raw, default=lambda _: None))  # as a browser sends it
        said = student.asks("check", answer=sent)["verdict"]
        expected = mark(question, raw, runner=run_here, front="form")
        assert said["outcome"] == sample.outcome
        more = said.pop("more", None)
        assert said == verdict(expected)
        assert (more is None) == (sample.outcome != Outcome.CORRECT)


LAYOUT = "a-layout-that-fits"


def test_what_a_layout_comes_to_is_not_told_before_a_first_check_that_could_be_read() -> None:
    student, fits = at(LAYOUT), {"tp": "8", "pp": "4"}
    for answer in ({}, {"tp": "8", "pp": "2", "dp": "many"}):
        student.asks("check", answer=answer)
        bars = student.asks("bars", answer=fits)["bars"]
        assert list(bars) == ["why"] and "After your first check" in bars["why"]
    student.asks("check", answer={"tp": "8", "pp": "2"})
    assert student.asks("bars", answer=fits)["bars"]["rows"]
    assert "why" in Student(asked(LAYOUT, 1), student.desk).asks("bars", answer=fits)["bars"]  # another variant


def test_a_step_that_is_drawn_counts_as_no_attempt(kept_progress: Journal) -> None:
    student = at(LAYOUT)
    student.asks("check", answer={"tp": "8", "pp": "2"})
    before = kept_progress.events()
    for tensor in ("1", "2", "4", "8"):
        assert "error" not in student.asks("bars", answer={"tp": tensor, "pp": "4"})
    assert kept_progress.events() == before and len(before) == 1


def test_bars_are_there_again_after_a_restart(kept_progress: Journal) -> None:
    at(LAYOUT).asks("check", answer={"tp": "8", "pp": "2"})
    api._SESSION = fresh_session()
    vars(api._SESSION)["journal"] = kept_progress
    assert at(LAYOUT).asks("bars", answer={"tp": "8", "pp": "4"})["bars"]["rows"]


def test_an_empty_form_is_blank_and_not_wrong() -> None:
    for name, empty in ((NUMBER, ""), (CHOICE, []), (HUNT, {"line": None, "input": {}, "fix": ""})):
        said = at(name).asks("check", answer=empty)["verdict"]
        assert said["outcome"] == Outcome.BLANK
        assert "Assign" not in said["html"]


def test_what_a_student_types_comes_back_as_text_and_never_as_html() -> None:
    nasty = "3 <img src=x onerror=alert(1)> `GB` **x**"
    for name, answer in ((NUMBER, nasty), (CHOICE, [nasty]), (HUNT, {"line": 2, "input": {}, "fix": nasty})):
        assert "<img" not in at(name).asks("check", answer=answer)["verdict"]["html"]
    for request in (
        {"do": nasty},
        {"do": "check", "problem": nasty, "seed": "0"},
        {"do": "hint", "problem": NUMBER, "seed": nasty},
    ):
        assert "<img" not in json.dumps(Desk(api._SESSION).reply(request))


def test_a_right_answer_says_what_to_take_along_unless_its_kind_has_said_why() -> None:
    key: Any = asked(NUMBER).key
    assert (
        at(NUMBER).asks("check", answer=f"{key.value!r} B")["verdict"]["more"]
        == "<p>The bytes that each GPU sends hardly grow with the number of GPUs; they approach twice the message, here 3\xa0GB.</p>"
    )
    key = asked(CHOICE).key
    said = at(CHOICE).asks("check", answer=list(key.correct))["verdict"]
    assert said["outcome"] == Outcome.CORRECT and said["more"] == ""


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.95, "within 10\u00a0% of the answer"), (1.09, "within 10\u00a0% of the answer"), (1.2, "the right order of magnitude, too large by a factor of 1.2"), (1 / 3, "the right order of magnitude, too small by a factor of 3"), (50, ": too large by a factor of 50"), (0.2, ": too small by a factor of 5")],
)  # fmt: skip
def test_an_estimate_is_read_at_once_and_compared_when_the_answer_is_right(share: float, said: str) -> None:
    key: Any = asked(NUMBER).key
    student, rough = at(NUMBER), f"{share * key.value} B"
    assert student.asks("estimate", answer=rough)["estimate"].endswith("B")
    assert "more" not in student.asks("check", answer="1 GB", estimate=rough)["verdict"]
    assert said in student.asks("check", answer=f"{key.value!r} B", estimate=rough)["verdict"]["more"]


@pytest.mark.parametrize("rough", ["", "a lot", "40 GB/s", None, [1], {"a": {}}])
def test_an_estimate_that_cannot_be_read_is_told_so_and_never_compared(rough: Any) -> None:
    key: Any = asked(NUMBER).key
    student = at(NUMBER)
    assert list(student.asks("estimate", answer=rough)) == ["unreadable"]
    said = student.asks("check", answer=f"{key.value!r} B", estimate=rough)["verdict"]
    assert said["outcome"] == Outcome.CORRECT and "estimated" not in said["more"]


NOTEBOOK_SPELLING = re.compile(r"\{|&quot;|=&nbsp;|\w = \w|looks like")


@pytest.mark.parametrize("kind", TEMPLATES)
def test_what_is_said_of_an_unreadable_answer_is_said_of_fields(kind: str) -> None:
    question = pose(problem_of(template(kind)), 1)
    student = Student(question)
    for sample in problem_of(template(kind)).kind.samples(question):
        if sample.outcome == Outcome.UNREADABLE and isinstance(sample.raw, dict):  # in the form that fields give it
            told = student.asks("check", answer=sample.raw)["verdict"]["html"]
            assert not NOTEBOOK_SPELLING.search(told), told


def test_a_part_of_a_case_that_cannot_be_read_is_marked_as_that() -> None:
    student = Student(pose(problem_of(template("case")), 1))
    first, second, *_ = (part["name"] for part in student.told["form"]["fields"][0]["parts"])
    alone = student.asks("check", answer={first: "a lot"})["verdict"]
    assert alone["outcome"] == "unreadable" and "1 part cannot be read; the reason is next to it." in alone["html"]
    assert alone["notes"].keys() == {first}
    several = student.asks("check", answer={first: "a lot", second: "3.5 GB"})["verdict"]
    for told in (alone, several):
        assert told["notes"][first]["outcome"] == "unreadable" and "a lot" in told["notes"][first]["html"]
    assert "I read" not in several["notes"][second]["html"]  # the field shows how it is read


def test_a_form_that_comes_back_to_a_variant_shows_the_hints_that_were_given() -> None:
    student = at(NUMBER)
    seed = student.told["seed"]
    (hint,) = student.asks("hint", shown=0)["hints"]
    assert student.asks("another")["hints"] == []
    assert student.asks("question", seed=seed)["hints"] == [hint]
    assert student.desk.open(asked(NUMBER))["hints"] == [hint]


def test_hints_come_in_turn_and_the_cells_go_on_from_there() -> None:
    question, student = asked(NUMBER), at(NUMBER)
    (first,) = student.asks("hint", shown=0)["hints"]
    assert to_html(question.hints[0]).removeprefix("<p>") in first["html"]
    assert str(api.hint(NUMBER)).startswith("Hint 2.")
    assert len(student.asks("hint", shown=7)["hints"]) == len(question.hints)
    assert "last hint" in str(api.hint())


def test_a_part_of_a_case_gives_its_own_hints_and_cells_give_the_others() -> None:
    student = at("train-a-model")
    parts = student.told["form"]["fields"][0]["parts"]
    (states,) = [part for part in parts if part["label"] == "Model states on a GPU"]
    name = states["name"]
    assert student.told["hints"] == 0  # to all of it
    for shown in range(states["hints"] + 1):
        given = student.asks("hint", part=name, shown=shown)["hints"]
    assert len(given) == states["hints"] > 1
    for number, hint in enumerate(given, start=1):
        assert (
            hint["part"] == name and f"Hint {number}." in hint["html"] and "Model states" not in hint["html"]
        )  # its title is above
    assert student.asks("question")["hints"] == given
    assert "1. Replicas" in str(api.hint("train-a-model"))
    assert [len(student.asks("hint", part=part, shown=0)["hints"]) for part in (name, "replicas", "nothing", [])] == [
        1,
        1,
        0,
        0,
    ]


def test_another_has_its_own_numbers_and_changes_no_check_in_a_cell() -> None:
    student = at(NUMBER)
    before = student.told
    student.asks("another")
    assert student.told["prompt"] != before["prompt"] and student.told["seed"] != before["seed"]
    question = asked(NUMBER, student.told["seed"])
    key: Any = question.key
    right = f"{key.value!r} B"
    for seed, outcome in ((student.told["seed"], Outcome.CORRECT), (before["seed"], Outcome.INCORRECT)):
        assert student.asks("check", answer=right, seed=seed)["verdict"]["outcome"] == outcome
        checked = api.check(NUMBER, right, seed=seed)
        assert isinstance(checked, Checked) and checked.outcome == outcome
    default = api.check(NUMBER, f"{asked(NUMBER).key.value!r} B")  # type: ignore[attr-defined]
    assert isinstance(default, Checked) and default.outcome == Outcome.CORRECT
    assert student.asks("question", seed=before["seed"])["question"] == before


def test_next_goes_through_a_chapter_to_its_end() -> None:
    ids = [problem.id for problem in checkout_bank().of_chapter("01-ring-all-reduce")]
    student = Student(pose(checkout_bank().find(ids[0]), 0))
    for name in ids[1:]:
        assert student.asks("next")["question"]["id"] == name
    end = student.asks("next")["end"]
    assert f"0 of {len(ids)} problems of this chapter are solved." in end
    assert "<li>1.1 When everyone sends to GPU 0</li>" in end and "Next chapter: 2, ZeRO." in end


def test_today_s_five_and_the_rest_of_a_chapter_are_asked_in_one_form(kept_progress: Journal) -> None:
    for name, count, end in ((None, 5, "That was the last of today's five."), ("pipeline", 24, "Next chapter: 8, ")):
        shown = api.practice(name)
        assert isinstance(shown, Practice)
        student = Student(shown._question, shown._opened)
        count = len(checkout_bank().of_chapter("07-pipeline-parallelism")) if name else count
        places = [student.told["points"], *(student.asks("next")["question"]["points"] for _ in range(count - 1))]
        assert [place.partition(" · ")[0] for place in places] == [
            f"{place} of {count}" for place in range(1, count + 1)
        ]
        assert end in student.asks("next")["end"]
    assert len({problem.partition("/")[0] for problem, _ in api.practice()._opened._walk}) == 5  # type: ignore[union-attr]


def test_a_form_knows_whether_its_problem_is_solved_also_after_an_answer_in_a_cell(kept_progress: Journal) -> None:
    question = asked(NUMBER)
    form, right = Practice(Desk(api._SESSION), question), question.key.model_dump()["value"]
    assert form.given["state"] == {"solved": False, "mastered": False}
    api.check(NUMBER, f"{right!r} B")
    assert form.given["state"]["solved"] and "<h3>1.3 ✓ How much" in form._html
    assert Student(question).asks("question", seed="1")["state"]["solved"]


def test_a_verdict_after_the_solution_does_not_count_as_solved(kept_progress: Journal) -> None:
    student, right = at(NUMBER), asked(NUMBER).key.model_dump()["value"]
    student.asks("solution")
    assert student.asks("check", answer=f"{right!r} B")["state"] == {"solved": False, "mastered": False}


def test_a_card_keeps_up_and_returns_only_after_several_forms_in_a_row(
    kept_progress: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_has_forms", lambda: True)
    card = api.progress(1)
    assert isinstance(card, ProgressCard)
    assert card.given["returns"] == "" and card.given["chapters"][0]["figures"][0].startswith("0 of ")
    api.check(NUMBER, f"{asked(NUMBER).key.model_dump()['value']!r} B")
    assert card.given["chapters"][0]["figures"][0].startswith("1 of ")
    assert [row["label"] for row in card.given["rows"] if row["solved"]] == ["1.3"]
    api.practice(NUMBER)
    assert api.progress(1).given["returns"] == ""  # type: ignore[union-attr]
    api.practice(NUMBER), api.practice(CHOICE)
    assert api.progress(1).given["returns"] == "01-ring-all-reduce/gpus-behind-one-link"  # type: ignore[union-attr]
    assert api.progress(1).given["returns"] == ""  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "request_",
    [None, 7, "check", {}, {"do": "explode"}, {"do": ["check"]}, {"do": "check"}, {"do": "check", "problem": NUMBER, "seed": 0},
     {"do": "check", "problem": "no-such-problem", "seed": "0"}, {"do": "check", "problem": ["x"], "seed": {}}],
)  # fmt: skip
def test_a_request_that_makes_no_sense_is_told_so(request_: Any) -> None:
    reply = Desk(api._SESSION).reply(request_)
    assert list(reply) == ["error"] and "of ours" not in reply["error"]


def test_a_fault_of_ours_and_an_interruption_are_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, said in (
        (KeyboardInterrupt(), "Stopped."),
        (RuntimeError("no <b>luck</b>"), "Something went wrong on our side"),
    ):
        monkeypatch.setattr("shardwise.student.desk.check", raising(error))
        reply = at(NUMBER).asks("check", answer="3 GB")
        assert said in reply["error"] and "<b>" not in reply["error"]


def raising(error: BaseException) -> Any:
    def check(*_: Any, **__: Any) -> None:
        raise error

    return check


def test_a_widget_passes_requests_on_and_replies_back(monkeypatch: pytest.MonkeyPatch) -> None:
    widget, sent = api.practice(NUMBER), list[Any]()
    assert isinstance(widget, Practice)
    monkeypatch.setattr(widget, "send", sent.append)
    widget._handle_custom_msg({"id": "7-a", "request": {"do": "hint", "problem": asked(NUMBER).id, "seed": "0"}}, [])
    widget._handle_custom_msg("nonsense", [])
    ((message),) = sent
    assert message["id"] == "7-a" and len(message["reply"]["hints"]) == 1


class Comm:
    """A connection opened by a page."""

    def __init__(self) -> None:
        self.heard: Any = None
        self.sent: list[Any] = []
        self.closed = False

    def on_msg(self, heard: Any) -> None:
        self.heard = heard

    def send(self, data: Any) -> None:
        self.sent.append(data)

    def close(self) -> None:
        self.closed = True


def message(data: Any) -> dict[str, Any]:
    return {"content": {"data": data}}


def test_a_connection_of_a_form_is_answered_and_one_of_a_form_that_is_gone_is_closed() -> None:
    widget, comm, stranger = api.practice(NUMBER), Comm(), Comm()
    assert isinstance(widget, Practice)
    _connected(comm, message({"form": widget.token}))
    comm.heard(message({"id": 1, "request": {"do": "solution", "problem": asked(NUMBER).id, "seed": "0"}}))
    assert comm.sent[0]["id"] == 1 and "Solution" in comm.sent[0]["reply"]["solution"]
    _connected(stranger, message({"form": "of the kernel before"}))
    assert stranger.closed and not comm.closed


def test_the_code_goes_to_the_browser_once_for_all_forms() -> None:
    first, second = api.practice(NUMBER), api.practice(CHOICE)
    assert isinstance(first, Practice) and isinstance(second, Practice)
    assert first.library == second.library == f"IPY_MODEL_{library().model_id}"
    assert gzip.decompress(library().code) == BUNDLE.read_bytes()
    assert len(first._esm) < 2000 and "_css" not in synced(first)


@pytest.mark.parametrize("show", [lambda: api.practice(NUMBER), lambda: api.figure("ring"), planner])
def test_without_the_bundle_a_form_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, show: Callable[[], Any]
) -> None:
    monkeypatch.setattr("shardwise.student.widget.library.BUNDLE", tmp_path / "desk.js")
    _code.cache_clear()
    assert str(show()).startswith("The forms have not been built. Run make desk")
    assert isinstance(api.check(NUMBER, "1 GB"), Checked)


def test_a_form_names_the_scripts_of_its_kinds_and_gets_them_by_their_digests() -> None:
    desk = Desk(api._SESSION)
    (digest,) = desk.open(pose(problem_of(template("layout")), 0))["scripts"]
    assert desk.reply({"do": "script", "digest": digest}) == {"script": kinds()["layout"].script}
    assert "error" in desk.reply({"do": "script", "digest": "another"}) and "error" in desk.reply({"do": "script"})
    assert desk.open(asked(NUMBER))["scripts"] == []


def test_a_case_names_the_scripts_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    case = pose(problem_of(template("case")), 0)
    (name, *_) = (piece.kind for piece in kinds()["case"].pieces(case))
    monkeypatch.setattr(type(kinds()[name]), "script", "export const fields = {};")
    assert len(Desk(api._SESSION).open(case)["scripts"]) == 1


def test_the_bundle_is_small() -> None:
    assert len(gzip.compress(BUNDLE.read_bytes())) < 200_000


def test_a_notebook_shows_the_question_where_there_are_no_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display
    from nbconvert import HTMLExporter

    outputs = []
    monkeypatch.setattr(
        IPython.display,
        "display",
        lambda data, metadata=None, **_: outputs.append(new_output("display_data", data=data, metadata=metadata or {})),
    )
    widget = api.practice(HUNT)
    assert isinstance(widget, Practice)
    widget._ipython_display_()
    text, form = outputs
    assert list(form.data) == ["application/vnd.jupyter.widget-view+json"]
    assert asked(HUNT).title in text.data["text/plain"]
    cell = new_code_cell('practice("ring-time-bug")', outputs=outputs, execution_count=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nbconvert's own
        page, _ = HTMLExporter().from_notebook_node(nbformat.from_dict(new_notebook(cells=[cell])))
    assert page.count(f"{asked(HUNT).title}</h3>") == 1 and "all_reduce_seconds" in page
    assert "To answer in a form, run this cell in Jupyter." in page
    assert "widget-view+json" not in page


def test_importing_shardwise_or_its_verbs_loads_no_widgets() -> None:
    source = "import sys, shardwise.student.api; print([name for name in ('anywidget', 'ipywidgets') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
