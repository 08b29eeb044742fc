"""Cases: several parts in one question, each marked by its own kind, with an early error charged once."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest

from case_students import answers, carrying
from checkout import problem_of, template
from shardwise.bank.lint.problem import lint_problem
from shardwise.bank.posing import pose
from shardwise.errors import Faulty
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.kinds.case.carrying import CarriedBounds
from shardwise.kinds.case.model import CaseKey
from shardwise.kinds.quantity.judging import TWO
from shardwise.markdown.feedback import as_plain
from shardwise.marking import check, read_only
from shardwise.question import Feedback, Outcome, Question
from shardwise.template.yaml_source import parse_yaml

PROBLEM = problem_of(template("case"))
ASKED = pose(PROBLEM, 4)  # 8 GPUs, 2 billion parameters, 100 GB/s, 2 µs, 100 ms
RIGHT = {"message": "4 GB", "sent": "7 GB", "time": "70.03 ms", "hidden": "b"}


def marked(raw: Any, question: Question = ASKED) -> Feedback:
    feedback = check(question, raw)
    assert feedback.outcome != Outcome.BROKEN, feedback.say
    return feedback


def earned(raw: Any, question: Question = ASKED) -> list[float]:
    return list(marked(raw, question).earned.values())


def key_of(question: Question) -> CaseKey:
    assert isinstance(question.key, CaseKey)
    return question.key


# Parts by themselves --------------------------------------------------------------------------------------------------


def test_all_right_earns_all() -> None:
    feedback = marked(RIGHT)
    assert (feedback.outcome, feedback.points, earned(RIGHT)) == (Outcome.CORRECT, 5, [1, 1, 2, 1])


@pytest.mark.parametrize("name", list(RIGHT))
@pytest.mark.parametrize("left", [None, "", ..., "..."])
def test_a_part_that_is_left_out_costs_its_own_points(name: str, left: Any) -> None:
    for raw in ({**RIGHT, name: left}, {key: value for key, value in RIGHT.items() if key != name}):
        feedback = marked(raw)
        lost = {"message": 1, "sent": 1, "time": 2, "hidden": 1}[name]
        assert (feedback.outcome, feedback.points) == (Outcome.PARTIAL, 5 - lost)
        assert not feedback.parts[name] and sum(feedback.parts.values()) == 3
        number = 1 + list(RIGHT).index(name)
        assert f"○ No answer: {number}. " in as_plain(feedback)
        assert f"Not answered yet: {name}." in read_only(ASKED.form, "case", raw, question="x", points=5).say


def test_a_part_that_cannot_be_read_costs_its_own_points_and_is_said() -> None:
    feedback = marked({**RIGHT, "sent": "7 bananas"})
    assert feedback.points == 4
    assert "bananas" in feedback.say
    assert feedback.unread == "sent: I couldn't read “7 bananas”. “bananas” is not a unit I know."
    assert "7 bananas" in feedback.written


def test_when_no_part_can_be_read_the_answer_is_unreadable() -> None:
    assert marked({"sent": "7 bananas", "hidden": 7}).outcome == Outcome.UNREADABLE
    assert marked({"sent": "7 bananas"}).points == 0


def test_a_name_that_no_part_has_is_said_and_takes_nothing_away() -> None:
    feedback = marked({**RIGHT, "tiem": "70 ms"})
    assert feedback.outcome == Outcome.CORRECT
    assert "I saw “tiem”; the parts are message, sent, time, hidden." in as_plain(feedback)


@pytest.mark.parametrize("raw", ["sent = 7 GB; sent = 8 GB", {"sent": "7 GB", "Sent": "8 GB"}])
def test_who_answers_a_part_twice_is_asked_which_answer_is_meant(raw: Any) -> None:
    feedback = marked(raw)
    assert feedback.outcome == Outcome.UNREADABLE
    assert "sent appears twice. Keep the answer that you mean." in feedback.say


def test_a_recognised_mistake_is_said_beside_its_part() -> None:
    feedback = marked({**RIGHT, "sent": "3.5 GB"})
    assert "✗ 2. Sent · 0 of 1 · I read 3.5 GB. Does it send in both phases?" in as_plain(feedback)
    assert feedback.mistake == 1


# Carried errors -------------------------------------------------------------------------------------------------------


def test_an_early_error_is_charged_once_and_said() -> None:
    raw = {"message": "8 GB", "sent": "14 GB", "time": "140.03 ms", "hidden": "a"}
    assert earned(raw) == [0, 1, 2, 1]
    said = as_plain(marked(raw))
    assert (
        "✓ 2. Sent · 1 of 1 · Right from your answer to “Bytes of the gradients” (8 GB), though that number is off: an error counts once."
        in said
    )
    assert "Right from your answer to “Time” (140.03 ms), though that number is off" in said


def test_an_early_error_that_is_not_gone_on_with_correctly_earns_nothing() -> None:
    assert earned({"message": "8 GB", "sent": "12 GB", "time": "120 ms", "hidden": "a"}) == [0, 0, 0, 1]


@pytest.mark.parametrize("absurd", ["4000 GB", "0.01 GB", "-8 GB", "0 GB", "1e300 GB", "1 GB"])
def test_an_absurd_early_result_gains_nothing(absurd: str) -> None:
    """It is too far off, has the wrong sign, or is less than the part itself allows."""
    size = float(absurd.removesuffix(" GB"))
    raw = {"message": absurd, "sent": f"{1.75 * size} GB", "time": f"{17.5 * size + 0.028} ms"}
    assert marked(raw).points == 0
    if 0 < size < 1e6:
        assert "Your answer to “Bytes of the gradients” is not plausible here" in as_plain(marked(raw))


def test_an_early_result_handed_on_as_it_is_gains_nothing() -> None:
    assert earned({"message": "8 GB", "sent": "8 GB"}) == [0, 0, 0, 0]
    change = (
        "message_bytes: parts.message}\n      unit: ms",
        "message_bytes: parts.message}\n      unit: ms\n  - name: again\n    kind: quantity\n    points: 1\n    prompt: Say the same number again, please.\n"
        "    answer: {reference: zero.adam.weight_bytes, oracle: zero.adam.weight_bytes, arguments: {parameters: parts.message, bytes_per_weight: 1}, unit: GB}",
    )
    question = pose(problem_of(template("case", change, ("points: 5", "points: 6"))), 4)
    assert marked({"message": "4 GB", "again": "4 GB"}, question).points == 2
    assert marked({"message": "8 GB", "again": "8 GB"}, question).points == 0


@pytest.mark.parametrize("digits", [3, 4])
def test_rounding_on_the_way_costs_nothing(digits: int) -> None:
    for seed in range(20):
        question = pose(PROBLEM, seed)
        assert marked(answers(PROBLEM, question, digits=digits), question).points == 5


def test_a_blank_part_does_not_break_the_chain() -> None:
    """The time follows from the message, so whoever omits the part between is followed, too."""
    text = template(
        "case", ("message_bytes: parts.message}\n      unit: ms", "message_bytes: parts.sent}\n      unit: ms")
    )
    problem = problem_of(text)
    question = pose(problem, 4)
    raw = answers(problem, question, {"message": 2.0})
    assert marked(raw, question).points == 4
    assert marked({**raw, "sent": None}, question).points == 3
    assert "Right from what follows for “Sent” from your answers, though" in marked({**raw, "sent": None}, question).say


def test_rounding_that_was_gone_on_with_is_called_so_and_not_an_error() -> None:
    said = as_plain(marked({"message": "4.03 GB", "sent": "7.1 GB"}))
    assert said.count("Right from your earlier results as you rounded them.") == 1
    assert "is off" not in said


def test_what_is_right_or_left_out_is_said_in_one_line_each() -> None:
    """A case of thirty parts would be thirty paragraphs, of which a student looks for the few that are wrong."""
    lines = as_plain(marked({**RIGHT, "sent": "3.5 GB", "hidden": None})).splitlines()
    assert [line for line in lines if line.startswith(("✓", "✗", "○"))] == [
        "✓ Right: 1. Bytes of the gradients, 3. Time · 3 of 3",
        f"✗ 2. Sent · 0 of 1 · I read 3.5 GB. Does it send in both phases? {TWO}",
        "○ No answer: 4. Hidden · 0 of 1",
    ]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ({**RIGHT, "sent": [1.5] * 10**6}, "more than 1,000 values"),
        ({**RIGHT, "sent": [[1.5] * 600] * 2}, "more than 1,000 values"),
        ({number: number for number in range(10**5)}, "I saw 100,000 names, but there are only 4 parts."),
    ],
    ids=["a list", "list of lists", "names"],
)
def test_an_answer_of_a_million_values_is_refused_at_once(raw: Any, why: str) -> None:
    begin = time.process_time()  # the machine may be busy
    assert why in marked(raw).say
    assert time.process_time() - begin < 3


@pytest.mark.parametrize(
    "seeds", [range(6), pytest.param(range(6, 30), marks=pytest.mark.slow)], ids=["six seeds", "more"]
)
def test_a_slip_costs_its_own_points_alone_whatever_part_and_draw_it_is(seeds: range) -> None:
    for seed in seeds:
        question = pose(PROBLEM, seed)
        for name in carrying(PROBLEM, question):
            for factor in (0.5, 1.3, 2.0, 8.0):
                feedback = marked(answers(PROBLEM, question, {name: factor}), question)
                wrong = [part for part, is_right in feedback.parts.items() if not is_right]
                assert wrong in ([name], []), (seed, name, factor, feedback.say)
                assert wrong == [name] or (name, factor) == ("message", 0.5)  # under the least: see `plausible`


def test_whole_results_are_gone_on_with_as_whole_ones_alone() -> None:
    bounds = CarriedBounds(12.0, 30, 1, 100, is_whole=True)
    assert [given for given in (1, 12, 12.5, 100, 101, 0, math.nan, math.inf, -12) if bounds.hold(given)] == [
        1,
        12,
        100,
    ]
    assert list(bounds.spread((1, 0.5, 0.55, 1.1))) == [12, 6, 14]


# The key is complete in itself ----------------------------------------------------------------------------------------


def test_the_key_holds_numbers_and_steps_of_arithmetic_and_nothing_that_is_run() -> None:
    for part in key_of(ASKED).parts:
        for way in part.ways:
            assert all(isinstance(number, float) for number in way.numbers)
            assert {step[0] for step in way.steps} <= {*"+-*/^%ncfe", "ln", "l2", "l10", "sq", "cos"}
            assert {guard[1] for guard in way.guards} <= {"<", "<=", ">", ">=", "==", "!="}


# How it is written and read -------------------------------------------------------------------------------------------


def test_a_cell_names_the_parts_in_order_and_what_belongs_there() -> None:
    cell = kind_of(ASKED).cells(ASKED.form, "x")
    assert cell.splitlines()[0] == "x = {"
    assert cell.splitlines()[1] == "    \"message\": ...,  # a number with its unit, such as '25 GB'"
    namespace: dict[str, Any] = {}
    exec(cell, namespace)
    assert list(namespace["x"]) == list(RIGHT)


def test_cells_of_several_lines_stand_in_the_dictionary() -> None:
    problem = problem_of(with_part("match"))
    question = pose(problem, 2)
    namespace: dict[str, Any] = {}
    exec(kind_of(question).cells(question.form, "x"), namespace)
    assert isinstance(namespace["x"]["another"], dict)
    assert marked(namespace["x"], question).outcome == Outcome.BLANK


def with_part(kind: str) -> str:
    """A case with a part of another kind behind the others."""
    data, other = (parse_yaml(template(each), each).data for each in ("case", kind))
    data["params"] |= other.get("params", {})
    kept = {
        key: value for key, value in other.items() if key not in ("title", "difficulty", "tags", "source", "params")
    }
    data["parts"] += ({**kept, "name": "another", "points": 1},)
    data["points"] += 1
    return json.dumps(data)


@pytest.mark.parametrize(
    "kind", ["quantity", "estimate", "choice", "order", "match", "formula", "bugline", "schedule", "layout"]
)
def test_a_part_may_be_of_any_kind_whose_answer_is_a_value(kind: str) -> None:
    problem = problem_of(with_part(kind))
    report = lint_problem(problem, seeds=3)
    assert report.faults == []
    question = pose(problem, 3)
    for sample in kind_of(question).samples(question):
        feedback = check(question, sample.raw, runner=run_here)
        assert feedback.outcome == sample.outcome, (sample, feedback.say)


# What an author is told -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("points: 5", "points: 6"), "points is 6, but its parts add up to 5"),
        (("- name: sent", "- name: message"), "two parts are called 'message'"),
        (("{message_bytes: parts.message}\n      unit: GB", "{message_bytes: parts.time}\n      unit: GB"), "the part 'sent' names parts.time, but no earlier part has that name"),
        (("- name: sent", "- name: Sent"), "parts.1.name: expected text that matches"),
        (("- name: sent\n    kind: quantity", "- name: sent\n    kind: code"), "parts.1.kind: unknown kind 'code'"),
        (("- name: sent\n    kind: quantity", "- name: sent\n    knid: quantity"), "parts.1"),
        (("    hints: [Count both phases.]", "    hnits: [Count both phases.]"), "parts.1.hnits: unknown key 'hnits'"),
        (("    hints: [Count both phases.]", "    params: {a: 1}"), "parts.1.params"),
        (("ring.ring.bytes_sent_per_gpu", "ring"), "parts.1.answer.reference: expected text that matches"),
    ],
)  # fmt: skip
def test_a_fault_is_said_at_its_place(change: tuple[str, str], words: str) -> None:
    with pytest.raises(Faulty) as caught:
        problem_of(template("case", change))
    assert words in str(caught.value)


def linted(*changes: tuple[str, str], seeds: int = 4) -> str:
    return "\n".join(map(str, lint_problem(problem_of(template("case", *changes)), seeds=seeds).faults))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("oracle: ring.ring.simulated_bytes_sent_per_gpu", "oracle: ring.ring.simulated_bytes_sent_per_phase"), "sent: ring.ring.bytes_sent_per_gpu gives"),
        (("    solution: It takes {{ parts.time }}.", "    solution: It takes {{ parts.tiem }}."), "has no attribute 'tiem'"),
        (("[Count both phases.]", '["{{ parts.message }} is a start."]'), "'parts' is undefined"),
        (("How much does a GPU send?", "How much of {{ parts.message }} does a GPU send?"), "'parts' is undefined"),
        (("compute_s: {choice", "spare: 3\n  compute_s: {choice"), "params.spare is drawn but never used"),
        (("{message_bytes: parts.message}\n      unit: GB", "{message_bytes: parts.message + gpus * floor(parts.message / gpus % 7)}\n      unit: ms"), "which measures time"),
    ],
)  # fmt: skip
def test_a_part_is_linted_as_its_kind_is(change: tuple[str, str], words: str) -> None:
    assert words in linted(change)


def test_a_reference_whose_answer_cannot_be_recomputed_is_refused() -> None:
    """A list that is looked up by a result leaves no trace: what the key would work out is wrong, and the lint says so."""
    said = linted(
        (
            "{message_bytes: parts.message}\n      unit: GB",
            '{message_bytes: "[5e8, 7e8, 9e8, 11e8][(parts.message / 1e9) | int % 4]"}\n      unit: GB',
        )
    )
    assert "sent: for parts.message =" in said
    assert "part of it is not traced" in said or "cannot be computed from the key alone" in said


def test_branches_and_rounding_are_gone_on_with() -> None:
    change = (
        "{message_bytes: parts.message}\n      unit: GB",
        '{message_bytes: "max(parts.message, 3e9) + 1e8 * ceil(parts.message / 1e9)"}\n      unit: GB',
    )
    assert linted(change, seeds=4) == ""
    problem = problem_of(template("case", change))
    for seed in range(8):
        question = pose(problem, seed)
        for factor in (1.3, 2.0, 5.0):
            raw = answers(problem, question, {"message": factor})
            assert marked(raw, question).earned["sent"] == 1, (seed, factor)
