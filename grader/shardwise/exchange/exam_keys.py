"""The key of an exam's question in words: a right answer, the range of accepted numbers, and recognised mistakes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from shardwise.kinds import kind_of
from shardwise.kinds.choice import ChoiceKey
from shardwise.kinds.estimate.model import EstimateForm, EstimateKey
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey, tolerance
from shardwise.marking import check
from shardwise.question import Outcome, Question
from shardwise.units import show_amount

_PROGRAM = re.compile(r"```python\n(.*?)```", re.DOTALL)


def right_answer(question: Question) -> str | Mapping[str, str]:
    """Return a right answer as a student would type it; by part, if the question has parts."""
    kind = kind_of(question)
    if kind.is_program:
        defined = f"def {kind.variable(question.form, question.variable)}("
        programs = (program.rstrip() for program in _PROGRAM.findall(question.solution))
        return next((program for program in programs if defined in program), question.solution)
    if isinstance(question.key, QuantityKey) and isinstance(question.form, QuantityForm):
        form, value = question.form, question.key.value
        shown = (show_amount(value, form.unit, form.direction, digits) for digits in (4, 6, 9, 15))
        return next((text for text in shown if check(question, text).credit == 1), kind.samples(question)[0].raw)
    right = [sample.raw for sample in kind.samples(question) if sample.outcome == Outcome.CORRECT]
    text = next((raw for raw in right if isinstance(raw, str) and not raw.startswith("{")), None)
    return text if text is not None else {name: _typed(value) for name, value in right[0].items()}


def _typed(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_typed(part)}" for name, part in value.items())
    return value if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def accepted(question: Question) -> str:
    """Return the accepted range of a number; "" if the answer is not a number."""
    form, key = question.form, question.key
    if isinstance(form, QuantityForm) and isinstance(key, QuantityKey):
        reach = tolerance(key.value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs)
        low, high = key.value - reach, key.value + reach
        if not reach:
            return "exactly this number"
    elif isinstance(form, EstimateForm) and isinstance(key, EstimateKey):
        low, high = key.value / form.within, key.value * form.within
    else:
        return ""
    return f"{show_amount(low, form.unit, digits=5)} to {show_amount(high, form.unit, form.direction, digits=5)}"


def graded_mistakes(question: Question) -> Iterator[tuple[str, str, str]]:
    """Yield each recognised mistake: the wrong answer, its points, and the explanation."""
    kind, key = kind_of(question), question.key
    if isinstance(key, ChoiceKey):
        yield from ((label, "", say) for label, say in key.say.items() if label not in key.correct)
        return
    sayings = kind.mistakes(question)
    for sample in kind.samples(question):
        if sample.mistake is not None and not kind.is_program:
            feedback = check(question, sample.raw)
            yield feedback.read, f"{feedback.points:g}", sayings[sample.mistake]
