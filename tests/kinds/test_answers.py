"""Answers as people and attackers give them: each is read or not, right or not, and never our fault."""

from __future__ import annotations

import decimal
import fractions
import math
import time
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkout import TEMPLATES, checkout_bank, kinds_of_the_bank, posed, template
from drawing import a_quarter_at_once
from shardwise.bank.posing import pose
from shardwise.errors import Faulty
from shardwise.kinds import kind_of, kinds
from shardwise.kinds.blanks import is_blank
from shardwise.kinds.calls import Made, Recorded, run_here
from shardwise.kinds.order import agreement
from shardwise.kinds.quantity.model import near, tolerance
from shardwise.markdown.escaping import literal
from shardwise.markdown.feedback import as_html, as_markdown, as_plain
from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.marking import check, read_only
from shardwise.question import Feedback, Outcome, Question


def question(kind: str, *changes: tuple[str, str], seed: int = 1) -> Question:
    """The question of a kind's sound template, with some of its text replaced."""
    return posed(template(kind, *changes), seed)


def outcome(asked: Question, raw: Any) -> Outcome | None:
    return check(asked, raw, runner=run_here).outcome


# Quantity --------------------------------------------------------------------------------------------------------

EIGHT = ("gpus: {choice: [8, 16, 32, 64]}", "gpus: 8")
ONE_GB = ("message_bytes: {range: [1, 8, 1], unit: GB}", "message_bytes: {fixed: 1, unit: GB}")  # the key is 1.75 GB


@pytest.mark.parametrize(
    ("tolerance", "right", "wrong"),
    [
        ("rel_tol: 0.01", ("1.7325", "1.7675", "1.75"), ("1.7324", "1.7676")),
        ("abs_tol: 0.05", ("1.7", "1.8"), ("1.699", "1.801")),
        ("abs_tol: 0", ("1.75", "1.750000"), ("1.7500001", "1.74")),
        ("rel_tol: 0.005", ("1.742", "1.758", "1.75"), ("1.74", "1.76")),
        ("sig_figs: 4", ("1.7495", "1.7505", "1.75"), ("1.7494", "1.7506")),
    ],
)
def test_a_tolerance_ends_where_it_says(tolerance: str, right: tuple[str, ...], wrong: tuple[str, ...]) -> None:
    asked = question("quantity", EIGHT, ONE_GB, ("rel_tol: 0.005", tolerance))
    assert {text: outcome(asked, f"{text} GB") for text in right} == dict.fromkeys(right, Outcome.CORRECT)
    assert {text: outcome(asked, f"{text} GB") for text in wrong} == dict.fromkeys(wrong, Outcome.INCORRECT)


def test_a_mistake_is_known_of_the_draws_that_it_names() -> None:
    for when, known in ("gpus > 8", 0), ("key < 2e9", 1):
        asked = question("quantity", EIGHT, ONE_GB, ("factor: 0.5", f"factor: 0.5\n    when: {when}"))
        assert len(asked.key.mistakes) == known
    is_the_key = ("factor: 0.5", "value: key\n    when: gpus > 8")  # which a draw with more would be refused for
    assert outcome(question("quantity", EIGHT, ONE_GB, is_the_key), "1.75 GB") == Outcome.CORRECT


@given(st.floats(1e-9, 1e15))
def test_right_to_three_figures_is_right_in_any_unit(key: float) -> None:
    allowed = tolerance(key, "1", "none", 0.005, None, None)
    for factor in (1.0, 8.0, 1e9 / 2**30, 60.0, 1 / 3600):  # an answer is rounded in the student's own unit
        assert near(float(f"{key * factor:.2e}") / factor, key, allowed)


def test_a_tolerance_that_refuses_three_figures_is_faulted_and_four_are_asked_for_by_name() -> None:
    with pytest.raises(
        Faulty, match=r"rel_tol 0\.004 would refuse an answer that is right to three significant figures"
    ):
        question("quantity", ("rel_tol: 0.005", "rel_tol: 0.004"))
    with pytest.raises(Faulty, match="sig_figs"):
        question("quantity", ("rel_tol: 0.005", "sig_figs: 3"))


def test_a_mistake_that_we_recognise_beats_a_slip_that_happens_everywhere() -> None:
    asked = question("quantity", EIGHT, ONE_GB)
    half = check(asked, "0.875 GB")
    assert (half.mistake, half.points) == (0, 0)
    assert half.say.startswith("That is one phase of the two. If that is not it, factors of two also come from")
    bits = check(question("quantity", ("gpus: {choice: [8, 16, 32, 64]}", "gpus: 4"), ONE_GB), "12 GB")
    assert (bits.mistake, bits.say) == (
        None, "Bits or bytes? A byte has 8 bits. Which of the two do your numbers count?",
    )  # fmt: skip
    assert check(asked, "1.75 GiB").say == "Check the prefix: GB is 10⁹ bytes, GiB is 2³⁰."
    assert check(asked, "-1.75 GB").say == "The size is right, but the sign is not."


