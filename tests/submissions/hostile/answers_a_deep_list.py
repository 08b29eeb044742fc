"""Answers with a list nested deeper than Python agrees to write down.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Seen

DUE = "all but choice"
ANSWERS = {
    "choice": """
import sys
sys.setrecursionlimit(100_000)
$choice = []
for _ in range(5_000):
    $choice = [$choice]
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.harmed
