"""Input of the planner: parse names, options and custom numbers into its records, and report all faults at once."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise_bank.planning.input_faults import (
    LARGEST,
    InputFaults,
    Wording,
    excerpt,
    report_unknown,
    squashed_name,
)
from shardwise_bank.planning.model_input import model_of
from shardwise_bank.solutions.planner.names import names, usual_cluster
from shardwise_bank.solutions.planner.recompute import MODULES, recomputed_modules
from shardwise_bank.solutions.planner.shapes import Batch, Cluster, Layout, Model
from shardwise_bank.solutions.planner.stacks import UNKNOWN

PARTS = ("model", "cluster", "layout", "batch", "tokens", "price")  # of a file
WORDS = ("schedule", "precision", "offload", "software")  # options of a layout that name something
GRADIENT_BYTES = (0, 2, 4)  # 0: as the software keeps them
LARGEST_STATES = 32  # bytes per parameter
USUAL_BATCH = {"global_batch": 2048, "sequence": 8192}


@dataclass(frozen=True)
class PlanRequest:
    """What to plan, as the planner's records."""

    model: Model
    cluster: Cluster
    layout: Mapping[str, Any]  # the settings that were given
    batch: Batch
    tokens: float | None
    price: float | None
    assumed: tuple[str, ...]  # the defaults that were used
    notes: tuple[str, ...] = ()  # about a model that was read from a file


def _digits(text: str) -> int | None:
    """Return the number that some digits write, ignoring separators; LARGEST + 1 when it is too large for a count."""
    digits = re.sub(r"\D", "", text)
    return (int(digits) if len(digits) < 30 else LARGEST + 1) if digits else None


def parts_in_file(file: Path) -> Mapping[str, Any]:
    """Return the parts of a file with custom numbers. Raises ShardwiseError."""
    from shardwise.template.yaml_source import load_yaml

    data = load_yaml(file).data
    if not isinstance(data, Mapping):
        raise ShardwiseError(
            f"{file}: expected {', '.join(PARTS)}, but the file {'is empty' if data is None else 'has something else'}."
        )
    return data


def asked(
    options: Mapping[str, Any], given: Mapping[str, Any], *, wording: Wording, where: str = "request"
) -> PlanRequest:
    """Return the plan that options and given parts ask for; options override parts. Raises ShardwiseError with every fault.

    `where` names the source of the parts, for messages about unknown ones.
    """
    faults = InputFaults(wording)
    report_unknown(given, PARTS, where, faults)
    known = names()
    model, notes = model_of(_first(options, given, "model"), known["model"], faults)
    cluster = _cluster(options, given.get("cluster"), known["accelerator"], faults)
    layout = _layout({"software": UNKNOWN, **_mapping(given, "layout", faults), **options["layout"]}, known, faults)
    if model and layout.get("recompute"):
        _report_missing_modules(model, layout["recompute"].split(","), wording.name("recompute"), faults)
    sizes = {**_mapping(given, "batch", faults), **options["batch"]}
    batch, assumed = _batch(sizes, getattr(model, "positions", 0), faults)
    tokens, price = _first(options, given, "tokens"), _first(options, given, "price")
    read_tokens = None if tokens is None else faults.number(tokens, wording.name("tokens"), "tokens")
    read_price = None if price is None else faults.number(_unquoted(price), wording.name("price"), "dollars")
    if faults.messages or not (model and cluster and batch):
        raise ShardwiseError("\n".join(faults.messages))
    return PlanRequest(model, cluster, layout, batch, read_tokens, read_price, tuple(assumed), notes)


def _first(options: Mapping[str, Any], given: Mapping[str, Any], name: str) -> Any:
    """Return the value of an option, or of the part where the option is missing. An empty option is not missing."""
    return given.get(name) if options.get(name) is None else options[name]


