"""The planner's constants: what chips, links and software reach of their peaks, and what memory nobody else can use."""

from __future__ import annotations

from typing import Any

from ..facts.tables import table


def chip(accelerator: str) -> dict[str, Any]:
    """Shares of the peak that matrix products reach on a chip, by number format, and its generation.

    Raises:  ValueError for a chip without constants.

    >>> 0.5 < chip("H100-80GB")["matmul"] < 1
    True
    """
    return _row("chips", accelerator, "chip")


def software(name: str) -> dict[str, Any]:
    """What a software stack of its year does: attention kernel, small kernels, what it overlaps, widths of its gradients.

    Raises:  ValueError for an unknown name.

    >>> software("megatron-2021")["attention"]
    'written'
    """
    return _row("software", name, "software")


def kernels(kind: str) -> dict[str, float]:
    """Bytes that the small kernels of a layer pass over, and what starting them costs: "eager", "partly" or "fused".

    >>> kernels("eager")["norm_bytes"] > kernels("fused")["norm_bytes"]
    True
    """
    return _row("kernels", kind, "kind of kernels")


def attention_share(accelerator: str, kernel: str) -> float:
    """Share of the peak that fused attention reaches on a chip: "flash" kernels, those tuned for it, or the latest.

    >>> attention_share("H100-80GB", "flash") < attention_share("H100-80GB", "tuned")
    True
    """
    share: float = constants()["attention"][chip(accelerator)["generation"]][kernel]
    return share


def constant(name: str) -> float:
    """One of the figures that hold for every chip and every software.

    >>> 0 < constant("network") <= 1
    True
    """
    figure: float = constants()["everywhere"][name]
    return figure


def constants() -> dict[str, Any]:
    """Everything in planner/constants.yaml.

    >>> "network" in constants()["everywhere"]
    True
    """
    return table("planner/constants.yaml")


def _row(group: str, name: str, what: str) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = constants()[group]
    if name not in rows:
        raise ValueError(f"{name!r} is no {what} of planner/constants.yaml, which has {', '.join(rows)}")
    return rows[name]
