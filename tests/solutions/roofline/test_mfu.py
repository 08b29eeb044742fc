"""Utilisations, the throughput behind them, and what a synchronous job loses to its slowest GPU."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.roofline import mfu as played
from solutions.roofline import mfu

work = st.floats(1e9, 1e14)
gpus = st.integers(1, 30000)
shares = st.floats(0.01, 1.0)


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(
    sequences=st.integers(1, 64), length=st.integers(1, 3000), step_s=st.floats(0.1, 60), gpus=st.integers(1, 4096),
    layers=st.integers(1, 8), hidden=st.sampled_from([256, 1024]), ffn=st.integers(1, 5000),
    kv_heads=st.sampled_from([1, 2, 8]), vocabulary=st.integers(1, 150000),
)  # fmt: skip
def test_the_mfu_of_a_step_is_that_of_a_traced_one(
    sequences: int,
    length: int,
    step_s: float,
    gpus: int,
    layers: int,
    hidden: int,
    ffn: int,
    kv_heads: int,
    vocabulary: int,
) -> None:
    case: dict[str, Any] = {
        "sequences": sequences, "sequence_length": length, "step_s": step_s, "gpus": gpus, "peak_flop_per_s": 989e12,
        "layers": layers, "hidden": hidden, "ffn_hidden": ffn, "heads": 8, "kv_heads": kv_heads,
        "vocabulary": vocabulary,
    }  # fmt: skip
    assert mfu.mfu_of_step(**case) == pytest.approx(played.mfu_of_step(**case), rel=1e-9)
    with pytest.raises(ValueError, match="heads must divide"):
        mfu.mfu_of_step(**{**case, "kv_heads": 3})


@given(share=st.floats(0.01, 0.7), model=work, ratio=st.floats(1, 4 / 3))
def test_hfu_is_never_below_mfu(share: float, model: float, ratio: float) -> None:
    case = {"mfu": share, "model_flop": model, "hardware_flop": model * ratio}
    assert mfu.hfu_from_mfu(**case) >= share
    assert mfu.hfu_from_mfu(**case) == pytest.approx(played.hfu_from_mfu(**case), rel=1e-9)


@given(
    best=st.floats(0.5, 1),
    losses=st.lists(st.floats(0, 0.1), max_size=3),
    ratio=st.floats(1, 4 / 3),
    aim=st.floats(0.1, 0.9),
)
def test_what_may_be_lost_leaves_the_target(best: float, losses: list[float], ratio: float, aim: float) -> None:
    case: dict[str, Any] = {"kernel_efficiency": best, "recompute_ratio": ratio}
    target = aim * mfu.mfu_from_profile(step_shares_lost=losses, **case)
    share = mfu.share_that_may_be_lost(mfu=target, lost_elsewhere=sum(losses), **case)
    assert share == pytest.approx(
        played.share_that_may_be_lost(mfu=target, lost_elsewhere=sum(losses), **case), rel=1e-6
    )
    assert mfu.mfu_from_profile(step_shares_lost=[*losses, share], **case) == pytest.approx(target, rel=1e-9)
    for module in (mfu, played):
        with pytest.raises(ValueError, match=r"below|out of reach"):
            module.share_that_may_be_lost(mfu=1.0, lost_elsewhere=sum(losses) + 0.05, **case)


@given(share=shares, speedup=st.floats(1, 3))
def test_a_baseline_is_slower_by_the_factor(share: float, speedup: float) -> None:
    ours = mfu.mfu_before_speedup(mfu=share, speedup=speedup)
    assert ours == pytest.approx(played.mfu_before_speedup(mfu=share, speedup=speedup), rel=1e-12)


def test_equal_speed_keeps_the_slow_gpus() -> None:
    for slowdown in (1, 2):  # nobody is slow, or half of the GPUs at twice the speed
        case = {"gpus": 16, "slow_gpus": 8, "slowdown": slowdown, "gpus_per_replica": 8}
        assert mfu.keep_or_drop(**case) == played.keep_or_drop(**case) == "keep"


def test_nothing_more_may_be_lost_at_the_best_mfu() -> None:
    case = {"kernel_efficiency": 0.75, "lost_elsewhere": 0.5}
    assert mfu.share_that_may_be_lost(mfu=0.375, **case) == 0
    assert played.share_that_may_be_lost(mfu=0.375, **case) == pytest.approx(0, abs=1e-6)
