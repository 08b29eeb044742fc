"""Data of a schedule problem: the template an author writes, the pipeline a student sees, and the key."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from shardwise.question import Form, Key
from shardwise.template import model as author
from shardwise_bank.pipelines.named import NAMES
from shardwise_bank.pipelines.pipeline import Pipeline

EachStage = author.Value | tuple[author.Value, ...]  # one number for all stages, or one per stage


def _is_known(text: str) -> str:
    """Return a schedule's text unchanged. Raises ValueError when it is a single word that names no schedule."""
    if len(text.split()) == 1 and text.strip() not in NAMES:
        raise ValueError(f"unknown schedule {text!r}; write its lines, or one of {', '.join(NAMES)}")
    return text


class Limited(author.AuthorModel):
    """A named schedule with a limit on the micro-batches in flight."""

    name: Literal["1f1b"] = Field(description="The schedule.")
    in_flight: author.Value = Field(description="Most micro-batches in flight on the first stage.")


class Target(author.AuthorModel):
    """The limits that a right schedule meets: one or more of these."""

    makespan: author.Value | None = Field(None, description="Most slots until the schedule ends.")
    idle: author.Value | None = Field(None, description="Most idle slots of all stages together.")
    in_flight: EachStage | None = Field(None, description="Most micro-batches in flight on a stage.")

    @model_validator(mode="after")
    def _any(self) -> Target:
        if self.makespan is None and self.idle is None and self.in_flight is None:
            raise ValueError("a target needs at least one of makespan, idle and in_flight")
        return self


class Answer(author.AuthorModel):
    """The `answer` of a schedule problem. Every number may be an expression over the parameters."""

    stages: author.Value = Field(description="Number of pipeline stages.")
    micro_batches: author.Value = Field(description="Number of micro-batches.")
    chunks: author.Value = Field(1, description="Model chunks per stage; more than one for an interleaved schedule.")
    placement: Literal["loop", "v", "both"] = Field(
        "loop",
        description="Placement of the chunks: loop around the stages; v, two chunks, down and up again; both, two chunks, one per direction.",
    )
    forward: EachStage = Field(1, description="Duration of F, in slots.")
    backward: EachStage = Field(2, description="Duration of B, in slots.")
    weight: EachStage | None = Field(
        None, description="Duration of W, in slots, when the backward pass is split into B and W."
    )
    hop: author.Value = Field(0, description="Slots until a result reaches another stage.")
    memory: EachStage | None = Field(None, description="Most micro-batches that fit into the memory of a stage.")
    target: Target = Field(description="What a right schedule must reach.")
    solution: author.Prose | Limited = Field(description="A schedule that meets the target: its name or its lines.")

    @model_validator(mode="after")
    def _named(self) -> Answer:
        if isinstance(self.solution, str):
            _is_known(self.solution)
        if self.placement != "loop" and self.chunks not in (1, 2):
            raise ValueError(f"with placement {self.placement}, each stage has 2 chunks, not {self.chunks}")
        return self


class Mistake(author.AuthorModel):
    """A schedule that misses the target and that authors expect."""

    schedule: author.Prose | Limited = Field(description="Its name or its lines.")
    say: author.Say

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
    """The pipeline, and the target of its schedule."""

    stages: int
    micro_batches: int
    chunks: int
    placement: str = "loop"
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight: tuple[int, ...]
    hop: int
    room: tuple[int | None, ...]  # micro-batches that fit on each stage
    most_slots: int | None  # target: slots until the schedule ends
    most_idle: int | None  # target: idle slots of all stages together
    most_in_flight: tuple[int | None, ...]  # target: in flight on each stage

    @property
    def pipeline(self) -> Pipeline:
        """The pipeline for the simulator."""
        return Pipeline(
            stages=self.stages,
            micro_batches=self.micro_batches,
            chunks=self.chunks,
            forward=self.forward,
            backward=self.backward,
            weight=self.weight,
            hop=self.hop,
            placement=self.placement,
        )


class KnownMistake(Key):
    """A recognised schedule: the letters and chunks of each stage's line, ignoring the micro-batches."""

    pattern: tuple[str, ...]
    say: str


class ScheduleKey(Key):
    """A schedule that meets the target, as text, and the recognised ones that miss it."""

    lines: tuple[str, ...]
    mistakes: tuple[KnownMistake, ...] = ()
