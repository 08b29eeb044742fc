"""The page docs/reality.md."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """# Formula and reality

This page compares the references with PyTorch, run as several processes of one machine that communicate over Gloo. Bytes, counts and traces
do not depend on the hardware, so one machine can check them. It cannot check bandwidths between nodes, or the algorithms that NCCL chooses.
The last table does depend on it: a hardware card of the machine that ran this, and a step that is planned from it.

`make reality` runs every comparison and writes this page. It installs PyTorch into an environment of its own. This run: {version}.
"""
COLUMNS = "| what | reference | unit | formula | measured | difference |\n|---|---|---|---|---|---|"
MACHINE = "## This machine\n\n| what | unit | planned | measured | difference |\n|---|---|---|---|---|"


def written_page(rows: Sequence[tuple[str, str]], version: str, machine: Sequence[str]) -> str:
    """Return the page: a table for each topic of the (topic, line) pairs, and one for the machine."""
    parts = [HEAD.format(version=version)]
    for topic in dict.fromkeys(topic for topic, _ in rows):
        parts += [f"## {topic}\n", COLUMNS, *(line for of, line in rows if of == topic), ""]
    parts += [MACHINE, *machine, ""]
    return "\n".join(parts)
