"""How often something fails: from counts to the MTBF of a part and of a job, and the chance that nothing happens for a while."""

from __future__ import annotations

from math import exp, floor, log

from ..facts.arguments import require_counts, require_fraction, require_positive


def part_mtbf_seconds(*, failures: int, parts: int, observed_s: float) -> float:
    """Mean time between failures of one part, from what was counted on many.

        M₁ = parts · time / failures

    A part is whatever the count is divided over: a GPU with its share of host, cables and software, or a node. A rate
    is its inverse: failures per node and day, say.

    Units:   counts; seconds. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.4 (419 unexpected interruptions of 16,384 GPUs in 54 days).

    >>> round(part_mtbf_seconds(failures=419, parts=16384, observed_s=54 * 86400) / 3600)   # hours of one GPU: 5.8 years
    50677
    """
    require_counts(failures=failures, parts=parts)
    require_positive(observed_s=observed_s)
    return parts * observed_s / failures


def job_mtbf_seconds(*, part_mtbf_s: float, parts: int) -> float:
    """Mean time between failures of a job that stops when any of its parts does.

        M = M₁ / parts

    Rates add up; times do not. Parts fail independently and at a constant rate.

    Units:   seconds; parts is a count. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Kokolis et al. 2025, arXiv:2410.21680, projected MTTF of a job (1 / (nodes · rate)).

    >>> round(job_mtbf_seconds(part_mtbf_s=50677 * 3600, parts=10000) / 3600, 2)   # hours
    5.07
    """
    require_positive(part_mtbf_s=part_mtbf_s)
    require_counts(parts=parts)
    return part_mtbf_s / parts


def mtbf_elsewhere_seconds(*, failures: int, parts: int, observed_s: float, other_parts: int) -> float:
    """Mean time between failures of a job of another size, from what was counted on one.

        M' = (time / failures) · parts / parts'

    Units:   counts; seconds. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.4; Kokolis et al. 2025, arXiv:2410.21680.

    >>> round(mtbf_elsewhere_seconds(failures=419, parts=16384, observed_s=54 * 86400, other_parts=10000) / 3600, 2)
    5.07
    """
    require_counts(other_parts=other_parts)
    one = part_mtbf_seconds(failures=failures, parts=parts, observed_s=observed_s)
    return job_mtbf_seconds(part_mtbf_s=one, parts=other_parts)


def node_mtbf_seconds(*, failures_per_1000_node_days: float) -> float:
    """Mean time between failures of a node, from a rate per thousand node-days.

        M₁ = 1000 days / rate

    Units:   failures per 1000 node-days. Result in seconds.
    Raises:  ValueError if the rate is not positive.
    Source:  Kokolis et al. 2025, arXiv:2410.21680 (6.50 and 2.34 on two clusters of A100 nodes).

    >>> one = node_mtbf_seconds(failures_per_1000_node_days=6.50)
    >>> round(job_mtbf_seconds(part_mtbf_s=one, parts=16384 // 8) / 3600, 1)   # hours, 16,384 GPUs
    1.8
    """
    require_positive(failures_per_1000_node_days=failures_per_1000_node_days)
    return 1000 * 86400 / failures_per_1000_node_days


def expected_failures(*, run_s: float, mtbf_s: float) -> float:
    """Failures to be expected in a run.

        n = T / M

    Units:   seconds. Result is a mean count, which need not be whole.
    Raises:  ValueError if an argument is not positive.
    Source:  the mean of a Poisson process.

    >>> round(expected_failures(run_s=54 * 86400, mtbf_s=3.093 * 3600))
    419
    """
    require_positive(run_s=run_s, mtbf_s=mtbf_s)
    return run_s / mtbf_s


def quiet_probability(*, span_s: float, mtbf_s: float) -> float:
    """Chance that nothing fails for a while.

        p = e^(-t / M)

    After one MTBF without failure the next is as likely as before: a constant rate has no memory.

    Units:   seconds. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  the first waiting time of a Poisson process.

    >>> round(quiet_probability(span_s=24 * 3600, mtbf_s=24 * 3600), 3)   # one day at an MTBF of one day
    0.368
    """
    require_positive(span_s=span_s, mtbf_s=mtbf_s)
    return exp(-span_s / mtbf_s)


def largest_quiet_job(*, part_mtbf_s: float, span_s: float, probability: float) -> int:
    """Most parts that a job can have and still get through a span undisturbed with at least a given chance.

        e^(-n·t / M₁) ≥ p      n = ⌊-ln p · M₁ / t⌋

    Units:   seconds; probability as a fraction below 1. Result is a count of parts.
    Raises:  ValueError if a time is not positive, the probability is not in (0, 1), or one part is too many.
    Source:  the first waiting time of a Poisson process, solved for the parts.

    >>> largest_quiet_job(part_mtbf_s=200 * 86400, span_s=86400, probability=0.9)   # nodes that fail every 200 days
    21
    """
    require_positive(part_mtbf_s=part_mtbf_s, span_s=span_s)
    require_fraction(probability=probability)
    if probability == 1:
        raise ValueError("probability must be below 1")
    parts = floor(-log(probability) * part_mtbf_s / span_s)
    if parts < 1:
        raise ValueError("one part alone is not as reliable as that")
    return parts
