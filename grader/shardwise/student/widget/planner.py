"""The planner as a form in a notebook, with its first plan as text for where there is no kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shardwise.markdown.html import to_html, to_plain
from shardwise.student.desk import Desk
from shardwise.student.widget.form import Form

_RUN = "**To plan in a form, run this cell in Jupyter.**"


class Planner(Form):
    """A training run to be planned: memory, time and money of a layout, and the best layouts."""

    def __init__(self, desk: Desk, model: str, cluster: str, layout: Mapping[str, Any]) -> None:
        given = desk.open_planner(model, cluster, layout)
        text = in_words(desk.planner.reply({"do": "plan", "given": given["start"]}))
        super().__init__(desk, "planner", given, plain=to_plain(text), html=to_html(f"{_RUN}\n\n{text}"))


def in_words(reply: Mapping[str, Any]) -> str:
    """A plan in Markdown: its figures, what keeps it from running, and remarks."""
    rows = [f"| {row['name']} | {row['value']} | {row['note']} |" for row in reply.get("figures", ())]
    table = ["| | | |", "|---|---|---|", *rows] if rows else []
    remarks = [f"- {words}" for words in (*reply["faults"], *reply["warnings"])]
    parts = [f"### {reply['title']}", reply["line"], "\n".join(table), "\n".join(remarks)]
    return "\n\n".join(filter(None, parts))
