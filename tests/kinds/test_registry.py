"""The registry: every kind is complete in its own module, and nobody else knows it by name."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import shardwise
from checkout import ROOT
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank
from shardwise.cli.main import app
from shardwise.kinds import kind_of, kinds, text_of, variable_of
from shardwise.kinds.base import Kind, Sample
from shardwise.kinds.calls import Recorded, call_once, run_here
from shardwise.markdown.plain import to_plain
from shardwise.marking import check
from shardwise.question import Feedback, Form, Outcome, Question

every_kind = pytest.mark.parametrize("name", list(kinds()))
JUDGED = (Outcome.CORRECT, Outcome.PARTIAL, Outcome.INCORRECT)


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """A bank that has just been started: a problem of every kind, with its references and oracles."""
    folder = tmp_path_factory.mktemp("fresh") / "bank"
    init_bank(folder, kinds())
    return Bank.open(folder).read_all()


NO_BREAK = "\u00a0"  # is between a number and its unit in HTML


def first(fresh: Bank, name: str) -> Problem:
    return fresh.find(f"first-{name}")


# How it is shown ------------------------------------------------------------------------------------------------------

# The fields of a view, and what a front end needs of each, next to its type and perhaps its name.
FIELDS: dict[str, set[str]] = {
    "line": {"label"}, "number": {"label", "range", "is_whole"}, "options": {"pick", "options"},
    "order": {"items"},
    "pairs": {"items", "options"}, "program": {"label", "source", "function"}, "listing": {"label", "lines"},
    "group": {"label", "fields"}, "parts": {"parts"}, "confidence": {"label", "earned"},
}  # fmt: skip
# Those that the scripts of kinds bring.
OF_SCRIPTS: dict[str, set[str]] = {"schedule": {"label", "source", "series", "start"}, "layout": {"axes", "start"}}
OPTIONAL = {"line": {"is_code", "note", "mends", "has_preview"}, "group": {"html", "how", "typical"}}
# What a front end sends of a field that nobody has touched; groups and parts send what their fields do.
UNTOUCHED: dict[str, Any] = {
    "line": "", "number": None, "options": [], "order": None, "pairs": {}, "program": None, "listing": None,
    "schedule": None, "layout": {}, "confidence": None,
}  # fmt: skip


def test_the_fields_of_a_view_are_those_that_are_documented_and_that_the_form_knows() -> None:
    documented = re.findall(r"^        - (\w+): ", Kind.view.__doc__ or "", re.MULTILINE)
    registry = (ROOT / "desk" / "src" / "fields" / "index.js").read_text("utf-8")
    (known,) = re.findall(r"const TYPES = \{(.*?)\}", registry, re.DOTALL)
    assert sorted(documented) == sorted(re.findall(r"\w+", known)) == sorted(FIELDS)


def fields_of(fields: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """All fields of a view, those of groups and parts too."""
    inside = [
        [*field.get("fields", ()), *(inner for part in field.get("parts", ()) for inner in part["fields"])]
        for field in fields
    ]
    return [inner for field, below in zip(fields, inside, strict=True) for inner in (field, *fields_of(below))]


def view_of(question: Question) -> dict[str, Any]:
    """A view after a journey to a front end and back."""
    view = kind_of(question).view(question.form)
    again: dict[str, Any] = json.loads(json.dumps(view, allow_nan=False))
    return again


@every_kind
def test_a_view_is_plain_data_with_all_that_each_field_needs(fresh: Bank, name: str) -> None:
    for seed in range(5):
        view = view_of(pose(first(fresh, name), seed))
        assert view["how"].endswith((".", "?"))
        assert "<" not in view["how"] and "`" not in view["how"] and "**" not in view["how"]  # it is plain text
        assert len(view["fields"]) == 1 or all(field.get("name") for field in view["fields"])
        for field in fields_of(view["fields"]):
            needed, more = {**FIELDS, **OF_SCRIPTS}[field["type"]], OPTIONAL.get(field["type"], set())
            assert needed <= set(field) - {"type"} <= needed | more | {"name"}, field
            for line in (*field.get("items", ()), *field.get("options", ())):
                assert set(line) == {"label", "html"}
                assert line["label"] and line["html"]
            labels = [line["label"] for line in field.get("options", field.get("items", ()))]
            assert len(set(labels)) == len(labels)
        mended = [field["mends"] for field in fields_of(view["fields"]) if "mends" in field]
        listings = [field.get("name") for field in view["fields"] if field["type"] == "listing"]
        assert set(mended) <= set(listings)


def entered(field: Mapping[str, Any], wanted: Any) -> Any:
    """What a front end sends when a student puts `wanted` into a field. Raises ValueError when the field cannot hold it."""
    match field["type"]:
        case "line" | "program" | "schedule":
            fits = isinstance(wanted, str)
        case "number":
            fits = isinstance(wanted, int | float) and not (field["is_whole"] and wanted != int(wanted))
        case "options":
            labels = [option["label"] for option in field["options"]]
            fits = (
                isinstance(wanted, list)
                and set(wanted) <= set(labels)
                and (field["pick"] == "many" or len(wanted) == 1)
            )
        case "order":
            fits = isinstance(wanted, list) and sorted(wanted) == sorted(item["label"] for item in field["items"])
        case "pairs":
            items, options = ({line["label"] for line in field[name]} for name in ("items", "options"))
            fits = isinstance(wanted, dict) and set(wanted) <= items and set(wanted.values()) <= options
        case "confidence":
            fits = wanted in [row["sure"] for row in field["earned"]]
        case "listing":
            fits = isinstance(wanted, int) and 1 <= wanted <= len(field["lines"])
        case "layout":
            axes = {axis["name"]: axis["values"] for axis in field["axes"]}
            fits = isinstance(wanted, dict) and all(
                isinstance(value, str) and value in (axes[name] or [value]) for name, value in wanted.items()
            )
        case "group":
            return collected(field["fields"], wanted)
        case "parts":
            fields = {part["name"]: part["fields"] for part in field["parts"]}
            if not isinstance(wanted, dict) or set(wanted) - set(fields):
                raise ValueError(f"the parts cannot make {wanted!r}")
            return {name: collected(fields[name], answer) for name, answer in wanted.items()}
        case _:
            fits = False
    if not fits:
        raise ValueError(f"{field['type']} cannot hold {wanted!r}")
    return wanted


def collected(fields: Sequence[Mapping[str, Any]], wanted: Any) -> Any:
    """The answer that some fields make together. Raises ValueError when they cannot make the one that is wanted."""
    if len(fields) == 1 and "name" not in fields[0]:
        return entered(fields[0], wanted)
    if not isinstance(wanted, dict) or set(wanted) - {field["name"] for field in fields}:
        raise ValueError(f"the fields cannot make {wanted!r}")
    return {field["name"]: entered(field, wanted[field["name"]]) for field in fields if field["name"] in wanted}


@every_kind
def test_whoever_knows_the_right_answer_can_give_it_in_the_fields(fresh: Bank, name: str) -> None:
    for seed in range(5):
        question = pose(first(fresh, name), seed)
        view, kind, given = view_of(question), kind_of(question), []
        for sample in kind.samples(question):
            raw = sample.raw
            if sample.outcome == Outcome.CORRECT:
                if isinstance(raw, Recorded):
                    raw = kind.sample_source(question, variable_of(question), raw)
                try:
                    given.append(collected(view["fields"], raw))
                except ValueError:
                    continue  # a way to write it that a form does not need
        assert given, view
        for answer in given:
            assert check(question, json.loads(json.dumps(answer)), runner=run_here).outcome == Outcome.CORRECT


@every_kind
def test_an_untouched_form_is_blank(fresh: Bank, name: str) -> None:
    def untouched(fields: Sequence[Mapping[str, Any]]) -> Any:
        values = [
            untouched(field["fields"])
            if field["type"] == "group"
            else {part["name"]: untouched(part["fields"]) for part in field["parts"]}
            if field["type"] == "parts"
            else UNTOUCHED[field["type"]]
            for field in fields
        ]
        if "name" not in fields[0]:
            return values[0]
        return {field["name"]: value for field, value in zip(fields, values, strict=True)}

    question = pose(first(fresh, name), 1)
    assert check(question, untouched(view_of(question)["fields"])).outcome == Outcome.BLANK


def leaves(value: Any) -> list[Any]:
    """Every text and number somewhere in JSON; names of keys are none."""
    if isinstance(value, dict | list):
        return [leaf for part in (value.values() if isinstance(value, dict) else value) for leaf in leaves(part)]
    return [value]


def numbers_of(form: Form) -> set[str]:
    values = leaves(json.loads(form.model_dump_json()))
    return {repr(value) for value in values if isinstance(value, int | float)}


def secrets(question: Question, known: set[str]) -> list[str]:
    """What the key says, and neither the author's prompt nor a listing does: texts, and numbers of over three characters."""
    lines = [line for field in fields_of(view_of(question)["fields"]) for line in field.get("lines", ())]
    public = "\n".join([question.prompt, *lines])
    written = {
        value if isinstance(value, str) else repr(value) for value in leaves(question.key.model_dump(mode="json"))
    }
    told = {text for text in written if text in public} | known | {"None", "True", "False"}
    lists = {json.dumps(value) for value in lists_in(question.key.model_dump(mode="json")) if len(value) > 2}
    return [text for text in written - told if len(text) > 3] or sorted(lists)


