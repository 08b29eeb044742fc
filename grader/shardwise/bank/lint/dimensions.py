"""Dimensional analysis: whether a reference's result has the dimension of its template's unit."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.template.draw import Draw
from shardwise.template.model import Template
from shardwise.template.parameters import Parameter
from shardwise.template.results import RESULTS, Results
from shardwise.units import qualified, unit

Powers = Mapping[str, int]  # exponents of the physical quantities: seconds have {"time": 1}
# The units of each quantity. Counts, such as nodes and steps, have no units.
PHYSICAL = {
    "information": "bytes", "time": "seconds", "computation": "FLOP", "money": "dollars", "energy": "joules",
    "mass": "kilograms", "length": "metres", "current": "amperes", "temperature": "kelvins", "amount": "moles",
    "luminosity": "candelas",
}  # fmt: skip
_NUMBERS = "count|fraction|ratio|number|learning rate"
_RESULT = re.compile(r"\b[Rr]esults? (?:is |as |in |counts? )*(?:an? )?(?P<words>[^.;,]+)")


def dimension_faults(template: Template, draw: Draw) -> list[str]:
    """Return how the unit under `answer` contradicts the reference's result, or [] if that cannot be determined.

    A statement in the docstring ("Result in bytes.") decides. Without one, the reference runs twice, the second time with
    every argument in other units: a result in seconds doubles when the unit of time is halved.
    """
    answer = getattr(template, "answer", None)
    name, asked = getattr(answer, "reference", None), getattr(answer, "unit", None)
    if not isinstance(name, str) or not isinstance(asked, str):
        return []
    reference = draw.references.reference(name)
    expected = powers(asked)
    asked_unit = unit(asked)
    asked = asked_unit.text
    declared = declared_powers(reference, asked_unit.system.text)
    if declared is not None:
        return [] if declared == expected else [
            f"answer.unit is {asked or 'a plain number'}, which measures {_in_words(expected)}, but "
            f"the docstring of {name} says that the result measures {_in_words(declared)}"
        ]  # fmt: skip
    return [
        f"answer.unit is {asked or 'a plain number'}, but the result of {name} does not scale with the unit of {base} "
        f"as {_in_words(expected)} does. If its constants have units, say so in its docstring: “{declaration(expected)}”"
        for base in PHYSICAL
        if not _scales(template, draw, reference, base, expected.get(base, 0))
    ]


def powers(unit_text: str) -> Powers:
    """Return the exponents of the physical quantities in a unit.

    >>> powers("GB/s"), powers("node"), powers("dollar/h")
    ({'information': 1, 'time': -1}, {}, {'money': 1, 'time': -1})
    """
    return {name: power for name, power in unit(unit_text).powers.items() if name in PHYSICAL}


def declared_powers(reference: Callable[..., Any], system: str = "") -> Powers | None:
    """Return the dimension that a reference's docstring states, in a system of units, for the result, or None if it states none.

    >>> def seconds(): "Units: bytes. Result in seconds per step."
    >>> declared_powers(seconds)
    {'time': 1}
    """
    text = " ".join((inspect.getdoc(reference) or "").split())
    said = _RESULT.search(text)
    if said is None:
        return None
    words = said["words"].split()
    for length in range(len(words), 0, -1):
        try:
            return powers(qualified(" ".join(words[:length]), system))
        except ShardwiseError:
            continue
    return {} if re.match(_NUMBERS, " ".join(words)) else None


def declaration(expected: Powers) -> str:
    """Return the sentence for a docstring that states what the result measures.

    >>> declaration(powers("GB/s")), declaration(powers("ms")), declaration({})
    ('Result in bytes per second.', 'Result in seconds.', 'Result is a number.')
    """
    over = [PHYSICAL[name] for name, power in expected.items() for _ in range(power)]
    under = [PHYSICAL[name].removesuffix("s") for name, power in expected.items() for _ in range(-power)]
    return f"Result in {' per '.join([*over, *under])}." if over else "Result is a number."


def _scales(template: Template, draw: Draw, reference: Callable[..., Any], base: str, power: int) -> bool:
    """Return whether the result scales by 2**`power` when the unit of `base` is halved."""
    answer: Any = template.answer  # type: ignore[attr-defined]
    inputs: Mapping[str, Parameter] = getattr(answer, "inputs", {})
    units = {name: given.unit for name, given in {**template.params, **inputs}.items()}
    plain = {**draw.values, **{name: given.base(given.values()[0]) for name, given in inputs.items()}}
    scaled = {
        name: value * 2 ** powers(units.get(name) or "").get(base, 0) if _is_number(value) else value
        for name, value in plain.items()
    }
    if isinstance(results := plain.get(RESULTS), Results):
        scaled[RESULTS] = results.replaced(scaled)
    if power == 0 and all(value == scaled[name] for name, value in plain.items() if name != RESULTS):
        return True
    try:
        before = draw.references.call(reference, plain, answer.arguments)
        after = draw.references.call(reference, scaled, answer.arguments)
    except (ValueError, ShardwiseError):  # the inputs may be out of range, or only the kind knows the arguments
        return True
    if not (_is_number(before) and _is_number(after)):
        return True
    return bool(abs(after - before * 2.0**power) <= 1e-9 * abs(after))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_words(found: Powers) -> str:
    over = " times ".join(name for name, power in found.items() for _ in range(power))
    under = "".join(f" per {name}" for name, power in found.items() for _ in range(-power))
    return (over or "one") + under if found else "a number"
