"""Sends a signal to the process that started it.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Seen

CELL = """
import os, signal
os.kill(os.getppid(), signal.SIGTERM)
"""


def succeeded(seen: Seen) -> bool:
    return seen.harmed
