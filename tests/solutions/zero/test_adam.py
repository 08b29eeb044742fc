"""What Adam keeps of a model: references against the rows of a table, and the numbers of real models."""

from __future__ import annotations

from solutions.zero import adam

B = 10**9


def test_gb_is_not_gib() -> None:
    assert round(adam.weight_bytes(parameters=70 * B) / 2**30, 1) == 130.4
    assert round(adam.parameters_in(weight_bytes=130.385 * 2**30) / B, 2) == 70
