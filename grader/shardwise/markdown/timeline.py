"""Drawing of a timeline: as SVG with the text colour of the surrounding page, or as text for a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from shardwise.question import Bar, Timeline, TimelineRow

# Each has a contrast of at least 4:1 to white and to the #111111 of dark pages; the lessons' pictures use the first three.
COLOURS = {"blue": "#2a7fbe", "orange": "#cf5b00", "green": "#008a64", "wrong": "#d93a4a"}
_GREY = "#777b80"
_ROW, _BAR, _TOP, _BOTTOM = 30, 24, 20, 20  # heights
_CHARACTER = 6.4  # width of a character of 11 pixels, the widest digits and letters
_NARROWEST, _WIDEST = 13, 36  # width of a slot with upright labels
_SMALL, _SIDEWAYS = 5.8, 10  # width of a character in a rotated label, and of the narrowest bar for one
_LEGEND = 90  # width of an entry of the legend
_ROOM = 684  # width of a picture on a page
_LONGEST_LINE = 99  # characters that fit in a line of a notebook's column


def as_svg(timeline: Timeline) -> str:
    """Return the timeline as SVG, which shrinks slightly on a narrow page and scrolls on a narrower one."""
    left, slots = round(max(len(row.label) for row in timeline.rows) * _CHARACTER) + 12, _slots(timeline)
    slot, bottom = _slot(timeline, (_ROOM - left - 12) // slots), 4 if timeline.mark is None else _BOTTOM
    below = _TOP + _ROW * len(timeline.rows)
    legend = list(_legend(timeline, left, below + bottom))
    width = max(left + slot * slots + 12, left + _LEGEND * len(legend))
    height = below + bottom + (_BOTTOM if legend else 0)
    parts = [*_ticks(timeline, slot, left, below), *legend]
    for place, row in enumerate(timeline.rows):
        parts += _drawn(row, timeline.end, slot, left, _TOP + place * _ROW)
    if timeline.mark is not None:
        parts += _marked(timeline.mark, left + slot * timeline.mark, below + bottom)
    return (
        '<div class="shardwise-picture" tabindex="0" role="group" aria-label="Timeline" style="overflow-x:auto;max-width:100%;margin:.6em 0">'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(timeline.about)}" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="display:block;max-width:100%;min-width:{width * 5 // 6}px;height:auto" font-family="system-ui,sans-serif" font-size="11" fill="currentColor">'
        f"{''.join(parts)}</svg></div>"
    )


def _slots(timeline: Timeline) -> int:
    return max(timeline.end, timeline.mark or 0, 1)


def _slot(timeline: Timeline, room: int) -> int:
    """Return the width of a slot: every label fits in its bar, upright or, if there is no room for that, rotated."""
    bars = [bar for row in timeline.rows for bar in row.bars]
    upright = min(_WIDEST, max([_NARROWEST, *(_upright(bar) / (bar.end - bar.start) for bar in bars)]))
    sideways = max((min(_upright(bar), _sideways(bar)) / (bar.end - bar.start) for bar in bars), default=1)
    return max(1, round(min(upright, max(room, math.ceil(sideways)))))


def _upright(bar: Bar) -> float:
    """Return the width that a bar needs for its label."""
    return len(bar.label) * _CHARACTER + 5


def _sideways(bar: Bar) -> float:
    """Return the width that a bar needs for its rotated label; a label that is too long does not fit."""
    return _SIDEWAYS if len(bar.label) * _SMALL <= _BAR else math.inf


def _ticks(timeline: Timeline, slot: int, left: int, below: int) -> Iterator[str]:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if step * slot >= 40)
    for time in range(0, timeline.end + 1, step):
        x = left + slot * time
        yield (
            f'<path d="M{x} {_TOP - 4}V{below}" stroke="{_GREY}" stroke-opacity=".35"/>'
            f'<text x="{x}" y="{_TOP - 8}" text-anchor="middle">{time}</text>'
        )


def _drawn(row: TimelineRow, end: int, slot: int, left: int, top: int) -> Iterator[str]:
    """Yield a row: its label, its bars, and slanted lines for idle slots."""
    yield f'<text x="0" y="{top + 17}">{escape(row.label)}</text>'
    idle = [(left + slot * time, slot) for time in _idle(row, end)]
    if idle:
        yield _hatched(idle, top)
    for bar in row.bars:
        colour, x, width = COLOURS[bar.look], left + slot * bar.start, slot * (bar.end - bar.start)
        border = 'stroke-width="2.5" stroke-dasharray="4 2"' if bar.look == "wrong" else 'stroke-width="1.2"'
        yield (
            f'<g>{f"<title>{escape(bar.why)}</title>" if bar.why else ""}<rect x="{x + 1}" y="{top}" width="{width - 2}" height="{_BAR}" rx="3" fill="{colour}" fill-opacity=".25" stroke="{colour}" {border}/>'
            f"<text {_placed(bar, x + width / 2, top + _BAR / 2, width)}>{escape(bar.label)}</text></g>"
        )


def _hatched(places: Iterable[tuple[int, int]], top: int) -> str:
    """Return the hatching of idle slots as SVG: diagonal lines in boxes, each given by its left edge and its width."""
    slants = "".join(f"M{x + 2} {top + _BAR - 2}l{width - 4} {4 - _BAR}" for x, width in places)
    return f'<path d="{slants}" stroke="{_GREY}" stroke-opacity=".8" fill="none"/>'


def _legend(timeline: Timeline, left: int, top: int) -> Iterator[str]:
    """Yield what hatching and a dashed outline mean, if the timeline has any."""
    looks = {
        "idle": any(_idle(row, timeline.end) for row in timeline.rows),
        "violation": any(bar.look == "wrong" for row in timeline.rows for bar in row.bars),
    }
    for place, name in enumerate(name for name, is_there in looks.items() if is_there):
        x = left + _LEGEND * place
        box = (
            f'<path d="{"".join(f"M{x + 2 + step} {top + 14}l4 -12" for step in (0, 5, 10))}" stroke="{_GREY}" fill="none"/>'
            if name == "idle"
            else f'<rect x="{x + 1}" y="{top + 2}" width="16" height="12" rx="3" fill="none" stroke="{COLOURS["wrong"]}" stroke-width="2" stroke-dasharray="4 2"/>'
        )
        yield f'{box}<text x="{x + 24}" y="{top + 12}">{name}</text>'


def _placed(bar: Bar, x: float, y: float, width: int) -> str:
    """Return the position of a label: upright in the middle of its bar, or rotated if the bar is too narrow."""
    if _sideways(bar) <= width < len(bar.label) * _CHARACTER:
        return f'x="{x:g}" y="{y + 3.5:g}" text-anchor="middle" font-size="10" transform="rotate(-90 {x:g} {y:g})"'
    return f'x="{x:g}" y="{y + 4:g}" text-anchor="middle"'


def _idle(row: TimelineRow, end: int) -> list[int]:
    """Return the slots of a row that no bar covers."""
    busy = {time for bar in row.bars for time in range(bar.start, bar.end)}
    return [time for time in range(end) if time not in busy]


def _marked(mark: int, x: int, height: int) -> Iterator[str]:
    yield (
        f'<path d="M{x} {_TOP - 4}V{height - _BOTTOM + 4}" stroke="{COLOURS["wrong"]}" stroke-width="2" stroke-dasharray="3 3"/>'
        f'<text x="{x + 4}" y="{height - 4}" text-anchor="end">target {mark}</text>'
    )


def as_text(timeline: Timeline, width: int = _LONGEST_LINE) -> str:
    """Return the timeline as text with a cell for each slot, split into parts if it is wider than `width`.

    >>> from shardwise.question import Bar, Timeline, TimelineRow
    >>> bars = (Bar(start=1, end=2, label="F1", look="blue"), Bar(start=2, end=4, label="B1", look="orange"))

    >>> print(as_text(Timeline(about="", rows=(TimelineRow(label="stage 2", bars=bars),), end=4)))
             0           4
    stage 2  ·  F1 B1───
    """
    bars = [bar for row in timeline.rows for bar in row.bars]
    cell = max((math.ceil((len(_named(bar)) + 1) / (bar.end - bar.start)) for bar in bars), default=2)
    left = max(len(row.label) for row in timeline.rows) + 2
    lines = [_times(timeline.end, cell, left), *(_typed(row, timeline.end, cell, left) for row in timeline.rows)]
    slots = max((width - left) // cell // 5 * 5, 5)
    return "\n\n".join(
        "\n".join((line[:left] + line[left + cell * first : left + cell * (first + slots)]).rstrip() for line in lines)
        for first in range(0, timeline.end, slots)
    )


def as_block(timeline: Timeline, looks: Mapping[str, str]) -> str:
    """Return the timeline as a block of Markdown that `of_block` reads; `looks` are those of bars by their first letter."""
    palette = " ".join(f"{letter}={look}" for letter, look in looks.items())
    return f"```timeline end={timeline.end} {palette}\n{as_text(timeline)}\n```"


def of_block(info: str, text: str) -> Timeline:
    """Return the timeline of a block of Markdown: its first line without the backticks, and the drawing in it.

    >>> drawing = "         0           4\\nstage 2  ·  F1 B1───"
    >>> timeline = of_block("timeline end=5 F=blue B=orange", drawing)
    >>> [(bar.start, bar.end, bar.label, bar.look) for bar in timeline.rows[0].bars]
    [(1, 2, 'F1', 'blue'), (2, 4, 'B1', 'orange')]
    >>> timeline.end
    5
    """
    looks = dict(pair.split("=") for pair in info.split()[1:])
    end = int(looks.pop("end", ""))  # the header does not always have room for it
    parts = [part.split("\n") for part in text.rstrip().split("\n\n")]
    head = parts[0][0]
    left = head.index("0")
    times = [(int(found[0]), found.start()) for found in re.finditer(r"\d+", head)]
    cell = (times[1][1] - left) // times[1][0]
    starts = [left + cell * int(part[0].split()[0]) for part in parts]
    rows = []
    for place, first in enumerate(parts[0][1:], start=1):
        line = ""
        for start, part in zip(starts, parts, strict=True):
            line = line.ljust(start - left) + part[place][left:]
        rows.append(TimelineRow(label=first[:left].rstrip(), bars=tuple(_bars(line, cell, looks))))
    about = "; ".join(f"{row.label}: {', '.join(bar.label for bar in row.bars)}" for row in rows)
    return Timeline(about=about, rows=tuple(rows), end=end)


def _bars(line: str, cell: int, looks: Mapping[str, str]) -> Iterator[Bar]:
    """Yield the bars of a row of the drawing: each ends with a space, like each idle slot."""
    for found in re.finditer(r"[^\s·]+", line):
        start, end = found.start() // cell, -(-(found.end() + 1) // cell)
        label = found[0].rstrip("─")
        yield Bar(start=start, end=end, label=label, look=looks.get(label[:1], "blue"))


def _named(bar: Bar) -> str:
    """Return a bar's label, with an exclamation mark for an error, because the text has no colours."""
    return bar.label + ("!" if bar.look == "wrong" and not bar.label.endswith("?") else "")


def _times(end: int, cell: int, left: int) -> str:
    line = " " * left
    for time in sorted({*range(0, end, 5), end}):
        place = left + cell * time
        if len(line) < place or time == 0:
            line = line.ljust(place) + str(time)
    return line


def _typed(row: TimelineRow, end: int, cell: int, left: int) -> str:
    line, time = row.label.ljust(left), 0
    for bar in row.bars:
        width = cell * (bar.end - bar.start)
        line += "·".ljust(cell) * (bar.start - time) + _named(bar).ljust(width - 1, "─").ljust(width)
        time = bar.end
    return line + "·".ljust(cell) * (end - time)
