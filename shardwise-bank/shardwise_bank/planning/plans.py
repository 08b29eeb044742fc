"""One layout or the best ones, planned by a bank's and what becomes of them: a document, a cost, a framework's settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from shardwise.errors import ShardwiseError
from shardwise_bank.planning.inputs import PlanRequest, Wording, limits_of
from shardwise_bank.solutions.planner.flags import written
from shardwise_bank.solutions.planner.judging import Layout, Plan, counted, plan, run_days, run_dollars, warnings
from shardwise_bank.solutions.planner.search import pareto, ranked, tried
from shardwise_bank.solutions.planner.start import first_layout

Given = ParamSpec("Given")
Made = TypeVar("Made")
AT_ONCE = 64  # layouts that a search tries between two looks at the clock


@dataclass(frozen=True)
class SearchResult:
    """The layouts of a search: those that were kept, the quickest first; those to which no other is both quicker and leaner."""

    kept: Sequence[Plan]
    front: Sequence[Plan]
    room_bytes: float


def planned(wanted: PlanRequest) -> tuple[Plan, str]:
    """The plan of one layout, and in words what followed from the rest of it. Raises ShardwiseError."""
    given, note = dict(wanted.layout), ""
    if "dp" not in given:
        product = given.get("tp", 1) * given.get("cp", 1) * given.get("pp", 1)
        given["dp"] = max(1, wanted.cluster.gpus // product)
        if wanted.cluster.gpus % product == 0:
            note = f"DP is {wanted.cluster.gpus:,} / {product:,}"
    layout = Layout(**given)
    return _call(plan, wanted.model, wanted.cluster, layout, wanted.batch), note


def start_of(wanted: PlanRequest) -> tuple[dict[str, Any], dict[str, int]]:
    """A layout to begin with and its batch: what of the layout is not as usual, without the DP that follows. Raises ShardwiseError."""
    layout, batch = _call(first_layout, wanted.model, wanted.cluster, wanted.batch)
    usual = vars(Layout())
    chosen = {name: value for name, value in vars(layout).items() if value != usual[name] and name != "dp"}
    return chosen, dataclasses.asdict(batch)


def searched(wanted: PlanRequest, limits: Mapping[str, Any], *, wording: Wording) -> SearchResult:
    """The best layouts within limits; what is given of a layout is kept. Raises ShardwiseError."""
    search = Search(wanted, limits, wording=wording)
    search.go_on(inf)
    return search.result


class Search:
    """A search that can be left and gone on with. Raises ShardwiseError for limits that cannot be."""

    def __init__(self, wanted: PlanRequest, limits: Mapping[str, Any], *, wording: Wording) -> None:
        made = limits_of(limits, wanted, wording=wording)
        self.tried = 0
        self._wanted = wanted
        self._kept: list[Plan] = []
        self._room_bytes = made.memory_bytes or wanted.cluster.memory_bytes
        self._left = tried(wanted.model, wanted.cluster, wanted.batch, limits=made)

    def go_on(self, seconds: float) -> bool:
        """Try layouts for so long; whether that was all of them. Raises ShardwiseError."""
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
        """What was found so far."""
        kept = ranked(self._kept)
        return SearchResult(kept, pareto(kept), self._room_bytes)

    def _is_kept(self, layout: Layout) -> bool:
        return all(getattr(layout, name) == value for name, value in self._wanted.layout.items())


def costs(made: Plan, wanted: PlanRequest) -> dict[str, float]:
    """Days and dollars of a run over so many tokens; nothing where no tokens are given, or the layout cannot run."""
    if wanted.tokens is None or not made.step:
        return {}
    days = float(run_days(made, tokens=wanted.tokens))
    found = {"tokens": wanted.tokens, "days": days, "gpu_hours": days * 24 * made.cluster.gpus}
    if wanted.price is not None:
        dollars = run_dollars(made, tokens=wanted.tokens, dollars_per_gpu_hour=wanted.price)
        found |= {"price": wanted.price, "dollars": float(dollars)}
    return found


def document(made: Plan, costs: Mapping[str, float]) -> dict[str, Any]:
    """A plan as plain data: base units, and the names that the planner has."""
    found: dict[str, Any] = {
        "model": dataclasses.asdict(made.model), "cluster": dataclasses.asdict(made.cluster),
        "layout": dataclasses.asdict(made.layout), "batch": dataclasses.asdict(made.batch),
        "runs": bool(made.step), "fits": made.fits, "faults": [dataclasses.asdict(fault) for fault in made.faults],
    }  # fmt: skip
    if made.step:
        found |= {"memory": dict(made.memory), "memory_bytes": made.memory_bytes, "room_bytes": made.cluster.memory_bytes,
                  "step": dict(made.step), "step_s": made.step_s, "bubble_overhead": made.bubble_overhead,
                  "bubble_idle_fraction": made.bubble_idle_fraction, "mfu": made.mfu, "hfu": made.hfu,
                  "tokens_per_s_per_gpu": made.tokens_per_s_per_gpu}  # fmt: skip
    found |= {"counted": list(counted(made)), "warnings": list(warnings(made))}
    return found | ({"run": dict(costs)} if costs else {})


def settings(made: Plan, framework: str) -> str:
    """A plan as the settings of a training framework. Raises ShardwiseError for what the framework has no setting for."""
    return _call(written, framework, made.model, made.cluster, made.layout, made.batch)


def _call(function: Callable[Given, Made], *values: Given.args, **named: Given.kwargs) -> Made:
    """What a function of the planner gives. It raises ValueError, in words, for what it does not know."""
    try:
        return function(*values, **named)
    except ValueError as error:
        raise ShardwiseError(str(error)) from error
