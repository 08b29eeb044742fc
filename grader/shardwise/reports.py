"""Reports of a batch: a table, JSON lines, a page for each student, JUnit for CI and Gradescope's file."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from shardwise import __version__
from shardwise.feedback import LOOKS, as_html, as_markdown, as_plain
from shardwise.grading import Graded
from shardwise.markup import to_html
from shardwise.question import Outcome


def write(results: Sequence[Graded], out: Path) -> None:
    """Write grades.csv and results.jsonl into `out`. The pages were written one by one, as `grade` finished each."""
    out.mkdir(parents=True, exist_ok=True)
    _write_csv(results, out / "grades.csv")
    with (out / "results.jsonl").open("w", encoding="utf-8") as file:
        for one in results:
            file.write(json.dumps(as_dict(one), ensure_ascii=False, sort_keys=True) + "\n")
    for one in results:
        if one.status != "graded":  # a page of an earlier run, or of a notebook that turned out to be one of two
            page_of(one, out / "feedback").unlink(missing_ok=True)


def write_page(one: Graded, pages: Path, *, solutions: bool = False) -> None:
    """Write the feedback page of one graded submission into the folder `pages`."""
    if one.status == "graded":
        pages.mkdir(parents=True, exist_ok=True)
        page_of(one, pages).write_text(page(one, solutions=solutions), "utf-8")


def page_of(one: Graded, pages: Path) -> Path:
    """Where a student's page lies."""
    return pages / f"{re.sub(r'[^A-Za-z0-9._@-]', '_', one.student)}.html"


def as_dict(one: Graded) -> dict[str, Any]:
    """One result as plain data; without keys, for it may be handed on."""
    return {
        "path": one.path,
        "student": one.student,
        "name": one.name,
        "set": one.set,
        "status": one.status,
        "reason": one.reason,
        "points": one.points,
        "max_points": one.max_points,
        "late": one.late,
        "notes": list(one.notes),
        "tier": one.tier,
        "version": __version__,
        "questions": [
            {
                **feedback.model_dump(mode="json"),
                "kind": question.kind,
                "seed": question.seed,
                "digest": question.digest,
            }
            for question, feedback in zip(one.questions, one.feedback, strict=True)
        ],
    }


def _write_csv(results: Sequence[Graded], path: Path) -> None:
    names = list(dict.fromkeys(question.slug for one in results for question in one.questions))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(
            ["student", "name", "set", "status", "points", "max_points", "late", *names, "reason", "notebook"]
        )
        for one in results:
            earned = {
                question.slug: f"{feedback.points:g}" if feedback.outcome != Outcome.BROKEN else ""
                for question, feedback in zip(one.questions, one.feedback, strict=True)
            }
            points = "" if one.points is None else f"{one.points:g}"
            row = [one.student, one.name, one.set, one.status, points, f"{one.max_points:g}" if one.questions else "",
                   "yes" if one.late else "", *(earned.get(name, "") for name in names), one.reason, one.path]  # fmt: skip
            table.writerow([_cell(value) for value in row])


