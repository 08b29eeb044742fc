"""Naming: the cause of a wrong estimate, reported only if its few digits leave one or two causes."""

from __future__ import annotations

from shardwise.kinds.estimate.model import EstimateForm, EstimateKey
from shardwise.kinds.quantity.explain import explanation, of_a_number
from shardwise.kinds.quantity.general import everywhere
from shardwise.kinds.quantity.judging import asked_by, printed_in
from shardwise.question import Question
from shardwise.units import Reading

NEAREST, FARTHEST = 0.02, 0.15  # relative; how close a factor must be, by the number of digits of the estimate
_FACTORS = (8.0, 24.0, 60.0, 3600.0, 86_400.0, *(10.0**power for power in range(1, 13)))
MOST_SAID = 2


def cause(question: Question, form: EstimateForm, key: EstimateKey, given: Reading) -> str:
    """Return the cause of a wrong estimate: a unit, a number of the question, or an intermediate result; "" if unknown."""
    within = min(max(given.step / 2 / given.value, NEAREST), FARTHEST)
    stops = [say for value, say in key.stops if value and abs(given.value / value - 1) <= min(within, 0.05)]
    if len(stops) == 1:
        return f"{stops[0]} What is still missing?"
    numbers = printed_in(question)
    found = of_a_number(given.value, key.value, numbers, within)
    asked = asked_by(question, form.unit, key, exact=True)
    ratio = given.value / key.value
    near = [factor for each in _FACTORS for factor in (each, 1 / each) if abs(ratio / factor - 1) <= within]
    found += [said for factor in near for said in everywhere(factor * key.value, asked, is_own=False)]
    found = list(dict.fromkeys(found))
    return explanation(found) if len(found) <= MOST_SAID else ""
