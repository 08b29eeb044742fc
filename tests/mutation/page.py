"""The page docs/mutants.md, and what keeps it from being written: survivors without a reason, reasons without a survivor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from .workspace import ROOT, Survivor, Verdict

REASONS = ROOT / "tests" / "mutants.yaml"
AT_LEAST = 0.95  # of all mutants are to be killed
NO_REASON = "**No reason yet.**"
HEAD = """# Mutants

Do the tests of the references bite? [mutmut](https://mutmut.readthedocs.io) changes one thing at a time in `solutions/*.py`: a `+` becomes
a `-`, a `<` a `<=`, a 2 a 3, an argument is dropped. Each changed module (a *mutant*) has to fail a test: one in `tests/solutions/` that imports
the module, one of its docstring's examples, or a printed number of `tests/anchors/`. What no test notices *survives*, and needs a
reason in `tests/mutants.yaml`.{unexplained}

`make mutants` runs all of it and writes this page; `make mutants MODULES=ring` tries one module and
keeps what the page says of the others. Hypothesis draws the same examples every time. A mutant that takes many times as long as the
tests counts as killed. The wording of error messages is not mutated (the tests check that an error is raised, and which argument it names),
and neither are a module's constants and the functions that read them from a file.

**{rate} of {total} mutants are killed.**

| module | mutants | killed | survived | killed, % |
|---|---|---|---|---|
"""


def reasons(path: Path = REASONS) -> dict[tuple[str, Survivor], str]:
    """Why each survivor may live, as tests/mutants.yaml says."""
    listed: Mapping[str, Sequence[Mapping[str, str]]] = yaml.safe_load(path.read_text("utf-8")) or {}
    return {
        (module, Survivor(entry["function"], entry["change"])): entry["why"]
        for module, entries in listed.items()
        for entry in entries
    }


def earlier_verdicts(page: str) -> dict[str, Verdict]:
    """The verdicts that a written page tells, by module; which mutants ran out of time it does not tell."""
    alive: dict[str, list[Survivor]] = {}
    for line in page.splitlines():
        if line.startswith("### "):
            module = line[4:]
            alive[module] = []
        elif found := re.match(r"- `([^`]+)`: `([^`]+)`", line):
            alive[module].append(Survivor(found[1], found[2]))
    rows = re.findall(r"^\| ([\w/]+) \| \d+ \| (\d+) \|", page, re.MULTILINE)
    return {module: Verdict(module, int(killed), 0, tuple(alive.get(module, ()))) for module, killed in rows}


def rate(verdicts: Sequence[Verdict]) -> float:
    """Share of the mutants that are killed."""
    return 1 - sum(len(verdict.survivors) for verdict in verdicts) / sum(verdict.total for verdict in verdicts)


def faults(verdicts: Sequence[Verdict], why: Mapping[tuple[str, Survivor], str]) -> list[str]:
    """What has to be fixed before the page is right: in the tests, or in the reasons."""
    alive = {(verdict.module, survivor): None for verdict in verdicts for survivor in verdict.survivors}
    tried = {verdict.module for verdict in verdicts}
    found = [
        f"{module}.{of.function} survives without a reason: {of.change}"
        for module, of in alive
        if (module, of) not in why
    ]
    found += [
        f"{module}.{of.function} is killed, or is no more; take its reason away: {of.change}"
        for module, of in why
        if module in tried and (module, of) not in alive
    ]
    if rate(verdicts) < AT_LEAST:
        found.append(f"{rate(verdicts):.1%} of the mutants are killed; {AT_LEAST:.0%} are asked for")
    return found


def written_page(
    verdicts: Sequence[Verdict], why: Mapping[tuple[str, Survivor], str], untried: Sequence[str] = ()
) -> str:
    """The page for the verdicts, with each survivor's reason, and a row for each module that was not tried yet."""
    total = sum(verdict.total for verdict in verdicts)
    lines = [
        HEAD.format(rate=f"{rate(verdicts):.1%}", total=total, unexplained=_unexplained(verdicts, why)).rstrip("\n")
    ]
    rows = {module: f"| {module} | not tried yet | | | |" for module in untried}
    for verdict in verdicts:
        alive = len(verdict.survivors)
        share = f"{100 * rate([verdict]):.1f}" if verdict.total else "-"
        killed = verdict.total - alive
        rows[verdict.module] = f"| {verdict.module} | {verdict.total} | {killed} | {alive} | {share} |"
    lines += [rows[module] for module in sorted(rows)]
    lines += ["", "## Survivors", ""]
    for verdict in verdicts:
        if verdict.survivors:
            lines += [f"### {verdict.module}", ""]
            lines += [
                f"- `{of.function}`: `{of.change}`. {why.get((verdict.module, of), '**No reason yet.**')}"
                for of in verdict.survivors
            ]
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _unexplained(verdicts: Sequence[Verdict], why: Mapping[tuple[str, Survivor], str]) -> str:
    count = sum((verdict.module, of) not in why for verdict in verdicts for of in verdict.survivors)
    return f" **{count} have none yet**, and are marked below." if count else ""
