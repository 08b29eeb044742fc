"""A pipeline and the operations that its stages run: what there is to schedule, and what each operation waits for."""

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
    """Stages in a row that pass micro-batches forwards, and their gradients backwards.

    With several chunks each stage holds several pieces of the model, as interleaving has them: piece number c·stages + s
    is chunk c of stage s. Durations are whole slots, one for each stage. Where `weight` is given the backward is split:
    B is the gradient of the input, W that of the weights.
    """

    stages: int
    micro_batches: int
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight: tuple[int, ...] = ()
    chunks: int = 1
    hop: int = 0  # slots from the end of an operation on one stage until another stage has its result

    @property
    def letters(self) -> str:
        """The letters of the operations that there are."""
        return "FBW" if self.weight else "FB"

    @property
    def last_letter(self) -> str:
        """The operation after which a stage keeps nothing of a micro-batch any more."""
        return WEIGHT if self.weight else BACKWARD

    def slots(self, stage: int, letter: str) -> int:
        """How long an operation takes on a stage."""
        durations = {FORWARD: self.forward, BACKWARD: self.backward, WEIGHT: self.weight}[letter]
        return durations[stage - 1]

    def work(self, stage: int) -> int:
        """The slots in which a stage is busy."""
        return self.micro_batches * self.chunks * sum(self.slots(stage, letter) for letter in self.letters)

    def operations(self) -> list[Operation]:
        """What every stage has to run."""
        return [
            Operation(letter, micro_batch, chunk)
            for letter in self.letters
            for chunk in range(1, self.chunks + 1)
            for micro_batch in range(1, self.micro_batches + 1)
        ]

    def needs(self, stage: int, operation: Operation) -> Sequence[Place]:
        """What must be done before an operation: its own stage's part first, then that of a neighbour."""
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
        """An operation as the notation has it: F2, or F2.1 where stages have several chunks."""
        return f"{operation.letter}{operation.micro_batch}" + (f".{operation.chunk}" if self.chunks > 1 else "")

    def line(self, operations: Sequence[Operation]) -> str:
        """The operations of one stage as the notation has them."""
        return " ".join(map(self.written, operations))

    def lines(self, schedule: Schedule) -> list[str]:
        """A schedule as the notation has it, a line for each stage."""
        return [f"stage {stage}: {self.line(operations)}" for stage, operations in enumerate(schedule, start=1)]
