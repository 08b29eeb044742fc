"""Buggy line: a reference with one line mutated; name the line, expose it with an input, and fix it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.bugline import hunts, judging, mutants, reading
from shardwise.kinds.bugline.model import PARTS, BuglineForm, BuglineKey, BuglineTemplate
from shardwise.kinds.calls import Runner, plain
from shardwise.kinds.inputs import Input, cases, typed
from shardwise.question import Feedback, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.parameters import Scalar, Steps
from shardwise.template.references import References

MOST_TRIED = 8  # inputs, in search of one that does not expose a bug
WIDEST_INPUT = 72  # characters; a longer starter has one line per argument, so that no cell scrolls sideways


@dataclass(frozen=True)
class Solved:
    """The hunt that was drawn, and the inputs on which a fixed listing is tested."""

    original: str
    hunt: mutants.Hunt
    cases: tuple[Mapping[str, Any], ...]


@lru_cache(maxsize=512)
def _loaded(source: str, name: str) -> Any:
    """Load a listing of the bank as a function; never one from a lock or from a student."""
    return mutants.load_listing(source, name)


class BuglineKind(Kind[BuglineTemplate, BuglineForm, BuglineKey]):
    """A hunt for one wrong line."""

    name = "bugline"
    about = "One line of a listing is wrong, a different one for each student: name it, expose it with an input, and fix it."
    another = ("Another bug", "The same function with another bug.")
    Template = BuglineTemplate
    Form = BuglineForm
    Key = BuglineKey
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
        known = hunts.hunts(template, draw.references)
        if not known.hunts:
            raise Reject("no input exposes any mutant")
        rng = draw.rng.steady
        lines = sorted(
            {hunt.mutant.line for hunt in known.hunts}
        )  # first a line, then one of its changes, so that no line is rare
        line = rng.pick(lines, "line")
        hunt = rng.pick([hunt for hunt in known.hunts if hunt.mutant.line == line], "mutant")
        tried = [dict(case.base) for case in cases(template.answer.inputs, (), draw.rng, drawn=3)]
        return Solved(known.listing, hunt, (dict(hunt.witness), *tried))

    def pose(self, template: BuglineTemplate, draw: Draw, solved: Solved) -> Posed:
        answer, mutant = template.answer, solved.hunt.mutant
        function = answer.reference.rpartition(".")[2]
        original = _loaded(solved.original, function)
        form = BuglineForm(
            function=function,
            listing=tuple(mutant.source.rstrip("\n").split("\n")),
            domain={name: _bounds(given) for name, given in answer.inputs.items()},
            whole=tuple(name for name, given in answer.inputs.items() if _is_whole(given)),
            optional=mutants.optional(solved.original, function),
            typical=_typical(solved, function),
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
        arguments = [
            {
                "type": "number",
                "name": name,
                "label": name,
                "is_whole": name in form.whole,
                "range": f"usually {reading.shown_number(low)} to {reading.shown_number(high)}"
                + (", integer" if name in form.whole else ""),
            }
            for name, (low, high) in form.domain.items()
        ]
        how = "Find the wrong line and an input that exposes it, and correct the line."
        return {"how": how, "fields": [
            {"type": "listing", "name": "line", "lines": list(form.listing),
             "label": "1. Wrong line. Click it, or use the arrow keys."},
            {"type": "group", "name": "input", "fields": arguments,
             "typical": {name: typed(value) for name, value in form.typical.items()},
             "label": "2. An input that exposes it, in base units"},
            {"type": "line", "name": "fix", "is_code": True, "mends": "line", "label": "3. The corrected line",
             "note": "Pick a line above, then edit it here."},
        ]}  # fmt: skip

    def preview(self, form: BuglineForm, raw: Any) -> View:
        """Return why an argument of the input cannot be read."""
        given = raw.get("input") if isinstance(raw, Mapping) else None
        why: dict[str, Any] = {}
        for name, value in given.items() if isinstance(given, Mapping) else ():
            try:
                reading.number_of(form, name, value)
            except Unreadable as error:
                why[name] = {"why": str(error)}
        return {"input": why}

    def instruction(self, form: BuglineForm, variable: str) -> str:
        return (
            f"Fill in `{variable}`: the number of the wrong `line`, an `input` that exposes it "
            "(every argument, in base units), and the `fix`: the corrected line."
        )

    def parse(self, form: BuglineForm, raw: Any) -> dict[str, Any]:
        return reading.line_and_mend(form, raw)

    def read(self, form: BuglineForm, value: dict[str, Any]) -> str:
        shown = {name: "not readable" if isinstance(part, reading.Bad) else part for name, part in value.items()}
        return "; ".join(f"{name}: {shown[name]}" for name in PARTS if name in shown) or "nothing yet"

    def gaps(self, form: BuglineForm, value: dict[str, Any]) -> str:
        missing = [name for name in PARTS if name not in value]
        words = [self.unread(form, value), f"Not answered yet: {', '.join(missing)}." if missing else ""]
        return " ".join(filter(None, words))

    def unread(self, form: BuglineForm, value: dict[str, Any]) -> str:
        return " ".join(part.why for part in value.values() if isinstance(part, reading.Bad))

    def matches(self, question: Question, value: dict[str, Any], runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        judged = judging.judged_hunt(form, key, value, runner)
        words = [f"- **{name}** {'✓' if is_right else '✗'} {told}" for name, (is_right, told) in judged.items()]
        parts = {name: is_right for name, (is_right, _) in judged.items()}
        return Feedback.judged(question, sum(parts.values()) / len(PARTS), "\n".join(words), parts=parts)

    def example(self, form: BuglineForm) -> str:
        return json.dumps(
            {"line": 1, "input": dict.fromkeys(form.domain, "a number"), "fix": "the whole corrected line"}
        )

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)
        right = {"line": key.line, "input": dict(key.witness), "fix": key.original_line}
        other = next(number for number in range(1, len(form.listing) + 1) if number != key.line)
        return [
            Sample(right, Outcome.CORRECT),
            Sample(json.dumps(right), Outcome.CORRECT),
            Sample({"line": key.line}, Outcome.PARTIAL),
            Sample({"line": key.line, "input": dict(key.witness)}, Outcome.PARTIAL),
            Sample({"line": other, "fix": form.listing[other - 1].strip()}, Outcome.INCORRECT),
            Sample({"line": 0}, Outcome.UNREADABLE),
            Sample({"line": key.line, "input": {"nobody": 1}}, Outcome.PARTIAL),
            Sample({"input": {"nobody": 1}}, Outcome.UNREADABLE),
            Sample({"lines": key.line}, Outcome.UNREADABLE),
            Sample(f"line {key.line}", Outcome.PARTIAL),
            Sample({"line": ..., "input": ..., "fix": ...}, Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]

    def cells(self, form: BuglineForm, variable: str) -> str:
        names = [f'"{name}": ...' for name in form.domain]
        given = f"{{{', '.join(names)}}}"
        if len(given) > WIDEST_INPUT:
            given = "".join(["{\n", *(f"        {name},\n" for name in names), "    }"])
        return f'{variable} = {{\n    "line": ...,\n    "input": {given},\n    "fix": ...,\n}}'

    def prove(self, template: BuglineTemplate, draw: Draw, solved: Solved) -> Proof:
        proof, original = Proof(confirmed=True), _loaded(solved.original, template.answer.reference.rpartition(".")[2])
        for inputs in solved.cases:
            try:
                original(**inputs)
            except Exception as error:
                proof.faults.append(f"the original raises {type(error).__name__} on {inputs}: {error}")
        return proof

    def faults(self, template: BuglineTemplate, references: References) -> Iterator[str]:
        return hunts.faults(template, references)


def _typical(solved: Solved, function: str) -> Mapping[str, Any]:
    """Return a typical drawn input: one of the last few, preferably one that does not expose the bug."""
    original, mutant = (_loaded(source, function) for source in (solved.original, solved.hunt.mutant.source))
    tried = solved.cases[: -MOST_TRIED - 1 : -1]
    hidden = (given for given in tried if not mutants.is_exposed(original, mutant, given))
    return next(hidden, tried[0])


def _some(given: Input) -> Sequence[Scalar]:
    """Return the values of an input; for a range, enough of them to show their type."""
    values = given.values()
    return [*values[:2], values[-1]] if isinstance(values, Steps) else values


def _bounds(given: Input) -> tuple[float, float]:
    values = [float(given.base(value)) for value in _some(given) if not isinstance(value, str)]
    return min(values, default=0.0), max(values, default=0.0)  # only strings: a fault that `hunts` reports


def _is_whole(given: Input) -> bool:
    return all(isinstance(given.base(value), int) for value in _some(given))


KIND = BuglineKind()
