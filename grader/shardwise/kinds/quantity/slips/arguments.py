"""Arguments: the facts about a reference's arguments that finding and wording slips needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardwise.kinds.quantity.slips.expressions import TracedNode, traced_nodes
from shardwise.kinds.quantity.slips.words import is_understood, words
from shardwise.template.model import Template
from shardwise.template.parameters import Parameter
from shardwise.template.results import full_name
from shardwise.units import unit

_SHARED = re.compile(
    r"(^|_)(gpus|dp|tp|pp|cp|replicas|stages|accumulation_steps|micro_batches|nodes|servers|buckets|racks|years|months)$"
)

# Replaces an argument that no reader of the prompt knows. A sentence that contains it is not used.
UNSAID = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True)
class ReferenceArgument:
    """An argument of the reference: its words, what it measures, and whether it counts things."""

    says: str  # a noun phrase, or a placeholder for its value such as "{reserved_bytes}"
    value: float  # in a draw that is always the same, whichever draw is made first
    dimension: str
    is_count: bool
    is_share: bool
    shares: bool  # it counts things that split work or data, such as nodes and months


Known = Mapping[str, ReferenceArgument]


def reference_arguments(template: Template, root: TracedNode, usual: Mapping[str, Any]) -> dict[str, ReferenceArgument]:
    """Return the facts about each argument in an expression."""
    return {
        here.name: _argument(
            here.name, usual.get(here.name, here.value), template.params.get(here.name), template.prompt
        )
        for here in traced_nodes(root)
        if here.operation == "argument"
    }


def _argument(name: str, value: float, parameter: Parameter | None, prompt: str) -> ReferenceArgument:
    measured = parameter.unit if parameter is not None else None
    dimension = unit(measured).dimension if measured else "dimensionless"
    is_plain = dimension == "dimensionless"
    is_count = is_plain and float(value).is_integer() and 2 <= value <= 10**6 and not name.startswith("bytes_per")
    return ReferenceArgument(
        says=_said(name, prompt, has_unit=measured is not None),
        value=float(value),
        dimension=dimension,
        is_count=is_count and name != "stage",
        shares=is_count and _SHARED.search(name) is not None,
        is_share=is_plain and 0 < value < 1 and measured is not None,
    )


def argument_named(name: str, *, has_unit: bool) -> str:
    """Return the words for a parameter, or for an earlier result that has the name of its part."""
    return words(name.removeprefix(full_name("")), has_unit=has_unit)


def _said(name: str, prompt: str, *, has_unit: bool) -> str:
    """Return an argument's name in words; a placeholder for its number if the prompt avoids those words, or else UNSAID."""
    phrase = argument_named(name, has_unit=has_unit)
    if is_understood(name, prompt):
        return phrase
    is_printed = name.isidentifier() and re.search(rf"{{{{-?\s*{name}\b", prompt)
    return f"{{{name}}}" if is_printed else UNSAID
