"""Predicted loss against parameters at fixed compute, and lifetime FLOP of models that reach the lowest loss."""

from __future__ import annotations

from math import floor, log10
from typing import Any

from ..cost.inference_aware import best_size, lifetime_flop
from ..cost.overtraining import compute_overhead, equal_optimum_parameters, smallest_size_factor, tokens_for_loss
from ..cost.scaling_laws import balanced_tokens, optimal_parameters, predicted_loss
from . import buttons, choice, percent, points, raised, slider, spread, written

CHAPTER = "13-compute-and-cost"
STILL = "valleys-of-equal-compute"
TITLE = "Large model on few tokens, or small model on many"
PLAYS = "size"
FIT = "Besiroglu"
COLOURS = {1e21: "grey", 1e22: "green", 1e23: "blue", 1e24: "orange"}  # as in the still; any other budget is purple
BUDGETS = {
    "10²¹ FLOP": 1e21,
    "10²² FLOP": 1e22,
    "10²³ FLOP": 1e23,
    "3.14 · 10²³ FLOP, as GPT-3": 3.14e23,  # Brown et al. 2020, arXiv:2005.14165, Table D.1
    "7.2 · 10²³ FLOP, as Llama 3 8B": 7.2e23,  # 6 · 8.03e9 · 15e12, model card of April 2024
    "10²⁴ FLOP": 1e24,
    "3.8 · 10²⁵ FLOP, as Llama 3 405B": 3.8e25,  # Llama Team 2024, arXiv:2407.21783, section 3.2
}


def counted(number: float) -> str:
    """Parameters or tokens in words.

    >>> counted(29.4461e9), counted(1.7386e12), counted(0)
    ('29.4B', '1.74T', 'no')
    """
    return f"{written(number / 1e12)}T" if number >= 0.9995e12 else f"{written(number / 1e9)}B" if number else "no"


def budget_name(work: float) -> str:
    """A budget in a legend: only its FLOP, where the control also names a model trained with as much."""
    return next(words for words, value in BUDGETS.items() if value == work).partition(",")[0]


def in_words(factor: float) -> str:
    """A size relative to the best one."""
    if factor == 1:
        return "the best size"
    return f"{factor:g} times the best size" if factor > 1 else f"{percent(factor)} of the best size"


CONTROLS = {
    "size": slider("parameters", (0.1, 0.2, 0.25, 0.35, 0.5, 0.7, 1, 1.5, 2, 3, 5, 9), start=in_words(0.5), words=in_words ),
    "served": slider("served tokens", (0, 1e11, 3e11, 1e12, 3e12, 1e13, 3e13), start="none", words=lambda tokens: counted(tokens) if tokens else "none"),
    "work": buttons("training budget", BUDGETS, start="10²³ FLOP"),
}  # fmt: skip


def loss_at(size: float, work: float) -> float:
    """The predicted loss of a model of this size, trained with a compute budget."""
    return predicted_loss(parameters=size, tokens=work / 6 / size, fit=FIT)


def valley(best: float, work: float) -> list[tuple[float, float]]:
    """Return the loss against billions of parameters for one budget, around its best size."""
    return points(lambda at: loss_at(at * 1e9, work), spread(0.1 * best / 1e9, 9 * best / 1e9, 48))


def valleys(size: float, work: float) -> dict[str, Any]:
    """Loss against parameters for the chosen budget and those of the still, with their minima."""
    colours = {work: "purple", **COLOURS}
    lines, lowest = [], []
    for budget in sorted(colours):
        best = optimal_parameters(work_flop=budget, fit=FIT)
        name, curve = budget_name(budget), valley(best, budget)
        lines.append({"name": name, "colour": colours[budget], "dashed": budget != work, "points": curve})
        lowest.append((best / 1e9, loss_at(best, budget)))
    return {
        "drawing": "lines",
        "title": f"Predicted loss against parameters for {len(lines)} compute budgets, with a model of {counted(size)} parameters",
        "x": {"label": "parameters N; training tokens are FLOP / (6 N)", "low": 0.25, "high": 9000, "log": True,
              "ticks": [(1.0, "1B"), (10.0, "10B"), (100.0, "100B"), (1000.0, "1T")]},
        "y": {"label": "predicted loss, nats per token", "low": 1.8, "high": 2.5},
        "lines": [*lines, {"name": "minima", "colour": "grey", "dots": True, "points": lowest}],
        "marks": [{"x": size / 1e9, "y": loss_at(size, work), "text": counted(size), "colour": colours[work]}],
    }  # fmt: skip


