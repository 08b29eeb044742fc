"""Has a thread tell the grader, over and over, that the cell has just begun, so that its time is never up.

It worked if the cell ran to its end, which takes it twenty seconds.
"""

from room import Seen

CELL = """
import sys, threading, time
frame, writers = sys._getframe(), []
while frame:
    writers += [held._writer for held in list(frame.f_locals.values()) if hasattr(getattr(held, "_writer", None), "begin")]
    frame = frame.f_back
def bump():
    while True:
        for writer in writers:
            writer.begin(1, -1, 0)
        time.sleep(0.5)
threading.Thread(target=bump, daemon=True).start()
time.sleep(20 if writers else 2)
raise RuntimeError("came to its end")
"""


def succeeded(seen: Seen) -> bool:
    return b"came to its end" in seen.told
