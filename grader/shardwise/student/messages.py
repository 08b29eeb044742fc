"""The output of a cell for a student: a message, or the feedback to an answer."""

from __future__ import annotations

import os
from typing import Any

from shardwise.markdown.feedback import as_plain, bundle
from shardwise.markdown.html import keep_together
from shardwise.markdown.plain import to_plain
from shardwise.question import Feedback, Outcome

STOPPED = "Stopped. This answer was not marked."  # when a student interrupts a check


class Message:
    """A message to a student, shown as Markdown in a notebook and as plain text elsewhere."""

    def __init__(self, markdown: str) -> None:
        self.markdown = markdown

    def __repr__(self) -> str:
        return to_plain(self.markdown)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/markdown": keep_together(self.markdown)}


class Checked:
    """The feedback to one answer."""

    def __init__(self, feedback: Feedback) -> None:
        self.feedback = feedback

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the answer; None where answers are read but not judged."""
        return self.feedback.outcome

    @property
    def points(self) -> float:
        """The points earned."""
        return self.feedback.points

    def __repr__(self) -> str:
        return as_plain(self.feedback)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        """Return the feedback for a notebook; while nbgrader grades, the plain text holds the points.

        nbgrader counts any other text as full points, which suits an answer that we failed to mark.
        """
        shown = bundle(self.feedback)
        if "NBGRADER_EXECUTION" in os.environ and self.outcome != Outcome.BROKEN:
            shown["text/plain"] = repr(float(self.points))
        return shown
