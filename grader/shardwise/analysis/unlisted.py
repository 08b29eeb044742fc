"""Unlisted answers: wrong numbers that no recognised mistake explains, clustered by what gives them in every draw.

The slip engine explains a number within its own draw. Beyond that, small expressions over the key and the parameters are
tried, and one counts only if it gives the answers of several students with different draws.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import combinations, permutations

from shardwise.analysis.numeric import NumericAnswer
from shardwise.errors import ShardwiseError
from shardwise.kinds.quantity.explain import is_far_fetched, reasons
from shardwise.kinds.quantity.general import FINE, ROUNDED, number_in, significant_figures
from shardwise.kinds.quantity.judging import CLOSE, asked_by
from shardwise.kinds.quantity.model import tolerance
from shardwise.kinds.quantity.slips.words import words
from shardwise.question import Question
from shardwise.units import THIN_SPACE, show_number, unit

FEWEST_DRAWS = 2  # different draws that an expression has to explain
MOST_PARAMS = 10  # of a question, for which expressions are tried
EXAMPLES = 3
NEAR_KEY = 0.05  # relative; an answer so close to the key is not a multiple of it
CLOSE_TO_KEY = "Close to the key, but outside the tolerance. Was it rounded in between?"
_CONSTANTS = (2, 3, 4, 6, 8, 10, 12, 16, 24, 60, 100, 1000, 1024, 3600, 1e6, 1e9)
_NUMERALS = re.compile(r"\d[\d.,\u202f]*")


@dataclass(frozen=True)
class Cluster:
    """Wrong answers with the same cause."""

    expression: str  # gives all of them, such as "key × 2"; empty if none is known
    cause: str  # what the students probably did, in Markdown; empty if that is unknown
    answers: tuple[NumericAnswer, ...]

    @property
    def examples(self) -> tuple[NumericAnswer, ...]:
        """Some of the answers."""
        return self.answers[:EXAMPLES]


def is_explained(answer: NumericAnswer) -> bool:
    """Return whether a wrong answer follows from the student's own numbers by a recognised mistake or a slip."""
    return answer.mistake is not None or bool(_said(answer))


def clusters(answers: Sequence[NumericAnswer]) -> tuple[list[Cluster], list[NumericAnswer]]:
    """Return the clusters of wrong answers that no mistake explains, largest first, and the answers that fit none."""
    left = [answer for answer in answers if answer.mistake is None and not answer.is_right]
    by_cause, left = _grouped(left, {id(answer): dict.fromkeys(_causes(answer)) for answer in left}, least=1)
    ratios = _same_ratios(left)  # the same multiple may be (n + 1) times the key for a few students
    tried = {id(answer): {**_expressions(answer), **ratios[id(answer)]} for answer in left}
    by_expression, left = _grouped(left, tried, least=FEWEST_DRAWS)
    found = [
        *(
            Cluster(_common_expression(group), _causes_with_numbers(group[0], cause), group)
            for cause, group in by_cause
        ),
        *(Cluster(expression, "", group) for expression, group in by_expression),
    ]
    return sorted(found, key=lambda cluster: -len(cluster.answers)), left


def _grouped(
    answers: Sequence[NumericAnswer], explanations: Mapping[int, Mapping[str, object]], *, least: int
) -> tuple[list[tuple[str, tuple[NumericAnswer, ...]]], list[NumericAnswer]]:
    """Return answers by the explanation that explains most of them, the simplest of several, and those left over."""
    left, found = list(answers), []
    while left:
        fits: dict[str, list[NumericAnswer]] = defaultdict(list)
        for answer in left:
            for text in explanations[id(answer)]:
                fits[text].append(answer)
        best = max(fits, key=lambda text: (len(fits[text]), -len(text)), default=None)
        if best is None or _draws(fits[best]) < least:
            break
        found.append((best, tuple(fits[best])))
        gone = set(map(id, fits[best]))
        left = [answer for answer in left if id(answer) not in gone]
    return found, left


def _draws(answers: Sequence[NumericAnswer]) -> int:
    """Return how many answers with different keys and different values there are."""
    return min(
        len({f"{answer.key.value:.9g}" for answer in answers}), len({f"{answer.value:.4g}" for answer in answers})
    )


def _allowed(answer: NumericAnswer, value: float) -> float:
    key, form = answer.key, answer.form
    return tolerance(value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs)


def _reach(answer: NumericAnswer) -> float:
    """Return how far an answer may be from the number that its author computed: what rounding explains."""
    finest = FINE if significant_figures(answer.value, answer.reading.step) > 3 else ROUNDED
    return min(max(answer.reading.step / 2, FINE * abs(answer.value)), finest * abs(answer.value)) * (1 + 1e-9)


def _causes(answer: NumericAnswer) -> list[str]:
    """Return what the slip engine says about an answer, without numbers, so that it reads the same in every draw."""
    return [_without_numbers(text) for text in _said(answer)]


def _said(answer: NumericAnswer) -> list[str]:
    key, exact = answer.key, answer.key.abs_tol is not None
    if abs(answer.value - key.value) <= max(CLOSE * _allowed(answer, key.value), ROUNDED * abs(key.value)):
        return [CLOSE_TO_KEY]
    asked = asked_by(answer.question, answer.form.unit, key, exact=exact)
    found = reasons(answer.value, asked, key.slips, step=answer.reading.step)
    likely = [text for text in found if not is_far_fetched(text)]
    stops = [text for value, text in key.stops if abs(answer.value - value) <= _reach(answer)]
    return likely or (stops if len(stops) == 1 else [])


