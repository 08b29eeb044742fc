"""Reading an estimate and its confidence: "30 GB, 80 %", "30 GB at 0.8", "80 % sure: 30 GB", a pair, or the fields of a form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.blanks import is_blank, visible
from shardwise.kinds.estimate.model import EstimateForm
from shardwise.kinds.quantity import KIND as QUANTITY
from shardwise.units import Reading, unit

LONGEST = 200  # characters of an answer
FIELDS = ("value", "confidence")  # of a form

_BEFORE = (
    r"(?:about|around|approximately|approx\.?|roughly|only|quite|very|pretty|fairly|at least|at|with|and|is|of|an?|my|i[’' ]?a?m|i[’']m|conf(?:idence)?"
    r"|credence|probability|prob\.?|certainty|certain|sure|confident|p|c)"
)
_AFTER = r"(?:sure|confident|confidence|conf\.?|credence|certain|certainty|likely|likelihood|probable|probability|chance|of the time)"
_PERCENT = r"%|per\s?cent\b|pct\b\.?"
_SHARE = (
    r"(?<!\d)(?<!\d[.,])(?:(?P<even>(?:fifty|50)\s?[-/:]\s?(?:fifty|50)(?!\d))"
    rf"|(?P<top>\d{{1,3}})(?:\s(?:in|out\sof)\s|\s?/\s?)(?P<all>\d{{1,3}})(?!\d)"
    rf"|(?P<number>\d+(?:[.,]\d+)?|[.,]\d+)(?![\d.,]*\d)\s?(?P<sign>{_PERCENT})?)"
)
_FILL = r"[\s:=~≈(\[]*"
_WORDS = rf"(?P<words>(?:(?<![A-Za-z]){_BEFORE}(?![A-Za-z]){_FILL})*)"
_JOINT = rf"(?P<joint>\s*[,;:|@(\[]{_FILL}|\s+[-–—/]\s+|\s+[~≈]?)"
_END = rf"(?:\s|{_AFTER}(?![A-Za-z]))*[\s.!)\]]*"
_LAST = re.compile(rf"(?P<rest>.*?\S){_JOINT}{_WORDS}{_SHARE}{_END}", re.IGNORECASE | re.DOTALL)
_FIRST = re.compile(
    rf"[~≈]?{_WORDS}{_SHARE}(?P<said>(?:\s|{_AFTER}(?![A-Za-z]))*)(?:[,;:–—-]|that|it|is|it[’']s|\s)*\s(?P<rest>[^\s].*)",
    re.IGNORECASE | re.DOTALL,
)
_ALONE = re.compile(rf"[~≈]?\s*{_WORDS}{_SHARE}{_END}", re.IGNORECASE)
_SPAN = re.compile(r"\d\D*?(?:\bto\b|\band\b|\.\.|[–—]|\s-\s|(?<=\d)-(?=\d))\s*~?\d", re.IGNORECASE)

_WORD = re.compile(rf"\(?(?:{_BEFORE}|{_AFTER})[.,;!)]*", re.IGNORECASE)
_PER_CENT = ("%", "percent", "per cent")


@dataclass(frozen=True)
class ReadEstimate:
    """An order of magnitude, and the probability that it is right."""

    reading: Reading
    confidence: float  # from 0 to 1

    @property
    def text(self) -> str:
        """How it was read, in one spelling."""
        return f"{self.reading.text}, {percent(self.confidence)}"


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.8), percent(0.125)
    ('80 %', '12.5 %')
    """
    return f"{100 * share:.4g} %"


def estimate_of(form: EstimateForm, raw: Any) -> ReadEstimate:
    """Read a student's estimate. Raises Unreadable."""
    if isinstance(raw, str):
        return _of_text(form, raw)
    if isinstance(raw, Mapping) and raw and set(raw) <= set(FIELDS):
        return _of_parts(form, *(raw.get(name) for name in FIELDS))
    if isinstance(raw, list | tuple) and len(raw) == 2:
        return _of_parts(form, *raw)
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        raise _without_confidence(form, QUANTITY.parse(form, raw))
    raise Unreadable("I expected an estimate with its unit, and a confidence.")


def _of_parts(form: EstimateForm, value: Any, confidence: Any) -> ReadEstimate:
    if is_blank(value):
        raise Unreadable("The estimate itself is missing.")
    if is_blank(confidence) and isinstance(value, str):  # the first field may contain both
        return _of_text(form, value)
    reading = _value(form, value)
    if is_blank(confidence):
        raise _without_confidence(form, reading)
    return ReadEstimate(reading, confidence_of(confidence))


