"""PDF exams: a paper with an answer sheet for every variant, and a key, typeset by Typst from a lock file's questions.

A paper contains only what a student may see; only `key_source` uses the key of a question.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from shardwise.atomic_files import write_file
from shardwise.course.assigning.lockfile import Lock
from shardwise.errors import ShardwiseError
from shardwise.exchange.exam_answers import TABLE, blank_table
from shardwise.exchange.exam_keys import accepted, graded_mistakes, right_answer
from shardwise.kinds import kind_of
from shardwise.kinds.choice import ChoiceForm
from shardwise.kinds.labels import Labelled
from shardwise.kinds.match.model import MatchForm
from shardwise.kinds.order import OrderForm
from shardwise.markdown.escaping import printable
from shardwise.markdown.typst import literal_text, to_typst
from shardwise.question import Question, in_points

_RULES = """\
- Write your answers on the answer sheet at the end, each with its unit. Only answers there are marked, except where a question says
  that you answer below it.
- The numbers differ from paper to paper. Every page shows which paper it belongs to.
"""
_WORKING = {"line": 38, "number": 24, "program": 0}  # millimetres of space to work in, by the type of a field
_LINES = 6
_LINES_OF_PROGRAM = 14
_BELOW = "Answer below the question."


@dataclass(frozen=True)
class Paper:
    """One variant of an exam; `student` is empty if the paper is for anybody."""

    variant: str
    questions: tuple[Question, ...]
    student: str = ""
    name: str = ""

    @property
    def label(self) -> str:
        """The printed name of the paper."""
        return f"{self.name} ({self.student})" if self.student else f"Variant {self.variant}"


@dataclass(frozen=True)
class Exam:
    """The parts of a set that are printed on every paper."""

    name: str
    title: str
    intro: str = ""
    date: str = ""


def pdf_of(source: str) -> bytes:
    """Typeset Typst source as a PDF. Raises ShardwiseError if Typst is not installed or rejects the source."""
    typst = typesetter()
    try:
        return bytes(typst.compile((_style() + source).encode(), format="pdf", ignore_system_fonts=True))
    except typst.TypstError as error:
        raise ShardwiseError(f"Typst cannot typeset this exam: {error.diagnostic or error}") from None


def typesetter() -> Any:
    """Return the module typst. Raises ShardwiseError if it is not installed."""
    try:
        import typst
    except ImportError:
        raise ShardwiseError('A PDF exam needs Typst. Install it with: pip install "shardwise[exam]"') from None
    return typst


@cache
def _style() -> str:
    return Path(__file__).with_name("exam.typ").read_text("utf-8")


def write_exam(
    lock: Lock, out: Path, *, date: str, is_for_anybody: bool, progress: Callable[[], None] = lambda: None
) -> bool:
    """Write the papers, their keys, and the table for answers; return whether an existing table was kept. Raises ShardwiseError."""
    exam = Exam(lock.set_name, lock.header["title"], lock.header["intro"], date)
    papers = [
        Paper(student, tuple(lock.questions(student)), *(() if is_for_anybody else (student, lock.about(student)[0])))
        for student in lock.students()
    ]
    for paper in papers:
        write_file(
            out / "papers" / f"{lock.set_name}-{paper.variant}.pdf", pdf_of(paper_source(exam, paper)), private=True
        )
        progress()
    write_file(out / "keys.pdf", pdf_of(key_source(exam, papers)), private=True)
    progress()
    if (out / TABLE).exists():
        return True
    write_file(out / TABLE, blank_table(lock, is_for_anybody=is_for_anybody), private=True)
    return False


# The paper -----------------------------------------------------------------------------------------------------------


def paper_source(exam: Exam, paper: Paper) -> str:
    """Return a paper with its answer sheet as Typst source. Raises ShardwiseError, naming a problem that cannot be printed."""
    questions = list(enumerate(paper.questions, start=1))
    count = (
        f"{len(questions)} question{'s' * (len(questions) != 1)}, {in_points(sum(q.points for q in paper.questions))}"
    )
    who = _arguments(name=paper.name, student=paper.student)
    cover = _arguments(title=exam.title, date=exam.date, summary=f"{count} · {paper.label}")
    rows = [row for number, question in questions for row in _rows(number, question)]
    return "\n".join(
        [
            f"#pages({_arguments(title=exam.title, paper=f'{exam.name} · {paper.label}', code=_code(exam, paper))})[",
            f"#cover({cover}, {who})[{_markdown(exam.intro, exam.name)}{to_typst(_RULES)}]",
            "#pagebreak()",
            *(_question(number, question) for number, question in questions),
            f"#sheet({who}, {' '.join(rows)})",
            "]",
        ]
    )


def _code(exam: Exam, paper: Paper) -> str:
    """Return the name of a paper as a QR code for a scanner, in SVG."""
    typesetter()
    import segno

    svg = io.BytesIO()
    segno.make(f"{exam.name} {paper.variant}", error="m", micro=False).save(svg, kind="svg", border=1)
    return svg.getvalue().decode()


def _question(number: int, question: Question) -> str:
    kind = kind_of(question)
    if not _has_parts(question):
        return f"#question({_head(str(number), question)}{_space(question)})[{_asked(question, _body(question))}]"
    parts = (
        f"#part({_head(f'{number}.{place}', piece)}{_space(piece)})[{_asked(piece, _body(piece))}]"
        for place, piece in enumerate(kind.pieces(question), start=1)
    )
    return f"#question({_head(str(number), question)})[{_asked(question, '')}]{''.join(parts)}"


def _has_parts(question: Question) -> bool:
    return any(field["type"] == "parts" for field in kind_of(question).view(question.form)["fields"])


def _head(number: str, question: Question) -> str:
    return f'"{number}", {_quoted(question.title)}, "{in_points(question.points)}"'


def _asked(question: Question, body: str) -> str:
    """Return a question's prompt, its options or items, how to answer, and lines for a long answer."""
    how = kind_of(question).view(question.form)["how"]
    types = _types(question)
    count = _LINES_OF_PROGRAM if "program" in types else _LINES
    lines = "" if types <= _ON_SHEET else f"#lines({count})"
    return f"{_markdown(question.prompt, question.id)}{body}#block(above: 1.1em, emph({_quoted(how)}));{lines}"


