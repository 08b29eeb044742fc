"""Utilisations, the throughput behind them, and what a synchronous job loses to its slowest GPU."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.roofline import mfu as played
from solutions.roofline import mfu

rates = st.floats(1e2, 1e8)
work = st.floats(1e9, 1e14)
gpus = st.integers(1, 30000)
peaks = st.sampled_from([312e12, 989e12, 2250e12])
shares = st.floats(0.01, 1.0)


@given(flop=work, rate=rates, gpus=gpus, peak=peaks)
def test_a_utilisation_is_the_achieved_rate_over_the_peak(flop: float, rate: float, gpus: int, peak: float) -> None:
    case: dict[str, Any] = {"flop_per_token": flop, "tokens_per_s": rate, "gpus": gpus}
    achieved = mfu.achieved_flop_per_s(**case)
    assert achieved == pytest.approx(played.achieved_flop_per_s(**case), rel=1e-9)
    share = mfu.utilisation(**case, peak_flop_per_s=peak)
    assert share == pytest.approx(played.utilisation(**case, peak_flop_per_s=peak), rel=1e-9)
    assert share == pytest.approx(achieved / peak, rel=1e-12)
    step = {"step_flop": flop * 1000, "step_s": 1000 / rate, "gpus": gpus, "peak_flop_per_s": peak}
    assert mfu.step_utilisation(**step) == pytest.approx(share, rel=1e-9)
    assert played.step_utilisation(**step) == pytest.approx(share, rel=1e-9)


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


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(flop=st.floats(1e20, 1e26), rate=st.floats(5e13, 1e15), days=st.integers(1, 100))
def test_enough_gpus_are_the_fewest_that_finish(flop: float, rate: float, days: int) -> None:
    case = {"work_flop": flop, "achieved_flop_per_s": rate, "run_s": days * 86400.0}
    ours = mfu.gpus_in_time(**case)
    assert (
        abs(ours - played.gpus_in_time(**case)) <= 1
    )  # exact arithmetic may differ by one where the quotient is whole
    assert ours * rate * days * 86400 >= flop * (1 - 1e-12)


@settings(deadline=None, max_examples=a_quarter_at_once(50))
@given(flop=work, share=shares, gpus=gpus, peak=peaks)
def test_tokens_at_an_mfu_have_that_mfu(flop: float, share: float, gpus: int, peak: float) -> None:
    case: dict[str, Any] = {"flop_per_token": flop, "gpus": gpus, "peak_flop_per_s": peak}
    rate = mfu.tokens_per_s_at_mfu(mfu=share, **case)
    assert mfu.utilisation(tokens_per_s=rate, **case) == pytest.approx(share, rel=1e-9)
    assert rate == pytest.approx(played.tokens_per_s_at_mfu(mfu=share, **case), rel=1e-6)


@settings(deadline=None, max_examples=a_quarter_at_once(50))
@given(tokens=st.floats(1e6, 1e13), rate=st.floats(1e4, 1e8))
def test_a_run_takes_its_tokens_over_its_throughput(tokens: float, rate: float) -> None:
    ours = mfu.seconds_for_tokens(training_tokens=tokens, tokens_per_s=rate)
    assert ours == pytest.approx(played.seconds_for_tokens(training_tokens=tokens, tokens_per_s=rate), rel=1e-9)


@given(share=st.floats(0.01, 0.7), model=work, ratio=st.floats(1, 4 / 3))
def test_hfu_is_never_below_mfu(share: float, model: float, ratio: float) -> None:
    case = {"mfu": share, "model_flop": model, "hardware_flop": model * ratio}
    assert mfu.hfu_from_mfu(**case) >= share
    assert mfu.hfu_from_mfu(**case) == pytest.approx(played.hfu_from_mfu(**case), rel=1e-9)


@given(best=shares, losses=st.lists(st.floats(0, 0.19), max_size=5), ratio=st.floats(1, 4 / 3))
def test_shares_of_one_step_add_up(best: float, losses: list[float], ratio: float) -> None:
    case: dict[str, Any] = {"kernel_efficiency": best, "recompute_ratio": ratio}
    left = mfu.mfu_from_profile(step_shares_lost=losses, **case)
    assert left == pytest.approx(mfu.mfu_from_profile(step_shares_lost=[sum(losses)], **case), rel=1e-9)
    assert left == pytest.approx(played.mfu_from_profile(step_shares_lost=losses, **case), rel=1e-9)
    assert left <= best


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


@settings(deadline=None, max_examples=a_quarter_at_once(50))
@given(rate=rates, slowdowns=st.lists(st.floats(1, 3), min_size=1, max_size=64))
def test_a_step_waits_for_the_slowest(rate: float, slowdowns: list[float]) -> None:
    case: dict[str, Any] = {"tokens_per_s_per_gpu": rate, "slowdowns": slowdowns}
    assert mfu.paced_tokens_per_s(**case) == pytest.approx(played.paced_tokens_per_s(**case), rel=1e-9)


def test_one_slow_gpu_costs_as_much_as_if_all_were_slow() -> None:
    one = mfu.paced_tokens_per_s(tokens_per_s_per_gpu=9000, slowdowns=[1.05, *[1.0] * 1023])
    every = mfu.paced_tokens_per_s(tokens_per_s_per_gpu=9000, slowdowns=[1.05] * 1024)
    assert one == every


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(
    replicas=st.integers(1, 40), size=st.sampled_from([1, 8, 16, 64]), slow=st.integers(1, 100),
    slowdown=st.sampled_from([1.001, 1.013, 1.05, 1.17, 1.6]),
)  # fmt: skip
def test_slow_gpus_leave_where_the_rest_gains_more(replicas: int, size: int, slow: int, slowdown: float) -> None:
    gpus = replicas * size
    case = {"gpus": gpus, "slow_gpus": min(slow, gpus), "slowdown": slowdown, "gpus_per_replica": size}
    assert mfu.keep_or_drop(**case) == played.keep_or_drop(**case)


def test_equal_speed_keeps_the_slow_gpus() -> None:
    for slowdown in (1, 2):  # nobody is slow, or half of the GPUs at twice the speed
        case = {"gpus": 16, "slow_gpus": 8, "slowdown": slowdown, "gpus_per_replica": 8}
        assert mfu.keep_or_drop(**case) == played.keep_or_drop(**case) == "keep"


def test_nothing_more_may_be_lost_at_the_best_mfu() -> None:
    case = {"kernel_efficiency": 0.75, "lost_elsewhere": 0.5}
    assert mfu.share_that_may_be_lost(mfu=0.375, **case) == 0
    assert played.share_that_may_be_lost(mfu=0.375, **case) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: mfu.hfu_from_mfu(mfu=0.4, model_flop=2, hardware_flop=1), "fewer than"),
        (lambda: mfu.tokens_per_s_at_mfu(mfu=40, flop_per_token=1, gpus=1, peak_flop_per_s=1), "mfu must lie above 0"),
        (lambda: mfu.mfu_from_profile(kernel_efficiency=0.8, step_shares_lost=[0.7, 0.4]), "share_left"),
        (lambda: mfu.mfu_from_profile(kernel_efficiency=0.8, step_shares_lost=[-0.2]), "share_0 must be at least 0"),
        (lambda: mfu.mfu_from_profile(kernel_efficiency=0.8, step_shares_lost=[], recompute_ratio=0.9), "at least 1"),
        (lambda: played.mfu_from_profile(kernel_efficiency=0.8, step_shares_lost=[0.7, 0.4]), "nothing is left"),
        (lambda: mfu.mfu_before_speedup(mfu=0.4, speedup=0.5), "at least 1"),
        (lambda: mfu.paced_tokens_per_s(tokens_per_s_per_gpu=1, slowdowns=[]), "one GPU at least"),
        (lambda: mfu.paced_tokens_per_s(tokens_per_s_per_gpu=1, slowdowns=[0.9]), "at least 1"),
        (lambda: mfu.keep_or_drop(gpus=10, slow_gpus=1, slowdown=1.1, gpus_per_replica=4), "whole replicas"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()