def lists_in(value: Any) -> Iterator[list[Any]]:
    """Yield the lists in plain data: the key of a question about small numbers hides only their order."""
    if isinstance(value, list):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from lists_in(part)


@every_kind
def test_neither_form_nor_view_tells_anything_of_the_key(fresh: Bank, name: str) -> None:
    questions = [pose(first(fresh, name), seed) for seed in range(10)]
    bounds = set.intersection(*(numbers_of(question.form) for question in questions))  # the same for everybody
    hidden = 0
    for question in questions:
        form, body = json.loads(question.form.model_dump_json()), kind_of(question).body(question.form)
        shown = json.dumps(without([view_of(question), form, body], {"typical", "earned"}), ensure_ascii=False)
        kept = secrets(question, bounds)
        assert [text for text in kept if json.dumps(text, ensure_ascii=False)[1:-1] in shown] == []
        hidden += len(kept)
        for part in (*question.hints, question.solution):
            assert part not in shown
        assert not {"correct", "mistakes", "say", "key", "rel_tol", "expected", "witness"} & names_in(json.loads(shown))
    assert hidden


def without(value: Any, names: set[str]) -> Any:
    """The same JSON without what has one of these names: numbers that a kind's own tests look at."""
    if isinstance(value, list):
        return [without(part, names) for part in value]
    if isinstance(value, dict):
        return {name: without(part, names) for name, part in value.items() if name not in names}
    return value


