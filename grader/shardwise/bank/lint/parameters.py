"""Parameters that nothing uses, and those that fill an argument unintentionally."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shardwise.bank.bank import Problem
from shardwise.bank.lint.places import Place
from shardwise.template.references import keywords


def unused(problem: Problem) -> list[str]:
    """Return the parameters that no text, expression or keyword of the reference mentions."""
    template = problem.template
    text = template.model_dump_json(exclude={"title", "source", "tags"})
    references = [getattr(getattr(part, "answer", None), "reference", None) for part in template.answered]
    used = {name for given in references if given for name, _ in keywords(problem.references.reference(given))}
    return [name for name in template.params if name not in used and len(re.findall(rf"\b{name}\b", text)) < 2]


def taken_silently(problem: Problem) -> Iterator[tuple[Place, str, str]]:
    """Yield optional arguments that a parameter of the same name fills although `arguments` does not list them.

    Each comes as its place, its name and the function. If the author meant to use the default, the key is wrong.
    """
    for number, part in enumerate(problem.template.answered):
        answer = getattr(part, "answer", None)
        written = getattr(answer, "arguments", None)
        if written is None:  # this kind calls no function, or not by parameter names
            continue
        place: Place = ("answer",) if part is problem.template else ("parts", number, "answer")
        called = [
            (name, find(name))
            for what, find in (("reference", problem.references.reference), ("oracle", problem.references.oracle))
            if (name := getattr(answer, what, None))
        ]
        for name in part.params:
            takers = [function for function, found in called if (name, False) in keywords(found)]
            if takers and name not in written:
                yield place, name, takers[0]
