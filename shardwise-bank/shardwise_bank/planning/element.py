"""The planner as a page of the app."""

from __future__ import annotations

from typing import Any, ClassVar

from shardwise.bank.bank import Banks
from shardwise_bank.planning.desk import PlannerDesk

_MODEL, _CLUSTER = "llama3-70b", "h100-512"  # as in notebooks, when nothing is named


class PlannerElement:
    """The planner's form, which begins with a layout that runs and fits."""

    title: ClassVar[str] = "Planner"
    what: ClassVar[str] = "planner"  # the element of the desk

    def __init__(self, banks: Banks) -> None:
        self._desk = PlannerDesk(banks)

    def given(self) -> dict[str, Any]:
        """Return the data from which the element is shown. Raises ShardwiseError."""
        return self._desk.opened(_MODEL, _CLUSTER, {})

    def reply(self, request: Any) -> dict[str, Any]:
        """Return the reply to one of the element's requests. Never raises."""
        return self._desk.reply(request)
