"""The planner as a form in a notebook, with its first plan as text for when no kernel runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.student.api import banks_in_use
from shardwise.student.messages import Message
from shardwise.student.widget import FormWidget
from shardwise_bank.planning.desk import PlannerDesk

_RUN = "**Run this cell in Jupyter to open the planner.**"


def planner(
    model: str = "llama3-70b", cluster: str = "h100-512", *, bank: str | None = None, **layout: Any
) -> Planner | Message:
    """Plan a training run in a form: memory, time and cost of a layout, and the best layouts.

    Start from a model and a cluster, and from any settings of a layout: `planner("llama3-8b", "h100-64", tp=2)`.
    """
    try:
        return Planner(PlannerDesk(banks_in_use(bank)), str(model), str(cluster), layout)
    except ShardwiseError as error:
        return Message("\n\n".join(str(error).splitlines()))  # one line for each reason


class Planner(FormWidget):
    """A form that plans a training run: memory, time and cost of a layout, and the best layouts."""

    def __init__(self, desk: PlannerDesk, model: str, cluster: str, layout: Mapping[str, Any]) -> None:
        given = desk.opened(model, cluster, layout)
        text = plan_in_words(desk.reply({"do": "plan", "given": given["start"]}))
        super().__init__(desk, "planner", given, plain=to_plain(text), html=to_html(f"{_RUN}\n\n{text}"))


def plan_in_words(reply: Mapping[str, Any]) -> str:
    """Return a plan in Markdown: its key figures, its faults, and remarks."""
    rows = [f"| {row['name']} | {row['value']} | {row['range']} | {row['note']} |" for row in reply.get("figures", ())]
    table = ["| | | range | |", "|---|---|---|---|", *rows] if rows else []
    remarks = [f"- {words}" for words in (*reply["faults"], *reply["warnings"], *reply["counted"])]
    parts = [
        f"### {reply['title']}",
        " ".join(reply["model"]),
        reply["line"],
        "\n".join(table),
        reply.get("ranges"),
        "\n".join(remarks),
    ]
    return "\n\n".join(filter(None, parts))
