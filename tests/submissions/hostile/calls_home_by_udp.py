"""Sends a datagram, which needs no connection, and could be a query for a name.

It worked if the attacker's name arrived.
"""

from room import Seen

CELL = """
import socket
socket.socket(type=socket.SOCK_DGRAM).sendto(b"$me", ("127.0.0.1", $udp))
"""


def succeeded(seen: Seen) -> bool:
    return seen.heard
