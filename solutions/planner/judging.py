"""The planner: memory and step time of a training run's layout, and why a layout cannot run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..cost import run_costs
from ..roofline import mfu
from .advice import advice
from .conventions import conventions
from .faults import Fault, faults_before_running, memory_fault
from .memory import memory
from .plan import Plan
from .shapes import Batch, Cluster, Layout, Model, named_model
from .stacks import stack
from .time import step

__all__ = [
    "Batch", "Cluster", "Fault", "Layout", "Model", "Plan", "counted", "judge", "layout_memory_bytes", "layout_mfu",
    "layout_step_seconds", "named_model", "plan", "run_days", "run_dollars", "warnings",
]  # fmt: skip
RANGES = "ranges hold for 80% of published runs that the calibration had not seen"


def plan(model: Model, cluster: Cluster, layout: Layout, batch: Batch) -> Plan:
    """Judge a layout: memory by bucket, step time by part, and all faults at once.

    The layout's software is a row of planner/constants.yaml, a framework of planner/frameworks.yaml, or "unknown".

    Raises:  ValueError for a schedule, a recomputation, a ZeRO stage, a chip or a software that is unknown.

    >>> llama, cluster = named_model("Llama-3-8B"), Cluster("H100-80GB", 64)
    >>> judged = plan(llama, cluster, Layout(tp=2, dp=32), Batch(global_batch=512, sequence=8192))
    >>> judged.fits, judged.faults, 0.4 < judged.mfu < 0.6
    (True, (), True)
    >>> plan(llama, cluster, Layout(tp=2, dp=30), Batch(480, 8192)).faults[0].words
    'TP 2 × CP 1 × PP 1 × DP 30 = 60 GPUs, but the cluster has 64'
    """
    software = stack(layout.software, cluster.accelerator, sinks=model.sinks)
    layout = replace(layout, software=software.planned)
    faults = faults_before_running(model, cluster, layout, batch)
    if any(fault.constraint != "node" for fault in faults):
        return Plan(model, cluster, layout, batch, {}, {}, faults, software)
    held = memory(model, layout, batch)
    parts = step(model, cluster, layout, batch)
    faults += memory_fault(cluster, sum(held.values()))
    return Plan(model, cluster, layout, batch, held, parts, faults, software)


def warnings(judged: Plan) -> tuple[str, ...]:
    """Return advice: where time and memory go, which single changes help, and how to make a layout run that does not.

    >>> warnings(plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192)))
    ()
    """

    def planned(layout: Layout, batch: Batch) -> Plan:
        other = plan(judged.model, judged.cluster, layout, batch)
        return replace(other, software=judged.software) if layout.software == judged.layout.software else other

    return advice(judged, planned)


def counted(judged: Plan) -> tuple[str, ...]:
    """Return the software that was assumed, and the conventions of a plan where lessons or papers use others; nothing for a plan that cannot run.

    >>> counted(plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=30), Batch(480, 8192)))
    ()
    """
    if not judged.step:
        return ()
    return (*filter(None, [judged.stack.words]), RANGES, *conventions(judged.cluster, judged.layout, judged.model))


def run_days(judged: Plan, *, tokens: float) -> float:
    """Return the training time in days, excluding failures.

    Units:   tokens as a count. Result in days.
    Raises:  ValueError if tokens is not positive.

    >>> judged = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> 15 < run_days(judged, tokens=1e12) < 25
    True
    """
    rate = judged.tokens_per_s_per_gpu * judged.cluster.gpus
    return mfu.seconds_for_tokens(training_tokens=tokens, tokens_per_s=rate) / 86400


def run_dollars(judged: Plan, *, tokens: float, dollars_per_gpu_hour: float) -> float:
    """Return the cost of a run on that many tokens.

    Units:   tokens as a count; dollars per GPU-hour. Result in dollars.
    Raises:  ValueError if an argument is not positive.

    >>> judged = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> round(run_dollars(judged, tokens=1e12, dollars_per_gpu_hour=2) / run_days(judged, tokens=1e12)) == 64 * 24 * 2
    True
    """
    return run_costs.rental_dollars(
        gpus=judged.cluster.gpus, run_s=run_days(judged, tokens=tokens) * 86400,
        dollars_per_gpu_hour=dollars_per_gpu_hour,
    )  # fmt: skip


def judge(
    *, model: str, accelerator: str, gpus: int, global_batch: int, sequence: int, tp: int = 1, cp: int = 1, pp: int = 1,
    dp: int = 1, ep: int = 1, virtual_stages: int = 1, zero: int = 1, micro_batch: int = 1, recompute: str = "none",
    schedule: str = "1f1b", sequence_parallel: bool = True, precision: str = "bf16", recomputed_layers: int = 0,
    gpus_per_node: int = 8, network_bytes_per_s: float = 50e9, software: str = "megatron-2024", gradient_bytes: int = 0,
) -> dict[str, Any]:  # fmt: skip
    """Return a verdict on a layout of a published model, as plain numbers and words.

    TP includes sequence parallelism unless that is turned off, as in Layout.

    Units:   network_bytes_per_s of one GPU, per direction; gradient_bytes 0 for the width that the software uses (4); the rest are
             counts and words. Bytes and seconds in the result.
    Raises:  ValueError for a model, an accelerator or a word that is unknown.
    Source:  plan.

    >>> case = {"model": "Llama-3-8B", "accelerator": "H100-80GB", "gpus": 64, "global_batch": 512, "sequence": 8192}
    >>> judge(**case, tp=2, dp=32)["fits"], judge(**case, tp=3, dp=32)["faults"][0]["constraint"]
    (True, 'product')
    """
    judged = plan(
        named_model(model),
        Cluster(accelerator, gpus, gpus_per_node, network_bytes_per_s),
        Layout(
            tp=tp, cp=cp, pp=pp, dp=dp, ep=ep, virtual_stages=virtual_stages, zero=zero, micro_batch=micro_batch,
            recompute=recompute, schedule=schedule, sequence_parallel=sequence_parallel, precision=precision,
            recomputed_layers=recomputed_layers, software=software, gradient_bytes=gradient_bytes,
        ),
        Batch(global_batch, sequence),
    )  # fmt: skip
    faults = [vars(fault) for fault in judged.faults]
    verdict: dict[str, Any] = {"runs": bool(judged.step), "fits": judged.fits, "faults": faults}
    if judged.step:
        verdict |= {
            "memory_bytes": judged.memory_bytes, "step_s": judged.step_s, "mfu": judged.mfu, "hfu": judged.hfu,
            "bubble_overhead": judged.bubble_overhead, "bubble_idle_fraction": judged.bubble_idle_fraction,
            "tokens_per_s_per_gpu": judged.tokens_per_s_per_gpu, "memory": dict(judged.memory),
            "step": dict(judged.step),
        }  # fmt: skip
    return verdict


def layout_memory_bytes(**layout: Any) -> float:
    """Return the peak memory per GPU under a layout; arguments as for `judge`.

    Raises:  ValueError where the layout cannot run, with every reason.

    >>> llama = {"model": "Llama-3-8B", "accelerator": "H100-80GB", "gpus": 8, "global_batch": 64, "sequence": 8192}
    >>> layout_memory_bytes(**llama, dp=8, zero=3) < layout_memory_bytes(**llama, dp=8, zero=1)
    True
    """
    return float(_measure("memory_bytes", layout))


def layout_step_seconds(**layout: Any) -> float:
    """Return the step time of a layout in seconds; arguments as for `judge`.

    Raises:  ValueError where the layout cannot run, with every reason.

    >>> llama = {"model": "Llama-3-8B", "accelerator": "H100-80GB", "gpus": 8, "global_batch": 64, "sequence": 8192}
    >>> layout_step_seconds(**llama, dp=8) < layout_step_seconds(**llama, dp=8, recompute="full")
    True
    """
    return float(_measure("step_s", layout))


def layout_mfu(**layout: Any) -> float:
    """Return the MFU of a layout; arguments as for `judge`.

    Raises:  ValueError where the layout cannot run, with every reason.

    >>> llama = {"model": "Llama-3-8B", "accelerator": "H100-80GB", "gpus": 8, "global_batch": 64, "sequence": 8192}
    >>> 0.4 < layout_mfu(**llama, dp=8) < 0.6
    True
    """
    return float(_measure("mfu", layout))


def _measure(name: str, layout: dict[str, Any]) -> Any:
    verdict = judge(**layout)
    if not verdict["runs"]:
        raise ValueError("; ".join(fault["words"] for fault in verdict["faults"]))
    return verdict[name]
