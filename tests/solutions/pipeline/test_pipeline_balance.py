"""Unequal stages against steps that are played and layers that are dealt one by one."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import a_quarter_at_once
from solutions.oracles.pipeline import pipeline_balance as engine
from solutions.pipeline import pipeline_balance as balance


@settings(deadline=None, max_examples=a_quarter_at_once(60))
@given(each=st.integers(1, 20), stages=st.integers(2, 16), hundredths=st.integers(0, 500))
def test_the_best_split_is_never_slower_than_the_even_one(each: int, stages: int, hundredths: int) -> None:
    case = {"layers": each * stages, "stages": stages, "head_layers": hundredths / 100}
    gain = balance.gain_of_the_best_split(**case)
    assert math.isclose(gain, engine.gain_of_the_best_split(**case), rel_tol=1e-9, abs_tol=1e-12)
    assert gain >= 0
