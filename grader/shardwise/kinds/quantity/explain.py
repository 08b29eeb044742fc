"""Explanations: how a wrong number comes about, reported only if the question makes it likely.

Slips with the question's own parameters are in its key; those of every question are in `general`. Explanations that fit
all digits of an answer are reported, up to three together; if more fit, none is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from shardwise.kinds.quantity.general import (
    BITS,
    FEWEST,
    FINE,
    INVERSE,
    LAST_BITS,
    ROUNDED,
    Asked,
    everywhere,
    is_ratio,
    number_in,
    significant_figures,
)
from shardwise.units import unit

ONE_OFF = "Close. Check the ends and the rounding: do the first and the last one count, and may the limit be reached?"
NOT_WHOLE = "You did not round, but only a whole number can be right here. Do you round up or down, and why?"
LEAST_FACTOR = 3  # a smaller factor has too many causes
MOST_SAID = 3  # explanations of one number

_FAR_FETCHED = re.compile(
    r"^You (squared|cubed|doubled .+ instead of squaring|swapped|inverted|used `[^`]+ [+−] 1` instead|(doubled|halved) .+ once or twice"
    r"|took the square root|used the [\w-]+ logarithm|did not (multiply|divide) by .+ or )"
    r"| instead of (multiplying|dividing) by (it|them)\.$"
)


def explanation(found: Sequence[str]) -> str:
    """Return the feedback on a wrong value that these reasons explain; "" if there are none, or too many."""
    if 1 < len(found) <= MOST_SAID:
        return f"Each of these would give your number. Which one applies?\n\n{_as_list(found)}"
    return found[0] if len(found) == 1 else ""


def beside(mistake: str, others: Sequence[str]) -> str:
    """Return the feedback on a recognised mistake, with the few other slips that give the same number in this draw."""
    if not 0 < len(others) < MOST_SAID:
        return mistake
    slips = "Another slip gives" if len(others) == 1 else "Other slips give"
    return f"{mistake}\n\n{slips} the same number here:\n\n{_as_list(others)}"


def nearby(mistake: str) -> str:
    """Return the feedback on an answer close to a recognised mistake that does not have all its digits."""
    return f"Your number is close to that of a known mistake. Is this what you did?\n\n{_as_list([mistake])}"


def is_far_fetched(reason: str) -> bool:
    """Return whether a reason is too unlikely, or too vague, to appear next to a recognised mistake."""
    return _FAR_FETCHED.search(reason) is not None


def _as_list(found: Sequence[str]) -> str:
    return "\n".join(f"- {reason}" for reason in found)


def reasons(given: float, asked: Asked, slips: Sequence[tuple[float, str]], *, step: float = 0.0) -> list[str]:
    """Return every explanation that fits, each once.

        A factor of units may also be the value of a parameter; then both are reported. `step` is the place value of the
    answer's last digit: of several slips close to the answer, those with all its digits are meant.
    """
    found = slips_made(given, asked.key, slips, exact=asked.exact, step=step)
    more = everywhere(given, asked, step=step, is_own=not found)
    same = [
        general
        for word, general in (("inverted", INVERSE), ("bits or bytes", BITS))
        if any(word in made for made in found)
    ]
    more = [reason for reason in more if not reason.startswith(tuple(same))]
    return list(dict.fromkeys((*found, *more)))


def slips_made(given: float, key: float, slips: Sequence[tuple[float, str]], *, exact: bool, step: float) -> list[str]:
    """Return the slips with the question's parameters that give an answer, each as a sentence.

    A far-fetched slip must have all digits of the answer, and the answer at least three of them.
    """
    is_whole = exact and float(given).is_integer()
    most = (FINE if exact or significant_figures(given, step) > 3 else ROUNDED) * abs(given)
    reach = min(step / 2, most) if is_whole else min(max(step / 2, FINE * abs(given)), most)
    last = step / 2 if significant_figures(given, step) >= FEWEST else 0.0
    near = [(value, what_you_did(how)) for value, how in slips if _is_near(given, value, key, reach)]
    near = _with_its_digits(near, given, step) or near
    return [
        said for value, said in near if not is_far_fetched(said) or abs(given - value) <= last + LAST_BITS * abs(given)
    ]


def what_you_did(how: str) -> str:
    """Return what a student did as a sentence; some end with a question."""
    return f"You {how}" if how.endswith("?") else f"You {how}."


def of_a_number(given: float, key: float, numbers: Mapping[str, str], within: float) -> list[str]:
    """Return the feedback on an answer that is off by a factor equal to a number of the question; one for each such number.

    `numbers` are the parameters that the prompt shows, each with its name in words; `within` is a relative tolerance.
    """
    ratio = max(given / key, key / given) if given * key > 0 else 0.0
    return [
        f"You are off by a factor as large as {said}. Did you omit it, or count it once too often?"
        for text, said in numbers.items()
        if number_in(text) >= LEAST_FACTOR and is_ratio(ratio, number_in(text), within)
    ]


def one_off(given: float, key: float, *, unit_text: str, exact: bool) -> str:
    """Return the feedback on a count that is off by one, or not whole, if the exact count is required."""
    if not (exact and unit(unit_text).is_count and float(key).is_integer()):
        return ""
    if not float(given).is_integer():
        return NOT_WHOLE if abs(given - key) < 1 else ""
    return ONE_OFF if abs(given - key) == 1 else ""


def _is_near(given: float, value: float, key: float, reach: float) -> bool:
    """Return whether an answer is this value, possibly rounded, and not somewhere between it and the key."""
    return abs(given - value) <= min(reach + LAST_BITS * abs(given), abs(value - key) / 3)


def _with_its_digits(slips: Sequence[tuple[float, str]], given: float, step: float) -> list[tuple[float, str]]:
    """Return the slips that agree with all digits of an answer."""
    return [(value, how) for value, how in slips if abs(given - value) <= step / 2 + LAST_BITS * abs(given)]


def as_near(slips: Sequence[tuple[float, str]], given: float, step: float, mistake: float) -> list[tuple[float, str]]:
    """Return the slips that are as close to an answer as its recognised mistake is, up to the last digit."""
    reach = max(2 * abs(given - mistake), step / 2 + LAST_BITS * abs(given))
    return [(value, how) for value, how in slips if abs(given - value) <= reach]
