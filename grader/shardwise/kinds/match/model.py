"""The data of a matching problem: the template an author writes, the lists a student sees, and the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from shardwise.kinds.labels import Labelled
from shardwise.question import Form, Key
from shardwise.template import model as author


class Pair(author.AuthorModel):
    """An item and its option: a text, or a value that is shown in a unit."""

    id: str = Field(pattern=r"^[a-z0-9_-]+$", description="Name for use in mistakes; students do not see it.")
    text: author.Prose = Field(min_length=1, description="The item; Jinja2.")
    match: author.Prose | None = Field(None, description="The option that it belongs to; Jinja2.")
    value: author.Value | None = Field(None, description="Or an expression in base units, shown in `unit`.")
    oracle: author.Value | None = Field(
        None, description="The same value, computed another way; the lint compares the two."
    )
    unit: author.UnitName = Field("1", description="The unit in which the value is shown.")
    say: author.Prose = Field("", description="Shown when this item is matched wrongly; Jinja2.")

    @model_validator(mode="after")
    def _either(self) -> Pair:
        if (self.match is None) == (self.value is None):
            raise ValueError("an item has either a `match` or a `value`")
        return self


class Answer(author.AuthorModel):
    """The `answer` of a matching problem."""

    shown: int | None = Field(None, ge=2, le=9, description="How many items are drawn.")
    pairs: tuple[Pair, ...] = Field(min_length=2, max_length=20, description="The items with their right options.")
    extra: tuple[author.Prose, ...] = Field((), description="Options that nothing belongs to.", max_length=6)

    @model_validator(mode="after")
    def _consistent(self) -> Answer:
        if len({pair.id for pair in self.pairs}) != len(self.pairs):
            raise ValueError("two items have the same id")
        if self.shown is None and len(self.pairs) > 9:
            raise ValueError("at most 9 items can be shown at once; say how many are drawn with `shown`")
        if self.shown is not None and self.shown > len(self.pairs):
            raise ValueError(f"shown is {self.shown}, but there are only {len(self.pairs)} items")
        return self


class Mistake(author.AuthorModel):
    """A wrong matching that teachers know: some items, and the items whose options they were given."""

    gives: Mapping[str, str] = Field(min_length=1, description="item: the item that its option belongs to")
    say: author.Say


class MatchTemplate(author.Template):
    """A problem answered by pairs."""

    kind: Literal["match"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()

    @model_validator(mode="after")
    def _mistakes_name_items(self) -> MatchTemplate:
        known = {pair.id for pair in self.answer.pairs}
        for mistake in self.mistakes:
            strangers = sorted({*mistake.gives, *mistake.gives.values()} - known)
            if strangers:
                raise ValueError(f"a mistake names {', '.join(strangers)}; the items are {', '.join(sorted(known))}")
        return self


class MatchForm(Form):
    """Items with numbers and options with letters, as the student sees them."""

    items: tuple[Labelled, ...]
    options: tuple[Labelled, ...]


class KnownMistake(Key):
    """A recognised wrong matching: the letters that some items were given."""

    pairs: Mapping[str, str]
    say: str


class MatchKey(Key):
    """The letter that each item belongs to, the feedback on a wrong one, and the recognised mistakes."""

    pairs: Mapping[str, str]
    say: Mapping[str, str]
    mistakes: tuple[KnownMistake, ...] = ()
