"""A student's text stays text wherever it is shown: on a page, in a notebook, in Gradescope's Markdown, or in a table."""

from __future__ import annotations

import csv
import io
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from checkout import TEMPLATES, posed, template
from shardwise.grading import reports
from shardwise.grading.outcome import Batch
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.results import Result
from shardwise.kinds import kind_of
from shardwise.kinds.calls import run_here
from shardwise.kinds.code.judging import failure_in_words
from shardwise.kinds.code.model import CodeForm, CodeKey
from shardwise.markdown.escaping import literal
from shardwise.markdown.feedback import as_html, as_markdown
from shardwise.markdown.plain import to_plain
from shardwise.marking import check
from shardwise.question import Feedback, Outcome, Question
from shardwise.sandbox import CallResult

LINK = "[Correct, 2 of 2 points](https://example.org/x)"
IMAGE = "<img src=x onerror=alert(1)>"
HOSTILE = (
    LINK, IMAGE, f"”{LINK}", f"”\n\n# Correct\n\n{LINK}\n\n{IMAGE}", f"“”`{LINK}`{IMAGE}", f"`` a `b`{LINK}`c`", f"<https://example.org/x>{LINK}",
    f"5 GB {LINK}", f"\\{LINK}", f"a\u2028\u2028{LINK}", f"&lt;img&#62; {IMAGE}", f"$$x$$ {LINK}", f"1\r\r{LINK}", f"[a]: https://example.org/x\n\n[a] {LINK}",
)  # fmt: skip


@cache
def asked(kind: str) -> Question:
    """Return a question of a kind, drawn once, because a hundred texts are tried on it."""
    return posed(template(kind))


class _Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.add(tag)


@cache
def tags(html: str) -> set[str]:
    return _Tags(html).found


GRADESCOPES = MarkdownIt("gfm-like", {"html": True, "linkify": False})


@cache
def tags_at_gradescope(markdown: str) -> set[str]:
    """Return the tags of Markdown that may contain HTML, cached because many answers get the same feedback."""
    return tags(GRADESCOPES.render(markdown))


def stays_text(feedback: Feedback) -> None:
    """It makes no link, picture or heading, neither in our Markdown nor in one that allows HTML, such as Gradescope's."""
    html, markdown = as_html(feedback), as_markdown(feedback)
    for shown, found in ((html, tags(html)), (markdown, tags_at_gradescope(markdown))):
        assert not found & {"a", "img", "h1", "h2", "script"}, shown


def shapes(question: Question, text: str) -> list[Any]:
    """Yield answers with a hostile text in every place."""
    called = type(text.replace("\0", ""), (), {})()
    program = f"def f(*given, **named):\n    raise type({text!r}, (Exception,), {{}})({text!r})"
    samples = [sample.raw for sample in kind_of(question).samples(question)]
    forms = [raw for raw in samples if isinstance(raw, dict)]
    placed = [
        {**form, name: value} for form in forms[:2] for name in form for value in (text, [text], {text: text}, called)
    ]
    nested = [
        {**form, "input": {**form["input"], name: text}}
        for form in forms[:1]
        if isinstance(form.get("input"), dict)
        for name in form["input"]
    ]
    return [text, [text], {text: text}, {"line": 2, "fix": text}, called, program, text * 30, *placed, *nested]


@pytest.mark.parametrize("kind", TEMPLATES)
@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_in_any_place_of_an_answer_stays_text(kind: str, text: str) -> None:
    for raw in shapes(asked(kind), text):
        stays_text(check(asked(kind), raw, runner=run_here))


@pytest.mark.parametrize(
    "ending",
    ["raise type({0!r}, (Exception,), {{}})({0!r})", "return {0!r}", "return [{0!r}]", "return type({0!r}, (), {{}})()", "raise SystemExit({0!r})"],
)  # fmt: skip
@pytest.mark.parametrize("text", HOSTILE)
def test_the_results_of_a_function_or_a_fixed_line_stay_text(ending: str, text: str) -> None:
    code, hunt = asked("code"), asked("bugline")
    definition = kind_of(code).cells(code.form, code.variable).split(":")[0]
    said = check(code, f"{definition}:\n    {ending.format(text)}", runner=run_here)
    stays_text(said)
    right = next(sample.raw for sample in kind_of(hunt).samples(hunt) if sample.outcome == Outcome.CORRECT)
    stays_text(check(hunt, {**right, "fix": ending.format(text)}, runner=run_here))


@pytest.mark.parametrize("text", HOSTILE)
def test_an_unreadable_type_and_an_answer_of_several_lines_stay_text(text: str) -> None:
    form, key = asked("code").form, asked("code").key
    assert isinstance(form, CodeForm) and isinstance(key, CodeKey)
    call = CallResult("unreadable", error=f"a value of type {text}")
    told = failure_in_words(form, key.cases[0], call)
    stays_text(Feedback(question="a/b", outcome=Outcome.INCORRECT, max_points=2, read=text, remarks=(told,)))


def test_a_message_shows_exactly_what_was_written() -> None:
    message = literal("I couldn't read “2*M”, a_b* and [x] of _y_, $5 < 6 & `z` \\.")
    assert to_plain(message) == "I couldn't read “2*M”, a_b* and [x] of _y_, $5 < 6 & `z` \\."
    assert "<em>" not in MarkdownIt().render(message)


FORMULAS = (
    "=cmd()",
    ";=cmd()",
    "a;=cmd()",
    "a\t+1",
    'a"|-1',
    "a\n@x",
    "a,  =1",
    "\t=1",
    "\r=1",
    "＝1",
    "a'=1",
    " =1",
    'a";"=1',
)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_no_cell_of_a_table_begins_with_a_formula_whatever_separator_it_is_opened_with(
    tmp_path: Path, separator: str
) -> None:
    with Ledger(tmp_path / LEDGER) as ledger:
        ledger.begin(f"{number}" for number in range(len(FORMULAS)))
        for number, text in enumerate(FORMULAS):
            ledger.refuse(Result(text, text, status="ungraded", reason=f"{text} and {text}", path=f"{number}"))
    reports.write_tables(Batch(tmp_path))
    text = (tmp_path / "grades.csv").read_text("utf-8")
    cells = [cell for row in csv.reader(text.splitlines(), delimiter=separator) for cell in row]
    assert len(cells) > len(FORMULAS)
    assert not [cell for cell in cells if re.match(r"""["\s]*[=+\-@＝＋－＠]""", cell)]
    whole = list(csv.DictReader(io.StringIO(text, newline="")))
    assert sorted(row["notebook"] for row in whole) == sorted(f"{number}" for number in range(len(FORMULAS)))
    assert {mode(path) for path in tmp_path.iterdir() if path.suffix != ".lock"} == {0o600}


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777
