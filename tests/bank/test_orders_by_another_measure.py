"""The sentence after a wrong order names the measure that the student ranked by, in every draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose, solved
from shardwise.kinds.order import OrderKey

Values = Mapping[str, Any]
SEEDS = range(30)


def list_prices(of: Values) -> list[float]:
    return [of["demand_price"], of["reserved_price"], of["spot_price"], of["bargain_price"]]


def longest(of: Values) -> list[float]:
    return [of["flat"], of["late_length"], of["steps_length"], 16384]


def per_sequence(of: Values) -> list[float]:
    return [of["flat"], of["late_per_sequence"], of["grow_per_sequence"], of["mix_per_sequence"]]


def sizes(of: Values) -> list[float]:
    return [1, of["larger"], of["budget"] ** 0.5, of["traded"] if of["grown"] else 1 / of["traded"]]


@pytest.mark.parametrize(
    ("name", "words", "measure", "some"),
    [
        ("reserve-or-rent", "list price", list_prices, True),
        ("plans-for-the-length", "longest sequence", longest, False),
        ("plans-for-the-length", "averaged over the sequences", per_sequence, True),
        ("batch-follows-the-data", "by the size of the model", sizes, False),
    ],
)
def test_the_sentence_is_true_of_the_order(
    whole_bank: Bank, name: str, words: str, measure: Callable[[Values], list[float]], some: bool
) -> None:
    problem = whole_bank.find(name)
    named = 0
    for seed in SEEDS:
        values, question = solved(problem, str(seed))[0].values, pose(problem, seed)
        assert isinstance(question.key, OrderKey)
        ranks = dict(zip(question.key.values, measure(values), strict=True))
        right = tuple(sorted(ranks, key=ranks.__getitem__))
        told = [mistake.order for mistake in question.key.mistakes if words in mistake.say]
        assert all(order == right for order in told), (seed, ranks)
        assert told or not some or right == question.key.order, seed
        named += bool(told)
    assert named > len(SEEDS) // 3
