"""Tries the corpus of hostile submissions in the open and at every tier, and prints a table of what came of it.

    python tests/submissions/table.py [ATTACK...]

Exit code 0: every attack works in the open, none in the sandbox, and everybody got what is due.
"""

from __future__ import annotations

import sys
import tempfile
from difflib import get_close_matches
from pathlib import Path

from corpus import HOSTILE, Attack, corpus
from rich.console import Console
from rich.table import Table
from room import HONEST, Course
from trials import Batch, Verdict, batch, in_the_open

TIERS = ("1", "1b", "2")


def main(names: list[str]) -> int:
    """Try them, and print."""
    known = corpus()
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            print(
                f"There is no {HOSTILE.name}/{name}.py.", *(f"Did you mean {other}?" for other in near), file=sys.stderr
            )
            return 2
    attacks = {name: known[name] for name in names or known}
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        with console.status("drawing the class"):
            course = Course(Path(folder), [attack.student for attack in attacks.values()])
        with console.status("in the open"):
            opened = in_the_open(course, attacks.values())
        batches = {}
        for tier in TIERS:
            with console.status(f"at tier {tier}"):
                batches[tier] = batch(course, attacks.values(), tier)
    console.print(table(attacks, opened, batches))
    faults = [fault for tier, found in batches.items() for fault in faults_of(tier, found)]
    for fault in faults:
        console.print(fault, style="red", highlight=False, markup=False)
    console.print(summary(opened, batches), highlight=False)
    return 0 if not faults and all(verdict.succeeded for verdict in opened.values()) else 1


def table(attacks: dict[str, Attack], opened: dict[str, Verdict], batches: dict[str, Batch]) -> Table:
    """A row an attack, and what came of it."""
    made = Table("attack", "in the open", *(f"tier {tier}" for tier in TIERS), box=None, header_style="bold")
    for name in attacks:
        verdicts = [batches[tier].verdicts[name] for tier in TIERS]
        stopped = [
            "[red]works[/]" if verdict.succeeded else "[red]amiss[/]" if verdict.amiss else "stopped"
            for verdict in verdicts
        ]
        made.add_row(name.replace("_", " "), "works" if opened[name].succeeded else "[red]fails[/]", *stopped)
    return made


def faults_of(tier: str, found: Batch) -> list[str]:
    """Everything that is not as it should be."""
    faults = [f"{name} works" for name, verdict in found.verdicts.items() if verdict.succeeded]
    faults += [f"{name}: {verdict.amiss}" for name, verdict in found.verdicts.items() if verdict.amiss]
    faults += [f"{student}, who did nothing: {why}" for student, why in found.bystanders.items() if why]
    faults += [found.complaint] if found.complaint else []
    return [f"At tier {tier}, {fault}" for fault in faults]


def summary(opened: dict[str, Verdict], batches: dict[str, Batch]) -> str:
    """The whole of it in a line."""
    working = sum(verdict.succeeded for verdict in opened.values())
    through = {name for found in batches.values() for name, verdict in found.verdicts.items() if verdict.succeeded}
    right = sum(not why for found in batches.values() for why in found.bystanders.values())
    bystanders = len(HONEST) * len(batches)
    return (
        f"{len(opened)} attack{'' if len(opened) == 1 else 's'}; {'all' if working == len(opened) else working} work in the open; "
        f"{len(through) or 'none'} succeed{'' if len(through) > 1 else 's'} at tiers {', '.join(batches)}; "
        f"{'all' if right == bystanders else f'{right} of'} {bystanders} bystanders got their points"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
