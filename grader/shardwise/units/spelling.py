"""Spelling: numbers with units as students write them, converted to one notation."""

from __future__ import annotations

import re

from shardwise.units.amounts import Direction
from shardwise.units.numerals import MULTIPLES, NUMERAL

_SPACES = re.compile(r"[\s\u00a0\u2007\u2009\u202f\u200b-\u200d\u2060\ufeff]+")  # including invisible ones
_WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # ５ ＧＢ, as an input method writes 5 GB
_NARROW = str.maketrans(_WIDE)
_SPELT = str.maketrans(_WIDE | dict(zip("−–‐‑∼≃≅{}[]", "----~≈≈()()", strict=True)))
_LATEX = re.compile(r"\\(?:text|mathrm)\s*\{([^{}]*)\}|\$([\d.,]+|[^$]*\\[^$]*)\$|\\(?=%)")
_LATEX_SIGNS = re.compile(r"\\(?:(times|cdot)(?![A-Za-z])|[,;:! ])")
_AROUND = re.compile(r"(\*\*|[`'\"“‘])(.*)(?:\*\*|[`'\"”’])")
_PER = re.compile(r"[ *·]([A-Za-zµμ]+)(?:\^\(?-1\)?|⁻¹)")  # GB s^-1
_MONEY = re.compile(rf"(?:(?:US ?)?\$|USD) ?(~?{NUMERAL.pattern}) ?({MULTIPLES})?(?![A-Za-z])(?: dollars?)?")
_OF_CO2 = re.compile(r"(?<=[A-Za-z]) ?(?:of )?CO[2₂](?:[ -]?(?:eq?|equivalents?))?(?![A-Za-z])")  # 420 g CO2e/kWh
_DIRECTED = re.compile(
    r"[\s,]*\(?(?:(?P<single>(?:per|in each|in one|each|one) direction|each way|one[- ]way|unidirectional)"
    r"|(?P<both>duplex|bidirectional|both directions(?: together)?|both ways))\)?\s*$"
)
_LABEL = re.compile(r"^[A-Za-z][A-Za-z /]{0,40}:\s*")
_NAME = re.compile(r"(?!\d)\w[^=≈]{0,60}")
_AGAIN = re.compile(r"(.*[^\s*/+(^-])\s+\(([^()]*\d[^()]*)\)")
_LEAD = re.compile(
    r"^(?:~|:|[≤≥]|(?:a )?factor(?: of)?|by|at least|at most|up to|no more than|no less than|no fewer than|about|around|approximately|approx\.?|roughly|circa|ca\.?|exactly|just|so|after"
    r"|maybe|perhaps|probably|lr|degree|(?:[TDPCE]P|SP)(?:[ -](?:degree|size))?(?=[ -]?\d)-?"
    r"|(?:the |my )?(?:answer|result)(?: is)?|it is|it's|I (?:get|got|think|find)|(?:it |that )?(?:takes|needs)"
    r"|(?:a )?(?:share|ratio|fraction|learning rate)(?: of)?)"
    r"(?![A-Za-z])\s*",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"[\s,]+\(?(?:of (?:data|memory|traffic|training|compute|gradients|weights|activations)|saved|needed|long|later|exactly|in total|total|altogether|overall|each|apiece|approx\.?|approximately|or so|faster|slower|larger|smaller|higher|lower|"
    r"longer|shorter|more|less|as (?:much|many|fast|large|long)|I (?:think|guess|believe|hope)|maybe|perhaps|probably|not sure)\)?$",
    re.IGNORECASE,
)


def narrow(text: str) -> str:
    """Return a text with plain letters, digits and signs for full-width ones.

    >>> narrow("２Ｍ＋１")
    '2M+1'
    """
    return text if text.isascii() else text.translate(_NARROW)


def plain_text(text: str, *, has_powers: bool = False) -> str:
    """Return the text with uniform spaces, signs, brackets and money, without LaTeX, quotation marks and a final full stop.

    With `has_powers`, units keep exponents of -1: J kg^-1 K must not become J/kg K, which people write for J/(kg K).
    """
    plain = _LATEX.sub(lambda found: found[1] or found[2] or "", text)
    plain = _LATEX_SIGNS.sub(lambda found: "*" if found[1] else " ", _LATEX.sub(lambda found: found[1] or "", plain))
    plain = _SPACES.sub(" ", plain.translate(_SPELT)).strip()
    plain = re.sub(r"(?:(?<=[\w%)])| )(?:[.!?]+|\(\?\)|…)$|^(?:[=-]>|→|⇒) ?|(?<=\b[Mm]io)\.", "", plain)
    plain = found[2] if (found := _AROUND.fullmatch(plain)) else plain
    plain = re.sub(r"^[<>]= ?", "≥", plain)  # not a sign between two sides
    plain = re.sub(r"(?<=\d) \(([A-Za-zµ/]{1,12})\)$", r" \1", plain)
    plain = plain if has_powers else _PER.sub(r"/\1", plain)
    plain = re.sub(r"(?<=\d)-(?=(?:fold|way)\b)", " ", plain)
    plain = re.sub(r"×$", "x", _OF_CO2.sub("", plain))
    return _MONEY.sub(r"\1 \2 dollar", plain).strip()


def without_direction(text: str) -> tuple[str, Direction]:
    """Return the text before the words for a direction, and that direction."""
    found = _DIRECTED.search(text)
    if found is None:
        return text, "none"
    return text[: found.start()].strip(), "per direction" if found["single"] else "duplex"


def sides(text: str) -> list[str]:
    """Return the sides of an equation, without a leading name: "t = 70 ms = 0.07 s" has two sides."""
    text = re.sub(r"\(\s*[=≈]", "(", _LABEL.sub("", text))
    found = [side.strip() for side in re.split(r"[=≈]", text)]
    if len(found) > 1 and (_NAME.fullmatch(found[0]) or not found[0]):
        found = found[1:]
    if len(found) == 1 and (again := _AGAIN.fullmatch(found[0])):
        found = [again[1], again[2]]
    return [_without_remarks(side) for side in found]


def _without_remarks(side: str) -> str:
    """Return a side without words that do not affect its number: "about", "in total"."""
    for pattern in (_LEAD, _REMARK):
        for _ in range(3):
            side = pattern.sub("", side).strip()
    return side
