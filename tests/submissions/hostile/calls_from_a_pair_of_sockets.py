"""Sends from one of a pair of sockets, which need no connecting, to a name that it knows.

It worked if the attacker's name arrived.
"""

from room import Seen

CELL = """
import socket
mine, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
mine.sendto(b"$me", "$datagrams")
"""


def succeeded(seen: Seen) -> bool:
    return seen.heard
