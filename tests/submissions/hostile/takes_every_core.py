"""Computes in sixty threads, which numpy lets run at the same time, so that a neighbour's cell is not done in its time.

It worked if the attacker gets to see that they may run on two cores: a neighbour's worker has one of them.
"""

from room import Seen

CELL = """
import os, threading, time
until = time.process_time() + 0.8  # of all threads together, however many cores there are: the grader in the open allows 2
def compute():
    import numpy
    numbers = numpy.random.default_rng(0).random(100_000)
    while time.process_time() < until:
        numpy.sort(numbers)
threads = [threading.Thread(target=compute) for _ in range(60)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
raise RuntimeError(f"ran on {min(2, len(os.sched_getaffinity(0)))} cores")
"""


def succeeded(seen: Seen) -> bool:
    return b"ran on 2 cores" in seen.told
