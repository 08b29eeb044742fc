"""Answers that match another student's key: who copies is listed, and a class in which nobody copies is not."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from shardwise.analysis.matches import LEVEL, ItemNumbers, compare_students

ITEMS = 10


def _class(seed: int, *, students: int = 40, copier: bool = False) -> list[ItemNumbers]:
    """Return a class whose wrong answers are often the same multiple of the key, and sometimes any number.

    Its keys are of few kinds, as with parameters that are drawn from a short list.
    """
    rng = np.random.default_rng(seed)
    names = [f"s{number}" for number in range(students)]
    items = []
    for number in range(ITEMS):
        parameters = rng.choice([1.0, 2.0, 3.0, 5.0, 8.0], size=(students, 2))
        keys = {name: float(a * b * 7) for name, (a, b) in zip(names, parameters, strict=True)}
        wrong: dict[str, float] = {}
        for name in names:
            if rng.random() < 0.4:
                usual = rng.choice([2.0, 0.5, 1 / 3, 0.01]) if rng.random() < 0.5 else math.exp(rng.normal(0, 1.5))
                wrong[name] = float(f"{keys[name] * usual:.3g}")
        if copier and keys["s0"] != keys["s1"]:
            wrong["s1"] = keys["s0"]
        items.append(ItemNumbers(f"item-{number}", keys, wrong, 0.01))
    return items


def test_a_student_with_the_answers_of_another_is_listed_and_nobody_else() -> None:
    for seed in range(5):
        pairs = compare_students(_class(seed, copier=True)).pairs
        assert [(pair.student, pair.other) for pair in pairs] == [("s1", "s0")]
        assert pairs[0].corrected < 0.001
        assert len(pairs[0].matches) >= 6


def test_classes_in_which_nobody_copies_are_listed_less_often_than_the_level_says() -> None:
    alarms = sum(bool(compare_students(_class(seed)).pairs) for seed in range(200))
    assert alarms <= LEVEL * 200


def test_the_predicted_number_of_matches_is_no_less_than_what_happens_by_chance() -> None:
    found = [compare_students(_class(seed)) for seed in range(30)]
    assert sum(each.matches for each in found) <= 1.1 * sum(each.expected for each in found)
    assert min(each.matches for each in found) > 0  # chance alone gives matches


def test_students_with_the_same_key_are_not_compared() -> None:
    same: Mapping[str, float] = {f"s{number}": 12.0 for number in range(20)}
    assert compare_students([ItemNumbers("item", same, {"s1": 24.0, "s2": 24.0}, 0.01)]).items == 0
    assert compare_students([]).pairs == ()
