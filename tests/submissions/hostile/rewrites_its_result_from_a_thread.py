"""Leaves a thread that waits for the result to be written, and rewrites it.

It worked if there are points for no answer at all.
"""

from room import Seen

DUE = "none"
CELL = """
import json, os, threading, time

def rewrite():
    for _ in range(200):
        time.sleep(0.02)
        if os.path.exists("$results/$me.json"):
            time.sleep(0.05)
            with open("$results/$me.json", "w") as file:
                json.dump({"score": 8, "answers": {}, "output": ""}, file)
            return

threading.Thread(target=rewrite).start()
"""


def succeeded(seen: Seen) -> bool:
    return seen.gained
