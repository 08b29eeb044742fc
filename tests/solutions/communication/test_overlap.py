"""The references on overlap against a step that is played on two lanes, and their limits."""

from __future__ import annotations

import math

from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.communication import overlap
from solutions.oracles.communication import overlap as engine

times = st.floats(1e-4, 10)


def same(first: float, second: float, scale: float = 0.0) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12 * scale + 1e-15)


@given(backward=st.floats(0.05, 2), transfer=st.floats(0.05, 2), latency=st.floats(1e-3, 2e-2))
def test_no_number_of_buckets_beats_the_best(backward: float, transfer: float, latency: float) -> None:
    case = {"backward_s": backward, "transfer_s": transfer, "latency_s": latency}
    best = overlap.bucketed_tail_seconds(buckets=overlap.best_buckets(**case), **case)
    assert all(best <= overlap.bucketed_tail_seconds(buckets=n, **case) * (1 + 1e-12) for n in range(1, 2500))
    played = overlap.bucketed_tail_seconds(buckets=engine.best_buckets(**case), **case)
    assert same(best, played, backward + transfer)


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