def names_in(value: Any) -> set[str]:
    """The names of all keys somewhere in JSON."""
    if isinstance(value, list):
        return {name for part in value for name in names_in(part)}
    return (
        set(value) | {name for part in value.values() for name in names_in(part)} if isinstance(value, dict) else set()
    )


@every_kind
def test_the_body_says_all_that_the_view_shows(fresh: Bank, name: str) -> None:
    for seed in range(5):
        question = pose(first(fresh, name), seed)
        body, text = kind_of(question).body(question.form), text_of(question)
        assert text == f"{question.prompt}\n\n{body}".strip()
        for field in fields_of(view_of(question)["fields"]):
            for line in (*field.get("items", ()), *field.get("options", ())):
                assert re.search(rf"^- \*\*{line['label']}[.)]\*\* ", body, re.MULTILINE), line
                assert to_plain(line["html"]).replace(NO_BREAK, " ") in to_plain(body).replace(NO_BREAK, " ")
            for line in field.get("lines", ()):
                assert line in body
            if "source" in field:
                assert field["source"].partition("\n")[0] in body


# From a notebook, and back --------------------------------------------------------------------------------------------


def fetched(question: Question, source: str, *, is_untouched: bool = False) -> Any:
    """The answer that a notebook with this answer cell gives, as grading fetches it."""
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    kind, variable = kind_of(question), variable_of(question)
    request = kind.request(question, variable)
    assert request.name == variable
    if request.inputs is None:
        return namespace[request.name]
    calls = [call_once(namespace[request.name], inputs) for inputs in request.inputs]
    return kind.collect(question, variable, calls, is_untouched=is_untouched)


def marked(question: Question, sample: Sample) -> Feedback:
    source = kind_of(question).sample_source(question, variable_of(question), sample.raw)
    return check(question, fetched(question, source), runner=run_here)


@every_kind
def test_an_answer_cell_is_fetched_and_judged_as_its_sample_is_meant(fresh: Bank, name: str) -> None:
    for seed in range(3):
        question = pose(first(fresh, name), seed)
        samples = kind_of(question).samples(question)
        known = {sample.outcome for sample in samples}
        assert known >= {Outcome.CORRECT, Outcome.UNREADABLE, Outcome.BLANK}
        assert known & {Outcome.PARTIAL, Outcome.INCORRECT}
        for sample in samples:
            if sample.outcome in JUDGED:
                feedback = marked(question, sample)
                assert feedback.outcome == sample.outcome, (sample, feedback)
                assert sample.mistake is None or feedback.mistake == sample.mistake, (sample, feedback)


