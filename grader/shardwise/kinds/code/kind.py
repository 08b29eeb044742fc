"""Code: a function, run on edge and drawn inputs and compared with the reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import CodeType, FunctionType
from typing import Any

from shardwise.errors import Reject, Unreadable
from shardwise.kinds.answers import parsed_answer
from shardwise.kinds.base import Kind, Posed, Proof, Request, Sample, View
from shardwise.kinds.calls import Call, Inputs, Made, Program, Recorded, Runner
from shardwise.kinds.code.judging import alike, definition, failure_in_words, passes, recognised, shared_by_failures
from shardwise.kinds.code.model import Argument, CodeCase, CodeForm, CodeKey, CodeTemplate
from shardwise.kinds.code.reading import program_of
from shardwise.kinds.code.solving import counted, solved_input
from shardwise.kinds.code.trying import arguments_of, happened
from shardwise.kinds.inputs import Case, call_text, cases
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Outcome, Question, right_in_words
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise.template.references import References
from shardwise.units import from_base, unit

EDGES_MISSED = 0.5  # credit for a function that is wrong only on edges


@dataclass(frozen=True)
class Solved:
    """The cases, with the results of the reference and of the mistakes."""

    cases: tuple[tuple[Case, CodeCase], ...]


class CodeKind(Kind[CodeTemplate, CodeForm, CodeKey]):
    """A function to be written."""

    name = "code"
    may_be_part = False  # a notebook's function is called, not fetched
    about = "A function, run in the sandbox on edge cases and drawn inputs; feedback shows the simplest failing call."
    Template = CodeTemplate
    Form = CodeForm
    Key = CodeKey
    is_program = True
    over_draws_at = ("solution",)
    starter = """\
prompt: |
  Write the function that gives the time until the last byte of a file has crossed a link, in ms.
answer:
  function: transfer_ms
  reference: example.transfer_seconds           # solutions/example.py
  oracle: example.played_transfer_seconds       # solutions/oracles/example.py
  unit: ms
  inputs:                                       # the simplest value first: a failing call is shrunk to it
    file_gb: {argument: file_bytes, unit: GB, means: size of the file, choice: [1, 2, 5, 10]}
    bandwidth_gbit_s: {argument: bandwidth_bytes_per_s, unit: Gbit/s, direction: per direction, means: rate, choice: [100, 200, 400]}
    latency_ms: {argument: latency_s, unit: ms, means: latency, choice: [50, 100]}
  edges:                                        # inputs that are always tried
    - {file_gb: 0}
mistakes:
  - value: key - latency_s
    say: The first byte is on its way for a while, too.
"""
    starter_program = """\
def transfer_ms(file_gb, bandwidth_gbit_s, latency_ms):
    return latency_ms + file_gb * 8 / bandwidth_gbit_s * 1000
