"""DualPipe and DualPipeV: schedules that pair each forward with a backward of the other chunk."""

from __future__ import annotations

from shardwise.errors import ShardwiseError
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, WEIGHT, Operation, Pipeline, Schedule


def dualpipe(pipeline: Pipeline) -> Schedule:
    """Run micro-batches from both ends, and pair forwards with backwards of the other direction.

    The simulator runs the forward of a pair first, and passes on its result immediately. The bubble is therefore shorter than
    the authors' (p/2 - 1)(F&B + B - 3W), where both passes of a pair end together: half as long if F, B and W take equally long.

    Source: DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.1, figure 5; deepseek-ai/DualPipe, dualpipe/dualpipe.py.
    """
    stages, half = pipeline.stages, pipeline.micro_batches // 2
    if stages % 2 or pipeline.micro_batches % 2 or half < stages:
        raise ShardwiseError(
            f"dualpipe needs an even number of stages and of micro-batches, at least two per stage; here are {stages} and {pipeline.micro_batches}"
        )
    lines = []
    for stage in range(stages):
        nearest = min(stage, stages - 1 - stage)  # to an end
        chunks = (1, 2) if stage < stages // 2 else (2, 1)
        lines.append(_in_pairs(pipeline, stages // 2, nearest, half, chunks))
    return tuple(lines)


def dualpipev(pipeline: Pipeline) -> Schedule:
    """Run DualPipe folded into a V: half as many stages, each of which holds two pieces of a single copy of the model.

    Source: Sea AI Lab 2025, "DualPipe could be better without the Dual"; deepseek-ai/DualPipe, dualpipe/dualpipev.py.
    """
    stages, total = pipeline.stages, pipeline.micro_batches
    if total < 2 * stages:
        raise ShardwiseError(
            f"dualpipev needs at least two micro-batches per stage; {total} is fewer than {2 * stages}"
        )
    return tuple(_in_pairs(pipeline, stages, stage, total, (1, 2)) for stage in range(stages))


def _in_pairs(pipeline: Pipeline, depth: int, place: int, total: int, chunks: tuple[int, int]) -> tuple[Operation, ...]:
    """Return the operations of one stage, with `total` micro-batches per chunk.

    `place` is the number of stages before it, of `depth` on the way from the end where its first chunk's micro-batches enter. Forwards of the first chunk fill the pipeline; then each forward runs next to a backward of the other chunk. Weight gradients
    of the fill, and of the second half of the drain, are delayed.
    """
    line: list[Operation] = []
    delayed: list[Operation] = []
    counted = {(letter, chunk): iter(pipeline.batches(chunk)) for letter in (FORWARD, BACKWARD) for chunk in chunks}

    def run(letter: str, which: int, *, split: bool = False) -> None:
        operation = Operation(letter, next(counted[letter, chunks[which]]), chunks[which])
        line.append(operation)
        if letter == BACKWARD:
            (delayed if split else line).append(operation._replace(letter=WEIGHT))

    before, inside = depth - place - 1, place + 1
    for _ in range(2 * before):
        run(FORWARD, 0)
    for _ in range(inside):
        run(FORWARD, 0)
        run(FORWARD, 1)
    for _ in range(before):
        run(BACKWARD, 1, split=True)
        line.append(delayed.pop(0))
        run(FORWARD, 1)
    for _ in range(total - 2 * depth + inside):
        run(FORWARD, 0)
        run(BACKWARD, 1)
        run(FORWARD, 1)
        run(BACKWARD, 0)
    for _ in range(before):
        run(BACKWARD, 1)
        run(FORWARD, 1)
        run(BACKWARD, 0)
    for number in range(2 * inside):
        run(BACKWARD, (number + 1) % 2, split=number >= inside)
    for _ in range(before):
        line.append(delayed.pop(0))
        run(BACKWARD, 0, split=True)
    return (*line, *delayed)
