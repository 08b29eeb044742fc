"""Numeric answers: the numbers that students gave, each with the key of the student's own draw."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from shardwise.analysis.responses import ItemResponses, Response
from shardwise.kinds import kinds
from shardwise.kinds.calls import refuse
from shardwise.kinds.case.model import CaseForm, questions_of
from shardwise.kinds.case.reading import PartReplies
from shardwise.kinds.quantity.judging import is_near
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey
from shardwise.question import Question
from shardwise.units import Reading


@dataclass(frozen=True)
class NumericAnswer:
    """A student's number for a quantity, or for a part of a case that asks for one."""

    student: str
    question: Question  # the quantity
    reading: Reading
    mistake: int | None  # the recognised mistake

    @property
    def key(self) -> QuantityKey:
        """The key of the student's own draw."""
        assert isinstance(self.question.key, QuantityKey)
        return self.question.key

    @property
    def form(self) -> QuantityForm:
        """The form of the question."""
        assert isinstance(self.question.form, QuantityForm)
        return self.question.form

    @property
    def value(self) -> float:
        """The number in base units."""
        return self.reading.value

    @property
    def is_right(self) -> bool:
        """Whether it is within the tolerance."""
        return is_near(self.form, self.key, self.value)


def numeric_answers(item: ItemResponses) -> dict[str, list[NumericAnswer]]:
    """Return the numbers given for an item by the name of the part; "" for an item without parts.

    Parts of a case that follow from a wrong earlier part are ignored, because another number is right for them.
    """
    found: dict[str, list[NumericAnswer]] = defaultdict(list)
    for response in item.responses:
        for part, answer in _numbers(response):
            found[part].append(answer)
    return found


def _numbers(response: Response) -> Iterator[tuple[str, NumericAnswer]]:
    question, said, value = response.question, response.feedback, response.value
    if isinstance(question.key, QuantityKey) and isinstance(value, Reading):
        yield "", NumericAnswer(response.student, question, value.nearest(question.key.value), said.mistake)
    if isinstance(question.form, CaseForm) and isinstance(value, PartReplies):
        for (part, _, asked), reply in zip(questions_of(question), value.parts, strict=True):
            if isinstance(asked.key, QuantityKey) and isinstance(reply.value, Reading):
                mistake = kinds()[part.kind].matches(asked, reply.value, refuse).mistake
                yield part.name, NumericAnswer(response.student, asked, reply.value.nearest(asked.key.value), mistake)
            if not said.parts.get(part.name, False):
                return
