"""A plan as the settings of a training framework: flags of Megatron-LM, or TOML of TorchTitan.

Only what the plan decides is written: model, layout and batch. Data, optimizer, losses and checkpoints are up to the user.
"""

from __future__ import annotations

from . import megatron, torchtitan
from .constants import chip
from .shapes import Batch, Cluster, Layout, Model

FRAMEWORKS = {  # the release, what it has no setting for, and the settings as text
    "megatron": (megatron.RELEASE, megatron.not_in_megatron, megatron.megatron_flags),
    "torchtitan": (torchtitan.RELEASE, torchtitan.not_in_torchtitan, torchtitan.torchtitan_toml),
}


def written(framework: str, model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> str:
    """Return the settings of a plan for one of FRAMEWORKS, as text.

    Raises:  ValueError with everything that the framework has no setting for.
    Source:  megatron.py and torchtitan.py.

    >>> llama = Model("Llama-3-8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> text = written("megatron", llama, Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> [line for line in text.splitlines() if "parallel-size 2" in line or line == "--sequence-parallel"]
    ['--tensor-model-parallel-size 2', '--sequence-parallel']
    """
    if framework not in FRAMEWORKS:
        raise ValueError(f"Unknown framework {framework!r}. Choose {' or '.join(FRAMEWORKS)}.")
    release, gaps, text = FRAMEWORKS[framework]
    missing = list(gaps(model, layout))
    if chip(cluster.accelerator)["generation"] == "tpu":
        missing.append(f"{cluster.accelerator}; it is for GPUs")
    if missing:
        raise ValueError("\n".join(f"{release} has no setting for {what}" for what in missing))
    head = f"# {release}: {model.name} on {cluster.gpus:,} {cluster.accelerator}"
    return f"{head}\n{text(model, layout, batch)}"
