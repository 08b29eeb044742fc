"""CSV tables from an instructor, as spreadsheets and learning platforms write them."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from shardwise.errors import Fault, Faulty
from shardwise.text_files import read_bounded

_MOST = 50_000_000  # bytes; a student's line has about 50
_AS_CSV = "Save the table as CSV: in Excel, as “CSV UTF-8 (Comma delimited)”."
_WORKBOOKS = b"PK\3\4", b"\xd0\xcf\x11\xe0"  # how a zip archive (xlsx, ods, numbers) and an old xls begin


@dataclass(frozen=True)
class Table:
    """The column names, and each row's values by column with the number of the row's last line."""

    columns: Sequence[str]
    rows: Sequence[tuple[int, dict[str, str]]]

    @property
    def seen(self) -> str:
        """A description of the first line."""
        return ", ".join(filter(None, self.columns)) or "empty"


def load_table(path: Path, remedy: str = "") -> Table:
    """Read a table, without its empty rows. Raises Faulty if it cannot be read, with the remedy if it does not exist.

    The text may be UTF-8, UTF-16 with a byte order mark, or Windows-1252; columns are separated by commas, semicolons or tabs.
    """
    try:
        text = _text(read_bounded(path, _MOST), path)
    except OSError as error:
        raise Faulty([Fault(str(path), f"cannot be read: {error.strerror}", remedy)]) from None
    lines = io.StringIO(text, newline="")  # str.splitlines() would also split at characters that are valid in a name
    reader = csv.DictReader(lines, restval="", delimiter=_separator(text))
    try:
        reader.fieldnames = columns = [name.strip() for name in reader.fieldnames or ()]
        rows = [(reader.line_num, row) for row in reader if any(map(_is_filled, row.values()))]
    except csv.Error as error:  # a field may be far too long
        raise Faulty(
            [Fault(str(path), f"is not a CSV table: {error}", "Check that every quotation mark is closed.")]
        ) from None
    return Table(columns, rows)


def _is_filled(cell: str | list[str]) -> bool:
    return bool("".join(cell).strip())  # a row with more cells than the first line has a list of them


def _text(raw: bytes, path: Path) -> str:
    """Return the text of a table. Raises Faulty for a workbook, and for text in no encoding or in two."""
    if raw.startswith(_WORKBOOKS):
        raise Faulty([Fault(str(path), "is a workbook of a spreadsheet, not a CSV table", _AS_CSV)])
    is_utf_16 = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if is_utf_16 else "utf-8-sig" if _is_utf_8(raw) else "cp1252"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        what = f"cannot be read as text: byte {raw[error.start]:#x} is not in the encoding of the rest of the file"
        raise Faulty([Fault(f"{path}:{line}:1", what, _AS_CSV)]) from None
    if "\0" in text:
        raise Faulty([Fault(str(path), "is not text", _AS_CSV)])
    for number, each in enumerate(text.split("\n"), start=1):
        if restored := _restored(each):
            what = f"{each.strip()[:80]!r} should be {restored.strip()[:80]!r}: the table was opened in a wrong encoding and saved"
            raise Faulty(
                [Fault(f"{path}:{number}:1", what, "Export it again, and edit it only after an import as UTF-8.")]
            )
    return text


def _restored(line: str) -> str:
    """Restore a line whose UTF-8 was read as Windows-1252; empty for any other line.

    >>> _restored("LÃ¶we"), _restored("Löwe"), _restored("JOÃO")
    ('Löwe', '', '')
    """
    with suppress(UnicodeError):
        return "" if line.isascii() else line.encode("cp1252").decode("utf-8")
    return ""


def _is_utf_8(raw: bytes) -> bool:
    """Return whether text is UTF-8, perhaps with damaged bytes; read as Windows-1252, its ö would become Ã¶."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return not raw.decode(errors="ignore").isascii()
    return True


def _separator(text: str) -> str:
    """Return the most frequent separator outside quotation marks in the first line."""
    first = re.sub(r'"[^"]*"', "", text.partition("\n")[0])
    return max(",;\t", key=first.count)
