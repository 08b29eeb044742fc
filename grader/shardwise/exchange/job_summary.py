"""The summary of a CI job in Markdown: for one notebook, its questions and mistakes; for several, a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.grading.results import Answer, Result
from shardwise.markdown.escaping import literal
from shardwise.markdown.feedback import as_markdown, judgement
from shardwise.question import Outcome


def write_summary(results: Sequence[Result], path: Path) -> None:
    """Write the summary of these results."""
    lines = _of_one(results[0]) if len(results) == 1 else _of_several(results)
    write_file(path, "\n".join([*lines, ""]).encode(), private=True)


def _of_one(result: Result) -> Iterator[str]:
    yield f"## {_cell(result.set or Path(result.path).name)}: {_points(result)}"
    for note in (result.reason, *result.notes):
        yield from ("", literal(note)) if note else ()
    if result.status != "graded":
        return
    yield from ("", "| question | result | points |", "|---|---|---:|")
    for answer in result.answers:
        mark, word = judgement(answer.feedback, final=True)
        earned = "" if answer.points is None else f"{answer.points:g} of {answer.feedback.max_points:g}"
        yield f"| {_cell(answer.title)} | {mark} {word} | {earned} |"
    for answer in _not_correct(result):
        yield from ("", f"### {_cell(answer.title)}", "", as_markdown(answer.feedback, final=True))


def _of_several(results: Sequence[Result]) -> Iterator[str]:
    graded = sum(result.complete for result in results)
    yield f"## {graded} of {len(results)} notebooks graded"
    yield from ("", "| student | set | points | not correct |", "|---|---|---:|---|")
    for result in results:
        missed = result.reason or ", ".join(answer.slug for answer in _not_correct(result))
        cells = (result.student or result.path, result.set, _points(result), missed)
        yield f"| {' | '.join(map(_cell, cells))} |"


def _not_correct(result: Result) -> list[Answer]:
    return [answer for answer in result.answers if answer.feedback.outcome != Outcome.CORRECT]


def _points(result: Result) -> str:
    return result.status if result.points is None else f"{result.points:g} of {result.max_points:g} points"


def _cell(text: str) -> str:
    """Return a text as a cell of a Markdown table."""
    return literal(text).replace("|", "\\|")
