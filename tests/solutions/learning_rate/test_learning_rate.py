"""Rules of the learning rate against averaged gradients and noise, a rule fitted to two sweeps, and worked numbers."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from solutions.learning_rate import learning_rate

rates = st.floats(1e-6, 1.0)
batches = st.floats(16.0, 4e3)


def same(first: float, second: float) -> bool:
    return math.isclose(first, second, rel_tol=1e-9, abs_tol=1e-12)


@given(base_lr=rates, base_batch=batches, batch=batches)
def test_the_square_root_rule_is_the_geometric_middle_of_nothing_and_linear(
    base_lr: float, base_batch: float, batch: float
) -> None:
    case = {"base_lr": base_lr, "base_batch": base_batch, "batch": batch}
    assert same(learning_rate.square_root_rule_lr(**case) ** 2, base_lr * learning_rate.linear_rule_lr(**case))
