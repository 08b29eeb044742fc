"""Matching: pairs in every spelling, a share of the points for each, and templates that cannot be matched."""

from __future__ import annotations

from typing import Any

import pytest

from checkout import posed, problem_of, template
from shardwise.bank.lint.problem import lint_problem
from shardwise.errors import Faulty, ShardwiseError
from shardwise.kinds.match.model import MatchForm, MatchKey
from shardwise.markdown.feedback import as_plain
from shardwise.marking import check, read_only
from shardwise.question import Feedback, Outcome, Question

QUESTION = posed(template("match"))
assert isinstance(QUESTION.key, MatchKey) and isinstance(QUESTION.form, MatchForm)
KEY = dict(QUESTION.key.pairs)
NUMBERS, LETTERS = list(KEY), [option.label for option in QUESTION.form.options]
TEXTS = {item.label: item.text for item in QUESTION.form.items}
ITEM = {
    "whole": next(number for number, text in TEXTS.items() if "in all" in text),
    "phase": next(number for number, text in TEXTS.items() if "one phase" in text),
    "root": next(number for number, text in TEXTS.items() if "answers" in text),
}


def marked(raw: Any, asked: Question = QUESTION) -> Feedback:
    return check(asked, raw)


def wrong(number: str) -> str:
    """The extra option, to which nothing belongs."""
    return next(letter for letter in LETTERS if letter not in KEY.values())


# How an answer is read ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({True: "a"}, "I saw “True” where one of the numbers 1, 2, 3 belongs."),
        ({"x" * 500: "a"}, f"I saw “{'x' * 20}” where"),
        ("1a 9b", "I saw “9” where one of the numbers 1, 2, 3 belongs."),
        ("1a 2e", "2: I saw “e” where one of the letters a, b, c, d belongs."),
        ({"1": "?"}, "1: I saw “?” where one of the letters a, b, c, d belongs."),
        ({"2": ["a"]}, "2: I saw something of type list where"),
        (["a", "b", 3], "3: I saw something of type int where"),
        ("1a, 2b, 1a", "1 appears twice."),
        (["a", "b", "c", "d"], "I expected a letter for each of 1, 2, 3."),
        ({"a", "b", "c"}, "I expected a letter for each of 1, 2, 3."),
        ("abcd", "I couldn't read “abcd” as pairs."),
        ("1a 2", "I couldn't read “1a 2” as pairs."),
        ("1ab", "I couldn't read “1ab” as pairs."),
        ("1a" * 600, "I couldn't read an answer of 1,200 characters."),
    ],
)  # fmt: skip
def test_what_names_no_item_or_no_option_is_said_and_costs_nothing(raw: Any, words: str) -> None:
    feedback = marked(raw)
    assert feedback.outcome == Outcome.UNREADABLE
    assert words in as_plain(feedback)
    assert as_plain(feedback).translate({ord(quote): None for quote in "“”"}).count("looks like 1 a, 2 b, 3 c.") == 1
    assert "This does not count" in feedback.say
    assert read_only(QUESTION.form, "match", raw, question="x", points=3).outcome == Outcome.UNREADABLE


# What it earns --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("right", [0, 1, 2, 3])
def test_each_pair_has_its_share_of_the_points(right: int) -> None:
    given_ = {number: KEY[number] if place < right else wrong(number) for place, number in enumerate(NUMBERS)}
    feedback = marked(given_)
    assert feedback.credit == pytest.approx(right / 3)
    assert feedback.points == right
    assert feedback.parts == {number: place < right for place, number in enumerate(NUMBERS)}
    assert feedback.outcome == (Outcome.INCORRECT, Outcome.PARTIAL, Outcome.PARTIAL, Outcome.CORRECT)[right]
    assert (f"{right} of 3 {'is' if right == 1 else 'are'} right." in feedback.say) == (right < 3)


