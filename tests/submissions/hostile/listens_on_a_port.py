"""Opens a port, to be called from outside.

It worked if the attacker gets to see that the kernel agreed.
"""

from room import Seen

CELL = """
import socket
with socket.create_server(("127.0.0.1", 0)):
    raise RuntimeError("listening on " + "a port")
"""


def succeeded(seen: Seen) -> bool:
    return b"listening on a port" in seen.told
