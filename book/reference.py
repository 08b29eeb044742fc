"""The reference pages of the book that follow from code: the command line, the keys of YAML files, and the verbs of notebooks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

import typer
from typer.cli import get_docs_for_click

import shardwise
from shardwise.bank.files import ChapterFile, CurriculumFile, ProseFile, UnitsFile
from shardwise.cli.main import app
from shardwise.course.assigning.set_file import SetDefinition
from shardwise.course.course_file import CourseDefinition
from shardwise.kinds import kinds
from shardwise.kinds.case.model import CasePart
from shardwise.template.model import Template

_COMMON = frozenset(Template.model_fields) | {"kind"}


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page."""
    yield "docs/reference/commands.md", commands()
    yield "docs/reference/keys.md", keys()
    yield "docs/reference/notebooks.md", verbs()


def commands() -> str:
    """Return what `--help` says of every command."""
    command = typer.main.get_command(app)
    text = get_docs_for_click(obj=command, ctx=typer.Context(command), name="shardwise", title="Command line")
    return re.sub(r"\[default: (.*?)\]", r"(default: \1)", text)


def keys() -> str:
    """Return the keys of every YAML file that authors and instructors write, from the models that validate them."""
    parts = [
        "# Keys of YAML files\n\nWhat each file may contain. `shardwise schema` prints the same as JSON Schema, by which editors complete "
        "what you type. [Templates](../templates.md) explains problems with examples.\n",
        "## Every problem\n",
        _models(Template.model_json_schema(), skip=frozenset()),
    ]
    for name, kind in kinds().items():
        if type(kind).__module__.startswith(
            ("shardwise.", "shardwise_bank.")
        ):  # and no example's, which may be installed
            parts += [f"## Kind `{name}`\n"]
            if name == "case":  # the schema of its parts repeats every other kind
                parts += [
                    "`parts` is a list of problems of other kinds. Each part has the keys of its kind, and these:\n"
                ]
            model = CasePart if name == "case" else kind.Template
            parts += [_models(model.model_json_schema(), skip=_COMMON)]
    for title, model in (
        ("`chapter.yaml`", ChapterFile),
        ("`problems/curriculum.yaml`", CurriculumFile),
        ("`problems/prose.yaml`", ProseFile),
        ("`problems/units.yaml`", UnitsFile),
        ("A problem set", SetDefinition),
        ("`course.yaml`", CourseDefinition),
    ):
        parts += [f"## {title}\n", _models(model.model_json_schema(), skip=frozenset())]
    return "\n".join(parts)


def _models(schema: Mapping[str, Any], skip: frozenset[str]) -> str:
    """Return a table of a model's keys, and one of each model within it."""
    models = schema.get("$defs", {})
    inner = {name: model for name, model in models.items() if "properties" in model}
    tables = [_table({key: value for key, value in schema["properties"].items() if key not in skip}, schema, models)]
    tables += [
        f"**{name}**: {_sentence(model.get('description', ''))}\n\n{_table(model['properties'], model, models)}"
        for name, model in inner.items()
        if not (skip and name == "Parameter")  # which is described with what every problem has
    ]
    return "\n".join(tables)


def _table(properties: Mapping[str, Any], model: Mapping[str, Any], models: Mapping[str, Any]) -> str:
    rows = "".join(
        f"| `{key}` | {_type(value)} | {_presence(key, value, model)} | {_sentence(_description(value, models))} |\n"
        for key, value in properties.items()
    )
    return f"| key | value | | |\n|---|---|---|---|\n{rows}" if rows else ""


def _description(value: Mapping[str, Any], models: Mapping[str, Any]) -> str:
    """Return what a key's description says, or else that of its values."""
    if "description" in value:
        return str(value["description"])
    inner = [value["items"]] if value.get("type") == "array" else value.get("anyOf", value.get("oneOf", [value]))
    found = (
        each.get("description", models.get(each.get("$ref", "").rpartition("/")[2], {}).get("description"))
        for each in inner
    )
    return next((text for text in found if text), "")


def _presence(key: str, value: Mapping[str, Any], model: Mapping[str, Any]) -> str:
    if key in model.get("required", ()):
        return "required"
    default = value.get("default")
    return f"default `{default}`" if default not in (None, "", [], {}) else "optional"


def _type(value: Mapping[str, Any]) -> str:
    if "$ref" in value:
        return str(value["$ref"].rpartition("/")[2])
    if "enum" in value:
        return " or ".join(f"`{choice}`" for choice in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    several = value.get("anyOf") or value.get("oneOf")
    if several:
        return " or ".join(dict.fromkeys(_type(each) for each in several if each.get("type") != "null"))
    if value.get("type") == "array":
        return f"list of {_type(value.get('items', {}))}"
    if value.get("type") == "object":
        return "mapping"
    return {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(
        value.get("type", ""), value.get("type", "any")
    )


def _sentence(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


def verbs() -> str:
    """Return the verbs of notebooks with their docstrings."""
    parts = ["# In notebooks\n\n`from shardwise import check, hint, …` brings what students type in a cell.\n"]
    for name in sorted(set(shardwise.__all__) - {"handed_out"}):  # which a graded notebook's first cell calls
        verb = getattr(shardwise, name)
        if callable(verb):
            signature = str(inspect.signature(verb)).replace("'", "")
            parts.append(f"## `{name}`\n\n```python\n{name}{signature}\n```\n\n{inspect.getdoc(verb)}\n")
    return "\n".join(parts)
