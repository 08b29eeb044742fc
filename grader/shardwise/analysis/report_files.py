"""The files of a report: a page without scripts, a table with one row per item, the matches, and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from shardwise.atomic_files import write_file
from shardwise.kinds.quantity.slips.words import words
from shardwise.markdown.escaping import spreadsheet_cell
from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain

PAGE, TABLE, DOCUMENT, MATCHES = "report.html", "report.csv", "report.json", "matches.csv"
_WIDTH, _HEIGHT, _TOP, _BOTTOM = 360, 190, 20, 30  # of the histogram

_COLUMNS = (
    "item", "title", "kind", "points", "n", "facility", "facility_error", "discrimination", "discrimination_low",
    "discrimination_high", "discrimination_n", "blank", "unreadable",
)  # fmt: skip
_FAIRNESS = ("gap", "rho", "p", "p_corrected", "easiest_third", "hardest_third")


def write_report(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write the files of a report so that only their owner can read them, and return their paths."""
    texts = {
        PAGE: report_page(report),
        TABLE: _items_csv(report),
        DOCUMENT: json.dumps(report, ensure_ascii=False, indent=1) + "\n",
    }
    if report["simulated"] is None:
        texts[MATCHES] = _matches_csv(report)
    for name, text in texts.items():
        write_file(folder / name, text.encode(), private=True)
    return [folder / name for name in texts]


def report_page(report: Mapping[str, Any]) -> str:
    """Return the page of a report."""
    items = report["items"]
    return _page_template().render(
        **{name: value for name, value in report.items() if name != "students"},
        counts=report["students"],
        histogram=Markup(_histogram(report["scores"]["histogram"])),
        flagged=sorted(((item, flag) for item in items for flag in item["flags"]), key=lambda pair: pair[1]["rank"]),
        tested=[item for item in items if item["fairness"]],
    )


@cache
def _page_template() -> jinja2.Template:
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {
        "markdown": lambda text: Markup(to_html(text)),
        "plain": to_plain,
        "chance": _chance,
        "words": lambda name, whole=False: words(name) if whole else words(name).removeprefix("the "),
    }
    environment.globals["most"] = lambda rows: max(row["students"] for row in rows)
    return environment.from_string(files(__package__).joinpath("report.html").read_text("utf-8"))


def _chance(chance: float) -> str:
    """Return a small probability in words.

    >>> _chance(0.012), _chance(3e-8)
    ('1 in 83', 'below 1 in a million')
    """
    return "below 1 in a million" if chance < 1e-6 else f"1 in {round(1 / chance):,}"


def _histogram(bins: Sequence[Mapping[str, Any]]) -> str:
    """Return a histogram of the scores as SVG, with its numbers as text for screen readers."""
    most = max((each["students"] for each in bins), default=0) or 1
    width, room = _WIDTH / len(bins), _HEIGHT - _TOP - _BOTTOM
    counts = "; ".join(f"{100 * each['from']:.0f} to {100 * each['to']:.0f} %: {each['students']}" for each in bins)
    drawn = [
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Number of students by score. {escape(counts)}">'
    ]
    for place, each in enumerate(bins):
        tall = room * each["students"] / most
        x, y = place * width, _TOP + room - tall
        drawn.append(
            f'<rect x="{x + 2:.1f}" y="{y:.1f}" width="{width - 4:.1f}" height="{tall:.1f}" rx="2" style="fill: var(--fill)"/>'
        )
        if each["students"]:
            drawn.append(
                f'<text class="count" x="{x + width / 2:.1f}" y="{y - 5:.1f}" text-anchor="middle">{each["students"]}</text>'
            )
    base = _TOP + room
    drawn.append(f'<line x1="0" x2="{_WIDTH}" y1="{base + 0.5}" y2="{base + 0.5}" style="stroke: var(--edge)"/>')
    for tick in (0, 20, 40, 60, 80, 100):
        anchor = {0: "start", 100: "end"}.get(tick, "middle")
        drawn.append(f'<text x="{_WIDTH * tick / 100:.1f}" y="{base + 16}" text-anchor="{anchor}">{tick} %</text>')
    return "".join([*drawn, "</svg>"])


def _table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO(newline="")
    written = csv.writer(text, quoting=csv.QUOTE_ALL)
    written.writerow(head)
    written.writerows([_written(value) for value in row] for row in rows)
    return text.getvalue()


def _written(value: Any) -> str:
    return spreadsheet_cell(value) if isinstance(value, str) else "" if value is None else f"{value:g}"


def _items_csv(report: Mapping[str, Any]) -> str:
    head = [*_COLUMNS, "most_frequent_mistake", *(f"fairness_{name}" for name in _FAIRNESS), "flags"]
    return _table(head, map(_item_row, report["items"]))


def _item_row(item: Mapping[str, Any]) -> list[Any]:
    mistake = item["mistakes"][0]["text"] if item["mistakes"] else ""
    fair = item["fairness"] or {}
    return [
        *(item[name] for name in _COLUMNS),
        mistake,
        *(fair.get(name) for name in _FAIRNESS),
        " ".join(flag["text"] for flag in item["flags"]),
    ]


def _matches_csv(report: Mapping[str, Any]) -> str:
    head = (
        "student", "name", "other", "other_name", "item", "answer", "key_of_other", "chance_of_match", "matches_of_pair",
        "compared", "chance_of_pair", "chance_corrected",
    )  # fmt: skip
    rows = (
        [pair["student"], pair["student_name"], pair["other"], pair["other_name"], each["item"], each["answer"], each["key"], each["chance"],
         len(pair["matches"]), pair["compared"], pair["chance"], pair["corrected"]]
        for pair in report["matches"]["pairs"] for each in pair["matches"]
    )  # fmt: skip
    return _table(head, rows)
