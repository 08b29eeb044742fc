"""Spare nodes, checkpoints in the memory of peers, and errors that nobody sees."""

from __future__ import annotations

from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.checkpointing import silent_errors, spares
from solutions.oracles.checkpointing import silent_errors as played
from solutions.oracles.checkpointing import spares as drawn

DAY = 86400


@settings(deadline=None)
@given(
    nodes=st.integers(1, 1024),
    mtbf=st.integers(50, 1000),
    days=st.integers(1, 14),
    risk=st.sampled_from([0.1, 0.05, 0.01]),
)
def test_one_spare_less_is_too_few(nodes: int, mtbf: int, days: int, risk: float) -> None:
    case = {"nodes": nodes, "node_mtbf_s": mtbf * DAY, "span_s": days * DAY}
    needed = spares.spares_needed(confidence=1 - risk, **case)
    assert spares.enough_probability(spares=needed, **case) >= 1 - risk
    assert not needed or spares.enough_probability(spares=needed - 1, **case) < 1 - risk
    assert abs(needed - drawn.spares_needed(confidence=1 - risk, **case)) <= 1


def test_no_number_of_spares_is_certain() -> None:
    with pytest.raises(ValueError, match="confidence must be below 1"):
        spares.spares_needed(nodes=8, node_mtbf_s=DAY, span_s=DAY, confidence=1)
    with pytest.raises(ValueError, match="spares must be a whole number of at least 0, not -1"):
        spares.enough_probability(nodes=8, node_mtbf_s=DAY, span_s=DAY, spares=-1)


@pytest.mark.parametrize(("nodes", "copies"), [(4, 1), (4, 2), (8, 2), (9, 3), (12, 4), (10, 5)])
def test_every_set_of_failed_nodes_is_looked_at(nodes: int, copies: int) -> None:
    groups = [set(range(first, first + copies)) for first in range(0, nodes, copies)]
    for failed in range(1, nodes + 1):
        sets = [set(chosen) for chosen in combinations(range(nodes), failed)]
        alive = sum(not any(group <= chosen for group in groups) for chosen in sets) / len(sets)
        case = {"nodes": nodes, "copies": copies, "failed": failed}
        assert spares.recovery_probability(**case) == pytest.approx(alive)
        assert drawn.recovery_probability(**case) == pytest.approx(alive)


@settings(deadline=None)
@given(check=st.floats(1, 1000), mtbf=st.floats(3600, 1e8))
def test_a_silent_error_loses_its_whole_interval(check: float, mtbf: float) -> None:
    case = {"check_s": check, "mtbf_s": mtbf}
    ours = silent_errors.check_interval_seconds(**case)
    if ours > 1e-3 * mtbf:
        assert ours == pytest.approx(played.check_interval_seconds(**case), rel=1e-9)
    assert ours < sqrt(check * mtbf)
    if check < mtbf / 1e4:
        assert ours == pytest.approx(sqrt(check * mtbf), rel=0.01)
