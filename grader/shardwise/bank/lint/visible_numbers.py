"""Whether students see every number that the answer needs, and a solution with the numbers of their draw."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shardwise.bank.bank import Problem
from shardwise.bank.posing import question_of
from shardwise.errors import Reject, Unreadable
from shardwise.kinds import kind_of, kinds, text_of
from shardwise.kinds.base import NumericKind
from shardwise.kinds.calls import run_here
from shardwise.markdown.plain import to_plain
from shardwise.marking import check
from shardwise.question import Outcome, Question
from shardwise.template.draw import Draw, with_other_values
from shardwise.template.parameters import Parameter
from shardwise.units import THIN_SPACE, show_amount, to_base, unit

_OTHERS = 4  # other values to try for a parameter while the rest of the draw stays fixed
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:\s?×\s?10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?(?:\s?[A-Za-zµ$€%][\w/µ·]*)?")
_JINJA = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_PRINTS_KEY = re.compile(r"\{\{[^}]*\bkey\b")
_TEX = re.compile(r"\\,|\\text\{|\\mathrm\{|[{}$]|~")


def hidden(problem: Problem, drawn: Draw, question: Question) -> Iterator[tuple[str, str]]:
    """Yield the parameters that affect the key although the student does not see them, each with a message.

    One parameter changes while all others stay. If the question then looks the same but another answer is right, nobody can
    know which. It is not a fault if the question shows a derived value or a table to look the number up in, or if the answer
    stays right. A fixed number without a unit may be a premise in words, such as FP32.
    """
    for name, parameter in problem.template.params.items():
        if len(parameter.values()) == 1 and _is_said(question, name):
            continue
        for other in _others(parameter, drawn.values[name]):
            twin = _twin(problem, drawn, name, other)
            if twin is None:
                continue
            if (twin.prompt, twin.form) == (question.prompt, question.form) and not _is_right(question, twin):
                yield (
                    name,
                    (
                        f"the answer needs params.{name}, but the student cannot see it: the question looks the same with "
                        f"{question.params[name]} and with {twin.params[name]}, but the right answers differ"
                    ),
                )
                break


def _others(parameter: Parameter, drawn: Any) -> Sequence[Any]:
    """Return a few other values of a parameter, in base units; nothing for a derived one, or a fixed one without a unit."""
    if parameter.derived is not None:
        return ()
    values = parameter.values()
    if len(values) == 1:
        return [2 * drawn] if parameter.unit and drawn else ()
    some = values[:: max(1, len(values) // (2 * _OTHERS))]
    return [base for base in map(parameter.base, some) if base != drawn][:_OTHERS]


def _is_said(question: Question, name: str) -> bool:
    """Return whether the question contains the number of a parameter, perhaps because the author typed it."""
    number = str(question.params[name]).partition(" ")[0]
    return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", text_of(question)) is not None


def _twin(problem: Problem, drawn: Draw, name: str, other: Any) -> Question | None:
    """Return the question of the same draw with another value of one parameter; None where that breaks a constraint."""
    template = problem.template
    its = with_other_values(drawn, template.where, {name: other})
    if its is None:
        return None
    try:
        return question_of(problem, its, problem.kind.solve(template, its))
    except Reject:
        return None


def _is_right(question: Question, twin: Question) -> bool:
    """Return whether the twin's right answer is right for the question too."""
    samples = (sample.raw for sample in kind_of(twin).samples(twin) if sample.outcome is Outcome.CORRECT)
    return check(question, next(samples), runner=run_here).outcome is Outcome.CORRECT


@dataclass
class _Seen:
    """What draws have shown about one numeric answer and its solution."""

    fixed: Sequence[str]  # the numbers that the author typed into the solution
    right: dict[str, str] = field(default_factory=dict)  # numbers that were right for a draw, with its seed
    unshown: list[tuple[str, frozenset[str]]] = field(
        default_factory=list
    )  # draws whose solution does not show the key, with the numbers that are right for them


