"""Names that the planner knows: models, accelerators and their interconnects, and the words of a layout."""

from __future__ import annotations

from typing import Any

from ..facts import hardware
from ..facts.arguments import require_counts
from ..facts.tables import table
from ..shapes import models
from .configurations.published import published_names
from .recompute import RECOMPUTE
from .shapes import OFFLOAD, PRECISIONS, SCHEDULES, Cluster, Model
from .stacks import stacks

GBIT = 10**9 / 8  # bytes


def names() -> dict[str, dict[str, str]]:
    """Return accepted names and the canonical name of each: models, accelerators, schedules, recomputation, precision, software.

    >>> names()["accelerator"]["h100"], names()["model"]["Llama-3-405B"]
    ('H100-80GB', 'Llama-3-405B')
    """
    chips = {chip: chip for chip in hardware.names() if chip in _clusters()}
    called = {word: chip for chip in chips for word in _clusters()[chip]["called"]}
    return {
        "model": {model: model for model in dict.fromkeys((*models.names(), *published_names()))},
        "accelerator": chips | called,
        "schedule": {word: word for word in SCHEDULES},
        "recompute": {word: word for word in RECOMPUTE},
        "precision": {word: word for word in PRECISIONS},
        "software": stacks(),
        "offload": {word: word for word in OFFLOAD},
    }


def titles() -> dict[str, dict[str, str]]:
    """Return the words of a layout as the field writes them.

    >>> titles()["schedule"]["zb-h1"], titles()["precision"]["fp8"]
    ('ZB-H1', 'FP8')
    """
    return {"schedule": dict(SCHEDULES), "precision": {word: word.upper() for word in PRECISIONS}}


def usual_cluster(*, accelerator: str, gpus: int) -> Cluster:
    """Return a cluster of accelerators, with the usual nodes and network.

    Units:   gpus is a count.
    Raises:  ValueError for an accelerator that planner/names.yaml lacks, or if gpus is below 1.
    Source:  the source that planner/names.yaml gives for the values.

    >>> usual_cluster(accelerator="H100-80GB", gpus=16384)
    Cluster(accelerator='H100-80GB', gpus=16384, gpus_per_node=8, network_bytes_per_s=50000000000.0, rank_s=0.0)
    """
    require_counts(gpus=gpus)
    links = usual_links(accelerator=accelerator)
    node = gpus if links["node"] == "slice" else links["node"]
    return Cluster(accelerator, gpus, node, links["network"] * GBIT)


def usual_links(*, accelerator: str) -> dict[str, Any]:
    """Return the usual node size and network of an accelerator: its row in planner/names.yaml.

    Units:   `node` is a count, or "slice"; `network` in Gbit/s of one accelerator, per direction.
    Raises:  ValueError for an accelerator that planner/names.yaml lacks.
    Source:  the source that planner/names.yaml gives for the values.

    >>> links = usual_links(accelerator="H100-80GB")
    >>> links["node"], links["network"]
    (8, 400)
    """
    if accelerator not in _clusters():
        raise ValueError(f"unknown accelerator {accelerator!r}; planner/names.yaml has {', '.join(_clusters())}")
    return dict(_clusters()[accelerator])


def problem_like(*, model: Model, cp: int = 1, virtual_stages: int = 1) -> str:
    """Return the layout problem of this bank that is most similar to a plan.

    Raises:  ValueError if a count is below 1.

    >>> llama = Model("8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> problem_like(model=llama), problem_like(model=llama, cp=4)
    ('a-layout-that-fits', 'a-layout-for-long-documents')
    """
    require_counts(cp=cp, virtual_stages=virtual_stages)
    if model.experts:
        return "a-layout-for-experts"
    if cp > 1:
        return "a-layout-for-long-documents"
    return "a-layout-for-the-405b" if virtual_stages > 1 else "a-layout-that-fits"


def _clusters() -> dict[str, Any]:
    return table("planner/names.yaml")