def _cell(value: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ one.set }}: {{ one.name or one.student }}</title>
<style>
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Liberation Sans", sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .3rem; }
.total { font-size: 1.15rem; margin: .3rem 0 1.2rem; } .quiet { color: #57606a; }
table { border-collapse: collapse; } td, th { padding: .25rem .7rem; border-bottom: 1px solid #d0d7de; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
details { margin: .4rem 0; } summary { cursor: pointer; color: #0b5cad; }
pre { background: #f6f8fa; padding: .7rem; overflow-x: auto; border-radius: 6px; } code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .92em; }
.note { background: #fff8c5; padding: .4rem .8rem; border-radius: 6px; }
</style></head><body><main>
<h1>{{ one.name or one.student }}</h1>
<p class="total">{{ one.set }}: <strong>{% if one.points is none %}not fully graded yet{% else %}{{ "%g"|format(one.points) }}{% endif %}</strong>
of {{ "%g"|format(one.max_points) }} points{% if one.late %} <span class="quiet">(handed in late)</span>{% endif %}</p>
<table><thead><tr><th>question</th><th>result</th><th>points</th></tr></thead><tbody>
{% for row in rows %}<tr><td><a href="#{{ row.slug }}">{{ loop.index }}. {{ row.title }}</a></td>
<td style="color:{{ row.colour }}">{{ row.mark }} {{ row.word }}</td>
<td class="number">{{ row.points }} / {{ row.max_points }}</td></tr>
{% endfor %}</tbody></table>
{% for note in one.notes %}<p class="note">{{ note }}</p>{% endfor %}
{% for row in rows %}<section id="{{ row.slug }}"><h2>{{ loop.index }}. {{ row.title }}</h2>
{{ row.feedback }}
<details><summary>the question</summary>{{ row.prompt }}</details>
{% if row.solution %}<details><summary>the worked solution</summary>{{ row.solution }}</details>{% endif %}
</section>
{% endfor %}
<p class="quiet">Marked by shardwise {{ version }}. An answer that could not be read is not wrong; talk to your instructor.</p>
</main></body></html>
"""


@cache
def _template() -> jinja2.Template:
    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(_PAGE)


def page(one: Graded, *, solutions: bool) -> str:
    """A student's feedback page: no script, nothing loaded from elsewhere, everything of theirs escaped."""
    from markupsafe import Markup

    rows = []
    for question, feedback in zip(one.questions, one.feedback, strict=True):
        mark, word, colour = LOOKS[feedback.outcome]
        rows.append({
            "slug": question.slug, "title": question.title, "mark": mark, "word": word, "colour": colour,
            "points": f"{feedback.points:g}", "max_points": f"{question.points:g}",
            "feedback": Markup(as_html(feedback)), "prompt": Markup(to_html(question.prompt)),
            "solution": Markup(to_html(question.solution)) if solutions else "",
        })  # fmt: skip
    return _template().render(one=one, rows=rows, version=__version__)


def write_junit(results: Sequence[Graded], path: Path) -> None:
    """JUnit XML: a suite a submission, a case a question; what could not be graded is an error, not a failure."""
    from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

    xml = JUnitXml("shardwise")
    for one in results:
        suite = TestSuite(f"{one.set}.{one.student}" if one.set else one.student)
        if one.status != "graded":
            case = TestCase(one.path or one.student, classname=one.set or "shardwise", time=0)
            case.result = [Error(_xml_text(one.reason), one.status)]
            suite.add_testcase(case)
        for question, feedback in zip(one.questions, one.feedback, strict=True):
            case = TestCase(question.slug, classname=f"{one.set}.{one.student}", time=0)
            if feedback.outcome == Outcome.BROKEN:
                case.result = [Error(_xml_text(as_plain(feedback)), "broken")]
            elif feedback.outcome != Outcome.CORRECT:
                case.result = [Failure(_xml_text(as_plain(feedback)), str(feedback.outcome))]
            suite.add_testcase(case)
        xml.add_testsuite(suite)
    xml.update_statistics()
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.write(str(path), pretty=True)


def _xml_text(text: str) -> str:
    """Text without the control characters that XML 1.0 cannot hold."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)


def gradescope(one: Graded) -> dict[str, Any]:
    """One result in the form that Gradescope reads from results.json."""
    if one.status != "graded":
        return {"output": f"Not graded: {one.reason}", "output_format": "text", "tests": []}
    return {
        "output": "\n\n".join(one.notes),
        "output_format": "text",
        "test_output_format": "md",
        "visibility": "visible",
        "extra_data": {"version": __version__, "tier": one.tier, "set": one.set, "student": one.student},
        "tests": [
            {
                "name": question.title,
                "number": str(number),
                "score": feedback.points,
                "max_score": question.points,
                "status": "passed" if feedback.outcome == Outcome.CORRECT else "failed",
                "output": as_markdown(feedback),
                "output_format": "md",
                "tags": [question.kind],
                "visibility": "visible",
            }
            for number, (question, feedback) in enumerate(zip(one.questions, one.feedback, strict=True), start=1)
        ],
    }