@every_kind
def test_an_answer_cell_as_it_was_handed_out_is_blank(fresh: Bank, name: str) -> None:
    question = pose(first(fresh, name), 2)
    kind, variable = kind_of(question), variable_of(question)
    cell = kind.cells(question.form, variable)
    assert check(question, fetched(question, cell, is_untouched=True), runner=run_here).outcome == Outcome.BLANK
    namespace: dict[str, Any] = {}
    exec(cell, namespace)  # and in practice, where nobody knows the cell
    live = namespace[variable]
    raw = None if kind.is_untouched(question.form, live) else live
    assert check(question, raw, runner=run_here).outcome == Outcome.BLANK


@every_kind
def test_it_says_how_to_answer_with_an_example_that_is_read_and_seldom_right(fresh: Bank, name: str) -> None:
    right = 0
    for seed in range(20):
        question = pose(first(fresh, name), seed)
        kind, variable = kind_of(question), variable_of(question)
        assert f"`{variable}`" in kind.instruction(question.form, variable)
        feedback = check(question, kind.example(question.form), runner=run_here)
        assert feedback.outcome in JUDGED
        right += feedback.outcome == Outcome.CORRECT
    assert right <= 12


# Nobody else knows it by name -----------------------------------------------------------------------------------------

PACKAGE = Path(shardwise.__file__).parent
# These translate the kinds that a foreign format can carry, or look closer at numbers, and treat every other kind alike.
AT_THE_TOP = ("analysis/", "exchange/")
ALLOWED = {  # words that mean something else there
    ("app/index.py", "formula"): "a type of entries of the app's search",
    ("bank/scaffold.py", "quantity"): "the kind of most problems, which a new bank begins with",
    ("cli/authoring.py", "quantity"): "what `shardwise new` starts when no kind is named",
    ("course/assigning/clearing.py", "code"): "nbformat's name for a cell of code",
    ("course/assigning/notebooks.py", "code"): "nbformat's name for a cell of code",
    ("course/assigning/simulated_class.py", "code"): "nbformat's name for a cell of code",
    ("course/collecting/submissions.py", "code"): "nbformat's name for a cell of code",
    ("student/desk.py", "estimate"): "a rough number that is committed to before the answer",
    ("student/progress/file.py", "estimate"): "a table of the progress file",
    ("template/parameters.py", "choice"): "a way to draw a parameter",
    ("template/yaml_source.py", "choice"): "a way to draw a parameter",
}


@cache
def trees() -> dict[str, ast.Module]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


def test_no_kind_is_known_by_name_outside_its_own_module() -> None:
    """No comparison, no dictionary, no default: a new kind touches its own folder."""
    names = set(kinds())
    found = {
        (file, node.value)
        for file, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and node.value in names
        and not file.startswith((f"kinds/{node.value}/", *AT_THE_TOP))
    }
    assert found == set(ALLOWED), (
        "A module asks for a kind by its name, where the kind itself should tell; or a kind is called by a word that means "
        "something else there: take another name, or add the place and what it means there to ALLOWED."
    )


def test_nobody_but_the_registry_imports_a_kind() -> None:
    modules = {f"shardwise.kinds.{name}" for name in kinds()}
    for file, tree in trees().items():
        if file.startswith(("kinds/", *AT_THE_TOP)):
            continue
        for node in ast.walk(tree):
            taken = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            taken += [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
            taken += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [module for module in taken for kind in modules if f"{module}.".startswith(f"{kind}.")], file


# The docs -------------------------------------------------------------------------------------------------------------


@every_kind
def test_it_says_how_a_problem_of_it_is_written(name: str) -> None:
    manual = kinds()[name].manual()
    assert len(manual) > 200
    assert CliRunner().invoke(app, ["kinds", name]).stdout == f"{kinds()[name].about}\n\n{manual}\n"


def test_the_docs_name_all_that_a_kind_may_define() -> None:
    page = (ROOT / "docs" / "kinds.md").read_text("utf-8")
    named = {*vars(Kind), *Kind.__annotations__}
    assert [name for name in sorted(named) if not name.startswith("_") and f"`{name}`" not in page] == []
