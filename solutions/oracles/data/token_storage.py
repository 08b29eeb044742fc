"""Token ids, written: bits are counted, ids are packed into bytes, cores work off documents, and a second of a run is read."""

from __future__ import annotations

from fractions import Fraction

WIDTHS = (2, 4)  # what readers of flat files of ids support


def token_id_bytes(*, vocabulary: int) -> int:
    """Try the widths, and take the first that gives the largest id back."""
    largest = int(vocabulary) - 1
    for width in WIDTHS:
        try:
            written = largest.to_bytes(width, "little")
        except OverflowError:
            continue
        if int.from_bytes(written, "little") == largest:
            return width
    raise ValueError(f"no id of {vocabulary} fits")


def token_set_bytes(*, tokens: float, vocabulary: int) -> float:
    """Write a thousand of the largest ids, measure the file, and scale it up."""
    file = b"".join(
        (int(vocabulary) - 1).to_bytes(token_id_bytes(vocabulary=vocabulary), "little") for _ in range(1000)
    )
    return float(Fraction(tokens) / 1000 * len(file))


def stored_id(*, token: int, id_bits: int) -> int:
    """Keep the lowest bits, one by one."""
    return sum(((token >> place) & 1) << place for place in range(id_bits))


def text_bytes_per_token(*, text_bytes: float, tokens: float) -> float:
    """Hand the bytes out to the tokens."""
    return float(Fraction(text_bytes) / Fraction(tokens))


def tokenised_bytes(*, text_bytes: float, bytes_per_token: float, vocabulary: int) -> float:
    """Let a gigabyte of text shrink or grow to its ids, and take so many gigabytes."""
    one = token_set_bytes(tokens=float(Fraction(10**9) / Fraction(bytes_per_token)), vocabulary=vocabulary)
    return float(Fraction(text_bytes) / 10**9) * one


def read_bytes_per_s(*, samples_per_s: float, sample_bytes: float) -> float:
    """Read a minute of a run, byte counter running, and divide by sixty."""
    counter = sum(Fraction(samples_per_s) * Fraction(sample_bytes) for _ in range(60))
    return float(counter / 60)
