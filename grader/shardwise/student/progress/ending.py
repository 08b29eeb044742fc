"""The end of a chapter: what a student can do now, what is open, and which chapter follows."""

from __future__ import annotations

from shardwise.bank.bank import Banks
from shardwise.student.progress.chapters import ChapterProgress

_MOST = 5  # how many open problems are named


def ending(banks: Banks, chapter: ChapterProgress) -> str:
    """Return the text for the end of a chapter, in Markdown."""
    return "\n\n".join(filter(None, (_done(banks, chapter), _following(banks, chapter))))


def _done(banks: Banks, chapter: ChapterProgress) -> str:
    """Return what the student can do now, or which problems are open."""
    if not chapter.open:
        return (
            f"**You have solved every problem of this chapter.** What you can do now: {_in_sentence(chapter.summary)}"
        )
    named = "\n".join(f"- {banks.label(row.problem.id)} {row.problem.title}" for row in chapter.open[:_MOST])
    rest = len(chapter.open) - _MOST
    more = f"\n- and {rest} more" if rest > 0 else ""
    return (
        f"**{chapter.solved} of {len(chapter.rows)} problems of this chapter are solved.** Still open:\n\n{named}{more}"
    )


def _following(banks: Banks, chapter: ChapterProgress) -> str:
    if not chapter.following:
        return "This is the last chapter." if not chapter.open else ""
    return f"Next chapter: {chapter_label(banks, chapter.following)}."


def chapter_label(banks: Banks, name: str) -> str:
    """Return a chapter's number and title."""
    number = name.partition("-")[0]
    return f"{int(number)}, {banks.chapters[name].title}" if number.isdecimal() else banks.chapters[name].title


def _in_sentence(summary: str) -> str:
    """Return a summary for use after a colon."""
    return summary[:1].lower() + summary[1:]
