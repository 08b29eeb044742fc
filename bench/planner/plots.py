"""The plots of docs/planner.md: predicted against reported values, readable on light and dark backgrounds."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from solutions.figures import BLUE, GREEN, GREY, ORANGE
from solutions.figures.__main__ import STYLE

from .predictions import GB, Predictor, Row

_GENERATIONS = (
    ("A100, A800, V100", ("A", "V"), ORANGE, "o"),
    ("H100, H200, H800", ("H",), BLUE, "s"),
    ("B200, B300, GB200, GB300", ("B", "G"), GREEN, "D"),
    ("TPUs", ("T",), GREY, "^"),
)


def plots(rows: Sequence[Row], predict: Predictor) -> dict[str, bytes]:
    """Return each plot as a PNG, by file name."""
    matplotlib.use("agg")
    with matplotlib.rc_context(STYLE):  # type: ignore[arg-type]
        return {
            "planner-step-time.png": _png(_step_time(rows, predict)),
            "planner-memory.png": _png(_memory(rows, predict)),
        }


def _step_time(rows: Sequence[Row], predict: Predictor) -> Figure:
    figure = Figure(figsize=(7.6, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True, sharey=True)
    for axis, mixtures, title in ((left, False, "dense"), (right, True, "mixtures of experts")):
        for label, initials, colour, marker in _GENERATIONS:
            points = [(row.step_s, predict(row).step_s) for row in rows
                      if row.shape.is_moe == mixtures and row.run.chip[0] in initials]  # fmt: skip
            known = [(printed, said) for printed, said in points if printed and said]
            axis.plot(*_columns(known), marker, color=colour, ms=4, alpha=0.9, mew=0, ls="", label=label)
        axis.set(
            xscale="log", yscale="log", xlim=(0.4, 2000), ylim=(0.4, 2000), xlabel="reported step time (s)", title=title
        )
        _band(axis, 0.4, 2000)
    left.set_ylabel("predicted step time (s)")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False, handletextpad=0.1)
    return figure


def _memory(rows: Sequence[Row], predict: Predictor) -> Figure:
    figure = Figure(figsize=(7.6, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 1.15))
    for kind, label, colour, marker in (
        ("nvidia-smi", "nvidia-smi", ORANGE, "o"),
        ("peak", "peak", BLUE, "s"),
        ("torch-gib", "PyTorch, reserved", GREEN, "D"),
        ("gpu-memory", "tool not reported", GREY, "^"),
    ):
        points = [((row.memory_bytes or 0) / GB, (predict(row).counted_bytes or 0) / GB) for row in rows
                  if (row.run.mem_kind or "").startswith(kind)]  # fmt: skip
        points = [point for point in points if point[1]]
        left.plot(*_columns(points), marker, color=colour, ms=4, alpha=0.9, mew=0, ls="", label=label)
    _band(left, 0, 105)
    left.set(xlim=(0, 105), ylim=(0, 105), xlabel="reported GB per GPU", ylabel="predicted GB per GPU", title="memory")
    left.legend(frameon=False, loc="upper left", handletextpad=0.1)
    for height, (fitted, colour) in enumerate(((True, BLUE), (False, ORANGE))):
        said = [predict(row) for row in rows if row.tests_fit and row.fitted == fitted]
        shares = sorted(each.memory_bytes / each.room_bytes for each in said if each.memory_bytes and each.room_bytes)
        spread = [height + 0.36 * (((7 * place) % 17) / 8 - 1) for place in range(len(shares))]
        right.plot(shares, spread, "o", color=colour, ms=3.5, alpha=0.9, mew=0)
    right.axvline(1, color=GREY, lw=1)
    right.set(xscale="log", xlabel="predicted memory / capacity", title="fits or not", yticks=(0, 1),
              yticklabels=("ran", "out of\nmemory"), ylim=(-0.6, 1.6))  # fmt: skip
    right.set_xticks((0.2, 0.5, 1, 2, 4), ("0.2", "0.5", "1", "2", "4"))
    right.minorticks_off()
    return figure


def _band(axis: Axes, low: float, high: float) -> None:
    axis.plot((low, high), (low, high), color=GREY, lw=1)
    for factor in (0.75, 1.25):
        axis.plot((low, high), (low * factor, high * factor), color=GREY, lw=0.7, ls=(0, (4, 3)))


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [point[0] for point in points], [point[1] for point in points]


def _png(figure: Figure) -> bytes:
    file = BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()