@given(st.floats(1e-3, 1e6) | st.floats(-1e6, -1e-3) | st.just(0.0))
def test_a_wrong_number_is_told_how_far_off_it_is_and_not_the_right_one(number: float) -> None:
    feedback = check(QUANTITY, f"{number:.6g} GB")
    assert feedback.outcome == (Outcome.CORRECT if abs(float(f"{number:.6g}") - 1.75) <= 0.00875 else Outcome.INCORRECT)
    assert "1.75" not in feedback.say


QUANTITY = question("quantity", EIGHT, ONE_GB)


def test_half_a_gpu_is_told_that_gpus_are_whole_if_the_question_asks_for_a_whole_number() -> None:
    asked_for = pose(checkout_bank().find("gpus-behind-one-link"), 0)
    right = asked_for.key.value  # type: ignore[attr-defined]
    assert asked_for.form.whole  # type: ignore[attr-defined]
    assert "a whole number of GPUs can be right" in check(asked_for, f"{0.37 * right + 0.5} GPUs").say
    assert "whole" not in check(asked_for, f"{round(5.7 * right)} GPUs").say
    assert "whole" not in check(QUANTITY, "2.1 GB").say


@pytest.mark.parametrize(
    ("tolerance", "given", "words"),
    [
        ("", "1.735 GB", "Close, but outside the tolerance. Did you round in between?"),
        (
            "",
            "1.69 GB",
            "Too low, by less than 10 %. Did you omit something small, or count something that does not belong?",
        ),
        ("", "1.81 GB", "Too high, by less than 10 %."),
        ("rel_tol: 0.02", "1.81 GB", "Close, but"),
        ("", "2.1 GB", "Too high."),
        ("", "-3 GB", "The sign is wrong."),
        ("", "0 GB", "Zero would mean that nothing is left. Which term did you cancel"),
        ("", "1.8 GB", "You rounded too far. Give 3 significant figures."),
    ],
)
def test_close_is_said_of_what_rounding_explains_alone(tolerance: str, given: str, words: str) -> None:
    """One per cent is allowed, or as much as `tolerance` says; three times that is close."""
    asked = question("quantity", EIGHT, ONE_GB, *([("rel_tol: 0.005", tolerance)] if tolerance else []))
    assert check(asked, given).say.startswith(words)


@pytest.mark.parametrize("raw", ["62 GB/s both directions", "62 GB/s", "31 GB/s per direction", "62 GB/s duplex"])
def test_a_rate_asked_for_in_both_directions_is_read_so(raw: str) -> None:
    asked = posed(BUS.replace("DIRECTION", "duplex"))
    assert "62 GB/s (both directions together)" in asked.solution
    assert outcome(asked, raw) == Outcome.CORRECT
    assert outcome(asked, "31 GB/s") == Outcome.INCORRECT
    for sample in kinds()["quantity"].samples(asked):
        assert outcome(asked, sample.raw) == sample.outcome, sample


def test_a_tolerance_in_the_unit_of_both_directions_is_not_doubled() -> None:
    asked = posed(BUS.replace("DIRECTION", "duplex\n  abs_tol: 1"))
    assert outcome(asked, "63 GB/s") == Outcome.CORRECT
    assert outcome(asked, "63.1 GB/s") == Outcome.INCORRECT
    asked = posed(BUS.replace("DIRECTION", "duplex\n  sig_figs: 4"))
    assert outcome(asked, "62.005 GB/s") == Outcome.CORRECT
    assert outcome(asked, "62.006 GB/s") == Outcome.INCORRECT


def test_a_rate_in_one_direction_takes_half_of_a_duplex_figure() -> None:
    asked = posed(BUS.replace("DIRECTION", "per direction"))
    assert outcome(asked, "62 GB/s duplex") == outcome(asked, "31 GB/s") == Outcome.CORRECT
    assert outcome(asked, "62 GB/s") == Outcome.INCORRECT


BUS = """\
title: Bus bandwidth
kind: quantity
points: 1
difficulty: easy
source: nccl-tests, doc/PERFORMANCE.md
params: {message_bytes: {fixed: 8, unit: GB}, gpus: 32, measured_s: {fixed: 500, unit: ms}}
prompt: "{{ gpus }} GPUs all-reduce {{ message_bytes }} in {{ measured_s }}. What is the bus bandwidth?"
answer:
  reference: ring.ring.bus_bandwidth
  oracle: ring.ring.simulated_bus_bandwidth
  unit: GB/s
  direction: DIRECTION
mistakes:
  - {factor: 0.25, say: That counts a quarter of it.}
hints: [What crosses a link?]
solution: Across each link goes {{ key }}.
"""


# Choice ----------------------------------------------------------------------------------------------------------