class Solutions:
    """Numbers that the author typed into a solution although they depend on the draw."""

    def __init__(self, problem: Problem) -> None:
        self._seen: dict[int, _Seen] = {}
        whole = problem.template.explanation
        texts = [f"{piece.solution}\n{whole}" for piece in problem.template.answered]
        # By place, without solutions that print the key: those show it for every draw.
        self._texts = {place: text for place, text in enumerate(texts) if not _PRINTS_KEY.search(text)}

    def drawn(self, question: Question) -> None:
        """Record what the solution of a draw shows."""
        if not self._texts:
            return
        said = _numbers(question.solution)
        for place, asked in enumerate(_numeric(question)):
            if asked is None or place not in self._texts:
                continue
            fixed = _numbers(_JINJA.sub(" ; ", self._texts[place]))
            seen = self._seen.setdefault(place, _Seen(fixed))
            right = frozenset(number for number in seen.fixed if _is_key(asked, number))
            for number in right:
                seen.right.setdefault(number, question.seed)
            if not any(_is_key(asked, number) for number in said):
                seen.unshown.append((question.seed, right))

    def faults(self) -> Iterator[tuple[int, str]]:
        """Yield the answers whose solution shows one draw's number for all draws, with a message."""
        for place, seen in self._seen.items():
            for number, seed in seen.right.items():
                if other := next((other for other, right in seen.unshown if number not in right), None):
                    yield (
                        place,
                        (
                            f"the solution says {number}, which is the key for seed {seed} but not for seed {other}, where the solution "
                            "does not show the key"
                        ),
                    )
                    break


def typed_numbers(problem: Problem) -> Iterator[tuple[int, str, str]]:
    """Yield parts whose solution has a typed number that varies between draws, with the parameter and a message.

    Such a number, with its unit, is a value of a parameter that the text prints neither directly nor through a derived one.
    """
    params = problem.template.params
    whole = problem.template.solution
    for place, piece in enumerate(problem.template.answered):
        text = piece.solution if piece.solution == whole else f"{piece.solution}\n{whole}"
        printed = _followed(params, " ".join(_JINJA.findall(text)))
        typed = set(_numbers(_JINJA.sub(" ; ", text)))
        for name, parameter in params.items():
            if name in printed or len(parameter.values()) < 2 or not _has_dimension(parameter):
                continue
            for shown in _amounts(parameter):
                if shown in typed:
                    yield place, name, f"the solution says {shown}, but params.{name} has other values in other draws"
                    break


def _followed(params: Mapping[str, Parameter], text: str) -> set[str]:
    """Return the parameters that a text names, and those from which they are derived."""
    found = {name for name in params if re.search(rf"\b{name}\b", text)}
    for name in reversed(list(params)):  # a derived parameter uses only those before it
        if name in found:
            found |= {other for other in params if re.search(rf"\b{other}\b", params[name].derived or "")}
    return found


def _amounts(parameter: Parameter) -> Iterator[str]:
    """Yield each value of a parameter as text with its unit, such as “600 GB/s”, without “per direction”."""
    name: Any = parameter.unit
    for value in map(float, parameter.values()):
        yield show_amount(to_base(value, name), name).replace(THIN_SPACE, "")


def _has_dimension(parameter: Parameter) -> bool:
    return parameter.unit is not None and unit(parameter.unit).dimension != "dimensionless"


def _numeric(question: Question) -> Iterator[Question | None]:
    """Yield each numeric part of a question by itself; None for any other part."""
    for part in kind_of(question).pieces(question):
        yield part if isinstance(kinds()[part.kind], NumericKind) else None


def _numbers(text: str) -> Sequence[str]:
    """Return the numbers of a text, each with the following word, which may be a unit."""
    plain = _TEX.sub(" ", to_plain(text).replace("\\times 10^", "× 10^")).replace(THIN_SPACE, "")
    return list(dict.fromkeys(found[0] for found in _NUMBER.finditer(plain)))


def _is_key(question: Question, text: str) -> bool:
    """Return whether a number in a text is the key, in its own unit or else in the form's."""
    kind: Any = kind_of(question)
    for written in (text, re.split(r"\s?[A-Za-zµ$€%]", text)[0]):
        try:
            number = kind.given(question, kind.parse(question.form, written))
        except (Unreadable, ValueError, OverflowError):
            continue
        if kind.is_near(question.form, question.key, number):
            return True
    return False
