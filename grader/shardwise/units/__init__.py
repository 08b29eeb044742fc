"""Units of the field, and numbers with units: read from what people write, kept in base units, and printed.

Base units are the byte, the second, the FLOP, the dollar, the joule, the gram, and one of everything that is counted.
"""

from shardwise.units.amounts import (
    DIRECTIONS,
    THIN_SPACE,
    Direction,
    from_base,
    regrouped,
    show_amount,
    show_number,
    to_base,
)
from shardwise.units.arithmetic import TRIGONOMETRY
from shardwise.units.nouns import in_plural, normal, nouns_asked_for, nouns_in
from shardwise.units.numerals import SUPERSCRIPTS, lowered, raised
from shardwise.units.parsing import Unit, unit
from shardwise.units.reading import Reading, read
from shardwise.units.spelling import narrow
from shardwise.units.systems import qualified, system_of, system_text

__all__ = [
    "DIRECTIONS",
    "SUPERSCRIPTS",
    "THIN_SPACE",
    "TRIGONOMETRY",
    "Direction",
    "Reading",
    "Unit",
    "from_base",
    "in_plural",
    "lowered",
    "narrow",
    "normal",
    "nouns_asked_for",
    "nouns_in",
    "qualified",
    "raised",
    "read",
    "regrouped",
    "show_amount",
    "show_number",
    "system_of",
    "system_text",
    "to_base",
    "unit",
]
