"""The planner's messages: plain data in a request, plain data in a reply, for any front end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from shardwise.bank.bank import Banks
from shardwise.errors import ShardwiseError
from shardwise.kinds.calls import in_one_line
from shardwise.kinds.scripts import offer, script_in, script_reply
from shardwise_bank.planning import charts, plans
from shardwise_bank.planning.input_faults import FORM
from shardwise_bank.planning.inputs import PlanRequest, asked, modules_of
from shardwise_bank.planning.model_input import is_path
from shardwise_bank.planning.search_input import SET_UP
from shardwise_bank.planning.timeline import pipeline_bars
from shardwise_bank.planning.words import (
    as_sentence,
    batch_line,
    layout_line,
    model_line,
    title,
    what_it_sends,
    where_it_sits,
)
from shardwise_bank.solutions.planner.constants import constants
from shardwise_bank.solutions.planner.judging import RANGES, Plan, counted, warnings
from shardwise_bank.solutions.planner.names import names, problem_like, titles
from shardwise_bank.solutions.planner.places import places
from shardwise_bank.solutions.planner.recompute import MODULES, RECOMPUTE
from shardwise_bank.solutions.planner.shapes import divisors
from shardwise_bank.solutions.planner.stacks import UNKNOWN, frameworks

Reply = dict[str, Any]
FRAMEWORKS = {"torchtitan": "TorchTitan", "megatron": "Megatron-LM"}
MOST = {"tp": 64, "cp": 64, "ep": 256}  # largest degree that a slider offers
TOKENS, PRICE = "15T", 2  # initial training tokens, and initial price per GPU-hour in dollars
SLICE_S = 0.1  # of a search, before other requests get their turn
MICRO_BATCHES, CHUNKS = (1, 2, 4, 8, 16), tuple(range(1, 9))


class PlannerDesk:
    """Answers the requests of a planner form. A request names an action in `do`, and the parts of a plan in `given`.

    - `start`: a layout that runs and fits, if there is one, for this model, cluster and batch.
    - `plan`: everything about one layout: key figures, charts, placement, remarks, and the values that each axis can have.
    - `pipeline`: the timeline of the pipeline, as a chart.
    - `search`: a chart of the layouts that run and fit, with the layout of each point. `keep` names the settings to keep.
      A long search replies `searching` and continues at the next request, so that it does not block others.
    - `settings`: the layout as settings of a training framework.
    - `choices`: the models, accelerators and words that a form offers.
    - `problem`: the most similar problem of the bank, as a call.
    - `script`: the code of the form, by its digest.

    A request that fails gets `refused`, with a line for each reason. Nothing raises.
    """

    def __init__(self, banks: Banks) -> None:
        self._banks = banks
        self._left_off: tuple[Reply, plans.Search] | None = None  # the request of an unfinished search, and the search
        self._does: Mapping[str, Callable[[Mapping[str, Any]], Reply]] = {
            "start": self._start, "plan": self._plan, "pipeline": self._pipeline, "search": self._search, "settings": self._settings,
            "choices": self._choices, "problem": self._problem, "script": script_reply,
        }  # fmt: skip

    def opened(self, model: str, cluster: str, layout: Mapping[str, Any]) -> Reply:
        """Return the initial data of a form: all choices, and the parts of a first plan. Raises ShardwiseError.

        When no setting of the layout is given, it is a layout that runs and fits, if there is one.
        """
        wanted = self._asked({"given": {"model": model, "cluster": cluster, "layout": dict(layout)}})
        given = {name: wanted.layout[name] for name in layout}
        chosen, batch = (given, asdict(wanted.batch)) if layout else plans.start_of(wanted)
        named = {"accelerator": wanted.cluster.accelerator, "gpus": wanted.cluster.gpus}
        return {
            "choices": self._choices({}),
            "scripts": offer([script_in("shardwise_bank")]),
            "start": {"model": model if is_path(model) else wanted.model.name, "cluster": named, "layout": chosen, "batch": batch, "tokens": TOKENS, "price": PRICE},
        }  # fmt: skip

    def reply(self, request: Any) -> Reply:
        """Return the reply to a request."""
        does = self._does.get(str(request.get("do"))) if isinstance(request, Mapping) else None
        if does is None:
            return {"refused": [f"A request must name an action in `do`: {', '.join(self._does)}."]}
        try:
            return does(request)
        except ShardwiseError as error:
            return {"refused": str(error).splitlines()}
        except Exception as error:
            return {
                "refused": [f"The planner failed ({in_one_line(error)}). This is a bug in shardwise: please report it."]
            }

    def _asked(self, request: Mapping[str, Any], keep: Callable[[str], bool] = lambda _: True) -> PlanRequest:
        """Return what a request wants to plan, with only the settings of its layout to keep. Raises ShardwiseError."""
        given = request.get("given")
        if not isinstance(given, Mapping):
            raise ShardwiseError("A request must name a model and a cluster in `given`.")
        if isinstance(given.get("layout"), Mapping):
            given = {**given, "layout": {name: value for name, value in given["layout"].items() if keep(name)}}
        return asked({"layout": {}, "batch": {}}, given, wording=FORM)

    def _start(self, request: Mapping[str, Any]) -> Reply:
        layout, batch = plans.start_of(self._asked(request, lambda name: name == "software"))
        return {"layout": layout, "batch": batch}

    def _plan(self, request: Mapping[str, Any]) -> Reply:
        wanted = self._asked(request)
        plan, followed = plans.planned(wanted)
        costs = plans.costs(plan, wanted)
        found: Reply = {
            "title": title(plan),
            "model": [model_line(plan.model) + ".", *wanted.notes],
            "line": "; ".join(filter(None, (layout_line(plan.layout), followed, batch_line(plan.batch)))),
            "plan": plans.document(plan, costs, wanted.notes),
            "faults": [as_sentence(fault.words) for fault in plan.faults],
            "warnings": [as_sentence(words) for words in warnings(plan)],
            "counted": [as_sentence(words) for words in counted(plan) if words != RANGES],
            "choices": self._degrees(plan) | {"modules": modules_of(plan.model)},
            "places": [
                {"axis": place.axis.upper(), "size": place.size, "sits": where_it_sits(place, plan.cluster),
                 "sends": what_it_sends(place.axis, plan.layout)}
                for place in places(plan.cluster, plan.layout)
            ],
        }  # fmt: skip
        if plan.step:
            found |= {
                "figures": charts.key_figures(plan, costs), "ranges": as_sentence(RANGES), "memory": charts.memory_bars(plan),
                "buckets": charts.parts_of_memory(plan), "peak": charts.peak_bar(plan),
                "parts": charts.parts_of_step(plan),
            }  # fmt: skip
        return found

    def _degrees(self, plan: Plan) -> dict[str, list[int]]:
        """Return the values of each number of the layout: those that divide evenly, and the current one."""
        gpus, experts, layout = plan.cluster.gpus, plan.model.experts, plan.layout
        found = {
            "tp": divisors(gpus, MOST["tp"]), "cp": divisors(gpus, MOST["cp"]), "pp": divisors(gpus, plan.model.layers),
            "dp": divisors(gpus, gpus), "ep": divisors(experts, MOST["ep"]) if experts else [1],
            "virtual_stages": list(CHUNKS), "micro_batch": list(MICRO_BATCHES), "ulysses": divisors(layout.cp, MOST["cp"]),
            "shard_group": [0, *divisors(layout.dp * layout.cp, plan.cluster.gpus)],
        }  # fmt: skip
        return {name: sorted({*offered, getattr(layout, name)}) for name, offered in found.items()}

    def _pipeline(self, request: Mapping[str, Any]) -> Reply:
        plan, _ = plans.planned(self._asked(request))
        if not plan.step:
            return {"words": "This layout cannot run."}
        drawn = pipeline_bars(plan)
        return {"words": drawn} if isinstance(drawn, str) else {"gantt": drawn}

    def _search(self, request: Mapping[str, Any]) -> Reply:
        keep = request.get("keep") or []
        if not isinstance(keep, list):
            raise ShardwiseError("`keep` must be a list of names, such as tp.")
        asked = {"given": request.get("given"), "keep": keep}
        before, search = self._left_off or (None, None)
        if search is None or before != asked:
            wanted = self._asked(request, lambda name: name in {*keep, *SET_UP})
            search = plans.Search(wanted, {}, wording=FORM)
        self._left_off = None
        if not search.go_on(SLICE_S):
            self._left_off = asked, search
            return {"searching": f"{search.tried:,} layouts tried …"}
        found = search.result
        if not found.kept:
            raise ShardwiseError("No layout runs and fits. Keep fewer settings of this one, or use more GPUs.")
        shown = charts.thinned(found.kept, found.front, found.room_bytes)
        tight = sum(plan.fit == "tight" for plan in found.kept)
        count = f"{len(found.kept):,} layouts run and fit" + (f", {tight:,} of them tight" if tight else "")
        return {
            "words": f"{count}."
            if len(shown) == len(found.kept)
            else f"{count}; the chart shows {len(shown)} of them.",
            "scatter": charts.layouts_scatter(shown, found.front, found.room_bytes),
            "layouts": [plans.layout_of(plan) for plan in shown],
        }

    def _settings(self, request: Mapping[str, Any]) -> Reply:
        plan, _ = plans.planned(self._asked(request))
        return {"text": plans.settings(plan, str(request.get("framework")))}

    def _choices(self, request: Mapping[str, Any]) -> Reply:
        return {
            **{what: list(dict.fromkeys(called.values())) for what, called in names().items()},
            **{what: [list(pair) for pair in titled.items()] for what, titled in titles().items()},
            "recompute": [word for word in RECOMPUTE if word not in MODULES],
            "software": [UNKNOWN, *frameworks(), *constants()["software"]],
            "frameworks": [{"name": name, "title": words} for name, words in FRAMEWORKS.items()],
        }

    def _problem(self, request: Mapping[str, Any]) -> Reply:
        wanted = self._asked(request)
        cp, chunks = (wanted.layout.get(name, 1) for name in ("cp", "virtual_stages"))
        name = problem_like(model=wanted.model, cp=cp, virtual_stages=chunks)
        problem = self._banks.find(name)
        return {
            "text": f'practice("{problem.slug}")  # {problem.title}\n',
            "problem": problem.id,
            "title": problem.title,
        }
