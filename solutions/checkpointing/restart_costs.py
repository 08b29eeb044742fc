"""What a failure costs: work that is done again, the wait for its discovery and the restart, in seconds and in dollars."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_not_negative, require_positive, require_whole


def lost_work_seconds(*, interval_s: float, write_s: float = 0) -> float:
    """Mean time since the last finished checkpoint when a failure strikes, with training waiting for each write.

        lost = (I + C) / 2

    The failure strikes anywhere in the cycle of training and writing alike. A write that it interrupts is void.

    Units:   seconds; write_s = 0 leaves the writing out. Result in seconds.
    Raises:  ValueError if interval_s is not positive, or write_s is negative.
    Source:  Young 1974, doi:10.1145/361147.361115.

    >>> lost_work_seconds(interval_s=3600, write_s=120) / 60   # minutes
    31.0
    """
    require_positive(interval_s=interval_s)
    require_not_negative(write_s=write_s)
    return (interval_s + write_s) / 2


def background_failure_seconds(*, period_s: float, drain_s: float, restart_s: float = 0) -> float:
    """Wall time that a failure costs on average, with checkpoints that drain while training goes on.

        cost = drain + P / 2 + restart

    A checkpoint counts once it has drained, and by then its state is as old as that. Until it has, the one before is the last.

    Units:   seconds; period_s from one state that is copied to the next; restart_s includes reading the checkpoint. Result
             in seconds.
    Raises:  ValueError if a time is not positive (restart_s: negative), or the drain is longer than the period.
    Source:  Wang et al. 2023 (Gemini), doi:10.1145/3600006.3613145, its average wasted time.

    >>> minutes = 60
    >>> drain = 42 * minutes
    >>> background_failure_seconds(period_s=drain, drain_s=drain, restart_s=drain) / minutes
    105.0
    """
    require_positive(period_s=period_s, drain_s=drain_s)
    require_not_negative(restart_s=restart_s)
    if drain_s > period_s:
        raise ValueError(f"a drain of {drain_s!r} s does not end within a period of {period_s!r} s")
    return drain_s + period_s / 2 + restart_s


def failure_seconds(*, interval_s: float, write_s: float, detect_s: float, restart_s: float) -> float:
    """Wall time that one failure costs a job that waits for each write.

        cost = (I + C)/2 + discovery + restart

    Units:   seconds. Result in seconds.
    Raises:  ValueError if interval_s is not positive, or another time is negative.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.4 (what is lost: recovery, and work since the last checkpoint).

    >>> failure_seconds(interval_s=3600, write_s=120, detect_s=600, restart_s=480) / 60   # minutes
    49.0
    """
    require_not_negative(detect_s=detect_s, restart_s=restart_s)
    return lost_work_seconds(interval_s=interval_s, write_s=write_s) + detect_s + restart_s


def failures_dollars(
    *,
    gpus: int,
    span_s: float,
    mtbf_s: float,
    interval_s: float,
    write_s: float,
    detect_s: float,
    restart_s: float,
    dollars_per_gpu_hour: float,
) -> float:
    """Rent that the failures of some time cost: every GPU of the job waits for every failure.

        dollars = T/M · ((I + C)/2 + discovery + restart) / 3600 · GPUs · price

    Units:   seconds; counts; dollars for one GPU and one hour. Result in dollars.
    Raises:  ValueError if a count, a price or a time is not positive (discovery and restart: negative).
    Source:  arithmetic on the expected number of failures.

    >>> crash = dict(gpus=512, mtbf_s=86400, interval_s=4115, write_s=98, detect_s=0, dollars_per_gpu_hour=2)
    >>> round(failures_dollars(span_s=86400, restart_s=0, **crash))          # a crash, work done again alone
    599
    >>> round(failures_dollars(span_s=30 * 86400, restart_s=600, **crash))   # a month, ten minutes to restart
    23095
    """
    require_counts(gpus=gpus)
    require_positive(span_s=span_s, mtbf_s=mtbf_s, dollars_per_gpu_hour=dollars_per_gpu_hour)
    failures = span_s / mtbf_s
    lost_s = failure_seconds(interval_s=interval_s, write_s=write_s, detect_s=detect_s, restart_s=restart_s)
    gpu_hours = gpus * failures * lost_s / 3600
    return gpu_hours * dollars_per_gpu_hour


def proposal_seconds_saved(
    *,
    failures: int,
    interval_s: float,
    write_s: float,
    detect_s: float,
    restart_s: float,
    avoided_failures: int = 0,
    new_detect_s: float | None = None,
    new_restart_s: float | None = None,
    new_interval_s: float | None = None,
    training_s: float = 0,
) -> float:
    """Wall time that a change would have saved in an observed run: fewer failures, or cheaper ones.

        saved = n·cost - n'·cost' + training · (C/I - C/I')

    Units:   counts; seconds; what is omitted stays as it was. training_s matters where the interval changes.
    Raises:  ValueError if a time or count is out of range, or more failures are avoided than there were.
    Source:  arithmetic on failure_seconds.

    >>> run = dict(failures=100, interval_s=3600, write_s=60, detect_s=600, restart_s=600)
    >>> proposal_seconds_saved(avoided_failures=20, **run) / 3600, proposal_seconds_saved(new_detect_s=60, **run) / 3600
    (16.833333333333332, 15.0)
    """
    require_counts(failures=failures)
    require_whole(avoided_failures=avoided_failures)
    require_not_negative(training_s=training_s)
    if avoided_failures > failures:
        raise ValueError(f"avoided_failures must be at most {failures}, not {avoided_failures!r}")
    new_interval = interval_s if new_interval_s is None else new_interval_s
    before = failure_seconds(interval_s=interval_s, write_s=write_s, detect_s=detect_s, restart_s=restart_s)
    after = failure_seconds(
        interval_s=new_interval,
        write_s=write_s,
        detect_s=detect_s if new_detect_s is None else new_detect_s,
        restart_s=restart_s if new_restart_s is None else new_restart_s,
    )
    writing = training_s * (write_s / interval_s - write_s / new_interval)
    return failures * before - (failures - avoided_failures) * after + writing
