"""Plans of one layout or of the best layouts, with their costs, and as a document or a framework's settings."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from shardwise.errors import ShardwiseError
from shardwise_bank.planning.input_faults import Wording
from shardwise_bank.planning.inputs import PlanRequest
from shardwise_bank.planning.search_input import limits_of
from shardwise_bank.solutions.planner.flags import written
from shardwise_bank.solutions.planner.judging import Layout, Model, Plan, counted, plan, run_days, run_dollars, warnings
from shardwise_bank.solutions.planner.search import pareto, ranked, tried
from shardwise_bank.solutions.planner.stacks import UNKNOWN
from shardwise_bank.solutions.planner.start import first_layout

Given = ParamSpec("Given")
Made = TypeVar("Made")
AT_ONCE = 64  # layouts that a search tries before it checks the clock


@dataclass(frozen=True)
class SearchResult:
    """The layouts of a search: those that were kept, fastest first, and the Pareto front of step time and memory."""

    kept: Sequence[Plan]
    front: Sequence[Plan]
    room_bytes: float


def planned(wanted: PlanRequest) -> tuple[Plan, str]:
    """Return the plan of one layout, and a note about what followed from its other settings. Raises ShardwiseError."""
    given, note = dict(wanted.layout), ""
    if "dp" not in given:
        product = given.get("tp", 1) * given.get("cp", 1) * given.get("pp", 1)
        given["dp"] = max(1, wanted.cluster.gpus // product)
        if wanted.cluster.gpus % product == 0:
            note = f"DP = {wanted.cluster.gpus:,} / {product:,}"
    layout = Layout(**given)
    return _call(plan, wanted.model, wanted.cluster, layout, wanted.batch), note


def start_of(wanted: PlanRequest) -> tuple[dict[str, Any], dict[str, int]]:
    """Return an initial layout that runs and fits, if there is one, and its batch. Raises ShardwiseError.

    The layout has only the settings that differ from the defaults, without DP, which follows from the other degrees.
    """
    software = wanted.layout.get("software", UNKNOWN)
    layout, batch = _call(first_layout, wanted.model, wanted.cluster, wanted.batch, software)
    usual = vars(replace(Layout(), dp=layout.dp, software=layout.software))
    chosen = {name: value for name, value in vars(layout).items() if value != usual[name]}
    chosen |= {} if software == UNKNOWN else {"software": software}
    return chosen, dataclasses.asdict(batch)


def searched(wanted: PlanRequest, limits: Mapping[str, Any], *, wording: Wording) -> SearchResult:
    """Return the best layouts within limits, keeping the given settings. Raises ShardwiseError."""
    search = Search(wanted, limits, wording=wording)
    search.go_on(inf)
    return search.result


class Search:
    """A search that can pause and continue. Raises ShardwiseError for invalid limits."""

    def __init__(self, wanted: PlanRequest, limits: Mapping[str, Any], *, wording: Wording) -> None:
        made = limits_of(limits, wanted, wording=wording)
        self.tried = 0
        self._wanted = wanted
        self._kept: list[Plan] = []
        self._room_bytes = made.memory_bytes or wanted.cluster.memory_bytes
        self._left = tried(wanted.model, wanted.cluster, wanted.batch, limits=made)

    def go_on(self, seconds: float) -> bool:
        """Try layouts for this many seconds; return whether all were tried. Raises ShardwiseError."""
        end = monotonic() + seconds
        while monotonic() < end:
            some = _call(lambda: list(islice(self._left, AT_ONCE)))
            self.tried += len(some)
            self._kept += [plan for plan in some if plan and self._is_kept(plan.layout)]
            if len(some) < AT_ONCE:
                return True
        return False

    @property
    def result(self) -> SearchResult:
        """The layouts found so far."""
        kept = ranked(self._kept)
        return SearchResult(kept, pareto(kept), self._room_bytes)

    def _is_kept(self, layout: Layout) -> bool:
        kept = {name: value for name, value in self._wanted.layout.items() if name != "software"}  # a name, here a row
        return all(getattr(layout, name) == value for name, value in kept.items())


def costs(made: Plan, wanted: PlanRequest) -> dict[str, float]:
    """Return the days and dollars of a run; nothing without training tokens, or when the layout cannot run."""
    if wanted.tokens is None or not made.step:
        return {}
    days = float(run_days(made, tokens=wanted.tokens))
    found = {"tokens": wanted.tokens, "days": days, "gpu_hours": days * 24 * made.cluster.gpus}
    if wanted.price is not None:
        dollars = run_dollars(made, tokens=wanted.tokens, dollars_per_gpu_hour=wanted.price)
        found |= {"price": wanted.price, "dollars": float(dollars)}
    return found


def document(made: Plan, costs: Mapping[str, float], notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return a plan as plain data, in base units and with the planner's names."""
    found: dict[str, Any] = {
        "model": _described(made.model), "cluster": dataclasses.asdict(made.cluster),
        "layout": layout_of(made), "batch": dataclasses.asdict(made.batch),
        "runs": bool(made.step), "fits": made.fits, "fit": made.fit, "faults": [dataclasses.asdict(fault) for fault in made.faults],
    }  # fmt: skip
    if made.software:
        found["software"] = dataclasses.asdict(made.software)
    if made.step:
        found |= {"memory": dict(made.memory), "memory_bytes": made.memory_bytes, "room_bytes": made.cluster.memory_bytes,
                  "step": dict(made.step), "step_s": made.step_s, "bubble_overhead": made.bubble_overhead,
                  "bubble_idle_fraction": made.bubble_idle_fraction, "mfu": made.mfu, "hfu": made.hfu,
                  "tokens_per_s_per_gpu": made.tokens_per_s_per_gpu, "headroom_bytes": made.headroom_bytes,
                  "ranges": {name: list(ends) for name, ends in ranges(made, costs).items()}}  # fmt: skip
    found |= {"counted": list(counted(made)), "warnings": list(warnings(made)), "notes": list(notes)}
    return found | ({"run": dict(costs)} if costs else {})


