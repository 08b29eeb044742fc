"""The planner's constants: achievable fractions of peak for chips, links and software, and memory overheads."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..facts.tables import table

WITHOUT_OVERLAP = " without overlap"  # after the name of a software: the same, but all communication is exposed


def chip(accelerator: str) -> dict[str, Any]:
    """Return the shares of peak FLOP/s that matrix multiplications reach on a chip, by number format, and its generation.

    Raises:  ValueError for a chip without constants.

    >>> 0.5 < chip("H100-80GB")["matmul"] < 1
    True
    """
    return _row("chips", accelerator, "chip")


def software(name: str) -> dict[str, Any]:
    """Return the properties of a software stack: attention kernel, small kernels, overlap, and gradient width.

    Raises:  ValueError for an unknown name.

    >>> software("megatron-2021")["attention"], software("megatron-2024 without overlap")["overlap"]
    ('written', 'none')
    """
    if name.endswith(WITHOUT_OVERLAP):
        return _without_overlap(name.removesuffix(WITHOUT_OVERLAP))
    return _row("software", name, "software")


@cache
def _without_overlap(name: str) -> dict[str, Any]:
    return {**_row("software", name, "software"), "overlap": "none", "hides_experts": False}


def kernels(kind: str) -> dict[str, float]:
    """Return the memory traffic and launch overhead of the small kernels of a layer: "eager", "partly" or "fused".

    >>> kernels("eager")["norm_bytes"] > kernels("fused")["norm_bytes"]
    True
    """
    return _row("kernels", kind, "kind of kernels")


def attention_share(accelerator: str, kernel: str) -> float:
    """Return the share of peak FLOP/s that fused attention reaches on a chip: with "flash", "tuned" or "latest" kernels, or as measured.

    >>> attention_share("H100-80GB", "flash") < attention_share("H100-80GB", "tuned")
    True
    """
    row = chip(accelerator)
    share: float = row.get("attention") or constants()["attention"][row["generation"]][kernel]
    return share


def constant(name: str) -> float:
    """Return one of the constants that hold for every chip and all software.

    >>> 0 < constant("network") <= 1
    True
    """
    figure: float = constants()["everywhere"][name]
    return figure


def constants() -> dict[str, Any]:
    """Return the content of planner/constants.yaml.

    >>> "network" in constants()["everywhere"]
    True
    """
    return table("planner/constants.yaml")


def _row(group: str, name: str, what: str) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = constants()[group]
    if name not in rows:
        raise ValueError(f"unknown {what} {name!r}; planner/constants.yaml has {', '.join(rows)}")
    return rows[name]
