"""CSV tables from an instructor, as spreadsheets and learning platforms write them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shardwise.errors import Fault, Faulty
from shardwise.text_files import read_bounded

_MOST = 50_000_000  # bytes; a student's line has about 50


@dataclass(frozen=True)
class Table:
    """The column names, and each row's values by column with the number of the row's last line."""

    columns: Sequence[str]
    rows: Sequence[tuple[int, dict[str, str]]]

    @property
    def seen(self) -> str:
        """A description of the first line."""
        return ", ".join(self.columns) or "empty"


def load_table(path: Path, remedy: str = "") -> Table:
    """Read a table. Raises Faulty if it cannot be read, with the remedy if it does not exist."""
    try:
        text = read_bounded(path, _MOST).decode("utf-8-sig")
    except OSError as error:
        raise Faulty([Fault(str(path), f"cannot be read: {error.strerror}", remedy)]) from None
    except UnicodeDecodeError:
        raise Faulty([Fault(str(path), "is not UTF-8 text", "Save the table as CSV in UTF-8.")]) from None
    lines = io.StringIO(text, newline="")  # str.splitlines() would also split at characters that are valid in a name
    reader = csv.DictReader(lines, restval="", delimiter=_separator(text))
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:  # a field may be far too long
        raise Faulty(
            [Fault(str(path), f"is not a CSV table: {error}", "Check that every quotation mark is closed.")]
        ) from None
    return Table(tuple(reader.fieldnames or ()), rows)


def _separator(text: str) -> str:
    """Return the column separator: a comma, or the one that spreadsheets of some countries use."""
    first = text.partition("\n")[0]
    return next((mark for mark in (",", ";", "\t") if mark in first), ",")
