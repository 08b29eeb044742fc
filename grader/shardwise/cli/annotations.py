"""Annotations: faults as GitHub shows them, at their lines in a pull request."""

from __future__ import annotations

import os
import re
from pathlib import Path

from shardwise.errors import Fault


def annotation(fault: Fault, bank: Path) -> str:
    """Return a fault as a workflow command; its place is relative to the folder of a bank.

    The file's name is relative to the repository, as GitHub wants it: docs.github.com, "Workflow commands for GitHub Actions".
    """
    file, line, column = re.fullmatch(r"(.*?)(?::(\d+))?(?::(\d+))?", fault.place, re.DOTALL).groups()  # type: ignore[union-attr]
    checkout = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd()).resolve()
    path = (bank / file).resolve()
    name = path.relative_to(checkout) if path.is_relative_to(checkout) else path
    place = {"file": name.as_posix(), "line": line, "col": column, "title": "shardwise lint"}
    properties = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in place.items() if value)
    message = str(fault).removeprefix(f"{fault.place}: ")
    return f"::error {properties}::{_escaped(message)}"


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(sign):02X}" if sign in f"%\r\n{more}" else sign for sign in text)
