"""What a schedule problem is made of: the template an author writes, the pipeline a student sees, and the key."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from shardwise.question import Form, Key
from shardwise.template import model as author
from shardwise_bank.pipelines.named import NAMES
from shardwise_bank.pipelines.pipeline import Pipeline

EachStage = author.Value | tuple[author.Value, ...]  # one number for all stages, or one for each


def _is_known(text: str) -> str:
    """A schedule's text as it is; a ValueError where it is one word, and not the name of a schedule."""
    if len(text.split()) == 1 and text.strip() not in NAMES:
        raise ValueError(f"no schedule is called {text!r}; write its lines, or one of {', '.join(NAMES)}")
    return text


class Limited(author.AuthorModel):
    """A named schedule that runs no more forwards ahead than it has room for."""

    name: Literal["1f1b"]
    in_flight: author.Value = Field(description="The most micro-batches in flight on the first stage.")


class Target(author.AuthorModel):
    """What a right schedule reaches: any of these, or several."""

    makespan: author.Value | None = Field(None, description="Slots until everything is done, at most.")
    idle: author.Value | None = Field(None, description="Idle slots of all stages together, at most.")
    in_flight: EachStage | None = Field(None, description="Micro-batches in flight on a stage, at most.")

    @model_validator(mode="after")
    def _any(self) -> Target:
        if self.makespan is None and self.idle is None and self.in_flight is None:
            raise ValueError("a target has a makespan, idle slots, micro-batches in flight, or several of them")
        return self


class Answer(author.AuthorModel):
    """The `answer` of a schedule problem. Every number may be an expression over the parameters."""

    stages: author.Value
    micro_batches: author.Value
    chunks: author.Value = 1
    forward: EachStage = Field(1, description="Slots that F takes.")
    backward: EachStage = Field(2, description="Slots that B takes.")
    weight: EachStage | None = Field(None, description="Slots that W takes, where the backward is split in B and W.")
    hop: author.Value = Field(0, description="Slots from the end of an operation until another stage has its result.")
    memory: EachStage | None = Field(None, description="Micro-batches that a stage has room for; more is wrong.")
    target: Target
    solution: author.Prose | Limited = Field(description="A schedule that meets the target: its name or its lines.")

    @model_validator(mode="after")
    def _named(self) -> Answer:
        if isinstance(self.solution, str):
            _is_known(self.solution)
        return self


class Mistake(author.AuthorModel):
    """A schedule that misses the target and that teachers know."""

    schedule: author.Prose | Limited = Field(description="Its name or its lines.")
    say: author.Prose = Field(min_length=10)

    @model_validator(mode="after")
    def _named(self) -> Mistake:
        if isinstance(self.schedule, str):
            _is_known(self.schedule)
        return self


class ScheduleTemplate(author.Template):
    """A problem answered by a pipeline schedule."""

    kind: Literal["schedule"]
    answer: Answer
    mistakes: tuple[Mistake, ...] = ()


class ScheduleForm(Form):
    """The pipeline, and what is asked of its schedule."""

    stages: int
    micro_batches: int
    chunks: int
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight: tuple[int, ...]
    hop: int
    room: tuple[int | None, ...]  # micro-batches that each stage can hold
    most_slots: int | None  # the target: until everything is done
    most_idle: int | None  # of all stages together
    most_in_flight: tuple[int | None, ...]  # on each stage

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline as the simulator knows it."""
        return Pipeline(
            stages=self.stages,
            micro_batches=self.micro_batches,
            chunks=self.chunks,
            forward=self.forward,
            backward=self.backward,
            weight=self.weight,
            hop=self.hop,
        )


class KnownMistake(Key):
    """A recognised schedule: the letters and chunks of each stage's line, whichever micro-batches they are of."""

    pattern: tuple[str, ...]
    say: str


class ScheduleKey(Key):
    """A schedule that meets the target, as text, and the recognised ones that miss it."""

    lines: tuple[str, ...]
    mistakes: tuple[KnownMistake, ...] = ()
