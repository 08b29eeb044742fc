"""Judging a number: whether it is near enough, or else which recognised mistake or slip it is, or how far off it lies."""

from __future__ import annotations

import math

from shardwise.kinds.quantity.explain import (
    CAME_OUT,
    FINE,
    ROUNDED,
    as_near,
    beside,
    explanation,
    figures,
    is_far_fetched,
    nearby,
    one_off,
    reasons,
)
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey, near, tolerance_in_base_units
from shardwise.question import Question, Verdict
from shardwise.units import Reading

CLOSE = 3  # tolerances; rounding on the way seldom makes more of a difference


def judged(question: Question, form: QuantityForm, key: QuantityKey, value: Reading) -> Verdict:
    """A verdict on an answer, by the most favourable of its readings."""
    readings = value.each(key.value)
    if is_near(form, key, readings[0].value):
        return Verdict(credit=1.0)
    verdicts = [_verdict(question, form, key, reading) for reading in readings]
    known = next((verdict for verdict in verdicts if verdict.say), None)
    return known or Verdict(credit=0.0, say=_how_far(readings[0].value, form, key))


def is_near(form: QuantityForm, key: QuantityKey, number: float) -> bool:
    """Whether a number, in base units, lies within the tolerance around the key."""
    return near(number, key.value, _allowed(form, key, key.value))


def _allowed(form: QuantityForm, key: QuantityKey, value: float) -> float:
    """The tolerance around a value, both in base units."""
    return tolerance_in_base_units(value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs)


def _is_exact(key: QuantityKey) -> bool:
    """Whether the number is asked for exactly, or to within so much."""
    return key.abs_tol is not None


def _verdict(question: Question, form: QuantityForm, key: QuantityKey, value: Reading) -> Verdict:
    """What is wrong with a reading of an answer; nothing is said where that is not known."""
    exact = _is_exact(key)
    index = _mistake(form, key, value, sure=True)
    near_slips = (
        key.slips if index is None else as_near(key.slips, value.value, value.step, mistake=key.mistakes[index].value)
    )
    others = reasons(
        value.value,
        key.value,
        slips=near_slips,
        traits=key.traits,
        unit_text=form.unit,
        exact=exact,
        shown=tuple(str(shown) for shown in question.params.values() if not isinstance(shown, bool)),
        step=value.step,
    )
    if index is not None:
        mistake = key.mistakes[index]
        # Of a ratio's other names none is an accident: they say what the mistake says.
        by_size = () if mistake.steady else ("You are off by a", "You are exactly")
        accidents = [reason for reason in others if reason.startswith((CAME_OUT, *by_size))]
        near_ones = [reason for reason in accidents if not is_far_fetched(reason)]
        return Verdict(credit=0.0, say=beside(mistake.say, near_ones), mistake=index)
    said = explanation(others) or " ".join(one_off(value.value, key.value, unit_text=form.unit, exact=exact))
    near_by = _mistake(form, key, value, sure=False)
    if not said and near_by is not None:
        said = nearby(key.mistakes[near_by].say)
    return Verdict(credit=0.0, say=said)


def _mistake(form: QuantityForm, key: QuantityKey, given: Reading, *, sure: bool) -> int | None:
    """The recognised mistake that an answer is, the nearest of several: a count is exact, a wrong one may be rounded.

    Whoever writes many figures means that very number: only one that has them is surely the mistake.
    """
    far = [abs(given.value - mistake.value) for mistake in key.mistakes]
    for index in sorted(range(len(far)), key=far.__getitem__):
        value = key.mistakes[index].value
        allowed = _allowed(form, key, value)
        if _is_exact(key):
            last = given.step / 2 if value.is_integer() else given.step  # half a GPU may be rounded up or down
            rounded = min(ROUNDED * abs(value), abs(value - key.value) / 3, last if sure else math.inf)
            allowed = max(allowed, rounded)
        elif sure and figures(given.value, given.step) > 3:
            allowed = min(allowed, FINE * abs(value))
        if near(given.value, value, allowed):
            return index
    return None


def _how_far(given: float, form: QuantityForm, key: QuantityKey) -> str:
    """A nudge that tells the direction but not the number."""
    right, allowed = key.value, _allowed(form, key, key.value)
    if right and given * right > 0:
        if abs(given - right) <= max(CLOSE * allowed, ROUNDED * abs(right)):
            why = "this number is asked for exactly" if _is_exact(key) else "outside the tolerance"
            return f"Close, but {why}. Is something rounded on the way?"
        ratio = given / right
        way = "high" if ratio > 1 else "low"
        if 0.9 < ratio < 1.1:
            return f"Too {way}, by less than a tenth. Is something small left out, or counted that does not belong?"
        for times, said in ((2, "exactly twice"), (0.5, "exactly half of")):
            if near(given, times * right, times * allowed):
                return f"Too {way}: {said} the right number."
        far = max(ratio, 1 / ratio)
        size = "more than ten times" if far > 10 else "more than twice" if far > 2 else "less than twice"
        return f"Too {way}: {size} off."
    if right and given:
        return "Its sign is wrong."
    return "It is not 0." if right else "That is not it."
