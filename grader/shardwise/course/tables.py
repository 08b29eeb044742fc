"""Tables that an instructor hands over as CSV, as spreadsheets and learning platforms write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.errors import Fault, Faulty
from shardwise.text_files import read_bounded

_MOST = 50_000_000  # bytes; a line for each student has about 50


@dataclass(frozen=True)
class Table:
    """The names in the first line, and the number of each further row's last line with the row's values by these names."""

    columns: Sequence[str]
    rows: Sequence[tuple[int, dict[str, str]]]

    @property
    def seen(self) -> str:
        """The first line, in words."""
        return ", ".join(self.columns) or "nothing"


def load_table(path: Path, remedy: str = "") -> Table:
    """Read a table. Raises Faulty where it cannot be read, with a remedy where it is not there."""
    try:
        text = read_bounded(path, _MOST).decode("utf-8-sig")
    except OSError as error:
        raise Faulty([Fault(str(path), f"cannot be read: {error.strerror}", remedy)]) from None
    except UnicodeDecodeError:
        raise Faulty([Fault(str(path), "is not UTF-8 text", "Save the table as CSV in UTF-8.")]) from None
    lines = io.StringIO(text, newline="")  # str.splitlines() would also split at what may stand in a name
    reader = csv.DictReader(lines, restval="", delimiter=_separator(text))
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:  # a field that is far too long
        raise Faulty([Fault(str(path), f"is no table: {error}", "See that every quote in it is closed.")]) from None
    return Table(tuple(reader.fieldnames or ()), rows)


def _separator(text: str) -> str:
    """What stands between the columns: a comma, or what spreadsheets of some countries write."""
    first = text.partition("\n")[0]
    return next((mark for mark in (",", ";", "\t") if mark in first), ",")