MANY = """\
title: Which hold
kind: choice
points: 3
difficulty: easy
source: nccl-tests, doc/PERFORMANCE.md
params: {gpus: {choice: [8, 16, 32]}}
prompt: "Which statements hold for {{ gpus }} GPUs?"
answer:
  pick: many
  options:
    - {text: first truth, correct: true, say: "Yes, the first."}
    - {text: second truth, correct: gpus > 4, say: "Yes, the second."}
    - {text: third truth, correct: true, say: "Yes, the third."}
    - {text: first lie, correct: false, say: "No, the first."}
    - {text: second lie, correct: gpus < 4, say: "No, the second."}
hints: [Three of them do.]
solution: "These hold: {{ key }}"
"""


@pytest.mark.parametrize(("right", "wrong"), [counts for counts in product(range(4), range(3)) if any(counts)])
def test_of_several_options_each_right_one_earns_and_each_wrong_one_costs(right: int, wrong: int) -> None:
    asked = posed(MANY)
    key: Any = asked.key
    lies = [letter for letter in "abcde" if letter not in key.correct]
    feedback = check(asked, [*key.correct[:right], *lies[:wrong]])
    assert math.isclose(feedback.credit, max(0, right / 3 - wrong / 2))  # of three true ones, and of two lies
    assert math.isclose(feedback.points, 3 * feedback.credit, abs_tol=0.01)
    assert [letter for letter in lies if f"**{letter})** No, the" in feedback.say] == lies[:wrong]
    assert ("there is more" in feedback.say) == (right < 3 and not wrong)


def test_a_cell_for_a_count_asks_for_no_unit() -> None:
    quantity = kinds()["quantity"]
    for asked, whole, words in (
        ("1", True, "# a number, such as '7'"),
        ("1", False, "# a number, such as '2.5'"),
        ("GPU", False, "# a number with its unit, such as '7 GPUs'"),
        ("ms", False, "# a number with its unit, such as '2.5 ms'"),
    ):
        assert quantity.cells(quantity.Form(unit=asked, direction="none", whole=whole), "x").endswith(words)


def test_what_names_no_option_is_said_in_whole_sentences() -> None:
    asked = question("choice")
    assert as_plain(check(asked, "d")) == (
        "? Unreadable\nI saw “d” where one of the letters a, b, c belongs. An answer looks like “a”.\n\n"
        "This does not count."
    )
    assert "You named 2 options, but only one can be right." in check(asked, "a, b").say
    assert "“`a`” appears twice" in check(asked, "a a").say
    assert "I expected letters, but this is of type int." in check(asked, 2).say


# Order -----------------------------------------------------------------------------------------------------------


def test_an_order_earns_by_the_pairs_that_it_has_right() -> None:
    asked = question("order")
    key: Any = asked.key
    for order in permutations(key.order):
        pairs = sum(
            key.order.index(first) < key.order.index(second)
            for place, first in enumerate(order)
            for second in order[place + 1 :]
        )
        feedback = check(asked, " ".join(order))
        assert math.isclose(feedback.credit, max(0, 2 * pairs / 6 - 1))
        assert math.isclose(feedback.credit, agreement(order, key.order))
        assert (feedback.outcome == Outcome.CORRECT) == (order == key.order)
        if feedback.mistake is None and order != key.order:
            wrong = next(place for place in range(4) if order[place] != key.order[place])
            assert f"**{order[wrong]}** does not come" in feedback.say
            assert "first 1 are" not in feedback.say


def test_a_wrong_order_is_known_where_the_items_that_it_is_about_are_shown() -> None:
    first_shown = ("first: what happens first", "first: what happens first\n  shown: 3")
    early = ("order: [cut, gather, scatter, done]", "order: [gather, scatter, cut, done]\n    about: [gather]")
    asked = [question("order", first_shown, early, seed=seed) for seed in range(20)]
    shows = [any("round the ring" in item.text for item in one.form.items) for one in asked]
    assert [len(one.key.mistakes) for one in asked] == shows
    assert {*shows} == {True, False}
    drawn = ("  - order: [cut, gather, scatter, done]", "  - order: [cut, gather, scatter, done]\n    when: gpus == 8")
    of_eight = [question("order", drawn, seed=seed) for seed in range(20)]
    assert [bool(one.key.mistakes) for one in of_eight] == [str(one.params["gpus"]) == "8" for one in of_eight]
    assert {bool(one.key.mistakes) for one in of_eight} == {True, False}
    with pytest.raises(Faulty, match="a mistake is about gathered; the items are cut, done, gather, scatter"):
        question("order", (early[0], early[1].replace("[gather]", "[gathered]")))


# Formula ---------------------------------------------------------------------------------------------------------


