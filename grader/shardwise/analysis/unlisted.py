"""Unlisted answers: wrong numbers that no recognised mistake explains, clustered by their common cause or expression.

The slip engine explains a number within its own draw. Beyond that, small expressions over the key and the parameters are
tried, and one counts only if it gives the answers of several students with different draws.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from shardwise.analysis.expressions import parameters_of, small_expressions
from shardwise.analysis.numeric import NumericAnswer
from shardwise.analysis.wrong_answers import same_in_every_draw
from shardwise.kinds.quantity.explain import is_far_fetched, reasons
from shardwise.kinds.quantity.general import FINE, ROUNDED, significant_figures
from shardwise.kinds.quantity.judging import CLOSE, asked_by, tolerance_around
from shardwise.units import show_number

FEWEST_DRAWS = 2  # different draws that an expression has to explain
EXAMPLES = 3
_WINDOW = 4 * ROUNDED  # relative; ratios that are further apart than this never agree by rounding
NEAR_KEY = 0.05  # relative; an answer so close to the key is not a multiple of it
CLOSE_TO_KEY = "Close to the key, but outside the tolerance. Was it rounded in between?"


@dataclass(frozen=True)
class Cluster:
    """Wrong answers with the same cause, or given by the same expression."""

    expression: str  # such as "key × 2"; empty if unknown
    cause: str  # what the students probably did, in Markdown; empty if unknown
    answers: tuple[NumericAnswer, ...]

    @property
    def examples(self) -> tuple[NumericAnswer, ...]:
        """Some of the answers."""
        return self.answers[:EXAMPLES]


def is_explained(answer: NumericAnswer) -> bool:
    """Return whether a wrong answer follows from the student's own numbers by a recognised mistake or a slip."""
    return answer.mistake is not None or bool(_causes(answer))


def clusters(answers: Sequence[NumericAnswer]) -> tuple[list[Cluster], list[NumericAnswer]]:
    """Return the clusters of wrong answers that no mistake explains, largest first, and the remaining answers."""
    left = [answer for answer in answers if answer.mistake is None and not answer.is_right]
    causes = {id(answer): {same_in_every_draw(text) for text in _causes(answer)} for answer in left}
    by_cause, left = _grouped(left, causes, least=1)
    ratios = _same_ratios(left)  # the same multiple may be (n + 1) times the key for a few students
    tried = {id(answer): _expressions(answer) | ratios[id(answer)] for answer in left}
    by_expression, left = _grouped(left, tried, least=FEWEST_DRAWS)
    found = [
        *(Cluster(_common_expression(group), _cause_in_its_draw(group[0], cause), group) for cause, group in by_cause),
        *(Cluster(expression, "", group) for expression, group in by_expression),
    ]
    return sorted(found, key=lambda cluster: -len(cluster.answers)), left


def _grouped(
    answers: Sequence[NumericAnswer], explanations: Mapping[int, Collection[str]], *, least: int
) -> tuple[list[tuple[str, tuple[NumericAnswer, ...]]], list[NumericAnswer]]:
    """Return groups of answers with the same explanation, the most frequent first, and the answers left over.

    An answer with several explanations gets the most frequent one; of equally frequent ones, the shortest.
    """
    left, found = list(answers), []
    while left:
        fits: dict[str, list[NumericAnswer]] = defaultdict(list)
        for answer in left:
            for text in explanations[id(answer)]:
                fits[text].append(answer)
        best = min(fits, key=lambda text: (-len(fits[text]), len(text), text), default=None)
        if best is None or _draws(fits[best]) < least:
            break
        found.append((best, tuple(fits[best])))
        gone = set(map(id, fits[best]))
        left = [answer for answer in left if id(answer) not in gone]
    return found, left


def _draws(answers: Sequence[NumericAnswer]) -> int:
    """Return the number of different keys or of different values, whichever is smaller."""
    return min(
        len({f"{answer.key.value:.9g}" for answer in answers}), len({f"{answer.value:.4g}" for answer in answers})
    )


def _reach(answer: NumericAnswer) -> float:
    """Return how far an answer may be from the number that its author computed: what rounding explains."""
    finest = FINE if significant_figures(answer.value, answer.reading.step) > 3 else ROUNDED
    return min(max(answer.reading.step / 2, FINE * abs(answer.value)), finest * abs(answer.value)) * (1 + 1e-9)


def _causes(answer: NumericAnswer) -> list[str]:
    """Return what the slip engine says about an answer."""
    key, exact = answer.key, answer.key.abs_tol is not None
    allowed = tolerance_around(answer.form, key, key.value)
    if abs(answer.value - key.value) <= max(CLOSE * allowed, ROUNDED * abs(key.value)):
        return [CLOSE_TO_KEY]
    asked = asked_by(answer.question, answer.form.unit, key, exact=exact)
    found = reasons(answer.value, asked, key.slips, step=answer.reading.step)
    likely = [text for text in found if not is_far_fetched(text)]
    stops = [text for value, text in key.stops if abs(answer.value - value) <= _reach(answer)]
    return likely or (stops if len(stops) == 1 else [])


def _cause_in_its_draw(answer: NumericAnswer, cause: str) -> str:
    """Return a cause in the words and numbers of one student's draw."""
    return next(text for text in _causes(answer) if same_in_every_draw(text) == cause)


def _common_expression(answers: Sequence[NumericAnswer]) -> str:
    """Return the shortest expression that gives all these answers; empty if there is none."""
    ratios = [answer.value / answer.key.value for answer in answers if answer.key.value]
    if len(ratios) < len(answers) or abs(ratios[0] - 1) <= NEAR_KEY:
        return ""
    if common := set.intersection(*map(_expressions, answers)):
        return min(common, key=lambda text: (len(text), text))
    is_same = len(answers) > 1 and max(ratios) - min(ratios) <= ROUNDED * abs(ratios[0])
    return f"key × {show_number(ratios[0], 3)}" if is_same else ""


def _same_ratios(answers: Sequence[NumericAnswer]) -> dict[int, set[str]]:
    """Return the explanations “key × ratio” of each answer, by `id`; the ratios are its own and those of other answers that fit."""
    known = sorted(
        (each.value / each.key.value, place) for place, each in enumerate(answers) if each.key.value and each.value
    )
    found: dict[int, set[str]] = {id(answer): set() for answer in answers}
    for exact, place in known:
        first = answers[place]
        ratio, rounded = _simplest_ratio(first), _reach(first) / abs(first.value)
        ends = sorted((exact * (1 - _WINDOW), exact * (1 + _WINDOW)))
        for _, other in known[bisect_left(known, (ends[0],)) : bisect_right(known, (ends[1], len(answers)))]:
            each = answers[other]
            if abs(each.value - ratio * each.key.value) <= _reach(each) + rounded * abs(each.value):
                found[id(each)].add(f"key × {show_number(ratio, 4)}")
    return found


def _simplest_ratio(answer: NumericAnswer) -> float:
    """Return the multiple of the key with the fewest digits that gives an answer, as far as it was rounded."""
    ratio, reach = answer.value / answer.key.value, _reach(answer)
    tried = (float(f"{ratio:.{digits}g}") for digits in range(1, 5))
    return next((each for each in tried if abs(each * answer.key.value - answer.value) <= reach), ratio)


def _expressions(answer: NumericAnswer) -> set[str]:
    """Return the small expressions that give an answer."""
    reach = _reach(answer)
    tried = small_expressions(answer.key.value, parameters_of(answer.question))
    return {text for text, value in tried if abs(value - answer.value) <= reach}
