"""Documents in sequences: what padding wastes, which documents a cut hits, how best-fit packing does, and what a mask saves."""

from __future__ import annotations

from collections.abc import Sequence

from ..facts.arguments import require_counts, require_positive


def padding_share(*, lengths: Sequence[int], sequence_length: int) -> float:
    """Share of padding when every document has a sequence of its own; longer ones are cut into whole sequences and a rest.

        padding = 1 - Σ tokens / (sequences · L)

    Units:   counts of tokens. Result as a fraction of all positions.
    Raises:  ValueError if there is no document or a count is below 1.
    Source:  counting.

    >>> padding_share(lengths=[512, 1024, 2048, 512], sequence_length=2048)
    0.5
    """
    _require_documents(lengths, sequence_length)
    sequences = sum(-(-length // sequence_length) for length in lengths)
    return 1 - sum(lengths) / (sequences * sequence_length)


def concatenated_sequences(*, lengths: Sequence[int], sequence_length: int) -> int:
    """Sequences that hold all documents, put one after the other and cut every L tokens; the last one may be padded.

        sequences = ⌈Σ tokens / L⌉

    Units:   counts of tokens, each with its end-of-document token. Result is a count.
    Raises:  ValueError if there is no document or a count is below 1.
    Source:  Ding et al. 2024, arXiv:2404.10830, section 1 (concatenate, then split).

    >>> concatenated_sequences(lengths=[14, 7, 5, 2, 3], sequence_length=8)
    4
    """
    _require_documents(lengths, sequence_length)
    return -(-sum(lengths) // sequence_length)


def documents_cut(*, lengths: Sequence[int], sequence_length: int) -> int:
    """Documents of which a boundary between sequences goes through the middle, when they are concatenated and then split.

    Units:   counts of tokens. Result is a count of documents; one that is cut twice counts once.
    Raises:  ValueError if there is no document or a count is below 1.
    Source:  Ding et al. 2024, arXiv:2404.10830, Figure 1.

    >>> documents_cut(lengths=[14, 7, 5, 2, 3], sequence_length=8)
    3
    """
    _require_documents(lengths, sequence_length)
    cut = start = 0
    for length in lengths:
        first, last = start // sequence_length, (start + length - 1) // sequence_length
        cut += first != last
        start += length
    return cut


def best_fit_sequences(*, lengths: Sequence[int], sequence_length: int) -> int:
    """Sequences of best-fit packing: documents longer than L are cut first, then no piece is cut any more.

    Pieces are taken from the longest to the shortest; each goes where the least room is left over, or opens a sequence.

    Units:   counts of tokens. Result is a count.
    Raises:  ValueError if there is no document or a count is below 1.
    Source:  Ding et al. 2024, arXiv:2404.10830, section 2 (best-fit decreasing).

    >>> best_fit_sequences(lengths=[14, 7, 5, 2, 3], sequence_length=8)
    4
    """
    _require_documents(lengths, sequence_length)
    pieces: list[int] = []
    for length in lengths:
        whole, rest = divmod(length, sequence_length)
        pieces += [sequence_length] * whole + ([rest] if rest else [])
    rooms: list[int] = []
    for piece in sorted(pieces, reverse=True):
        fitting = [room for room in rooms if room >= piece]
        if fitting:
            rooms.remove(min(fitting))
            rooms.append(min(fitting) - piece)
        else:
            rooms.append(sequence_length - piece)
    return len(rooms)


def chance_of_a_cut(*, length: int, sequence_length: int) -> float:
    """Chance that a document is cut when documents are concatenated and split, and it begins anywhere in a sequence.

        p = min(1, (n - 1) / L)

    Of the L places at which it can begin, n - 1 leave too little room.

    Units:   counts of tokens. Result as a fraction.
    Raises:  ValueError if a count is below 1.
    Source:  counting.

    >>> chance_of_a_cut(length=1025, sequence_length=4096)
    0.25
    """
    require_counts(length=length, sequence_length=sequence_length)
    return min(1.0, (length - 1) / sequence_length)


def pairs_kept(*, lengths: Sequence[int], sequence_length: int) -> float:
    """Share of a sequence's pairs of tokens that are left when tokens attend within their document only.

        share = Σ n² / L²

    The causal mask halves both, up to the diagonal.

    Units:   counts of tokens of the documents in one full sequence. Result as a fraction.
    Raises:  ValueError if there is no document, a count is below 1, or they do not fill the sequence exactly.
    Source:  counting; Llama Team 2024, arXiv:2407.21783, section 3.2 (a mask between documents of a sequence).

    >>> pairs_kept(lengths=[2048, 2048, 4096], sequence_length=8192)
    0.375
    """
    _require_documents(lengths, sequence_length)
    if sum(lengths) != sequence_length:
        raise ValueError(f"{sum(lengths)} tokens do not fill a sequence of {sequence_length}")
    return sum(length**2 for length in lengths) / sequence_length**2


def share_saved_by_mask(*, score_share: float, documents: int) -> float:
    """Return the share of a step's FLOP that a mask between equally long documents saves, by the count that gave score_share.

        saved = score_share · (1 - 1/documents)

    The kernel must skip masked blocks for that. All other products take as long as before.

    Units:   score_share is the ratio of attention scores in a step's FLOP without the mask; documents per sequence, a count.
             Result as a ratio.
    Raises:  ValueError if score_share is not positive or above 1, or documents is below 1.
    Source:  counting; a document has 1/documents² of the pairs of its sequence.

    >>> share_saved_by_mask(score_share=0.22, documents=8)
    0.1925
    """
    require_positive(score_share=score_share)
    require_counts(documents=documents)
    if score_share > 1:
        raise ValueError(f"score_share must be at most 1, not {score_share!r}")
    return score_share * (1 - 1 / documents)


def _require_documents(lengths: Sequence[int], sequence_length: int) -> None:
    if not lengths:
        raise ValueError("lengths needs one document at least")
    require_counts(sequence_length=sequence_length, **{f"length_{place}": n for place, n in enumerate(lengths)})
    require_positive(sequence_length=sequence_length)
