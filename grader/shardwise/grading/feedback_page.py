"""The feedback page of a student: HTML without scripts, with all of the student's text escaped."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files

import jinja2
from markupsafe import Markup, escape

from shardwise.course.assigning.dates import in_words
from shardwise.file_names import is_device
from shardwise.grading.results import Result
from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.markdown.escaping import printable
from shardwise.markdown.feedback import headline, judgement, picture
from shardwise.markdown.html import to_html
from shardwise.question import PRAISE, Feedback, Outcome, Question

# Markdown escapes the student's text, so these tags are ours.
_LISTING = re.compile(r'<pre><code(?: class="language-python")?>(.*?)</code></pre>', re.DOTALL)
_WIDE = re.compile(r'<(pre(?! class)|table|math(?=[^>]* display="block"))\b')
_BEFORE_CODE = re.compile(r" *(?:\d+  )? *")  # the line number, if any, and the indentation
_DEEPEST = 12  # characters; deeper code is not indented further, because a phone has room for about 36
_LONGEST_NAME = 100  # of a page's file, whose temporary name is longer; file systems allow 255 bytes
WITH_SOLUTIONS = "with solutions"  # a kind of page
LONGEST_SOURCE = 8_000  # characters of a student's code on the page


@dataclass(frozen=True)
class HandIn:
    """The submission itself, for its page: the set, the due date, and the source of each answer's cell."""

    title: str = ""
    due: datetime | None = None
    sources: Mapping[str, str] | None = None  # by the question's key


@cache
def _template() -> jinja2.Template:
    text = files(__package__).joinpath("feedback_page.html").read_text("utf-8")
    return jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined).from_string(text)


def file_of(set_name: str, student: str) -> str:
    """Return the path of a student's page, relative to the folder of pages."""
    return f"{_file_name(set_name)}/{_file_name(student)}.html"


def _file_name(name: str) -> str:
    """Return a valid file name. A name that is changed or cut gets a suffix, so that different names stay different."""
    plain = re.sub(r"[^A-Za-z0-9._@-]|^\.+", "_", name)[:_LONGEST_NAME] or "_"
    if plain == name and not is_device(name):
        return plain
    return f"{plain}-{sha256(name.encode(errors='replace')).hexdigest()[:8]}"


def page(
    result: Result,
    questions: Sequence[Question],
    feedback: Sequence[Feedback],
    *,
    handed_in: HandIn | None = None,
    solutions: bool = False,
) -> str:
    """Return a student's feedback page: no scripts, no external resources, and all of the student's text escaped."""
    handed_in = handed_in or HandIn()
    rows = [
        _row(number, question, said, (handed_in.sources or {}).get(question.cell, ""), solutions=solutions)
        for number, (question, said) in enumerate(zip(questions, feedback, strict=True), start=1)
    ]
    return _template().render(
        result=result,
        title=handed_in.title or result.set,
        due=in_words(handed_in.due) if handed_in.due else "",
        rows=rows,
        next=_practise_next(questions, feedback),
    )


def _row(number: int, question: Question, said: Feedback, source: str, *, solutions: bool) -> Mapping[str, object]:
    """Return the template's data for one question."""
    kind = kind_of(question)
    mark, word = judgement(said, final=True)
    say = said.say
    if said.outcome == Outcome.BLANK:  # hints on how to answer no longer help
        say = say.removesuffix(kind.instruction(question.form, question.variable)).strip()
    theirs = source.strip() not in ("", kind.cells(question.form, variable_of(question)).strip())
    return {
        "anchor": f"question-{number}",
        "heading": f"{number}. {question.title}",
        "outcome": str(said.outcome or "read"),
        "result": f"{mark} {word}",
        "headline": headline(said, final=True),
        "points": _points(said),
        "prompt": _html(text_of(question)),
        "source": Markup(_listing(str(escape(_shown(source))))) if theirs else "",
        "read": said.read[:500],
        "say": "" if say == PRAISE else _html(say),
        "picture": Markup(picture(said)),  # drawn from plain data with escaped texts
        "solution": _html(question.solution) if solutions else "",
    }


def _points(said: Feedback) -> str:
    """Return the points of an answer; a bonus has no maximum, and neither has a question that does not count."""
    if said.max_points:
        return f"{said.points:g} / {said.max_points:g}"
    return f"+{said.points:g}" if said.points else "–"


def _html(markdown: str) -> Markup:
    """Render Markdown as HTML that wraps code and makes every scrollable element reachable with the keyboard."""
    wrapped = _LISTING.sub(lambda found: _listing(found[1]), to_html(markdown))
    return Markup(_WIDE.sub(r'<\1 tabindex="0"', wrapped))


def _listing(escaped: str) -> str:
    """Return code whose long lines wrap with extra indentation, so that no line is cut off on a phone or on paper."""
    lines = "".join(f'<span style="--at:{_begins(line)}">{line}</span>' for line in escaped.splitlines(keepends=True))
    return f'<pre class="listing"><code>{lines}</code></pre>'


def _begins(line: str) -> int:
    """Return the column in which the code of a line begins."""
    found = _BEFORE_CODE.match(line)
    return min(len(found[0]) if found else 0, _DEEPEST)


def _shown(source: str) -> str:
    """Return a student's source, up to a readable length."""
    text = printable(source.strip("\n").expandtabs(4))
    more = len(text) - LONGEST_SOURCE
    return text if more <= 0 else f"{text[:LONGEST_SOURCE]}\n… ({more:,} more characters)"


def _practise_next(questions: Sequence[Question], feedback: Sequence[Feedback]) -> list[tuple[str, list[str]]]:
    """Return the chapters and problems that cost the student points, the most expensive first."""
    lost: dict[str, float] = defaultdict(float)
    problems: dict[str, list[str]] = defaultdict(list)
    for question, said in zip(questions, feedback, strict=True):
        if said.outcome not in (Outcome.CORRECT, Outcome.BROKEN):
            chapter = question.id.rpartition("/")[0]
            lost[chapter] += question.points - said.points
            problems[chapter].append(question.slug)
    return [(chapter, problems[chapter]) for chapter in sorted(lost, key=lambda name: -lost[name])]
