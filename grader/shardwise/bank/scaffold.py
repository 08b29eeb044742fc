"""Starters: a new problem of each kind, small, complete and sound, for an author to make their own."""

from __future__ import annotations

import re
from pathlib import Path

from shardwise.bank.bank import bad_slug, bank, load
from shardwise.errors import ShardwiseError

_HEAD = """\
title: "{title}"
kind: {kind}
points: 2
difficulty: easy
tags: [draft]
source: "Patarasuk & Yuan 2009, J. Parallel Distrib. Comput. 69(2), section 3"

"""
_PARAMS = """\
# Drawn once per student and seed. A bare value is fixed.
params:
  gpus: {choice: [8, 16, 32, 64]}
  message_bytes: {range: [1, 8, 1], unit: GB}
"""
_TAIL = """\
hints:
  - One sentence that moves the student one step, and not to the end.
solution: |
  Why it is so, with the student's own numbers: {{ key }}
"""
_INPUTS = """\
    message_bytes: {choice: [1.0e+9, 2.0e+9]}
    gpus: {choice: [2, 4, 8, 64]}
"""
_BODIES = {
    "quantity": _PARAMS
    + """\
prompt: |
  {{ gpus }} GPUs all-reduce {{ message_bytes }} in a ring. How much does each of them send?
answer:
  reference: ring.bytes_sent_per_gpu            # solutions/ring.py
  oracle: ring.simulated_bytes_sent_per_gpu     # solutions/oracles/ring.py; the lint compares the two
  unit: GB
  rel_tol: 0.002
mistakes:                                       # answers we recognise, and one sentence to unstick each
  - factor: 0.5
    say: That is one phase of the two.
"""
    + _TAIL,
    "choice": _PARAMS
    + """\
prompt: |
  {{ gpus }} GPUs all-reduce {{ message_bytes }} in a ring. Twice as many GPUs would send, each,
answer:
  pick: one
  options:
    - text: hardly more than now
      correct: true
      say: Yes, 2(N-1)/N tends to 2.
    - text: half as much as now
      correct: false
      say: The chunks are half as large, and there are twice as many of them.
    - text: twice as much as now
      correct: false
      say: The steps double, and the chunks halve.
"""
    + _TAIL,
    "order": """\
params:
  gpus: {choice: [4, 8, 16]}
prompt: |
  {{ gpus }} GPUs run a ring all-reduce. Put its stages in order.
answer:
  first: what happens first
  items:
    - {id: cut, text: "The message is cut into {{ gpus }} chunks."}
    - {id: scatter, text: Each GPU ends up with one finished chunk.}
    - {id: gather, text: Finished chunks travel round the ring.}
    - {id: done, text: Every GPU has every finished chunk.}
mistakes:
  - order: [cut, gather, scatter, done]
    say: Chunks must be finished before they can be copied round.
"""
    + _TAIL,
    "formula": """\
prompt: |
  Write the bytes that each GPU sends in a ring all-reduce as a formula.
answer:
  formula: 2*M*(N-1)/N
  reference: ring.bytes_sent_per_gpu
  oracle: ring.simulated_bytes_sent_per_gpu
  symbols:
    M: {argument: message_bytes, means: message size in bytes, choice: [1.0e+6, 1.0e+9]}
    N: {argument: gpus, means: number of GPUs, choice: [2, 4, 8, 64]}
mistakes:
  - formula: M*(N-1)/N
    say: That is one phase of the two.
"""
    + _TAIL,
    "code": """\
prompt: |
  Write the function that gives the bytes each GPU sends in a ring all-reduce, in GB.
answer:
  function: sent_gb
  reference: ring.bytes_sent_per_gpu
  oracle: ring.simulated_bytes_sent_per_gpu
  unit: GB
  inputs:
    message_gb: {argument: message_bytes, unit: GB, means: message size, choice: [1, 2, 14]}
    gpus: {means: number of GPUs, choice: [2, 4, 8, 64]}
  edges:
    - {gpus: 1}
mistakes:
  - factor: 0.5
    say: That is one phase of the two.
"""
    + _TAIL.replace("{{ key }}", "`2 * message_gb * (gpus - 1) / gpus`"),
    "bugline": """\
prompt: |
  One line of this function is wrong. Which one, how does it show, and how should it read?
answer:
  reference: ring.bus_bandwidth
  inputs:
"""
    + _INPUTS
    + """\
    measured_s: {choice: [0.1, 0.09]}
"""
    + _TAIL.replace("{{ key }}", "line {{ line }} should read `{{ original_line }}`"),
}


def starter(kind: str, title: str) -> str:
    """The text of a new problem. Raises ShardwiseError for a kind that does not exist."""
    if kind not in _BODIES:
        raise ShardwiseError(f"There is no kind {kind!r}; the kinds are {', '.join(_BODIES)}.")
    return _HEAD.format(title=title, kind=kind) + _BODIES[kind]


def write(problem: str, kind: str, root: Path | None = None) -> Path:
    """Write a new problem and list it in its chapter. Raises ShardwiseError when it exists or has no chapter."""
    loaded = load(root) if root else bank()
    chapter, _, slug = problem.partition("/")
    if chapter not in loaded.chapters:
        raise ShardwiseError(f"There is no chapter {chapter!r}; the chapters are {', '.join(loaded.chapters)}.")
    if why := bad_slug(slug):
        raise ShardwiseError(f"{why}.")
    taken = next((one.id for one in loaded.problems.values() if one.slug == slug), None)
    if taken:
        raise ShardwiseError(f"{taken} has this slug already; slugs are unique in the whole bank.")
    path = loaded.root / chapter / f"{slug}.yaml"
    listing = loaded.root / chapter / "chapter.yaml"
    text, listed = starter(kind, slug.replace("-", " ").capitalize()), _listed(listing.read_text("utf-8"), slug)
    path.write_text(text, "utf-8")
    listing.write_text(listed, "utf-8")
    return path


def _listed(text: str, slug: str) -> str:
    """chapter.yaml with one more problem at the end of its list."""
    if re.search(r"^problems:\s*\[", text, re.MULTILINE):
        return re.sub(r"^(problems:\s*\[[^\]]*?),?\s*\]", rf"\1, {slug}]", text, flags=re.MULTILINE)
    block = re.search(r"^problems:[ ]*\n(?:[ ]*- .*(?:\n|$))+", text, re.MULTILINE)
    if block is None:
        raise ShardwiseError("chapter.yaml has no list of problems that I can read; add the new one by hand.")
    indent = re.findall(r"^( *)- ", block[0], re.MULTILINE)[-1]
    return f"{text[: block.start()]}{block[0].rstrip()}\n{indent}- {slug}\n{text[block.end() :]}"