def _of_text(form: EstimateForm, raw: str) -> ReadEstimate:
    if len(raw) > LONGEST:
        raise Unreadable(
            f"I couldn't read an answer of {len(raw):,} characters. A number with its unit and a confidence are enough."
        )
    text = _bare(raw)
    last, first = _LAST.fullmatch(text), _FIRST.fullmatch(text)
    either = (first, last) if first and first["said"].strip() else (last, first)  # "80 % sure: 30 GB"
    signed = [found for found in either if found and (found["sign"] or found["even"])]
    if signed == [first] and unit(form.unit).text in _PER_CENT:  # a percentage is asked for: "30 %, 80"
        signed = []
    found = next(iter(signed), last if last and _stands_apart(last) else None)
    if found:
        return ReadEstimate(_value(form, _bare(found["rest"])), _share(found))
    if (alone := _ALONE.fullmatch(text)) and alone["sign"] and unit(form.unit).text not in _PER_CENT:
        raise Unreadable("The estimate itself is missing.")
    raise _without_confidence(
        form, _value(form, _without_words(text))
    )  # what is wrong with the number is reported first


def _bare(text: str) -> str:
    """Return a text without surrounding brackets and quotes, and without a final comma."""
    text = " ".join(visible(text).split())
    for _ in range(3):
        if len(text) > 1 and text[0] + text[-1] in ("()", "[]", '""', "''", "``", "“”", "‘’"):
            text = text[1:-1].strip()
    return text.rstrip(",;").strip("\"'`“”").strip()


def _without_words(text: str) -> str:
    """Return a text without final words about confidence that contain no number, as in "30 GB, very sure"."""
    words = text.split()
    while len(words) > 1 and _WORD.fullmatch(words[-1]):
        words.pop()
    return _bare(" ".join(words))


def _stands_apart(found: re.Match[str]) -> bool:
    """Return whether a number after an estimate is a confidence although it has no % sign: words say so, or a separator precedes it.

    In "about 30" nothing before the number can be an estimate.
    """
    if re.search(r"\d", found["rest"]) is None:
        return False
    is_said = found["words"].strip() or found["joint"].strip(" ~≈")
    return bool(is_said or (found["number"] and found["rest"][-1] not in "0123456789^*x×+-/"))


def _value(form: EstimateForm, raw: Any) -> Reading:
    try:
        reading = QUANTITY.parse(form, raw)
    except Unreadable:
        if isinstance(raw, str) and _SPAN.search(raw[:LONGEST]):
            raise Unreadable(
                f"Is “{' '.join(raw.split())[:60]}” a range? Give one number, in the middle of it. "
                f"It is right within a factor of {form.within:.2g} either way."
            ) from None
        raise
    if reading.value <= 0:
        raise Unreadable(f"{reading.text} is not above 0, so it has no order of magnitude.")
    return reading


def confidence_of(raw: Any) -> float:
    """Read a confidence without an estimate. Raises Unreadable."""
    if (
        isinstance(raw, bool)
        or not isinstance(raw, str | int | float)
        or (isinstance(raw, float) and not math.isfinite(raw))
    ):
        raise Unreadable("I expected a confidence in per cent, such as 80 %.")
    if isinstance(raw, str):
        found = _ALONE.fullmatch(_bare(raw[:LONGEST]))
        if found is None:
            raise Unreadable(f"I couldn't read “{raw[:60]}” as a confidence. Write it in per cent, such as 80 %.")
        return _share(found)
    if isinstance(raw, int) and not 0 <= raw <= 100:  # it may be larger than any float
        raise _no_confidence(str(raw))
    return _of_number(float(raw), is_percent=False, is_share=isinstance(raw, float))


def _share(found: re.Match[str]) -> float:
    """Return the confidence that a text names. Raises Unreadable."""
    if found["even"]:
        return 0.5
    if found["top"]:
        if not 0 <= int(found["top"]) <= int(found["all"]) or found["all"] == "0":
            raise Unreadable(f"{found['top']} of {found['all']} is not a confidence, which is between 0 and 100 %.")
        return int(found["top"]) / int(found["all"])
    number = found["number"].replace(",", ".")
    return _of_number(float(number), is_percent=bool(found["sign"]), is_share="." in number)


def _of_number(number: float, *, is_percent: bool, is_share: bool) -> float:
    """Return a confidence that may be a percentage or a share; with `is_share`, 1 means 100 %."""
    if is_percent and 0 < number < 1:
        raise Unreadable(f"Is your confidence {number:g} % or {100 * number:g} %? Write it in per cent, such as 80 %.")
    if not is_percent and number == 1 and not is_share:
        raise Unreadable("Is your confidence 1 % or 100 %? Write it with its sign, such as 80 %.")
    if not 0 <= number <= 100:
        raise _no_confidence(f"{number:.15g}")
    return number if not is_percent and number <= 1 else number / 100


def _no_confidence(number: str) -> Unreadable:
    cut = number if len(number) <= 20 else f"{number[:20]}..."
    return Unreadable(f"A confidence is between 0 and 100 %, and this is {cut}.")


def _without_confidence(form: EstimateForm, reading: Reading) -> Unreadable:
    return Unreadable(
        f"I read {reading.text}. How sure are you that this is right within a factor of {form.within:.2g}? "
        "Add that in per cent."
    )
