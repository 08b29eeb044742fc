"""The feedback page of a student: HTML without scripts, everything of theirs escaped."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import jinja2
from markupsafe import Markup

from shardwise.grading.results import Result
from shardwise.kinds import text_of
from shardwise.markdown.feedback import LOOKS, as_html
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Question

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ result.set }}: {{ result.name or result.student }}</title>
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
<h1>{{ result.name or result.student }}</h1>
<p class="total">{{ result.set }}: <strong>{% if result.points is none %}not fully graded yet{% else %}{{ "%g"|format(result.points) }}{% endif %}</strong>
of {{ "%g"|format(result.max_points) }} points{% if result.late %} <span class="quiet">(handed in late)</span>{% endif %}</p>
<table><thead><tr><th>question</th><th>result</th><th>points</th></tr></thead><tbody>
{% for number, slug, title, mark, word, colour, points, max_points, feedback, prompt, solution in rows %}<tr><td><a href="#{{ slug }}">{{ number }}. {{ title }}</a></td>
<td style="color:{{ colour }}">{{ mark }} {{ word }}</td>
<td class="number">{{ points }} / {{ max_points }}</td></tr>
{% endfor %}</tbody></table>
{% for note in result.notes %}<p class="note">{{ note }}</p>{% endfor %}
{% for number, slug, title, mark, word, colour, points, max_points, feedback, prompt, solution in rows %}<section id="{{ slug }}"><h2>{{ number }}. {{ title }}</h2>
{{ feedback }}
<details><summary>the question</summary>{{ prompt }}</details>
{% if solution %}<details><summary>the worked solution</summary>{{ solution }}</details>{% endif %}
</section>
{% endfor %}
<p class="quiet">Marked by shardwise {{ version }}. An answer that could not be read is not wrong; talk to your instructor.</p>
</main></body></html>
"""


@cache
def _template() -> jinja2.Template:
    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(_PAGE)


def file_of(set_name: str, student: str) -> str:
    """Where a student's page lies, below the folder of pages."""
    return "/".join(re.sub(r"[^A-Za-z0-9._@-]|^\.+", "_", name) or "_" for name in (set_name, f"{student}.html"))


def page(
    result: Result, questions: Sequence[Question], feedback: Sequence[Feedback], *, solutions: bool = False
) -> str:
    """A student's feedback page: no script, nothing loaded from elsewhere, everything of theirs escaped."""
    rows = []
    for number, (question, said) in enumerate(zip(questions, feedback, strict=True), start=1):
        mark, word, colour = LOOKS[said.outcome]
        rows.append((
            number, question.slug, question.title, mark, word, colour, f"{said.points:g}", f"{question.points:g}",
            Markup(as_html(said)), Markup(to_html(text_of(question))),
            Markup(to_html(question.solution)) if solutions else "",
        ))  # fmt: skip
    return _template().render(result=result, rows=rows, version=result.version)
