"""Packing, played token by token: documents are written into sequences, and the marks at their ends are read again."""

from __future__ import annotations

from collections.abc import Sequence


def padding_share(*, lengths: Sequence[int], sequence_length: int) -> float:
    """Fill sequences document by document, and count what stays empty."""
    positions = empty = 0
    for length in lengths:
        left = length
        while left > 0:
            used = min(left, sequence_length)
            positions, empty, left = positions + sequence_length, empty + sequence_length - used, left - used
    return empty / positions


def _stream(lengths: Sequence[int]) -> list[int]:
    return [document for document, length in enumerate(lengths) for _ in range(length)]


def concatenated_sequences(*, lengths: Sequence[int], sequence_length: int) -> int:
    """Write the stream down, and cut it."""
    stream = _stream(lengths)
    return sum(1 for _ in range(0, len(stream), sequence_length))


def documents_cut(*, lengths: Sequence[int], sequence_length: int) -> int:
    """Look at the tokens on both sides of every cut: the same document means that it was hit."""
    stream = _stream(lengths)
    return len(
        {stream[cut] for cut in range(sequence_length, len(stream), sequence_length) if stream[cut - 1] == stream[cut]}
    )


def best_fit_sequences(*, lengths: Sequence[int], sequence_length: int) -> int:
    """Keep the free places as a list by size of room, and pack one piece after the other."""
    waiting = [0] * (sequence_length + 1)
    for length in lengths:
        left = length
        while left > 0:
            piece = min(left, sequence_length)
            waiting[piece] += 1
            left -= piece
    open_by_room = [0] * (sequence_length + 1)
    opened = 0
    for piece in range(sequence_length, 0, -1):
        for _ in range(waiting[piece]):
            room = next((size for size in range(piece, sequence_length + 1) if open_by_room[size]), None)
            if room is None:
                room, opened = sequence_length, opened + 1
            else:
                open_by_room[room] -= 1
            open_by_room[room - piece] += 1
    return opened


def chance_of_a_cut(*, length: int, sequence_length: int) -> float:
    """Let the document begin at every place, and count the starts from which it crosses a boundary."""
    crossing = sum((start + length - 1) // sequence_length > 0 for start in range(sequence_length))
    return crossing / sequence_length


def pairs_kept(*, lengths: Sequence[int], sequence_length: int) -> float:
    """For every token, count the tokens of its own document."""
    mates = sum(length for length in lengths for _ in range(length))
    return mates / sequence_length**2


def share_saved_by_mask(*, score_share: float, documents: int) -> float:
    """Mark the pairs of a sequence whose documents have 3 tokens each, and see which share of them lies within a document."""
    tokens = range(3 * documents)
    within = sum(query // 3 == key // 3 for query in tokens for key in tokens)
    return score_share - score_share * within / len(tokens) ** 2
