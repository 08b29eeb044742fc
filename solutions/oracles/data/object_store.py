"""An object store, played: connections fetch request after request, and a clock runs next to them."""

from __future__ import annotations

from fractions import Fraction

from ..search import bisect, smallest

ROUNDS = 5


def _fetched(connections: int, request_bytes: float, latency_s: float, stream_bytes_per_s: float) -> Fraction:
    """Bytes per second of connections that each fetch some requests, one after the other."""
    clock, fetched = Fraction(0), Fraction(0)
    for _ in range(ROUNDS):
        clock += Fraction(latency_s)
        clock += Fraction(request_bytes) / Fraction(stream_bytes_per_s)
        fetched += connections * Fraction(request_bytes)
    return fetched / clock


def request_seconds(*, request_bytes: float, latency_s: float, stream_bytes_per_s: float) -> float:
    """Watch one connection for some requests, and divide."""
    per_s = _fetched(1, request_bytes, latency_s, stream_bytes_per_s)
    return float(Fraction(request_bytes) / per_s)


def read_bytes_per_s(
    *, requests_in_flight: int, request_bytes: float, latency_s: float, stream_bytes_per_s: float
) -> float:
    """Let the connections fetch."""
    return float(_fetched(requests_in_flight, request_bytes, latency_s, stream_bytes_per_s))


def samples_per_s(
    *,
    workers: int,
    requests_per_worker: int,
    samples_per_request: int,
    sample_bytes: float,
    latency_s: float,
    stream_bytes_per_s: float,
) -> float:
    """Let one request deliver its samples, and ask how many requests of all workers end in a second."""
    seconds = Fraction(latency_s)
    for _ in range(samples_per_request):
        seconds += Fraction(sample_bytes) / Fraction(stream_bytes_per_s)
    ended = sum(1 / seconds for _ in range(workers * requests_per_worker))
    return float(ended * samples_per_request)


def requests_in_flight(*, bytes_per_s: float, request_bytes: float, latency_s: float, stream_bytes_per_s: float) -> int:
    """Open connections until they are fast enough."""
    needed = Fraction(bytes_per_s) * (1 - Fraction(1, 10**12))
    return smallest(lambda n: _fetched(n, request_bytes, latency_s, stream_bytes_per_s) >= needed, largest=10**9)


def smallest_request_bytes(
    *, bytes_per_s: float, requests_in_flight: int, latency_s: float, stream_bytes_per_s: float
) -> float:
    """Make the requests larger until the connections are fast enough."""

    def too_fast(request_bytes: float) -> float:
        seconds = latency_s + request_bytes / stream_bytes_per_s
        return requests_in_flight * request_bytes / seconds - bytes_per_s

    if too_fast(1e18) < 0:
        raise ValueError("never fast enough")
    return bisect(too_fast, 1.0, 1e18)


def epoch_read_limit(
    *,
    files: float,
    file_bytes: float,
    requests_per_s: float,
    store_bytes_per_s: float,
    connections: int,
    latency_s: float,
    stream_bytes_per_s: float,
) -> str:
    """Ask how many files a second each limit lets through alone; the narrowest one holds."""
    _ = files
    through = {
        "connections": _fetched(connections, file_bytes, latency_s, stream_bytes_per_s) / Fraction(file_bytes),
        "bandwidth": Fraction(store_bytes_per_s) / Fraction(file_bytes),
        "requests": Fraction(requests_per_s),
    }
    return sorted(through, key=lambda limit: through[limit])[0]
