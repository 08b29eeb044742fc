"""Feedback as a student sees it: Markdown, HTML for a notebook or page, and plain text for a terminal."""

from __future__ import annotations

import html
from typing import Any

from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.markdown.terminal import columns, to_terminal
from shardwise.markdown.timeline import as_svg, as_text
from shardwise.question import PRAISE, Feedback, Outcome

# Outcome → mark, word, and the colour of the bar next to it; the words keep the colour of their page, light or dark.
LOOKS: dict[Outcome | None, tuple[str, str, str]] = {
    Outcome.CORRECT: ("✓", "Correct", "#1a7f37"),
    Outcome.PARTIAL: ("◐", "Partly right", "#9a6700"),
    Outcome.INCORRECT: ("✗", "Not yet", "#b42318"),
    Outcome.UNREADABLE: ("?", "Unreadable", "#6941c6"),
    Outcome.BLANK: ("○", "No answer yet", "#57606a"),
    Outcome.BROKEN: ("!", "Our fault", "#9a6700"),
    None: ("→", "Read", "#0b5cad"),
}


# What is reported instead where there is no further try.
_FINAL = {Outcome.INCORRECT: "Incorrect", Outcome.BLANK: "No answer"}


def judgement(feedback: Feedback, *, final: bool = False) -> tuple[str, str]:
    """The mark and the word for what became of an answer; `final` where there is no further try."""
    mark, word, _ = LOOKS[feedback.outcome]
    return mark, _FINAL.get(feedback.outcome, word) if final and feedback.outcome else word


def headline(feedback: Feedback, *, final: bool = False) -> str:
    """Mark, word and points in one line."""
    mark, word = judgement(feedback, final=final)
    judged = feedback.outcome in (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)
    plural = "" if feedback.max_points == 1 else "s"
    points = f" · {feedback.points:g} of {feedback.max_points:g} point{plural}" if judged else ""
    return f"{mark} {word}{points}"


def _read(feedback: Feedback) -> str:
    """How the answer was read, for use inside `code`, which no line break may end."""
    return " ".join(feedback.read.replace("`", "'").split())[:500]


def remarks_in_markdown(feedback: Feedback) -> str:
    """Join the remarks into one Markdown text; empty where they only repeat the headline."""
    return "" if feedback.say == PRAISE else feedback.say


def _body(feedback: Feedback) -> str:
    """What is reported, in Markdown, without the headline."""
    read = f"I read: `{_read(feedback)}`" if feedback.read else ""
    return "\n\n".join(part for part in (read, remarks_in_markdown(feedback)) if part)


def as_markdown(feedback: Feedback, *, final: bool = False) -> str:
    """The whole feedback in Markdown, a picture as text."""
    drawn = f"\n\n```text\n{as_text(feedback.picture)}\n```" if feedback.picture else ""
    return f"**{headline(feedback, final=final)}**\n\n{_body(feedback)}".strip() + drawn


def as_terminal(feedback: Feedback) -> str:
    """The whole feedback for a terminal, its prose filled to the terminal's width, and a picture no wider."""
    drawn = f"\n\n{as_text(feedback.picture, columns())}" if feedback.picture else ""
    return f"{headline(feedback)}\n{to_terminal(_body(feedback))}{drawn}".strip()


def as_plain(feedback: Feedback, *, final: bool = False) -> str:
    """The whole feedback as plain text, its lines as they were written: a notebook's own, and a report's."""
    drawn = f"\n\n{as_text(feedback.picture)}" if feedback.picture else ""
    return f"{headline(feedback, final=final)}\n{to_plain(_body(feedback))}{drawn}".strip()


def as_html(feedback: Feedback) -> str:
    """The whole feedback as an HTML fragment without scripts."""
    colour = LOOKS[feedback.outcome][2]
    read = f"<p>I read: <code>{html.escape(_read(feedback))}</code></p>\n" if feedback.read else ""
    return (
        f'<div class="shardwise-feedback" style="border-left:4px solid {colour};padding:.4em 1em;margin:.4em 0">'
        f'<div style="font-weight:600">{html.escape(headline(feedback))}</div>'
        f"{read}{to_html(remarks_in_markdown(feedback))}{picture(feedback)}</div>"
    )


def picture(feedback: Feedback) -> str:
    """The picture as SVG in an HTML fragment; nothing where there is none."""
    return as_svg(feedback.picture) if feedback.picture else ""


def bundle(feedback: Feedback) -> dict[str, Any]:
    """The MIME bundle by which a notebook shows feedback."""
    return {"text/plain": as_plain(feedback), "text/markdown": as_markdown(feedback), "text/html": as_html(feedback)}
