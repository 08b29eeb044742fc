"""Views: what a front end may know about a question and a verdict, as plain data with texts in HTML.

They never contain keys, hints or solutions.
"""

from __future__ import annotations

from typing import Any

from shardwise.kinds import kind_of
from shardwise.markdown.feedback import headline, remarks_in_markdown
from shardwise.markdown.html import to_html
from shardwise.marking import UNCOUNTED
from shardwise.question import Feedback, Outcome, Question, in_points, right_in_words


def view(question: Question) -> dict[str, Any]:
    """Return a question for a front end: title, prompt, points, the form of its kind, and the number of general hints."""
    return {
        "id": question.id,
        "seed": question.seed,
        "kind": question.kind,
        "title": question.title,
        "points": in_points(question.points),
        "worth": question.points,
        "hints": kind_of(question).owners_of_hints(question).count(None),
        "estimated_first": kind_of(question).estimated_first,
        "another": dict(zip(("button", "said"), kind_of(question).another, strict=True)),
        "prompt": to_html(question.prompt),
        "form": dict(kind_of(question).view(question.form)),
    }


def verdict(feedback: Feedback) -> dict[str, Any]:
    """Return feedback for a front end: its outcome, and its text as HTML coloured by the style sheet.

    The fields of the form already show how the answer is read, and its chart, so neither is repeated here.
    """
    said = remarks_in_markdown(feedback)
    if feedback.outcome == Outcome.UNREADABLE and feedback.notes:  # they appear next to the parts
        which = (
            "1 part cannot be read; the reason is next to it."
            if len(feedback.notes) == 1
            else f"{len(feedback.notes)} parts cannot be read; the reasons are next to them."
        )
        said = f"{which} {UNCOUNTED}"
    elif feedback.notes:
        said = right_in_words(sum(feedback.parts.values()), len(feedback.parts), "parts")
    html = to_html(f"**{headline(feedback)}**\n\n{said}".strip())
    notes = {
        name: {"outcome": str(note.outcome), "earned": f"{note.earned:.3g}", "html": to_html(note.say)}
        for name, note in feedback.notes.items()
    }
    return {"outcome": str(feedback.outcome or "read"), "html": html, "notes": notes}