def layout_of(made: Plan) -> dict[str, Any]:
    """Return a plan's layout as plain data, with the name of the software that was asked for."""
    return dataclasses.asdict(made.layout) | ({"software": made.software.name} if made.software else {})


def ranges(made: Plan, costs: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    """Return the range of each predicted figure that has one."""
    rates = {"mfu": made.mfu, "hfu": made.hfu, "tokens_per_s_per_gpu": made.tokens_per_s_per_gpu}
    amounts = {name: costs[name] for name in ("days", "gpu_hours", "dollars") if name in costs}
    return {
        "memory_bytes": made.memory_range, "step_s": made.step_range,
        **{name: made.range_of(figure, is_rate=True) for name, figure in rates.items()},
        **{name: made.range_of(figure, is_rate=False) for name, figure in amounts.items()},
    }  # fmt: skip


def _described(model: Model) -> dict[str, Any]:
    """Return a model as plain data: its sizes, its parameters, and how many layers it has of each kind."""
    sizes = dataclasses.asdict(dataclasses.replace(model, pattern=()))
    del sizes["pattern"]
    counted = {"parameters": model.parameters, "active_parameters": model.active_parameters}
    blocks = [{"layers": count, **dataclasses.asdict(block)} for block, count in Counter(model.blocks).items()]
    return sizes | counted | {"blocks": blocks}


def settings(made: Plan, framework: str) -> str:
    """Return a plan as the settings of a training framework. Raises ShardwiseError for what the framework cannot express."""
    return _call(written, framework, made.model, made.cluster, made.layout, made.batch)


def _call(function: Callable[Given, Made], *values: Given.args, **named: Given.kwargs) -> Made:
    """Call a function of the planner, and turn its ValueError into a ShardwiseError."""
    try:
        return function(*values, **named)
    except ValueError as error:
        raise ShardwiseError(str(error)) from error
