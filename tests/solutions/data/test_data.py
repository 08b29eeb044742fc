"""Data at scale: ids, stores, queues, orders, mixtures, packing and duplicates, against what is played, and at their edges."""

from __future__ import annotations

import random
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from solutions.data import duplicates, loader_queue, mixtures, object_store, packing, sample_order, token_storage
from solutions.oracles.data import duplicates as walked
from solutions.oracles.data import loader_queue as played_queue
from solutions.oracles.data import mixtures as played_mixtures
from solutions.oracles.data import object_store as played_store
from solutions.oracles.data import packing as written
from solutions.oracles.data import sample_order as played_order
from solutions.oracles.data import token_storage as stored
from solutions.roofline import flops
from solutions.shapes import models

STORE = {"latency_s": st.floats(0.001, 0.5), "stream_bytes_per_s": st.floats(1e7, 1e9)}
LENGTHS = st.lists(st.integers(1, 40), min_size=1, max_size=25)
SHAPE = ("layers", "hidden", "ffn_hidden", "heads", "kv_heads", "vocabulary")


@given(vocabulary=st.integers(2, 300_000), tokens=st.floats(1e6, 1e14))
def test_an_id_is_as_wide_as_the_narrowest_number_that_gives_it_back(vocabulary: int, tokens: float) -> None:
    width = token_storage.token_id_bytes(vocabulary=vocabulary)
    assert width == stored.token_id_bytes(vocabulary=vocabulary)
    size = token_storage.token_set_bytes(tokens=tokens, vocabulary=vocabulary)
    assert size == pytest.approx(stored.token_set_bytes(tokens=tokens, vocabulary=vocabulary))
    last = vocabulary - 1
    assert token_storage.stored_id(token=last, id_bits=8 * width) == last


def test_a_vocabulary_of_65536_still_fits_16_bits_and_one_more_does_not() -> None:
    assert [token_storage.token_id_bytes(vocabulary=size) for size in (65_535, 65_536, 65_537)] == [2, 2, 4]


@given(token=st.integers(0, 300_000), id_bits=st.sampled_from([8, 16, 32]))
def test_an_id_that_is_too_large_wraps_around(token: int, id_bits: int) -> None:
    assert token_storage.stored_id(token=token, id_bits=id_bits) == stored.stored_id(token=token, id_bits=id_bits)


def test_ids_of_a_published_vocabulary_fit_or_not() -> None:
    sizes = {name: models.vocabulary(model=name) for name in ("Llama-2-7B", "GPT-3-175B", "Llama-3-8B", "DeepSeek-V3")}
    assert {name: token_storage.token_id_bytes(vocabulary=size) for name, size in sizes.items()} == {
        "Llama-2-7B": 2,
        "GPT-3-175B": 2,
        "Llama-3-8B": 4,
        "DeepSeek-V3": 4,
    }


@given(text_bytes=st.floats(1e9, 1e15), bytes_per_token=st.floats(1, 8), vocabulary=st.sampled_from([32_000, 128_256]))
def test_text_becomes_ids(text_bytes: float, bytes_per_token: float, vocabulary: int) -> None:
    case: dict[str, Any] = {"text_bytes": text_bytes, "bytes_per_token": bytes_per_token, "vocabulary": vocabulary}
    assert token_storage.tokenised_bytes(**case) == pytest.approx(stored.tokenised_bytes(**case))


@given(text_bytes=st.floats(1e9, 1e15), bytes_per_s_per_core=st.floats(1e5, 1e8), limit_s=st.floats(60, 1e6))
def test_one_core_less_would_be_late(**case: float) -> None:
    cores = token_storage.tokenising_cores(**case)
    assert cores == stored.tokenising_cores(**case)
    assert case["text_bytes"] / (cores * case["bytes_per_s_per_core"]) <= case["limit_s"] * (1 + 1e-9)


@given(samples_per_s=st.floats(1, 1e9), sample_bytes=st.floats(1, 1e9))
def test_a_run_reads_each_sample_once(**case: float) -> None:
    assert token_storage.read_bytes_per_s(**case) == pytest.approx(stored.read_bytes_per_s(**case))
    assert token_storage.text_bytes_per_token(text_bytes=case["sample_bytes"], tokens=case["samples_per_s"]) == (
        pytest.approx(stored.text_bytes_per_token(text_bytes=case["sample_bytes"], tokens=case["samples_per_s"]))
    )


@given(request_bytes=st.floats(1e3, 1e9), requests_in_flight=st.integers(1, 5000), **STORE)
def test_requests_in_flight_are_rate_times_time(requests_in_flight: int, **case: float) -> None:
    rate = object_store.read_bytes_per_s(requests_in_flight=requests_in_flight, **case)
    assert rate == pytest.approx(played_store.read_bytes_per_s(requests_in_flight=requests_in_flight, **case))
    assert object_store.request_seconds(**case) == pytest.approx(played_store.request_seconds(**case))
    assert object_store.requests_in_flight(bytes_per_s=rate, **case) == requests_in_flight
    assert played_store.requests_in_flight(bytes_per_s=rate * 1.001, **case) >= requests_in_flight
    assert rate < requests_in_flight * case["stream_bytes_per_s"]


