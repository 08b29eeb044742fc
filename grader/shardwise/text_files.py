"""Text files that people write: each is read here, and what keeps it from being read is a fault of the file."""

from __future__ import annotations

from pathlib import Path

from shardwise.errors import Fault, Faulty

LARGEST = 1_000_000  # bytes; the longest template has under 10,000


def read_text(path: Path, name: str) -> str:
    """The text of a file that faults call `name`. Raises Faulty when it is not there, too large, or not UTF-8."""
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # opening a pipe would wait for its writer for ever
            raise Faulty(
                [Fault(name, "cannot be read: it is a pipe, a socket or a device", "Put a file in its place.")]
            )
        raw = path.read_bytes()
    except OSError as error:
        raise Faulty([Fault(name, f"cannot be read: {error.strerror}")]) from None
    if len(raw) > LARGEST:
        raise Faulty([Fault(name, f"{len(raw):,} bytes are too many for a file written by hand")])
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Faulty([Fault(f"{name}:{line}", f"is not UTF-8: {error.reason}", "Save it as UTF-8.")]) from None