def test_an_incomplete_match_is_unreadable_and_what_is_missing_is_named() -> None:
    feedback = marked({NUMBERS[1]: KEY[NUMBERS[1]]})
    assert (feedback.outcome, feedback.points) == (Outcome.UNREADABLE, 0)
    assert feedback.say.startswith(f"{NUMBERS[0]}, {NUMBERS[2]} have no letter yet: every item needs one.")


def test_the_first_wrong_pair_is_told_in_its_own_words_and_never_the_right_one() -> None:
    whole = marked({**KEY, ITEM["whole"]: wrong(ITEM["whole"])})
    assert whole.say == f"2 of 3 are right.\n\n**{ITEM['whole']}.** Count both phases."
    phase = marked({**KEY, ITEM["phase"]: wrong(ITEM["phase"])})
    assert (
        phase.say == f"2 of 3 are right.\n\n**{ITEM['phase']}.** It belongs elsewhere."
    )  # the author gave it no words


def test_a_recognised_mistake_is_named_if_all_its_pairs_are_there() -> None:
    swapped = {ITEM["whole"]: KEY[ITEM["phase"]], ITEM["phase"]: KEY[ITEM["whole"]]}
    both = marked({**KEY, **swapped})
    assert (both.outcome, both.mistake, both.points) == (Outcome.PARTIAL, 0, 1)
    assert both.say == "1 of 3 is right.\n\nA ring has two phases, not one."
    half = marked({**KEY, ITEM["whole"]: KEY[ITEM["phase"]]})
    assert (half.mistake, half.points) == (None, 2)


def test_one_option_may_stand_for_several_items() -> None:
    asked = posed(SAME)
    key: Any = asked.key
    letters = [key.pairs[item.label] for item in asked.form.items if item.text != "third"]  # type: ignore[attr-defined]
    assert len(set(letters)) == 1
    assert len(asked.form.options) == 2  # type: ignore[attr-defined]
    assert marked(dict(key.pairs), asked).outcome == Outcome.CORRECT
    assert marked(list(key.pairs.values()), asked).outcome == Outcome.CORRECT


SAME = """\
title: What belongs where
kind: match
points: 2
difficulty: easy
source: nccl-tests, doc/PERFORMANCE.md
params: {gpus: {choice: [8, 16, 32]}}
prompt: "Match each of them for {{ gpus }} GPUs."
answer:
  pairs:
    - {id: first, text: first, match: "{{ gpus }} of them"}
    - {id: second, text: second, match: "{{ gpus }} of them"}
    - {id: third, text: third, match: none at all}
mistakes:
  - {gives: {first: second, second: first}, say: That is no mistake at all.}
  - {gives: {third: first}, say: The third one has none of them.}
hints: [Two of them do.]
solution: "These belong together: {{ key }}"
"""


def test_a_mistake_that_gives_an_item_what_belongs_to_it_is_not_kept() -> None:
    key: Any = posed(SAME).key
    assert [mistake.say for mistake in key.mistakes] == ["The third one has none of them."]


# How it is drawn ------------------------------------------------------------------------------------------------------


def test_items_and_options_stand_in_an_order_of_the_seeds_own() -> None:
    keys = [tuple(posed(template("match"), seed).key.pairs.values()) for seed in range(40)]  # type: ignore[attr-defined]
    assert len(set(keys)) > 10


def test_of_many_items_so_many_are_drawn_as_shall_be_shown() -> None:
    text = template("match", ("answer:\n", "answer:\n  shown: 2\n"))
    drawn = set()
    for seed in range(30):
        asked = posed(text, seed)
        items, options = asked.form.items, asked.form.options  # type: ignore[attr-defined]
        assert [item.label for item in items] == ["1", "2"]
        assert len(options) == 3  # theirs, and the extra one
        drawn |= {item.text for item in items}
        mistakes = asked.key.mistakes  # type: ignore[attr-defined]
        assert bool(mistakes) == all("ring" in item.text for item in items)  # of items that are shown alone
    assert len(drawn) == 3


