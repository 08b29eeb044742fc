"""Buggy line: a reference with one line mutated; name the line, expose it with an input, and mend it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Literal

from pydantic import Field

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.agreement import same
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.bugline import mutants
from shardwise.kinds.calls import Runner, brief, plain
from shardwise.kinds.cases import Input, call_text, cases
from shardwise.markdown.html import literal, safe
from shardwise.question import Form, Key, Outcome, Question, Verdict
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.template.references import References
from shardwise.template.rng import Rng

PARTS = ("line", "input", "fix")
LONGEST = 300  # characters of a mended line


class Answer(author.AuthorModel):
    """The `answer` of a bug hunt."""

    reference: str
    rel_tol: float = Field(1e-6, gt=0, lt=0.1)
    inputs: Mapping[str, Input] = Field(min_length=1, description="The arguments and their values, in base units.")


class BuglineTemplate(author.Template):
    """A hunt for one wrong line, made by mutation."""

    kind: Literal["bugline"]
    answer: Answer


class BuglineForm(Form):
    """The listing, and the arguments with their lowest and highest values."""

    function: str
    listing: tuple[str, ...]
    domain: Mapping[str, tuple[float, float]]
    example: Mapping[str, Any]


class BuglineKey(Key):
    """The original, the mutant, and cases on which a mended listing is tried."""

    original: str
    mutant: str
    line: int
    original_line: str
    mutated_line: str
    change: str
    witness: Mapping[str, Any]
    cases: tuple[Mapping[str, Any], ...]
    expected: tuple[Any, ...]
    rel_tol: float


@dataclass(frozen=True)
class Solved:
    """The mutant that was drawn."""

    original: str
    hunt: Hunt
    cases: tuple[Mapping[str, Any], ...]


@lru_cache(maxsize=512)
def _loaded(source: str, name: str) -> Any:
    return mutants.load(source, name)


@dataclass(frozen=True)
class Hunt:
    """A mutant, and the simplest input on which it goes wrong."""

    mutant: mutants.Mutant
    witness: Mapping[str, Any]


Hunts = tuple[str, tuple[Hunt, ...]]  # a listing, and what goes wrong in it


def hunts(template: BuglineTemplate, references: References) -> Hunts:
    """The listing of a reference, and every mutant that an input of it exposes: what a template draws from.

    The same for all students, and kept with the bank, since making mutants takes longer than a student likes to wait.
    """
    answer = template.answer
    memo = ("hunts", answer.reference, answer.rel_tol, *answer.inputs.items())
    if memo not in references.memo:
        listing = mutants.listing(references.reference(answer.reference))
        inputs = json.dumps({name: given.model_dump(mode="json") for name, given in answer.inputs.items()})
        key = hashlib.sha256(f"{listing}\0{answer.rel_tol}\0{inputs}".encode()).hexdigest()
        found = references.kept(f"hunts {key}", lambda: _made_hunts(answer, listing))
        references.memo[memo] = listing, tuple(Hunt(mutants.Mutant(**mutant), witness) for mutant, witness in found)
    hunts: Hunts = references.memo[memo]
    return hunts


def _made_hunts(answer: Answer, listing: str) -> list[Any]:
    """The mutants as plain data, each with its witness."""
    rng = Rng("mutants", answer.reference)
    pool = [dict(case.base) for case in cases(answer.inputs, (), rng, drawn=8)]
    function = answer.reference.partition(".")[2]
    return [
        (asdict(killed.mutant), dict(killed.witness))
        for killed in mutants.killed(listing, function, pool, rel_tol=answer.rel_tol)
    ]


class BuglineKind(Kind[BuglineTemplate, BuglineForm, BuglineKey]):
    """A hunt for one wrong line."""

    name = "bugline"
    about = "One line of a listing is wrong, another for each student: name it, expose it by an input, mend it."
    Template = BuglineTemplate
    Form = BuglineForm
    Key = BuglineKey
    shows_reading = False  # the form shows the line, the input and the mended line
    starter = """\
prompt: |
  This function gives the time until the last byte of a file has crossed a link. One line of it is wrong. Which one, how
  does it show, and how should it read?
