"""Moodle XML: variants of problems as questions of Moodle's own types, one category per problem.

Format: question/format/xml/format.php of Moodle 4.5. Problems that Moodle cannot ask, or marks differently, are listed in the
result and in a comment in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Self
from xml.etree import ElementTree as Xml

from shardwise.bank.bank import Catalogue
from shardwise.bank.posing import pose
from shardwise.course.assigning.set_file import SetDefinition, named_problems
from shardwise.kinds import kind_of
from shardwise.kinds.case.model import CaseForm
from shardwise.kinds.choice import ChoiceForm, ChoiceKey
from shardwise.kinds.estimate.model import EstimateForm, EstimateKey
from shardwise.kinds.match.model import MatchForm, MatchKey
from shardwise.kinds.order import OrderForm, OrderKey
from shardwise.kinds.quantity.kind import precision
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey, tolerance
from shardwise.markdown.escaping import printable
from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.question import PRAISE, Question
from shardwise.units import from_base, unit
from shardwise.units.parsing import plural

OMITTED = {  # kinds without a question type in Moodle, and why
    "bugline": "Moodle cannot run the corrected line",
    "code": "Moodle cannot run a program",
    "formula": "Moodle cannot compare formulas",
}
CHANGED = {  # kinds that Moodle marks differently, and how
    "case": "later parts are marked with the right earlier results, not with the student's",
    "estimate": "asked without a confidence: a right estimate earns all points, a wrong one none",
    "order": "no points for a nearly right order, and no feedback on recognised mistakes",
}
_PENALTY = "0.3333333"  # Moodle's default, for each further try in a quiz with hints
_LARGEST_DENOMINATOR = 10  # Moodle accepts the fractions 1/1 to 1/10
_ROUNDED = 0.005  # relative; wrong results are recognised with three figures, even if the right one must be exact


@dataclass(frozen=True)
class Drawn:
    """A problem of a set, with its different variants."""

    title: str
    variants: tuple[Question, ...]


@dataclass(frozen=True)
class MoodleQuiz:
    """A file for Moodle's question bank, with the problems that are omitted or marked differently, and why."""

    xml: bytes
    carried: int  # problems in the file
    omitted: Mapping[str, str]
    changed: Mapping[str, str]


def draw_variants(
    bank: Catalogue, definition: SetDefinition, count: int, seed: str, *, progress: Callable[[], None] = lambda: None
) -> list[Drawn]:
    """Return up to `count` different variants of each problem of a set. Raises ShardwiseError."""
    drawn = []
    for place, _, name in named_problems(definition):
        problem, points = bank.find(name), definition.problems[place].points
        found: dict[str, Question] = {}
        for number in range(1, count + 1):
            question = pose(problem, f"{seed}-{number}")
            changed = question if points is None else question.model_copy(update={"points": points})
            found.setdefault(changed.model_dump_json(include={"prompt", "form", "key"}), changed)
        drawn.append(Drawn(problem.title, tuple(found.values())))
        progress()
    return drawn


def moodle_quiz(definition: SetDefinition, drawn: Sequence[Drawn]) -> MoodleQuiz:
    """Return the questions of a set as Moodle XML: one category per problem, with a question per variant."""
    root = Xml.Element("quiz")
    omitted, changed, carried = dict[str, str](), dict[str, str](), 0
    for problem in drawn:
        first = problem.variants[0]
        if why := next(filter(None, map(why_omitted, problem.variants)), ""):
            omitted[first.id] = why
            continue
        if first.kind in CHANGED:
            changed[first.id] = CHANGED[first.kind]
        carried += 1
        root.append(_category(definition.title, problem.title))
        root.extend(_question(question, f"{definition.name}-{first.slug}", number)
                    for number, question in enumerate(problem.variants, start=1))  # fmt: skip
    for what, listed in (("Omitted", omitted), ("Marked differently", changed)):
        root[:0] = [_comment(f"{what}: {name}: {why}") for name, why in listed.items()]
    Xml.indent(root)
    return MoodleQuiz(Xml.tostring(root, "utf-8", xml_declaration=True), carried, omitted, changed)


def why_omitted(question: Question) -> str:
    """Return why Moodle cannot ask a question; "" if it can."""
    if question.kind not in _TYPES:
        return OMITTED.get(question.kind, f"Moodle has no question type for the kind {question.kind}")
    if isinstance(question.form, CaseForm):
        return _why_no_cloze(question)
    if isinstance(question.key, ChoiceKey) and max(_shares(question)) > _LARGEST_DENOMINATOR:
        return f"Moodle has no fractions smaller than 1/{_LARGEST_DENOMINATOR}, so it cannot mark so many right options"
    return ""


def _comment(text: str) -> Any:
    return Xml.Comment(f" {text.replace('--', '–')} ")


def _category(*names: str) -> Xml.Element:
    element = Xml.Element("question", type="category")
    path = "/".join(name.strip().replace("/", "//") for name in names)  # how Moodle writes a slash in a name
    _text(element, "category", f"$course$/top/{path}")
    return element


