"""Sends what it knows over the network.

It worked if the attacker's name arrived.
"""

from room import Seen

CELL = """
import socket
with socket.create_connection(("127.0.0.1", $port), 2) as call:
    call.sendall(b"$me")
"""


def succeeded(seen: Seen) -> bool:
    return seen.heard
