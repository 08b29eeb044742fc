"""Measures agree with pingouin 0.5 and scipy 1.17, which computed the expected numbers from the same data."""

from __future__ import annotations

import math

import numpy as np
import pytest

from shardwise.analysis.matches import at_least
from shardwise.analysis.measures import (
    correlation_interval,
    cronbach_alpha,
    discrimination,
    holm,
    rank_correlation,
    rest_scores,
    standard_error,
)

# The students without gaps in pingouin's data set `cronbach_wide_missing`: 9 students, 11 items.
PUBLISHED = np.array(
    [
        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0],
        [1, 1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0],
        [1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0],
        [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0],
        [0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0],
        [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        [1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
    ],
    dtype=float,
)
REST = [0.118888, 0.399292, 0.428571, 0.0, 0.518563, 0.780671, 0.554479, 0.780671, 0.448129, 0.448129, 0.614192]


def test_alpha_is_that_of_a_published_data_set() -> None:
    assert cronbach_alpha(PUBLISHED) == pytest.approx(0.8016949152542373)


def test_students_without_all_items_do_not_count_for_alpha() -> None:
    gap = PUBLISHED[:1].copy()
    gap[0, 0] = np.nan
    assert cronbach_alpha(np.vstack([PUBLISHED, gap])) == pytest.approx(0.8016949152542373)
    assert math.isnan(cronbach_alpha(gap))


def test_discrimination_is_the_correlation_with_the_other_items() -> None:
    most = np.ones_like(PUBLISHED)
    found = [discrimination(PUBLISHED[:, column], rest_scores(PUBLISHED, most, column)) for column in range(11)]
    assert [r for r, _ in found] == pytest.approx(REST, abs=1e-6)
    assert {n for _, n in found} == {9}


def test_students_who_got_other_items_of_a_pool_are_compared_by_shares() -> None:
    points = np.array([[1, 4, np.nan], [0, 0, np.nan], [1, np.nan, 2], [0, np.nan, 0], [1, 2, np.nan]])
    most = np.where(np.isnan(points), np.nan, [[1, 4, 2]])
    r, n = discrimination(points[:, 0], rest_scores(points, most, 0))
    assert n == 5
    assert r == pytest.approx(np.corrcoef([1, 0, 1, 0, 1], [1, 0, 1, 0, 0.5])[0, 1])


def test_intervals_errors_and_corrections_agree_with_other_libraries() -> None:
    assert correlation_interval(0.3, 50) == pytest.approx((0.023625, 0.533775), abs=1e-6)
    assert standard_error(np.array([0, 1, 1, 0.5])) == pytest.approx(0.2393567769)
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert at_least(3, np.full(10, 0.1)) == pytest.approx(0.0701908264)


def test_a_rank_correlation_with_ties_has_the_p_value_of_a_permutation_test() -> None:
    effort = np.array([1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9], dtype=float)
    credit = np.array([1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0], dtype=float)
    rho, chance = rank_correlation(effort, credit)
    assert rho == pytest.approx(-0.4125533123988466)
    assert chance == pytest.approx(0.199, abs=0.03)  # from 2000 permutations


def test_what_does_not_vary_has_no_correlation() -> None:
    same = np.ones(20)
    assert rank_correlation(np.arange(20.0), same)[1] == 1.0
    assert math.isnan(discrimination(same, np.arange(20.0))[0])
