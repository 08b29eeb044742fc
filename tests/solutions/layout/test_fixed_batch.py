"""A given batch: the bubble against played pipelines, and tensor parallelism next to ZeRO-3 against played gathers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.layout import fixed_batch
from solutions.oracles.layout import fixed_batch as dealt
from solutions.pipeline.pipeline import bubble_overhead

BUBBLE: dict[str, Any] = {
    "sequences": 2048, "micro_batch": 1, "tp": 8, "cp": 1, "pp": 16, "virtual_stages": 1, "overhead": 0.25,
}  # fmt: skip
BESIDE: dict[str, Any] = {
    "gpus": 1024, "sequences": 512, "sequence_length": 8192, "flop_per_s": 400e12, "port_bytes_per_s": 50e9,
}  # fmt: skip
bubbles = st.fixed_dictionaries(
    {
        "sequences": st.sampled_from([96, 128, 360, 512, 2048]), "micro_batch": st.sampled_from([1, 2, 4]),
        "tp": st.sampled_from([1, 8]), "cp": st.sampled_from([1, 2]), "pp": st.sampled_from([2, 4, 8, 12]),
        "virtual_stages": st.sampled_from([1, 2, 3]), "overhead": st.sampled_from([0.05, 0.1, 0.13, 0.25, 0.5]),
    }
)  # fmt: skip


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(case=bubbles)
def test_the_most_gpus_keep_the_bubble_and_one_more_replica_does_not(case: dict[str, Any]) -> None:
    try:
        most = fixed_batch.most_gpus(**case)
    except ValueError:
        with pytest.raises(ValueError, match=r"incomplete|waits too long"):
            dealt.most_gpus(**case)
        return
    assert most == dealt.most_gpus(**case)
    passes = case["sequences"] // case["micro_batch"]
    replica = case["tp"] * case["cp"] * case["pp"]
    dp = most // replica

    def overhead(replicas: int) -> float:
        return bubble_overhead(
            stages=case["pp"], micro_batches=passes // replicas, virtual_stages=case["virtual_stages"]
        )

    assert overhead(dp) <= case["overhead"] * (1 + 1e-12)
    larger = [more for more in range(dp + 1, passes + 1) if passes % more == 0]
    assert all(overhead(more) > case["overhead"] for more in larger)


def test_16384_gpus_of_the_405b_run_wait_more_than_a_quarter_without_interleaving() -> None:
    assert fixed_batch.most_gpus(**BUBBLE) == 4096
    assert fixed_batch.most_gpus(**{**BUBBLE, "virtual_stages": 4}) == 16384


def test_tp_makes_up_for_a_lack_of_sequences_and_not_of_tokens() -> None:
    found = [fixed_batch.tp_beside_fsdp(**{**BESIDE, "gpus": gpus}) for gpus in (512, 1024, 2048, 4096, 8192)]
    assert found == [1, 2, 4, 8, 0]
    shorter = {**BESIDE, "gpus": 8192, "sequences": 4096, "sequence_length": 2048}
    assert fixed_batch.tp_beside_fsdp(**shorter) == 2  # 1,024 tokens a GPU hide the gathers
    assert fixed_batch.tp_beside_fsdp(**{**shorter, "sequence_length": 2000}) == 2  # exactly as many as it takes
    assert fixed_batch.tp_beside_fsdp(**{**shorter, "sequence_length": 1999}) == 0
    assert fixed_batch.tp_beside_fsdp(**{**shorter, "port_bytes_per_s": 25e9}) == 0
    assert fixed_batch.tp_beside_fsdp(**{**shorter, "sequence_length": 250, "gpus_per_node": 64}) == 2
    assert fixed_batch.tp_beside_fsdp(**{**BESIDE, "sequences": 64, "sequence_length": 65536, "max_tp": 16}) == 16
    for wrong in ({"sequences": 64, "sequence_length": 65536}, {"sequences": 700}, {"gpus": 1000}):
        with pytest.raises(ValueError, match=r"no tensor parallelism of up to 8 gives \d+ GPUs whole sequences"):
            fixed_batch.tp_beside_fsdp(**{**BESIDE, **wrong})
