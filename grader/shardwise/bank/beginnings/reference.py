"""The reference that new problems begin with: how long a file takes to cross a link. Add your own references."""

from __future__ import annotations


def transfer_seconds(*, file_bytes: float, bandwidth_bytes_per_s: float, latency_s: float) -> float:
    """Return the time from sending the first bit to receiving the last, in seconds.

        seconds = latency + bytes / bandwidth

    Units:   bytes, bytes per second, seconds.
    Raises:  ValueError if the bandwidth is not positive, or the size or the latency is negative.
    Source:  Kurose & Ross, Computer Networking, 8th ed., section 1.4.

    >>> transfer_seconds(file_bytes=1e9, bandwidth_bytes_per_s=12.5e9, latency_s=0.05)
    0.13
    """
    if not bandwidth_bytes_per_s > 0:  # also rejects NaN
        raise ValueError(f"bandwidth_bytes_per_s must be above 0, not {bandwidth_bytes_per_s!r}")
    for name, value in (("file_bytes", file_bytes), ("latency_s", latency_s)):
        if not value >= 0:
            raise ValueError(f"{name} must be 0 or more, not {value!r}")
    crossing_s = file_bytes / bandwidth_bytes_per_s
    return latency_s + crossing_s