def test_a_wrong_formula_is_shown_the_simplest_numbers_at_which_it_is_wrong() -> None:
    feedback = check(question("formula"), "2*M**1*N/(N-1)")
    assert as_plain(feedback) == (
        "✗ Not yet · 0 of 2 points\nI read: 2*M**1*N/(N - 1)\n\n"
        "At M = 1\u202f000\u202f000, N = 2 your formula gives 4\u202f000\u202f000, and the correct one gives 1\u202f000\u202f000."
    )
    half = check(question("formula"), "M - M/N")
    assert half.mistake == 0
    assert half.say.startswith(
        "That is one phase of the two.\n\nAt M = 1\u202f000\u202f000, N = 2 your formula gives 500\u202f000"
    )
    assert "nothing (it is undefined there)" in check(question("formula"), "M*sqrt(1-N)").say


def test_what_a_student_typed_is_quoted_as_it_stands() -> None:
    feedback = check(question("formula"), "2*K*M*N + $x$")
    assert "“`2*K*M*N + $x$`”" in feedback.say
    assert "<code>2*K*M*N + $x$</code>" in as_html(feedback)
    assert "“2*K*M*N + $x$”" in as_plain(feedback)
    power = check(question("formula"), "M**2 + N**3")
    assert "I read: M**2 + N**3" in as_plain(power)


# Code ------------------------------------------------------------------------------------------------------------


def sent_gb(message_gb: float, gpus: int) -> float:
    return 2 * message_gb * (gpus - 1) / gpus


CODE = question("code")
CALLS = len(CODE.key.model_dump()["cases"])


def test_a_right_function_is_right_with_numbers_of_any_make() -> None:
    for make in (float, np.float64, np.array):
        assert outcome(CODE, lambda make=make, **inputs: make(sent_gb(**inputs))) == Outcome.CORRECT
    source = "def sent_gb(message_gb, gpus):\n    return 2 * message_gb * (gpus - 1) / gpus\n"
    assert check(CODE, source, runner=run_here).say == f"All {CALLS} calls return the right result."


def test_the_first_failing_call_shown_is_the_simplest() -> None:
    feedback = check(CODE, lambda message_gb, gpus: 7 if gpus > 1 else 0, runner=run_here)
    assert feedback.say == (
        f"`sent_gb(message_gb=1, gpus=2)` returned `7`; I expected `1`.\n\n1 of {CALLS} calls is right."
    )


def test_a_function_that_forgets_an_edge_earns_half() -> None:
    feedback = check(
        CODE, lambda message_gb, gpus: sent_gb(message_gb, gpus) if gpus > 1 else 2 * message_gb, runner=run_here
    )
    assert (feedback.outcome, feedback.credit, feedback.points) == (Outcome.PARTIAL, 0.5, 1)
    assert "gpus=1)` returned" in feedback.say
    assert f"{CALLS - 1} of {CALLS} calls are right." in feedback.say


def test_a_text_that_uses_a_name_of_another_cell_is_told_what_it_sees() -> None:
    text = "def sent_gb(message_gb, gpus):\n    return sent_by_another_cell(message_gb, gpus)\n"
    told = "Does that define or import every name it uses?"
    assert check(CODE, text, runner=run_here).say.endswith(told)
    assert told not in check(CODE, lambda message_gb, gpus: absent, runner=run_here).say  # type: ignore[name-defined]  # noqa: F821
    assert told not in check(CODE, text.replace("sent_by_another_cell", "max"), runner=run_here).say


def test_a_long_result_is_shortened_visibly() -> None:
    feedback = check(CODE, lambda message_gb, gpus: 10**400, runner=run_here)
    assert f"returned `1{'0' * 38}…`" in feedback.say


def test_a_missing_return_has_a_sentence_of_its_own() -> None:
    feedback = check(CODE, "def sent_gb(message_gb, gpus):\n    2 * message_gb\n", runner=run_here)
    assert feedback.outcome == Outcome.INCORRECT
    assert feedback.say.endswith("Every call returned None. Is there a `return` at the end?")
    asked = question("code", ("{gpus: 1}", "{gpus: 0}"))
    prints = "def sent_gb(message_gb, gpus):\n    if gpus < 1:\n        raise ValueError\n    print(2 * message_gb)\n"
    assert check(asked, prints, runner=run_here).say.endswith("Is there a `return` at the end?")


def test_a_recognised_mistake_is_told_beside_the_failing_call() -> None:
    feedback = check(CODE, lambda **inputs: sent_gb(**inputs) / 2, runner=run_here)
    assert (feedback.outcome, feedback.mistake) == (Outcome.INCORRECT, 0)
    assert feedback.say.endswith("That is one phase of the two.")


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


class BadError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


class Endless:
    def tolist(self) -> Endless:
        return self


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


