"""The references on overlap against a step that is played on two lanes, and their limits."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.communication import overlap
from solutions.oracles.communication import overlap as engine

times = st.floats(1e-4, 10)
layer_counts = st.integers(1, 130)
rates = st.floats(1e9, 1e12)


def same(first: float, second: float, scale: float = 0.0) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12 * scale + 1e-15)


@given(layers=layer_counts, backward=times, reduce=times)
def test_the_network_is_done_as_late_as_the_formula_says(layers: int, backward: float, reduce: float) -> None:
    case = {"layers": layers, "backward_s": backward, "reduce_s": reduce}
    clock = layers * (backward + reduce)
    tail = overlap.exposed_tail_seconds(**case)
    assert same(tail, engine.exposed_tail_seconds(**case), clock)
    assert reduce <= tail <= layers * reduce * (1 + 1e-12)
    assert same(overlap.hidden_share(**case), engine.hidden_share(**case), clock / reduce)


@given(done=layer_counts, backward=times, reduce=times)
def test_single_layers_are_done_when_the_played_network_has_sent_them(
    done: int, backward: float, reduce: float
) -> None:
    case = {"backward_s": backward, "reduce_s": reduce}
    clock = done * (backward + reduce)
    at = overlap.reduced_at_seconds(done=done, **case)
    assert same(at, engine.reduced_at_seconds(done=done, **case))
    assert same(at - done * backward, overlap.exposed_tail_seconds(layers=done, **case), clock)


@given(
    layer=st.floats(1e6, 1e10), vocabulary=st.integers(1, 10**6), hidden=st.integers(1, 20000), gpus=st.integers(1, 64)
)
def test_layer_1_and_the_embedding_come_last(layer: float, vocabulary: int, hidden: int, gpus: int) -> None:
    model = {"layer_parameters": layer, "vocabulary": vocabulary, "hidden": hidden}
    case = {"bytes_per_gradient": 2, "gpus": gpus, "bus_bytes_per_s": 3e11, **model}
    assert math.isclose(overlap.last_gradients_seconds(**case), engine.last_gradients_seconds(**case), rel_tol=1e-6)


@given(
    parameters=st.floats(1e8, 1e12), layers=layer_counts, gpus=st.integers(1, 64), tokens=st.floats(100, 1e5),
    bus=rates,
)  # fmt: skip
def test_a_step_takes_as_long_as_the_played_one(
    parameters: float, layers: int, gpus: int, tokens: float, bus: float
) -> None:
    case = {"parameters": parameters, "layers": layers, "gpus": gpus, "tokens": tokens}
    rates_of = {"flop_per_s": 4e14, "bus_bytes_per_s": bus}
    assert same(overlap.estimated_step_seconds(**case, **rates_of), engine.estimated_step_seconds(**case, **rates_of))


@given(buckets=layer_counts, backward=times, transfer=times, latency=st.floats(0, 1e-2))
def test_buckets_of_a_fixed_cost_end_as_the_formula_says(
    buckets: int, backward: float, transfer: float, latency: float
) -> None:
    case = {"buckets": buckets, "backward_s": backward, "transfer_s": transfer, "latency_s": latency}
    clock = backward + transfer + buckets * latency
    assert same(overlap.bucketed_tail_seconds(**case), engine.bucketed_tail_seconds(**case), clock)


@given(backward=st.floats(0.05, 2), transfer=st.floats(0.05, 2), latency=st.floats(1e-3, 2e-2))
def test_no_number_of_buckets_beats_the_best(backward: float, transfer: float, latency: float) -> None:
    case = {"backward_s": backward, "transfer_s": transfer, "latency_s": latency}
    best = overlap.bucketed_tail_seconds(buckets=overlap.best_buckets(**case), **case)
    assert all(best <= overlap.bucketed_tail_seconds(buckets=n, **case) * (1 + 1e-12) for n in range(1, 2500))
    played = overlap.bucketed_tail_seconds(buckets=engine.best_buckets(**case), **case)
    assert same(best, played, backward + transfer)


def test_a_limit_that_is_whole_is_not_rounded_down() -> None:
    assert (0.3 - 0.08) / 1e-3 < 220 == overlap.best_buckets(backward_s=0.3, transfer_s=0.08, latency_s=1e-3)


def test_one_bucket_is_best_where_a_bucket_costs_more_than_the_backward_pass() -> None:
    case = {"backward_s": 0.1, "transfer_s": 0.2, "latency_s": 1.0}
    assert overlap.best_buckets(**case) == engine.best_buckets(**case) == 1


def test_all_is_hidden_where_the_mfu_is_that_of_computation_alone() -> None:
    assert overlap.hidden_behind_mfu(mfu_alone=0.5, mfu_seen=0.5, compute_s=1.0, communication_s=0.5) == 1


@given(mfu=st.floats(0.05, 0.9), compute=times, communication=times, part=st.floats(0, 1))
def test_the_mfu_of_a_step_lies_between_its_bounds_and_tells_what_was_hidden(
    mfu: float, compute: float, communication: float, part: float
) -> None:
    most = min(1.0, compute / communication)
    run = {"mfu_alone": mfu, "compute_s": compute, "communication_s": communication}
    step = {"compute_s": compute, "communication_s": communication}
    seen = overlap.effective_mfu(**run, hidden=part * most)
    assert same(overlap.step_seconds(**step, hidden=part * most), engine.step_seconds(**step, hidden=part * most))
    assert same(seen, engine.effective_mfu(**run, hidden=part * most))
    least, best = (overlap.effective_mfu(**run, hidden=share) for share in (0, most))
    assert least * (1 - 1e-9) <= seen <= best * (1 + 1e-9)
    assert same(best, mfu * compute / max(compute, communication))
    hidden = overlap.hidden_behind_mfu(**run, mfu_seen=min(seen, mfu))
    assert math.isclose(hidden, part * most, abs_tol=1e-9 * (1 + compute / communication))
    assert math.isclose(
        engine.hidden_behind_mfu(**run, mfu_seen=min(seen, mfu)), hidden, abs_tol=1e-6 * (1 + compute / communication)
    )


@given(
    parameters=st.floats(1e8, 1e12),
    width=st.sampled_from([2, 4]),
    gpus=st.integers(1, 64),
    bus=rates,
    flop=st.floats(1e12, 1e17),
)
def test_the_ratio_is_that_of_a_played_ring_beside_a_clock(
    parameters: float, width: int, gpus: int, bus: float, flop: float
) -> None:
    case = {"parameters": parameters, "bytes_per_gradient": width, "gpus": gpus, "bus_bytes_per_s": bus}
    work = {"flop_of_all_gpus": flop, "flop_per_s": 4e14}
    assert same(overlap.comm_compute_ratio(**case, **work), engine.comm_compute_ratio(**case, **work))


@given(
    flop=st.floats(1e13, 1e16), bus=rates, gpus=st.one_of(st.just(math.inf), st.integers(2, 64)),
    width=st.sampled_from([2, 4]), sparse=st.floats(1, 40),
)  # fmt: skip
def test_with_these_tokens_the_played_network_just_keeps_up(
    flop: float, bus: float, gpus: float, width: int, sparse: float
) -> None:
    case = {"flop_per_s": flop, "bus_bytes_per_s": bus, "gpus": gpus}
    model = {"bytes_per_gradient": width, "total_over_active": sparse}
    tokens = overlap.tokens_to_hide_all_reduce(**case, **model)
    assert math.isclose(tokens, engine.tokens_to_hide_all_reduce(**case, **model), rel_tol=1e-8)
    if math.isfinite(gpus):
        ratio = overlap.comm_compute_ratio(
            parameters=1e9, bytes_per_gradient=width, gpus=int(gpus), bus_bytes_per_s=bus,
            flop_of_all_gpus=4 * 1e9 / sparse * tokens * gpus, flop_per_s=flop,
        )  # fmt: skip
        assert same(ratio, 1.0)


@given(
    batch=st.floats(1e6, 1e8), width=st.sampled_from([1, 2, 4]), flop=st.floats(1e14, 2e15), bus=st.floats(5e10, 1e12)
)
def test_one_server_more_would_not_hide(batch: float, width: int, flop: float, bus: float) -> None:
    case = {"batch_tokens": batch, "bytes_per_gradient": width, "flop_per_s": flop, "bus_bytes_per_s": bus}
    needed = flop / bus * (1.5 if width == 4 else 1)  # FP32 gradients make the backward pass the one that needs more
    servers = batch / (needed * 8)
    assume(servers >= 1 and abs(servers - round(servers)) > 1e-6)
    gpus = overlap.most_gpus_that_hide(**case)
    assert gpus == engine.most_gpus_that_hide(**case)
    assert batch / gpus >= needed > batch / (gpus + 8)


TOKENS = {"flop_per_s": 4e14, "bus_bytes_per_s": 4e11}
RATIO = {
    "parameters": 1e9,
    "bytes_per_gradient": 2,
    "gpus": 8,
    "bus_bytes_per_s": 4e11,
    "flop_of_all_gpus": 1e14,
    "flop_per_s": 4e14,
}
STEP = {"compute_s": 1.0, "communication_s": 0.5, "hidden": 0.5}
SEEN = {"mfu_alone": 0.5, "mfu_seen": 0.4, "compute_s": 1.0, "communication_s": 0.5}
BUCKETS = {"backward_s": 0.3, "transfer_s": 0.1, "latency_s": 1e-3}


@pytest.mark.parametrize(
    ("function", "case", "wrong"),
    [
        (overlap.exposed_tail_seconds, {"layers": 4, "backward_s": 1.0, "reduce_s": 1.0}, {"layers": 0}),
        (overlap.hidden_share, {"layers": 4, "backward_s": 1.0, "reduce_s": 1.0}, {"reduce_s": 0}),
        (overlap.reduced_at_seconds, {"done": 4, "backward_s": 1.0, "reduce_s": 1.0}, {"done": 0}),
        (
            overlap.last_gradients_seconds,
            {
                "layer_parameters": 1e8,
                "vocabulary": 9,
                "hidden": 9,
                "bytes_per_gradient": 2,
                "gpus": 8,
                "bus_bytes_per_s": 1e11,
            },
            {"vocabulary": 0},
        ),
        (
            overlap.estimated_step_seconds,
            {"parameters": 1e9, "layers": 4, "gpus": 8, "tokens": 4096, **TOKENS},
            {"tokens": 0},
        ),
        (overlap.bucketed_tail_seconds, {**BUCKETS, "buckets": 4}, {"buckets": 0}),
        (overlap.best_buckets, BUCKETS, {"latency_s": 0}),
        (overlap.step_seconds, STEP, {"hidden": 1.5}),
        (overlap.step_seconds, {**STEP, "communication_s": 1.5}, {"hidden": 0.9}),
        (overlap.effective_mfu, {**STEP, "mfu_alone": 0.5}, {"mfu_alone": 50}),
        (overlap.hidden_behind_mfu, SEEN, {"mfu_seen": 0.6}),
        (overlap.comm_compute_ratio, RATIO, {"gpus": 0}),
        (overlap.tokens_to_hide_all_reduce, TOKENS, {"gpus": 1}),
        (overlap.tokens_to_hide_all_reduce, TOKENS, {"total_over_active": 0.5}),
        (overlap.tokens_to_hide_all_reduce, TOKENS, {"total_over_active": math.inf}),
        (overlap.most_gpus_that_hide, {**TOKENS, "batch_tokens": 1e6, "bytes_per_gradient": 2}, {"batch_tokens": 10}),
        (
            overlap.most_gpus_that_hide,
            {**TOKENS, "batch_tokens": 1e6, "bytes_per_gradient": 2},
            {"total_over_active": 0.5},
        ),
    ],
)
def test_a_bad_argument_is_refused_by_name(function: object, case: dict[str, object], wrong: dict[str, object]) -> None:
    assert callable(function)
    function(**case)
    (name,) = wrong
    with pytest.raises(ValueError, match=name):
        function(**{**case, **wrong})
