"""Estimate: an order of magnitude without computing, with a confidence; calibration decides the points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from shardwise.kinds.answers import as_read
from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.estimate.model import HALF_A_POWER, EstimateForm, EstimateKey, EstimateTemplate
from shardwise.kinds.estimate.naming import cause
from shardwise.kinds.estimate.reading import FIELDS, ReadEstimate, estimate_of, percent
from shardwise.kinds.estimate.scoring import FAR, credit, is_far, is_hit, powers_of_ten
from shardwise.kinds.quantity import KIND as QUANTITY
from shardwise.kinds.quantity.kind import counts_things, traits_in, words_of
from shardwise.kinds.quantity.magnitude import example_number, usual_sizes
from shardwise.kinds.quantity.slips.stops import stops_in
from shardwise.kinds.quantity.solving import AGREEMENT
from shardwise.markdown.html import to_html
from shardwise.question import Feedback, Guess, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.expressions import number_in_unit
from shardwise.units import from_base, show_amount, show_number, unit

# Lower bounds on a factor, of which feedback names the largest that holds.
BANDS = (1.2, 1.5, 2, 3, 5, 10, 30, 100, 300, 1000)
# What a right and a wrong estimate earn at each confidence from 0 to 100 %, for the slider of a form: shares of the points.
EARNED = [
    {"sure": sure, "right": credit(hit=True, confidence=sure / 100), "wrong": credit(hit=False, confidence=sure / 100)}
    for sure in range(0, 101, 5)
]
ADVICE = (
    "Estimate each factor to the nearest power of ten. Which one are you least sure of? "
    "Check the units and prefixes, and how often each thing happens."
)


class EstimateKind(Kind[EstimateTemplate, EstimateForm, EstimateKey]):
    """An order of magnitude with a confidence."""

    name = "estimate"
    about = "An order of magnitude with a confidence; honest confidence earns most."
    starter = """\
# Drawn once per student and seed. A bare value is fixed.
params:
  file_bytes: {choice: [1, 2, 5, 10], unit: GB}
  bandwidth_bytes_per_s: {choice: [100, 200, 400], unit: Gbit/s, direction: per direction}
  latency_s: {choice: [50, 100], unit: ms}
prompt: |
  Without a calculator: a file of {{ file_bytes }} crosses a link of {{ bandwidth_bytes_per_s }} with a latency of {{ latency_s }}.
  When has its last byte arrived?
answer:
  reference: example.transfer_seconds           # solutions/example.py
  oracle: example.played_transfer_seconds       # solutions/oracles/example.py; the lint compares the two
  unit: ms
  within: 2                                     # the factor, either way, within which an estimate is right