CYCLE: list[Any] = []
CYCLE.append(CYCLE)
WRONG = [
    math.nan, math.inf, -math.inf, True, False, None, "", "1.0", "\ud800", "\x00", "x" * 10**6, b"1", 1j, 10**400, 10**5000,
    [], [1.0], [[1.0]], (1,), {}, {"a": 1}, {1: {2: 3}}, {None: None}, {1}, object(), print, Unprintable(), [Unprintable()],
    Endless(), nested(500), nested(100_000), CYCLE, {"a": CYCLE}, np.array([1.0]), np.array([]), np.array("a"),
    np.float64("nan"), np.bool_(True), range(3), decimal.Decimal(1), fractions.Fraction(1), iter([1]), type, NotImplemented,
]  # fmt: skip


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_whatever_a_function_returns_is_wrong_and_not_our_fault(value: Any) -> None:
    feedback = check(CODE, lambda **_: value, runner=run_here)
    assert feedback.outcome == Outcome.INCORRECT
    assert_harmless(feedback)
    recorded = check(CODE, Recorded(tuple(Made("returned", value) for _ in range(CALLS))))
    assert recorded.outcome == Outcome.INCORRECT
    assert_harmless(recorded)


@pytest.mark.parametrize(
    "error", [ValueError, SystemExit, RecursionError, MemoryError, BadError, StopIteration, AssertionError]
)
def test_whatever_a_function_raises_is_told_in_a_line(error: type[BaseException]) -> None:
    def stops(**_: Any) -> None:
        raise error

    feedback = check(CODE, stops, runner=run_here)
    assert feedback.outcome == Outcome.INCORRECT
    assert f"raised `{error.__name__}" in feedback.say


@pytest.mark.parametrize(
    ("source", "outcome_", "words"),
    [
        ("import sys\nsys.exit()\ndef sent_gb(message_gb, gpus): return 1", "incorrect", "raised `SystemExit"),
        ("raise ValueError('a')\ndef sent_gb(message_gb, gpus): return 1", "incorrect", "raised `ValueError: a`"),
        ("def sent_gb(message_gb, gpus): return sent_gb(message_gb, gpus)", "incorrect", "raised `RecursionError"),
        ("def sent_gb(gb): return 1", "incorrect", "sent_gb() takes 1 positional argument but 2 were"),
        ("def sent_gb(message_gb, gpus): raise KeyError('`a`\\n# b')", "incorrect", "raised `KeyError: ''a'\\n# b'`"),
        ("sent_gb = lambda message_gb, gpus: 1", "incorrect", "returned `1`; I expected"),
        ("def sent(message_gb, gpus): return 1", "unreadable", "It begins with  def sent_gb(message_gb, gpus):"),
        ("def sent_gb(message_gb, gpus) return 1", "unreadable", "This is not Python"),
        ("def sent_gb(): return '\x00'", "unreadable", "This is not Python"),
        ("-" * 19_000 + "1", "unreadable", "This is not Python"),
        ("x = 1\n" * 4000, "unreadable", "That source has 24,000 characters; 20,000 are read."),
    ],
)
def test_a_source_is_run_or_refused_in_words(source: str, outcome_: str, words: str) -> None:
    feedback = check(CODE, source, runner=run_here)
    assert feedback.outcome == outcome_
    assert words in feedback.say
    assert_harmless(feedback)


# Buggy line ------------------------------------------------------------------------------------------------------

HUNT = question("bugline")
KEY: Any = HUNT.key
FORM: Any = HUNT.form
RIGHT: dict[str, Any] = {"line": KEY.line, "input": dict(KEY.witness), "fix": KEY.original_line}
HANDED_OUT: dict[str, Any] = {"line": ..., "input": dict.fromkeys(FORM.domain, ...), "fix": ...}


@pytest.mark.parametrize(
    "empty", [{}, HANDED_OUT, {"line": None, "input": {}, "fix": ""}], ids=["gone", "form", "empty"]
)
@pytest.mark.parametrize("parts", [("line",), ("input",), ("line", "fix"), ("line", "input"), ("line", "input", "fix")])
def test_each_part_of_a_hunt_earns_a_third_alone(parts: tuple[str, ...], empty: dict[str, Any]) -> None:
    feedback = check(HUNT, {**empty, **{part: RIGHT[part] for part in parts}}, runner=run_here)
    assert math.isclose(feedback.credit, len(parts) / 3)
    assert feedback.parts == {part: part in parts for part in ("line", "input", "fix")}
    assert feedback.say.count("not answered yet") == 3 - len(parts)


def test_a_fix_alone_says_that_it_lacks_its_line() -> None:
    feedback = check(HUNT, {"fix": RIGHT["fix"]}, runner=run_here)
    assert feedback.outcome == Outcome.INCORRECT
    assert "- **fix** ✗ say which line it replaces." in feedback.say


def test_a_line_that_makes_up_for_another_one_is_told_apart_from_the_wrong_one() -> None:
    assert KEY.mutated_line == "moved_per_byte = gpus / (2 * (gpus - 1))"
    feedback = check(HUNT, {**RIGHT, "line": 4, "fix": "return algorithm_rate / moved_per_byte"}, runner=run_here)
    assert feedback.parts == {"line": False, "input": True, "fix": True}
    assert "- **line** ✗ Line 4 is right, and your change compensates for another line." in feedback.say
    assert "makes up" not in check(HUNT, {**RIGHT, "line": 4, "fix": "return algorithm_rate"}, runner=run_here).say


