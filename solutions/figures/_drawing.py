"""What the pictures share in drawing: figures, axes with their ticks, notes, marks and stacked bars."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

Limits = tuple[float | None, float | None]
Ticks = Mapping[float, str] | Sequence[float]


def chart(width: float, height: float) -> tuple[Figure, Axes]:
    """Start a figure of one chart, its size in inches."""
    figure = Figure(figsize=(width, height))
    return figure, figure.subplots()


def charts(width: float, height: float, rows: int, columns: int, **arranged: Any) -> tuple[Figure, Any]:
    """Start a figure of several charts, its size in inches."""
    figure = Figure(figsize=(width, height))
    return figure, figure.subplots(rows, columns, **arranged)


def x_axis(axis: Axes, label: str = "", limits: Limits | None = None, ticks: Ticks | None = None, **more: Any) -> None:
    """Name an x axis, bound it, and mark numbers on it, with words for each where they are a mapping.

    `log` is the base of a logarithmic axis; what else is given styles the words.
    """
    _scale(axis, "x", label, limits, ticks, **more)


def y_axis(axis: Axes, label: str = "", limits: Limits | None = None, ticks: Ticks | None = None, **more: Any) -> None:
    """Name a y axis, bound it, and mark numbers on it, as `x_axis` does."""
    _scale(axis, "y", label, limits, ticks, **more)


def _scale(
    axis: Axes, letter: str, label: str, limits: Limits | None, ticks: Ticks | None, *, log: int = 0, **style: Any
) -> None:
    if log:
        getattr(axis, f"set_{letter}scale")("log", base=log)
    if ticks is not None:
        words = list(ticks.values()) if isinstance(ticks, Mapping) else None
        getattr(axis, f"set_{letter}ticks")(list(ticks), words, **style)
        if getattr(axis, f"get_{letter}scale")() == "log":
            getattr(axis, f"{letter}axis").set_minor_locator(NullLocator())
    if limits:
        getattr(axis, f"set_{letter}lim")(*limits)
    if label:
        getattr(axis, f"set_{letter}label")(label)


def numbers(*values: float, unit: str = "") -> dict[float, str]:
    """Return ticks with a unit behind each.

    >>> numbers(1, 1000, unit=" GB")
    {1: '1 GB', 1000: '1,000 GB'}
    """
    return {value: f"{value:,.9g}{unit}" for value in values}


def percents(*shares: float) -> dict[float, str]:
    """Return ticks at shares, in per cent.

    >>> percents(0, 0.25)
    {0: '0 %', 0.25: '25 %'}
    """
    return {share: f"{100 * share:,.9g} %" for share in shares}


def kilos(*values: int) -> dict[float, str]:
    """Return ticks at these numbers, in units of 1,024 from 1,024 on.

    >>> kilos(512, 2048)
    {512: '512', 2048: '2K'}
    """
    return {value: str(value) if value < 1024 else f"{value // 1024}K" for value in values}


def halvings(low: int, high: int) -> dict[float, str]:
    """Return ticks at the powers of two between two exponents.

    >>> halvings(-1, 1)
    {0.5: '1/2', 1.0: '1', 2.0: '2'}
    """
    return {2.0**power: str(2**power) if power >= 0 else f"1/{2**-power}" for power in range(low, high + 1)}


def middles(names: Iterable[str]) -> dict[float, str]:
    """Return ticks in the middle of cells that are 1 wide.

    >>> middles("ab")
    {0.5: 'a', 1.5: 'b'}
    """
    return {place + 0.5: name for place, name in enumerate(names)}


def name_rows(axis: Axes, names: Iterable[str]) -> None:
    """Name horizontal bars from the top down."""
    listed = list(names)
    axis.set_yticks(range(len(listed)), listed)
    axis.invert_yaxis()
    axis.tick_params(axis="y", length=0)


def note(axis: Axes, text: str, at: tuple[float, float], by: tuple[float, float], colour: str, **style: Any) -> None:
    """Write next to a point, so many points of type to the right of it and above it."""
    axis.annotate(text, at, by, textcoords="offset points", color=colour, **style)


def write_in(axis: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Write in white in the middle of something filled."""
    axis.text(x, y, text, ha="center", va="center", color="white", **style)


def caption(on: Axes | Figure, x: float, y: float, text: str, colour: str, **style: Any) -> None:
    """Write in small type."""
    on.text(x, y, text, color=colour, fontsize=8, **style)


def mark(axis: Axes, x: Any, y: Any, colour: str, size: float = 4) -> None:
    """Mark a point or several, as those that an oracle found on the line of a reference."""
    axis.plot(x, y, "o", color=colour, ms=size)


def stack_rows(
    axis: Axes,
    names: Iterable[str],
    kinds: Iterable[tuple[str, str, Sequence[float]]],
    *,
    total: str,
    gap: float,
    part: str = "",
    height: float = 0.62,
) -> None:
    """Draw a bar for each name, stacked from kinds: label, colour, and a size for each bar.

    `total` is the format of what is written behind a bar, `gap` the distance to it, and `part` the format of what is written in a part.
    """
    name_rows(axis, names)
    ends = [0.0] * len(axis.get_yticks())
    for label, colour, sizes in kinds:
        axis.barh(range(len(ends)), sizes, left=ends, color=colour, height=height, label=label, edgecolor="none")
        for place, size in enumerate(sizes):
            if part and size:
                write_in(axis, ends[place] + size / 2, place, part.format(size))
            ends[place] += size
    for place, end in enumerate(ends):
        axis.text(end + gap, place, total.format(end), va="center")