"""
    Template = EstimateTemplate
    Form = EstimateForm
    Key = EstimateKey

    def solve(self, template: EstimateTemplate, draw: Draw) -> float:
        answer = template.answer
        return draw.references.key(answer.reference, draw.values, answer.arguments)

    def pose(self, template: EstimateTemplate, draw: Draw, solved: float) -> Posed:
        answer, direction = template.answer, template.answer.direction or "none"
        nouns, others = words_of(template, answer.nouns, draw)
        usual = usual_sizes(template, answer, draw)
        example = example_number(usual, is_whole=counts_things(answer.unit), beyond=answer.within**FAR)
        form = EstimateForm(
            unit=answer.unit, direction=direction, nouns=nouns, others=others, within=answer.within, example=example
        )
        stops = tuple(stop for stop in stops_in(template, draw) if not is_hit(_off(stop[0], solved), answer.within))
        key = EstimateKey(value=solved, traits=traits_in(template, answer.unit), stops=stops)
        return Posed(form, key, names={"key": number_in_unit(solved, answer.unit, direction)})

    def prove(self, template: EstimateTemplate, draw: Draw, solved: float) -> Proof:
        proof, answer, references = Proof(), template.answer, draw.references
        counted = float(references.call(references.oracle(answer.oracle), draw.values, answer.arguments))
        proof.confirmed = math.isclose(counted, solved, rel_tol=AGREEMENT)
        if not proof.confirmed:
            proof.faults.append(
                f"{answer.reference} gives {show_amount(solved, answer.unit)} and {answer.oracle} gives "
                f"{show_amount(counted, answer.unit)}; one of the two is wrong"
            )
        if not 0 < solved < math.inf:
            proof.faults.append(f"the key is {solved}, which has no order of magnitude")
        return proof

    def body(self, form: EstimateForm) -> str:
        sure, even = 0.8, 0.5
        (right, wrong), (half_right, half_wrong) = _earned(sure), _earned(even)
        return (
            f"Give an estimate, without computing. **Anything within {_factor(form.within)} of the exact value is right.** "
            f"Say how sure you are, in per cent. At {percent(sure)}, a right estimate earns {right} of the points and a wrong one {wrong}; "
            f"at {percent(even)}, {half_right} and {half_wrong}; at 100 %, everything or nothing. On average you earn most with the confidence "
            f"that you really have. {_far(form.within)}"
        )

    def view(self, form: EstimateForm) -> View:
        fields = [
            {"type": "line", "name": FIELDS[0], "label": "Your estimate", "has_preview": True},
            {"type": "confidence", "name": FIELDS[1], "label": "Your confidence", "earned": EARNED},
        ]
        with_unit = "" if unit(form.unit).is_count else " with its unit"
        how = f"A number{with_unit}, for example {QUANTITY.example(form)}, and how sure you are of it."
        said = (
            f"Give an estimate, without computing. **Anything within {_factor(form.within)} of the exact value is right.** "
            f"You earn most, on average, with your true confidence. {_far(form.within)}"
        )
        return {"how": how, "html": to_html(said), "fields": fields}

    def preview(self, form: EstimateForm, raw: Any) -> View:
        return {FIELDS[0]: as_read(QUANTITY, form, raw.get(FIELDS[0]))} if isinstance(raw, Mapping) else {}

    def example(self, form: EstimateForm) -> str:
        return f"{QUANTITY.example(form)}, 80 %"

    def cells(self, form: EstimateForm, variable: str) -> str:
        return f"{variable} = ...  # an estimate and how sure you are, such as {self.example(form)!r}"

    def parse(self, form: EstimateForm, raw: Any) -> ReadEstimate:
        return estimate_of(form, raw)

    def read(self, form: EstimateForm, value: ReadEstimate) -> str:
        return value.text

    def matches(self, question: Question, value: ReadEstimate, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        off, sure = powers_of_ten(value.reading.nearest(key.value).value, key.value), value.confidence
        hit = is_hit(off, form.within)
        points = 0.0 if is_far(off, form.within) else credit(hit=hit, confidence=sure)
        if hit:
            said = [_hit(off, form.within), _for_the_confidence(sure, hit=True)]
        else:
            why = cause(question, form, key, value.reading.nearest(key.value))
            said = [_missed(off, form.within), why or ADVICE]
            said += [] if is_far(off, form.within) else [_for_the_confidence(sure, hit=False)]
        guess = Guess(off=off, hit=hit, confidence=sure)
        return Feedback.judged(question, points, *said, is_right=hit, guess=guess)

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)

        def written(value: float) -> str:
            way = "duplex" if form.direction == "duplex" else ""
            return f"{from_base(value, form.unit, form.direction):.6g} {unit(form.unit).text} {way}".strip()

        exact, right, missed, far = (written(key.value * form.within**power) for power in (0, 0.5, -1.5, FAR + 1))
        return [
            Sample(f"{exact}, 100 %", Outcome.CORRECT),
            Sample({FIELDS[0]: right, FIELDS[1]: "70 %"}, Outcome.CORRECT),
            Sample({FIELDS[0]: right, FIELDS[1]: 70}, Outcome.CORRECT),
            Sample(f"{missed}, 60 %", Outcome.PARTIAL),
            Sample(f"{missed}, 100 %", Outcome.INCORRECT),
            Sample(f"{far}, 0 %", Outcome.INCORRECT),
            Sample("", Outcome.BLANK),
            Sample({FIELDS[0]: "", FIELDS[1]: None}, Outcome.BLANK),
            Sample(right, Outcome.UNREADABLE),
            Sample("a lot, 80 %", Outcome.UNREADABLE),
            Sample(f"{right}, 120 %", Outcome.UNREADABLE),
            Sample({FIELDS[0]: "", FIELDS[1]: 80}, Outcome.UNREADABLE),
        ]


def _factor(within: float) -> str:
    if math.isclose(within, HALF_A_POWER, rel_tol=0.01):
        return f"a factor of {within:.2g}"
    return f"a factor of {within:.2g}"


def _far(within: float) -> str:
    return f"An estimate that is off by more than a factor of {_times(within**FAR)} earns nothing."


def _times(factor: float) -> str:
    """Return a factor with two digits: 1.5, 51, 510."""
    return show_number(float(f"{factor:.2g}"), 2)


def _earned(confidence: float) -> tuple[str, str]:
    """Return what a hit and a miss earn, as shares of the points."""
    right, wrong = (_in_percent(credit(hit=hit, confidence=confidence)) for hit in (True, False))
    return right, wrong


def _in_percent(share: float) -> str:
    """Return a share of the points in whole per cent, or with one digit if it would round to all or none.

    >>> _in_percent(0.98), _in_percent(0.995), _in_percent(1.0)
    ('98 %', '99.5 %', '100 %')
    """
    whole = round(100 * share)
    return f"{min(99.9, max(0.1, round(100 * share, 1)))} %" if whole in (0, 100) and 0 < share < 1 else f"{whole} %"


def _off(value: float, exact: float) -> float:
    """Return the error of an estimate in powers of ten; infinite if its sign is wrong."""
    return powers_of_ten(value, exact) if value > 0 and exact > 0 else math.inf


def _hit(off: float, within: float) -> str:
    """Return how near a right estimate is, in powers of ten and as a factor."""
    if abs(off) < 0.05:
        far = "practically exact"
    else:
        far = f"{abs(off):.1f} powers of ten too {'high' if off > 0 else 'low'}, a factor of {_times(10 ** abs(off))}"
    return f"Your estimate is {far}, which is right: within {_factor(within)}."


def _missed(off: float, within: float) -> str:
    """Return the direction of an estimate's error and a lower bound on it, without revealing the exact value."""
    factor = 10 ** abs(off) * (1 + 1e-9)
    band = (
        max((band for band in BANDS if band <= factor), default=1.0)
        if factor < 10_000
        else 10.0 ** math.floor(abs(off) + 1e-9)
    )
    say = f"Too {'high' if off > 0 else 'low'}, by more than a factor of {_times(band)}."
    if is_far(off, within):
        return f"{say} More than a factor of {_times(within**FAR)} earns nothing, whatever the confidence."
    return f"{say} Anything within {_factor(within)} is right."


def _for_the_confidence(sure: float, *, hit: bool) -> str:
    """Return what the confidence earned, what it would have earned otherwise, and when it is honest."""
    right, wrong = _earned(sure)
    said = f"At {percent(sure)}, a right estimate earns {right} of the points and a wrong one {wrong}."
    if hit and sure < 0.5:
        return f"{said} You knew more than you thought. If that happens often, be more confident."
    if not hit and sure < 0.5:
        return f"{said} You were right to doubt it."
    often = f"{100 * sure:.3g} of a hundred such estimates are" if sure < 1 else "every such estimate is"
    return f"{said} {percent(sure)} is honest if {often} right." + ("" if hit else " If fewer are, be less confident.")


KIND = EstimateKind()
