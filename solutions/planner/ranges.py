"""Ranges of predicted figures that hold for 80 % of unseen runs, by what is known of the run. The factors are calibrated on published runs."""

from __future__ import annotations

from typing import Any

from ..facts.tables import table
from .links import spread
from .shapes import Cluster, Layout, Model

Range = tuple[float, float]
CHIPS = ("published", "new")  # chips with published runs, and others
KINDS = ("dense", "mixture", "mixture across nodes")  # from the easiest to predict to the hardest


def kind_of_run(model: Model, cluster: Cluster, layout: Layout) -> str:
    """Return the kind of a run, one of KINDS: what makes its step time harder to predict.

    >>> kind_of_run(Model("toy", 8, 1024, 4096, 8, 8, 32000), Cluster("H100-80GB", 64), Layout(dp=64))
    'dense'
    >>> mixture = Model("toy", 8, 1024, 0, 8, 8, 32000, experts=64, experts_per_token=2, expert_ffn_hidden=512)
    >>> [kind_of_run(mixture, Cluster("H100-80GB", 64), Layout(dp=64, ep=ep)) for ep in (8, 16)]
    ['mixture', 'mixture across nodes']
    """
    if not model.experts:
        return "dense"
    _, nodes = spread(cluster, size=layout.ep, stride=layout.expert_tp)
    return "mixture across nodes" if nodes > 1 else "mixture"


def chip_knowledge(accelerator: str) -> str:
    """Return "published" for a chip whose constants come from published runs, else "new".

    >>> chip_knowledge("H100-80GB"), chip_knowledge("MI300X-192GB")
    ('published', 'new')
    """
    return "published" if accelerator in _ranges()["chips"] else "new"


def time_factor(*, kind: str, knowledge: str, accelerator: str) -> float:
    """Return the factor from a predicted step time to both ends of its range; for unknown software, from both ends of its span.

    Source:  planner/ranges.yaml.

    >>> chips, kinds = ("H100-80GB", "MI300X-192GB"), ("dense", "mixture")
    >>> known, mixture, new, _ = (time_factor(kind=kind, knowledge="row", accelerator=chip) for chip in chips for kind in kinds)
    >>> 1 < known <= mixture, known < new
    (True, True)
    """
    return float(_ranges()["time"][chip_knowledge(accelerator)][knowledge][kind]["factor"])


def memory_factor(*, is_known: bool) -> float:
    """Return the factor from predicted memory to both ends of its range; for unknown software, from both ends of its span.

    Source:  planner/ranges.yaml.

    >>> 1 < memory_factor(is_known=True) < 1.5
    True
    """
    return float(_ranges()["memory"]["known" if is_known else "unknown"]["factor"])


def _ranges() -> dict[str, Any]:
    return table("planner/ranges.yaml")
