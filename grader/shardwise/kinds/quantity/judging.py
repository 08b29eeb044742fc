"""Judging a number: whether it is within the tolerance, or else which recognised mistake or slip it is, or how far off it is."""

from __future__ import annotations

import math
import re
from typing import Protocol

from shardwise.kinds.quantity.explain import (
    as_near,
    beside,
    explanation,
    is_far_fetched,
    nearby,
    of_a_number,
    one_off,
    reasons,
    slips_made,
)
from shardwise.kinds.quantity.general import (
    FEWEST,
    FINE,
    ROUNDED,
    Asked,
    Trait,
    clocks_in,
    everywhere,
    significant_figures,
)
from shardwise.kinds.quantity.model import KnownMistake, QuantityForm, QuantityKey, near, tolerance
from shardwise.kinds.quantity.slips.twins import is_another_cause
from shardwise.kinds.quantity.slips.words import is_understood, words
from shardwise.question import Feedback, Question
from shardwise.units import Reading, show_amount, unit


class HasNumber(Protocol):
    """A key with a number, and the subject of its question."""

    @property
    def value(self) -> float: ...
    @property
    def traits(self) -> tuple[Trait, ...]: ...


TWO = "If that is not it, factors of two also come from directions, phases, bytes per element, or forward and backward passes."
LAST = 1e-6  # relative; the rounding error of a computed factor
CLOSE = 3  # tolerances; intermediate rounding seldom makes a larger difference


def judged_quantity(question: Question, form: QuantityForm, key: QuantityKey, value: Reading) -> Feedback:
    """Judge an answer by the most favourable of its readings."""
    readings = value.each(key.value)
    if is_near(form, key, readings[0].value):
        return Feedback.judged(question, 1.0)
    verdicts = [_verdict(question, form, key, reading) for reading in readings]
    known = next((verdict for verdict in verdicts if verdict.say), None)
    given = readings[0].value
    return known or Feedback.judged(question, 0.0, _how_far(given, form, key) + _wholeness(given, form, key))


def is_near(form: QuantityForm, key: QuantityKey, number: float) -> bool:
    """Return whether a number, in base units, is within the tolerance around the key."""
    return near(number, key.value, tolerance_around(form, key, key.value))


def tolerance_around(form: QuantityForm, key: QuantityKey, value: float) -> float:
    """Return the tolerance around a value, both in base units."""
    return tolerance(value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs)


def _is_exact(key: QuantityKey) -> bool:
    """Return whether the question asks for the exact number, or has an absolute tolerance."""
    return key.abs_tol is not None


def _verdict(question: Question, form: QuantityForm, key: QuantityKey, value: Reading) -> Feedback:
    """Return the feedback on a wrong reading of an answer; without words if the cause is unknown."""
    index = _mistake(form, key, value, sure=True)
    if index is not None:
        said = _with_twins(question, form, key, value, key.mistakes[index])
        return Feedback.judged(question, 0.0, said, mistake=index)
    if _is_key_rounded(form, key, value):
        return Feedback.judged(question, 0.0, _rounded_too_far(key, value))
    exact = _is_exact(key)
    found = reasons(value.value, asked_by(question, form.unit, key, exact=exact), key.slips, step=value.step)
    likely = [reason for reason in found if not is_far_fetched(reason)]
    said = explanation(likely) or _stop(key, value)
    if not said and not likely:
        said = explanation(_of_a_number(question, key, value)) or explanation(found)
    near_by = None if said else _mistake(form, key, value, sure=False)
    if near_by is not None:
        said = nearby(key.mistakes[near_by].say)
    return Feedback.judged(question, 0.0, said or one_off(value.value, key.value, unit_text=form.unit, exact=exact))


def _of_a_number(question: Question, key: QuantityKey, value: Reading) -> list[str]:
    """Return whether an answer with at least three figures is off by a factor that is a number in the question."""
    if significant_figures(value.value, value.step) < FEWEST or not key.value or not value.value:
        return []
    within = min(ROUNDED, value.step / 2 / abs(value.value) + LAST) if value.step else LAST
    return of_a_number(value.value, key.value, printed_in(question), within)


def _with_twins(question: Question, form: QuantityForm, key: QuantityKey, value: Reading, mistake: KnownMistake) -> str:
    """Return the feedback for a recognised mistake, with other slips that give the same number.

    If the mistake is a fixed multiple of the key, a factor of units repeats the mistake, unless it has another cause.
    """
    exact = _is_exact(key)
    slips = as_near(key.slips, value.value, value.step, mistake=mistake.value)
    made = slips_made(value.value, key.value, slips, exact=exact, step=value.step)
    general = everywhere(value.value, asked_by(question, form.unit, key, exact=exact), step=value.step, is_own=False)
    by_size = [reason for reason in general if reason.startswith(("You are off by a", "Check", "Bits or bytes"))]
    by_size = [reason for reason in by_size if not mistake.steady or is_another_cause(reason, mistake.say)]
    others = [reason for reason in (*made, *by_size) if not is_far_fetched(reason)]
    is_measured = "data" in key.traits and not unit(form.unit).is_count
    if not others and is_measured and any(near(mistake.value, times * key.value, 0.0) for times in (2, 0.5)):
        return f"{mistake.say} {TWO}"
    return beside(mistake.say, others)


