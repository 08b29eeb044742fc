"""Fitted laws, muP and Muon against their oracles and against known signs and limits."""

from __future__ import annotations

import numpy as np
import pytest

from solutions.learning_rate import fitted_laws, transfer


def test_the_two_laws_disagree_on_longer_training_of_one_model() -> None:
    once, twice = {"parameters": 7e9, "tokens": 1e12}, {"parameters": 7e9, "tokens": 2e12}
    assert fitted_laws.deepseek_lr(work_flop=2e22) > fitted_laws.deepseek_lr(work_flop=4e22)
    assert fitted_laws.step_law_lr(**once) < fitted_laws.step_law_lr(**twice)


def test_ten_to_a_power_takes_the_exponents_apart() -> None:
    for law, names, exponent in (
        (fitted_laws.deepseek_lr, ("work_flop",), -0.1250),
        (fitted_laws.deepseek_batch_tokens, ("work_flop",), 0.3271),
        (fitted_laws.step_law_batch_tokens, ("tokens",), 0.571),
        (fitted_laws.step_law_lr, ("parameters", "tokens"), 0.307 - 0.713),
    ):
        grown = law(**dict.fromkeys(names, 1e12)) / law(**dict.fromkeys(names, 1e11))
        assert grown == pytest.approx(10**exponent)


@pytest.mark.parametrize(("rows", "columns"), [(48, 48), (64, 16), (16, 64)])
def test_an_orthogonalised_update_is_as_large_as_asked_for(rows: int, columns: int) -> None:
    left, _, right = np.linalg.svd(np.random.default_rng(0).normal(size=(rows, columns)), full_matrices=False)
    update = transfer.muon_scale(rows=rows, columns=columns, rms=0.2) * (left @ right)
    assert float(np.sqrt(np.mean(update**2))) == pytest.approx(0.2)


def test_a_wide_layer_moves_as_far_as_the_narrow_one_under_mup() -> None:
    inputs = np.random.default_rng(0).choice([-1.0, 1.0], size=4096)
    for width in (64, 1024, 4096):
        lr = 1e-3 * transfer.mup_factor(setting="hidden learning rate", width_factor=width / 64)
        moved = float(np.sum(lr * np.sign(inputs[:width]) * inputs[:width]))
        assert moved == pytest.approx(64e-3)
