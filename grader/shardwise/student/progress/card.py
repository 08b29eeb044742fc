"""The card: a student's progress as a notebook shows it, in HTML and as plain text."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.bank.bank import Banks
from shardwise.bank.discovery import is_shipped
from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.student.progress.calibration import by_confidence, by_month
from shardwise.student.progress.chapters import ChapterProgress, ProblemRow, progress_of
from shardwise.student.progress.clock import now
from shardwise.student.progress.events import Estimate
from shardwise.student.progress.journal import Journal
from shardwise.student.progress.status import MASTERED

_COLUMNS = ("Solved", "Points", "Mastered", "Due")
_MOST = 5  # how many due problems are listed
_CELL = 'style="text-align:right;padding:.2em .35em;white-space:nowrap"'
_TITLE = 'style="text-align:left;padding:.2em .35em .2em 0"'
_ROW = 'scope="row" style="text-align:left;padding:.2em .35em .2em 0;font-weight:normal"'
_BAR = (
    '<span aria-hidden="true" style="display:block;height:.3em;border-radius:.2em;background:rgba(128,128,128,.35)">'
    '<span style="display:block;height:100%;border-radius:.2em;width:{share:.0%};background:#2e7d32"></span></span>'
)


@dataclass(frozen=True)
class Card:
    """The progress in one chapter or in all of them, with what comes next and the record of estimates."""

    chapters: Sequence[ChapterProgress]  # one, or all
    estimates: Sequence[Estimate]
    note: str = ""  # in Markdown: for example, that progress is not saved here

    def __repr__(self) -> str:
        return to_plain("\n\n".join(filter(None, (self._lines(), *self._rest()))))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._html()}

    def _html(self) -> str:
        names = "".join(f"<th {_CELL}>{name}</th>" for name in _COLUMNS)
        rows = "".join(
            f"<tr><th {_ROW}>{html.escape(each.title)}</th><td {_CELL}>{solved}{_bar(each)}</td>"
            f"{''.join(f'<td {_CELL}>{text}</td>' for text in rest)}</tr>"
            for each in self.chapters
            for solved, *rest in [_figures(each)]
        )
        rest = "".join(to_html(part) for part in self._rest() if part)
        return (
            '<div class="shardwise-progress" style="border-left:4px solid #0b5cad;padding:.4em 1em;margin:.4em 0;overflow-x:auto">'
            f'<table style="margin:0 0 .8em;border-collapse:collapse;font-size:.9em"><thead><tr><th {_TITLE}>Chapter</th>{names}</tr></thead>'
            f"<tbody>{rows}</tbody></table>{rest}</div>"
        )

    def _lines(self) -> str:
        """Return a line for each chapter, for a terminal."""
        names = [name.lower() for name in _COLUMNS]
        return "\n".join(
            f"{each.title}: {', '.join(map(' '.join, zip(_figures(each), names, strict=True)))}"
            for each in self.chapters
        )

    def _rest(self) -> tuple[str, ...]:
        return self._next(), self._calibration(), self.note

    def _next(self) -> str:
        """Return what to do next: due problems, otherwise a new one, otherwise one that is not mastered."""
        due = sorted((row for chapter in self.chapters for row in chapter.due), key=ProblemRow.when)
        if due:
            named = "\n".join(f"- {_named(row)}" for row in due[:_MOST])
            more = f"\n- and {len(due) - _MOST} more" if len(due) > _MOST else ""
            return f"**Due today**, with new numbers:\n\n{named}{more}"
        begun = [chapter for chapter in self.chapters if len(chapter.new) < len(chapter.rows)]
        following = next((row for chapter in (*begun, *self.chapters) if (row := chapter.next)), None)
        if following is None:
            return "**Next:** nothing today. You have mastered every problem, and each comes back before you forget it."
        left = MASTERED - len(following.record.unaided)
        answers = "answer" if left == 1 else "answers"
        why = f" ({left} more right {answers} without hints to master it)" if following.record.is_begun else ""
        return f"**Next:** {_named(following)}{why}"

    def _calibration(self) -> str:
        months, bands = by_month(self.estimates), by_confidence(self.estimates)
        if not months:
            return ""
        lines = [
            f"- {each.month}: {each.same} of {each.count} with the right order of magnitude, {each.near} within a factor of 10"
            for each in months
        ]
        lines += [f"- {each.low:.0%} to {each.high:.0%} sure: {each.hits} of {each.count} right" for each in bands]
        return "\n".join(("**Your estimates**\n", *lines))


def card_of(banks: Banks, chapter: str | None, journal: Journal) -> Card:
    """Return the card of a chapter, or of all chapters. Raises ShardwiseError for an unknown chapter or an unreadable file."""
    only = None if chapter is None else banks.find_chapter(chapter)
    found = progress_of(banks, journal.events(), now(), only=only)
    notes = (
        "" if journal.keeps else "*Your progress is not saved here.*",
        "" if is_shipped(banks) else f"Bank: {banks}",
    )
    return Card(found.chapters, journal.estimates(), "\n\n".join(filter(None, notes)))


def _named(row: ProblemRow) -> str:
    """Return a problem's title and the line of code that shows it. The quotes separate punctuation in the title."""
    return f"“{row.problem.title}”: `{_call(row)}`"


def _call(row: ProblemRow) -> str:
    """Return the line of code that shows a problem: as in its notebook the first time, and with new numbers afterwards."""
    seed = f", seed={row.record.next_seed()}" if row.record.is_begun else ""
    return f'practice("{row.problem.slug}"{seed})'


def _figures(chapter: ChapterProgress) -> tuple[str, ...]:
    """Return the cells of a chapter's row."""
    solved, points = f"{chapter.solved} of {len(chapter.rows)}", f"{chapter.points:g} of {chapter.most:g}"
    return solved, points, str(chapter.mastered), str(len(chapter.due))


def _bar(chapter: ChapterProgress) -> str:
    """Return a progress bar for the solved problems."""
    return _BAR.format(share=chapter.solved / len(chapter.rows))
