"""The practice form's Python side: what the browser is told, and when."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

from checkout import checkout_bank, every_third_at_once, fresh_session, problem_of, template
from shardwise.bank.bank import Problem
from shardwise.bank.posing import pose
from shardwise.kinds import OURS, text_of
from shardwise.kinds.calls import Recorded, run_here
from shardwise.markdown.html import to_html
from shardwise.marking import check as mark
from shardwise.question import Outcome, Question
from shardwise.student import api
from shardwise.student.shown import Checked
from shardwise.student.views import verdict, view
from shardwise.student.widget import Practice

NUMBER, CHOICE, HUNT = "bytes-per-gpu", "ring-or-tree", "ring-time-bug"


@pytest.fixture(autouse=True)
def _fresh_session(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    yield
    from ipywidgets import Widget

    Widget.close_all()


def asked(name: str, seed: int | str = 0) -> Question:
    return pose(checkout_bank().find(name), seed)


def practised(name: str) -> Practice:
    made = api.practice(name)
    assert isinstance(made, Practice)
    return made


def send(widget: Practice, action: str, **more: Any) -> None:
    """What arrives when a button is pressed."""
    widget._handle_custom_msg({"do": action, "seed": widget.question["seed"], **more}, [])


def synced(widget: Practice) -> str:
    """All that the browser can see of a question: the state but for our own script and style sheet."""
    state = {name: value for name, value in widget.get_state().items() if name not in ("_esm", "_css")}
    return json.dumps(state, default=str)


def secrets(question: Question) -> list[str]:
    """Texts out of the key, the hints and the solution that are not in the question itself anyway."""
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


def test_nothing_of_key_solution_or_hints_reaches_the_browser_unasked(problem: Problem) -> None:
    for seed in range(2):
        question = pose(problem, seed)
        state = synced(Practice(question))
        hidden = secrets(question)
        assert hidden
        assert [text for text in hidden if text in state] == []
        told = json.loads(state)["question"]
        assert set(told) == {"id", "seed", "kind", "title", "points", "hints", "prompt", "form"}


def test_a_form_shows_the_options_or_the_listing_and_the_prompt_does_not_repeat_them(problem: Problem) -> None:
    question = pose(problem, 1)
    shown = view(question)
    form: Any = question.form
    if question.kind == "choice":
        (field,) = shown["form"]["fields"]
        assert [option["label"] for option in field["options"]] == [option.label for option in form.options]
        assert not re.search(rf"(?<!\w){form.options[0].label}\)", shown["prompt"])
    if question.kind == "bugline":
        assert shown["form"]["fields"][0]["lines"] == list(form.listing)
        assert f"def {form.function}" not in shown["prompt"]
    first_words = question.prompt.split("\n")[0][:20].split("*")[0]
    assert to_html(first_words).removeprefix("<p>").removesuffix("</p>")[:10] in shown["prompt"]


FORMED = [*checkout_bank().read_all().problems.values(), problem_of(template("match"))]


@pytest.mark.parametrize("formed", every_third_at_once(FORMED), ids=[problem.id for problem in FORMED])
def test_the_widget_marks_like_the_cell_does(formed: Problem) -> None:
    question = pose(formed, 0)
    widget = Practice(question)
    for sample in formed.kind.samples(question):
        raw = sample.raw
        if isinstance(raw, Recorded):  # a browser sends the source of a function
            raw = formed.kind.sample_source(question, "", raw)
        send(widget, "check", answer=json.loads(json.dumps(raw, default=lambda _: None)))  # as a browser sends it
        expected = mark(question, raw, runner=run_here)
        assert widget.feedback["outcome"] == sample.outcome
        if sample.outcome == Outcome.BLANK:  # it is said how the form is filled in, and not how a variable is set
            expected = expected.model_copy(update={"say": widget.question["form"]["how"]})
        assert widget.feedback["html"] == verdict(expected, question.kind)["html"]


def test_an_empty_form_is_blank_and_not_wrong() -> None:
    for name, empty in ((NUMBER, ""), (CHOICE, []), (HUNT, {"line": None, "input": {}, "fix": ""})):
        widget = practised(name)
        send(widget, "check", answer=empty)
        assert widget.feedback["outcome"] == Outcome.BLANK
        assert "Assign" not in widget.feedback["html"]


def test_the_same_feedback_twice_is_two_events() -> None:
    widget, seen = practised(NUMBER), []
    widget.observe(lambda change: seen.append(change["new"]["html"]), "feedback")
    send(widget, "check", answer="a lot")
    send(widget, "check", answer="a lot")
    assert len(seen) == 2 and seen[0] == seen[1]


def test_what_a_student_types_arrives_as_text_and_never_as_html() -> None:
    nasty = "3 <img src=x onerror=alert(1)> `GB` **x**"
    for name, answer in ((NUMBER, nasty), (CHOICE, [nasty]), (HUNT, {"line": 2, "input": {}, "fix": nasty})):
        widget = practised(name)
        send(widget, "check", answer=answer)
        assert "<img" not in widget.feedback["html"]


def test_hints_come_in_turn_and_the_cells_go_on_from_there() -> None:
    question, widget = asked(NUMBER), practised(NUMBER)
    send(widget, "hint")
    assert len(widget.hints) == 1 and to_html(question.hints[0]).removeprefix("<p>") in widget.hints[0]
    assert str(api.hint(NUMBER)).startswith("Hint 2.")
    for _ in range(5):
        send(widget, "hint")
    assert len(widget.hints) == len(question.hints)
    assert "last hint" in str(api.hint())


def test_the_solution_comes_when_it_is_asked_for() -> None:
    widget = practised(CHOICE)
    assert widget.solution == ""
    send(widget, "solution")
    assert "<table>" in widget.solution  # this one begins with a table
    assert to_html(asked(CHOICE).solution) in widget.solution


def test_another_changes_the_whole_widget_and_no_check_in_a_cell() -> None:
    widget = practised(NUMBER)
    for action in ("hint", "solution"):
        send(widget, action)
    send(widget, "check", answer="3 GB")
    before = dict(widget.question)
    send(widget, "another")
    assert widget.question["prompt"] != before["prompt"] and widget.question["seed"] != before["seed"]
    assert (widget.answer, widget.hints, widget.solution, widget.feedback["outcome"]) == (None, [], "", "new")
    question = asked(NUMBER, widget.question["seed"])
    assert widget.asked == question
    key: Any = question.key
    right = f"{key.value!r} B"
    send(widget, "check", answer=right)
    assert widget.feedback["outcome"] == Outcome.CORRECT
    for seed, outcome in ((widget.question["seed"], Outcome.CORRECT), (before["seed"], Outcome.INCORRECT)):
        checked = api.check(NUMBER, right, seed=seed)
        assert isinstance(checked, Checked) and checked.outcome == outcome
    default = api.check(NUMBER, f"{asked(NUMBER).key.value!r} B")  # type: ignore[attr-defined]
    assert isinstance(default, Checked) and default.outcome == Outcome.CORRECT


def test_an_answer_to_numbers_that_were_replaced_meanwhile_is_dropped() -> None:
    widget = practised(NUMBER)
    stale = widget.question["seed"]
    send(widget, "another")
    told = dict(widget.feedback)
    widget._handle_custom_msg({"do": "check", "seed": stale, "answer": "3 GB"}, [])
    assert widget.feedback == told


@pytest.mark.parametrize("content", [None, 7, "check", {}, {"do": "explode"}, {"do": ["check"]}])
def test_a_message_that_makes_no_sense_changes_nothing(content: Any) -> None:
    widget = practised(HUNT)
    before = synced(widget)
    widget._handle_custom_msg(content, [])
    assert synced(widget) == before


def test_a_notebook_shows_the_question_where_there_are_no_widgets(monkeypatch: pytest.MonkeyPatch) -> None:
    import IPython.display
    from nbconvert import HTMLExporter

    outputs = []
    monkeypatch.setattr(
        IPython.display,
        "display",
        lambda data, metadata=None, **_: outputs.append(new_output("display_data", data=data, metadata=metadata or {})),
    )
    practised(HUNT)._ipython_display_()
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


def test_an_interrupted_check_in_a_form_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shardwise.student.widget.practice.mark", interrupted)
    widget = practised(NUMBER)
    send(widget, "check", answer="3 GB")
    assert widget.feedback["html"] == "<p>Stopped. This answer was not marked.</p>"


def test_importing_shardwise_or_its_verbs_loads_no_widgets() -> None:
    source = "import sys, shardwise.student.api; print([name for name in ('anywidget', 'ipywidgets') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("kind", OURS)
def test_every_kind_has_a_form(kind: str) -> None:
    question = pose(problem_of(template(kind)), 2)
    told = json.loads(synced(Practice(question)))["question"]["form"]
    assert told["how"]
    assert told["fields"]
