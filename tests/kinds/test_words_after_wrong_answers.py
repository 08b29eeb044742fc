"""What is reported after a wrong function or order: what all wrong calls share, and the first pair in the wrong order."""

from __future__ import annotations

import pytest

from checkout import checkout_bank
from shardwise.bank.posing import pose
from shardwise.kinds.calls import Made, Recorded
from shardwise.kinds.code.judging import shared_by_failures
from shardwise.kinds.code.model import CodeCase, CodeKey
from shardwise.kinds.code.patterns import only_where, pattern
from shardwise.marking import check


@pytest.mark.parametrize(
    ("wrong", "some_right", "said"),
    [
        ([(16.0, 2.0), (24.0, 3.0)], False, "All results are 8 times too large. Did you mix up bits"),
        ([(2 / 1.073741824, 2.0), (3 / 1.073741824, 3.0)], True, "1.07374 times too small. Is it GB or GiB?"),
        ([(5, 4), (9, 8), (3, 2)], True, "All wrong results are one too large: does a count start at 0 or 1,"),
        ([(4, 5), (8, 9), (2, 3)], True, "All wrong results are one too small"),
        ([(5, 4), (9, 8)], True, ""),  # which two small numbers often are
        ([(3.5, 4), (7.2, 7)], True, "not rounded"),
        ([(-2.0, 2.0), (-3.0, 3.0)], True, "The wrong results have the wrong sign."),
        ([(3.0, 2.0), (3.0, 3.0)], False, ""),
        ([(4.0, 2.0)], True, ""),  # a single call shows no pattern
        ([(4.0, 2.0), (4.0, 2.0)], True, ""),  # nor do equal ones
        ([("4", 2.0), (None, 3.0)], False, ""),
    ],
)
def test_what_all_wrong_results_share_is_named(wrong: list[tuple[object, object]], some_right: bool, said: str) -> None:
    found = pattern(wrong, some_right=some_right)
    assert said in found and bool(said) == bool(found)


def test_the_value_that_only_wrong_calls_have_is_named() -> None:
    assert only_where([{"gpus": 1, "gb": 2}, {"gpus": 1, "gb": 4}], [{"gpus": 8, "gb": 2}]) == "gpus=1"
    assert only_where([{"gpus": 1}], [{"gpus": 1}]) == ""


def test_what_calls_share_that_should_have_raised_an_error_is_not_named_as_the_cause() -> None:
    right = [CodeCase(inputs={"step_s": step, "write_s": 98}, expected=step) for step in (1, 2, 3)]
    refused = [CodeCase(inputs={"step_s": step, "write_s": 240}, expected=None, raises=True) for step in (0, -1)]
    key = CodeKey(cases=(*refused, *right), rel_tol=1e-6)
    results = [Made("returned", case.expected or 1) for case in key.cases]
    assert shared_by_failures(key, results) == ""


def test_two_results_that_look_alike_are_shown_with_the_digits_that_differ() -> None:
    question = pose(checkout_bank().problems["01-ring-all-reduce/ring-time-function"], 1)
    calls = tuple(Made("returned", case.expected * (1 + 1e-5)) for case in question.key.cases)
    shown = check(question, Recorded(calls)).say.split("`")
    assert shown[1] != shown[3] and shown[3] != shown[5]


def test_a_function_cannot_put_the_arguments_of_other_calls_onto_its_page() -> None:
    question = pose(checkout_bank().problems["01-ring-all-reduce/ring-time-function"], 1)
    seen = repr([dict(case.inputs) for case in question.key.cases])
    for call in (Made("returned", seen), Made("raised", error=f"KeyError: {seen}")):
        said = check(question, Recorded((call,) * len(question.key.cases))).say
        assert said.count("gpus") <= 3  # its own call, and what 120 characters hold


def test_a_wrong_order_is_answered_with_the_values_of_its_first_turned_pair() -> None:
    question = pose(checkout_bank().problems["01-ring-all-reduce/order-by-time"], 3)
    key = question.key.order
    said = check(question, " ".join([key[0], key[2], key[1], *key[3:]])).say
    values = question.key.values
    assert f"**{key[2]}** is {values[key[2]]} and **{key[1]}** is {values[key[1]]}" in said