def _types(question: Question) -> set[str]:
    return {field["type"] for field in kind_of(question).view(question.form)["fields"]}


def _space(question: Question) -> str:
    return f", space: {max(_WORKING.get(name, 8) for name in _types(question))}mm"


def _body(question: Question) -> str:
    """Return what follows a prompt: options, items, a listing or a signature."""
    form = question.form
    if isinstance(form, ChoiceForm):
        return f"#options({_labelled(form.options, question)})"
    if isinstance(form, OrderForm):
        return f"#options({_labelled(form.items, question)})"
    if isinstance(form, MatchForm):
        return f"#pairs(({_labelled(form.items, question)}), ({_labelled(form.options, question)}))"
    return _markdown(kind_of(question).body(form), question.id)


def _labelled(lines: Sequence[Labelled], question: Question) -> str:
    return "".join(f"({_quoted(line.label)}, [{_markdown(line.text, question.id)}])," for line in lines)


# The answer sheet ----------------------------------------------------------------------------------------------------


def _rows(number: int, question: Question) -> Iterator[str]:
    """Yield the rows of a question on the answer sheet: one, or one per part."""
    if not _has_parts(question):
        yield _row(str(number), question)
        return
    for place, piece in enumerate(kind_of(question).pieces(question), start=1):
        yield _row(f"{number}.{place}", piece)


def _row(number: str, question: Question) -> str:
    answer = f"emph[{_BELOW}]"
    if _types(question) <= _ON_SHEET:
        fields = kind_of(question).view(question.form)["fields"]
        named = [
            f"named({_quoted(field['name'])}, {_field(field)})" if "name" in field else _field(field)
            for field in fields
        ]
        answer = f"stack(spacing: 4mm, {', '.join(named)})"
    return f'("{number}", {_quoted(question.title)}, {answer}, "/ {question.points:g}"),'


def _field(field: Mapping[str, Any]) -> str:
    """Return the place for one field of an answer, as `Kind.view` describes it."""
    match field["type"]:
        case "options":
            return f"tick({_labels(field['options'])})"
        case "order":
            return f"boxes({len(field['items'])})"
        case "pairs":
            return f"matched({_labels(field['items'])})"
        case "confidence":
            return "percent()"
        case "listing" | "number":
            return "cell(width: 20mm)"
        case _:  # a line, or a group of lines
            return "blank(100%)"


_ON_SHEET = {"options", "order", "pairs", "confidence", "listing", "number", "line", "group", "parts"}


def _labels(options: Sequence[Mapping[str, Any]]) -> str:
    return ", ".join(_quoted(str(option["label"])) for option in options)


# The key -------------------------------------------------------------------------------------------------------------


def key_source(exam: Exam, papers: Sequence[Paper]) -> str:
    """Return the keys of all papers as Typst source: answers, what is accepted, and recognised mistakes."""
    return "\n".join(
        f"#pages({_arguments(title=exam.title, paper=f'{exam.name} · {paper.label}', kind='Key. Keep it secret.')})["
        f'#text(18pt, weight: "bold", {_quoted(f"Key: {paper.label}")})'
        + "".join(_keyed(number, question) for number, question in enumerate(paper.questions, start=1))
        + f"]{'#pagebreak(weak: true)' if paper is not papers[-1] else ''}"
        for paper in papers
    )


def _keyed(number: int, question: Question) -> str:
    if not _has_parts(question):
        return f"#question({_head(str(number), question)})[{_answer_and_mistakes(question)}]"
    parts = (
        f"#part({_head(f'{number}.{place}', piece)})[{_answer_and_mistakes(piece)}]"
        for place, piece in enumerate(kind_of(question).pieces(question), start=1)
    )
    return f"#question({_head(str(number), question)})[]{''.join(parts)}"


def _answer_and_mistakes(question: Question) -> str:
    answer = right_answer(question)
    shown = answer if isinstance(answer, str) else "\n".join(f"{name}: {value}" for name, value in answer.items())
    written = f"raw(block: true, {literal_text(shown)})" if "\n" in shown else f"strong({_quoted(shown)})"
    about = kind_of(question).about
    rows = [
        f'({_quoted(given)}, "{points}", [{_markdown(say, question.id)}]),'
        for given, points, say in graded_mistakes(question)
    ]
    return f"#keyed({written}, {_quoted(accepted(question))}, {_quoted(about)}, {' '.join(rows)})"


# Typst ---------------------------------------------------------------------------------------------------------------


def _markdown(text: str, where: str) -> str:
    try:
        return to_typst(printable(text))
    except ShardwiseError as error:
        raise ShardwiseError(f"{where}: {error}") from None


def _quoted(text: str) -> str:
    return literal_text(printable(text))


def _arguments(**values: str) -> str:
    return ", ".join(f"{name}: {_quoted(value)}" for name, value in values.items())
