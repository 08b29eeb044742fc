"""Units of the field, and numbers with units: read from what people write, kept in base units, written back.

Base units are the byte, the second, the FLOP, the dollar, the joule, and one of each thing that is counted.
"""

from shardwise.units.amounts import DIRECTIONS, Direction, from_base, show, show_number, to_base
from shardwise.units.parsing import Unit, unit
from shardwise.units.reading import Reading, read

__all__ = [
    "DIRECTIONS",
    "Direction",
    "Reading",
    "Unit",
    "from_base",
    "read",
    "show",
    "show_number",
    "to_base",
    "unit",
]