@given(
    workers=st.integers(1, 64),
    requests=st.integers(1, 4),
    k=st.integers(1, 100),
    sample_bytes=st.floats(1e3, 1e7),
    **STORE,
)
def test_samples_of_a_request_wait_together(workers: int, requests: int, k: int, **case: float) -> None:
    whole: dict[str, Any] = {"workers": workers, "requests_per_worker": requests, "samples_per_request": k, **case}
    rate = object_store.samples_per_s(**whole)
    assert rate == pytest.approx(played_store.samples_per_s(**whole))
    assert rate <= object_store.samples_per_s(**{**whole, "samples_per_request": k + 1})


@given(bytes_per_s=st.floats(1e7, 1e10), request_bytes=st.floats(1e4, 1e8), **STORE)
def test_the_fewest_requests_are_enough_and_one_less_is_not(bytes_per_s: float, **case: float) -> None:
    n = object_store.requests_in_flight(bytes_per_s=bytes_per_s, **case)
    assert n == played_store.requests_in_flight(bytes_per_s=bytes_per_s, **case)
    assert object_store.read_bytes_per_s(requests_in_flight=n, **case) >= bytes_per_s * (1 - 1e-9)
    if n > 1:
        assert object_store.read_bytes_per_s(requests_in_flight=n - 1, **case) < bytes_per_s


@given(requests_in_flight=st.integers(2, 500), part=st.floats(0.05, 0.9), **STORE)
def test_the_smallest_requests_just_reach_the_rate(requests_in_flight: int, part: float, **case: float) -> None:
    rate = part * requests_in_flight * case["stream_bytes_per_s"]
    whole: dict[str, Any] = {"bytes_per_s": rate, "requests_in_flight": requests_in_flight, **case}
    size = object_store.smallest_request_bytes(**whole)
    assert size == pytest.approx(played_store.smallest_request_bytes(**whole), rel=1e-6)
    again = object_store.read_bytes_per_s(requests_in_flight=requests_in_flight, request_bytes=size, **case)
    assert again == pytest.approx(rate)


def test_some_rates_are_out_of_reach_whatever_the_size() -> None:
    with pytest.raises(ValueError, match="10 connections never reach 1e"):
        object_store.smallest_request_bytes(
            bytes_per_s=1e9, requests_in_flight=10, latency_s=0.1, stream_bytes_per_s=80e6
        )


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


@given(step_s=st.integers(1, 20), batch_s=st.integers(1, 60), workers=st.integers(1, 8))
def test_the_slower_of_loading_and_computing_paces_the_run(step_s: int, batch_s: int, workers: int) -> None:
    paced = loader_queue.fed_step_seconds(step_s=step_s, batch_s=batch_s, workers=workers)
    assert paced == pytest.approx(
        played_queue.fed_step_seconds(step_s=step_s, batch_s=batch_s, workers=workers), rel=0.02
    )


@given(
    load_s=st.lists(st.integers(0, 12), min_size=1, max_size=20), step_s=st.integers(1, 6), prefetch=st.integers(1, 5),
    workers=st.integers(1, 4),
)  # fmt: skip
def test_the_gpu_waits_as_long_as_in_the_play(load_s: list[int], **counts: int) -> None:
    case: dict[str, Any] = {"load_s": load_s, **counts}
    assert loader_queue.waiting_seconds(**case) == pytest.approx(played_queue.waiting_seconds(**case))


@given(load_s=st.lists(st.integers(0, 12), min_size=1, max_size=20), step_s=st.integers(1, 6))
def test_a_longer_queue_never_waits_longer(load_s: list[int], step_s: int) -> None:
    waits = [loader_queue.waiting_seconds(load_s=load_s, step_s=step_s, prefetch=depth) for depth in range(1, 8)]
    assert all(later <= earlier for earlier, later in pairwise(waits))
    assert waits[-1] >= load_s[0]


@given(
    batches=st.integers(1, 30), fast_s=st.integers(0, 3), slow_s=st.integers(1, 15), slow_every=st.integers(1, 9),
    step_s=st.integers(1, 4), prefetch=st.integers(1, 5),
)  # fmt: skip
def test_one_slow_batch_in_so_many_costs_what_the_play_shows(**case: int) -> None:
    assert loader_queue.uneven_waiting_seconds(**case) == pytest.approx(played_queue.uneven_waiting_seconds(**case))


