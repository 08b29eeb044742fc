"""The progress card in a notebook: it keeps up with the answers of its kernel, and its buttons open questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardwise.student.desk import Desk
from shardwise.student.progress.card import Card
from shardwise.student.widget.form import FormWidget


class ProgressCard(FormWidget):
    """The progress card of a notebook. After each answer, `renew` returns the current card.

    With `returns`, the page scrolls to the first open problem of the card's chapter.
    """

    def __init__(self, desk: Desk, card: Card, renew: Callable[[], Card], *, returns: bool = False) -> None:
        self._renew = renew
        bundle, given = card._repr_mimebundle_(), card.view
        first = next((row["id"] for row in given["rows"] if not row["solved"]), "") if returns else ""
        super().__init__(
            desk, "progress", {**given, "returns": first}, plain=bundle["text/plain"], html=bundle["text/html"]
        )

    def refresh(self, problem: str) -> None:
        """Show the progress as it is now."""
        card = self._renew()
        given: dict[str, Any] = {**card.view, "returns": ""}
        if given != {**self.given, "returns": ""}:
            self.given = given
            bundle = card._repr_mimebundle_()
            self._redraw(bundle["text/plain"], bundle["text/html"])