def test_values_that_read_alike_are_drawn_anew() -> None:
    near = "    - {id: near, text: Another, value: 1.95 * message_bytes, unit: GB}\n    - id: root"
    text = template("match", ("    - id: root", near))
    drawn = [posed(text, seed) for seed in range(20)]
    assert {question.params["gpus"] for question in drawn} == {
        "8",
        "16",
    }  # 32 and 64 of them send 1.94 and 1.97 times it
    assert any(question.rejected for question in drawn)


def test_an_answer_is_drawn_for_everybody_or_it_is_said_why_not() -> None:
    text = template("match", ("gpus: {choice: [8, 16, 32, 64]}", "gpus: 2"), ("extra:", "shown: 3\n  extra:"))
    with pytest.raises(
        ShardwiseError, match=r"the values of (whole and root|root and whole) lie within 2% of each other"
    ):
        posed(text)


# Templates that cannot be ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("    - id: phase", "    - id: whole"), "answer: two items have the same id"),
        (("      text: A GPU of a ring, in all\n", "      text: A GPU of a ring, in all\n      match: much\n"),
         "answer.pairs.0: an item has either a `match` or a `value`"),
        (("      text: A GPU of a ring, in all\n      value: ref(\"ring.ring.bytes_sent_per_gpu\", message_bytes=message_bytes, gpus=gpus)\n",
          "      text: A GPU of a ring, in all\n"), "answer.pairs.0: an item has either a `match` or a `value`"),
        (("answer:\n", "answer:\n  shown: 4\n"), "answer: shown is 4, but there are only 3 items"),
        (("gives: {whole: phase, phase: whole}", "gives: {hole: phase}"), "a mistake names hole; the items are phase, root, whole"),
        (("gives: {whole: phase, phase: whole}", "gives: {}"), "mistakes.0.gives: expected at least 1 entry"),
        (("      say: Count both phases.\n", "      sya: Count both phases.\n"), "answer.pairs.0.sya: unknown key 'sya'"),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_is_faulted_at_its_place(change: tuple[str, str], words: str) -> None:
    with pytest.raises(Faulty) as caught:
        problem_of(template("match", change))
    assert words in str(caught.value)


def test_ten_items_need_a_number_of_those_that_are_shown() -> None:
    more = "".join(f"    - {{id: more-{number}, text: More, match: more {number}}}\n" for number in range(7))
    text = template("match", ("mistakes:\n", f"{more}mistakes:\n"))
    with pytest.raises(Faulty, match="at most 9 items can be shown at once; say how many are drawn with `shown`"):
        problem_of(text)
    problem_of(text.replace("answer:\n", "answer:\n  shown: 9\n"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("oracle(\"ring.ring.simulated_bytes_sent_per_gpu\"", "oracle(\"ring.ring.simulated_bytes_sent_per_phase\""),
         "whole: value gives"),
        (("extra: [\"{{ message_bytes }}\"]", "extra: [\"{{ ref('ring.ring.bytes_sent_per_gpu', message_bytes=message_bytes, gpus=gpus) | unit('GB') }}\"]"),
         "an extra option reads like one that an item belongs to"),
        (("gives: {whole: phase, phase: whole}", "gives: {whole: whole}"), "mistake 1 is the right matching"),
        (("value: ref(\"ring.ring.naive_root_bytes\", message_bytes=message_bytes, gpus=gpus)", "value: 1 / 0"), "“1 / 0” has no value here"),
    ],
)  # fmt: skip
def test_the_lint_faults_what_cannot_be_told_apart(change: tuple[str, str], words: str) -> None:
    report = lint_problem(problem_of(template("match", change)), seeds=3)
    assert words in "\n".join(map(str, report.faults))


def test_the_lint_faults_items_that_all_belong_to_one_option() -> None:
    text = SAME.replace("none at all", '"{{ gpus }} of them"')
    report = lint_problem(problem_of(text), seeds=2)
    assert "every item belongs to the same option" in str(report.faults)
