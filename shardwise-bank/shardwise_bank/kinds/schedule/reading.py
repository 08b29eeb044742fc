"""Reading a schedule as people write it: lines of text, lists or a dictionary. All faults are reported at once.

Every stage runs each operation exactly once. The notation can therefore be read generously: a misreading leaves operations
missing or repeated, and the answer is rejected with a message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Unreadable
from shardwise_bank.kinds.schedule.explain import counted_in_words
from shardwise_bank.kinds.schedule.lines import schedule_lines
from shardwise_bank.kinds.schedule.notation import Written, schedule_tokens
from shardwise_bank.pipelines.pipeline import WEIGHT, Operation, Pipeline, Schedule

MOST_FAULTS = 6  # reported at once
MOST_SHOWN = 300  # operations, up to which a schedule itself is a short enough example


@dataclass(frozen=True)
class Reading:
    """A schedule, and a note about renumbered operations."""

    schedule: Schedule
    note: str = ""


def read_schedule(pipeline: Pipeline, raw: Any) -> Reading | None:
    """Read the schedule of an answer; None when it has only the names of the stages. Raises Unreadable."""
    lines, faults = schedule_lines(pipeline, raw)
    if lines:
        faults += [f"stage {stage} has no line" for stage in range(1, pipeline.stages + 1) if stage not in lines]
    if not faults and all(text.strip(" .…") == "" for text in lines.values()):
        return None
    written: dict[int, list[Written]] = {}
    for stage, text in sorted(lines.items()):
        written[stage], unread = schedule_tokens(text, has_chunks=pipeline.chunks > 1)
        faults += [f"stage {stage}: I cannot read “{token}”" for token in unread[:2]]
    notes = _count_from_one(pipeline, written)
    for stage, line in written.items():
        if wrong := _incomplete(pipeline, line):
            faults.append(f"stage {stage}: {'; '.join(wrong)}")
    if faults:
        raise _unreadable(pipeline, faults + notes)
    schedule = tuple(
        tuple(Operation(letter, number, chunk or 1) for letter, number, chunk in line) for line in written.values()
    )
    return Reading(schedule, "; ".join(notes))


def read_so_far(pipeline: Pipeline, raw: Any) -> tuple[Schedule, list[str]]:
    """Return the runnable part of an unfinished schedule, and the faults of the rest. Raises Unreadable."""
    lines, faults = schedule_lines(pipeline, raw)  # stages may have no line yet
    written: dict[int, list[Written]] = {}
    for stage in range(1, pipeline.stages + 1):
        written[stage], unread = schedule_tokens(lines.get(stage, ""), has_chunks=pipeline.chunks > 1)
        faults += [f"stage {stage}: I cannot read “{token}”" for token in unread[:2]]
    _count_from_one(pipeline, written)
    known = {Written(*operation) for operation in pipeline.operations()}
    for stage, line in written.items():
        if wrong := _impossible(pipeline, line):
            faults.append(f"stage {stage}: {'; '.join(wrong)}")
    schedule = tuple(
        tuple(
            Operation(letter, number, chunk or 1)
            for letter, number, chunk in dict.fromkeys(line)
            if (letter, number, chunk) in known
        )
        for line in written.values()
    )
    return schedule, faults


def fault_sentences(faults: Sequence[str]) -> str:
    """Return faults as sentences: the first few, and the number of others."""
    listed = [f"{fault[0].upper()}{fault[1:]}." for fault in faults[:MOST_FAULTS]]
    more = len(faults) - len(listed)
    return " ".join(
        [*listed, *([f"There {'is' if more == 1 else 'are'} {counted_in_words(more, 'more fault')}."] if more else [])]
    )


def _unreadable(pipeline: Pipeline, faults: Sequence[str]) -> Unreadable:
    words = f"I couldn't read this as a schedule. {fault_sentences(faults)}"
    return Unreadable(words, shows_example=_size(pipeline) > MOST_SHOWN)


def _size(pipeline: Pipeline) -> int:
    return pipeline.stages * len(pipeline.operations())


def _count_from_one(pipeline: Pipeline, written: Mapping[int, list[Written]]) -> list[str]:
    """Renumber in place what was counted from 0; return notes about it."""
    notes = []
    tokens = [token for line in written.values() for token in line]
    numbers = {token.micro_batch for token in tokens}
    if 0 in numbers and max(numbers) < pipeline.micro_batches:
        notes.append("you counted micro-batches from 0, so I read F0 as F1")
        for line in written.values():
            line[:] = [token._replace(micro_batch=token.micro_batch + 1) for token in line]
    chunks = {token.chunk for token in tokens if token.chunk is not None}
    if 0 in chunks and max(chunks) < pipeline.chunks:
        notes.append("you counted chunks from 0, so I read chunk 0 as chunk 1")
        for line in written.values():
            line[:] = [token if token.chunk is None else token._replace(chunk=token.chunk + 1) for token in line]
    for line in written.values():
        line[:] = [token._replace(chunk=1) if token.chunk is None and pipeline.chunks == 1 else token for token in line]
    return notes


def _incomplete(pipeline: Pipeline, line: Sequence[Written]) -> list[str]:
    """Return the faults of a line: unknown, repeated and missing operations."""
    there = set(line)
    missing = [wanted for operation in pipeline.operations() if (wanted := Written(*operation)) not in there]
    absent = [_listed(pipeline, missing, "is missing", "are missing")] if missing else []
    return _impossible(pipeline, line) + absent


def _impossible(pipeline: Pipeline, line: Sequence[Written]) -> list[str]:
    """Return the faults of a line: unknown and repeated operations."""
    wanted = [Written(*operation) for operation in pipeline.operations()]
    known = set(wanted)
    counts = Counter(line)
    faults = []
    strangers = [operation for operation in counts if operation not in known]
    faults += [_strange(pipeline, operation) for operation in strangers[:2]]
    twice = [operation for operation in wanted if counts[operation] > 1]
    if twice:
        faults.append(_listed(pipeline, twice, "comes more than once", "come more than once"))
    return faults


def _strange(pipeline: Pipeline, operation: Written) -> str:
    letter, micro_batch, chunk = operation
    if letter == WEIGHT and not pipeline.weight:
        return f"W{micro_batch} does not exist, because the backward pass is not split here"
    if not 1 <= micro_batch <= pipeline.micro_batches:
        return f"{letter}{micro_batch} does not exist; the micro-batches are 1 to {pipeline.micro_batches}"
    if chunk is None:
        return f"{letter}{micro_batch} needs a chunk number, such as {letter}{micro_batch}.1"
    if pipeline.chunks == 1:
        return f"{letter}{micro_batch}.{chunk} names a chunk, but each stage has only one here"
    if pipeline.placement == "both" and chunk in (1, 2):
        return (
            f"{letter}{micro_batch}.{chunk} does not exist: micro-batch {micro_batch} passes through chunk {3 - chunk}"
        )
    return (
        f"{letter}{micro_batch}.{chunk} does not exist: write the micro-batch before the dot and the chunk, 1 to {pipeline.chunks}, "
        "after it"
    )


def _listed(pipeline: Pipeline, operations: Sequence[Written], each: str, several: str) -> str:
    """List operations, with runs of them shortened: F2, B1 to B4 are missing."""
    runs: list[list[Written]] = []
    for operation in operations:
        before = runs[-1][-1] if runs else None
        if before is not None and before._replace(micro_batch=before.micro_batch + 1) == operation:
            runs[-1].append(operation)
        else:
            runs.append([operation])
    parts = [
        _name(pipeline, run[0]) if len(run) == 1 else f"{_name(pipeline, run[0])} to {_name(pipeline, run[-1])}"
        for run in runs[:4]
    ]
    more = f" and {len(runs) - 4} more" if len(runs) > 4 else ""
    return f"{', '.join(parts)}{more} {each if len(operations) == 1 else several}"


def _name(pipeline: Pipeline, operation: Written) -> str:
    return pipeline.written(Operation(operation.letter, operation.micro_batch, operation.chunk or 1))
