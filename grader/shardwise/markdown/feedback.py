"""Feedback for students: as Markdown, as HTML for a notebook or page, and as plain text for a terminal."""

from __future__ import annotations

import html
from typing import Any

from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.markdown.terminal import columns, to_terminal
from shardwise.markdown.timeline import as_svg, as_text
from shardwise.question import PRAISE, Feedback, Outcome, in_points

# Outcome → mark, word, and the colour of the bar next to it; the text keeps the colour of its page, light or dark.
LOOKS: dict[Outcome | None, tuple[str, str, str]] = {
    Outcome.CORRECT: ("✓", "Correct", "#1a7f37"),
    Outcome.PARTIAL: ("◐", "Partly right", "#9a6700"),
    Outcome.INCORRECT: ("✗", "Not yet", "#b42318"),
    Outcome.UNREADABLE: ("?", "Unreadable", "#6941c6"),
    Outcome.BLANK: ("○", "No answer yet", "#57606a"),
    Outcome.BROKEN: ("!", "Our fault", "#9a6700"),
    None: ("→", "Read", "#0b5cad"),
}


_TERMINAL_COLOURS: dict[Outcome | None, str] = {
    Outcome.CORRECT: "green",
    Outcome.PARTIAL: "yellow",
    Outcome.INCORRECT: "red",
}

# Words for the final result, when there are no more attempts.
_FINAL = {Outcome.INCORRECT: "Incorrect", Outcome.BLANK: "No answer"}


def judgement(feedback: Feedback, *, final: bool = False) -> tuple[str, str]:
    """Return the mark and the word for an outcome; `final` if there are no more attempts."""
    mark, word, _ = LOOKS[feedback.outcome]
    return mark, _FINAL.get(feedback.outcome, word) if final and feedback.outcome else word


def headline(feedback: Feedback, *, final: bool = False) -> str:
    """Return mark, word and points in one line."""
    mark, word = judgement(feedback, final=final)
    judged = feedback.outcome in (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
    plural = "" if feedback.max_points == 1 else "s"
    points = (
        f" · {feedback.points:g} of {feedback.max_points:g} point{plural}" if judged and feedback.max_points else ""
    )
    if judged and not feedback.max_points and feedback.points:  # a bonus; a dropped question has no points either
        points = f" · +{in_points(feedback.points)}"
    return f"{mark} {word}{points}"


def _read(feedback: Feedback) -> str:
    """Return how the answer was read, for use inside `code`, without line breaks."""
    return " ".join(feedback.read.replace("`", "'").split())[:500]


def remarks_in_markdown(feedback: Feedback) -> str:
    """Join the remarks into one Markdown text; empty where they only repeat the headline."""
    return "" if feedback.say == PRAISE else feedback.say


def _body(feedback: Feedback) -> str:
    """Return the feedback in Markdown without the headline."""
    read = f"I read: `{_read(feedback)}`" if feedback.read else ""
    return "\n\n".join(part for part in (read, _remarks_and_idle_slots(feedback)) if part)


def _remarks_and_idle_slots(feedback: Feedback) -> str:
    """Return the remarks, with the idle slots in words, which a form shows only in its chart."""
    idle = feedback.picture.idle if feedback.picture else ""
    return "\n\n".join(part for part in (remarks_in_markdown(feedback), idle) if part)


def as_markdown(feedback: Feedback, *, final: bool = False) -> str:
    """Return the feedback in Markdown, with a picture as text."""
    drawn = f"\n\n```text\n{as_text(feedback.picture)}\n```" if feedback.picture else ""
    return f"**{headline(feedback, final=final)}**\n\n{_body(feedback)}".strip() + drawn


def as_terminal(feedback: Feedback) -> str:
    """Return the feedback for a terminal: prose and picture fitted to its width, and the headline in colour.

    `typer.echo` removes the colour where there is no terminal.
    """
    import typer

    drawn = f"\n\n{as_text(feedback.picture, columns())}" if feedback.picture else ""
    head = typer.style(headline(feedback), fg=_TERMINAL_COLOURS.get(feedback.outcome), bold=True)
    return f"{head}\n{to_terminal(_body(feedback))}{drawn}".strip()


def as_plain(feedback: Feedback, *, final: bool = False) -> str:
    """Return the feedback as plain text with its original lines, for notebooks and reports."""
    drawn = f"\n\n{as_text(feedback.picture)}" if feedback.picture else ""
    return f"{headline(feedback, final=final)}\n{to_plain(_body(feedback))}{drawn}".strip()


def as_html(feedback: Feedback) -> str:
    """Return the feedback as an HTML fragment without scripts."""
    colour = LOOKS[feedback.outcome][2]
    read = f"<p>I read: <code>{html.escape(_read(feedback))}</code></p>\n" if feedback.read else ""
    return (
        f'<div class="shardwise-feedback" style="border-left:4px solid {colour};padding:.4em 1em;margin:.4em 0">'
        f'<div style="font-weight:600">{html.escape(headline(feedback))}</div>'
        f"{read}{to_html(_remarks_and_idle_slots(feedback))}{picture(feedback)}</div>"
    )


def picture(feedback: Feedback) -> str:
    """Return the picture as SVG in an HTML fragment; empty if there is none."""
    return as_svg(feedback.picture) if feedback.picture else ""


def bundle(feedback: Feedback) -> dict[str, Any]:
    """Return the MIME bundle with which a notebook shows feedback."""
    return {"text/plain": as_plain(feedback), "text/markdown": as_markdown(feedback), "text/html": as_html(feedback)}
