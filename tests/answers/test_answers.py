"""Every spelling of the corpus is marked as it must be: at once on a sixth of the questions of its kind, in the long run on half of them."""

from __future__ import annotations

import time

import pytest

from answers.corpus import KINDS, MUSTS, OFTEN, questions, spellings, trials
from drawing import tries
from shardwise.marking import check


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("seeds", "every"), [(1, 6), pytest.param(tries(1), 2, marks=pytest.mark.slow)])
def test_every_spelling_is_marked_as_it_must_be(kind: str, seeds: int, every: int) -> None:
    tried = list(trials(kind, seeds, every))
    assert [str(trial) for trial in tried if not trial.is_as_it_must_be] == []
    never = {spelling.label for spelling in spellings(kind)} - {trial.spelling.label for trial in tried}
    assert never == set(), "spellings that no question is for"


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_has_sixty_spellings_right_and_wrong_common_and_rare(kind: str) -> None:
    found = spellings(kind)
    assert len(found) >= 60
    assert {spelling.often for spelling in found} == set(OFTEN)
    assert {spelling.must for spelling in found} == set(MUSTS)
    assert all(spelling.says for spelling in found if spelling.must == "unreadable")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("junk", ["1 ", "a", "(", "-", "=", "a) ", "1a ", "\\frac{", "<", "\n", "{1: 'a'}", "é", "```"])
def test_half_a_megabyte_of_junk_is_refused_at_once(kind: str, junk: str) -> None:
    question = next(questions(kind, 1))
    raw = junk * (500_000 // len(junk))
    began = time.process_time()
    refused = [check(question, given) for given in (raw, [raw], {"1": raw})]
    assert time.process_time() - began < 0.3
    assert {feedback.outcome for feedback in refused} <= {"unreadable", "blank"}
    assert all(len(feedback.say) < 2000 for feedback in refused)