"""

    def mistakes(self, question: Question) -> list[str]:
        key, _ = self.key_and_form(question)
        return list(key.say)

    def is_untouched(self, form: CodeForm, raw: Any) -> bool:
        """Return whether a function does what the starter does, apart from its docstring."""
        if type(raw) is not FunctionType:  # isinstance would ask the object, which may raise
            return False
        starter = compile(self.cells(form, ""), "<starter>", "exec")
        codes = [constant for constant in starter.co_consts if isinstance(constant, CodeType)]
        return any(_does(code) == _does(raw.__code__) for code in codes)

    def request(self, question: Question, variable: str) -> Request:
        key, _ = self.key_and_form(question)
        return Request(variable, tuple(case.inputs for case in key.cases))

    def collect(self, question: Question, variable: str, calls: Sequence[Call], *, is_untouched: bool) -> Any:
        if all(call.status == "missing" for call in calls):
            if is_untouched:
                return None
            raise Unreadable(f"After your cells ran, there was no function called {variable}.")
        if is_untouched and all(call.status == "returned" and call.value is None for call in calls):
            return None
        return Recorded(tuple(calls))

    def sample_source(self, question: Question, variable: str, raw: Any) -> str:
        """Return the source of a function that replays a recorded answer, case by case."""
        if not isinstance(raw, Recorded):
            return super().sample_source(question, variable, raw)
        key, form = self.key_and_form(question)
        names = [given.name for given in form.arguments]
        table = {
            repr(tuple(case.inputs[name] for name in names)): call.value
            for case, call in zip(key.cases, raw.calls, strict=True)
            if call.status == "returned"
        }
        return (
            f"def {form.function}({', '.join(names)}):\n"
            f"    answers = {table!r}\n"
            f"    known = repr(({', '.join(names)},))\n"
            "    if known not in answers:\n"
            "        raise ValueError(known)\n"
            "    return answers[known]\n"
        )

    def solve(self, template: CodeTemplate, draw: Draw) -> Solved:
        answer = template.answer
        made = []
        for case in cases(answer.inputs, answer.edges, draw.rng, always=answer.always):
            solved = solved_input(template, case, draw)
            if solved is not None:
                made.append((case, solved))
        for index in range(len(template.mistakes)):
            if all(alike(case.mistakes[index], case.expected, answer.rel_tol) for _, case in made if not case.raises):
                raise Reject(f"mistake {index + 1} returns what is right on every case")
        return Solved(tuple(made))

    def pose(self, template: CodeTemplate, draw: Draw, solved: Solved) -> Posed:
        answer = template.answer
        form = CodeForm(
            function=answer.function,
            arguments=tuple(
                Argument(name=name, unit=unit(given.unit or "").text, means=given.means)
                for name, given in answer.inputs.items()
            ),
            returns=unit(answer.unit or "").text,
        )
        key = CodeKey(
            cases=tuple(case for _, case in solved.cases),
            rel_tol=answer.rel_tol,
            say=tuple(prose(mistake.say, draw.printed) for mistake in template.mistakes),
        )
        return Posed(form, key)

    def body(self, form: CodeForm) -> str:
        return f"```python\n{definition(form)}\n    ...\n```\n\n{self._terms(form)}"

    def _terms(self, form: CodeForm) -> str:
        """Return the explanation of the arguments and of the result."""
        rows = "\n".join(
            f"- `{given.name}`: {given.means or given.name.replace('_', ' ')}{f', in {given.unit}' if given.unit else ''}"
            for given in form.arguments
        )
        returns = f"\n\nIt returns a number in {form.returns}." if form.returns else ""
        return f"{rows}{returns}"

    def view(self, form: CodeForm) -> View:
        arguments = [given.model_dump() for given in form.arguments]
        program = {
            "type": "program",
            "label": "Your function",
            "source": f"{definition(form)}\n    ...",  # the text above explains the arguments
            "function": form.function,
        }
        return {
            "how": self.instruction(form, "").replace("`", ""), "html": to_html(self._terms(form)), "function": form.function, "arguments": arguments, "returns": form.returns,
            "fields": [program],
        }  # fmt: skip

    def variable(self, form: CodeForm, default: str) -> str:
        return form.function

    def instruction(self, form: CodeForm, variable: str) -> str:
        return f"Define the function `{form.function}`."

    def parse(self, form: CodeForm, raw: Any) -> Program | Recorded:
        return program_of(form, raw)

    def read(self, form: CodeForm, value: Program | Recorded) -> str:
        return f"function {form.function}"

    def matches(self, question: Question, value: Program | Recorded, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        calls: Sequence[Call]
        if isinstance(value, Recorded):
            calls = value.calls
        else:
            calls = runner(value, form.function, [case.inputs for case in key.cases])
        if len(calls) != len(key.cases):
            raise RuntimeError(f"{len(calls)} calls came back for {len(key.cases)} cases")
        failing = [
            (case, call) for case, call in zip(key.cases, calls, strict=True) if not passes(case, call, key.rel_tol)
        ]
        if not failing:
            return Feedback.judged(question, 1.0, f"All {len(calls)} calls return the right result.")
        ordinary = [case for case, _ in failing if not case.edge]
        index = recognised(key, calls)
        words = [failure_in_words(form, *failing[0]), right_in_words(len(calls) - len(failing), len(calls), "calls")]
        if index is not None:
            words.append(key.say[index])
        elif _returns_nothing(key, calls):
            words.append("Every call returned None. Is there a `return` at the end?")
        elif isinstance(value, str) and failing[0][1].error.startswith("NameError"):
            words.append(
                "Your function sees only the code that you submit. Does that define or import every name it uses?"
            )
        elif shared := shared_by_failures(key, calls):
            words.append(shared)
        return Feedback.judged(question, 0.0 if ordinary else EDGES_MISSED, *words, mistake=index)

    def trial(self, question: Question) -> Inputs | None:
        assert isinstance(question.key, CodeKey)
        return next((case.inputs for case in question.key.cases if not case.edge), None)

    def run(self, question: Question, raw: Any, arguments: str, runner: Runner) -> tuple[str, str]:
        form = question.form
        assert isinstance(form, CodeForm)
        program = parsed_answer(self, form, raw)
        if program is None:
            raise Unreadable("There is no function yet. Write one, then run it.")
        inputs = arguments_of(form, arguments) if arguments.strip() else self.trial(question) or {}
        (call,) = runner(program, form.function, [inputs])
        return call_text("", inputs)[1:-1], happened(call)

    def example(self, form: CodeForm) -> str:
        return f"{definition(form)}\n    return ..."

    def samples(self, question: Question) -> Sequence[Sample]:
        key, _ = self.key_and_form(question)
        right = tuple(
            Made("raised", error="ValueError: no") if case.raises else Made("returned", case.expected)
            for case in key.cases
        )
        found = [
            Sample(Recorded(right), Outcome.CORRECT),
            Sample(Recorded(tuple(Made("returned", None) for _ in key.cases)), Outcome.INCORRECT),
            Sample(Recorded(tuple(Made("raised", error="NameError: x") for _ in key.cases)), Outcome.INCORRECT),
            Sample("", Outcome.BLANK),
            Sample(12, Outcome.UNREADABLE),
            Sample("def (", Outcome.UNREADABLE),
            Sample("x = 1", Outcome.UNREADABLE),
        ]
        for index in range(len(key.say)):
            calls = tuple(
                call if case.raises else Made("returned", case.mistakes[index])
                for case, call in zip(key.cases, right, strict=True)
            )
            wrong_at = [
                case for case in key.cases
                if not case.raises and not alike(case.mistakes[index], case.expected, key.rel_tol)
            ]  # fmt: skip
            outcome = Outcome.PARTIAL if all(case.edge for case in wrong_at) else Outcome.INCORRECT
            found.append(Sample(Recorded(calls), outcome, index))
        if any(case.edge for case in key.cases) and not all(case.edge for case in key.cases):
            missed = tuple(
                Made("returned", None) if case.edge else call for case, call in zip(key.cases, right, strict=True)
            )
            found.append(Sample(Recorded(missed), Outcome.PARTIAL))
        return found

    def cells(self, form: CodeForm, variable: str) -> str:
        about = [
            f"    {given.name}: {given.means or given.name}{f', in {given.unit}' if given.unit else ''}"
            for given in form.arguments
        ]
        returns = f"Returns a number in {form.returns}." if form.returns else ""
        doc = "\n".join(['    """' + (returns or "Your function."), "", *about, '    """'])
        return f"{definition(form)}\n{doc}\n    ..."

    def prove(self, template: CodeTemplate, draw: Draw, solved: Solved) -> Proof:
        proof = Proof(confirmed=True)
        answer = template.answer
        for case, made in solved.cases:
            if made.raises:
                continue
            other = counted(template, case, draw)
            if not alike(other, made.expected, max(1e-9, answer.rel_tol / 10)):
                proof.confirmed = False
                proof.faults.append(
                    f"for {dict(case.shown)} {answer.reference} gives {made.expected!r} and {answer.oracle} {other!r}"
                )
                break
        for first, other in combinations(range(len(template.mistakes)), 2):
            if all(alike(case.mistakes[first], case.mistakes[other], answer.rel_tol) for _, case in solved.cases):
                proof.faults.append(f"mistakes {first + 1} and {other + 1} return the same on every case")
        called = [case.shown for case, made in solved.cases if not made.raises]
        for number, given in enumerate(answer.always, 1):
            if not any(given.items() <= shown.items() for shown in called):
                proof.faults.append(
                    f"answer.always: {answer.reference} refuses input {number}, so it is skipped; write it under `edges`"
                )
        proof.faults.extend(_in_shown_units(template, [case for _, case in solved.cases if not case.raises]))
        return proof

    def faults(self, template: CodeTemplate, references: References) -> Iterator[str]:
        for name, given in template.answer.inputs.items():
            if not given.values():
                yield f"answer.inputs.{name} has no values of its own; use choice, range, log_range or fixed"

    def faults_over(
        self, template: CodeTemplate, references: References, drawn: Sequence[Question]
    ) -> Iterator[tuple[str, str]]:
        from shardwise.kinds.code.separation import unnoticed  # imported here, since only the lint needs it

        return unnoticed(drawn)


def _returns_nothing(key: CodeKey, calls: Sequence[Call]) -> bool:
    """Return whether every call with a right value returned None: the function may have printed it."""
    asked = [call for case, call in zip(key.cases, calls, strict=True) if not case.raises]
    return all(call.status == "returned" and call.value is None for call in asked)


def _in_shown_units(template: CodeTemplate, cases: Sequence[CodeCase]) -> Iterator[str]:
    """Yield faults of mistakes whose value is in the unit of the answer, although values are in base units: nobody makes them."""
    size = from_base(1.0, template.answer.unit or "1")
    for number, mistake in enumerate(template.mistakes, 1):
        if mistake.value is None or 0.01 < size < 100:
            continue
        ratios = [
            case.mistakes[number - 1] / case.expected
            for case in cases
            if isinstance(case.expected, int | float)
            and isinstance(case.mistakes[number - 1], int | float)
            and case.expected
        ]
        if (
            ratios
            and all(0.01 < ratio / size < 100 for ratio in ratios)
            and not any(0.01 < ratio < 100 for ratio in ratios)
        ):
            yield (
                f"mistake {number} is off by a factor of about {size:.3g} on every case, as if its value were in "
                f"{unit(template.answer.unit or '').text}; write it in base units"
            )


def _does(code: CodeType) -> tuple[Any, ...]:
    """Return everything that a function does: all but its docstring, which is its first constant."""
    return code.co_code, code.co_names, code.co_consts[1:]


KIND = CodeKind()
