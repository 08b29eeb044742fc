"""The page docs/reality.md."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """# Formula and reality

This page compares the references with PyTorch, run as several processes of one machine that communicate over Gloo. Bytes, counts and traces
do not depend on the hardware, so one machine can check them. It cannot check bandwidths, the algorithms that NCCL chooses, or utilisation.

`make reality` runs every comparison and writes this page. It installs PyTorch into an environment of its own. This run: {version}.
"""
COLUMNS = "| what | reference | unit | formula | measured | difference |\n|---|---|---|---|---|---|"


def written_page(rows: Sequence[tuple[str, str]], version: str) -> str:
    """The page for (topic, line) pairs, a table for each topic."""
    parts = [HEAD.format(version=version)]
    for topic in dict.fromkeys(topic for topic, _ in rows):
        parts += [f"## {topic}\n", COLUMNS, *(line for of, line in rows if of == topic), ""]
    return "\n".join(parts)
