"""Input of the planner: parse names, options and custom numbers into its records, and report all faults at once."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.units import read
from shardwise_bank.solutions.planner.names import names, usual_cluster
from shardwise_bank.solutions.planner.recompute import MODULES
from shardwise_bank.solutions.planner.search import Limits
from shardwise_bank.solutions.planner.shapes import Batch, Cluster, Layout, Model, named_model
from shardwise_bank.solutions.planner.stacks import UNKNOWN

PARTS = ("model", "cluster", "layout", "batch", "tokens", "price")  # of a file
WORDS = ("schedule", "precision", "offload", "software")  # options of a layout that name something
USUAL_BATCH = {"global_batch": 2048, "sequence": 8192}
MOST_NEAR = 4
LARGEST = 10**9  # of a count
FARTHEST = 1e30  # of any other number, in base units
LARGEST_FILE = 10**7  # bytes; configurations have a few thousand
NOT_NUMBERS = ("pattern", "mtp_block", "recurrence")  # of a model, which only a configuration gives
SHOWN = 40  # characters of a value that a message repeats


@dataclass(frozen=True)
class Wording:
    """The name of a setting in messages: `--global-batch` on a command line, “global batch” in a form."""

    is_command: bool

    def name(self, setting: str) -> str:
        """Return the name of a setting."""
        return f"--{setting.replace('_', '-')}" if self.is_command else setting.replace("_", " ")

    def by(self, way: str) -> str:
        """Return how to give something on a command line; nothing in a form, where the field is visible."""
        return f" {way}" if self.is_command else ""


COMMAND, FORM = Wording(is_command=True), Wording(is_command=False)


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
    notes: tuple[str, ...] = ()  # what to know about a model that was read from a file


@dataclass
class _Faults:
    """The faults found so far."""

    wording: Wording
    messages: list[str] = field(default_factory=list)

    def add(self, words: str) -> None:
        self.messages.append(words)

    def named(self, text: str, what: str, known: Mapping[str, str]) -> str | None:
        """Return the name that a text means, ignoring case, dots and dashes."""
        squashed = {_squashed(called): name for called, name in known.items()}
        if _squashed(text) in squashed:
            return squashed[_squashed(text)]
        near = get_close_matches(_squashed(text)[:SHOWN], squashed, n=MOST_NEAR, cutoff=0.5)
        listed = list(dict.fromkeys(squashed[name] for name in near))
        every = dict.fromkeys(known.values())
        hint = f"Did you mean {' or '.join(listed)}?" if listed else f"Choose from {', '.join(every)}."
        self.add(f"Unknown {what} {text[:SHOWN]!r}. {hint}")
        return None

    def number(self, value: Any, what: str, unit: str, *, way: Any = "none") -> float | None:
        """Return a positive number in that unit."""
        try:
            is_plain = isinstance(value, int | float) and not isinstance(value, bool)
            number = float(value if is_plain else read(str(value), unit, way).value)
        except ShardwiseError as error:
            self.add(f"{what}: {error}")
            return None
        except OverflowError:
            number = math.inf
        if not 1 / FARTHEST <= number <= FARTHEST:
            self.add(f"{what} must be a positive number of a realistic size, not {_shown(value)}.")
            return None
        return number

    def model(self, name: str, values: Mapping[str, Any]) -> Model | None:
        """Return a custom model; None when the planner rejects its combination of numbers."""
        try:
            return Model(name=name, **values)
        except ValueError as error:
            self.add(f"model: {error}.")
            return None

    def count(self, value: Any, what: str) -> int | None:
        """Return a whole number of at least 1."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= LARGEST or value % 1:
            is_large = isinstance(value, int | float) and value > LARGEST
            most = f"at most {LARGEST:,}" if is_large else "at least 1"
            self.add(f"{what} must be a whole number of {most}, not {_shown(value)}.")
            return None
        return int(value)


def _digits(text: str) -> int | None:
    """Return the number that some digits write, ignoring separators; LARGEST + 1 when it is too large for a count."""
    digits = re.sub(r"\D", "", text)
    return (int(digits) if len(digits) < 30 else LARGEST + 1) if digits else None


def _shown(value: Any) -> str:
    """Return a value as messages repeat it."""
    if isinstance(value, int) and abs(value) > 10**SHOWN:  # Python writes no number of more than 4,300 digits
        return "a number that is far too large" if value > 0 else "a number that is far too small"
    return f"{value!r:.{SHOWN}}"