def test_the_same_mean_with_a_tail_waits_longer() -> None:
    even = loader_queue.waiting_seconds(load_s=[2] * 40, step_s=3, prefetch=4)
    tail = loader_queue.waiting_seconds(load_s=([1] * 19 + [21]) * 2, step_s=3, prefetch=4)
    assert even == 2
    assert tail > 10


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


@given(
    samples=st.integers(1, 10**10), gpus=st.integers(1, 16), workers_per_gpu=st.integers(0, 32), shared=st.booleans()
)
def test_every_process_brings_its_index_unless_it_is_shared(**case: Any) -> None:
    size = loader_queue.index_bytes_on_host(bytes_per_sample=8, **case)
    assert size == played_queue.index_bytes_on_host(bytes_per_sample=8, **case)
    assert size % (8 * case["samples"]) == 0


@given(
    step=st.integers(0, 900), ranks=st.sampled_from([1, 2, 4, 8]), share=st.integers(1, 8), samples=st.integers(1, 4000), seed=st.randoms(use_true_random=False)
)  # fmt: skip
def test_a_step_has_the_same_samples_on_any_number_of_ranks(
    step: int, ranks: int, share: int, samples: int, seed: random.Random
) -> None:
    batch = 8 * share

    def read(ranks: int) -> list[int]:
        part = batch // ranks
        return [
            sample_order.sample_position(
                step=step, rank=rank, slot=slot, ranks=ranks, global_batch=batch, samples=samples
            )
            for rank in range(ranks)
            for slot in range(part)
        ]

    assert read(ranks) == read(1)
    rank, slot = seed.randrange(ranks), seed.randrange(batch // ranks)
    case: dict[str, Any] = {"step": step, "rank": rank, "slot": slot, "ranks": ranks, "global_batch": batch}
    assert sample_order.sample_position(samples=samples, **case) == played_order.sample_position(
        samples=samples, **case
    )
    epoch = sample_order.epoch_of_step(step=step, global_batch=batch, samples=samples)
    assert epoch == played_order.epoch_of_step(step=step, global_batch=batch, samples=samples)
    assert read(1)[0] == step * batch - epoch * samples


def test_a_rank_or_slot_that_is_not_there_is_refused() -> None:
    case: dict[str, Any] = {"step": 0, "ranks": 4, "global_batch": 8, "samples": 100}
    for rank, slot, refused in ((4, 0, "rank"), (0, 2, "slot"), (-1, 0, "rank"), (0, 0.5, "slot")):
        with pytest.raises(ValueError, match=f"{refused} must be a whole number from 0 to"):
            sample_order.sample_position(rank=rank, slot=slot, **case)
    with pytest.raises(ValueError, match="cannot be shared"):
        sample_order.sample_position(step=0, rank=0, slot=0, ranks=3, global_batch=8, samples=100)


@given(
    percent=st.integers(1, 100),
    before=st.sampled_from([1, 2, 4, 6, 8, 16, 48, 64]),
    after=st.sampled_from([1, 2, 3, 4, 8, 32, 56, 64]),
)
def test_samples_seen_twice_are_those_that_the_marks_show(percent: int, before: int, after: int) -> None:
    case: dict[str, Any] = {"seen_share": percent / 100, "ranks_before": before, "ranks_after": after}
    share = sample_order.repeated_share(**case)
    assert share == pytest.approx(played_order.repeated_share(**case), abs=1e-9)
    assert 0 <= share <= min(percent / 100, 1 - percent / 100) + 1e-12
    if before == after:
        assert share == 0


@given(buffer_samples=st.integers(1, 5000), draws=st.integers(0, 5000))
def test_a_sample_stays_in_the_buffer_as_often_as_in_the_play(buffer_samples: int, draws: int) -> None:
    case: dict[str, Any] = {"buffer_samples": buffer_samples, "draws": draws}
    assert sample_order.still_buffered(**case) == pytest.approx(played_order.still_buffered(**case), abs=1e-9)


@given(draws=st.integers(1, 20_000), share=st.floats(0.01, 0.9))
def test_a_buffer_one_smaller_holds_back_too_few(draws: int, share: float) -> None:
    size = sample_order.buffer_for_spread(draws=draws, share=share)
    assert abs(size - played_order.buffer_for_spread(draws=draws, share=share)) <= 1
    assert sample_order.still_buffered(buffer_samples=size, draws=draws) >= share * (1 - 1e-6)


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


@given(tokens=st.floats(1e9, 1e14), weight=st.floats(0.001, 1), source_tokens=st.floats(1e8, 1e13))
def test_epochs_are_what_a_run_reads(**case: float) -> None:
    epochs = mixtures.source_epochs(**case)
    weight = case.pop("weight")
    back = mixtures.largest_weight(epochs=epochs, **case)
    assert back == pytest.approx(weight) == pytest.approx(played_mixtures.largest_weight(epochs=epochs, **case))
    if epochs < 2000:
        assert epochs == pytest.approx(played_mixtures.source_epochs(weight=weight, **case))


@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(1e9, 1e13), st.floats(0.5, 8)), min_size=1, max_size=6))
def test_the_first_source_at_its_limit_ends_the_run(rows: list[tuple[float, float, float]]) -> None:
    weights, sizes, epochs = map(list, zip(*rows, strict=True))
    case: dict[str, Any] = {"weights": weights, "source_tokens": sizes, "epochs": epochs}
    tokens = mixtures.tokens_until_limit(**case)
    assert tokens == pytest.approx(played_mixtures.tokens_until_limit(**case))
    passed = [tokens * w / sum(weights) / u / e for w, u, e in rows]
    assert max(passed) == pytest.approx(1)


