"""Verdicts of the planner on layouts of published models, by stated conventions: memory, step time and broken constraints."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..facts.arguments import require_counts
from .activations import layer_bytes
from .faults import ENDS
from .judging import plan
from .memory import STATES
from .shapes import Batch, Cluster, Layout, named_model


@lru_cache(maxsize=16384)
def verdict(
    *, model: str, accelerator: str, gpus: int, global_batch: int, sequence: int, tp: int, pp: int, dp: int, cp: int = 1,
    ep: int = 1, virtual_stages: int = 1, zero: int = 1, network_bytes_per_s: float = 50e9,
) -> dict[str, Any]:  # fmt: skip
    """Return the planner's verdict on a layout with a micro-batch size of 1 and no recomputation, on nodes of 8 GPUs.

        held = model states + activations of all micro-batches in flight, on the stage with the highest memory

    Weights take 2 bytes, gradients 4 and optimizer states 12. Logits, buffers and the CUDA context are not included: a
    problem states how much stays free for them. The schedule is 1F1B, interleaved where there are several virtual stages. Stages or
    chunks that cannot be equal are a fault, since a bubble of (p - 1)/(v·m) assumes that they are. Results are cached.

    Units:   network_bytes_per_s of one GPU, per direction; the rest are counts and words. Bytes and seconds in the result.
    Raises:  ValueError for a model or an accelerator that is unknown.
    Source:  planner.plan.

    >>> run = {"model": "Llama-3-70B", "accelerator": "H100-80GB", "gpus": 256, "global_batch": 512, "sequence": 8192}
    >>> judged = verdict(**run, tp=8, pp=4, dp=8)
    >>> judged["faults"], round(judged["states_bytes"] / 1e9, 1), round(judged["held_bytes"] / 1e9, 1)
    ([], 17.0, 39.6)
    >>> [fault["constraint"] for fault in verdict(**run, tp=16, pp=2, dp=8)["faults"]]
    ['node']
    """
    layout = Layout(
        tp=tp, cp=cp, pp=pp, dp=dp, ep=ep, virtual_stages=virtual_stages, zero=zero, gradient_bytes=4
    )  # fmt: skip
    cluster = Cluster(accelerator, gpus, network_bytes_per_s=network_bytes_per_s)
    shape = named_model(model)
    judged = plan(shape, cluster, layout, Batch(global_batch, sequence))
    chunks = pp * virtual_stages
    found: dict[str, Any] = {"faults": [vars(fault) for fault in judged.faults if fault.constraint != "memory"]}
    if judged.step and not chunks_are_equal(layers=shape.layers, chunks=chunks):
        made = (
            f"PP {pp} with {virtual_stages} virtual stages makes {chunks} chunks"
            if virtual_stages > 1
            else f"PP {pp} makes {pp} stages"
        )
        words = (
            f"{made}, which cannot be equal: {chunks} divides neither the {shape.layers} layers "
            f"nor {shape.layers + ENDS}, with the embedding and the output layer counted as one each"
        )
        found["faults"].append({"constraint": "layers", "seen": chunks, "limit": shape.layers, "words": words})
    elif judged.step:
        states = sum(judged.memory[bucket] for bucket in STATES)
        found |= {
            "states_bytes": states,
            "held_bytes": states + judged.memory["activations"],
            "step_s": judged.step_s,
            "mfu": judged.mfu,
        }
    return found


def chunks_are_equal(*, layers: int, chunks: int) -> bool:
    """Return whether layers divide into chunks of equal length, where the first, the last or both may be one layer shorter.

    With 2 more chunks than layers, the first and the last hold only the embedding and the output layer.

    Units:   counts.
    Raises:  ValueError if one is below 1.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (one layer less on the first and the last stage); Narayanan et
             al. 2021, arXiv:2104.04473, section 2.2.2 (chunks with equally many layers).

    >>> chunks_are_equal(layers=126, chunks=14), chunks_are_equal(layers=126, chunks=64), chunks_are_equal(layers=126, chunks=112)
    (True, True, False)
    """
    require_counts(layers=layers, chunks=chunks)
    return any((layers + missing) % chunks == 0 for missing in range(ENDS + 1))


def kept_bytes(*, model: str, sequence: int) -> float:
    """Return the activation memory of one layer for one sequence, before TP and CP divide it, with no recomputation.

    For a mixture of experts, it is a layer with experts and a balanced router.

    Units:   a word and a count. Result in bytes.
    Raises:  ValueError for a model that is unknown.
    Source:  planner_activations.layer_bytes, equal to tensor_parallel.kept_bytes for dense models.

    >>> kept_bytes(model="Llama-3-70B", sequence=8192) / 1e9
    2.248146944
    """
    shape = named_model(model)
    return layer_bytes(shape, Layout(), Batch(1, sequence), shape.blocks[-1])
