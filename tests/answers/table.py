"""Marks the corpus of answers and prints how many right ones are accepted, by how often students write so.

    python -m tests.answers.table [SEEDS]

Exit code 0: the goals are reached, every class 100 %, common 100 %, now and then 95 %, and nothing right is marked wrong.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from answers.corpus import KINDS, OFTEN, spellings, table

GOALS = {"every class": 1.0, "common": 1.0, "now and then": 0.95}


def main(seeds: int) -> int:
    """Mark, and print."""
    counted = table(seeds)
    shown = Table("written by", *KINDS, "accepted", "goal")
    reached, wrong = True, 0
    for often in OFTEN:
        places = [counted.get((kind, often), (0, 0, 0)) for kind in KINDS]
        tried, accepted = sum(place[0] for place in places), sum(place[1] for place in places)
        wrong += sum(place[2] for place in places)
        reached &= accepted >= GOALS[often] * tried
        each = [f"{accepted / tried:.1%}" if tried else "" for tried, accepted, _ in places]
        shown.add_row(often, *each, f"{accepted / tried:.1%}", f"{GOALS[often]:.0%}")
    shown.add_row(
        "marked wrong",
        *(str(sum(counted.get((kind, often), (0, 0, 0))[2] for often in OFTEN)) for kind in KINDS),
        str(wrong),
        "0",
    )
    console = Console(width=110)
    console.print(shown)
    tried = sum(place[0] for place in counted.values())
    console.print(
        f"{tried:,} right answers in {sum(len(spellings(kind)) for kind in KINDS)} spellings, right and wrong; {seeds} seeds a problem"
    )
    return 0 if reached and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 3))
