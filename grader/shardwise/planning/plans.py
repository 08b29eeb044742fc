"""One layout or the best ones, planned by a bank's planner, and what becomes of them: a document, a cost, a framework's settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf
from time import monotonic
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.planning.inputs import Asked, Planner, Wording, limits_of

AT_ONCE = 64  # layouts that a search tries between two looks at the clock


@dataclass(frozen=True)
class Found:
    """The layouts of a search: those that were kept, the quickest first; those to which no other is both quicker and leaner."""

    kept: Sequence[Any]
    front: Sequence[Any]
    room_bytes: float


def planned(planner: Planner, wanted: Asked) -> tuple[Any, str]:
    """The plan of one layout, and in words what followed from the rest of it. Raises ShardwiseError."""
    given, note = dict(wanted.layout), ""
    if "dp" not in given:
        product = given.get("tp", 1) * given.get("cp", 1) * given.get("pp", 1)
        given["dp"] = max(1, wanted.cluster.gpus // product)
        if wanted.cluster.gpus % product == 0:
            note = f"DP is {wanted.cluster.gpus:,} / {product:,}"
    layout = planner["planner.Layout"](**given)
    return _call(planner["planner.judging.plan"], wanted.model, wanted.cluster, layout, wanted.batch), note


def begun(planner: Planner, wanted: Asked) -> tuple[dict[str, Any], dict[str, int]]:
    """A layout to begin with and its batch: what of the layout is not as usual, without the DP that follows. Raises ShardwiseError."""
    layout, batch = _call(planner["planner.start.first_layout"], wanted.model, wanted.cluster, wanted.batch)
    usual = vars(planner["planner.Layout"]())
    chosen = {name: value for name, value in vars(layout).items() if value != usual[name] and name != "dp"}
    return chosen, dataclasses.asdict(batch)


def searched(planner: Planner, wanted: Asked, limits: Mapping[str, Any], *, wording: Wording) -> Found:
    """The best layouts within limits; what is given of a layout is kept. Raises ShardwiseError."""
    search = Search(planner, wanted, limits, wording=wording)
    search.go_on(inf)
    return search.found


class Search:
    """A search that can be left and gone on with. Raises ShardwiseError for limits that cannot be."""

    def __init__(self, planner: Planner, wanted: Asked, limits: Mapping[str, Any], *, wording: Wording) -> None:
        made = limits_of(planner, limits, wanted, wording=wording)
        self.tried = 0
        self._planner, self._wanted = planner, wanted
        self._kept: list[Any] = []
        self._room_bytes = made.memory_bytes or wanted.cluster.memory_bytes
        self._left = planner["planner.search.tried"](wanted.model, wanted.cluster, wanted.batch, limits=made)

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
    def found(self) -> Found:
        """What was found so far."""
        kept = self._planner["planner.search.ranked"](self._kept)
        return Found(kept, self._planner["planner.search.pareto"](kept), self._room_bytes)

    def _is_kept(self, layout: Any) -> bool:
        return all(getattr(layout, name) == value for name, value in self._wanted.layout.items())


def costs(planner: Planner, plan: Any, wanted: Asked) -> dict[str, float]:
    """Days and dollars of a run over so many tokens; nothing where no tokens are given, or the layout cannot run."""
    if wanted.tokens is None or not plan.step:
        return {}
    days = float(planner["planner.judging.run_days"](plan, tokens=wanted.tokens))
    found = {"tokens": wanted.tokens, "days": days, "gpu_hours": days * 24 * plan.cluster.gpus}
    if wanted.price is not None:
        dollars = planner["planner.judging.run_dollars"](plan, tokens=wanted.tokens, dollars_per_gpu_hour=wanted.price)
        found |= {"price": wanted.price, "dollars": float(dollars)}
    return found


def document(plan: Any, costs: Mapping[str, float]) -> dict[str, Any]:
    """A plan as plain data: base units, and the names that the planner has."""
    found: dict[str, Any] = {
        "model": dataclasses.asdict(plan.model), "cluster": dataclasses.asdict(plan.cluster),
        "layout": dataclasses.asdict(plan.layout), "batch": dataclasses.asdict(plan.batch),
        "runs": bool(plan.step), "fits": plan.fits, "faults": [dataclasses.asdict(fault) for fault in plan.faults],
    }  # fmt: skip
    if plan.step:
        found |= {"memory": dict(plan.memory), "memory_bytes": plan.memory_bytes, "room_bytes": plan.cluster.memory_bytes,
                  "step": dict(plan.step), "step_s": plan.step_s, "bubble_overhead": plan.bubble_overhead,
                  "bubble_idle_fraction": plan.bubble_idle_fraction, "mfu": plan.mfu, "hfu": plan.hfu,
                  "tokens_per_s_per_gpu": plan.tokens_per_s_per_gpu}  # fmt: skip
    found |= {"counted": list(plans.counted(planner, plan)), "warnings": list(plans.warnings(planner, plan))}
    return found | ({"run": dict(costs)} if costs else {})


def settings(planner: Planner, plan: Any, framework: str) -> str:
    """A plan as the settings of a training framework. Raises ShardwiseError for what the framework has no setting for."""
    written = planner["planner.flags.written"]
    return str(_call(written, framework, plan.model, plan.cluster, plan.layout, plan.batch))


def _call(function: Any, *values: Any, **named: Any) -> Any:
    """What a function of the planner gives. It raises ValueError, in words, for what it does not know."""
    try:
        return function(*values, **named)
    except ValueError as error:
        raise ShardwiseError(str(error)) from error
