"""One run with checkpoints, played against failures that were drawn: what it does at every moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Span:
    """What a run did for a while: "trains", "writes", "restarts", or "lost" for work that a failure destroyed."""

    kind: str
    begun: float
    ended: float


def drawn_failures(*, mtbf_s: float, until_s: float, seed: int) -> tuple[float, ...]:
    """Moments at which a job fails whose failures come at a constant rate."""
    rng = Random(seed)
    moments: list[float] = []
    clock = rng.expovariate(1 / mtbf_s)
    while clock < until_s:
        moments.append(clock)
        clock += rng.expovariate(1 / mtbf_s)
    return tuple(moments)


def play_run(
    failures: Sequence[float], *, interval_s: float, write_s: float, restart_s: float, until_s: float
) -> list[Span]:
    """Train for an interval, write, and so on; a failure destroys what was not written, and a restart follows.

    A failure during a write destroys the work before it as well; one during a restart makes that begin anew.
    """
    spans: list[Span] = []
    clock = 0.0
    for number, strike in enumerate((*failures, until_s)):
        fails = strike < until_s
        if number:  # a failure came before
            spans.append(Span("restarts", clock, min(clock + restart_s, strike)))
            clock = spans[-1].ended
        while clock + interval_s + write_s <= strike:
            trained = clock + interval_s
            spans += [Span("trains", clock, trained), Span("writes", trained, trained + write_s)]
            clock = trained + write_s
        trained = min(clock + interval_s, strike)
        if clock < trained:
            spans.append(Span("lost" if fails else "trains", clock, trained))
        if trained < strike:
            spans.append(Span("lost" if fails else "writes", trained, strike))
        clock = strike
    return spans