def test_a_fix_that_fails_is_shown_the_call_on_which_it_fails() -> None:
    wrong = check(HUNT, {**RIGHT, "fix": KEY.mutated_line}, runner=run_here)
    assert wrong.parts == {"line": True, "input": True, "fix": False}
    assert "- **fix** ✗ with this line `bus_bandwidth(" in wrong.say
    assert "fails (`SystemExit" in check(HUNT, {**RIGHT, "fix": "raise SystemExit(3)"}, runner=run_here).say
    assert (
        "I couldn't fit “`return (2*a*b`” in as line"
        in check(HUNT, {**RIGHT, "fix": "return (2*a*b"}, runner=run_here).say
    )


@pytest.mark.parametrize(
    ("more", "is_right", "says"),
    [
        ("0 * gpus", True, "every input gives the right result"),
        ("(gpus == 3)", False, "and I expected `1.875e+09`"),
        ("0 / (gpus - 3)", False, "fails (`ZeroDivisionError"),
    ],
)
def test_a_fix_has_to_mend_the_input_that_the_student_gives_too(more: str, is_right: bool, says: str) -> None:
    on_three = {"message_bytes": 1e9, "gpus": 3, "measured_s": 1 / 1.40625}  # our own inputs have 2, 4, 8 and 64
    fix = f"{KEY.original_line} + {more}"
    feedback = check(HUNT, {**RIGHT, "input": on_three, "fix": fix}, runner=run_here)
    assert feedback.parts == {"line": True, "input": True, "fix": is_right}
    assert says in feedback.say
    assert check(HUNT, {"line": KEY.line, "fix": fix}, runner=run_here).parts["fix"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"line": 2.5}, "line is the number of a line, 1 to"),
        ({"line": "²"}, "line is the number of a line"),
        ({"line": np.array([1, 2])}, "line is the number of a line"),
        ({"input": {"gpus": "many"}}, "but I saw “`many`”. message_bytes, measured_s are missing."),
        (
            {"input": {**KEY.witness, "gpus": math.nan}},
            "input: gpus is a whole number of at least 0 in base units, such as 2 or 64, but I saw nan.",
        ),
        ({"input": {**KEY.witness, "measured_s": -0.1}}, "input: measured_s is a number of at least 0"),
        ({"input": {**KEY.witness, "gpus": ...}}, "input: gpus is missing."),
        ({"fix": "x" * 301}, "of at most 300 characters"),
        ({None: 3, (1, 2): 4}, "I do not know (1, 2), None."),
        ("[" * 3000, "I expected the parts line, input and fix, each on a line of its own"),
        ("{" * 6000, "I couldn't read an answer of 6,000 characters."),
        (True, "I expected {'line': ..., 'input': {...}, 'fix': '...'}, but this is of type bool."),
    ],
)
def test_a_part_that_cannot_be_read_is_named(raw: Any, words: str) -> None:
    feedback = check(HUNT, raw, runner=run_here)
    assert feedback.outcome == Outcome.UNREADABLE
    assert words in feedback.say


def test_a_line_that_has_one_number_and_the_code_of_another_is_not_read() -> None:
    other = next(number for number in range(1, len(FORM.listing) + 1) if number != KEY.line)
    feedback = check(HUNT, {"line": f"{other}: {KEY.mutated_line}"}, runner=run_here)
    assert "line is the number of a line" in feedback.say


def test_any_input_on_which_the_original_runs_is_an_input() -> None:
    far = {**KEY.witness, "gpus": 1000, "message_bytes": "5e12"}
    feedback = check(HUNT, {"input": far}, runner=run_here)
    assert feedback.parts["input"], feedback.say
    zero = check(HUNT, {"input": {**KEY.witness, "measured_s": 0}}, runner=run_here)
    assert "the right function cannot compute this input either" in zero.say
    assert zero.outcome == Outcome.INCORRECT


def test_nothing_of_a_hunt_is_executed_in_the_grader() -> None:
    """A lock holds the listings of a hunt as text: what a forged one would do, it does where the runner runs it."""
    programs: list[Any] = []

    def runner(program: Any, name: str, inputs: Any) -> Any:
        programs.append(program)
        return run_here(program, name, inputs)

    trap = "raise SystemExit('executed')\n"
    forged = HUNT.model_copy(
        update={"key": KEY.model_copy(update={"original": trap + KEY.original, "mutant": trap + KEY.mutant})}
    )
    feedback = check(forged, RIGHT, runner=runner)
    assert feedback.outcome == Outcome.PARTIAL  # the line is right
    assert all(isinstance(program, str) and trap in program for program in programs) and len(programs) == 2


# Anything, to every kind -----------------------------------------------------------------------------------------

