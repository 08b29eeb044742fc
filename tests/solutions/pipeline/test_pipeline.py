"""The pipeline's references against steps that are played, its limits, and numbers of the papers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.pipeline import pipeline as engine
from solutions.pipeline import pipeline


@settings(deadline=None, max_examples=a_quarter_at_once(80))
@given(
    stages=st.integers(2, 16), per_cent=st.integers(2, 40), virtual_stages=st.sampled_from([1, 2, 4]),
    strict=st.booleans(), rounded=st.booleans(),
)  # fmt: skip
def test_the_smallest_number_of_micro_batches_reaches_the_target_and_one_less_does_not(
    stages: int, per_cent: int, virtual_stages: int, strict: bool, rounded: bool
) -> None:
    case: dict[str, Any] = {
        "stages": stages, "virtual_stages": virtual_stages, "strict": strict, "multiple": stages if rounded else 1,
    }  # fmt: skip
    target = Fraction(per_cent, 100)
    for measure in ("overhead", "idle fraction"):
        found = pipeline.smallest_micro_batches(**case, target=per_cent / 100, measure=measure)
        assert found == engine.smallest_micro_batches(**case, target=per_cent / 100, measure=measure)
        assert found % case["multiple"] == 0
        for micro_batches, expected in ((found, True), (found - case["multiple"], False)):
            if micro_batches < 1:
                continue
            whole = virtual_stages * micro_batches + (stages - 1 if measure == "idle fraction" else 0)
            bubble = Fraction(stages - 1, whole)
            assert (bubble < target if strict else bubble <= target) is expected


def test_the_first_of_four_stages_holds_four_and_warms_up_with_three() -> None:
    case = {"stages": 4, "micro_batches": 12}
    assert pipeline.in_flight_by_stage(**case) == engine.in_flight_by_stage(**case) == (4, 3, 2, 1)
    assert pipeline.warm_up_by_stage(**case) == (3, 2, 1, 0)
