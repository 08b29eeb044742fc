"""Proof that the cases of a function notice every broken rule: the program in its solution is broken in every small way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.kinds.bugline.execution import Endless, load_listing
from shardwise.kinds.calls import Made
from shardwise.kinds.code.broken_programs import Broken, broken_rules, failing_parts
from shardwise.kinds.code.judging import passes
from shardwise.kinds.code.model import CodeCase, CodeForm, CodeKey
from shardwise.question import Question


@dataclass(frozen=True)
class Seen:
    """The cases of one draw, by their inputs."""

    seed: int
    cases: Mapping[str, CodeCase]


def unnoticed(drawn: Sequence[Question]) -> Iterator[tuple[str, str]]:
    """Yield the faults of the cases of a function in several draws, each with the remedy.

        A broken rule that some case of some draw notices must be noticed in every draw. A broken rule about ties must
    always be noticed, since otherwise no case tests what the prompt says about them. For the same reason, a case must
    reach every line, every branch, and every reason to refuse an input.
    """
    form, key = drawn[0].form, drawn[0].key
    assert isinstance(form, CodeForm) and isinstance(key, CodeKey)
    program = published(drawn[0], form.function)
    if program is None:
        yield (
            f"the solution shows no program that defines {form.function}",
            "Write it there in ```python: the lint breaks it in every small way to prove that the cases notice.",
        )
        return
    seen = [
        Seen(number, {repr(case.inputs): case for case in _cases(question)}) for number, question in enumerate(drawn)
    ]
    every = {name: case for each in seen for name, case in each.cases.items()}
    for broken in (*failing_parts(program), *broken_rules(program)):
        telling = _telling(broken, form.function, every, key.rel_tol)
        if telling is None:
            continue
        if not telling:
            if broken.kind == "part":
                yield (
                    f"line {broken.line} of the program {broken.change}",
                    f"Add an input under `answer.{broken.where}`.",
                )
            elif broken.kind == "tie":
                yield (
                    f"line {broken.line} of the program: {broken.change}: no case of {len(drawn)} draws detects it",
                    "Add inputs with a tie under `answer.always`.",
                )
            continue
        if broken.kind == "part":
            continue
        blind = [each.seed for each in seen if not telling & each.cases.keys()]
        if blind:
            example = min((every[name] for name in telling), key=lambda case: len(repr(case.inputs)))
            yield (
                f"line {broken.line} of the program: {broken.change}: right on every case of seed {blind[0]} "
                f"({len(blind)} of {len(drawn)} draws)",
                f"Under `answer.{'edges' if example.raises else 'always'}` write an input that distinguishes the two, "
                f"such as {_yaml(example.inputs)}",
            )


def published(question: Question, function: str) -> str | None:
    """Return the program of a solution that defines a function; None if there is none."""
    programs = re.findall(r"```python\n(.*?)```", question.solution, re.DOTALL)
    return next((text for text in programs if re.search(rf"^def {function}\(", text, re.MULTILINE)), None)


def _cases(question: Question) -> tuple[CodeCase, ...]:
    assert isinstance(question.key, CodeKey)
    return question.key.cases


def _telling(broken: Broken, name: str, cases: Mapping[str, CodeCase], rel_tol: float) -> set[str] | None:
    """Return the cases that a broken program gets wrong; None if it never terminates, which any case shows."""
    try:
        wrong = list(_is_wrong(broken.source, name, cases.values(), rel_tol))
    except Endless:
        return None
    return {told for told, is_wrong in zip(cases, wrong, strict=True) if is_wrong}


def _is_wrong(source: str, name: str, cases: Iterable[CodeCase], rel_tol: float) -> Iterator[bool]:
    """Yield whether a program gets each case wrong. Raises Endless."""
    function = load_listing(source, name)
    for case in cases:
        try:
            call = Made("returned", function(**case.inputs))
        except Endless:
            raise
        except Exception as error:  # a broken program may fail in any way
            call = Made("raised", error=f"{type(error).__name__}: {error}")
        yield not passes(case, call, rel_tol)


def _yaml(inputs: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{name}: {_scalar(value)}" for name, value in inputs.items()) + "}"


def _scalar(value: Any) -> str:
    """Return a value as YAML 1.2 reads it, a large number with its power of ten."""
    if isinstance(value, float) and abs(value) >= 1e6 and float(f"{value:.4g}") == value:
        mantissa, power = f"{value:.4e}".split("e")
        return f"{float(mantissa)}e+{int(power)}"
    return f'"{value}"' if isinstance(value, str) else repr(value)
