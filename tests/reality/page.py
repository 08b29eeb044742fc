"""The page docs/reality.md."""

from __future__ import annotations

from collections.abc import Sequence

HEAD = """# Formula and reality

What the references say, beside what PyTorch did on processes of one machine that talk by gloo. Bytes, counts and traces do not depend on
the hardware, so they can be checked there; bandwidths, the algorithms that NCCL chooses and real utilisation cannot.

`make reality` runs all of it and writes this page; it installs PyTorch into an environment of its own. This run: {version}.
"""
COLUMNS = "| what | reference | unit | formula | measured | apart |\n|---|---|---|---|---|---|"


def written_page(rows: Sequence[tuple[str, str]], version: str) -> str:
    """The page for (topic, line) pairs, a table for each topic."""
    parts = [HEAD.format(version=version)]
    for topic in dict.fromkeys(topic for topic, _ in rows):
        parts += [f"## {topic}\n", COLUMNS, *(line for of, line in rows if of == topic), ""]
    return "\n".join(parts)
