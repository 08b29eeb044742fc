"""Figures of your own run, read from a small JSON file or a profiler trace, and plans corrected by them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.text_files import must_be_ordinary, read_bounded
from shardwise_bank.planning.input_faults import COMMAND, InputFaults, excerpt
from shardwise_bank.planning.inputs import PARTS, PlanRequest, asked
from shardwise_bank.planning.model_input import LARGEST_FILE
from shardwise_bank.planning.plans import SearchResult, planned
from shardwise_bank.planning.trace import GZIP, read_trace
from shardwise_bank.solutions.planner.judging import Layout, Plan
from shardwise_bank.solutions.planner.measured import (
    MEMORY_KINDS,
    TERMS,
    Correction,
    Measured,
    Term,
    compared,
    corrected,
    correction,
    remarks,
)  # fmt: skip
from shardwise_bank.solutions.planner.search import pareto, ranked

_FIGURES = ("step_s", "tokens_per_s_per_gpu", "terms", "memory", "memory_kind", "trace")
LEAST_MEMORY = 10**6  # bytes; a smaller number is probably in GB
ROUNDING = 1.02  # of GPU memory capacity, which drivers report differently
STEPS = 1e-5, 1e6  # seconds that a step can take
LONGEST_PATH = 1000  # characters
EXAMPLE = '{"step_s": 11.8, "memory": "66 GB", "terms": {"data_parallel": 2.1}}'


@dataclass(frozen=True)
class MeasuredRun:
    """A measured run compared with its plan. `parts` describes the run as a `--file` does, for plans that differ from it."""

    plan: Plan
    measured: Measured
    terms: tuple[Term, ...]
    change: Correction
    parts: Mapping[str, Any]

    def correct(self, made: Plan) -> Plan:
        """Return the plan of another run, corrected by the measured one; the plan of the measured run stays as it is."""
        if (made.model, made.cluster, made.layout, made.batch) == (
            self.plan.model, self.plan.cluster, self.plan.layout, self.plan.batch,
        ):  # fmt: skip
            return made
        return corrected(made, self.change)

    def correct_search(self, found: SearchResult) -> SearchResult:
        """Return the layouts of a search corrected by the measured run: those that still fit, fastest first."""
        kept = ranked(
            plan
            for plan in (corrected(each, self.change) for each in found.kept)
            if plan.memory_bytes <= found.room_bytes
        )
        return SearchResult(kept, pareto(kept), found.room_bytes)

    def document(self) -> dict[str, Any]:
        """Return the comparison as plain data, in base units."""
        return {
            "run": asdict(self.measured), "terms": [asdict(term) for term in self.terms],
            "remarks": list(remarks(self.plan, self.terms, self.measured)),
        }  # fmt: skip


def comparison(
    file: Path, options: Mapping[str, Any], given: Mapping[str, Any], adapted: Callable[[PlanRequest], PlanRequest]
) -> MeasuredRun:
    """Compare the figures in a file with the plan of their run. Raises ShardwiseError.

    A file with a layout describes its run, and the options describe another one. A file without a layout holds figures of
    the run that the options describe. `adapted` puts a measured card in place of its accelerator.
    """
    data = _data(file)
    if unknown := [name for name in data if name not in (*_FIGURES, *PARTS)]:
        raise ShardwiseError(
            f"{file}: unknown {', '.join(map(repr, unknown))}. Known: {', '.join((*_FIGURES, *PARTS))}. Example: {EXAMPLE}"
        )
    parts = {**given, **{name: data[name] for name in PARTS if name in data}}
    run = _own_run(options, parts) if "layout" in data else options
    made, _ = planned(adapted(asked(run, parts, wording=COMMAND, where=str(file))))
    if not made.step:
        raise ShardwiseError(f"{file}: cannot plan this run: {'; '.join(fault.words for fault in made.faults)}.")
    figures = _measured(file, data, made)
    try:
        terms = compared(made, figures)
    except ValueError as error:
        raise ShardwiseError(f"{file}: {error}.") from error
    return MeasuredRun(made, figures, terms, correction(made, terms, figures), _for_others(options, parts))


def _own_run(options: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without those that do not describe the run of a file with a layout; a model or a cluster that it omits stays."""
    described = {"model": ("model",), "cluster": ("cluster", "gpus", "network")}
    kept = {name for part, names in described.items() if part not in parts for name in names}
    return {name: value if name in kept else None for name, value in options.items()} | {"layout": {}, "batch": {}}