def _question(question: Question, idnumber: str, number: int) -> Xml.Element:
    element = Xml.Element("question", type=_TYPES[question.kind][0])
    _text(element, "name", f"{number:02}: {question.title}")
    rest = _cloze(question) if isinstance(question.form, CaseForm) else f"<p><em>{escape(_how(question))}</em></p>"
    Xml.SubElement(element, "questiontext", format="html").append(_simple("text", _as_html(question.prompt) + rest))
    _html(element, "generalfeedback", question.solution)
    Xml.SubElement(element, "defaultgrade").text = f"{question.points:g}"
    Xml.SubElement(element, "penalty").text = _PENALTY
    Xml.SubElement(element, "hidden").text = "0"
    Xml.SubElement(element, "idnumber").text = f"{idnumber}-{number}"
    element.extend(_TYPES[question.kind][1](question))
    for hint in question.hints:
        _html(element, "hint", hint)
    return element


def _how(question: Question) -> str:
    """Return how to answer in Moodle, which takes numbers without their unit, and no confidence."""
    form = question.form
    if not isinstance(form, QuantityForm):
        return str(kind_of(question).view(form)["how"])
    name = plural(unit(form.unit).text, 2)
    way = {"per direction": " per direction", "duplex": ", both directions together"}.get(form.direction, "")
    what = f"Answer in {name}{way}, with the number only." if name else "Answer with a number."
    if isinstance(form, EstimateForm):
        what = f"Give an estimate, without computing. Anything within a factor of {form.within:.2g} is right. {what}"
    return " ".join([what, *precision(form)])


# Numbers -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Number:
    """A right or wrong number that Moodle recognises, in the question's unit, with its absolute tolerance."""

    fraction: int  # of the points, in per cent
    value: str
    within: str
    feedback: str

    @classmethod
    def of(cls, form: QuantityForm, fraction: int, value: float, within: float, feedback: str) -> Self:
        """Return the number for a value and a tolerance in base units."""
        shown, reach = (_written(from_base(each, form.unit, form.direction)) for each in (value, within))
        return cls(fraction, shown, reach, feedback)

    def element(self) -> Xml.Element:
        """Return the answer of a numerical question."""
        element = Xml.Element("answer", fraction=str(self.fraction), format="plain_text")
        element.extend((_simple("text", self.value), _simple("tolerance", self.within)))
        _html(element, "feedback", self.feedback)
        return element


def _numbers(question: Question) -> Iterator[_Number]:
    """Yield the right number, and the recognised mistakes."""
    form, key = question.form, question.key
    assert isinstance(form, QuantityForm) and isinstance(key, QuantityKey)

    def allowed(value: float) -> float:
        return tolerance(value, form.unit, form.direction, key.rel_tol, key.abs_tol, key.sig_figs)

    yield _Number.of(form, 100, key.value, allowed(key.value), PRAISE)
    for mistake in key.mistakes:  # no two of them, nor the key, are within each other's tolerances
        within = allowed(mistake.value)
        if not within and not float(mistake.value).is_integer():
            within = min(_ROUNDED * abs(mistake.value), abs(mistake.value - key.value) / 3)
        yield _Number.of(form, 0, mistake.value, within, mistake.say)


def _quantity(question: Question) -> Iterator[Xml.Element]:
    return (number.element() for number in _numbers(question))


def _estimate(question: Question) -> Iterator[Xml.Element]:
    """Yield the range of right estimates as two answers: Moodle shows the first, the exact value, as the right one."""
    form, key = question.form, question.key
    assert isinstance(form, EstimateForm) and isinstance(key, EstimateKey)
    low, high = key.value / form.within, key.value * form.within
    yield _Number.of(form, 100, key.value, key.value - low, PRAISE).element()
    yield _Number.of(form, 100, (low + high) / 2, (high - low) / 2, PRAISE).element()


def _written(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.12g}"


# Lists ---------------------------------------------------------------------------------------------------------------


def _shares(question: Question) -> tuple[int, int]:
    """Return how many right options earn all points, and how many wrong ones cost all."""
    form, key = question.form, question.key
    assert isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey)
    right = len(key.correct)
    return right, max(1, min(right, len(form.options) - right)) if form.pick == "many" else 1


def _fractions(question: Question) -> dict[str, str]:
    """Return the share of the points, in per cent, that each option earns or costs."""
    form, key = question.form, question.key
    assert isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey)
    right, wrong = _shares(question)
    loss = 0.0 if form.pick == "one" else -100 / wrong
    return {option.label: f"{100 / right if option.label in key.correct else loss:.7g}" for option in form.options}


def _choice(question: Question) -> Iterator[Xml.Element]:
    form, key = question.form, question.key
    assert isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey)
    yield _simple("single", "true" if form.pick == "one" else "false")
    yield _simple("shuffleanswers", "false")  # the solution refers to the options by their letters
    yield _simple("answernumbering", "abc")
    yield _simple("showstandardinstruction", "0")
    fractions = _fractions(question)
    for option in form.options:
        element = Xml.Element("answer", fraction=fractions[option.label], format="html")
        element.append(_html_text(option.text))
        _html(element, "feedback", key.say[option.label])
        yield element


