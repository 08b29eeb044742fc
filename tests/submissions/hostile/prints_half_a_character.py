"""Prints half a character, a lone surrogate, which no file can hold.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Seen

CELL = """
print(chr(0xDCFF))
raise ValueError(chr(0xDCFF))
"""


def succeeded(seen: Seen) -> bool:
    return seen.harmed
