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

    With several chunks, each stage holds several pieces of the model, placed in one of three ways:

    - loop: the pieces go around the stages, as in interleaving: piece number c·stages + s is chunk c of stage s.
    - v: two chunks, the pieces of which go down the stages and come back up, as in ZB-V and DualPipeV.
    - both: two copies of the model, chunk 1 from the first stage to the last and chunk 2 in reverse, as in DualPipe. The
      first half of the micro-batches takes chunk 1, the second half chunk 2.

    Durations are whole slots, one per stage. When `weight` is given, the backward pass is split: B computes the gradient of the
    input, W that of the weights.
    """

    stages: int
    micro_batches: int
    forward: tuple[int, ...]
    backward: tuple[int, ...]
    weight: tuple[int, ...] = ()
    chunks: int = 1
    hop: int = 0  # slots until a result reaches another stage
    placement: str = "loop"

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

    def batches(self, chunk: int) -> range:
        """Return the micro-batches of a chunk: all of them, or one half with the placement "both"."""
        half = (self.micro_batches + 1) // 2 if self.placement == "both" else 0
        return (
            range(half + 1, self.micro_batches + 1)
            if half and chunk == 2
            else range(1, (half or self.micro_batches) + 1)
        )

    def work(self, stage: int) -> int:
        """Return the number of busy slots of a stage."""
        passes = sum(len(self.batches(chunk)) for chunk in range(1, self.chunks + 1))
        return passes * sum(self.slots(stage, letter) for letter in self.letters)

    def operations(self) -> list[Operation]:
        """Return the operations that every stage must run."""
        return [
            Operation(letter, micro_batch, chunk)
            for letter in self.letters
            for chunk in range(1, self.chunks + 1)
            for micro_batch in self.batches(chunk)
        ]

    def needs(self, stage: int, operation: Operation) -> Sequence[Place]:
        """Return the dependencies of an operation: first those on its own stage, then those on a neighbour."""
        letter, micro_batch, chunk = operation
        if letter == WEIGHT:
            return [(stage, Operation(BACKWARD, micro_batch, chunk))]
        own = [(stage, Operation(FORWARD, micro_batch, chunk))] if letter == BACKWARD else []
        there = self._neighbour(stage, chunk, -1 if letter == FORWARD else 1)
        return own if there is None else [*own, (there[0], Operation(letter, micro_batch, there[1]))]

    def _neighbour(self, stage: int, chunk: int, step: int) -> tuple[int, int] | None:
        """Return the stage and the chunk of the previous piece of the model (step -1) or the next one (step 1); None at its ends."""
        is_reversed = self.placement != "loop" and chunk == 2
        if self.placement == "both":
            place = stage - step if is_reversed else stage + step
            return (place, chunk) if 1 <= place <= self.stages else None
        across = self.stages + 1 - stage if is_reversed else stage
        piece = (chunk - 1) * self.stages + across + step
        if not 1 <= piece <= self.stages * self.chunks:
            return None
        chunk_there, place = divmod(piece - 1, self.stages)
        if self.placement == "v" and chunk_there == 1:
            place = self.stages - 1 - place
        return place + 1, chunk_there + 1

    def written(self, operation: Operation) -> str:
        """Return an operation in notation: F2, or F2.1 when stages have several chunks."""
        return f"{operation.letter}{operation.micro_batch}" + (f".{operation.chunk}" if self.chunks > 1 else "")

    def line(self, operations: Sequence[Operation]) -> str:
        """Return the operations of one stage in notation."""
        return " ".join(map(self.written, operations))

    def lines(self, schedule: Schedule) -> list[str]:
        """Return a schedule in notation, one line per stage."""
        return [f"stage {stage}: {self.line(operations)}" for stage, operations in enumerate(schedule, start=1)]
