"""The model of a plan: its name, a Hugging Face configuration, or its numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shardwise.markdown.escaping import printable
from shardwise.text_files import read_bounded
from shardwise_bank.planning.input_faults import LARGEST, InputFaults, excerpt, report_unknown
from shardwise_bank.solutions.planner.shapes import Model, named_model

LONGEST_NAME = 80  # characters
LARGEST_FILE = 10**7  # bytes; configurations have a few thousand
NOT_NUMBERS = ("pattern", "mtp_block", "recurrence")  # of a model, which only a configuration gives


def model_of(wanted: Any, known: Mapping[str, str], faults: InputFaults) -> tuple[Model | None, tuple[str, ...]]:
    """Return a model, given by its name, by a config.json or by its numbers in a file, and notes about it."""
    if wanted is None:
        by, file = faults.wording.by("with --model"), faults.wording.by("in --file")
        faults.add(f"Name a model{by}, such as llama3-70b, give the path of a config.json, or define a model{file}.")
        return None, ()
    if isinstance(wanted, Mapping) and isinstance(wanted.get("config"), str):
        return _configuration(wanted["config"], "model from a config.json", "config.json", faults)
    if isinstance(wanted, Mapping):
        return _custom(wanted, faults), ()
    if is_path(text := str(wanted)):
        return _configured(Path(text).expanduser(), faults)
    name = faults.named(text, "model", known)
    return named_model(name) if name else None, ()


def is_path(text: str) -> bool:
    """Return whether a model is given as a file or a folder instead of a name."""
    try:
        return text.endswith(".json") or "/" in text or (text != "" and Path(text).is_dir())
    except (OSError, ValueError):  # a text that no path can be
        return False


def _configured(path: Path, faults: InputFaults) -> tuple[Model | None, tuple[str, ...]]:
    """Return the model of a file with a Hugging Face configuration, and notes about it."""
    file = path / "config.json" if path.is_dir() else path
    try:
        text = read_bounded(file, LARGEST_FILE).decode("utf-8-sig")
        stem = file.stem.removesuffix("config").rstrip("_-. ")
        name = _printable(stem or file.resolve().parent.name)
        return _configuration(text, name or "model", str(file), faults)
    except FileNotFoundError:
        faults.add(f"Cannot find the file {file}. Give the path of a model's config.json, or a model's name.")
    except OSError as error:
        faults.add(f"Cannot read {file}: {error.strerror}. Give the model's config.json.")
    except UnicodeDecodeError:
        faults.add(f"Cannot read {file}: it is not text. Give the model's config.json.")
    return None, ()


def _configuration(text: str, name: str, where: str, faults: InputFaults) -> tuple[Model | None, tuple[str, ...]]:
    """Return the model of the text of a Hugging Face configuration, and notes about it."""
    from shardwise_bank.solutions.planner.configurations.reading import read_configuration

    try:
        found = read_configuration(text, name=name)
    except ValueError as error:
        for line in str(error).splitlines():
            faults.add(f"{where}: {line}")
        return None, ()
    return found.model, found.notes


def _printable(name: str) -> str:
    return printable(name.replace("\n", " "))[:LONGEST_NAME]


def _custom(wanted: Mapping[str, Any], faults: InputFaults) -> Model | None:
    """Return a model that is given by its numbers."""
    fields = {part.name: part for part in dataclasses.fields(Model) if part.name not in NOT_NUMBERS}
    report_unknown(wanted, tuple(fields), "model", faults)
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
        faults.add(f"model: {name} must be {expected}, not {excerpt(numbers[name])}.")
    if missing or wrong:
        return None
    try:
        return Model(name=_printable(str(wanted.get("name") or "custom model")), **numbers)
    except ValueError as error:
        faults.add(f"model: {error}.")
        return None


def _fits(value: Any, usual: Any) -> bool:
    """Return whether a value has the type of the model's field, and a valid size."""
    if isinstance(usual, bool) or isinstance(value, bool):
        return isinstance(usual, bool) and isinstance(value, bool)
    return isinstance(value, int | float) and 0 <= value <= LARGEST and value % 1 == 0
