"""Files of published runs: runs.yaml, or another file in its format. A check reports all faults at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from math import prod
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from shardwise.errors import Faulty
from shardwise.template import yaml_source

from .runs import Chip, Facts, Run, Runs, Shape

RUNS = Path(__file__).with_name("runs.yaml")
_HEADINGS = ("conventions", "chips", "models", "networks", "mem_kinds", "sources", "runs")

Kind = TypeVar("Kind", bound=Facts)


class FaultyRuns(Exception):
    """The faults of a file of runs that cannot be used, one per line."""

    def __init__(self, path: Path, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("\n".join(f"{path.name}: {fault}" for fault in faults))


def load(path: Path = RUNS) -> Runs:
    """Return the runs that a file lists. Raises FaultyRuns, which names every fault in it."""
    runs, faults = read(path)
    if faults:
        raise FaultyRuns(path, faults)
    return runs


def read(path: Path) -> tuple[Runs, list[str]]:
    """Return the usable rows of a file, and all faults of the others. Unknown keys are reported and ignored."""
    try:
        source = yaml_source.load_yaml(path, path.name)
    except Faulty as error:
        raise FaultyRuns(path, [f"{fault.place}: {fault.message}" for fault in error.faults]) from error
    data = source.data
    if not isinstance(data, dict):
        raise FaultyRuns(path, [f"it must have the headings {', '.join(_HEADINGS)}"])
    missing = [f"{key}: this heading is missing" for key in ("chips", "models", "runs") if not data.get(key)]
    if missing:
        raise FaultyRuns(path, missing)
    sorts = {key: (list, tuple) if key == "runs" else dict for key in _HEADINGS}
    wrong_sort = [
        f"{key}: this has to be {'names with values' if sort is dict else 'a list'}"
        for key, sort in sorts.items()
        if data.get(key) and not isinstance(data[key], sort)
    ]
    if wrong_sort:
        raise FaultyRuns(path, wrong_sort)
    faults = [f"{key}: unknown heading{_meant(key, _HEADINGS)}" for key in data if key not in _HEADINGS]
    chips = dict(_checked(Chip, data["chips"].items(), "chips", faults))
    models = {}
    for name, shape in _checked(Shape, data["models"].items(), "models", faults):
        wrong = [f"models: {name}: {fault}" for fault in _shape_faults(shape)]
        faults += wrong
        if not wrong:
            models[name] = shape
    words = {name: dict(data.get(name) or {}) for name in ("conventions", "networks", "mem_kinds", "sources")}
    known: dict[str, Mapping[str, Any]] = {"model": models, "chip": chips, "mem_kind": words["mem_kinds"],
             "conv": words["conventions"], "tflops_conv": words["conventions"]}  # fmt: skip
    families = _families_by_heading(source.text)
    named = [_named(row, at, families) for at, row in enumerate(data["runs"])]
    rows: dict[str, Run] = {}
    for name, row in _checked(Run, named, "runs", faults):
        wrong = [f"runs: {name}: {fault}" for fault in _row_faults(row, known)]
        wrong += [f"runs: {name}: this id appears twice"] * (name in rows)
        faults += wrong
        if not wrong:
            rows[name] = row
    return Runs(chips=chips, models=models, rows=tuple(rows.values()), **words), faults


def _named(row: Any, at: int, families: Mapping[str, str]) -> tuple[str, Any]:
    """Return a row with its name, and with its family if only a comment names it."""
    if not isinstance(row, dict):
        return f"number {at + 1}", row
    name = str(row.get("id", f"number {at + 1}"))
    return name, {"family": families.get(name, ""), **row}


def _families_by_heading(text: str) -> dict[str, str]:
    """Return the family of each run from the comment above its group, for files without the key `family`."""
    families, heading = {}, ""
    for line in text.partition("\nruns:")[2].splitlines():
        if found := re.match(r"\s*# (.+)", line):
            heading = found[1].strip()
        elif found := re.match(r"\s*- \{id: ([^,}]+)", line):
            families[found[1].strip()] = heading
    return families


def _checked(
    kind: type[Kind], items: Iterable[tuple[str, Any]], where: str, faults: list[str]
) -> Iterator[tuple[str, Kind]]:
    names = [field.alias or name for name, field in kind.model_fields.items()]
    for name, facts in items:
        if isinstance(facts, dict):
            strange = [key for key in facts if key not in names]
            faults += [f"{where}: {name}: {key}: unknown key{_meant(str(key), names)}" for key in strange]
            facts = {key: value for key, value in facts.items() if key in names}
        try:
            yield name, kind.model_validate(facts)
        except ValidationError as error:
            for fault in error.errors():
                place = ": ".join((where, str(name), *map(str, fault["loc"])))
                said = "missing" if fault["type"] == "missing" else f"{fault['msg']}, not {fault['input']!r}"
                faults.append(f"{place}: {said}")


def _shape_faults(shape: Shape) -> Iterator[str]:
    if shape.heads and shape.kv_heads and shape.heads % shape.kv_heads:
        yield f"{shape.kv_heads} key/value heads do not divide {shape.heads} heads"
    needed = {"experts": ("top_k", "expert_ffn", "moe_layers"),
              "q_lora": ("kv_lora", "qk_nope", "qk_rope", "v_head")}  # fmt: skip
    for key, others in needed.items():
        if getattr(shape, key) is not None:
            yield from (f"{other}: required with {key}" for other in others if getattr(shape, other) is None)
    if shape.experts and shape.top_k and shape.top_k > shape.experts:
        yield f"top_k {shape.top_k} is more than {shape.experts} experts"
    if shape.moe_layers and shape.layers and shape.moe_layers > shape.layers:
        yield f"moe_layers {shape.moe_layers} is more than {shape.layers} layers"


def _row_faults(row: Run, known: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for key, names in known.items():
        value = getattr(row, key)
        if value is not None and value not in names:
            yield f"{key}: {value!r} is not described in this file{_meant(value, names)}"
    axes = {axis: getattr(row, axis) for axis in ("tp", "cp", "pp", "dp")}
    if all(axes[axis] for axis in ("tp", "pp", "dp")):
        product = prod(axis or 1 for axis in axes.values())
        if row.chips % product:
            yield f"chips: tp · cp · pp · dp is {product}, which does not divide {row.chips}"
    if (row.mem_gb is None) != (row.mem_kind is None):
        yield "mem_gb and mem_kind need each other"
    if row.conv is None and (row.mfu or row.hfu or (row.tflops and row.tflops_conv is None)):
        yield "conv: missing; it says what a FLOP rate counts"
    rates = [key for key in ("step_s", "tokens_per_s", "tflops", "mfu", "hfu") if getattr(row, key) is not None]
    if row.outcome == "oom" and (rates or row.mem_gb):
        yield f"outcome: oom, but the row reports {', '.join(rates) or 'mem_gb'}; delete one of the two"
    if row.outcome != "oom" and not rates and row.mem_gb is None:
        yield "nothing to compare: no rate, no memory and no outcome"
    yield from (f"from_arithmetic: {key!r} is not a value of this row" for key in row.from_arithmetic
                if key not in Run.model_fields or getattr(row, key) is None)  # fmt: skip


def _meant(word: str, words: Iterable[str]) -> str:
    near = get_close_matches(str(word), list(map(str, words)), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
