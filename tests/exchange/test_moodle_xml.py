"""Moodle XML: marked by Moodle's rules, every answer to an exported question earns the same points as with shardwise."""

from __future__ import annotations

from itertools import combinations, permutations
from xml.etree.ElementTree import Element

import pytest

import moodle_marking as moodle
from checkout import ROOT, checkout_bank, posed, template
from drawing import a_quarter_at_once
from shardwise.bank.bank import Bank, Problem
from shardwise.course.assigning.assignments import SetDefinition
from shardwise.exchange.exam_keys import right_answer
from shardwise.exchange.moodle_xml import CHANGED, Drawn, MoodleQuiz, draw_variants, moodle_quiz
from shardwise.kinds import kind_of
from shardwise.kinds.case.model import CaseForm
from shardwise.kinds.choice import ChoiceForm
from shardwise.kinds.estimate.model import EstimateForm, EstimateKey
from shardwise.kinds.match.model import MatchForm, MatchKey
from shardwise.kinds.order import OrderForm, OrderKey
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey, tolerance
from shardwise.marking import check
from shardwise.question import Question
from shardwise.units import from_base, unit

EDGE = 1e-6  # relative; how near to a tolerance the near-misses are
CARRIED = {"quantity", "choice", "match", "order", "estimate"}  # of those in the shipped bank


def quiz_of(*problems: str, variants: int = 1, seed: str = "7") -> tuple[MoodleQuiz, dict[str, Question]]:
    """Return the exported set with these problems, and its questions by their idnumber."""
    definition = SetDefinition.model_validate({"name": "quiz", "title": "A/B quiz", "problems": problems})
    drawn = draw_variants(checkout_bank(), definition, variants, seed)
    numbered = [(number, question) for each in drawn for number, question in enumerate(each.variants, start=1)]
    return moodle_quiz(definition, drawn), {f"quiz-{question.slug}-{number}": question for number, question in numbered}


def share(question: Question, raw: object) -> float:
    """Return the share of the points that our marking gives."""
    feedback = check(question, raw)
    assert feedback.outcome is not None and feedback.outcome.value in ("correct", "partial", "incorrect"), feedback
    return feedback.credit


def in_unit(form: QuantityForm, number: float) -> tuple[float, str]:
    """Return a number as a student would type it in Moodle, and as an answer to our own question."""
    typed = from_base(number, form.unit, form.direction)
    return typed, f"{typed:.15e} {unit(form.unit).text} {'duplex' if form.direction == 'duplex' else ''}"


def same_for_numbers(asked: Question, theirs: Element) -> None:
    """Compare the key, every recognised mistake, and numbers just inside and outside of each tolerance."""
    key, form = asked.key, asked.form
    assert isinstance(key, QuantityKey) and isinstance(form, QuantityForm)
    for value in (key.value, *(mistake.value for mistake in key.mistakes)):
        reach = tolerance(value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs)
        slack = EDGE * max(reach, 1e-3 * abs(value))
        for near in (0.0, reach - slack, slack - reach, reach + slack, -reach - slack, 5 * reach):
            typed, raw = in_unit(form, value + near)
            assert moodle.numerical(theirs, typed)[0] == share(asked, raw), (asked.id, asked.seed, raw)
    for mistake in key.mistakes:
        assert moodle.numerical(theirs, in_unit(form, mistake.value)[0])[1], (asked.id, mistake.say)


def same_for_estimates(asked: Question, theirs: Element) -> None:
    """Compare estimates at the edges of the range, given with full confidence."""
    key, form = asked.key, asked.form
    assert isinstance(key, EstimateKey) and isinstance(form, EstimateForm)
    for power in (0, 0.5, -0.5, 1 - EDGE, EDGE - 1, 1 + EDGE, -1 - EDGE, 2, -2):
        typed, raw = in_unit(form, key.value * form.within**power)
        assert moodle.numerical(theirs, typed)[0] == share(asked, f"{raw}, 100 %"), (asked.id, asked.seed, raw)


def same_for_choices(asked: Question, theirs: Element) -> None:
    """Compare every selection."""
    form = asked.form
    assert isinstance(form, ChoiceForm)
    places = range(len(form.options))
    for size in places if form.pick == "many" else (0,):
        for chosen in combinations(places, size + 1):
            ours = share(asked, [form.options[place].label for place in chosen])
            assert moodle.multichoice(theirs, chosen) == pytest.approx(ours, abs=1e-5), (asked.id, chosen)


def same_for_matches(asked: Question, theirs: Element) -> None:
    """Compare the key, every recognised mistake, and the key with each item moved to each other option."""
    key, form = asked.key, asked.form
    assert isinstance(key, MatchKey) and isinstance(form, MatchForm)
    stems = [moodle.text_in(stem) for stem in theirs.findall("subquestion") if moodle.text_in(stem)]
    choices = {moodle.text_in(stem, "answer/text") for stem in theirs.findall("subquestion")}
    by_label = {choice.partition(")")[0]: choice for choice in choices}
    assert sorted(by_label) == [option.label for option in form.options]
    moved = [{**key.pairs, item: label} for item in key.pairs for label in by_label]
    for given in (dict(key.pairs), *({**key.pairs, **mistake.pairs} for mistake in key.mistakes), *moved):
        chosen = {stem: by_label[given[item.label]] for stem, item in zip(stems, form.items, strict=True)}
        assert moodle.matching(theirs, chosen) == pytest.approx(share(asked, given)), (asked.id, given)


