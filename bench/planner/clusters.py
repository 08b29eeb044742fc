"""Chips and networks of published runs as the planner's clusters: the accelerator, and the links between nodes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shardwise.template.yaml_source import load_yaml
from solutions.planner.names import GBIT, usual_links

from .runs import Run, Runs


@dataclass(frozen=True)
class Links:
    """The interconnect of a run."""

    accelerator: str  # a name of solutions/facts/hardware.yaml
    domain: int  # chips that the fast links connect
    network_bytes_per_s: float  # per chip and direction, outside the domain
    assumed: tuple[str, ...] = ()
    rank_s: float = 0.0  # what each rank adds to a collective, if the source measured it


def links(run: Run, runs: Runs) -> Links:
    """Return the links of a run: as its network is described, or else as is usual for nodes with its chip.

    Raises ValueError for a chip that is not in accelerators.yaml, or whose accelerator is not in solutions/planner/names.yaml.
    """
    words = runs.networks.get(run.net or "", "")
    if run.chip not in accelerators():
        raise ValueError(f"the chip {run.chip} is unknown; add it to bench/planner/accelerators.yaml")
    accelerator = accelerators()[run.chip]
    usual = usual_links(accelerator=accelerator)
    if usual["node"] == "slice":
        slices = re.search(r"between (\d+) slices|^(two) pods", words)
        count = {"two": 2}.get(slices[2] or "", int(slices[1] or 2)) if slices else 1
        domain = max(1, run.chips // count)
    elif usual["node"] > 8:
        domain = int(usual["node"])  # nodes have four of these chips, and the fast links extend beyond a node
    else:
        domain = run.chips_per_node or int(usual["node"])
    printed = _printed(words, run.chips_per_node or 8)
    assumed = () if printed or domain >= run.chips else (f"{usual['network']} Gbit/s per chip between nodes",)
    late = re.search(r"each rank adds (\d+) µs to a collective", words)
    return Links(accelerator, domain, printed or usual["network"] * GBIT, assumed, int(late[1]) * 1e-6 if late else 0.0)


def _printed(words: str, node: int) -> float | None:
    """Return the bytes/s per chip and direction that a description gives, or None."""
    if found := re.search(r"(\d+) Gb/s (?:RDMA |RoCE )?a GPU", words):
        return int(found[1]) * GBIT
    if found := re.search(r"(\d+)x(\d+) Gb/s", words):
        return int(found[1]) * int(found[2]) * GBIT / node
    if found := re.search(r"(\d+)x(\d+) GB/s", words):
        return int(found[1]) * int(found[2]) * 1e9 / node
    if found := re.search(r"(\d+) Omni-Path links a node \((\d+) Gb/s each\)", words):
        return int(found[1]) * int(found[2]) * GBIT / node
    if found := re.search(r"(\d+) Gb/s (?:RoCE a node|between nodes)", words):
        return int(found[1]) * GBIT / node
    return None


@cache
def accelerators() -> dict[str, str]:
    """Return the accelerator that each name of a chip means, from accelerators.yaml."""
    return dict(load_yaml(Path(__file__).with_name("accelerators.yaml")).data)