def lives(sizes: dict[str, float], *, loss: float, least: float, served: float, work: float) -> dict[str, Any]:
    """FLOP of training to a given loss and of serving, for models large enough to reach that loss."""
    unit = 10.0 ** floor(log10(work))
    rows = []
    for name, size in sizes.items():
        row: dict[str, Any] = {"name": f"{name}, {counted(size)}", "text": "cannot reach this loss", "parts": []}
        if size > least:
            life = {"parameters": size, "training_tokens": tokens_for_loss(parameters=size, loss=loss, fit=FIT)}
            trained, whole = (lifetime_flop(**life, served_tokens=tokens) / unit for tokens in (0, served))
            parts = {"training": trained, "serving": whole - trained} if served else {"training": trained}
            row["parts"] = [{"kind": kind, "size": flop, "text": written(flop)} for kind, flop in parts.items()]
            row["text"] = written(whole)
        rows.append(row)
    return {
        "drawing": "bars",
        "title": f"Lifetime FLOP of three models that reach the minimum's loss, with {counted(served)} tokens served",
        "axis": {"label": f"lifetime FLOP, {raised(10, round(log10(unit)))}"},
        "kinds": {
            "training": {"name": "training to the minimum's loss", "colour": "blue"},
            "serving": {"name": f"serving {counted(served)} tokens", "colour": "orange"},
        },
        "rows": rows,
    }  # fmt: skip


def show(*, size: float, served: float, work: float) -> dict[str, Any]:
    """A model size on the loss curves, and its lifetime FLOP at the lowest loss, next to the best and the cheapest size."""
    best = optimal_parameters(work_flop=work, fit=FIT)
    yours, tokens = size * best, work / 6 / (size * best)
    loss, lowest = loss_at(yours, work), loss_at(best, work)
    sizes = {
        "best size": best,
        "your size": yours,
        "fewest FLOP": best_size(parameters=best, served_tokens=served, fit=FIT),
    }
    least = smallest_size_factor(fit=FIT) * best
    equal = equal_optimum_parameters(parameters=yours, tokens=tokens, fit=FIT)
    share = 6 * equal * balanced_tokens(parameters=equal, fit=FIT) / work
    price = "impossible with any number of tokens"
    if yours > least:
        price = f"{percent(compute_overhead(size_factor=size, fit=FIT))} more training FLOP"
    return {
        "panels": [valleys(yours, work), lives(sizes, loss=lowest, least=least, served=served, work=work)],
        "facts": [
            ("minimum", f"{counted(best)} on {counted(work / 6 / best)} tokens"),
            ("your size", f"{counted(yours)} on {counted(tokens)} tokens"),
            ("its tokens per parameter", f"{written(tokens / yours)}; {written(work / 6 / best / best)} at the minimum" if size != 1 else written(tokens / yours)),
            ("its loss", f"{loss:.3f}, {percent(loss / lowest - 1)} higher" if size != 1 else f"{loss:.3f}, the lowest"),
            ("compute-optimal model with that loss", f"{counted(equal)}, with {percent(share)} of the FLOP"),
            ("cost of the lowest loss with your size", price),
        ],
    }  # fmt: skip


def predict() -> dict[str, Any]:
    """How much higher the loss is at half the best size."""
    best = optimal_parameters(work_flop=1e23, fit=FIT)
    worse = loss_at(best / 2, 1e23) / loss_at(best, 1e23) - 1
    price = percent(compute_overhead(size_factor=0.5, fit=FIT))
    return {
        "ask": f"For 10²³ FLOP, the fit predicts that {counted(best)} parameters are best. A team spends the same FLOP on a model of half the size. "
        "How much higher is its predicted loss?",
        **choice(percent(float(f"{worse:.1g}")), ("0.3 %", "3 %", "12 %", "25 %", "50 %")),
        "why": "Half the parameters get twice the tokens. The second term of the fit rises, the third falls, and near the minimum "
        f"the two nearly cancel. To close the remaining gap, however, this size needs {price} more training FLOP.",
    }  # fmt: skip
