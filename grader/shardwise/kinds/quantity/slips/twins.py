"""Twins: a slip and a recognised mistake that give the same number, distinguished by the subjects of their sentences."""

from __future__ import annotations

import re

# The subject of a slip, and the words by which a mistake's sentence has the same subject.
_CAUSES = (
    (re.compile(r"direction"), re.compile(r"direction|duplex|both ways|one way|bandwidth|rate|fast|port", re.IGNORECASE)),
    (re.compile(r"bits or bytes"), re.compile(r"\bbits?\b|\bbytes?\b", re.IGNORECASE)),
    (re.compile(r"^assumed \d+ bytes per"), re.compile(r"\bbytes?\b|BF16|FP16|FP32|FP8|16[- ]bit|32[- ]bit", re.IGNORECASE)),
    (
        re.compile(r"^omitted a factor of 2$"),
        re.compile(
            r"factor|twice|phase|half|halv|halfway|\btwo\b|\b2\b|double|once|forward|backward|there and back|gather|scatter|each way|squar|root",
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip


def is_another_cause(how: str, say: str) -> bool:
    """Return whether a slip has a cause that a mistake's sentence does not mention.

    >>> is_another_cause("omitted a factor of 2", "The sheet adds up both directions.")
    True
    >>> is_another_cause("omitted a factor of 2", "That is one phase.")
    False
    """
    return any(slip.search(how) and not same.search(say) for slip, same in _CAUSES)
