"""Token ids on disk: how wide an id is, what a data set weighs, how long tokenising takes, and how fast a run reads."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive, require_whole

IDS_OF_16_BITS = 2**16  # 0 to 65,535


def token_id_bytes(*, vocabulary: int) -> int:
    """Bytes of one token id on disk: 2 where an unsigned 16-bit number holds every id, else 4.

        2 if V ≤ 65,536, else 4

    Ids count from 0, so a vocabulary of exactly 65,536 still fits. Megatron-LM stays a little below and changes at 65,500.

    Units:   vocabulary is a count. Result in bytes.
    Raises:  ValueError if vocabulary is not a count.
    Source:  arithmetic; Megatron-LM, megatron/core/datasets/indexed_dataset.py, DType.optimal_dtype (cardinality < 65500).

    >>> [token_id_bytes(vocabulary=size) for size in (32_000, 50_257, 65_536, 128_256)]
    [2, 2, 2, 4]
    """
    require_counts(vocabulary=vocabulary)
    return 2 if vocabulary <= IDS_OF_16_BITS else 4


def token_set_bytes(*, tokens: float, vocabulary: int) -> float:
    """Size of a tokenised data set on disk, ids one after the other and uncompressed.

        bytes = tokens · bytes of an id

    Units:   counts. Result in bytes.
    Raises:  ValueError if tokens is not positive or vocabulary is not a count.
    Source:  arithmetic on token_id_bytes of this module.

    >>> token_set_bytes(tokens=1.5e12, vocabulary=32_000) / 1e12, token_set_bytes(tokens=1.5e12, vocabulary=128_256) / 1e12
    (3.0, 6.0)
    """
    require_positive(tokens=tokens)
    return tokens * token_id_bytes(vocabulary=vocabulary)


def stored_id(*, token: int, id_bits: int) -> int:
    """The id that is read back when a token is written as an unsigned number of so many bits without a check.

        stored = token mod 2^bits

    Units:   token is an id, from 0; id_bits a count. Result is an id.
    Raises:  ValueError if the id is negative or id_bits is not a count.
    Source:  C11, section 6.2.5, paragraph 9: unsigned numbers wrap around.

    >>> stored_id(token=128_000, id_bits=16), stored_id(token=128_000, id_bits=32)
    (62464, 128000)
    """
    require_counts(id_bits=id_bits)
    require_whole(token=token)
    ids: int = 2**id_bits
    return token % ids


def text_bytes_per_token(*, text_bytes: float, tokens: float) -> float:
    """How many bytes of text a tokenizer puts into one token, on average over a data set.

        bytes of UTF-8 / tokens

    Units:   bytes; a count. Result in bytes for a token.
    Raises:  ValueError if an argument is not positive.
    Source:  Soldaini et al. 2024 (Dolma), arXiv:2402.00159, Table 1 (bytes and Llama tokens of each source).

    >>> round(text_bytes_per_token(text_bytes=11_519e9, tokens=3_059e9), 2)    # Dolma, all sources
    3.77
    """
    require_positive(text_bytes=text_bytes, tokens=tokens)
    return text_bytes / tokens


def tokenised_bytes(*, text_bytes: float, bytes_per_token: float, vocabulary: int) -> float:
    """Size of the token ids of a text.

        bytes = text / (bytes of text for a token) · bytes of an id

    Units:   text_bytes in bytes; bytes_per_token in bytes of text for a token; vocabulary a count. Result in bytes.
    Raises:  ValueError if an argument is not positive or vocabulary is not a count.
    Source:  arithmetic on token_id_bytes of this module.

    >>> tokenised_bytes(text_bytes=60e12, bytes_per_token=4, vocabulary=128_256) / 1e12
    60.0
    """
    require_positive(text_bytes=text_bytes, bytes_per_token=bytes_per_token)
    return token_set_bytes(tokens=text_bytes / bytes_per_token, vocabulary=vocabulary)


def read_bytes_per_s(*, samples_per_s: float, sample_bytes: float) -> float:
    """Rate at which a whole run reads its data, each sample once.

        rate = samples a second · bytes of a sample

    Copies count once: ranks that share a sample (tensor, pipeline parallelism) can receive it from one reader.

    Units:   samples (tokens, images, clips) per second of the whole run; bytes. Result in bytes per second.
    Raises:  ValueError if an argument is not positive.
    Source:  arithmetic.

    >>> read_bytes_per_s(samples_per_s=64 * 8000, sample_bytes=4) / 1e6     # tokens of Llama-3-8B on 64 H100
    2.048
    """
    require_positive(samples_per_s=samples_per_s, sample_bytes=sample_bytes)
    return samples_per_s * sample_bytes