def _squashed(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


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
    faults = _Faults(wording)
    _strangers(given, PARTS, where, faults)
    known = names()
    model, notes = _model(_first(options, given, "model"), known["model"], faults)
    cluster = _cluster(options, given.get("cluster"), known["accelerator"], faults)
    layout = _layout({"software": UNKNOWN, **_mapping(given, "layout", faults), **options["layout"]}, known, faults)
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


def _mapping(given: Mapping[str, Any], part: str, faults: _Faults) -> Mapping[str, Any]:
    value = given.get(part) or {}
    if isinstance(value, Mapping):
        return value
    faults.add(f"{part} must be a mapping of names to values, not {value!r:.40}.")
    return {}


def _strangers(given: Mapping[str, Any], known: Sequence[str], where: str, faults: _Faults) -> None:
    for name in given:
        if name not in known:
            near = get_close_matches(str(name), known, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"Choose from {', '.join(known)}."
            faults.add(f"{where}: {str(name)[:40]!r} is unknown. {hint}")


def _model(wanted: Any, known: Mapping[str, str], faults: _Faults) -> tuple[Model | None, tuple[str, ...]]:
    """Return a model, given by its name, by a config.json or by its numbers in a file, and notes about it."""
    if wanted is None:
        by, file = faults.wording.by("with --model"), faults.wording.by("in --file")
        faults.add(f"Name a model{by}, such as llama3-70b, give the path of a config.json, or define a model{file}.")
        return None, ()
    if isinstance(wanted, Mapping):
        return _custom(wanted, faults), ()
    if is_path(text := str(wanted)):
        return _configured(Path(text).expanduser(), faults)
    name = faults.named(text, "model", known)
    return named_model(name) if name else None, ()


def is_path(text: str) -> bool:
    """Return whether a model is given as a file or a folder instead of a name."""
    try:
        return text.endswith(".json") or "/" in text or Path(text).is_dir()
    except (OSError, ValueError):  # a text that no path can be
        return False


def _configured(path: Path, faults: _Faults) -> tuple[Model | None, tuple[str, ...]]:
    """Return the model of a Hugging Face configuration, and notes about it."""
    from shardwise_bank.solutions.planner.configurations.reading import read_configuration

    file = path / "config.json" if path.is_dir() else path
    try:
        if file.stat().st_size > LARGEST_FILE:
            raise ValueError(f"it has more than {LARGEST_FILE:,} bytes; give the model's config.json")
        stem = file.stem.removesuffix("config").rstrip("_-. ")
        name = _printable(stem or file.resolve().parent.name)
        found = read_configuration(file.read_text("utf-8"), name=name or "model")
    except FileNotFoundError:
        faults.add(
            f"Cannot find the file {_printable(str(file))}. Give the path of a model's config.json, or a model's name."
        )
    except OSError as error:
        faults.add(f"Cannot read {_printable(str(path))}: {error.strerror}.")
    except UnicodeDecodeError:
        faults.add(f"Cannot read {_printable(str(path))}: it is not text. Give the model's config.json.")
    except ValueError as error:
        for line in str(error).splitlines():
            faults.add(f"{_printable(str(file))}: {line}")
    else:
        return found.model, found.notes
    return None, ()


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)[:200]


def _custom(wanted: Mapping[str, Any], faults: _Faults) -> Model | None:
    """Return a model that is given by its numbers."""
    fields = {part.name: part for part in dataclasses.fields(Model) if part.name not in NOT_NUMBERS}
    _strangers(wanted, tuple(fields), "model", faults)
    missing = [
        name
        for name, part in fields.items()
        if part.default is dataclasses.MISSING and name not in wanted and name != "name"
    ]
    if missing:
        faults.add(f"model: {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing.")
    numbers = {name: value for name, value in wanted.items() if name in fields and name != "name"}
    wrong = [name for name, value in numbers.items() if not _fits(value, fields[name].default)]
    for name in wrong:
        expected = "true or false" if isinstance(fields[name].default, bool) else f"a whole number up to {LARGEST:,}"
        faults.add(f"model: {name} must be {expected}, not {_shown(numbers[name])}.")
    if missing or wrong:
        return None
    called = _printable(str(wanted.get("name") or "custom model"))
    return faults.model(called[:SHOWN], numbers)


def _fits(value: Any, usual: Any) -> bool:
    """Return whether a value has the type of the model's field, and a valid size."""
    if isinstance(usual, bool) or isinstance(value, bool):
        return isinstance(usual, bool) and isinstance(value, bool)
    return isinstance(value, int | float) and 0 <= value <= LARGEST and value % 1 == 0


def _cluster(options: Mapping[str, Any], written: Any, known: Mapping[str, str], faults: _Faults) -> Cluster | None:
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
    _strangers(own, fields, "cluster", faults)
    if gpus is None:
        if not str(called):
            return None
        way = faults.wording.by(f"Write --cluster {called}-1024, or --gpus 1024.")
        faults.add(f"The number of GPUs is missing.{way}")
        return None
    count = faults.count(gpus, "gpus")
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
    names = {_squashed(called) for called in known}
    if _squashed(text) in names:
        return text, None
    if (first := re.fullmatch(r"\s*(\d[\d,_]*)\s*[x×*]\s*(\D.*)", text)) and _squashed(first[2]):
        return first[2], _digits(first[1])
    if last := re.fullmatch(r"(.*?\w)(?:\s*[:x×*_-]\s*|\s+)(\d[\d,_]*)\s*(?:gpus)?", text, re.IGNORECASE):
        return last[1], _digits(last[2])
    return text, None


def _layout(wanted: Mapping[str, Any], known: Mapping[str, Mapping[str, str]], faults: _Faults) -> Mapping[str, Any]:
    """Return the given settings of a layout, each checked by itself."""
    fields = {part.name: part.default for part in dataclasses.fields(Layout)}
    _strangers(wanted, tuple(fields), "layout", faults)
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
                faults.add(f"{option} must be true or false, not {_shown(value)}.")
        elif name == "zero":
            found[name] = value
            if isinstance(value, bool) or value not in (0, 1, 2, 3):
                faults.add(f"{option} must be 0, 1, 2 or 3, not {_shown(value)}.")
        elif isinstance(fields.get(name), int):
            least_zero = fields[name] == 0 and value == 0
            found[name] = 0 if least_zero else faults.count(value, option)
        else:
            faults.add(f"{option} must be a word, not {_shown(value)}.")
    if found.get("recompute") == "partial" and not found.get("recomputed_layers"):
        faults.add(
            f"{faults.wording.name('recompute')} partial needs recomputed_layers, the number of layers to recompute{faults.wording.by('(under `layout` in --file)')}."
        )
    if found.get("virtual_stages", 1) not in (1, None):
        found.setdefault("schedule", "interleaved")
    return found


def _recompute(value: Any, option: str, known: Mapping[str, str], faults: _Faults) -> str | None:
    """Return what to recompute: a word, or a list of modules, given as a list or separated by commas."""
    parts = value if isinstance(value, list) else str(value).split(",")
    if len(parts) == 1:
        return faults.named(str(parts[0]), f"recompute{faults.wording.by(f'({option})')}", known)
    modules = [
        faults.named(
            str(part), f"module to recompute{faults.wording.by(f'({option})')}", {name: name for name in MODULES}
        )
        for part in parts
    ]
    return ",".join(dict.fromkeys(module for module in modules if module)) or None


def _batch(sizes: Mapping[str, Any], positions: int, faults: _Faults) -> tuple[Batch | None, list[str]]:
    """Return the batch and the defaults used. The default sequence length never exceeds a model's learned positions."""
    _strangers(sizes, tuple(USUAL_BATCH), "batch", faults)
    usual = {**USUAL_BATCH, "sequence": min(USUAL_BATCH["sequence"], positions or USUAL_BATCH["sequence"])}
    counts = {name: faults.count(sizes.get(name, size), faults.wording.name(name)) for name, size in usual.items()}
    found = {name: count for name, count in counts.items() if count is not None}
    assumed = [f"{faults.wording.name(name)} {size}" for name, size in usual.items() if name not in sizes]
    return Batch(**found) if len(found) == len(usual) else None, assumed


def limits_of(given: Mapping[str, Any], wanted: PlanRequest, *, wording: Wording) -> Limits:
    """Return the limits of a search: those that were given, and the settings of the layout to keep. Raises ShardwiseError."""
    faults = _Faults(wording)
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
    for name in ("precision", "software", "offload", "state_bytes"):
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