def _match(question: Question) -> Iterator[Xml.Element]:
    """Yield the items with their options, then unused options. Options are plain text in Moodle."""
    form, key = question.form, question.key
    assert isinstance(form, MatchForm) and isinstance(key, MatchKey)
    yield _simple("shuffleanswers", "false")
    texts = {option.label: f"{option.label}) {to_plain(option.text)}" for option in form.options}
    pairs = [(f"**{item.label}.** {item.text}", key.pairs[item.label]) for item in form.items]
    pairs += [("", label) for label in texts if label not in key.pairs.values()]
    for item, label in pairs:
        element = Xml.Element("subquestion", format="html")
        element.append(_html_text(item))
        _text(element, "answer", texts[label])
        yield element


def _order(question: Question) -> Iterator[Xml.Element]:
    """Yield the items in the right order; Moodle shuffles them."""
    form, key = question.form, question.key
    assert isinstance(form, OrderForm) and isinstance(key, OrderKey)
    for name, value in (("layouttype", "VERTICAL"), ("selecttype", "ALL"), ("selectcount", str(len(form.items))),
                        ("gradingtype", "ALL_OR_NOTHING"), ("showgrading", "HIDE")):  # fmt: skip
        yield _simple(name, value)
    texts = {item.label: f"**{item.label})** {item.text}" for item in form.items}
    for label in key.order:
        element = Xml.Element("answer", fraction="100", format="html")
        element.append(_html_text(texts[label]))
        yield element


# Cases ---------------------------------------------------------------------------------------------------------------


def _why_no_cloze(question: Question) -> str:
    """Return why a case cannot become a Cloze question; "" if it can."""
    for piece in kind_of(question).pieces(question):
        if piece.kind not in ("quantity", "choice"):
            return f"one of its parts is of the kind {piece.kind}"
        if not float(piece.points).is_integer():
            return "Moodle gives whole points to the parts of a question"
        if why := why_omitted(piece):
            return why
    return ""


def _cloze(question: Question) -> str:
    """Return the parts of a case in HTML, with fields in the syntax of Moodle's Cloze questions."""
    parts = []
    for number, piece in enumerate(kind_of(question).pieces(question), start=1):
        text = f"**{number}. {piece.title}**\n\n{piece.prompt}\n\n*{_how(piece)}*"
        parts.append(f"{_as_html(text)}<p>{{{piece.points:g}:{_cloze_field(piece)}}}</p>")
    return "".join(parts)


def _cloze_field(piece: Question) -> str:
    form, key = piece.form, piece.key
    if isinstance(form, ChoiceForm) and isinstance(key, ChoiceKey):
        fractions = _fractions(piece)
        options = (
            f"%{fractions[option.label]}%{_for_cloze(f'**{option.label})** {option.text}')}#{_for_cloze(key.say[option.label])}"
            for option in form.options
        )
        return f"{'MULTICHOICE_V' if form.pick == 'one' else 'MULTIRESPONSE'}:{'~'.join(options)}"
    numbers = (f"%{each.fraction}%{each.value}:{each.within}#{_for_cloze(each.feedback)}" for each in _numbers(piece))
    return f"NUMERICAL:{'~'.join(numbers)}"


def _for_cloze(markdown: str) -> str:
    """Return HTML as text in a Cloze field, in which ~, # and } have a meaning and entities are resolved once more."""
    html = escape(_as_html(markdown), quote=False)
    return "".join(f"&#{ord(sign)};" if sign in "~#}" else sign for sign in html)


# By kind: Moodle's question type, and a function that yields the elements of its answers. A Cloze text contains its answers.
_TYPES: Mapping[str, tuple[str, Callable[[Question], Iterable[Xml.Element]]]] = {
    "case": ("cloze", lambda question: ()),
    "quantity": ("numerical", _quantity),
    "estimate": ("numerical", _estimate),
    "choice": ("multichoice", _choice),
    "match": ("matching", _match),
    "order": ("ordering", _order),
}


# Text ----------------------------------------------------------------------------------------------------------------


def _simple(name: str, text: str) -> Xml.Element:
    element = Xml.Element(name)
    element.text = text
    return element


def _text(parent: Xml.Element, name: str, text: str) -> None:
    Xml.SubElement(Xml.SubElement(parent, name), "text").text = printable(text)


def _html(parent: Xml.Element, name: str, markdown: str) -> None:
    Xml.SubElement(parent, name, format="html").append(_html_text(markdown))


def _html_text(markdown: str) -> Xml.Element:
    return _simple("text", _as_html(markdown))


def _as_html(markdown: str) -> str:
    """Return Markdown as HTML, with formulas for Moodle's MathJax and tables in the style of its theme."""
    html = to_html(printable(markdown), for_mathjax=True)
    return html.replace("<table>", '<table class="table table-sm w-auto">')