def _unquoted(value: Any) -> Any:
    """Return a quoted number as a number; anything else unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _mapping(given: Mapping[str, Any], part: str, faults: InputFaults) -> Mapping[str, Any]:
    value = given.get(part) or {}
    if isinstance(value, Mapping):
        return value
    faults.add(f"{part} must be a mapping of names to values, not {value!r:.40}.")
    return {}


def _cluster(options: Mapping[str, Any], written: Any, known: Mapping[str, str], faults: InputFaults) -> Cluster | None:
    """Return a cluster, given by its name, such as h100-16384, or by its numbers in a file; --gpus and --network override both."""
    own: dict[str, Any] = dict(written) if isinstance(written, Mapping) else {}
    called = _first(options, {"cluster": written if not own else own.get("accelerator")}, "cluster")
    if called is None:
        by, file = faults.wording.by("with --cluster"), faults.wording.by("in --file")
        faults.add(f"Name a cluster{by}, such as h100-1024, or define one{file}.")
        return None
    text, gpus = _sized(str(called), known)
    gpus = next((size for size in (options.get("gpus"), own.get("gpus"), gpus) if size is not None), None)
    name = faults.named(text, "accelerator", known)
    fields = [part.name for part in dataclasses.fields(Cluster)]
    report_unknown(own, fields, "cluster", faults)
    if gpus is None:
        if not str(called):
            return None
        way = faults.wording.by(f"Write --cluster {called}-1024, or --gpus 1024.")
        faults.add(f"The number of GPUs is missing.{way}")
        return None
    count = faults.count(gpus, faults.wording.name("gpus"))
    if name is None or count is None:
        return None
    usual = usual_cluster(accelerator=name, gpus=count)
    changes: dict[str, Any] = {}
    if "gpus_per_node" in own:
        changes["gpus_per_node"] = faults.count(own["gpus_per_node"], "gpus_per_node")
    network = _first(options, {"network": own.get("network_bytes_per_s")}, "network")
    if network is not None:
        changes["network_bytes_per_s"] = faults.number(
            network, faults.wording.name("network"), "GB/s", way="per direction"
        )
    return None if None in changes.values() else dataclasses.replace(usual, **changes)


def _sized(text: str, known: Mapping[str, str]) -> tuple[str, int | None]:
    """Return the accelerator and the size in the name of a cluster: h100-16384, 16384 x H100, h100-80gb."""
    names = {squashed_name(called) for called in known}
    if squashed_name(text) in names:
        return text, None
    if (first := re.fullmatch(r"\s*(\d[\d,_]*)\s*[x×*]\s*(\D.*)", text)) and squashed_name(first[2]):
        return first[2], _digits(first[1])
    if last := re.fullmatch(r"(.*?\w)(?:\s*[:x×*_-]\s*|\s+)(\d[\d,_]*)\s*(?:gpus)?", text, re.IGNORECASE):
        return last[1], _digits(last[2])
    return text, None


def _layout(
    wanted: Mapping[str, Any], known: Mapping[str, Mapping[str, str]], faults: InputFaults
) -> Mapping[str, Any]:
    """Return the given settings of a layout, each checked by itself."""
    fields = {part.name: part.default for part in dataclasses.fields(Layout)}
    report_unknown(wanted, tuple(fields), "layout", faults)
    found: dict[str, Any] = {}
    for name, value in wanted.items():
        option = faults.wording.name(str(name))
        if name not in fields:
            continue
        if name in WORDS and isinstance(value, str):
            found[name] = faults.named(str(value), f"{name}{faults.wording.by(f'({option})')}", known[name])
        elif name == "recompute":
            found[name] = _recompute(value, option, known[name], faults)
        elif isinstance(fields.get(name), bool):
            found[name] = value
            if not isinstance(value, bool):
                faults.add(f"{option} must be true or false, not {excerpt(value)}.")
        elif name == "zero":
            found[name] = value
            if isinstance(value, bool) or value not in (0, 1, 2, 3):
                faults.add(f"{option} must be 0, 1, 2 or 3, not {excerpt(value)}.")
        elif name == "gradient_bytes":
            found[name] = value
            if isinstance(value, bool) or value not in GRADIENT_BYTES:
                faults.add(f"{option} must be 2 or 4, not {excerpt(value)}.")
        elif name == "state_bytes":
            found[name] = faults.count(value, option, largest=LARGEST_STATES)
        elif isinstance(fields.get(name), int):
            least_zero = fields[name] == 0 and value == 0
            found[name] = 0 if least_zero else faults.count(value, option)
        else:
            faults.add(f"{option} must be a word, not {excerpt(value)}.")
    if found.get("recompute") == "partial" and not found.get("recomputed_layers"):
        faults.add(
            f"{faults.wording.name('recompute')} partial needs recomputed_layers, the number of layers to recompute{faults.wording.by('(under `layout` in --file)')}."
        )
    if found.get("virtual_stages", 1) not in (1, None):
        found.setdefault("schedule", "interleaved")
    return found


def modules_of(model: Model) -> list[str]:
    """Return the modules that a layer of this model can recompute."""
    found = frozenset[str]().union(*(recomputed_modules(",".join(MODULES), block) for block in set(model.blocks)))
    return [module for module in MODULES if module in found]


def _report_missing_modules(model: Model, modules: Sequence[str], option: str, faults: InputFaults) -> None:
    """Add a fault for modules to recompute that no layer of the model has."""
    known = modules_of(model)
    if missing := [module for module in modules if module in MODULES and module not in known]:
        faults.add(f"{option}: the layers of {model.name} lack {', '.join(missing)}. Choose from {', '.join(known)}.")


def _recompute(value: Any, option: str, known: Mapping[str, str], faults: InputFaults) -> str | None:
    """Return what to recompute: a word, or a list of modules, given as a list or separated by commas."""
    parts = value if isinstance(value, list) else str(value).split(",")
    if len(parts) == 1:
        return faults.named(str(parts[0]), f"recompute{faults.wording.by(f'({option})')}", known)
    what, known_modules = f"module to recompute{faults.wording.by(f'({option})')}", {name: name for name in MODULES}
    modules = [faults.named(part, what, known_modules) for part in dict.fromkeys(map(str, parts))]
    return ",".join(dict.fromkeys(module for module in modules if module)) or None


def _batch(sizes: Mapping[str, Any], positions: int, faults: InputFaults) -> tuple[Batch | None, list[str]]:
    """Return the batch and the defaults used. The default sequence length never exceeds a model's learned positions."""
    report_unknown(sizes, tuple(USUAL_BATCH), "batch", faults)
    usual = {**USUAL_BATCH, "sequence": min(USUAL_BATCH["sequence"], positions or USUAL_BATCH["sequence"])}
    counts = {name: faults.count(sizes.get(name, size), faults.wording.name(name)) for name, size in usual.items()}
    found = {name: count for name, count in counts.items() if count is not None}
    assumed = [f"{faults.wording.name(name)} {size}" for name, size in usual.items() if name not in sizes]
    return Batch(**found) if len(found) == len(usual) else None, assumed
