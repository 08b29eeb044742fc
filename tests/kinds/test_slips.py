"""Slips that nobody listed: named where one explanation fits, both said where two do, and nothing guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from checkout import ROOT, posed
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.kinds.quantity.explain import as_near, beside, is_far_fetched, one_off
from shardwise.kinds.quantity.explain import reasons as all_reasons
from shardwise.kinds.quantity.general import Asked, traits_of
from shardwise.kinds.quantity.slips.arguments import UNSAID, Argument, arguments_of
from shardwise.kinds.quantity.slips.expressions import Node, argument, node, number
from shardwise.kinds.quantity.slips.program import program
from shardwise.kinds.quantity.slips.variants import variants
from shardwise.marking import check
from shardwise.question import Question
from shardwise.units import show

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
        (22 * (1e9 / 12 / 1e11), "You left out the latency."),
        (22 * 3e-3, "You left out the part with the size of the message, the number of GPUs and the bandwidth."),
        (11 * (1e9 / 12 / 1e11 + 3e-3), "You left out a factor of 2."),
        (24 * (1e9 / 12 / 1e11 + 3e-3), "You counted the number of GPUs where one less belongs."),
        (22 * (1e9 / 1e11 + 3e-3), "You did not divide by the number of GPUs."),
        (22e3 * (1e9 / 12 / 1e11 + 3e-3), "You are off by a power of 1000, 1000 times too high"),
        (22 / 60 * (1e9 / 12 / 1e11 + 3e-3), "Too low, by more than a factor of 10."),  # nobody takes ms for minutes
        (22 * (1e9 / 12 / 2e11 + 3e-3), r"You took twice the bandwidth: is that of both directions together\?"),
        (22 * (1e9 / 12 / 8e11 + 3e-3), r"You took 8 times the bandwidth: bits or bytes\?"),
        (22 * (8e9 / 12 / 1e11 + 3e-3), r"You took an eighth of the bandwidth: bits or bytes\?"),
    ],
)
def test_a_slip_with_the_questions_own_parameters_is_named(seconds: float, words: str) -> None:
    assert re.match(words, say(ring(), seconds)), say(ring(), seconds)


def test_a_slip_rounded_to_three_figures_is_still_named() -> None:
    assert say(ring(), float(f"{22 * (1e9 / 12 / 1e11):.2e}")) == "You left out the latency."


def test_two_slips_that_give_the_same_number_are_both_said() -> None:
    # Half of the right time: a factor of 2 left out, or the rate of both directions taken for that of one.
    words = say(
        posed(RING.replace("GPUS", "12").replace("MISTAKE", "key * 77").replace("[3], unit: ms", "[0], unit: ms")),
        22 * (1e9 / 12 / 1e11) / 2,
    )
    assert words.startswith("Either of these gives your number. Which one is yours?\n\n- ")
    assert "left out a factor of 2" in words
    assert "both directions" in words


def test_a_recognised_mistake_that_another_slip_meets_by_accident_says_both() -> None:
    listed = "2 * (gpus - 1) * message_bytes / gpus / bandwidth_bytes_per_s"
    assert say(ring(mistake=listed), 22 * (1e9 / 12 / 1e11)) == "You know this mistake."  # one slip under two names
    other = RING.replace("GPUS", "8, 16, 32").replace("MISTAKE", CHUNKS_OF_8)
    eight = next(asked for seed in range(20) if (asked := posed(other, seed)).params["gpus"] == "8")
    assert "Another slip gives the same number here" in say(eight, 14 * (1e9 / 8 / 1e11 + 24e-3))
    sixteen = next(asked for seed in range(20) if (asked := posed(other, seed)).params["gpus"] == "16")
    assert say(sixteen, 30 * (1e9 / 16 / 1e11 + 24e-3)) == "You know this mistake."


def test_a_far_fetched_slip_is_not_said_beside_a_recognised_mistake() -> None:
    for how in (
        "swapped a and b.",
        "took the square root of the ratio of a to b.",
        "cubed the ratio of a to b.",
        "inverted the ratio of a to b.",
        "counted one more than the number of layers.",
        "divided by a instead of multiplying by it.",
        "left out the factor 2 and the division by b.",
        "left out a and the division by b.",
        "took the natural logarithm instead of the one to base 2.",
    ):
        assert is_far_fetched(f"You {how}"), how
    assert not is_far_fetched("You left out the latency.")
    assert not is_far_fetched("You left out the part with a, b and the latency.")


def test_beside_a_recognised_mistake_two_other_slips_are_said_and_no_more() -> None:
    assert beside("You know this mistake.", ["One way."]).endswith(
        "Another slip gives the same number here:\n\n- One way."
    )
    assert beside("You know this mistake.", ["One way.", "Another."]).endswith(
        "Other slips give the same number here:\n\n- One way.\n- Another."
    )
    assert beside("You know this mistake.", ["One way.", "Another.", "A third."]) == "You know this mistake."


def test_what_more_than_three_slips_give_is_only_told_how_far_off_it_is() -> None:
    asked = ring()
    key: Any = asked.key
    for count in (3, 4):
        slips = [(3 * key.value, f"went way {number}") for number in range(count)]
        crowded = asked.model_copy(update={"key": key.model_copy(update={"slips": slips})})
        is_said = check(crowded, f"{3e3 * key.value} ms").say.startswith("Either of these gives your number.")
        assert is_said == (count == 3)


def test_a_far_fetched_slip_is_said_where_all_of_three_digits_agree() -> None:
    """A half-finished logarithm lies near the natural one, and two figures lie near to everything."""
    slips = [(17.33, "took the natural logarithm instead of the one to base 2"), (17.4, "left out the latency")]

    def said(given: float, step: float) -> list[str]:
        return reasons(given, 25.0, slips=slips[:1], traits=(), unit_text="s", exact=False, step=step)

    assert said(17.33, 0.01) == said(17.3, 0.1) == ["You took the natural logarithm instead of the one to base 2."]
    assert said(17.4, 0.1) == said(17.0, 1) == said(17.34, 0.01) == []


def test_mebibytes_are_not_said_where_one_gpu_less_explains_the_number() -> None:
    def said(gpus: str) -> list[str]:
        given = {"traits": ("data", "bits"), "unit_text": "MB", "exact": False, "step": 1e4}
        return reasons(3.46e6, 3.3e6, slips=(), shown=(gpus,), **given)  # type: ignore[arg-type]

    assert any("MiB" in reason for reason in said("16"))
    assert said("22") == []


def test_parameters_and_intermediate_results_are_called_so() -> None:
    assert say(ring(), 3e-3) == "That is the latency, as given in the question. What is still missing?"
    assert say(ring(), 1e9 / 12 / 1e11).startswith(
        "That is the size of the message divided by the number of GPUs divided by the bandwidth, an intermediate result."
    )
    assert "number on the way" not in say(ring(), 0.0777)


def test_a_number_of_the_question_too_much_is_named() -> None:
    asked = ring()
    bare = asked.model_copy(update={"key": asked.key.model_copy(update={"slips": (), "stops": ()})})
    assert say(bare, 12 * key_of(bare)).startswith("You are off by a factor as large as the number of GPUs, 12:")
    assert say(bare, 11.8 * key_of(bare)) == "Too high, by more than a factor of 10."


def test_a_twin_of_a_recognised_mistake_with_a_cause_of_its_own_is_said_beside_it() -> None:
    """Half of the time: both directions of the link, or one phase of two."""
    half = RING.replace("GPUS", "12").replace("MISTAKE", "key / 2").replace("[3], unit: ms", "[0], unit: ms")
    directions = posed(half.replace("You know this mistake.", "The sheet adds up both directions."))
    assert "- You left out a factor of 2." in say(directions, key_of(directions) / 2)
    phases = posed(half.replace("You know this mistake.", "That is one phase of two."))
    assert "both directions together?" in say(phases, key_of(phases) / 2)
    assert "factor of 2" not in say(phases, key_of(phases) / 2)


def key_of(question: Question) -> float:
    key: Any = question.key
    return float(key.value)


@pytest.mark.parametrize(
    ("unit_text", "ratio"), [("s", 8), ("dollar", 8), ("1", 8), ("1", 60), ("dollar", 1.024**3), ("step", 2), ("1", 2)]
)
def test_no_stock_sentence_is_said_outside_its_dimension(unit_text: str, ratio: float) -> None:
    assert reasons(3.3 * ratio, 3.3, slips=(), traits=traits_of((unit_text,)), unit_text=unit_text, exact=False) == []


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
        assert [reason.partition(": ")[2] for reason in found] == ([said] if said else [])


@pytest.mark.parametrize(("times", "words"), [(2, "Too high. Check factors of two: "), (0.5, "Too low. Check factors of two: "),
                                              (1.95, "Too high."), (2.05, "Too high, by more than a factor of 2.")])  # fmt: skip
def test_factors_of_two_are_hinted_at_and_not_told(times: float, words: str) -> None:
    asked = ring()
    plain = asked.model_copy(update={"key": asked.key.model_copy(update={"slips": (), "stops": ()})})
    assert say(plain, times * key_of(plain)).startswith(words)


def test_an_answer_of_many_digits_is_the_slip_that_has_them() -> None:
    slips = [(0.28875, "went one way"), (0.28903, "went another way")]

    def said(given: float, step: float, *, exact: bool = False) -> list[str]:
        return reasons(given, 0.27125, slips=slips, traits=(), unit_text="s", exact=exact, step=step)

    assert said(0.289032, 1e-6) == ["You went another way."]  # rounded on the way
    assert said(0.28903, 1e-5) == said(0.2890, 1e-4) == ["You went another way."]
    assert len(said(0.289, 1e-3)) == len(said(0.29, 1e-2)) == 2
    assert said(0.2894, 1e-4) == []  # near to both, and none of them


def test_a_whole_number_that_is_asked_for_exactly_is_one_slip_and_no_other() -> None:
    def said(given: float, step: float = 1) -> list[str]:
        slips = [(8192, "left out the logarithm"), (3319.1, "did not round")]
        return reasons(given, 24, slips=slips, traits=(), unit_text="step", exact=True, step=step)

    assert said(8190) == said(3320) == []
    assert said(8192) == ["You left out the logarithm."]
    assert said(3319) == said(3319.1, 0.1) == said(3319.12, 0.01) == ["You did not round."]


def test_upside_down_and_the_inverse_are_one_slip() -> None:
    found = reasons(
        0.6596, 1.516, slips=[(0.6596, "inverted a fraction")], traits=(), unit_text="1", exact=False, step=1e-4
    )
    assert found == ["You inverted a fraction."]


def test_n_over_n_minus_1_of_a_sum_without_its_last_term_is_named() -> None:
    """A latency that is left to its default of 0 adds nothing, and stands in the way of no ratio."""
    plain = RING.replace("GPUS", "32").replace("MISTAKE", "key * 77")
    plain = plain.replace("  latency_s: {choice: [3], unit: ms}\n", "").replace(", {{ latency_s }} a step", "")
    assert "inverted the ratio of the number of GPUs minus 1 to the number of GPUs" in say(
        posed(plain), 2 * 32 / 31 * 1e9 / 1e11
    )


def test_a_mistake_that_an_answer_lies_near_to_is_only_asked_about() -> None:
    asked = ring(mistake="0.09")
    assert say(asked, 0.09) == say(asked, 0.09004) == "You know this mistake."
    near = check(asked, "90.29 ms")
    assert near.say == "Your number is near that of a known mistake. Is it yours?\n\n- You know this mistake."
    assert near.mistake is None
    assert check(asked, "91.234 ms").say.startswith("Too high")
    assert check(ring(mistake="0.0124"), "12 ms").say.startswith("Your number is near")  # of two figures


@pytest.mark.parametrize("plain", ["bytes", "bytes {% if gpus == 8 %}in{% else %}on{% endif %} GPUs"])
def test_a_slip_that_a_sentence_of_this_kind_of_draw_tells_is_not_said_again(plain: str) -> None:
    """With 8 GPUs the mistake is the latency left out, else the bytes; only a sentence that is chosen says which."""
    latency, bytes_ = "2 * (gpus - 1) * latency_s", "2 * (gpus - 1) / gpus * message_bytes / bandwidth_bytes_per_s"
    text = RING.replace("GPUS", "8, 64").replace("MISTAKE", f'"({bytes_}) if gpus == 8 else {latency}"')
    text = text.replace("[3], unit: ms", "[3, 4, 5, 7, 9], unit: ms").replace(
        "say: You know this mistake.", f"say: 'You know these {plain}.'"
    )
    for seed in range(8):
        asked = posed(text, seed)
        key: Any = asked.key
        said = check(asked, f"{1e3 * key.mistakes[0].value!r} ms").say
        assert ("Another slip" in said) == (plain == "bytes"), said


def test_the_other_reading_of_a_number_beside_per_cent_is_explained_too() -> None:
    key: Any = ring().key
    asked = ring().model_copy(
        update={
            "key": key.model_copy(update={"value": 0.175, "slips": (), "mistakes": (), "traits": ()}),
            "form": ring().form.model_copy(update={"unit": "%", "direction": "none"}),
        }
    )
    assert check(asked, "1.175").say == check(asked, "1.175x").say == check(asked, "117.5 %").say
    assert "You added the whole once" in check(asked, "1.175").say
    assert check(asked, "17.5").outcome == check(asked, "0.175").outcome == "correct"
    assert check(asked, "1.3").say.startswith("Too low")


def test_the_rest_of_the_whole_is_said_of_shares_alone() -> None:
    def said(unit_text: str, *, is_share: bool) -> str:
        traits = traits_of((unit_text,), is_share=is_share)
        return " ".join(reasons(0.8, 0.2, slips=(), traits=traits, unit_text=unit_text, exact=False))

    assert "the rest of the whole" in said("1", is_share=True)
    assert "the rest of the whole" in said("%", is_share=False)
    assert "the rest of the whole" not in said("1", is_share=False)


@pytest.mark.parametrize(("prompt", "is_share"), [("Which fraction of it is that?", True), ("How many per cent?", True),
                                                  ("A share is lost. How long does it take?", False)])  # fmt: skip
def test_a_question_asks_for_a_share_where_its_question_says_so(prompt: str, is_share: bool) -> None:
    text = RING.replace("GPUS", "8").replace("MISTAKE", "key * 77").replace("how long does it take?", prompt)
    key: Any = posed(text).key
    assert ("share" in key.traits) == is_share


def test_shares_know_the_rest_the_inverse_and_the_percentage() -> None:
    def said(given: float, key: float) -> str:
        return " ".join(reasons(given, key, slips=(), traits=(), unit_text="%", exact=False))

    assert "You inverted the ratio" in said(5.0, 0.2)
    assert "the rest of the whole" in said(0.8, 0.2)
    assert "a fraction and a percentage?" in said(20.0, 0.2)


def test_a_ratio_and_a_share_of_the_whole_are_told_apart() -> None:
    def said(given: float, key: float) -> list[str]:
        return reasons(given, key, slips=(), traits=(), unit_text="1", exact=False)

    assert said(0.3 / 1.3, 0.3) == ["You divided by the sum of the two parts. By what does the question divide?"]
    assert said(1 / 1.3, 0.3) == ["You gave the other part's share of the sum of the two."]
    assert said(0.3 / 0.7, 0.3) == ["You divided by the other part alone. By what does the question divide?"]


@pytest.mark.parametrize(("given", "words"), [(25, "Check the ends"), (23, "Check the ends"), (24.3, "only a whole number"), (26, "")])  # fmt: skip
def test_a_count_that_is_one_off_or_not_whole_is_asked_about(given: float, words: str) -> None:
    assert words in one_off(given, 24, unit_text="step", exact=True)
    assert one_off(given, 24, unit_text="ms", exact=True) == one_off(given, 24, unit_text="step", exact=False) == ""


def test_a_count_upside_down_is_named() -> None:
    assert "inverted" in " ".join(reasons(0.125, 8, slips=(), traits=(), unit_text="step", exact=True))


def test_a_factor_that_a_parameter_has_too_may_come_from_there() -> None:
    def said(ratio: float, shown: str) -> str:
        given = {"traits": ("data", "bits"), "unit_text": "GB", "exact": False}
        return " ".join(reasons(3.3e9 * ratio, 3.3e9, slips=(), shown=(shown,), **given))  # type: ignore[arg-type]

    own = "Or is one of the question's own numbers left out, or counted twice?"
    assert own in said(8, "8")
    assert own not in said(8, "16 GB")
    assert own in said(0.01, "0.01")
    assert own in said(1e6, show(1e6, "token"))
    assert own in said(1e9, "1 × 10⁹")


def test_binary_prefixes_are_named_only_where_the_question_has_that_prefix() -> None:
    def said(shown: str) -> str:
        given = {"traits": ("data", "bits"), "unit_text": "GB", "exact": False}
        return " ".join(reasons(3.3e9 * 1.024**2, 3.3e9, slips=(), shown=(shown,), **given))  # type: ignore[arg-type]

    assert "MiB" in said("40 MB")
    assert said("40 GB") == ""


def test_a_listed_mistake_of_a_count_is_known_when_it_is_rounded() -> None:
    steps = RING.replace("GPUS", "12").replace("MISTAKE", "170 + 2/3").replace("all_reduce_seconds", "steps")
    asked = posed(steps.replace("  unit: ms\n  rel_tol: 0.005", "  unit: step\n  abs_tol: 0"))
    for typed, known in (("170.67", True), ("171", True), ("172", False)):
        assert ("You know this mistake." in check(asked, typed).say) == known, typed
    for typed, sure in (("170.67", True), ("170", True), ("512/3", True), ("171.3", False), ("170.61", False)):
        assert check(asked, typed).say.startswith("You know" if sure else "Your number is near"), typed


def test_beside_a_mistake_stands_a_slip_that_has_the_digits_of_the_answer_as_well() -> None:
    slips = [(0.10007, "one way"), (0.1, "another way")]
    assert as_near(slips, 0.1, 1e-5, mistake=0.1) == as_near(slips, 0.1, 0, mistake=0.1) == slips[1:]
    assert as_near(slips, 0.1, 1e-3, mistake=0.1) == as_near(slips, 0.1, 1e-5, mistake=0.10004) == slips


def test_marking_from_a_stored_question_says_the_same() -> None:
    asked = ring()
    key: Any = asked.key
    again = asked.model_copy(update={"key": type(key).model_validate_json(key.model_dump_json())})
    slip = 22 * (1e9 / 12 / 1e11)
    assert say(again, slip) == say(asked, slip)


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.slow)])
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


@pytest.mark.parametrize(
    ("how", "value"),
    [
        ("squared", 0.0016),
        ("cubed", 0.0032),
        ("took the square root of", 0.0008 / 2**0.5),
        ("inverted", 0.0002),
    ],
)
def test_a_ratio_to_a_wrong_power_is_a_variant(how: str, value: float) -> None:
    lr, batch, base = argument("lr", 0.0004), argument("batch", 64), argument("base_batch", 32)
    root = node("over", node("times", lr, batch), base)
    said = {option.how: program([option.root]).run({})[0] for option in variants(root, known_of(lr, batch, base))}
    (found,) = [words for words in said if how in words and "the ratio of" in words]
    assert said[found] == pytest.approx(value)


def test_n_over_n_minus_1_for_n_minus_1_over_n_is_a_variant() -> None:
    size, gpus = argument("size", 1e9), argument("gpus", 8)
    root = node("over", node("times", node("minus", gpus, number(1)), size), gpus)
    said = {option.how: program([option.root]).run({})[0] for option in variants(root, known_of(size, gpus))}
    assert said["inverted the ratio of the number of GPUs minus 1 to the number of GPUs"] == pytest.approx(8e9 / 7)


def test_a_term_of_many_names_is_told_by_them_and_the_formula_not_recited() -> None:
    first, *factors = argument("a", 2.0), argument("b", 3.0), argument("c", 5.0), argument("d", 7.0)
    term = node("times", node("times", factors[0], factors[1]), factors[2])
    plus = {option.how for option in variants(node("plus", first, term), known_of(first, *factors))}
    minus = {option.how for option in variants(node("minus", term, first), known_of(first, *factors))}
    assert "left out the part with the number of b, the number of c and the number of d" in plus
    assert (
        "kept only what has to be subtracted from the part with the number of b, the number of c and the number of d"
        in minus
    )


def test_a_slip_with_a_name_that_the_prompt_does_not_use_is_not_said() -> None:
    def says(prompt: str) -> str:
        problem: Any = SimpleNamespace(params={}, prompt=prompt)
        return arguments_of(problem, argument("counted", 3.0), {})["counted"].says

    assert says("It has many.") == UNSAID
    assert says("It has {{ counted }} copies.") == "{counted}"


def test_a_ratio_less_one_is_said_in_other_words_than_a_count_less_one() -> None:
    gpus, new, old = argument("gpus", 8), argument("new", 3.0), argument("old", 2.0)
    count = {option.how for option in variants(node("minus", gpus, number(1)), known_of(gpus))}
    ratio = {option.how for option in variants(node("minus", node("over", new, old), number(1)), known_of(new, old))}
    assert "counted the number of GPUs where one less belongs" in count
    assert "did not subtract 1 from the ratio of the number of new to the number of old" in ratio
    assert not any("one less belongs" in how for how in ratio)


def known_of(*leaves: Node) -> dict[str, Argument]:
    return {
        here.name: Argument(
            says=f"the number of {'GPUs' if here.name == 'gpus' else here.name}",
            value=here.value,
            dimension="dimensionless",
            is_count=here.value >= 8 and here.name != "size",
            is_share=False,
            shares=False,
        )
        for here in leaves
    }
