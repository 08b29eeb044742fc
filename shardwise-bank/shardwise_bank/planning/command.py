"""The `plan` command: memory, step time and cost of a layout, or the best layouts. The formulas are the bank's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shardwise.cli.options import Json
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise_bank.planning.inputs import PlanRequest
    from shardwise_bank.planning.measuring import MeasuredRun
    from shardwise_bank.solutions.planner.judging import Plan

commands = typer.Typer()

Adapt = Callable[["PlanRequest"], "PlanRequest"]
CORRECTED = "suggestions are omitted, because they would ignore the measured run. Add --search to rank layouts with its correction"


@commands.command(
    epilog="Example:  shardwise plan --model llama3-405b --cluster h100-16384 --tp 8 --pp 16 --recompute full"
)
def plan(
    model: Annotated[
        str | None, typer.Option(help="Model, such as llama3-405b, or the path of a Hugging Face config.json.")
    ] = None,
    cluster: Annotated[str | None, typer.Option(help="Accelerator and number of GPUs, such as h100-16384.")] = None,
    file: Annotated[
        Path | None, typer.Option(help="YAML file with a custom model, cluster, layout, batch, tokens or price.")
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(
            help="Figures of your own run, as JSON or a PyTorch profiler trace, to compare with its plan and to correct other plans."
        ),
    ] = None,
    card: Annotated[
        Path | None, typer.Option(help="Hardware card that examples/measure_card.py measured on your GPU.")
    ] = None,
    gpus: Annotated[int | None, typer.Option(help="Number of GPUs; overrides --cluster.")] = None,
    network: Annotated[
        str | None, typer.Option(help='Network bandwidth per GPU, per direction, such as "50 GB/s".')
    ] = None,
    tp: Annotated[int | None, typer.Option(help="Tensor-parallel degree.")] = None,
    cp: Annotated[int | None, typer.Option(help="Context-parallel degree.")] = None,
    pp: Annotated[int | None, typer.Option(help="Number of pipeline stages.")] = None,
    dp: Annotated[int | None, typer.Option(help="Data-parallel replicas.  [default: GPUs / (TP × CP × PP)]")] = None,
    ep: Annotated[int | None, typer.Option(help="Expert-parallel degree.")] = None,
    virtual_stages: Annotated[int | None, typer.Option(help="Model chunks per stage, for interleaving.")] = None,
    zero: Annotated[int | None, typer.Option(help="ZeRO stage: 0, 1, 2, or 3 (FSDP).")] = None,
    micro_batch: Annotated[int | None, typer.Option(help="Micro-batch size (sequences).")] = None,
    shard_group: Annotated[
        int | None, typer.Option(help="Ranks over which ZeRO shards, for HSDP.  [default: all]")
    ] = None,
    recompute: Annotated[
        str | None, typer.Option(help="Recomputation: none, selective, full, or modules such as moe_act,layernorm.")
    ] = None,
    schedule: Annotated[str | None, typer.Option(help="Pipeline schedule: 1f1b, interleaved, gpipe, ...")] = None,
    ulysses: Annotated[
        int | None, typer.Option(help="Ranks of CP that trade heads in all-to-alls; the rest is a ring.")
    ] = None,
    offload: Annotated[str | None, typer.Option(help="On the host: none, optimizer or activations.")] = None,
    state_bytes: Annotated[
        int | None, typer.Option(help="Optimizer states, in bytes per parameter: 12, or 8 with BF16 moments.")
    ] = None,
    gradient_bytes: Annotated[
        int | None, typer.Option(help="Gradients, in bytes each: 2 or 4.  [default: as the software keeps them]")
    ] = None,
    sequence_parallel: Annotated[bool | None, typer.Option(help="Shard norms and dropout along the sequence.")] = None,
    precision: Annotated[
        str | None, typer.Option(help="Number format of the matrix multiplications: bf16, fp8, ...")
    ] = None,
    software: Annotated[
        str | None, typer.Option(help="Training framework, such as megatron or torchtitan.  [default: unknown]")
    ] = None,
    global_batch: Annotated[int | None, typer.Option(help="Global batch size (sequences).")] = None,
    sequence: Annotated[int | None, typer.Option(help="Sequence length (tokens).")] = None,
    tokens: Annotated[str | None, typer.Option(help="Training tokens, such as 15.6T.")] = None,
    price: Annotated[float | None, typer.Option(help="Price per GPU-hour, in dollars.")] = None,
    search: Annotated[
        bool, typer.Option("--search", help="Find the best layouts; keep the degrees and settings that you give.")
    ] = False,
    max_tp: Annotated[int | None, typer.Option(help="Search: largest TP.")] = None,
    max_cp: Annotated[int | None, typer.Option(help="Search: largest CP.")] = None,
    max_pp: Annotated[int | None, typer.Option(help="Search: largest PP.")] = None,
    max_ep: Annotated[int | None, typer.Option(help="Search: largest EP.")] = None,
    memory: Annotated[str | None, typer.Option(help='Search: largest peak memory per GPU, such as "70 GB".')] = None,
    min_mfu: Annotated[str | None, typer.Option(help="Search: lowest MFU, such as 40%.")] = None,
    top: Annotated[int, typer.Option(min=1, help="Search: number of layouts to list.")] = 10,
    as_json: Json = False,
    emit: Annotated[
        str | None, typer.Option(help="Print the settings of a framework instead: megatron or torchtitan.")
    ] = None,
) -> None:
    """Plan a training run: memory, time and cost.

    Without --search, it plans one layout; with --search, it lists the best layouts.
    """
    from shardwise_bank.planning.input_faults import COMMAND
    from shardwise_bank.planning.inputs import asked, parts_in_file

    layout = {
        "tp": tp, "cp": cp, "pp": pp, "dp": dp, "ep": ep, "virtual_stages": virtual_stages, "zero": zero, "micro_batch": micro_batch,
        "recompute": recompute, "schedule": schedule, "sequence_parallel": sequence_parallel, "precision": precision,
        "software": software,
        "shard_group": shard_group, "ulysses": ulysses, "offload": offload, "state_bytes": state_bytes,
        "gradient_bytes": gradient_bytes,
    }  # fmt: skip
    options = {
        "model": model, "cluster": cluster, "gpus": gpus, "network": network, "tokens": tokens, "price": price,
        "layout": _given(layout), "batch": _given({"global_batch": global_batch, "sequence": sequence}),
    }  # fmt: skip
    given = parts_in_file(file) if file else {}
    adapted = _adapted(card, options, given) if card else _as_asked
    own = (
        _comparison(measured, options, given, adapted, shown=not as_json and emit is None, is_search=search)
        if measured
        else None
    )
    if own:
        given = own.parts if not search else {name: part for name, part in own.parts.items() if name != "layout"}
    wanted = adapted(asked(options, given, wording=COMMAND, where=str(file or measured)))
    limits = _given(
        {"max_tp": max_tp, "max_cp": max_cp, "max_pp": max_pp, "max_ep": max_ep, "memory": memory, "min_mfu": min_mfu}
    )
    if search:
        _search(wanted, limits, top, as_json=as_json, emit=emit, own=own)
    elif limits:
        named = " and ".join(f"--{name.replace('_', '-')}" for name in limits)
        verb, it = ("apply", "them") if len(limits) > 1 else ("applies", "it")
        raise ShardwiseError(f"{named} {verb} only to a search. Add --search, or omit {it}.")
    else:
        _plan(wanted, as_json=as_json, emit=emit, own=own)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _as_asked(wanted: PlanRequest) -> PlanRequest:
    return wanted


def _adapted(card: Path, options: dict[str, Any], given: Mapping[str, Any]) -> Adapt:
    """Return a function that replaces the accelerator of a request by a measured card; without a cluster, the options get one."""
    from shardwise_bank.planning.cards import cluster_of, on_card, read_card

    measured = read_card(card)
    if options["cluster"] is None and "cluster" not in given:
        options["cluster"] = cluster_of(card, measured, options)
        options["gpus"] = measured.gpus if options["gpus"] is None else options["gpus"]
        return _as_asked
    return lambda wanted: on_card(wanted, measured)


def _comparison(
    file: Path, options: Mapping[str, Any], given: Mapping[str, Any], adapted: Adapt, *, shown: bool, is_search: bool
) -> MeasuredRun:
    """Compare the figures of a run with its plan; with `shown`, print the comparison."""
    from shardwise_bank.planning.measuring import comparison
    from shardwise_bank.planning.tables import print_comparison

    own = comparison(file, options, given, adapted)
    if is_search and "layout" not in own.parts:
        raise ShardwiseError(f'{file}: a search needs the layout of the measured run. Add it as "layout" to this file.')
    if shown:
        print_comparison(own.plan, own.measured, own.terms)
    return own


def _plan(wanted: PlanRequest, *, as_json: bool, emit: str | None, own: MeasuredRun | None) -> None:
    """Plan one layout; exit with 1 when it cannot run."""
    from shardwise_bank.planning import plans
    from shardwise_bank.solutions.planner.judging import warnings

    found, note = plans.planned(wanted)
    advice = warnings(found)
    if own and (fixed := own.correct(found)) is not found:
        found, note = fixed, "; ".join(filter(None, (note, "corrected by the measured run")))
        advice = (CORRECTED,)
    elif own:
        note = "; ".join(filter(None, (note, "the measured run, as predicted")))
    if emit is not None:
        _emit(found, emit, advice)
    elif as_json:
        compared = {"measured": own.document()} if own else {}
        document = plans.document(found, plans.costs(found, wanted), wanted.notes) | compared
        typer.echo(json.dumps(document, indent=2))
    else:
        from shardwise_bank.planning.tables import print_plan

        print_plan(found, plans.costs(found, wanted), wanted.assumed, note, wanted.notes, advice)
    raise typer.Exit(1 if found.faults else 0)


def _search(
    wanted: PlanRequest,
    limits: Mapping[str, Any],
    top: int,
    *,
    as_json: bool,
    emit: str | None,
    own: MeasuredRun | None,
) -> None:
    """List the best layouts within limits; exit with 1 when there are none."""
    from shardwise_bank.planning import plans
    from shardwise_bank.planning.input_faults import COMMAND
    from shardwise_bank.solutions.planner.judging import warnings

    found = plans.searched(wanted, limits, wording=COMMAND)
    if own:
        found = own.correct_search(found)
    if emit is not None and found.kept:
        _emit(found.kept[0], emit, (CORRECTED,) if own else warnings(found.kept[0]))
    elif as_json:
        rows = {
            name: [plans.document(row, plans.costs(row, wanted), wanted.notes) for row in part]
            for name, part in (("layouts", found.kept[:top]), ("pareto", found.front))
        }
        compared = {"measured": own.document()} if own else {}
        typer.echo(json.dumps({"found": len(found.kept), **rows} | compared, indent=2))
    else:
        from shardwise_bank.planning.tables import print_layouts

        print_layouts(found.kept, found.front, top=top, room=found.room_bytes)
    raise typer.Exit(0 if found.kept else 1)


def _emit(found: Plan, framework: str, advice: Sequence[str]) -> None:
    """Print a plan's settings for a framework to stdout, and its faults and advice to stderr."""
    from shardwise_bank.planning import plans
    from shardwise_bank.planning.words import as_sentence

    typer.echo(plans.settings(found, framework), nl=False)
    for words in (*(fault.words for fault in found.faults), *advice):
        typer.echo(as_sentence(words), err=True)
