"""Views: what a browser may know of a question, as plain data with texts in HTML. Keys, hints and solutions stay away."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.kinds import kinds
from shardwise.kinds.bugline.kind import BuglineForm
from shardwise.kinds.choice import ChoiceForm
from shardwise.kinds.labels import listed
from shardwise.kinds.quantity import QuantityForm
from shardwise.markdown.feedback import as_markdown
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Question
from shardwise.units import unit


def view(question: Question) -> dict[str, Any]:
    """The question for the browser: title, prompt, points, how many hints there are, and its kind's form.

    Raises ShardwiseError if the question's kind has no form of this sort.
    """
    if question.kind not in _FORMS:
        raise ShardwiseError(f"{question.id} is of the kind {question.kind}; forms exist for {', '.join(_FORMS)}.")
    tail, form = _FORMS[question.kind](question.form)
    return {
        "id": question.id,
        "seed": question.seed,
        "kind": question.kind,
        "title": question.title,
        "points": f"{question.points:g} point{'' if question.points == 1 else 's'}",
        "hints": len(question.hints),
        "prompt": to_html(_without(tail, question.prompt)),
        "form": form,
    }


def said(feedback: Feedback, kind: str) -> dict[str, Any]:
    """Feedback for the browser: its outcome, and its text as HTML that takes its colours from the style sheet."""
    if kind != "quantity":  # of a choice or a bug hunt the student sees what was read
        feedback = feedback.model_copy(update={"read": ""})
    return {"outcome": str(feedback.outcome or "read"), "html": to_html(as_markdown(feedback))}


def inline(markdown: str) -> str:
    """One paragraph of Markdown as HTML that may stand inside a label.

    >>> inline("The **ring**")
    'The <strong>ring</strong>'
    """
    return to_html(markdown).removeprefix("<p>").removesuffix("</p>")


def _without(tail: str, prompt: str) -> str:
    """The prompt up to the text that the form shows in its own way."""
    before, found, _ = prompt.rpartition(tail) if tail else ("", "", "")
    return before.strip() if found else prompt


def _quantity(form: QuantityForm) -> tuple[str, Mapping[str, Any]]:
    example = kinds()["quantity"].example(form)
    if unit(form.unit).is_count:
        return "", {"how": f"A number, for example {example}."}
    way = "" if form.direction == "none" else f" {form.direction}"
    return "", {"how": f"A number with its unit, for example {example}{way}; any unit of that kind will do."}


def _choice(form: ChoiceForm) -> tuple[str, Mapping[str, Any]]:
    options = [{"label": one.label, "html": inline(one.text)} for one in form.options]
    how = "Pick the one that is right." if form.pick == "one" else "Tick all that hold; several may."
    return listed(form.options), {"pick": form.pick, "how": how, "options": options}


def _bugline(form: BuglineForm) -> tuple[str, Mapping[str, Any]]:
    whole = {name for name, value in form.example.items() if isinstance(value, int)}
    arguments = [
        {
            "name": name,
            "whole": name in whole,
            "range": f"{low:g} to {high:g}" + (", whole" if name in whole else ""),
        }
        for name, (low, high) in form.domain.items()
    ]
    return f"```python\n 1  {form.listing[0]}", {"listing": list(form.listing), "arguments": arguments}


# Kind → where its own part of the prompt begins, and its form for the browser.
_FORMS: Mapping[str, Callable[[Any], tuple[str, Mapping[str, Any]]]] = {
    "quantity": _quantity,
    "choice": _choice,
    "bugline": _bugline,
}

KINDS = frozenset(_FORMS)
