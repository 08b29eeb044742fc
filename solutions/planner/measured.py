"""A measured run compared with its plan: which term of the step time is off, and what that means for other layouts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from .constants import WITHOUT_OVERLAP
from .memory import MOVING
from .plan import Plan
from .time import step

TERMS = {  # what a profile can distinguish, and the parts of the planner's step time in it
    "compute": ("compute", "recompute", "stragglers", "optimizer"),
    "tensor_parallel": ("tensor_parallel",),
    "context_parallel": ("context_parallel",),
    "expert_parallel": ("expert_parallel",),
    "data_parallel": ("data_parallel",),
    "pipeline": ("pipeline_parallel", "bubble"),
}
COMMUNICATION = ("tensor_parallel", "context_parallel", "expert_parallel", "data_parallel")
MEMORY_KINDS = ("allocated", "reserved", "nvidia-smi")
SIMILAR = 0.15  # relative difference that is not worth a remark: about the median error of unseen runs, times two
SMALL = 0.02  # of the step time
LARGE = 10  # a ratio that is written without a fraction


@dataclass(frozen=True)
class Measured:
    """The figures that a run reports, in seconds and bytes. `terms` holds exposed seconds by name of TERMS."""

    step_s: float | None = None
    terms: Mapping[str, float] = field(default_factory=dict)
    memory_bytes: float | None = None
    memory_kind: str = "allocated"


@dataclass(frozen=True)
class Term:
    """One term of the step time: predicted, measured, and, for communication, the time without any overlap."""

    name: str
    predicted_s: float
    measured_s: float
    whole_s: float = 0.0


@dataclass(frozen=True)
class Correction:
    """A correction of other layouts' plans, derived from a measured run.

    `ratios` holds measured over predicted seconds of each known term; for communication, measured over unhidden seconds.
    `rest` applies to all other terms, and `memory` to the memory that changes within a step.
    """

    ratios: Mapping[str, float]
    rest: float = 1.0
    memory: float = 1.0


def compared(plan: Plan, run: Measured) -> tuple[Term, ...]:
    """Compare the measured terms with a plan.

    Units:   seconds.
    Raises:  ValueError if the terms add up to more than the step time, or a term is unknown.

    >>> from .judging import Batch, Cluster, Layout, named_model, plan
    >>> made = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> terms = compared(made, Measured(12.0, {"data_parallel": 2.0}))
    >>> [term.name for term in terms], terms[0].whole_s > terms[0].predicted_s
    (['data_parallel', 'rest'], True)
    """
    if unknown := [name for name in run.terms if name not in TERMS]:
        raise ValueError(f"unknown terms of the step time: {', '.join(unknown)}; known: {', '.join(TERMS)}")
    bare = _exposed_step(plan)
    terms = [
        Term(name, _seconds(plan.step, name), seconds, _seconds(bare, name) if name in COMMUNICATION else 0.0)
        for name, seconds in run.terms.items()
    ]
    if run.step_s is None:
        return tuple(terms)
    left = run.step_s - sum(run.terms.values())
    if left < -SMALL * run.step_s:
        raise ValueError(
            f"the terms add up to {sum(run.terms.values()):.4g} s, more than the step time of {run.step_s:.4g} s"
        )
    others = sum(_seconds(plan.step, name) for name in TERMS if name not in run.terms)
    if others and len(run.terms) < len(TERMS):
        terms.append(Term("rest" if terms else "step", others, max(0.0, left)))
    return tuple(terms)


def _exposed_step(plan: Plan) -> dict[str, float]:
    """Return the step time of the same run on the same software with all communication exposed."""
    layout = replace(plan.layout, software=plan.layout.software + WITHOUT_OVERLAP)
    return step(plan.model, plan.cluster, layout, plan.batch)


def _seconds(parts: Mapping[str, float], term: str) -> float:
    return sum(parts[part] for part in TERMS[term])


def correction(plan: Plan, terms: tuple[Term, ...], run: Measured) -> Correction:
    """Derive from a measured run what other layouts of the same model, cluster and software will probably show.

    Exposed communication is carried over as a share of the time that it takes without overlap, everything else as a ratio
    to the prediction. A step time alone scales all terms alike.

    >>> from .judging import Batch, Cluster, Layout, named_model, plan
    >>> made = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> run = Measured(step_s=1.5 * made.step_s)
    >>> round(correction(made, compared(made, run), run).rest, 3)
    1.5
    """
    ratios = {term.name: term.measured_s / (term.whole_s or term.predicted_s)
              for term in terms if term.name in TERMS and (term.whole_s or term.predicted_s)}  # fmt: skip
    rest = next((term.measured_s / term.predicted_s for term in terms if term.name in ("rest", "step")), 1.0)
    return Correction(ratios, rest, _memory_ratio(plan, run))


def corrected(plan: Plan, change: Correction) -> Plan:
    """Return the plan of another layout, with the correction of a measured run.

    >>> from .judging import Batch, Cluster, Layout, named_model, plan
    >>> made = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> round(corrected(made, Correction({}, rest=1.5)).step_s / made.step_s, 3)
    1.5
    """
    if not plan.step:
        return plan
    bare, parts_s = _exposed_step(plan), dict(plan.step)
    for name, parts in TERMS.items():
        for part in parts:
            if name not in change.ratios:
                parts_s[part] *= change.rest
            else:
                parts_s[part] = change.ratios[name] * (bare if name in COMMUNICATION else plan.step)[part]
    memory = {name: size * (change.memory if name in MOVING else 1.0) for name, size in plan.memory.items()}
    named = plan.stack
    if change != Correction({}, memory=change.memory):  # a measured step time replaces the span of unknown software
        named = replace(named, knowledge="row", best=named.planned, typical=named.planned)
    return replace(plan, step=parts_s, memory=memory, software=named)


def counted_memory(plan: Plan, kind: str) -> float:
    """Return the peak memory as a tool counts it: PyTorch's counters omit the CUDA context, and allocated memory omits the cache.

    Units:   bytes.
    Raises:  ValueError for a kind that is not in MEMORY_KINDS.

    >>> from .judging import Batch, Cluster, Layout, named_model, plan
    >>> made = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> counted_memory(made, "allocated") < made.memory_bytes <= counted_memory(made, "nvidia-smi")
    True
    """
    if kind not in MEMORY_KINDS:
        raise ValueError(f"unknown kind of memory {kind!r}; known: {', '.join(MEMORY_KINDS)}")
    context = 0.0 if kind == "nvidia-smi" else plan.memory["context"]
    cached = 0.0 if kind == "allocated" else plan.cache_bytes
    return plan.memory_bytes - context + cached


def _memory_ratio(plan: Plan, run: Measured) -> float:
    if run.memory_bytes is None:
        return 1.0
    moving = sum(plan.memory[name] for name in MOVING)
    fixed = counted_memory(plan, run.memory_kind) - moving
    return (run.memory_bytes - fixed) / moving if run.memory_bytes > fixed and moving else 1.0


def remarks(plan: Plan, terms: tuple[Term, ...], run: Measured) -> Iterator[str]:
    """Explain each term that is off by more than a plan usually is, and the memory likewise.

    >>> from .judging import Batch, Cluster, Layout, named_model, plan
    >>> made = plan(named_model("Llama-3-8B"), Cluster("H100-80GB", 64), Layout(tp=2, dp=32), Batch(512, 8192))
    >>> run = Measured(2 * made.step_s)
    >>> next(remarks(made, compared(made, run), run)).endswith("would show which term is off")
    True
    """
    step_s = run.step_s or plan.step_s
    if run.step_s and plan.layout.precision in ("bf16", "fp16") and (mfu := plan.mfu * plan.step_s / run.step_s) > 1:
        yield (
            f"a step of {run.step_s:.3g} s would be an MFU of {mfu:.0%}: check the model, the batch, the accelerator and the "
            "number of GPUs"
        )
        terms = ()
    for term in terms:
        apart = term.measured_s - term.predicted_s
        if abs(apart) > max(SMALL * step_s, SIMILAR * term.predicted_s):
            yield _remark(term)
    if run.memory_bytes is not None:
        yield from _memory_remarks(plan, run.memory_bytes, run.memory_kind)


def _remark(term: Term) -> str:
    name, more = term.name.replace("_", " "), term.measured_s > term.predicted_s
    seen = f"{term.measured_s:.3g} s, where {term.predicted_s:.3g} s were predicted"
    if term.predicted_s and term.measured_s:
        seen = f"{term.measured_s:.3g} s, {_times(term.measured_s / term.predicted_s)} the predicted {term.predicted_s:.3g} s"
    if term.name == "step":
        return f"the step takes {seen}; a profile, or seconds by term, would show which term is off"
    if term.name == "rest":
        return f"all other terms together take {seen}; a profile, or seconds by term, would show which term is off"
    if term.name == "compute":
        why = (
            "compare the clock rate under load, the kernels (fused or eager, attention) and gaps between launches"
            if more else "your kernels are faster than those that the planner assumes; name your software, if you have not"
        )  # fmt: skip
        return f"compute takes {seen}: {why}"
    if term.name == "pipeline":
        why = (
            "look for stages of unequal length and exposed sends" if more else "your schedule hides more than this one"
        )
        return f"pipeline bubble and sends take {seen}: {why}"
    if not term.whole_s:
        return f"{name} communication takes {term.measured_s:.3g} s, but this layout needs none: check the layout and the names of the groups"
    if not term.measured_s:
        return f"no exposed {name} communication, where {term.predicted_s:.3g} s were predicted: all of it is hidden, or the run has another layout"
    share = term.measured_s / term.whole_s
    uneven = ", as with uneven routing" if term.name == "expert_parallel" else ""
    if share > 1 + SIMILAR:
        why = (
            f"even without overlap it should take {term.whole_s:.3g} s. Either the links reach only {1 / share:.0%} of the expected "
            f"bandwidth, which nccl-tests would show, or ranks wait for a slower one inside the collectives{uneven}"
        )
    elif more and share > 1 - SIMILAR:
        why = f"it takes {term.whole_s:.3g} s without overlap, so almost nothing is hidden: turn on its overlap in your framework"
    else:
        why = f"{1 - share:.0%} of its {term.whole_s:.3g} s are hidden, where overlap should hide {1 - term.predicted_s / term.whole_s:.0%}"
    return f"your exposed {name} communication takes {seen}: {why}"


def _times(ratio: float) -> str:
    return f"{ratio:.2g} times" if ratio < LARGE else f"{ratio:,.0f} times"


def _memory_remarks(plan: Plan, seen: float, kind: str) -> Iterator[str]:
    expected = counted_memory(plan, kind)
    moving = sum(plan.memory[name] for name in MOVING)
    if abs(seen - expected) <= SIMILAR * expected:
        return
    words = f"peak memory ({kind}) is {seen / 1e9:.1f} GB, and {expected / 1e9:.1f} GB were predicted"
    if seen < expected - moving:
        yield f"{words}, {(expected - moving) / 1e9:.1f} GB of them for what does not change within a step, mainly model states; check ZeRO, TP, PP and the number of GPUs"
    elif seen < expected:
        yield f"{words}: activations and temporary tensors take {(seen - expected + moving) / moving:.2g} times the prediction; check recomputation and micro-batch size"
    else:
        yield f"{words}: look for gradients or weights that are not sharded, logits in FP32, and fragmentation (reserved minus allocated)"
