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


def why_no_name(name: str) -> str:
    """Why no file can have this name, with what to write instead; nothing where one can.

    >>> why_no_name("ada.l@example.org"), why_no_name("ada.")
    ('', 'ends with a dot, which Windows drops')
    """
    if not re.fullmatch(SAFE_NAME, name):
        return "is no name for a file: use letters, digits, . _ @ and -, at most 64, beginning with a letter or digit"
    if is_device(name):
        return "is a device on Windows, and no name for a file: write it in another way, such as with an x before it"
    return "ends with a dot, which Windows drops" if name.endswith(".") else ""
