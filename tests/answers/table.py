"""Marks the corpora of answers and prints how many right ones are accepted and how many slips are named.

    python -m tests.answers.table [SEEDS]

Exit code 0: the goals are reached. Right answers: every class 100 %, common 100 %, now and then 95 %, and none marked wrong.
Slips: 95 % of the likely ones and 85 % of all named, fewer than 1 % taken for another mistake, none accepted.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from answers.corpus import KINDS, OFTEN, spellings, table
from answers.slips import ACCEPTED, FILE, NAMED, OTHER, Marked, marked, shares, slips

GOALS = {"every class": 1.0, "common": 1.0, "now and then": 0.95}
SLIP_GOALS = ("95%", "85%", "< 1%", "0%")


def spelled(console: Console, seeds: int) -> bool:
    """Print the table of right answers; return whether its goals are reached."""
    counted = table(seeds)
    # Of each kind: how many were tried, accepted and marked wrong.
    places = {kind: [counted.get((kind, often), (0, 0, 0)) for often in OFTEN] for kind in KINDS}
    sums = [tuple(map(sum, zip(*column, strict=True))) for column in zip(*places.values(), strict=True)]
    shown = Table("kind", *OFTEN, "marked wrong", title="Right answers that are accepted")
    for name, row in {**places, "all": sums}.items():
        accepted = [f"{accepted / tried:.1%}" if tried else "" for tried, accepted, _ in row]
        shown.add_row(name, *accepted, str(sum(wrong for _, _, wrong in row)))
    shown.add_row("goal", *(f"{GOALS[often]:.0%}" for often in OFTEN), "0")
    console.print(shown)
    tried = sum(place[0] for place in counted.values())
    console.print(
        f"{tried:,} right answers in {sum(len(spellings(kind)) for kind in KINDS)} spellings, right and wrong; {seeds} seed{'' if seeds == 1 else 's'} a problem"
    )
    reached = all(accepted >= GOALS[often] * tried for often, (tried, accepted, _) in zip(OFTEN, sums, strict=True))
    return reached and not sum(place[2] for place in sums)


def named(console: Console, seeds: int) -> bool:
    """Print the table of slips, a row for each file of them; return whether its goals are reached."""
    rows = {
        path.stem.removeprefix("slips"): list(marked(slips(path), seeds))
        for path in sorted(FILE.parent.glob("slips*.yaml"))
    }
    everything = [row for its in rows.values() for row in its]
    shown = Table("corpus", "slips", "likely named", "all named", "misnamed", "accepted", title="Slips that are named")
    for name, its in {**rows, "all": everything}.items():
        shown.add_row(name.removeprefix("-") or "first", str(len(its)), *(f"{share:.1%}" for share in _measured(its)))
    shown.add_row("goal", "", *SLIP_GOALS)
    console.print(shown)
    likely, all_named, misnamed, accepted = _measured(everything)
    return likely >= 0.95 and all_named >= 0.85 and misnamed < 0.01 and not accepted


def _measured(rows: list[Marked]) -> tuple[float, float, float, float]:
    """Return the shares of the likely slips named, of all named, taken for another mistake, and accepted."""
    found, likely = shares(rows), shares([row for row in rows if row.slip.likely])
    return likely[NAMED], found[NAMED], found[OTHER], found[ACCEPTED]


def main(seeds: int) -> int:
    """Mark, and print."""
    console = Console()
    reached = [spelled(console, seeds), named(console, seeds)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 3))
