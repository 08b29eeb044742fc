"""Asks the kernel which network the machine is in.

It worked if the attacker gets to see the loopback interface, which every machine has.
"""

from room import Seen

CELL = """
import socket
raise RuntimeError([f"found {name}" for number, name in socket.if_nameindex()])
"""


def succeeded(seen: Seen) -> bool:
    return b"found lo" in seen.told
