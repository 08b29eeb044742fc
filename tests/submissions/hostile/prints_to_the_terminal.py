"""Prints and raises control characters, which set the title of the instructor's terminal, or clear it.

It worked if the terminal got them.
"""

from room import Seen

CELL = """
print(chr(27) + "]0;$me" + chr(7))
raise ValueError(chr(27) + "]0;$me" + chr(7))
"""


def succeeded(seen: Seen) -> bool:
    return f"\x1b]0;{seen.me}".encode() in seen.terminal
