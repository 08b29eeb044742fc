"""Reading from an object store: requests on their way, the size of a request that pays, and which limit holds."""

from __future__ import annotations

from math import ceil

from ..facts.arguments import require_counts, require_not_negative, require_positive


def request_seconds(*, request_bytes: float, latency_s: float, stream_bytes_per_s: float) -> float:
    """Time of one request: it waits for the first byte, then the bytes come at the rate of one connection.

        t = latency + bytes / rate of a connection

    Units:   bytes, seconds, bytes per second. Result in seconds.
    Raises:  ValueError if bytes or rate are not positive, or the latency is negative.
    Source:  AWS, Amazon S3 User Guide, Performance design patterns (first byte in 100 to 200 ms; 85 to 90 MB/s a request).

    >>> round(request_seconds(request_bytes=8e6, latency_s=0.1, stream_bytes_per_s=80e6), 3)
    0.2
    """
    require_positive(request_bytes=request_bytes, stream_bytes_per_s=stream_bytes_per_s)
    require_not_negative(latency_s=latency_s)
    return latency_s + request_bytes / stream_bytes_per_s


def read_bytes_per_s(
    *, requests_in_flight: int, request_bytes: float, latency_s: float, stream_bytes_per_s: float
) -> float:
    """Rate that a number of requests on their way reach, when each is followed by the next.

        rate = n · bytes / (latency + bytes / rate of a connection)

    Units:   a count, bytes, seconds, bytes per second. Result in bytes per second.
    Raises:  ValueError as request_seconds, or if the number is not a count.
    Source:  Little 1961, doi:10.1287/opre.9.3.383: what is on its way = rate · time in the system.

    >>> read_bytes_per_s(requests_in_flight=16, request_bytes=8e6, latency_s=0.1, stream_bytes_per_s=80e6) / 1e6
    640.0
    """
    require_counts(requests_in_flight=requests_in_flight)
    seconds = request_seconds(request_bytes=request_bytes, latency_s=latency_s, stream_bytes_per_s=stream_bytes_per_s)
    return requests_in_flight * request_bytes / seconds


def samples_per_s(
    *,
    workers: int,
    requests_per_worker: int,
    samples_per_request: int,
    sample_bytes: float,
    latency_s: float,
    stream_bytes_per_s: float,
) -> float:
    """Samples that the workers of a loader read in a second, when a request fetches several that lie side by side.

        rate = workers · requests · k / (latency + k · bytes / rate of a connection)

    Units:   counts; bytes, seconds, bytes per second. Result in samples per second.
    Raises:  ValueError as read_bytes_per_s, or if a number is not a count.
    Source:  read_bytes_per_s of this module, over the bytes of a sample.

    >>> round(samples_per_s(workers=8, requests_per_worker=2, samples_per_request=64, sample_bytes=125e3,
    ...                     latency_s=0.1, stream_bytes_per_s=80e6))
    5120
    """
    require_counts(workers=workers, requests_per_worker=requests_per_worker, samples_per_request=samples_per_request)
    require_positive(sample_bytes=sample_bytes)
    rate = read_bytes_per_s(
        requests_in_flight=workers * requests_per_worker,
        request_bytes=samples_per_request * sample_bytes,
        latency_s=latency_s,
        stream_bytes_per_s=stream_bytes_per_s,
    )
    return rate / sample_bytes


def requests_in_flight(*, bytes_per_s: float, request_bytes: float, latency_s: float, stream_bytes_per_s: float) -> int:
    """The fewest requests that have to be on their way at all times to read at a rate.

        n = ⌈rate / bytes · (latency + bytes / rate of a connection)⌉

    Requests a second times the time of one: Little's law.

    Units:   bytes per second, bytes, seconds. Result is a count.
    Raises:  ValueError as request_seconds, or if the rate is not positive.
    Source:  Little 1961, doi:10.1287/opre.9.3.383.

    >>> requests_in_flight(bytes_per_s=1e9, request_bytes=8e6, latency_s=0.1, stream_bytes_per_s=80e6)
    25
    """
    require_positive(bytes_per_s=bytes_per_s)
    seconds = request_seconds(request_bytes=request_bytes, latency_s=latency_s, stream_bytes_per_s=stream_bytes_per_s)
    return max(1, ceil(bytes_per_s / request_bytes * seconds * (1 - 1e-12)))


def smallest_request_bytes(
    *, bytes_per_s: float, requests_in_flight: int, latency_s: float, stream_bytes_per_s: float
) -> float:
    """The smallest requests with which a number of connections reads at a rate.

        bytes = latency / (n / rate - 1 / rate of a connection)

    Units:   bytes per second, a count, seconds. Result in bytes.
    Raises:  ValueError if an argument is not positive, or n connections never reach the rate.
    Source:  read_bytes_per_s of this module, solved for the bytes.

    >>> needed = smallest_request_bytes(bytes_per_s=1e9, requests_in_flight=25, latency_s=0.1, stream_bytes_per_s=80e6)
    >>> round(needed / 1e6, 3)
    8.0
    """
    require_counts(requests_in_flight=requests_in_flight)
    require_positive(bytes_per_s=bytes_per_s, latency_s=latency_s, stream_bytes_per_s=stream_bytes_per_s)
    spare = requests_in_flight / bytes_per_s - 1 / stream_bytes_per_s
    if spare <= 0:
        raise ValueError(f"{requests_in_flight} connections never reach {bytes_per_s:g} bytes per second")
    return latency_s / spare


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
    """What sets the time of one pass over a data set in a store, where every file takes one request.

        "requests":     files / (requests a second that the store answers)
        "bandwidth":    files · bytes / rate of the store
        "connections":  files · (latency + bytes / rate of a connection) / connections

    The largest of the three times wins, since all three limits hold at once.

    Units:   counts, bytes, requests per second, bytes per second, seconds. Result is a word.
    Raises:  ValueError if an argument is not positive.
    Source:  AWS, Amazon S3 User Guide, Best practices design patterns (5,500 GET requests per second and prefix).

    >>> store = dict(requests_per_s=5500, store_bytes_per_s=12.5e9, connections=2048, latency_s=0.1, stream_bytes_per_s=80e6)
    >>> epoch_read_limit(files=1e9, file_bytes=100e3, **store), epoch_read_limit(files=1e6, file_bytes=100e6, **store)
    ('requests', 'bandwidth')
    """
    require_positive(files=files, file_bytes=file_bytes)
    require_positive(requests_per_s=requests_per_s, store_bytes_per_s=store_bytes_per_s)
    require_counts(connections=connections)
    one = request_seconds(request_bytes=file_bytes, latency_s=latency_s, stream_bytes_per_s=stream_bytes_per_s)
    seconds = {
        "requests": files / requests_per_s,
        "bandwidth": files * file_bytes / store_bytes_per_s,
        "connections": files * one / connections,
    }
    return max(seconds, key=lambda limit: seconds[limit])
