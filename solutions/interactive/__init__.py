"""Interactive figures, one module each: what they show at each setting of their controls, computed by references and oracles.

Each module has these names:

- `CHAPTER`, `STILL`, `TITLE`: its chapter, the figure of the lesson that replaces it on paper, and its title.
- `CONTROLS`: a `slider` or `buttons` for each argument of `show`.
- `PLAYS`: the control that Play moves, where `show` returns no frames.
- `show(...)`: panels (a drawing and its data) and facts (name and value). A figure that plays in time also has frames, each with
  its changes to the panels and facts. The last frame is seen first, or the one at `starts_at`.
- `predict()`: a question to answer before seeing the figure: choices or a unit, the answer, and why.

All of it is plain data, drawn by `desk/src/draw/`, where the fields of each drawing are described.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from math import log10
from typing import Any

from ..shapes import models


def slider(
    label: str, values: Iterable[Any] | Mapping[str, Any], *, start: str, words: Callable[[Any], str] = str
) -> dict[str, Any]:
    """Return a slider: its options, by the text that a student reads, and its initial value."""
    options = dict(values) if isinstance(values, Mapping) else {words(value): value for value in values}
    return {"label": label, "options": options, "start": start}


def buttons(
    label: str, values: Iterable[Any] | Mapping[str, Any], *, start: str, words: Callable[[Any], str] = str
) -> dict[str, Any]:
    """Return a control that shows all of its options side by side."""
    return {**slider(label, values, start=start, words=words), "as": "choice"}


def frames_until(end: float, count: int, panels: int = 1) -> list[dict[str, Any]]:
    """Return frames in which time passes in the first of `panels` panels; the last frame shows all of it."""
    others: list[dict[str, Any]] = [{} for _ in range(panels - 1)]
    moving = [{"panels": [{"now": short(end * place / count)}, *others]} for place in range(1, count)]
    return [*moving, {"panels": [{}, *others]}]


def span(row: int, kind: str, begun: float | Fraction, ended: float | Fraction, **more: Any) -> dict[str, Any]:
    """Return a bar of a timeline."""
    return {"row": row, "kind": kind, "from": short(begun), "to": short(ended), **more}


def layer_shape(model: str) -> dict[str, int]:
    """Return what the weights and activations of a dense layer depend on."""
    return {name: getattr(models, name)(model=model) for name in ("hidden", "ffn_hidden", "heads", "kv_heads")}


def spread(low: float, high: float, count: int) -> list[float]:
    """Values from `low` to `high`, evenly spaced on a logarithmic scale."""
    return [low * (high / low) ** (place / (count - 1)) for place in range(count)]


def short(value: float | Fraction) -> float:
    """A coordinate, rounded to the digits that a drawing can show."""
    return float(f"{float(value):.6g}")


def points(of: Callable[[float], float], at: Iterable[float]) -> list[tuple[float, float]]:
    """A curve as points."""
    return [(short(x), short(of(x))) for x in at]


def powers(low: float, high: float) -> list[tuple[float, str]]:
    """Ticks of a logarithmic axis with their labels: every power of 10, or every second one where there are many.

    >>> powers(0.1, 10)
    [(0.1, '0.1'), (1.0, '1'), (10.0, '10')]
    """
    first, last = round(log10(low)), round(log10(high))
    step = 1 if last - first <= 5 else 2
    return [(10.0**power, f"{10.0**power:,.12g}") for power in range(first, last + 1, step)]


def written(value: float) -> str:
    """A number with three significant digits, as a student reads it.

    >>> written(31.6196), written(0.0123456), written(16384)
    ('31.6', '0.0123', '16,400')
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if abs(rounded) >= 100 else f"{rounded:.12g}"


def in_bytes(value: float) -> str:
    """Bytes in words.

    >>> in_bytes(1.5e9), in_bytes(10e3)
    ('1.5 GB', '10 kB')
    """
    for size, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= size:
            return f"{written(value / size)} {unit}"
    return f"{written(value)} bytes"


def in_time(seconds: float) -> str:
    """A time in words.

    >>> in_time(632e-3), in_time(5e-6), in_time(1156), in_time(11140)
    ('632 ms', '5 µs', '19.3 min', '3.09 h')
    """
    for size, unit in ((86400 * 3, "days"), (2 * 3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            length = {"days": 86400, "h": 3600, "min": 60}.get(unit, size)
            return f"{written(seconds / length)} {unit}"
    return f"{written(seconds * 1e9)} ns"


def raised(base: int, power: int) -> str:
    """A power with a superscript exponent.

    >>> raised(2, 16), raised(10, 23)
    ('2¹⁶', '10²³')
    """
    return str(base) + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def percent(share: float) -> str:
    """A share as a percentage.

    >>> percent(0.0857)
    '8.57 %'
    """
    return f"{written(100 * share)} %"


def choice(answer: str, choices: Iterable[str]) -> dict[str, Any]:
    """The choices of a prediction, and the index of the right one.

    Raises ValueError when the answer is not among the choices.
    """
    listed = list(choices)
    return {"choices": listed, "answer": listed.index(answer)}
