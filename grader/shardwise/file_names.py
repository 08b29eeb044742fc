"""Names that files and folders are made of: what some system cannot hold is refused on all of them.

A course that was handed out on Linux is copied to Windows and to a Mac.
"""

from __future__ import annotations

import re

SAFE_NAME = r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}"  # what a file name may be on every system
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)  # Microsoft, Naming Files, 2024


def is_device(name: str) -> bool:
    """Whether Windows takes a name for a device, in whatever case and with any ending: nothing could be kept there.

    >>> is_device("NUL"), is_device("aux.txt"), is_device("connie")
    (True, True, False)
    """
    return _DEVICE.fullmatch(name) is not None


def fault_of_name(name: str) -> tuple[str, str] | None:
    """What is wrong with a name for a file, and what to do; None where every system can hold it.

    >>> fault_of_name("ada.l@example.org"), fault_of_name("ada.")
    (None, ('ends with a dot, which Windows drops', 'Leave the dot out.'))
    """
    if not re.fullmatch(SAFE_NAME, name):
        remedy = (
            "Use the letters a to z in either case, digits, . _ @ and -, at most 64, beginning with a letter or digit."
        )
        return "is no name for a file", remedy
    if is_device(name):
        return "is a device on Windows, and no name for a file", "Write it in another way, such as with an x before it."
    return ("ends with a dot, which Windows drops", "Leave the dot out.") if name.endswith(".") else None