def asked_by(question: Question, unit_text: str, key: HasNumber, *, exact: bool) -> Asked:
    """Return what a question asks for, with its parameters as a student may read them."""
    shown = tuple(str(shown) for shown in question.params.values() if not isinstance(shown, bool))
    return Asked(key.value, unit_text, key.traits, exact, shown, clocks_in(question.prompt))


def printed_in(question: Question) -> dict[str, str]:
    """Return the parameters whose numbers the prompt shows, as printed there, each with its name in words."""
    found: dict[str, str] = {}
    for name, shown in question.params.items():
        text, phrase = str(shown), words(name)
        if isinstance(shown, bool) or not re.search(rf"(?<![\w.]){re.escape(text)}(?!\w|\.\d)", question.prompt):
            continue
        said = f"{phrase}, {text}" if is_understood(name, question.prompt) else text
        found[text] = said if text not in found else text  # if two parameters have the same number, only the number
    return found


def _stop(key: QuantityKey, given: Reading) -> str:
    """Return the feedback for an answer equal to one parameter or intermediate result; "" if several match."""
    reach = given.step / 2 if significant_figures(given.value, given.step) >= FEWEST else 0.0
    found = [say for value, say in key.stops if abs(given.value - value) <= reach + 1e-9 * abs(given.value)]
    return f"{found[0]} What is still missing?" if len(found) == 1 else ""


def _is_key_rounded(form: QuantityForm, key: QuantityKey, given: Reading) -> bool:
    """Return whether an answer is the right number with too few digits."""
    is_rounded = 0 < abs(given.value - key.value) <= given.step / 2 * (1 + 1e-9)
    others = [value for value, _ in (*key.slips, *key.stops) if near(given.value, value, 0.0)]
    return is_rounded and not others and not (unit(form.unit).is_count and given.step >= 1)


def _rounded_too_far(key: QuantityKey, given: Reading) -> str:
    wanted = key.sig_figs or (3 if key.abs_tol is None else 0)
    if wanted:
        return f"You rounded too far. Give {wanted} significant figures."
    return "You rounded too far. Give as many digits as the question asks for."


def _mistake(form: QuantityForm, key: QuantityKey, given: Reading, *, sure: bool) -> int | None:
    """Return the recognised mistake that an answer matches, the closest of several. Counts are exact, but wrong ones may be rounded.

    An answer with many figures means exactly that number, so only a mistake with the same figures surely matches.
    """
    far = [abs(given.value - mistake.value) for mistake in key.mistakes]
    for index in sorted(range(len(far)), key=far.__getitem__):
        value = key.mistakes[index].value
        allowed = tolerance_around(form, key, value)
        if _is_exact(key):
            last = given.step / 2 if value.is_integer() else given.step  # students may round half a node up or down
            rounded = min(ROUNDED * abs(value), abs(value - key.value) / 3, last if sure else math.inf)
            allowed = max(allowed, rounded)
        elif sure:
            rounding = FINE if significant_figures(given.value, given.step) <= 4 else FINE / 5
            allowed = min(allowed, given.step / 2 + rounding * abs(value))
        elif significant_figures(given.value, given.step) == FEWEST - 1:  # an answer with two figures of the mistake
            allowed = max(allowed, given.step / 2)
        if near(given.value, value, allowed):
            return index
    return None


def _wholeness(given: float, form: QuantityForm, key: QuantityKey) -> str:
    """Return a remark on an answer such as 7.5 cars if it must be a whole number; otherwise nothing."""
    if not form.whole or not float(key.value).is_integer() or float(given).is_integer():
        return ""
    things = show_amount(2, form.unit).partition(" ")[2]  # "2 cars"
    return f" Only a whole number{f' of {things}' if things else ''} can be right."


def _how_far(given: float, form: QuantityForm, key: QuantityKey) -> str:
    """Return a hint about the direction of the error, without revealing the number."""
    right, allowed = key.value, tolerance_around(form, key, key.value)
    if right and given * right > 0:
        if abs(given - right) <= max(CLOSE * allowed, ROUNDED * abs(right)):
            why = "the question asks for this number exactly" if key.abs_tol == 0 else "outside the tolerance"
            return f"Close, but {why}. Did you round in between?"
        ratio = given / right
        way = "high" if ratio > 1 else "low"
        if unit(form.unit).offset:  # a ratio of temperatures in °C means nothing
            return f"Too {way}."
        if 0.9 < ratio < 1.1:
            return (
                f"Too {way}, by less than 10 %. Did you omit something small, or count something that does not belong?"
            )
        if any(near(given, times * right, times * allowed) for times in (2, 0.5)):
            more = "" if unit(form.unit).system.has_powers else ": directions, phases, forward and backward passes"
            return f"Too {way}. Check for factors of two{more}."
        far = max(ratio, 1 / ratio)
        size = ", by more than a factor of 10" if far > 10 else ", by more than a factor of 2" if far > 2 else ""
        return f"Too {way}{size}."
    if right and given:
        return "The sign is wrong."
    if right:
        return "Zero would mean that nothing is left. Which term did you cancel, or round away?"
    return f"Too {'high' if given > 0 else 'low'}. Does anything remain once all terms are added up?"
