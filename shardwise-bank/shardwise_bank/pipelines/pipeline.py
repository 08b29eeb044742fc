"""A pipeline, the operations that its stages run, and their dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

MOST_STAGES, MOST_MICRO_BATCHES, MOST_CHUNKS = 64, 256, 8
FORWARD, BACKWARD, WEIGHT = "F", "B", "W"
WORDS = {FORWARD: "forward", BACKWARD: "backward", WEIGHT: "weight gradient"}


class Operation(NamedTuple):
    """A forward, a backward, or a weight gradient, of one micro-batch in one chunk of a stage; both counted from 1."""

    letter: str
    micro_batch: int
    chunk: int = 1


Schedule = tuple[tuple[Operation, ...], ...]  # the operations of each stage, in the order in which it runs them
Place = tuple[int, Operation]  # the number of a stage, from 1, and one of its operations


@dataclass(frozen=True)
class Pipeline:
    """A chain of stages that pass micro-batches forwards, and their gradients backwards.

    With several chunks, each stage holds several pieces of the model, as in interleaving: piece number c·stages + s is chunk c
    of stage s. Durations are whole slots, one per stage. When `weight` is given, the backward pass is split: B computes the
    gradient of the input, W that of the weights.
    """

    stages: int
    micro_batches: int
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight: tuple[int, ...] = ()
    chunks: int = 1
    hop: int = 0  # slots until a result reaches another stage

    @property
    def letters(self) -> str:
        """The letters of the operations."""
        return "FBW" if self.weight else "FB"

    @property
    def last_letter(self) -> str:
        """The operation after which a stage frees a micro-batch."""
        return WEIGHT if self.weight else BACKWARD

    def slots(self, stage: int, letter: str) -> int:
        """Return the duration of an operation on a stage."""
        durations = {FORWARD: self.forward, BACKWARD: self.backward, WEIGHT: self.weight}[letter]
        return durations[stage - 1]

    def work(self, stage: int) -> int:
        """Return the number of busy slots of a stage."""
        return self.micro_batches * self.chunks * sum(self.slots(stage, letter) for letter in self.letters)

    def operations(self) -> list[Operation]:
        """Return the operations that every stage must run."""
        return [
            Operation(letter, micro_batch, chunk)
            for letter in self.letters
            for chunk in range(1, self.chunks + 1)
            for micro_batch in range(1, self.micro_batches + 1)
        ]

    def needs(self, stage: int, operation: Operation) -> Sequence[Place]:
        """Return the dependencies of an operation: first those on its own stage, then those on a neighbour."""
        letter, micro_batch, chunk = operation
        if letter == WEIGHT:
            return [(stage, Operation(BACKWARD, micro_batch, chunk))]
        step = -1 if letter == FORWARD else 1
        own = [(stage, Operation(FORWARD, micro_batch, chunk))] if letter == BACKWARD else []
        piece = (chunk - 1) * self.stages + stage + step
        if not 1 <= piece <= self.stages * self.chunks:
            return own
        chunk_there, stage_there = divmod(piece - 1, self.stages)
        return [*own, (stage_there + 1, Operation(letter, micro_batch, chunk_there + 1))]

    def written(self, operation: Operation) -> str:
        """Return an operation in notation: F2, or F2.1 when stages have several chunks."""
        return f"{operation.letter}{operation.micro_batch}" + (f".{operation.chunk}" if self.chunks > 1 else "")

    def line(self, operations: Sequence[Operation]) -> str:
        """Return the operations of one stage in notation."""
        return " ".join(map(self.written, operations))

    def lines(self, schedule: Schedule) -> list[str]:
        """Return a schedule in notation, one line per stage."""
        return [f"stage {stage}: {self.line(operations)}" for stage, operations in enumerate(schedule, start=1)]
