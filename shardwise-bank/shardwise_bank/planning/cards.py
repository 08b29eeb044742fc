"""Hardware cards for `plan --card`: measured figures of an accelerator, in a file that examples/measure_card.py writes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.template.yaml_source import load_yaml
from shardwise_bank.planning.inputs import PlanRequest
from shardwise_bank.solutions.facts import hardware
from shardwise_bank.solutions.planner.cards import Card

_NOTES = ("date", "software")  # of a card, for people
_SIZES = {  # smallest and largest figure that an accelerator, or a processor, can have
    "gpus": (1, 1024),
    "memory_bytes": (1e9, 1e13),
    "hbm_bytes_per_s": (1e8, 1e15),
    "bf16_flop_per_s": (1e8, 1e18),
    "fp8_flop_per_s": (1e8, 1e18),
    "attention_flop_per_s": (1e7, 1e18),
    "link_bytes_per_s": (1e6, 1e15),
}
_ABOVE = 1.05  # times the peak of the data sheet, which boost clocks can exceed
_HOW = "Run examples/measure_card.py on a GPU to write one."


def read_card(file: Path) -> Card:
    """Read a hardware card. Raises ShardwiseError with every fault."""
    data = load_yaml(file).data
    if not isinstance(data, Mapping):
        raise ShardwiseError(f"{file}: expected a hardware card. {_HOW}")
    fields = {part.name: part for part in dataclasses.fields(Card)}
    faults = [
        f"{file}: unknown {name!r}. Known: {', '.join(fields)}." for name in data if name not in (*fields, *_NOTES)
    ]
    missing = [name for name, part in fields.items() if part.default is dataclasses.MISSING and name not in data]
    if missing:
        faults.append(f"{file}: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing. {_HOW}")
    figures = {name: value for name, value in data.items() if name in fields and name != "name"}
    faults += [
        f"{file}: {name} must be a number from {_SIZES[name][0]:g} to {_SIZES[name][1]:g}, not {value!r:.40}."
        for name, value in figures.items()
        if not _is_realistic(value, *_SIZES[name])
    ]
    if "name" in data and not str(data["name"] or "").strip():
        faults.append(f"{file}: name must say what was measured.")
    if faults:
        raise ShardwiseError("\n".join(faults))
    try:
        return Card(name=str(data["name"])[:60], **figures)
    except ValueError as error:
        raise ShardwiseError(f"{file}: {error}.") from error


def _is_realistic(value: Any, least: float, most: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def on_card(wanted: PlanRequest, card: Card) -> PlanRequest:
    """Replace the figures of a request's accelerator by those on a card. Raises ShardwiseError if they exceed its peak."""
    known = hardware.number_formats(accelerator=wanted.cluster.accelerator)
    for form, rate in (("bf16", card.bf16_flop_per_s), ("fp8", card.fp8_flop_per_s)):
        peak = (
            hardware.peak_flop_per_s(accelerator=wanted.cluster.accelerator, number_format=form)
            if form in known
            else rate
        )
        if rate > _ABOVE * peak:
            raise ShardwiseError(
                f"{card.name}: its card has {rate / 1e12:,.0f} TFLOP/s in {form.upper()}, more than the peak of "
                f"{peak / 1e12:,.0f} of {wanted.cluster.accelerator}. Name the accelerator that was measured."
            )
    name = card.add_to_tables(accelerator=wanted.cluster.accelerator)
    return dataclasses.replace(wanted, cluster=dataclasses.replace(wanted.cluster, accelerator=name))


def cluster_of(file: Path, card: Card, options: Mapping[str, Any]) -> str:
    """Return the name under which the accelerator on a card is planned without --cluster. Raises ShardwiseError."""
    if options.get("network") is None and (options.get("gpus") or 1) > card.gpus:
        raise ShardwiseError(
            f"{file}: this card describes a node with {card.gpus} GPU{'s' if card.gpus > 1 else ''}. Give --network, or name a --cluster."
        )
    try:
        return card.add_to_tables()
    except ValueError as error:
        raise ShardwiseError(f"{file}: {error}. Name a --cluster, or run examples/measure_card.py on a GPU.") from error
