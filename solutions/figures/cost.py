"""Figures of the lesson on compute and cost."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from ..cost.data_constrained import REPEATS_THAT_COUNT, effective_tokens
from ..cost.inference_aware import best_size, lifetime_flop
from ..cost.overtraining import compute_overhead, smallest_size_factor, tokens_for_loss
from ..cost.scaling_laws import balanced_tokens, predicted_loss
from ..oracles.cost.data_constrained import effective_tokens as read_tokens
from ..oracles.cost.inference_aware import best_size as slid_size
from ..oracles.cost.overtraining import compute_overhead as trained_overhead
from ..oracles.cost.scaling_laws import optimal_parameters as walked_size
from . import BLUE, GREEN, GREY, ORANGE
from ._drawing import caption, chart, mark, note, numbers, x_axis, y_axis

CHAPTER = "13-compute-and-cost"

FIT = "Besiroglu"
BUDGETS = (1e21, 1e22, 1e23, 1e24)
QUALITY = 13e9  # parameters of the compute-optimal model whose loss the models of life_of_a_model share


def valleys_of_equal_compute() -> Figure:
    """Predicted loss against size for four budgets, with the minima that the oracle finds."""
    figure, axis = chart(7.2, 3.3)
    for budget, colour in zip(BUDGETS, (GREY, GREEN, BLUE, ORANGE), strict=True):
        bottom = walked_size(work_flop=budget, fit=FIT)
        sizes = bottom * np.geomspace(0.12, 9, 120)
        losses = [predicted_loss(parameters=float(n), tokens=budget / 6 / float(n), fit=FIT) for n in sizes]
        axis.plot(sizes, losses, color=colour, lw=2)
        depth = predicted_loss(parameters=bottom, tokens=budget / 6 / bottom, fit=FIT)
        mark(axis, bottom, depth, colour, size=5)
        tokens = budget / 6 / bottom / 1e9
        of_tokens = f"{tokens:.3g}B" if tokens < 1000 else f"{tokens / 1000:.3g}T"
        note(
            axis,
            f"$10^{{{round(np.log10(budget))}}}$ FLOP, best size\n{bottom / 1e9:.3g}B on {of_tokens} tokens",
            (float(sizes[-1]), losses[-1]),
            (6, -6),
            colour,
            fontsize=8,
        )
    x_axis(
        axis,
        "parameters N; the tokens are C / 6N",
        (2.5e8, 9e12),
        {1e9: "1B", 1e10: "10B", 1e11: "100B", 1e12: "1T"},
        log=10,
    )
    y_axis(axis, "predicted loss, nats per token", (1.9, 2.5))
    return figure


def price_of_another_size() -> Figure:
    """Extra training FLOP at the same loss, against the size over the compute-optimal size."""
    figure, axis = chart(7.2, 3.0)
    for fit, name, colour, height in (
        (FIT, "refit (Besiroglu et al.)", BLUE, 58),
        ("Hoffmann", "first fit (Hoffmann et al.)", ORANGE, 78),
    ):
        least = smallest_size_factor(fit=fit)
        factors = np.geomspace(least * 1.15, 4, 300)
        overheads = [compute_overhead(size_factor=float(factor), fit=fit) for factor in factors]
        axis.plot(factors, [100 * overhead for overhead in overheads], color=colour, lw=2)
        dots = [factor for factor in (0.25, 0.5, 0.75, 2, 3) if factor > least]
        mark(axis, dots, [100 * trained_overhead(size_factor=dot, fit=fit) for dot in dots], colour)
        axis.axvline(least, color=colour, lw=1, ls=":")
        caption(axis, least * 1.02, 190, f"{100 * least:.0f} %", colour)
        axis.text(0.66, height, name, color=colour)
    half = 100 * compute_overhead(size_factor=0.5, fit=FIT)
    note(axis, f"half the size: {half:.0f} % more", (0.5, half), (14, 4), BLUE, fontsize=8)
    x_axis(
        axis,
        "parameters over those of the best size, at the same loss",
        (0.085, 4.2),
        {0.1: "10 %", 0.25: "25 %", 0.5: "50 %", 1: "best size", 2: "2 times", 4: "4 times"},
        log=10,
    )
    y_axis(axis, "extra training FLOP", (-4, 205), numbers(0, 50, 100, 150, 200, unit=" %"))
    return figure


def life_of_a_model() -> Figure:
    """Training and serving FLOP of models with the same loss against their size, for three demands."""
    loss = predicted_loss(parameters=QUALITY, tokens=balanced_tokens(parameters=QUALITY, fit=FIT), fit=FIT)
    figure, axis = chart(7.2, 3.2)
    sizes = np.geomspace(3e9, 20e9, 200)
    for served, colour in ((0.0, GREY), (1e12, BLUE), (4e12, ORANGE)):
        spent = [_life(float(size), loss, served) / 1e22 for size in sizes]
        axis.plot(sizes / 1e9, spent, color=colour, lw=2)
        best = best_size(parameters=QUALITY, served_tokens=served, fit=FIT)
        walked = slid_size(parameters=QUALITY, served_tokens=served, fit=FIT)
        mark(axis, walked / 1e9, _life(best, loss, served) / 1e22, colour, size=5)
        name = "training alone" if not served else f"{served / 1e12:.0f}T tokens served"
        caption(axis, 20.6, spent[-1], f"{name}:\nlowest at {best / 1e9:.1f}B", colour, va="center")
    x_axis(
        axis,
        "parameters; all models have the loss of a compute-optimal 13B model",
        (2.9, 33),
        numbers(3, 4, 6, 8, 10, 13, 20, unit="B"),
        log=10,
    )
    y_axis(axis, "lifetime FLOP, 10²²", (0, 20), [0, 5, 10, 15, 20])
    return figure


def _life(size: float, loss: float, served: float) -> float:
    tokens = tokens_for_loss(parameters=size, loss=loss, fit=FIT)
    return lifetime_flop(parameters=size, training_tokens=tokens, served_tokens=served)


def worth_of_epochs() -> Figure:
    """New tokens that several epochs are worth, in multiples of the data, and what they would be worth if every token were new."""
    figure, axis = chart(7.2, 3.0)
    epochs = np.geomspace(1, 100, 200)
    axis.plot(epochs, epochs, color=GREY, lw=1, ls="--")
    axis.plot(epochs, [effective_tokens(tokens=float(e), unique_tokens=1.0) for e in epochs], color=BLUE, lw=2)
    for dot in (4, 16, 40):
        worth = read_tokens(tokens=float(dot), unique_tokens=1.0)
        mark(axis, dot, worth, ORANGE, size=5)
        note(axis, f"{dot} epochs: {worth:.3g}", (dot, worth), (6, -12), ORANGE, fontsize=8)
    limit = 1 + REPEATS_THAT_COUNT
    axis.axhline(limit, color=GREY, lw=0.8, ls=":")
    caption(axis, 1.05, limit * 1.06, f"limit: {limit:.1f} times the data", GREY)
    caption(axis, 26, 21.5, "if every token counted as new", GREY, va="center")
    x_axis(axis, "epochs", ticks=numbers(1, 2, 4, 8, 16, 40, 100), log=10)
    y_axis(axis, "worth in new tokens,\ntimes the data", (0.95, 24), numbers(1, 2, 4, 8, 16), log=10)
    return figure
