"""Talks to a service of the machine over a socket that is not in the file system, where no permission is asked.

It worked if the attacker's name arrived.
"""

from room import Seen

CELL = """
import socket
with socket.socket(socket.AF_UNIX) as call:
    call.connect(chr(0) + "$abstract")
    call.sendall(b"$me")
"""


def succeeded(seen: Seen) -> bool:
    return seen.heard
