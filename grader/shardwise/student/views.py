"""Views: what a front end may know of a question and of a verdict, as plain data with texts in HTML.

Keys, hints and solutions stay away.
"""

from __future__ import annotations

from typing import Any

from shardwise.kinds import kind_of, kinds
from shardwise.markdown.feedback import as_markdown_alone, picture
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Question


def view(question: Question) -> dict[str, Any]:
    """The question for a front end: title, prompt, points, how many hints there are, and its kind's form."""
    return {
        "id": question.id,
        "seed": question.seed,
        "kind": question.kind,
        "title": question.title,
        "points": f"{question.points:g} point{'' if question.points == 1 else 's'}",
        "hints": len(question.hints),
        "estimated_first": kind_of(question).estimated_first,
        "prompt": to_html(question.prompt),
        "form": dict(kind_of(question).view(question.form)),
    }


def verdict(feedback: Feedback, kind: str) -> dict[str, Any]:
    """Feedback for a front end: its outcome, and its text as HTML that takes its colours from the style sheet."""
    if not kinds()[kind].shows_reading:
        feedback = feedback.model_copy(update={"read": ""})
    if feedback.notes:  # they stand beside the parts
        right = sum(feedback.parts.values())
        feedback = feedback.model_copy(update={"say": f"{right} of {len(feedback.parts)} parts are right."})
    html = to_html(as_markdown_alone(feedback)) + picture(feedback)
    notes = {
        name: {"outcome": str(note.outcome), "earned": f"{note.earned:.3g}", "html": to_html(note.say)}
        for name, note in feedback.notes.items()
    }
    return {"outcome": str(feedback.outcome or "read"), "html": html, "notes": notes}
