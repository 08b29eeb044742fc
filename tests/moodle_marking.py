"""An implementation of Moodle 4.5's marking (question/type/*/question.php) for the questions in a Moodle XML file."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement

from defusedxml.ElementTree import fromstring

FRACTIONS = {1 / part for part in range(1, 11)} | {0.9, 0.8333333, 0.8, 0.75, 0.7, 0.6666667, 0.6, 0.4, 0.3, 0.05, 0.0}
PRECISION = 14  # PHP's, in which Moodle compares numbers


def questions_in(xml: bytes) -> dict[str, Element]:
    """Return the questions in a file by their idnumber. Like Moodle's import, fail on a fraction that Moodle does not allow."""
    questions = [question for question in fromstring(xml).iter("question") if question.get("type") != "category"]
    for answer in (answer for question in questions for answer in question.findall("answer")):
        share = abs(float(answer.get("fraction", "0"))) / 100
        assert any(abs(share - known) < 1e-5 for known in FRACTIONS), share
    return {question.findtext("idnumber", ""): question for question in questions}


def text_in(element: Element | None, path: str = "text") -> str:
    """Return the text of an element, or of the element at a path below it; "" if it is missing."""
    return "" if element is None else (element.findtext(path) or "").strip()


def numerical(question: Element, given: float) -> tuple[float, str]:
    """Return the share of the points, and the feedback, of the first answer whose tolerance includes the number."""
    for answer in question.findall("answer"):
        value, tolerance = float(text_in(answer)), float(answer.findtext("tolerance", "0"))
        reach = abs(tolerance) + 10**-PRECISION * max(1, abs(value))
        if value - reach <= given <= value + reach:
            return float(answer.get("fraction", "0")) / 100, text_in(answer, "feedback/text")
    return 0.0, ""


def multichoice(question: Element, ticked: Sequence[int]) -> float:
    """Return the share of the points for selecting the options at these places, counted from 0."""
    shares = [float(answer.get("fraction", "0")) / 100 for answer in question.findall("answer")]
    assert question.findtext("single") == "false" or len(ticked) == 1
    return min(1.0, max(0.0, sum(shares[place] for place in ticked)))


def matching(question: Element, chosen: Mapping[str, str]) -> float:
    """Return the share of the points for the choices, which map each item's text to the text of an option."""
    stems = [stem for stem in question.findall("subquestion") if text_in(stem)]
    right = [chosen[text_in(stem)] == text_in(stem, "answer/text") for stem in stems]
    return sum(right) / len(right)


def ordering(question: Element, order: Sequence[str]) -> float:
    """Return the share of the points for the items, given by their texts, in this order."""
    assert question.findtext("gradingtype") == "ALL_OR_NOTHING"
    return float([text_in(answer) for answer in question.findall("answer")] == list(order))


# The syntax of fields in Cloze questions, as question/type/multianswer/questiontype.php reads it.
_ANSWER = r".+?(?<!\\)(?<!&)(?<!&amp;)(?=[~#}]|$)"
_ALTERNATIVE = (
    rf"(?:=|%(?P<share>-?[0-9]+(?:[.,][0-9]*)?)%)?(?P<answer>{_ANSWER})(?:#(?P<feedback>.*?(?<!\\)(?=[~}}]|$)))?"
)
_PLAIN = re.sub(r"\?P<\w+>", "?:", _ALTERNATIVE)
_FIELD = re.compile(rf"\{{([0-9]*):(NUMERICAL|MULTICHOICE_V|MULTIRESPONSE):({_PLAIN}(?:~{_PLAIN})*)\}}", re.DOTALL)


def fields_of_cloze(question: Element) -> list[tuple[int, Element]]:
    """Return the fields of a Cloze question: the points of each, and the question into which Moodle converts it."""
    found = []
    for points, kind, alternatives in _FIELD.findall(text_in(question.find("questiontext"))):
        made = Element("question", type={"NUMERICAL": "numerical"}.get(kind, "multichoice"))
        SubElement(made, "single").text = str(kind != "MULTIRESPONSE").lower()
        for alternative in re.finditer(f"~?{_ALTERNATIVE}", alternatives, re.DOTALL):
            value, _, tolerance = (
                alternative["answer"].partition(":") if kind == "NUMERICAL" else (alternative["answer"], "", "")
            )
            answer = SubElement(made, "answer", fraction=alternative["share"])
            SubElement(answer, "text").text = html.unescape(value).replace("\\}", "}").replace("\\#", "#")
            SubElement(answer, "tolerance").text = tolerance or "0"
            feedback = SubElement(SubElement(answer, "feedback"), "text")
            feedback.text = html.unescape(alternative["feedback"] or "").replace("\\}", "}").replace("\\#", "#")
        found.append((int(points or 1), made))
    return found