def _for_others(options: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of the run as a base for other plans, without DP if the options change the numbers that it follows from."""
    layout = parts.get("layout")
    follows = any(options.get(name) for name in ("cluster", "gpus")) or {"tp", "cp", "pp"} & options["layout"].keys()
    if not isinstance(layout, Mapping) or not follows:
        return dict(parts)
    return {**parts, "layout": {name: value for name, value in layout.items() if name != "dp"}}


def _measured(file: Path, data: Mapping[str, Any], made: Plan) -> Measured:
    """Return the figures in the file, completed by those of its trace. Raises ShardwiseError with every fault."""
    faults = InputFaults(COMMAND)
    seen = _of_trace(file, data, made.layout, faults)
    if "step_s" in data:
        seen = replace(seen, step_s=faults.number(data["step_s"], "step_s", "s"))
    elif "tokens_per_s_per_gpu" in data:
        rate = faults.number(data["tokens_per_s_per_gpu"], "tokens_per_s_per_gpu", "tokens/s")
        seen = replace(seen, step_s=rate and made.batch.tokens / rate / made.cluster.gpus)
    if seen.step_s is not None and not STEPS[0] <= seen.step_s <= STEPS[1]:
        faults.add(f"a step of {seen.step_s:.3g} s is not realistic. Give step_s in seconds, or tokens/s per GPU.")
    terms = data.get("terms", {})
    if not isinstance(terms, Mapping) or any(name not in TERMS for name in terms):
        faults.add(f"terms must be seconds by name: {', '.join(TERMS)}; not {str(terms)[:80]}.")
    else:
        seconds = {
            name: faults.number(value, f"terms: {name}", "s")
            for name, value in terms.items()
            if value != 0 or isinstance(value, bool) or name == "compute"  # any other term can be hidden or absent
        }
        seen = replace(
            seen, terms={**seen.terms, **dict.fromkeys(terms, 0.0), **{k: v for k, v in seconds.items() if v}}
        )
    kind = str(data.get("memory_kind", "allocated"))
    if kind not in MEMORY_KINDS:
        faults.add(f"memory_kind must be one of {', '.join(MEMORY_KINDS)}, not {kind[:40]!r}.")
    if isinstance(data.get("memory"), int | float) and data["memory"] < LEAST_MEMORY:
        faults.add(f'memory needs a unit, such as "66 GB", not {data["memory"]!r}: without one, it is in bytes.')
    elif "memory" in data:
        seen = replace(seen, memory_bytes=faults.number(data["memory"], "memory", "GB"), memory_kind=kind)
    if seen.memory_bytes and seen.memory_bytes > ROUNDING * made.cluster.memory_bytes:
        faults.add(
            f"memory of {seen.memory_bytes / 1e9:,.1f} GB is more than the {made.cluster.memory_bytes / 1e9:.1f} GB of a GPU "
            f"({made.cluster.accelerator}). Give peak memory per GPU, and the accelerator that was measured."
        )
    if not faults.messages and not seen.terms and seen.step_s is None and seen.memory_bytes is None:
        faults.add(f"expected step_s, tokens_per_s_per_gpu, terms, memory or trace. Example: {EXAMPLE}")
    if faults.messages:
        raise ShardwiseError("\n".join(f"{file}: {words}" for words in faults.messages))
    return seen


def _of_trace(file: Path, data: Mapping[str, Any], layout: Layout, faults: InputFaults) -> Measured:
    trace = data.get("trace")
    if trace is None:
        return Measured()
    if not isinstance(trace, str) or not trace.isprintable() or len(trace) > LONGEST_PATH:
        faults.add(f"trace must be the path of a PyTorch profiler trace, not {excerpt(trace)}.")
        return Measured()
    return read_trace(file.parent / trace, layout)


def _data(file: Path) -> dict[str, Any]:
    """Read a file of figures. For a profiler trace, return only its name: reading it requires the layout."""
    expected = f"expected JSON such as {EXAMPLE}, or a PyTorch profiler trace"
    try:
        must_be_ordinary(file)
        with file.open("rb") as opened:
            start = opened.read(4096)
        if start[:2] == GZIP or b'"traceEvents"' in start or b'"schemaVersion"' in start or start.lstrip()[:1] == b"[":
            return {"trace": file.name}
        data = json.loads(read_bounded(file, LARGEST_FILE).decode("utf-8-sig"))
    except OSError as error:
        raise ShardwiseError(f"{file}: cannot read this file: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ShardwiseError(f"{file}: {expected}, but this is not text in UTF-8.") from error
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, json.JSONDecodeError) else "a number or a list in it is far too large"
        raise ShardwiseError(f"{file}: {expected}: {why}.") from error
    if not isinstance(data, dict):
        raise ShardwiseError(f"{file}: expected an object such as {EXAMPLE}.")
    return data