answer:
  reference: example.transfer_seconds           # its listing is shown, with one line changed
  inputs:                                       # in base units
    file_bytes: {choice: [1.0e+9, 2.0e+9, 5.0e+9]}
    bandwidth_bytes_per_s: {choice: [1.0e+10, 2.5e+10]}
    latency_s: {choice: [0.05, 0.1]}
"""

    def solve(self, template: BuglineTemplate, draw: Draw) -> Solved:
        listing, found = hunts(template, draw.references)
        if not found:
            raise Reject("no input exposes any mutant")
        rng = draw.rng.steady
        lines = sorted({hunt.mutant.line for hunt in found})  # first a line, then a change: no line is rare
        line = rng.pick(lines, "line")
        hunt = rng.pick([hunt for hunt in found if hunt.mutant.line == line], "mutant")
        tried = [dict(case.base) for case in cases(template.answer.inputs, (), draw.rng, drawn=3)]
        return Solved(listing, hunt, (dict(hunt.witness), *tried))

    def pose(self, template: BuglineTemplate, draw: Draw, solved: Solved) -> Posed:
        answer, mutant = template.answer, solved.hunt.mutant
        function = answer.reference.partition(".")[2]
        original = _loaded(solved.original, function)
        form = BuglineForm(
            function=function,
            listing=tuple(mutant.source.rstrip("\n").split("\n")),
            domain={name: _bounds(given) for name, given in answer.inputs.items()},
            example={name: given.base(given.values()[0]) for name, given in answer.inputs.items()},
        )
        key = BuglineKey(
            original=solved.original,
            mutant=mutant.source,
            line=mutant.line,
            original_line=mutant.original_line.strip(),
            mutated_line=mutant.mutated_line.strip(),
            change=mutant.change,
            witness=dict(solved.hunt.witness),
            cases=solved.cases,
            expected=tuple(plain(original(**inputs)) for inputs in solved.cases),
            rel_tol=answer.rel_tol,
        )
        known = {
            "line": mutant.line, "original_line": key.original_line, "mutated_line": key.mutated_line,
            "change": mutant.change, "key": f"line {mutant.line}",
        }  # fmt: skip
        return Posed(form, key, names=known)

    def body(self, form: BuglineForm) -> str:
        numbered = "\n".join(f"{number:2}  {text}" for number, text in enumerate(form.listing, start=1))
        return f"```python\n{numbered}\n```"

    def view(self, form: BuglineForm) -> View:
        whole = {name for name, value in form.example.items() if isinstance(value, int)}
        arguments = [
            {
                "type": "number",
                "name": name,
                "label": name,
                "is_whole": name in whole,
                "range": f"{low:g} to {high:g}" + (", whole" if name in whole else ""),
            }
            for name, (low, high) in form.domain.items()
        ]
        how = "Which line is wrong, on which input does it show, and how should the line read?"
        return {"how": how, "fields": [
            {"type": "listing", "name": "line", "lines": list(form.listing),
             "label": "1. Which line is wrong? Arrow keys or a click pick it."},
            {"type": "group", "name": "input", "fields": arguments,
             "label": "2. An input on which it goes wrong, in base units"},
            {"type": "line", "name": "fix", "is_code": True, "mends": "line", "label": "3. That line, mended",
             "note": "The line that you pick above stands here for you to change."},
        ]}  # fmt: skip

    def instruction(self, form: BuglineForm, variable: str) -> str:
        return (
            f"Fill in `{variable}`: the number of the wrong `line`, an `input` on which the listing goes wrong "
            "(every argument, in base units), and the `fix`: that line, mended."
        )

    def parse(self, form: BuglineForm, raw: Any) -> dict[str, Any]:
        given = _decoded(raw)
        if not isinstance(given, Mapping):
            raise Unreadable(f"I expected {{'line': ..., 'input': {{...}}, 'fix': '...'}}, and this is of type "
                             f"{type(raw).__name__}.")  # fmt: skip
        strangers = sorted(str(name)[:20] for name in given if name not in PARTS)
        if strangers:
            raise Unreadable(f"I know the parts line, input and fix, and not {', '.join(strangers)}.")
        parts = {name: value for name, value in given.items() if not _is_empty(value)}
        return {name: getattr(self, f"_{name}")(form, value) for name, value in parts.items()}

    def _line(self, form: BuglineForm, value: Any) -> int:
        if isinstance(value, str) and value.strip().isdecimal() and len(value) < 6:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= len(form.listing):
            raise Unreadable(f"line is the number of a line, 1 to {len(form.listing)}.")
        return value

    def _input(self, form: BuglineForm, value: Any) -> dict[str, int | float]:
        if not isinstance(value, Mapping) or set(value) != set(form.domain):
            raise Unreadable(
                f"input names every argument once: {{{', '.join(f'{name!r}: ...' for name in form.domain)}}}."
            )
        found: dict[str, int | float] = {}
        for name, (low, high) in form.domain.items():
            number = value[name]
            if isinstance(number, bool) or not isinstance(number, int | float) or not low <= number <= high:
                raise Unreadable(f"input: {name} is a number from {low:g} to {high:g}.")
            is_whole = isinstance(form.example[name], int)
            if is_whole and number != int(number):
                raise Unreadable(f"input: {name} is a whole number.")
            found[name] = int(number) if is_whole else number
        return found

    def _fix(self, form: BuglineForm, value: Any) -> str:
        if not isinstance(value, str) or len(value) > LONGEST:
            raise Unreadable(f"fix is the mended line as text, of at most {LONGEST} characters.")
        if "\n" in value.strip() or "\r" in value.strip():
            raise Unreadable("fix is one line.")
        return value.strip()

    def read(self, form: BuglineForm, value: dict[str, Any]) -> str:
        return "; ".join(f"{name}: {value[name]}" for name in PARTS if name in value) or "nothing yet"

    def matches(self, question: Question, value: dict[str, Any], runner: Runner) -> Verdict:
        key, form = question.key, question.form
        assert isinstance(key, BuglineKey) and isinstance(form, BuglineForm)
        parts: dict[str, bool] = {}
        words: list[str] = []
        for name, judge in (("line", self._judge_line), ("input", self._judge_input), ("fix", self._judge_fix)):
            if name in value:
                parts[name], told = judge(form, key, value, runner)
            else:
                parts[name], told = False, "not answered yet."
            words.append(f"- **{name}** {'✓' if parts[name] else '✗'} {told}")
        return Verdict(credit=sum(parts.values()) / len(PARTS), say="\n".join(words), parts=parts)

    def _judge_line(
        self, form: BuglineForm, key: BuglineKey, value: dict[str, Any], runner: Runner
    ) -> tuple[bool, str]:
        if value["line"] == key.line:
            return True, f"Line {key.line} it is."
        return False, f"Line {value['line']} does what it should. Check the units and the counts, line by line."

    def _judge_input(
        self, form: BuglineForm, key: BuglineKey, value: dict[str, Any], runner: Runner
    ) -> tuple[bool, str]:
        right, wrong = (
            _try(key.original, form.function, value["input"]),
            _try(key.mutant, form.function, value["input"]),
        )
        call = call_text(form.function, value["input"])
        if isinstance(right, Exception):
            return False, f"`{call}`: the right function refuses this input too."
        if isinstance(wrong, Exception):
            return True, f"`{call}` fails with {type(wrong).__name__}, where {brief(right)} is right."
        if same(right, wrong, key.rel_tol):
            return False, f"`{call}` returns {brief(wrong)} and that is right: this input does not expose the bug."
        return True, f"`{call}` returns {brief(wrong)}, where {brief(right)} is right."

    def _judge_fix(self, form: BuglineForm, key: BuglineKey, value: dict[str, Any], runner: Runner) -> tuple[bool, str]:
        if "line" not in value:
            return False, "say which line it replaces."
        try:
            patched = mutants.patch(key.mutant, value["line"], value["fix"])
        except Unreadable as error:
            return False, literal(str(error))
        if patched == key.original:
            return True, "With this line every input comes out right."
        calls = runner(patched, form.function, list(key.cases))
        for inputs, expected, call in zip(key.cases, key.expected, calls, strict=True):
            if call.status != "returned" or not same(expected, plain(call.value), key.rel_tol):
                text = call_text(form.function, inputs)
                got = (
                    f"returns {brief(call.value)}"
                    if call.status == "returned"
                    else f"fails ({safe(call.error or call.status)})"
                )
                return False, f"with this line `{text}` {got}, and I expected {brief(expected)}."
        return True, "With this line every input comes out right."

    def example(self, form: BuglineForm) -> str:
        return json.dumps({"line": 1, "input": dict(form.example), "fix": "x = 2 * y"})

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = question.key, question.form
        assert isinstance(key, BuglineKey) and isinstance(form, BuglineForm)
        right = {"line": key.line, "input": dict(key.witness), "fix": key.original_line}
        other = next(number for number in range(1, len(form.listing) + 1) if number != key.line)
        return [
            Sample(right, Outcome.CORRECT),
            Sample(json.dumps(right), Outcome.CORRECT),
            Sample({"line": key.line}, Outcome.PARTIAL),
            Sample({"line": key.line, "input": dict(key.witness)}, Outcome.PARTIAL),
            Sample({"line": other, "fix": form.listing[other - 1].strip()}, Outcome.INCORRECT),
            Sample({"line": 0}, Outcome.UNREADABLE),
            Sample({"line": key.line, "input": {"nobody": 1}}, Outcome.UNREADABLE),
            Sample({"lines": key.line}, Outcome.UNREADABLE),
            Sample("line 4", Outcome.UNREADABLE),
            Sample({"line": ..., "input": ..., "fix": ...}, Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]

    def cells(self, form: BuglineForm, variable: str) -> str:
        names = ", ".join(f'"{name}": ...' for name in form.domain)
        return f'{variable} = {{\n    "line": ...,\n    "input": {{{names}}},\n    "fix": ...,\n}}'

    def prove(self, template: BuglineTemplate, draw: Draw, solved: Solved) -> Proof:
        mutant, proof = solved.hunt.mutant, Proof(confirmed=True)
        function = template.answer.reference.partition(".")[2]
        for name, value in _try_all(solved, function).items():
            if isinstance(value, Exception):
                proof.faults.append(f"line {mutant.line}: the {name} raises {type(value).__name__}: {value}")
        return proof

    def faults(self, template: BuglineTemplate, references: References) -> Iterator[str]:
        _, found = hunts(template, references)
        if len(found) < 5 or len({hunt.mutant.line for hunt in found}) < 2:
            yield (
                f"only {len(found)} mutants of {template.answer.reference} are exposed by its inputs; "
                "a hunt needs at least 5 on at least 2 lines"
            )


def _try_all(solved: Solved, function: str) -> dict[str, Any]:
    """What the original returns on its cases; it must not raise on any."""
    return {f"original on {inputs}": _try(solved.original, function, inputs) for inputs in solved.cases}


def _try(source: str, function: str, inputs: Mapping[str, Any]) -> Any:
    """What our own source returns, or the exception that it raises."""
    try:
        return plain(_loaded(source, function)(**inputs))
    except Exception as error:  # a mutant may fail in any way
        return error


def _is_empty(value: Any) -> bool:
    """Whether a part of the form is as it was handed out."""
    if isinstance(value, dict):
        return all(part is None or part is ... or part == "" for part in value.values())
    return value is None or value is ... or (isinstance(value, str) and value.strip() in ("", "..."))


def _bounds(given: Input) -> tuple[float, float]:
    values = [float(given.base(value)) for value in given.values() if not isinstance(value, str)]
    return min(values), max(values)


def _decoded(raw: Any) -> Any:
    if not isinstance(raw, str):
        return raw
    if len(raw) > 5000:
        raise Unreadable(f"I couldn't read an answer of {len(raw):,} characters.")
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise Unreadable('I expected JSON such as {"line": 3, "input": {...}, "fix": "..."}.') from None


KIND = BuglineKind()