def same_for_orders(asked: Question, theirs: Element) -> None:
    """Compare every order of up to five items: Moodle gives all points where we do, and otherwise none."""
    key, form = asked.key, asked.form
    assert isinstance(key, OrderKey) and isinstance(form, OrderForm)
    texts = dict(zip(key.order, (moodle.text_in(answer) for answer in theirs.findall("answer")), strict=True))
    for order in [key.order, *list(permutations(sorted(key.order)))[:120]]:
        ours = share(asked, list(order))
        assert moodle.ordering(theirs, [texts[label] for label in order]) == float(ours == 1), (asked.id, order)


def same_for_cases(asked: Question, theirs: Element) -> None:
    """Compare the key and every recognised mistake of each part, with right answers to all other parts."""
    pieces = list(kind_of(asked).pieces(asked))
    fields = moodle.fields_of_cloze(theirs)
    assert [points for points, _ in fields] == [piece.points for piece in pieces]
    for piece, (_, field) in zip(pieces, fields, strict=True):
        SAME[field.get("type", "")](piece, field)
    assert isinstance(asked.form, CaseForm)
    names = [part.name for part in asked.form.parts]
    right = [right_answer(piece) for piece in pieces]
    for place, piece in enumerate(pieces):
        for mistake in getattr(piece.key, "mistakes", ()):
            assert isinstance(piece.form, QuantityForm)
            typed, raw = in_unit(piece.form, mistake.value)
            answers = dict(zip(names, [*right[:place], raw, *right[place + 1 :]], strict=True))
            earned = [
                points * moodle.numerical(field, typed)[0] if field is fields[place][1] else points
                for points, field in fields
            ]
            assert sum(earned) == pytest.approx(share(asked, answers) * asked.points), (asked.id, raw)


SAME = {
    "numerical": same_for_numbers,
    "multichoice": same_for_choices,
    "matching": same_for_matches,
    "ordering": same_for_orders,
    "cloze": same_for_cases,
}


def test_moodle_gives_every_answer_the_points_that_we_give(problem: Problem) -> None:
    quiz, questions = quiz_of(problem.id, variants=a_quarter_at_once(4))
    theirs = moodle.questions_in(quiz.xml)
    kind = problem.data["kind"]
    assert bool(theirs) == (kind in CARRIED) == (problem.id not in quiz.omitted)
    for name, element in theirs.items():
        compare = same_for_estimates if kind == "estimate" else SAME[element.get("type", "")]
        compare(questions[name], element)
        assert float(element.findtext("defaultgrade", "")) == questions[name].points


def test_a_case_of_numbers_and_choices_becomes_a_cloze_question_with_the_same_points() -> None:
    finance = Bank.open(ROOT / "examples" / "bank")
    definition = SetDefinition.model_validate({"name": "q", "title": "Quiz", "problems": ["a-flat-and-its-loan"]})
    drawn = draw_variants(finance, definition, 3, "7")
    changes = (
        ("      options:\n", "      pick: many\n      options:\n"),
        ("No, a part stays", "No, #1 of {~2} } <b> stays"),
    )
    choices = Drawn("Choices", (posed(template("case", *changes)), posed(template("case"), 2)))
    quiz = moodle_quiz(definition, [*drawn, choices])
    theirs = moodle.questions_in(quiz.xml)
    asked = [question for each in (*drawn, choices) for question in each.variants]
    assert len(theirs) == len(asked) == 5 and set(quiz.changed.values()) == {CHANGED["case"]}
    for question, element in zip(asked, theirs.values(), strict=True):
        same_for_cases(question, element)
    _, field = moodle.fields_of_cloze(theirs["q-a-problem-1"])[3]
    assert any("#1 of {~2} } &lt;b&gt; stays" in moodle.text_in(answer) for answer in field.findall("answer"))


def test_what_moodle_cannot_ask_is_named_in_the_file() -> None:
    quiz, _ = quiz_of("ring-time", "ring-time-function", "order-ring-events")
    assert quiz.omitted == {"01-ring-all-reduce/ring-time-function": "Moodle cannot run a program"}
    assert quiz.changed == {"01-ring-all-reduce/order-ring-events": CHANGED["order"]}
    text = quiz.xml.decode()
    assert "<!-- Omitted: 01-ring-all-reduce/ring-time-function: Moodle cannot run a program -->" in text
    assert quiz.carried == 2


def test_each_problem_is_a_category_from_which_moodle_draws_a_different_variant() -> None:
    quiz, questions = quiz_of("ring-time", "ring-or-tree", variants=5)
    categories = [line for line in quiz.xml.decode().split("\n") if "$course$" in line]
    assert [line.strip() for line in categories] == [
        f"<text>$course$/top/A//B quiz/{checkout_bank().find(name).title}</text>"
        for name in ("ring-time", "ring-or-tree")
    ]
    texts = [moodle.text_in(each, "questiontext/text") for each in moodle.questions_in(quiz.xml).values()]
    assert len(questions) == len(texts) == len(set(texts)) == 10


def test_a_question_brings_its_hints_its_solution_and_formulas_for_mathjax() -> None:
    quiz, questions = quiz_of("gpus-behind-one-link")
    ((name, element),) = moodle.questions_in(quiz.xml).items()
    assert len(element.findall("hint")) == len(questions[name].hints) > 0
    solution = moodle.text_in(element, "generalfeedback/text")
    assert r"\[\left\lfloor" in solution and "<math" not in quiz.xml.decode()
    assert "number only" in moodle.text_in(element, "questiontext/text")


def test_points_of_the_set_replace_those_of_the_problem() -> None:
    definition = SetDefinition.model_validate(
        {"name": "quiz", "title": "Quiz", "problems": [{"id": "ring-time", "points": 7.5}]}
    )
    quiz = moodle_quiz(definition, draw_variants(checkout_bank(), definition, 1, "7"))
    assert [each.findtext("defaultgrade") for each in moodle.questions_in(quiz.xml).values()] == ["7.5"]
