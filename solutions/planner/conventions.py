"""Conventions of a plan for memory and MFU, where lessons or papers use others."""

from __future__ import annotations

from ..facts import hardware
from .constants import chip
from .memory import gradient_width, keeps_whole
from .shapes import Cluster, Layout, Model


def conventions(cluster: Cluster, layout: Layout, model: Model | None = None) -> tuple[str, ...]:
    """Return how a plan counts memory and MFU, and where other conventions differ.

    >>> conventions(Cluster("H100-80GB", 64), Layout(dp=64))[0]
    'GPU memory capacity is 85.5 GB, as the H100-80GB driver reports; the lessons use 80 GB'
    """
    room, named = cluster.memory_bytes, hardware.memory_bytes(accelerator=cluster.accelerator)
    width = gradient_width(layout)
    notes = []
    if room != named:
        notes.append(
            f"GPU memory capacity is {room / 1e9:.1f} GB, as the {cluster.accelerator} driver reports; the lessons use {named / 1e9:g} GB"
        )
    if width != 2:
        notes.append(
            f"gradients take {width} bytes per parameter, {'as requested' if layout.gradient_bytes == width else f'as in {layout.software}'}; the lessons' 16 bytes per parameter include 2"
        )
    if layout.pp > 1 and (layout.zero == 2 or keeps_whole(layout)):
        notes.append(
            "PyTorch's FSDP in a pipeline keeps gradients whole during the step, and reduces them once at its end"
            if keeps_whole(layout)
            else "with ZeRO-2, gradients are reduced for every micro-batch; software that reduces once per step keeps them whole, as ZeRO-1 does"
        )
    notes.append(f"MFU counts attention over all pairs of tokens, including masked ones, relative to {_peak(cluster)}")
    if model and any(block.span for block in model.kinds):
        notes.append(
            "in layers with a window or chunks, each token counts as many keys as these have; Megatron-LM counts half of that "
            "in every layer, and TorchTitan the whole sequence"
        )
    return tuple(notes)


def _peak(cluster: Cluster) -> str:
    """Return the rate that an MFU is relative to: on a card without a data sheet, the fastest rate that was measured."""
    is_measured = chip(cluster.accelerator)["matmul"] == 1
    return "the measured BF16 matrix multiplications" if is_measured else "the dense BF16 peak"
