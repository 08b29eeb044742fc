"""Layouts against ranks that are placed one by one, their limits, and the layout of a real 405B run."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.layout import layout
from solutions.oracles.layout import layout as engine

degrees = st.sampled_from([1, 2, 4, 8, 16])


@given(nodes=st.integers(1, 500), failed=st.integers(0, 20), tp=degrees, cp=degrees, pp=degrees)
def test_usable_gpus_are_whole_replicas_of_healthy_gpus(nodes: int, failed: int, tp: int, cp: int, pp: int) -> None:
    assume(failed <= nodes)
    case = {"gpus": 8 * nodes, "failed_nodes": failed, "gpus_per_node": 8, "tp": tp, "cp": cp, "pp": pp}
    usable = layout.usable_gpus(**case)
    assert usable == engine.usable_gpus(**case)
    assert usable % (tp * cp * pp) == 0
    assert 0 <= 8 * (nodes - failed) - usable < tp * cp * pp


@settings(deadline=None, max_examples=a_quarter_at_once(20))
@given(
    gpus=st.sampled_from([96, 128, 1024, 6144, 16384]), sequences=st.sampled_from([96, 256, 1024, 2048]),
    weights=st.integers(10, 2000), kept=st.integers(10, 900), budget=st.integers(20, 180),
    cp=st.sampled_from([1, 2, 4, 16]), tp_percent=st.integers(1, 8),
)  # fmt: skip
def test_the_best_layout_is_the_quickest_of_all_that_fit(
    gpus: int, sequences: int, weights: int, kept: int, budget: int, cp: int, tp_percent: int
) -> None:
    case = {
        "gpus": gpus, "sequences": sequences, "weight_bytes": weights * 10**9, "activation_bytes": kept * 10**9,
        "budget_bytes": budget * 10**9, "cp": cp, "tp_percent": tp_percent,
    }  # fmt: skip
    try:
        expected = engine.best_layout(**case)
    except ValueError:
        with pytest.raises(ValueError, match="no layout"):
            layout.best_layout(**case)
        return
    tp, cp_used, pp, dp = layout.best_layout(**case)
    assert (tp, cp_used, pp, dp) == expected
    assert tp * cp_used * pp * dp == gpus
    assert sequences % dp == 0


LAUNCH: dict[str, int] = {
    "gpus": 16384, "sequences": 2048, "weight_bytes": 810 * 10**9, "activation_bytes": 537 * 10**9,
    "budget_bytes": 76 * 10**9, "cp": 1, "tp_percent": 2,
}  # fmt: skip


def test_the_best_layout_for_405b_is_metas() -> None:
    assert layout.best_layout(**LAUNCH) == (8, 1, 16, 128)
    at_128k = {**LAUNCH, "cp": 16, "activation_bytes": 16 * 537 * 10**9, "sequences": 128}
    assert layout.best_layout(**at_128k) == (8, 16, 16, 8)


@pytest.mark.parametrize(
    ("gpus", "sequences", "weights", "kept", "budget", "cp", "tp_percent"),
    [
        (128, 16, 81, 189, 38, 2, 20),  # twice the TP takes as long as twice the PP
        (64, 96, 118, 169, 157, 4, 8),  # the first further GPU of a group costs what the others do
    ],
)
def test_close_calls_are_decided_as_played(
    gpus: int, sequences: int, weights: int, kept: int, budget: int, cp: int, tp_percent: int
) -> None:
    case = {
        "gpus": gpus, "sequences": sequences, "weight_bytes": weights * 10**9, "activation_bytes": kept * 10**9,
        "budget_bytes": budget * 10**9, "cp": cp, "tp_percent": tp_percent,
    }  # fmt: skip
    assert layout.best_layout(**case) == engine.best_layout(**case)


# Groups in NVLink domains


@given(
    groups=st.integers(1, 300), group=st.sampled_from([1, 4, 8, 12, 16, 32, 64, 72]), domain=st.sampled_from([72, 144])
)
def test_domains_hold_whole_groups(groups: int, group: int, domain: int) -> None:
    case = {"gpus": groups * group, "group_gpus": group, "domain_gpus": domain}
    domains = layout.nvlink_domains_needed(**case)
    assert domains == engine.nvlink_domains_needed(**case)
    assert (domains - 1) * (domain // group) < groups <= domains * (domain // group)


# Layers over stages


@given(stages=st.integers(1, 40), more=st.integers(0, 200))
def test_layers_are_dealt_evenly_and_all(stages: int, more: int) -> None:
    dealt = layout.layers_per_stage(layers=stages + more, stages=stages)
    assert dealt == engine.layers_per_stage(layers=stages + more, stages=stages)
    assert sum(dealt) == stages + more
    assert max(dealt) - min(dealt) <= 1
    assert dealt[-1] == min(dealt)  # the output head's stage never has more than another
    fuller = layout.fuller_stages(layers=stages + more, stages=stages)
    assert fuller == dealt.count(max(dealt)) == engine.fuller_stages(layers=stages + more, stages=stages)


def test_126_layers_on_16_stages_are_fourteen_eights_and_two_sevens() -> None:
    assert layout.layers_per_stage(layers=126, stages=16) == (7, *([8] * 14), 7)
    assert layout.fuller_stages(layers=126, stages=16) == 14
