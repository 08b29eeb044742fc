"""The command that plans a run: memory, step and cost of a layout, or the best layouts. The formulas are the bank's."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shardwise.cli.options import BankNames, Json, banks_of
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.cli.plan_inputs import Asked, Planner

commands = typer.Typer()

Count = Annotated[int | None, typer.Option(min=1)]


@commands.command(
    epilog="Example:  shardwise plan --model llama3-405b --cluster h100-16384 --tp 8 --pp 16 --recompute full"
)
def plan(
    model: Annotated[str | None, typer.Option(help="Its name, such as llama3-405b.")] = None,
    cluster: Annotated[str | None, typer.Option(help="Accelerator and size, such as h100-16384.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="YAML with numbers of your own: model, cluster, layout, batch, tokens, price.")
    ] = None,
    gpus: Annotated[int | None, typer.Option(help="How many GPUs the cluster has, whatever its name says.")] = None,
    network: Annotated[
        str | None, typer.Option(help='What a GPU sends to other nodes, per direction, such as "50 GB/s".')
    ] = None,
    tp: Annotated[int | None, typer.Option(help="Tensor parallelism.")] = None,
    cp: Annotated[int | None, typer.Option(help="Context parallelism.")] = None,
    pp: Annotated[int | None, typer.Option(help="Pipeline stages.")] = None,
    dp: Annotated[int | None, typer.Option(help="Data parallelism; what the GPUs leave when it is not given.")] = None,
    ep: Annotated[int | None, typer.Option(help="Expert parallelism.")] = None,
    virtual_stages: Annotated[
        int | None, typer.Option(help="Chunks of the model on a stage, for interleaving.")
    ] = None,
    zero: Annotated[int | None, typer.Option(help="Stage of ZeRO: 0, 1, 2, or 3, which FSDP is.")] = None,
    micro_batch: Annotated[int | None, typer.Option(help="Sequences of a micro-batch.")] = None,
    recompute: Annotated[str | None, typer.Option(help="none, selective or full.")] = None,
    schedule: Annotated[str | None, typer.Option(help="Of the pipeline: 1f1b, interleaved, gpipe, ...")] = None,
    sequence_parallel: Annotated[
        bool | None, typer.Option(help="Whether norms and dropout are cut by sequence as well.")
    ] = None,
    precision: Annotated[str | None, typer.Option(help="bf16, fp8, ...")] = None,
    global_batch: Annotated[int | None, typer.Option(help="Sequences of a step.")] = None,
    sequence: Annotated[int | None, typer.Option(help="Tokens of a sequence.")] = None,
    tokens: Annotated[str | None, typer.Option(help="Tokens of the whole run, such as 15.6T.")] = None,
    price: Annotated[float | None, typer.Option(help="Dollars of a GPU-hour.")] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Find the best layouts; what is given of a layout is kept.")
    ] = False,
    max_tp: Annotated[int | None, typer.Option(help="Search: the largest TP.")] = None,
    max_cp: Annotated[int | None, typer.Option(help="Search: the largest CP.")] = None,
    max_pp: Annotated[int | None, typer.Option(help="Search: the most stages.")] = None,
    max_ep: Annotated[int | None, typer.Option(help="Search: the largest EP.")] = None,
    memory: Annotated[str | None, typer.Option(help='Search: the most memory of a GPU, such as "70 GB".')] = None,
    min_mfu: Annotated[str | None, typer.Option(help="Search: the least MFU, such as 40%.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Search: how many are listed.")] = 10,
    as_json: Json = False,
    emit: Annotated[
        str | None, typer.Option(help="Write the settings of a framework instead: megatron or torchtitan.")
    ] = None,
    bank: BankNames = None,
) -> None:
    """Plan a training run: memory, time and cost of a layout, or with --search the best layouts."""
    from shardwise.cli.plan_inputs import asked, planner_of

    planner = planner_of(banks_of(bank))
    layout = {
        "tp": tp, "cp": cp, "pp": pp, "dp": dp, "ep": ep, "virtual_stages": virtual_stages, "zero": zero, "micro_batch": micro_batch,
        "recompute": recompute, "schedule": schedule, "sequence_parallel": sequence_parallel, "precision": precision,
    }  # fmt: skip
    options = {
        "model": model, "cluster": cluster, "gpus": gpus, "network": network, "tokens": tokens, "price": price,
        "layout": _given(layout), "batch": _given({"global_batch": global_batch, "sequence": sequence}),
    }  # fmt: skip
    wanted = asked(planner, options, file)
    if search:
        limits = {
            "max_tp": max_tp,
            "max_cp": max_cp,
            "max_pp": max_pp,
            "max_ep": max_ep,
            "memory": memory,
            "min_mfu": min_mfu,
        }
        _search(planner, wanted, _given(limits), top, as_json=as_json, emit=emit)
    else:
        _plan(planner, wanted, as_json=as_json, emit=emit)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _plan(planner: Planner, wanted: Asked, *, as_json: bool, emit: str | None) -> None:
    """One layout; the exit code is 1 where it cannot run."""
    layout, note = _whole(planner, wanted)
    found = _call(planner["planner.plan"], wanted.model, wanted.cluster, layout, wanted.batch)
    if emit:
        _emit(planner, found, emit)
    elif as_json:
        typer.echo(json.dumps(_document(found, _costs(planner, found, wanted)), indent=2))
    else:
        from shardwise.cli.plan_tables import print_plan

        print_plan(found, _costs(planner, found, wanted), wanted.assumed, note)
    raise typer.Exit(1 if found.faults else 0)


def _whole(planner: Planner, wanted: Asked) -> tuple[Any, str]:
    """The layout with what follows from the rest; what followed, in words."""
    given, note = dict(wanted.layout), ""
    if "dp" not in given:
        others = [given.get(axis, 1) for axis in ("tp", "cp", "pp")]
        product = others[0] * others[1] * others[2]
        given["dp"] = max(1, wanted.cluster.gpus // product)
        if wanted.cluster.gpus % product == 0:
            note = f"; DP is {wanted.cluster.gpus:,} / {product:,}"
    return planner["planner.Layout"](**given), note


def _call(function: Any, *values: Any, **named: Any) -> Any:
    """What a function of the planner gives. It raises ValueError, in words, for what it does not know."""
    try:
        return function(*values, **named)
    except ValueError as error:
        raise ShardwiseError(str(error)) from error


def _costs(planner: Planner, found: Any, wanted: Asked) -> dict[str, float]:
    """Days and dollars of a run over so many tokens."""
    if wanted.tokens is None or not found.step:
        return {}
    days = float(planner["planner.run_days"](found, tokens=wanted.tokens))
    costs = {"tokens": wanted.tokens, "days": days, "gpu_hours": days * 24 * found.cluster.gpus}
    if wanted.price is not None:
        dollars = planner["planner.run_dollars"](found, tokens=wanted.tokens, dollars_per_gpu_hour=wanted.price)
        costs |= {"price": wanted.price, "dollars": float(dollars)}
    return costs


def _document(found: Any, costs: Mapping[str, float]) -> dict[str, Any]:
    """A plan for scripts: base units, and the names that the planner has."""
    document: dict[str, Any] = {
        "model": dataclasses.asdict(found.model), "cluster": dataclasses.asdict(found.cluster),
        "layout": dataclasses.asdict(found.layout), "batch": dataclasses.asdict(found.batch),
        "runs": bool(found.step), "fits": found.fits, "faults": [dataclasses.asdict(fault) for fault in found.faults],
    }  # fmt: skip
    if found.step:
        document |= {"memory": dict(found.memory), "memory_bytes": found.memory_bytes, "room_bytes": found.cluster.memory_bytes,
                     "step": dict(found.step), "step_s": found.step_s, "bubble_overhead": found.bubble_overhead,
                     "bubble_idle_fraction": found.bubble_idle_fraction, "mfu": found.mfu, "hfu": found.hfu,
                     "tokens_per_s_per_gpu": found.tokens_per_s_per_gpu}  # fmt: skip
    return {
        **document,
        "counted": list(getattr(found, "counted", ())),
        "warnings": list(found.warnings),
        **({"run": dict(costs)} if costs else {}),
    }


def _search(
    planner: Planner, wanted: Asked, limits: Mapping[str, Any], top: int, *, as_json: bool, emit: str | None
) -> None:
    """The best layouts within limits; the exit code is 1 where there is none."""
    from shardwise.cli.plan_inputs import limits_of

    made = limits_of(planner, limits, wanted)
    found: Sequence[Any] = _call(
        planner["planner_search.search"], wanted.model, wanted.cluster, wanted.batch, limits=made
    )
    kept = tuple(
        row for row in found if all(getattr(row.layout, name) == value for name, value in wanted.layout.items())
    )
    front = planner["planner_search.pareto"](kept)
    if emit and kept:
        _emit(planner, kept[0], emit)
    elif as_json:
        rows = {
            name: [_document(row, _costs(planner, row, wanted)) for row in part]
            for name, part in (("layouts", kept[:top]), ("pareto", front))
        }
        typer.echo(json.dumps({"found": len(kept), **rows}, indent=2))
    else:
        from shardwise.cli.plan_tables import print_layouts

        print_layouts(kept, front, top=top, room=made.memory_bytes or wanted.cluster.memory_bytes)
    raise typer.Exit(0 if kept else 1)


def _emit(planner: Planner, found: Any, framework: str) -> None:
    """The settings of a plan for a framework, alone on the output; faults and warnings beside it."""
    text = _call(planner["planner_flags.written"], framework, found.model, found.cluster, found.layout, found.batch)
    typer.echo(text, nl=False)
    for words in (*(fault.words for fault in found.faults), *found.warnings):
        typer.echo(f"{words[:1].upper()}{words[1:]}.", err=True)