QUESTIONS = {kind: question(kind) for kind in TEMPLATES} | {"quantity": QUANTITY, "choice": posed(MANY)}
DICT_CYCLE: dict[str, Any] = {}
DICT_CYCLE["line"] = DICT_CYCLE
DEEP_DICT: dict[str, Any] = {}
for _ in range(100_000):
    DEEP_DICT = {"input": DEEP_DICT}
HOSTILE = [
    *WRONG, 0, -1, 2**63, -(10**400), 1e308, 5e-324, -0.0, "...", " \t\n", "a\ud800", "1 \ud800B", "1 \x00B", "\u202eM", "1" * 10**6,
    "(" * 10**6, "[" * 10**5, "1 GB" * 10**5, '{"line": 1e400}', '{"line": NaN}', '"x"', "null", "[1]", [None], ["a"] * 51, [["a"]],
    ["\ud800"], {"a", "b"}, frozenset("a"), DICT_CYCLE, DEEP_DICT, {"fix": "\ud800"}, {"line": 3, "fix": "\ud800"}, {"line": 2, "fix": "\x00"},
    {"line": 2, "fix": "(" * 300}, {"line": 2, "fix": "-" * 290 + "1"}, {"line": 2, "fix": "a\x85b"}, {"line": 1, "fix": "#"},
    {math.nan: 1}, "nan GB", "inf GB", "1e999 GB", "1/0 GB", "9^999 GB", "1e-400 GB", "٣ GB", "½ GB", "3 (((GB", "3 " + "B*" * 20,
    "3 __class__", "lambda: 1", "__import__('os')", "İ", "ß", "ﬁ", "“2*M”", "`M`", "$M$", "<b>M</b>", "**M**", "[M](x)", "![x](y)",
    "def sent_gb(\u202e): pass", "def sent_gb():\n  return '\ud800'",
]  # fmt: skip


def assert_harmless(feedback: Feedback) -> None:
    """It can be shown, kept and sent, whatever the student wrote."""
    for shown in (as_plain(feedback), as_html(feedback), as_markdown(feedback), feedback.model_dump_json()):
        shown.encode()
        assert len(shown) < 5000
    kept = feedback.model_dump_json()
    assert Feedback.model_validate_json(kept).model_dump_json() == kept
    assert all(char.isprintable() or char in "\n\u00a0\u202f" for char in feedback.say + feedback.read)
    assert "<b>" not in as_html(feedback)
    assert 0 <= feedback.points <= feedback.max_points


@pytest.mark.parametrize("kind", TEMPLATES)
def test_hostile_answers_are_answered_at_once_and_never_our_fault(kind: str) -> None:
    asked = QUESTIONS[kind]
    for number, raw in enumerate(HOSTILE):
        start = time.process_time()
        runner = (
            (lambda *_: [Made("killed")] * len(asked.key.model_dump()["cases"])) if callable(raw) else run_here
        )  # it might end us
        feedback = check(asked, raw, runner=runner)
        read = read_only(asked.form, kind, raw, question="x", points=2)
        assert time.process_time() - start < 20, number
        assert feedback.outcome not in (None, Outcome.BROKEN, Outcome.CORRECT), (number, feedback)
        assert_harmless(feedback)
        assert_harmless(read)
        judged = feedback.outcome not in (Outcome.UNREADABLE, Outcome.BLANK)
        assert read.outcome == (None if judged else feedback.outcome), (number, feedback, read)


JSON_LIKE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30) | st.sampled_from([text for text in HOSTILE if isinstance(text, str) and len(text) < 99])
    | st.sampled_from(["a", "b c", "1.75 GB", "2*M", "M/N", "line", "input", "fix", "gpus", 2, 3]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["line", "input", "fix", "gpus", "measured_s"]) | st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.parametrize("kind", TEMPLATES)
@settings(max_examples=a_quarter_at_once(120))
@given(raw=JSON_LIKE)
def test_nothing_but_feedback_comes_out_of_any_answer(kind: str, raw: Any) -> None:
    feedback = check(QUESTIONS[kind], raw)
    assert isinstance(feedback, Feedback)
    assert feedback.outcome not in (None, Outcome.BROKEN)
    assert_harmless(feedback)
    if feedback.outcome in (Outcome.UNREADABLE, Outcome.BLANK):
        assert feedback.points == 0
        assert not feedback.read
    if kind not in ("bugline", "case", "match", "schedule"):  # whose form may be empty in more ways
        assert (feedback.outcome == Outcome.BLANK) == is_blank(raw)


def test_when_our_own_side_fails_the_student_is_told_so_and_loses_nothing() -> None:
    def breaks(*_: Any) -> Any:
        raise OSError("disk `full`")

    feedback = check(CODE, "def sent_gb(message_gb, gpus): return 1", runner=breaks)
    assert feedback.outcome == Outcome.BROKEN
    assert feedback.say == (
        "Our code failed while marking this (`OSError: disk 'full'`). "
        "This is not your fault and costs you nothing. Please report it."
    )


