"""What a form shows while somebody writes: how it is read so far, from Python, and nothing of the key."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkout import TEMPLATES, posed, template
from shardwise.kinds import kind_of
from shardwise.kinds.formula.notation import read_notation
from shardwise.kinds.formula.tree import FormulaError
from shardwise.kinds.formula.typeset import formula_as_mathml
from shardwise.markdown.timeline import as_svg
from shardwise.marking import check
from shardwise.question import Question
from shardwise.student.desk import Desk
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.session import Session
from shardwise_bank.kinds.schedule.kind import ScheduleKey


def preview(question: Question, raw: Any) -> dict[str, Any]:
    """The preview after a journey to a front end and back."""
    said: dict[str, Any] = json.loads(json.dumps(kind_of(question).preview(question.form, raw), allow_nan=False))
    return said


@pytest.fixture(scope="module", params=TEMPLATES)
def question(request: pytest.FixtureRequest) -> Question:
    return posed(template(request.param))


def test_every_answer_can_be_previewed_whatever_it_is(question: Question) -> None:
    for sample in kind_of(question).samples(question):
        if isinstance(sample.raw, str | int | list | dict | None):
            assert isinstance(preview(question, sample.raw), dict), sample.raw
    for raw in (None, "", [], {}, {"x": 1}, [[]], 1e300, True, "stage 1: F1 F1 X9 stage 99: B1", {"estimate": ["3"]}):
        preview(question, raw)


def test_the_desk_answers_with_a_preview() -> None:
    desk, asked = Desk(Session()), posed(template("quantity"))
    desk.open(asked)
    reply = desk.reply({"do": "preview", "problem": asked.id, "seed": asked.seed, "answer": "1.5 GB"})
    assert reply == {"preview": {"read": "1.5 GB"}}


# One line of text -------------------------------------------------------------------------------------------------------


def test_a_quantity_is_read_back_as_it_is_marked() -> None:
    asked = posed(template("quantity"))
    assert preview(asked, "1.5e3 MB") == {"read": check(asked, "1.5e3 MB").read}
    assert "bandwidth" in preview(asked, "40 GB/s")["why"]
    assert preview(asked, " ") == {}


def test_an_estimate_shows_how_its_number_is_read_whatever_its_confidence_is() -> None:
    asked = posed(template("estimate"))
    assert preview(asked, {"value": "2 GB", "confidence": "very"}) == {"value": {"read": "2 GB"}}
    assert preview(asked, {"value": "", "confidence": 0.8}) == {"value": {}}


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("stage 1: F1", ""),
        ("stage 1: F1\nstage 9: F1", "Stage 9 does not exist; the stages are 1 to 4."),
        ("stage 1: F1\nstage 1: B1", "Stage 1 has two lines."),
    ],
)
def test_a_line_of_a_schedule_that_counts_for_no_stage_is_said_before_it_is_checked(written: str, why: str) -> None:
    told = preview(posed(template("schedule")), written)
    assert told["why"] == why
    assert [row["line"] for row in told["rows"]] == [["F1"], [], [], []]


def test_the_name_of_a_schedule_is_told_what_to_write_and_many_faults_are_cut() -> None:
    asked = posed(template("schedule"))
    assert preview(asked, "1F1B")["why"] == "“1f1b” is the name of a schedule; write its operations."
    many = "\n".join(f"stage {number}: F1" for number in range(1, 30))
    why = preview(asked, many)["why"]
    assert why.count("does not exist") == 6 and why.endswith("There are 19 more faults.")


def test_a_part_is_previewed_as_a_question_of_its_kind_is() -> None:
    asked = posed(template("case"))
    first, second = (part.name for part in asked.form.parts[:2])  # type: ignore[attr-defined]
    assert preview(asked, {second: "a lot"}).keys() == {second}
    assert "why" in preview(asked, {first: "a lot"})[first]


# Formulas ---------------------------------------------------------------------------------------------------------------

M, N = "<mi>M</mi>", "<mi>N</mi>"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("M/N", f"<mfrac>{M}{N}</mfrac>"),
        ("(M)/(N)", f"<mfrac>{M}{N}</mfrac>"),  # a fraction needs no brackets
        ("2*M", f"<mrow><mn>2</mn><mo>·</mo>{M}</mrow>"),
        ("N^2", f"<msup>{N}<mn>2</mn></msup>"),
        ("N^2^M", f"<msup>{N}<msup><mn>2</mn>{M}</msup></msup>"),
        ("(M/N)^2", f"<msup><mrow><mo>(</mo><mfrac>{M}{N}</mfrac><mo>)</mo></mrow><mn>2</mn></msup>"),
        ("M*-N", f"<mrow>{M}<mo>·</mo><mrow><mo>(</mo><mrow><mo>−</mo>{N}</mrow><mo>)</mo></mrow></mrow>"),
        ("sqrt((N))", f"<msqrt>{N}</msqrt>"),
        ("⌈N⌉", f"<mrow><mo>⌈</mo>{N}<mo>⌉</mo></mrow>"),
    ],
)
def test_a_formula_is_set_as_it_was_typed(typed: str, shown: str) -> None:
    assert formula_as_mathml(read_notation(typed, ("M", "N"))) == f'<math displaystyle="true">{shown}</math>'


@given(st.text("MN_2.5+-*/^() ,sqrtminlog²⌈⌉<&", max_size=30))
def test_what_can_be_read_is_well_formed_and_names_every_symbol(typed: str) -> None:
    try:
        tree = read_notation(typed, ("M", "N"))
    except FormulaError:
        return
    texts = [element.text for element in ElementTree.fromstring(formula_as_mathml(tree)).iter()]
    assert texts.count("M") == str(tree).count("M") and texts.count("N") == str(tree).count("N")


def test_what_is_no_formula_yet_is_said_without_repeating_it() -> None:
    said = preview(posed(template("formula")), "2 +")
    assert said == {"why": "It ends after “2 +”. I expected a number, a symbol or a bracket there."}


# Schedules --------------------------------------------------------------------------------------------------------------

SCHEDULE = posed(template("schedule"))


def built(text: str) -> dict[str, Any]:
    return preview(SCHEDULE, text)


def test_a_whole_schedule_is_shown_as_it_is_marked() -> None:
    key = SCHEDULE.key
    assert isinstance(key, ScheduleKey)
    said, picture = built("\n".join(key.lines)), check(SCHEDULE, "\n".join(key.lines)).picture
    assert picture is not None
    assert said["picture"] == as_svg(picture)
    assert [f"{row['label']}: {' '.join(row['line'])}" for row in said["rows"]] == list(key.lines)
    assert not said["why"] and not any(row["waiting"] or row["why"] for row in said["rows"])


def test_what_is_placed_runs_as_far_as_it_can_and_the_rest_says_what_it_waits_for() -> None:
    first, second, *_ = built("stage 1: F1 B1 F2\nstage 2: F1")["rows"]
    assert (first["waiting"], second["waiting"]) == (["B1", "F2"], [])
    assert first["why"] == "B1 waits for stage 2's B1, not placed yet"
    assert built("stage 1: B1 F1")["rows"][0]["why"] == "B1 waits for its own F1, which comes after it"


def test_what_cannot_be_placed_is_said_and_left_out() -> None:
    said = built("stage 1: F1 F1 F99 banana")
    assert said["rows"][0]["line"] == ["F1"]
    assert "banana" in said["why"] and "more than once" in said["why"] and "F99" in said["why"]


# Layouts ----------------------------------------------------------------------------------------------------------------


def test_the_product_of_a_layout_is_told_and_nothing_of_its_constraints() -> None:
    asked = posed(template("layout"))
    axes, number = asked.form.of, asked.form.number  # type: ignore[attr-defined]
    assert preview(asked, {})["used"] == 0
    said = preview(asked, {axes[0]: "2"})
    assert (said["used"], said["of"]) == (2, number)
    assert "leaves" in said["read"]


# Functions --------------------------------------------------------------------------------------------------------------

CODE = posed(template("code"))
NAME = CODE.form.function  # type: ignore[attr-defined]
ARGUMENTS = [given.name for given in CODE.form.arguments]  # type: ignore[attr-defined]
ECHO = f"def {NAME}({', '.join(ARGUMENTS)}):\n    return [{', '.join(ARGUMENTS)}]\n"


def ran(source: Any, arguments: str = "") -> dict[str, Any]:
    desk = Desk(Session())
    desk.open(CODE)
    reply = desk.reply({"do": "run", "problem": CODE.id, "seed": CODE.seed, "answer": source, "arguments": arguments})
    run: dict[str, Any] = reply["run"]
    return run


def test_a_function_runs_on_a_sample_which_can_be_changed_and_run_again() -> None:
    sample = ran(ECHO)
    assert "It returned <code>[" in sample["html"]
    assert all(f"{name}=" in sample["arguments"] for name in ARGUMENTS)
    assert ran(ECHO, sample["arguments"]) == sample
    ones = ran(ECHO, ", ".join("1" for _ in ARGUMENTS))
    assert f"<code>{[1] * len(ARGUMENTS)}</code>" in ones["html"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("x=1", "has no argument x"),
        ("__import__('os')", "I couldn't read"),
        ("1 +", "I couldn't read"),
        (f"{ARGUMENTS[0]}=1", "There is no value for"),
        ("1, " * 20, "20 arguments"),
        ("9" * 2000, "2,000 characters"),
    ],
)
def test_arguments_that_are_none_are_said(arguments: str, said: str) -> None:
    assert said in ran(ECHO, arguments)["html"]


def test_what_a_run_says_of_a_function_that_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no function yet" in ran(None)["html"]
    assert "This is not Python" in ran("def (")["html"]
    assert "ZeroDivisionError" in ran(ECHO.replace("return", "return 1 / 0 #"))["html"]
    monkeypatch.setitem(run_limited.__kwdefaults__, "seconds", 0.3)
    assert "took too long" in ran(ECHO.replace("return", "while True: pass\n    return"))["html"]
