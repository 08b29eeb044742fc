"""Limits of a search, from the options and from the settings of the layout that it keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise_bank.planning.input_faults import InputFaults, Wording
from shardwise_bank.planning.inputs import PlanRequest
from shardwise_bank.solutions.planner.search import Limits

SET_UP = ("precision", "software", "offload", "state_bytes")  # settings of a layout that a search always keeps


def limits_of(given: Mapping[str, Any], wanted: PlanRequest, *, wording: Wording) -> Limits:
    """Return the limits of a search from those given and the settings of the layout to keep. Raises ShardwiseError."""
    faults = InputFaults(wording)
    found: dict[str, Any] = {}
    for name in ("max_tp", "max_cp", "max_pp", "max_ep"):
        if name in given:
            found[name] = faults.count(given[name], wording.name(name))
    if "memory" in given:
        found["memory_bytes"] = faults.number(given["memory"], wording.name("memory"), "GB")
    if "min_mfu" in given:
        found["min_mfu"] = faults.number(given["min_mfu"], wording.name("min_mfu"), "%")
    for name, limit in (
        ("micro_batch", "micro_batches"),
        ("virtual_stages", "virtual_stages"),
        ("zero", "zero"),
        ("recompute", "recompute"),
        ("shard_group", "shard_groups"),
    ):
        if name in wanted.layout:
            found[limit] = (wanted.layout[name],)
    for name in ("tp", "cp", "pp", "ep"):
        if name in wanted.layout:
            found.setdefault(f"max_{name}", wanted.layout[name])
    for name in SET_UP:
        if name in wanted.layout:
            found[name] = wanted.layout[name]
    for words in _not_tried(wanted.layout, wording):
        faults.add(f"A search does not try {words}. Omit it, or plan a single layout.")
    if faults.messages:
        raise ShardwiseError("\n".join(faults.messages))
    return Limits(**found)


def _not_tried(layout: Mapping[str, Any], wording: Wording) -> Iterator[str]:
    """Yield the given settings of a layout that a search never tries."""
    if not layout.get("sequence_parallel", True):
        yield wording.name("no_sequence_parallel")
    if layout.get("schedule", "1f1b") not in ("1f1b", "interleaved"):
        yield f"{wording.name('schedule')} {layout['schedule']}"
    if layout.get("recomputed_layers"):
        yield "recomputed_layers"
    if layout.get("gradient_bytes"):
        yield wording.name("gradient_bytes")
    if layout.get("ulysses", 1) > 1:
        yield wording.name("ulysses")
    if layout.get("expert_tp", 1) > 1:
        yield "expert_tp"
