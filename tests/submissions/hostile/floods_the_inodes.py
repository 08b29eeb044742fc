"""Makes two thousand empty files in a folder where anybody may write.

It worked if they are there.
"""

from room import Seen

CELL = """
for number in range(2_000):
    open(f"$drop/{number}", "w").close()
"""


def succeeded(seen: Seen) -> bool:
    return len(seen.dropped) >= 2_000
