"""Talks to a service of the machine over a socket in the file system, as one would to Docker.

It worked if the attacker's name arrived.
"""

from room import Seen

CELL = """
import socket
with socket.socket(socket.AF_UNIX) as call:
    call.connect("$unix")
    call.sendall(b"$me")
"""


def succeeded(seen: Seen) -> bool:
    return seen.heard