@given(st.lists(st.tuples(st.floats(1, 1e6), st.sampled_from([0.5, 1, 1.5, 2, 3])), min_size=1, max_size=8))
def test_weights_of_repeated_sources_add_up_to_one(rows: list[tuple[float, float]]) -> None:
    sizes, epochs = map(list, zip(*rows, strict=True))
    case: dict[str, Any] = {"sizes": sizes, "epochs": epochs}
    weights = [mixtures.weight_from_epochs(source=place, **case) for place in range(len(rows))]
    assert sum(weights) == pytest.approx(1)
    assert weights[0] == pytest.approx(played_mixtures.weight_from_epochs(source=0, **case))


@given(sizes=st.lists(st.floats(1, 1e12), min_size=2, max_size=8), alpha=st.floats(0, 1))
def test_an_exponent_below_one_raises_the_smallest_source(sizes: list[float], alpha: float) -> None:
    least = sizes.index(min(sizes))
    weight = mixtures.temperature_weight(source=least, sizes=sizes, alpha=alpha)
    assert weight == pytest.approx(played_mixtures.temperature_weight(source=least, sizes=sizes, alpha=alpha))
    assert min(sizes) / sum(sizes) <= weight * (1 + 1e-9)
    assert weight <= (1 + 1e-9) / len(sizes)
    epochs = mixtures.temperature_epochs(source=least, sizes=sizes, alpha=alpha, tokens=min(sizes) * 100)
    assert epochs == pytest.approx(
        played_mixtures.temperature_epochs(source=least, sizes=sizes, alpha=alpha, tokens=min(sizes) * 100)
    )


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


@given(lengths=LENGTHS)
def test_pairs_inside_documents(lengths: list[int]) -> None:
    case: dict[str, Any] = {"lengths": lengths, "sequence_length": sum(lengths)}
    kept = packing.pairs_kept(**case)
    assert kept == pytest.approx(written.pairs_kept(**case))
    assert 1 / len(lengths) <= kept * (1 + 1e-9)
    with pytest.raises(ValueError, match="do not fill"):
        packing.pairs_kept(lengths=lengths, sequence_length=sum(lengths) + 1)


@pytest.mark.parametrize("documents", [1, 2, 8, 64])
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


@given(similarity=st.floats(0.05, 1), bands=st.integers(1, 500), rows=st.integers(1, 25))
def test_pairs_are_found_band_by_band(similarity: float, bands: int, rows: int) -> None:
    case: dict[str, Any] = {"similarity": similarity, "bands": bands, "rows": rows}
    chance = duplicates.candidate_probability(**case)
    assert chance == pytest.approx(walked.candidate_probability(**case), abs=1e-9)
    assert duplicates.candidate_probability(**{**case, "bands": bands + 1}) >= chance
    assert duplicates.candidate_probability(**{**case, "rows": rows + 1}) <= chance


@given(bands=st.integers(1, 500), rows=st.integers(1, 25))
def test_at_the_threshold_one_band_is_expected_to_agree(bands: int, rows: int) -> None:
    threshold = duplicates.threshold_similarity(bands=bands, rows=rows)
    assert threshold == pytest.approx(walked.threshold_similarity(bands=bands, rows=rows))
    chance = duplicates.candidate_probability(similarity=threshold, bands=bands, rows=rows)
    assert 0.63 < chance <= 1


@given(similarity=st.floats(0.3, 0.98), rows=st.integers(1, 12), recall=st.floats(0.1, 0.99))
def test_one_band_less_finds_too_few(similarity: float, rows: int, recall: float) -> None:
    bands = duplicates.fewest_bands(similarity=similarity, rows=rows, recall=recall)
    if bands < 100_000:
        assert bands == walked.fewest_bands(similarity=similarity, rows=rows, recall=recall)
    enough = duplicates.candidate_probability(similarity=similarity, bands=bands, rows=rows)
    assert enough >= recall * (1 - 1e-9)
    with pytest.raises(ValueError, match="below 1"):
        duplicates.fewest_bands(similarity=1, rows=rows, recall=recall)
