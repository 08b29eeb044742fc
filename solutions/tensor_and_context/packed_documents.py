"""Documents packed into one sequence: how unevenly context-parallel ranks share the attention."""

from __future__ import annotations

from ..facts.arguments import require_counts


def document_imbalance(*, tokens: int, cp: int, long_tokens: int, short_tokens: int) -> float:
    """Return the attention pairs of the busiest rank relative to the average, when documents do not attend to each other.

        busiest = m - 1/2 + b  (m ≤ cp),  2·cp  (m > cp)        average = (m²/2 + (2·cp - m)·b) / cp        b = s / 2h

    Counted in squares of a chunk's h tokens: chunk i of a document has i + 1/2 of them (a triangle is half a square), and a
    chunk of short documents of s tokens has b. The long document fills m of 2·cp chunks; rank r has chunks r and 2·cp-1-r.

    One long document comes first, and short ones of equal length follow. Chunks from head and tail balance one causal
    document over the whole sequence, and not this mask.

    Units:   counts of tokens. Result is a ratio, at least 1.
    Raises:  ValueError if a count is below 1, 2·cp chunks do not divide the tokens, the long document does not fill whole
             chunks, or the short ones do not divide a chunk.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (2·CP chunks, document masks); Transformer Engine, issue 1368:
             packed sequences are cut document by document for this reason.

    >>> round(document_imbalance(tokens=65536, cp=4, long_tokens=65536, short_tokens=1024), 6)    # one document: balanced
    1.0
    >>> round(document_imbalance(tokens=65536, cp=4, long_tokens=32768, short_tokens=1024), 2)
    1.73
    """
    require_counts(tokens=tokens, cp=cp, long_tokens=long_tokens, short_tokens=short_tokens)
    chunks = 2 * cp
    if tokens % chunks or long_tokens > tokens or long_tokens % (tokens // chunks) or tokens // chunks % short_tokens:
        raise ValueError(f"{chunks} chunks must divide {tokens} tokens, and documents must fill whole chunks")
    chunk = tokens // chunks
    in_long = long_tokens // chunk
    short_squares = short_tokens / (2 * chunk)
    busiest = in_long - 0.5 + short_squares if in_long <= cp else chunks
    average = (in_long * in_long / 2 + (chunks - in_long) * short_squares) / cp
    return busiest / average
