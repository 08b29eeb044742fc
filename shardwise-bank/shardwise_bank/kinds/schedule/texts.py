"""The texts of a schedule question: the pipeline, the rules, the notation and the target, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shardwise_bank.kinds.schedule.explain import counted_in_words, counted_unit
from shardwise_bank.kinds.schedule.model import ScheduleForm
from shardwise_bank.pipelines.pipeline import WORDS


def blank_lines(form: ScheduleForm) -> str:
    """Return the empty lines that a student fills in."""
    return "\n".join(f"stage {stage}:" for stage in range(1, form.stages + 1))


def series(form: ScheduleForm) -> list[dict[str, Any]]:
    """Return the operations of a stage in order, with a name, for each letter and chunk."""
    pipeline = form.pipeline
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for operation in pipeline.operations():
        chunk = f" of chunk {operation.chunk}" if form.chunks > 1 else ""
        name = f"{WORDS[operation.letter]}{chunk}"
        place = found.setdefault(
            (operation.letter, operation.chunk), {"name": name, "letter": operation.letter, "operations": []}
        )
        place["operations"].append(pipeline.written(operation))
    return list(found.values())


def body(form: ScheduleForm) -> str:
    """Return everything that a student must know besides the prompt."""
    target = "\n".join(f"- {line}" for line in target_lines(form))
    rules = "\n".join(f"- {line}" for line in _rules(form))
    return (
        f"**The pipeline**\n\n{rules}\n\n**The target**\n\n{target}\n\n"
        f"Write the operations of each stage in order, one line per stage:\n\n```text\n{blank_lines(form)}\n```"
    )


def _rules(form: ScheduleForm) -> Iterator[str]:
    durations = [("F", "the forward pass of", form.forward), ("B", "the backward pass of", form.backward)]
    if form.weight:
        durations[1] = ("B", "the input gradient of", form.backward)
        durations.append(("W", "the weight gradient of", form.weight))
    yield f"{form.stages} stages and {counted_in_words(form.micro_batches, 'micro-batch')}, numbered from 1."
    for letter, what, slots in durations:
        example = f"{letter}2.1" if form.chunks > 1 else f"{letter}2"
        which = "micro-batch 2 in chunk 1" if form.chunks > 1 else "micro-batch 2"
        yield f"`{example}` is {what} {which}; {_slots(letter, slots)}."
    yield from _placement(form)
    other = {"both": "stage of the model"}.get(form.placement, "piece" if form.chunks > 1 else "stage")
    there = f"after {counted_in_words(form.hop, 'slot')}" if form.hop else "immediately"
    yield (
        f"`F` needs the `F` of the previous {other}. `B` needs the `F` of its own {other}, and the `B` of the next {other} if there is one."
        + (f" `W` needs the `B` of its own {other}." if form.weight else "")
        + f" A result reaches another stage {there}."
    )
    yield "A stage runs its operations from left to right. Each one starts as soon as the previous one is done and its inputs have arrived."
    where = "in a chunk of a stage" if form.chunks > 1 else "on a stage"
    counted = " Each chunk counts separately." if form.chunks > 1 else ""
    yield f"A micro-batch is in flight {where} from the start of its `F` to the end of its `{'W' if form.weight else 'B'}`.{counted}"
    for where, most in _grouped(form.room):
        yield f"Memory: {where} has room for {counted_in_words(most, counted_unit(form))} in flight. One more exceeds it."


def _placement(form: ScheduleForm) -> Iterator[str]:
    """Yield a sentence about the placement of the chunks, if stages have several."""
    stages, half = form.stages, len(form.pipeline.batches(1))
    if form.placement == "both":
        yield (
            f"Each stage holds two of the {stages} stages of the model: stage 1 holds the first as chunk 1 and the last as chunk 2, and stage "
            f"{stages} the last as chunk 1 and the first as chunk 2. Micro-batches 1 to {half} pass through chunk 1, from stage 1 to stage "
            f"{stages}, and the others through chunk 2, from stage {stages} to stage 1."
        )
    elif form.placement == "v":
        yield (
            f"The model is split into {2 * stages} pieces, which go down the stages and come back up: stage 1 holds pieces 1 and {2 * stages} "
            f"as its chunks 1 and 2, and stage {stages} holds pieces {stages} and {stages + 1}."
        )
    elif form.chunks > 1:
        pieces, chunks = (_and([str(chunk * step + 1) for chunk in range(form.chunks)]) for step in (stages, 1))
        yield (
            f"Each stage holds {form.chunks} chunks of the model, which is split into {stages * form.chunks} pieces. "
            f"Stage 1 holds pieces {pieces} as its chunks {chunks}, stage 2 holds the next piece after each of these, and so on."
        )


def target_lines(form: ScheduleForm) -> Iterator[str]:
    """Yield the conditions that a right schedule meets."""
    if form.most_slots is not None:
        yield f"The schedule takes at most **{counted_in_words(form.most_slots, 'slot')}**."
    if form.most_idle is not None:
        yield f"All stages together are idle for at most **{counted_in_words(form.most_idle, 'slot')}** before the schedule ends."
    for where, most in _grouped(form.most_in_flight):
        yield f"At most **{counted_in_words(most, counted_unit(form))}** are in flight on {where}."


def last_slot(form: ScheduleForm) -> int | None:
    """Return the latest end that the target allows, by its slots or its idle slots; None when it limits neither."""
    work = sum(form.pipeline.work(stage) for stage in range(1, form.stages + 1))
    by_idle = None if form.most_idle is None else (form.most_idle + work) // form.stages
    return min((bound for bound in (form.most_slots, by_idle) if bound is not None), default=None)


def _grouped(bounds: Sequence[int | None]) -> list[tuple[str, int]]:
    """Return bounds with their stages; a single one when all stages have the same."""
    if len(set(bounds)) == 1:
        return [("every stage", most) for most in bounds[:1] if most is not None]
    return [(f"stage {stage}", most) for stage, most in enumerate(bounds, start=1) if most is not None]


def _slots(letter: str, slots: Sequence[int]) -> str:
    if len(set(slots)) == 1:
        return f"it takes {counted_in_words(slots[0], 'slot')}"
    return f"it takes {_and(list(map(str, slots)))} slots on stages 1 to {len(slots)}"


def _and(words: Sequence[str]) -> str:
    """Join words in a sentence: 1, 2 and 3."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else words[0]