# How it reads ----------------------------------------------------------------------------------------------------


def test_code_in_markdown_keeps_its_asterisks_and_dollars_in_a_terminal() -> None:
    listing = "```python\n 1  def f(a, b):\n 2      return a * b * 2**a  # $x$ `y`\n```\n"
    assert to_plain(listing) == " 1  def f(a, b):\n 2      return a * b * 2**a  # $x$ `y`\n"
    assert to_plain("`2**M**3` is **not** $2\\cdot M$, nor `$a$ and *b*`") == "2**M**3 is not 2· M, nor $a$ and *b*"


@pytest.mark.parametrize(
    ("formula", "plain"),
    [
        ("$\\alpha\\beta$ and $\\frac{M}{N\\beta}$", "αβ and M/(Nβ)"),
        ("$\\frac{ 2.5 \\cdot 2^{30} }{ 4 } = 6.711 \\cdot 10^{8}$", "(2.5 · 2^30)/4 = 6.711 · 10^8"),
        (
            "$\\frac{7}{8}P$, $\\tfrac12 \\cdot \\frac{a_1}{b}$ and $(1 - \\rho)^{\\frac{1}{2}}$",
            "(7)/(8)P, 1/2 · a_1/b and (1 - ρ)^(1/2)",
        ),
        ("$R = -15.4 \\ln 2\\ h \\propto \\binom{18}{3} \\bmod 4$", "R = -15.4 ln 2 h ∝ C(18, 3) mod 4"),
        ("$T = 1, \\qquad \\text{which is one}$", "T = 1, which is one"),
    ],
)
def test_a_formula_can_be_read_in_a_terminal(formula: str, plain: str) -> None:
    assert to_plain(formula) == plain


def test_what_is_quoted_is_code_also_when_it_holds_a_backtick() -> None:
    assert literal("I saw “a*b*`c`”, not “”.") == "I saw “`a*b*'c'`”, not “”."
    assert "<code>a*b*'c'</code>" in to_html(literal("I saw “a*b*`c`”."))


def test_an_example_is_given_once() -> None:
    for kind, raw in (("choice", "z"), ("code", "x = 1"), ("quantity", "3 ms")):
        asked = QUESTIONS[kind]
        for feedback in (check(asked, raw), read_only(asked.form, kind, raw, question="x", points=1)):
            assert feedback.say.count("looks like") == 1
    said = read_only(CODE.form, "code", "x = 1", question="x", points=1).say
    assert "```python\ndef sent_gb(message_gb, gpus):\n    return ...\n```" in said


def test_an_input_on_which_a_hunt_never_ends_is_told_so() -> None:
    def runner(program: Any, name: str, inputs: Any) -> Any:
        return [Made("timeout")] * len(inputs)

    feedback = check(HUNT, {"line": KEY.line, "input": RIGHT["input"]}, runner=runner)
    assert "could not be computed (`timeout`). Use ordinary numbers." in feedback.say
    assert feedback.parts["line"] and not feedback.parts["input"]


def widened(raw: Any) -> Any:
    """Return an answer as an input method for Chinese or Japanese writes it."""
    if isinstance(raw, str):
        return "".join(chr(ord(sign) + 0xFEE0) if "!" <= sign <= "~" else sign for sign in raw)
    if isinstance(raw, dict):
        return {widened(name): widened(part) for name, part in raw.items()}
    return [widened(part) for part in raw] if isinstance(raw, list | tuple) else raw


@pytest.mark.parametrize("name", [name for name in kinds_of_the_bank() if name not in ("code", "case", "bugline")])
def test_full_width_letters_and_digits_say_the_same(name: str) -> None:
    problem = next(one for one in checkout_bank().problems.values() if one.kind.name == name)
    question = pose(problem, 1)
    seen = set()
    for sample in kind_of(question).samples(question):
        usual, wide = (check(question, raw) for raw in (sample.raw, widened(sample.raw)))
        assert (wide.outcome, wide.points, wide.mistake) == (usual.outcome, usual.points, usual.mistake), sample.raw
        seen.add(usual.outcome)
    assert Outcome.CORRECT in seen


def test_a_full_width_factor_is_not_dropped() -> None:
    question = pose(checkout_bank().find("bytes-per-gpu-formula"), 1)
    key = next(one.raw for one in kind_of(question).samples(question) if one.outcome == Outcome.CORRECT)
    assert [check(question, f"{two}({key})").outcome for two in ("2*", "２")] == [Outcome.INCORRECT] * 2


@pytest.mark.parametrize("slug", ["bucket-bill", "a-thinner-network"])
def test_what_is_to_be_typed_has_no_thin_space(slug: str) -> None:
    question = pose(checkout_bank().find(slug), 1)
    kind, form = kind_of(question), question.form
    shown = kind.example(form) + kind.cells(form, "x") + kind.instruction(form, "x")
    assert "000" in shown and "\u202f" not in shown and r"\u202f" not in shown