def _without_numbers(text: str) -> str:
    return _NUMERALS.sub("N", text)


def _causes_with_numbers(answer: NumericAnswer, cause: str) -> str:
    """Return a cause as the slip engine words it in one student's draw."""
    return next((text for text in _said(answer) if _without_numbers(text) == cause), cause)


def _common_expression(answers: Sequence[NumericAnswer]) -> str:
    """Return the shortest expression that gives all these answers; empty if there is none."""
    ratios = [answer.value / answer.key.value for answer in answers if answer.key.value]
    if len(ratios) < len(answers) or abs(ratios[0] - 1) <= NEAR_KEY:
        return ""
    common = set(_expressions(answers[0]))
    for answer in answers[1:]:
        common &= set(_expressions(answer))
    if common:
        return min(common, key=lambda text: (len(text), text))
    is_same = len(answers) > 1 and max(ratios) - min(ratios) <= ROUNDED * abs(ratios[0])
    return f"key × {show_number(ratios[0], 3)}" if is_same else ""


def _same_ratios(answers: Sequence[NumericAnswer]) -> dict[int, dict[str, float]]:
    """Return for each answer the multiples of the key that it shares with another."""
    known = sorted(
        (answer for answer in answers if answer.key.value and answer.value),
        key=lambda each: each.value / each.key.value,
    )
    found: dict[int, dict[str, float]] = {id(answer): {} for answer in answers}
    for first in known:
        ratio = _simplest_ratio(first)
        for other in known:
            rounded = _reach(other) + _reach(first) * abs(other.value / first.value)
            if abs(other.value - ratio * other.key.value) <= rounded:
                found[id(other)][f"key × {show_number(ratio, 4)}"] = ratio
    return found


def _simplest_ratio(answer: NumericAnswer) -> float:
    """Return the multiple of the key with the fewest digits that gives an answer, as far as it was rounded."""
    ratio, reach = answer.value / answer.key.value, _reach(answer)
    tried = (float(f"{ratio:.{digits}g}") for digits in range(1, 5))
    return next((each for each in tried if abs(each * answer.key.value - answer.value) <= reach), ratio)


def _expressions(answer: NumericAnswer) -> dict[str, float]:
    """Return the small expressions that give an answer, with their values."""
    reach = _reach(answer)
    tried = _small_expressions(answer.key.value, parameters_of(answer.question))
    return {text: value for text, value in tried if abs(value - answer.value) <= reach}


@dataclass(frozen=True)
class DrawnNumber:
    """A parameter of a question as a number."""

    name: str  # in words, such as "number of nodes"
    value: float  # in base units
    is_plain: bool = field(default=True)  # whether it has no dimension


def parameters_of(question: Question) -> list[DrawnNumber]:
    """Return the parameters of a question that are numbers."""
    found = []
    for name, shown in question.params.items():
        text = str(shown)
        number = number_in(text)
        if number and not isinstance(shown, bool) and re.match(r"-?\d", text):
            factor = _factor(text)
            said = words(name).removeprefix("the ")
            found.append(DrawnNumber(said, number * (factor or 1), factor is None))
    return found[:MOST_PARAMS]


def _factor(text: str) -> float | None:
    """Return the factor of the unit of an amount; None if it has no dimension."""
    _, _, after = text.replace(THIN_SPACE, "").partition(" ")
    for name in (after, after.partition(" ")[0]):
        with suppress(ShardwiseError):
            known = unit(name)
            if name and known.dimension != "dimensionless":
                return float(known.factor)
    return None


def _small_expressions(key: float, numbers: Sequence[DrawnNumber]) -> Iterator[tuple[str, float]]:
    """Yield small expressions over the key and the parameters, each with its value."""
    for constant in _CONSTANTS:
        yield f"key × {show_number(constant)}", key * constant
        yield f"key ÷ {show_number(constant)}", key / constant
    yield "key²", key * key
    yield "1 ÷ key", 1 / key if key else math.nan
    yield "√key", math.sqrt(abs(key))
    yield "key + 1", key + 1
    yield "key − 1", key - 1
    for number in numbers:
        value, name = number.value, number.name
        yield name, value
        yield f"key + {name}", key + value
        yield f"key − {name}", key - value
        yield f"{name} − key", value - key
        for text, factor in _factors(number):
            yield f"key × {text}", key * factor
            if factor:
                yield f"key ÷ {text}", key / factor
            for constant in (2, 8, 1000):
                yield f"key × {constant} × {text}", key * constant * factor
                if factor:
                    yield f"key × {constant} ÷ {text}", key * constant / factor
    for first, last in combinations(numbers, 2):
        yield f"{first.name} × {last.name}", first.value * last.value
        yield f"{first.name} + {last.name}", first.value + last.value
    for first, last in permutations(numbers, 2):
        yield f"{first.name} − {last.name}", first.value - last.value
        yield f"{first.name} ÷ {last.name}", first.value / last.value
        yield f"key × {first.name} ÷ {last.name}", key * first.value / last.value


def _factors(number: DrawnNumber) -> Iterator[tuple[str, float]]:
    """Yield what a student may multiply or divide by that contains one parameter."""
    name, value = number.name, number.value
    yield name, value
    if number.is_plain:
        yield f"({name})²", value * value
        if value not in (0, 1):
            yield f"({name} − 1)", value - 1
        yield f"({name} + 1)", value + 1
        if 0 < value < 1:
            yield f"(1 − {name})", 1 - value
        if value > 1:
            yield f"log₂({name})", math.log2(value)
