"""Data at scale: ids, stores, queues, orders, mixtures, packing and duplicates, against what is played, and at their edges."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.data import filtering, loader_queue, mixtures, object_store, packing, sample_order, token_storage
from solutions.oracles.data import filtering as counted
from solutions.oracles.data import loader_queue as played_queue
from solutions.oracles.data import mixtures as played_mixtures
from solutions.oracles.data import object_store as played_store
from solutions.oracles.data import packing as written
from solutions.oracles.data import sample_order as played_order
from solutions.roofline import flops
from solutions.shapes import models

STORE = {"latency_s": st.floats(0.001, 0.5), "stream_bytes_per_s": st.floats(1e7, 1e9)}
LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=25)
SHAPE = ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")


def test_ids_of_a_published_vocabulary_fit_or_not() -> None:
    sizes = {name: models.vocabulary(model=name) for name in ("Llama-2-7B", "GPT-3-175B", "Llama-3-8B", "DeepSeek-V3")}
    assert {name: token_storage.token_id_bytes(vocabulary=size) for name, size in sizes.items()} == {
        "Llama-2-7B": 2,
        "GPT-3-175B": 2,
        "Llama-3-8B": 4,
        "DeepSeek-V3": 4,
    }


@given(request_bytes=st.floats(1e3, 1e9), requests_in_flight=st.integers(1, 5000), **STORE)
def test_requests_in_flight_are_rate_times_time(requests_in_flight: int, **case: float) -> None:
    rate = object_store.read_bytes_per_s(requests_in_flight=requests_in_flight, **case)
    assert rate == pytest.approx(played_store.read_bytes_per_s(requests_in_flight=requests_in_flight, **case))
    assert object_store.request_seconds(**case) == pytest.approx(played_store.request_seconds(**case))
    assert object_store.requests_in_flight(bytes_per_s=rate, **case) == requests_in_flight
    assert played_store.requests_in_flight(bytes_per_s=rate * 1.001, **case) >= requests_in_flight
    assert rate < requests_in_flight * case["stream_bytes_per_s"]


@given(
    files=st.floats(1e3, 1e10), file_bytes=st.floats(1e3, 1e9), requests_per_s=st.floats(1e3, 1e5),
    store_bytes_per_s=st.floats(1e8, 1e12), connections=st.integers(1, 5000), **STORE,
)  # fmt: skip
def test_the_narrowest_limit_sets_the_time(**case: Any) -> None:
    limit = object_store.epoch_read_limit(**case)
    for rate, by in product(("requests_per_s", "store_bytes_per_s"), (1 - 1e-9, 1 + 1e-9)):
        assume(object_store.epoch_read_limit(**{**case, rate: case[rate] * by}) == limit)  # two limits are not the same
    assert limit == played_store.epoch_read_limit(**case)
    doubled = {"requests": "requests_per_s", "bandwidth": "store_bytes_per_s", "connections": "connections"}[limit]
    wide = {**case, doubled: case[doubled] * 10**6}
    assert object_store.epoch_read_limit(**wide) != limit


@given(samples=st.integers(1, 5000), sample_s=st.floats(1e-4, 1), step_s=st.floats(0.01, 10))
def test_workers_keep_up_on_average(samples: int, **case: float) -> None:
    workers = loader_queue.workers_for_step(samples=samples, **case)
    assert workers == played_queue.workers_for_step(samples=samples, **case)
    step = loader_queue.fed_step_seconds(step_s=case["step_s"], batch_s=samples * case["sample_s"], workers=workers)
    assert step == pytest.approx(case["step_s"])


@given(
    batches=st.integers(1, 30), fast_s=st.integers(0, 3), slow_s=st.integers(1, 15), slow_every=st.integers(1, 9),
    step_s=st.integers(1, 4), prefetch=st.integers(1, 5),
)  # fmt: skip
def test_one_slow_batch_in_so_many_costs_what_the_play_shows(**case: int) -> None:
    assert loader_queue.uneven_waiting_seconds(**case) == pytest.approx(played_queue.uneven_waiting_seconds(**case))


@given(stall_s=st.integers(1, 500), step_s=st.integers(1, 20), ready_batches=st.integers(0, 40))
def test_a_stall_costs_what_the_queue_does_not_cover(stall_s: int, step_s: int, ready_batches: int) -> None:
    case: dict[str, Any] = {"stall_s": stall_s, "step_s": step_s, "ready_batches": ready_batches}
    wait = loader_queue.stall_wait_seconds(**case)
    assert wait == played_queue.stall_wait_seconds(**case)
    needed = loader_queue.batches_for_stall(stall_s=stall_s, step_s=step_s)
    assert needed == played_queue.batches_for_stall(stall_s=stall_s, step_s=step_s)
    assert (wait == 0) == (ready_batches >= needed)


def test_a_queue_fills_again_by_what_the_loader_is_quicker() -> None:
    case: dict[str, Any] = {"batches": 8, "step_s": 2.5, "load_s": 2.0}
    assert loader_queue.refill_seconds(**case) == pytest.approx(played_queue.refill_seconds(**case)) == 80
    with pytest.raises(ValueError, match="never fills"):
        loader_queue.refill_seconds(batches=8, step_s=2.0, load_s=2.0)


@given(buffer_samples=st.integers(1, 30), extra=st.integers(0, 60), seed=st.integers(0, 10**6))
def test_no_sample_comes_earlier_than_the_buffer_lets_it(buffer_samples: int, extra: int, seed: int) -> None:
    dice = random.Random(seed)
    stream = list(range(1, buffer_samples + extra + 1))
    buffer, rest = stream[:buffer_samples], stream[buffer_samples:]
    draw = 0
    while buffer:
        draw += 1
        place = buffer.pop(dice.randrange(len(buffer)))
        if rest:
            buffer.append(rest.pop(0))
        earliest = sample_order.earliest_draw(place=place, buffer_samples=buffer_samples)
        assert earliest == played_order.earliest_draw(place=place, buffer_samples=buffer_samples)
        assert draw >= earliest


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(1e9, 1e13), st.floats(0.5, 8)), min_size=1, max_size=6))
def test_the_first_source_at_its_limit_ends_the_run(rows: list[tuple[float, float, float]]) -> None:
    weights, sizes, epochs = map(list, zip(*rows, strict=True))
    case: dict[str, Any] = {"weights": weights, "source_tokens": sizes, "epochs": epochs}
    tokens = mixtures.tokens_until_limit(**case)
    assert tokens == pytest.approx(played_mixtures.tokens_until_limit(**case))
    passed = [tokens * w / sum(weights) / u / e for w, u, e in rows]
    assert max(passed) == pytest.approx(1)


def test_a_source_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="source must be a whole number from 0 to 1, not 2"):
        mixtures.weight_from_epochs(source=2, sizes=[1, 2], epochs=[1, 1])
    with pytest.raises(ValueError, match="needs sources"):
        mixtures.tokens_until_limit(weights=[0.5], source_tokens=[1, 2], epochs=[1])


@given(lengths=LENGTHS, sequence_length=st.integers(1, 16))
def test_packers_do_what_writing_token_by_token_does(lengths: list[int], sequence_length: int) -> None:
    case: dict[str, Any] = {"lengths": lengths, "sequence_length": sequence_length}
    for name in ("padding_share", "concatenated_sequences", "documents_cut", "best_fit_sequences"):
        assert getattr(packing, name)(**case) == pytest.approx(getattr(written, name)(**case)), name
    best, least = packing.best_fit_sequences(**case), packing.concatenated_sequences(**case)
    alone = sum(-(-length // sequence_length) for length in lengths)
    assert least <= best <= alone


def test_the_five_documents_of_the_paper() -> None:
    case: dict[str, Any] = {"lengths": [14, 7, 5, 2, 3], "sequence_length": 8}
    assert packing.documents_cut(**case) == 3
    assert packing.best_fit_sequences(**case) == packing.concatenated_sequences(**case) == 4


@given(length=st.integers(1, 300), sequence_length=st.integers(1, 200))
def test_the_chance_of_a_cut_counts_the_starts(length: int, sequence_length: int) -> None:
    case: dict[str, Any] = {"length": length, "sequence_length": sequence_length}
    assert packing.chance_of_a_cut(**case) == pytest.approx(written.chance_of_a_cut(**case))


@pytest.mark.parametrize(
    "documents",
    [
        8,
    ],
)
def test_a_mask_saves_what_shorter_sequences_do_not_compute(documents: int) -> None:
    shape = {name: getattr(models, name)(model="Llama-3-8B") for name in SHAPE}
    whole = flops.forward_flop(tokens=8192, sequence_length=8192, **shape)
    masked = flops.forward_flop(tokens=8192, sequence_length=8192 // documents, **shape)
    share = shape["layers"] * flops.score_flop(tokens=8192, sequence_length=8192, hidden=shape["hidden"]) / whole
    saved = packing.share_saved_by_mask(score_share=share, documents=documents)
    assert saved == pytest.approx(1 - masked / whole, abs=1e-12)
    assert saved == pytest.approx(written.share_saved_by_mask(score_share=share, documents=documents), abs=1e-12)
    for score_share in (0, 1.01):
        with pytest.raises(ValueError, match="score_share"):
            packing.share_saved_by_mask(score_share=score_share, documents=documents)


@given(good=st.floats(0.01, 0.99), good_kept=st.floats(0.01, 1), bad_kept=st.floats(0.001, 1))
def test_a_filter_keeps_good_text_in_proportion(good: float, good_kept: float, bad_kept: float) -> None:
    case = {"good_share": good, "good_kept": good_kept, "bad_kept": bad_kept}
    kept, purity = filtering.filtered_tokens(tokens=1e12, **case), filtering.filtered_purity(**case)
    assert kept == pytest.approx(counted.filtered_tokens(tokens=1e12, **case))
    assert purity == pytest.approx(counted.filtered_purity(**case))
    assert kept * purity == pytest.approx(1e12 * good * good_kept)


def test_shares_of_a_length_plan_must_sum_to_one() -> None:
    with pytest.raises(ValueError, match=r"the shares must sum to 1, not 0\.9"):
        filtering.mean_sequence_length(shares=(0.5, 0.4), lengths=(1024, 2048))
    with pytest.raises(ValueError, match="shorter"):
        filtering.mean_sequence_length(shares=(0.5, 0.5), lengths=(1024,))
    assert counted.mean_sequence_length(shares=(0.5, 0.5), lengths=(1024, 3072)) == 2048
