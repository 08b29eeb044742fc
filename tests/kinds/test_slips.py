"""Slips that nobody listed: named where one explanation fits, both said where two do, and nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from checkout import ROOT, posed
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.kinds.quantity.explain import one_off
from shardwise.kinds.quantity.explain import reasons as all_reasons
from shardwise.kinds.quantity.general import Asked, traits_of
from shardwise.marking import check
from shardwise.question import Question

RING = """\
title: Ring time
kind: quantity
points: 1
difficulty: easy
source: Patarasuk & Yuan 2009, section 3
params:
  gpus: {choice: [GPUS]}
  message_bytes: {choice: [1], unit: GB}
  bandwidth_bytes_per_s: {choice: [100], unit: GB/s, direction: per direction}
  latency_s: {choice: [3], unit: ms}
prompt: "{{ gpus }} GPUs, {{ message_bytes }}, {{ bandwidth_bytes_per_s }}, {{ latency_s }} a step: how long does it take?"
answer:
  reference: ring.ring.all_reduce_seconds
  oracle: ring.ring.simulated_all_reduce_seconds
  unit: ms
  rel_tol: 0.005
mistakes:
  - {value: MISTAKE, say: You know this mistake.}
hints: [Count the steps.]
solution: "Two phases of N-1 steps: it takes {{ key }}."
"""

CHUNKS_OF_8 = "2 * (gpus - 1) * (message_bytes / gpus / bandwidth_bytes_per_s + 8 * latency_s)"


def ring(gpus: int = 12, mistake: str = "key * 77") -> Question:
    return posed(RING.replace("GPUS", str(gpus)).replace("MISTAKE", mistake))


def reasons(
    given: float, key: float, *, slips: Sequence[tuple[float, str]], unit_text: str, step: float = 0.0, **asked: Any
) -> list[str]:
    return all_reasons(given, Asked(key, unit_text, **asked), slips, step=step)


def say(question: Question, seconds: float) -> str:
    feedback = check(question, f"{seconds * 1e3:.6g} ms")
    assert feedback.credit == 0
    return feedback.say


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (22 * (1e9 / 12 / 1e11), "You omitted the latency."),
        (22 * 3e-3, "You omitted the term that contains the message size, the number of GPUs and the bandwidth."),
        (11 * (1e9 / 12 / 1e11 + 3e-3), "You omitted a factor of 2."),
        (24 * (1e9 / 12 / 1e11 + 3e-3), "You used the number of GPUs instead of `number of GPUs − 1`."),
        (22 * (1e9 / 1e11 + 3e-3), "You did not divide by the number of GPUs."),
        (22e3 * (1e9 / 12 / 1e11 + 3e-3), "You are off by a power of 1000, 1000 times too high"),
        (22 / 60 * (1e9 / 12 / 1e11 + 3e-3), "Too low, by more than a factor of 10."),  # nobody takes ms for minutes
        (22 * (1e9 / 12 / 2e11 + 3e-3), r"You doubled the bandwidth. Does one direction count, or both\?"),
        (22 * (1e9 / 12 / 8e11 + 3e-3), r"You multiplied the bandwidth by 8. Is it in bits or bytes\?"),
        (22 * (8e9 / 12 / 1e11 + 3e-3), r"You divided the bandwidth by 8. Is it in bits or bytes\?"),
    ],
)
def test_a_slip_with_the_questions_own_parameters_is_named(seconds: float, words: str) -> None:
    assert re.match(words, say(ring(), seconds)), say(ring(), seconds)


def test_two_slips_that_give_the_same_number_are_both_said() -> None:
    # Half of the right time: a factor of 2 omitted, or the rate of both directions taken for that of one.
    words = say(
        posed(RING.replace("GPUS", "12").replace("MISTAKE", "key * 77").replace("[3], unit: ms", "[0], unit: ms")),
        22 * (1e9 / 12 / 1e11) / 2,
    )
    assert words.startswith("Each of these would give your number. Which one applies?\n\n- ")
    assert "omitted a factor of 2" in words
    assert "one direction count, or both" in words


def test_a_recognised_mistake_that_another_slip_meets_by_accident_says_both() -> None:
    listed = "2 * (gpus - 1) * message_bytes / gpus / bandwidth_bytes_per_s"
    assert say(ring(mistake=listed), 22 * (1e9 / 12 / 1e11)) == "You know this mistake."  # one slip under two names
    other = RING.replace("GPUS", "8, 16, 32").replace("MISTAKE", CHUNKS_OF_8)
    eight = next(asked for seed in range(20) if (asked := posed(other, seed)).params["gpus"] == "8")
    assert "Another slip gives the same number here" in say(eight, 14 * (1e9 / 8 / 1e11 + 24e-3))
    sixteen = next(asked for seed in range(20) if (asked := posed(other, seed)).params["gpus"] == "16")
    assert say(sixteen, 30 * (1e9 / 16 / 1e11 + 24e-3)) == "You know this mistake."


def test_what_more_than_three_slips_give_is_only_told_how_far_off_it_is() -> None:
    asked = ring()
    key: Any = asked.key
    for count in (3, 4):
        slips = [(3 * key.value, f"went way {number}") for number in range(count)]
        crowded = asked.model_copy(update={"key": key.model_copy(update={"slips": slips})})
        is_said = check(crowded, f"{3e3 * key.value} ms").say.startswith("Each of these would give your number.")
        assert is_said == (count == 3)


def test_parameters_and_intermediate_results_are_called_so() -> None:
    assert say(ring(), 3e-3) == "Your answer equals the latency, which is given in the question. What is still missing?"
    assert say(ring(), 1e9 / 12 / 1e11).startswith(
        "Your answer equals `message size / number of GPUs / bandwidth`, an intermediate result."
    )
    assert "number on the way" not in say(ring(), 0.0777)


def test_a_number_of_the_question_too_much_is_named() -> None:
    asked = ring()
    bare = asked.model_copy(update={"key": asked.key.model_copy(update={"slips": (), "stops": ()})})
    assert say(bare, 12 * key_of(bare)).startswith("You are off by a factor as large as the number of GPUs, 12.")
    assert say(bare, 11.8 * key_of(bare)) == "Too high, by more than a factor of 10."


def test_a_twin_of_a_recognised_mistake_with_a_cause_of_its_own_is_said_beside_it() -> None:
    """Half of the time: both directions of the link, or one phase of two."""
    half = RING.replace("GPUS", "12").replace("MISTAKE", "key / 2").replace("[3], unit: ms", "[0], unit: ms")
    directions = posed(half.replace("You know this mistake.", "The sheet adds up both directions."))
    assert "- You omitted a factor of 2." in say(directions, key_of(directions) / 2)
    phases = posed(half.replace("You know this mistake.", "You counted one phase of two."))
    assert "Does one direction count, or both?" in say(phases, key_of(phases) / 2)
    assert "factor of 2" not in say(phases, key_of(phases) / 2)


def key_of(question: Question) -> float:
    key: Any = question.key
    return float(key.value)


@pytest.mark.parametrize(
    ("unit_text", "shown", "ratio", "said"),
    [
        ("s", (), 60, "minutes and seconds?"), ("h", (), 60, "hours and minutes?"), ("day", (), 24, "days and hours?"),
        ("min", (), 60, "minutes and seconds, or hours and minutes?"), ("day", (), 7, "weeks and days?"),
        ("PFLOP/s*day", (), 86_400, "days and seconds?"), ("dollar/day", (), 24, "days and hours?"), ("GB/s", (), 3600, "hours and seconds?"),
        ("GPU", ("12 days",), 24, "days and hours?"), ("token", ("36 h", "50 GB/s"), 60, "hours and minutes?"),
        *((unit_text, shown, ratio, "") for unit_text in ("GPU", "1", "token", "%", "MB") for shown in ((), ("450 ms", "50 GB/s")) for ratio in (7, 24, 60)),
        *(("ms", (), ratio, "") for ratio in (7, 24, 60)), ("s", (), 7, ""), ("s", (), 24, ""), ("s", ("12 days",), 24, ""),
    ],
)  # fmt: skip
def test_units_of_time_are_named_where_the_answer_or_a_parameter_is_a_time_in_one_of_them(
    unit_text: str, shown: tuple[str, ...], ratio: float, said: str
) -> None:
    traits = traits_of((unit_text, "day", "GB/s"))
    for given in (3.3e9 * ratio, 3.3e9 / ratio):
        found = reasons(given, 3.3e9, slips=(), traits=traits, unit_text=unit_text, exact=False, shown=shown)
        assert [reason.partition(": did you mix up ")[2] for reason in found] == ([said] if said else [])


@pytest.mark.parametrize(("times", "words"), [(2, "Too high. Check for factors of two: "), (0.5, "Too low. Check for factors of two: "),
                                              (1.95, "Too high."), (2.05, "Too high, by more than a factor of 2.")])  # fmt: skip
def test_factors_of_two_are_hinted_at_and_not_told(times: float, words: str) -> None:
    asked = ring()
    plain = asked.model_copy(update={"key": asked.key.model_copy(update={"slips": (), "stops": ()})})
    assert say(plain, times * key_of(plain)).startswith(words)


def test_a_mistake_that_an_answer_lies_near_to_is_only_asked_about() -> None:
    asked = ring(mistake="0.09")
    assert say(asked, 0.09) == say(asked, 0.09004) == "You know this mistake."
    near = check(asked, "90.29 ms")
    assert (
        near.say == "Your number is close to that of a known mistake. Is this what you did?\n\n- You know this mistake."
    )
    assert near.mistake is None
    assert check(asked, "91.234 ms").say.startswith("Too high")
    assert check(ring(mistake="0.0124"), "12 ms").say.startswith("Your number is close")  # of two figures


def test_the_other_reading_of_a_number_beside_per_cent_is_explained_too() -> None:
    key: Any = ring().key
    asked = ring().model_copy(
        update={
            "key": key.model_copy(update={"value": 0.175, "slips": (), "mistakes": (), "traits": ()}),
            "form": ring().form.model_copy(update={"unit": "%", "direction": "none"}),
        }
    )
    assert check(asked, "1.175").say == check(asked, "1.175x").say == check(asked, "117.5 %").say
    assert "You added 1" in check(asked, "1.175").say
    assert check(asked, "17.5").outcome == check(asked, "0.175").outcome == "correct"
    assert check(asked, "1.3").say.startswith("Too low")


def test_the_rest_of_the_whole_is_said_of_shares_alone() -> None:
    def said(unit_text: str, *, is_share: bool) -> str:
        traits = traits_of((unit_text,), is_share=is_share)
        return " ".join(reasons(0.8, 0.2, slips=(), traits=traits, unit_text=unit_text, exact=False))

    assert "that is, the rest" in said("1", is_share=True)
    assert "that is, the rest" in said("%", is_share=False)
    assert "that is, the rest" not in said("1", is_share=False)


@pytest.mark.parametrize(("prompt", "is_share"), [("Which fraction of it is that?", True), ("How many per cent?", True),
                                                  ("A share is lost. How long does it take?", False)])  # fmt: skip
def test_a_question_asks_for_a_share_where_its_question_says_so(prompt: str, is_share: bool) -> None:
    text = RING.replace("GPUS", "8").replace("MISTAKE", "key * 77").replace("how long does it take?", prompt)
    key: Any = posed(text).key
    assert ("share" in key.traits) == is_share


def test_a_ratio_and_a_share_of_the_whole_are_told_apart() -> None:
    def said(given: float, key: float) -> list[str]:
        return reasons(given, key, slips=(), traits=(), unit_text="1", exact=False)

    assert said(0.3 / 1.3, 0.3) == ["You divided by the sum of the two parts. What does the question divide by?"]
    assert said(1 / 1.3, 0.3) == ["You gave the other part's share of the sum of the two."]
    assert said(0.3 / 0.7, 0.3) == ["You divided by the other part alone. What does the question divide by?"]


@pytest.mark.parametrize(("given", "words"), [(25, "Check the ends"), (23, "Check the ends"), (24.3, "only a whole number"), (26, "")])  # fmt: skip
def test_a_count_that_is_one_off_or_not_whole_is_asked_about(given: float, words: str) -> None:
    assert words in one_off(given, 24, unit_text="step", exact=True)
    assert one_off(given, 24, unit_text="ms", exact=True) == one_off(given, 24, unit_text="step", exact=False) == ""


def test_a_listed_mistake_of_a_count_is_known_when_it_is_rounded() -> None:
    steps = RING.replace("GPUS", "12").replace("MISTAKE", "170 + 2/3").replace("all_reduce_seconds", "steps")
    asked = posed(steps.replace("  unit: ms\n  rel_tol: 0.005", "  unit: step\n  abs_tol: 0"))
    for typed, known in (("170.67", True), ("171", True), ("172", False)):
        assert ("You know this mistake." in check(asked, typed).say) == known, typed
    for typed, sure in (("170.67", True), ("170", True), ("512/3", True), ("171.3", False), ("170.61", False)):
        assert check(asked, typed).say.startswith("You know" if sure else "Your number is close"), typed


@pytest.mark.parametrize("every", [24, pytest.param(1, marks=pytest.mark.slow)])
def test_the_slips_of_a_question_do_not_depend_on_what_was_drawn_before(every: int) -> None:
    fresh = Bank.open(ROOT).read_all()
    later = Bank.open(ROOT).read_all()
    different = []
    for name, problem in list(fresh.problems.items())[::every]:
        if problem.template.kind == "quantity":
            for seed in (1, 2, 3):
                pose(later.problems[name], seed)
            if pose(later.problems[name], 5).key != pose(problem, 5).key:
                different.append(name)
    assert different == []
