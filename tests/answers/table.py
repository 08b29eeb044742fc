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
    # Of each kind: how many were tried, accepted and marked wrong.
    places = {kind: [counted.get((kind, often), (0, 0, 0)) for often in OFTEN] for kind in KINDS}
    sums = [tuple(map(sum, zip(*column, strict=True))) for column in zip(*places.values(), strict=True)]
    shown = Table("kind", *OFTEN, "marked wrong", title="Right answers that are accepted")
    for name, row in {**places, "all": sums}.items():
        shares = [f"{accepted / tried:.1%}" if tried else "" for tried, accepted, _ in row]
        shown.add_row(name, *shares, str(sum(wrong for _, _, wrong in row)))
    shown.add_row("goal", *(f"{GOALS[often]:.0%}" for often in OFTEN), "0")
    reached = all(accepted >= GOALS[often] * tried for often, (tried, accepted, _) in zip(OFTEN, sums, strict=True))
    wrong = sum(place[2] for place in sums)
    console = Console()
    console.print(shown)
    tried = sum(place[0] for place in counted.values())
    console.print(
        f"{tried:,} right answers in {sum(len(spellings(kind)) for kind in KINDS)} spellings, right and wrong; {seeds} seed{'' if seeds == 1 else 's'} a problem"
    )
    return 0 if reached and not wrong else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 3))
