"""Attack: report ever-increasing step numbers, to have the time limit restarted with each.

It worked if the cell ran to its end, which takes it fifteen seconds.
"""

from room import Seen

CELL = """
import sys, threading, time
frame, writers = sys._getframe(), []
while frame:
    writers += [held._writer for held in list(frame.f_locals.values()) if hasattr(getattr(held, "_writer", None), "begin")]
    frame = frame.f_back
for step in range(30 if writers else 2):
    for writer in writers:
        writer.begin(10**6 + step, -1, 0)
    time.sleep(0.5)
raise RuntimeError("came to its end")
"""


def succeeded(seen: Seen) -> bool:
    return b"came to its end" in seen.told
