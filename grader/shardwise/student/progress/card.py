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
from shardwise.student.progress.chapters import ChapterProgress, ProblemRow, Progress, progress_of
from shardwise.student.progress.clock import now
from shardwise.student.progress.ending import ending
from shardwise.student.progress.events import Estimate
from shardwise.student.progress.journal import Journal
from shardwise.student.progress.status import MASTERED

_COLUMNS = ("Solved", "Points", "Mastered", "Due")
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

    banks: Banks
    progress: Progress
    estimates: Sequence[Estimate]
    note: str = ""  # in Markdown: for example, that progress is not saved here

    @property
    def chapters(self) -> Sequence[ChapterProgress]:
        """The chapters: one, or all."""
        return self.progress.chapters

    @property
    def view(self) -> dict[str, Any]:
        """The card as data for a form; the problems are listed if it is about one chapter."""
        rows = self.chapters[0].rows if len(self.chapters) == 1 else ()
        head, following, why = self._following()
        return {
            "columns": ["Chapter", *_COLUMNS],
            "chapters": [
                {"title": each.title, "figures": _figures(each), "share": each.solved / len(each.rows)}
                for each in self.chapters
            ],
            "rows": [self._row(row) for row in rows],
            "next": {"head": to_html(head), "rows": [self._row(row) for row in following], "why": to_html(why)},
            "rest": "".join(to_html(part) for part in self._notes() if part),
        }

    def _row(self, row: ProblemRow) -> dict[str, Any]:
        """Return a problem as data: what opens it, its number and title, and its state."""
        problem = row.problem
        return {
            "id": problem.id, "seed": row.seed, "label": self.banks.label(problem.id), "title": problem.title,
            "solved": row.record.is_solved, "mastered": row.record.is_mastered,
        }  # fmt: skip

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
        head, rows, why = self._following()
        named = [f"“{row.problem.title}”: `{_call(row)}`" for row in rows]  # quotes separate punctuation in the title
        lines = "\n".join(f"- {name}" for name in named) if len(named) > 1 else "".join(named)
        apart = "\n\n" if len(named) > 1 else " "
        return f"{head}{apart}{lines} {why}".strip(), *self._notes()

    def _notes(self) -> tuple[str, ...]:
        """Return the end of a chapter once it is solved or how to get today's five, the record of estimates, and the note."""
        if len(self.chapters) > 1:
            more = "`practice()` asks today's five." if self.progress.daily() else "Today's five are done."
        else:
            more = "" if self.chapters[0].open else ending(self.banks, self.chapters[0])
        return more, self._calibration(), self.note

    def _following(self) -> tuple[str, Sequence[ProblemRow], str]:
        """Return what comes next, in Markdown and as problems: those due today, otherwise a new one, otherwise one to master."""
        if due := self.progress.due_today:
            waits = self.progress.waiting
            return "**Due today**, with new numbers:", due, f"{waits} more wait for the next days." if waits else ""
        begun = [chapter for chapter in self.chapters if len(chapter.new) < len(chapter.rows)]
        following = next((row for chapter in (*begun, *self.chapters) if (row := chapter.next)), None)
        if following is None:
            nothing = (
                "**Next:** nothing today. You have mastered every problem, and each comes back before you forget it."
            )
            return nothing, (), ""
        left = MASTERED - len(following.record.unaided)
        why = (
            f"({left} more right answer{'s' * (left != 1)} without hints to master it)"
            if following.record.is_begun
            else ""
        )
        return "**Next:**", (following,), why

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
    return Card(banks, found, journal.estimates(), "\n\n".join(filter(None, notes)))


def _call(row: ProblemRow) -> str:
    """Return the line of code that shows a problem: as in its notebook the first time, and with new numbers afterwards."""
    seed = f", seed={row.seed}" if row.record.is_begun else ""
    return f'practice("{row.problem.slug}"{seed})'


def _figures(chapter: ChapterProgress) -> tuple[str, ...]:
    """Return the cells of a chapter's row."""
    solved, points = f"{chapter.solved} of {len(chapter.rows)}", f"{chapter.points:g} of {chapter.most:g}"
    return solved, points, str(chapter.mastered), str(len(chapter.due))


def _bar(chapter: ChapterProgress) -> str:
    """Return a progress bar for the solved problems."""
    return _BAR.format(share=chapter.solved / len(chapter.rows))
