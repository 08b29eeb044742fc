"""Names for files and folders: a name that is invalid on any system is rejected on all of them.

A course that was assigned on Linux may be copied to Windows or to a Mac.
"""

from __future__ import annotations

import re

SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}"  # a file name that is valid on every system
NAME_RULE = "Use the letters a to z in either case, digits, . _ @ and -, at most 64, beginning with a letter or digit."
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)  # Microsoft, Naming Files, 2024


def is_device(name: str) -> bool:
    """Return whether Windows treats a name as a device, ignoring case and suffix, so that it cannot be a file.

    >>> is_device("NUL"), is_device("aux.txt"), is_device("connie")
    (True, True, False)
    """
    return _DEVICE.fullmatch(name) is not None


def fault_of_name(name: str) -> tuple[str, str] | None:
    """Return what is wrong with a file name, and what to do; None if it is valid on every system.

    >>> fault_of_name("ada.l@example.org"), fault_of_name("ada.")
    (None, ('ends with a dot, which Windows drops', 'Remove the dot.'))
    """
    if not re.fullmatch(SAFE_NAME, name):
        return "is not a valid file name", NAME_RULE
    if is_device(name):
        return (
            "cannot be a file name, because it is a device on Windows",
            "Change it, for example by writing an x before it.",
        )
    return ("ends with a dot, which Windows drops", "Remove the dot.") if name.endswith(".") else None
