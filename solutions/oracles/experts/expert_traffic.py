"""What experts on other GPUs make a layer send, played: copies go from rank to rank, and choices are counted one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import comb

from ..search import smallest


def _sent_copies(*, experts_per_token: int, ep: int) -> Fraction:
    """Copies of one token that leave its rank: n tokens choose in turns, so that each rank gets as many copies."""
    left = 0
    for token in range(ep):
        for choice in range(experts_per_token):
            left += (token + choice) % ep != 0  # rank 0 is where these tokens live
    return Fraction(left, ep)


def exchange_bytes(*, tokens: int, hidden: int, experts_per_token: int, ep: int, bytes_per_element: float = 2) -> float:
    """Send each token's copies to the ranks in turns, and weigh those that leave."""
    return float(
        _sent_copies(experts_per_token=experts_per_token, ep=ep) * tokens * hidden * Fraction(bytes_per_element)
    )


def step_exchange_bytes(
    *, tokens: int, hidden: int, layers: int, experts_per_token: int, ep: int, bytes_per_element: float = 2
) -> float:
    """Go through the layers forward and back again, and weigh the copies that leave in each exchange."""
    sent = Fraction(0)
    copies = _sent_copies(experts_per_token=experts_per_token, ep=ep) * tokens
    for way in (range(layers), reversed(range(layers))):
        for _ in way:
            for _ in ("out", "back"):
                sent += copies * hidden * Fraction(bytes_per_element)
    return float(sent)


def exchange_over_all_reduce(*, experts_per_token: int, ep: int, tp: int) -> float:
    """Pass the chunks of a vector around a ring twice, and set the copies that leave a rank next to that."""
    if tp == 1:
        raise ValueError("nothing is sent by a group of one")
    passed = sum(Fraction(1, tp) for _ in ("reduce-scatter", "all-gather") for _ in range(tp - 1))
    return float(_sent_copies(experts_per_token=experts_per_token, ep=ep) / passed)


@lru_cache(maxsize=4096)
def _choices_by_nodes(held: int, nodes: int, chosen: int) -> tuple[int, ...]:
    """In how many ways `chosen` experts come from exactly 0, 1, 2 … of the nodes: node after node is filled."""
    ways: Counter[tuple[int, int]] = Counter({(0, 0): 1})  # (experts so far, nodes met so far)
    for _ in range(nodes):
        after: Counter[tuple[int, int]] = Counter()
        for (experts, met), number in ways.items():
            for here in range(min(held, chosen - experts) + 1):
                after[experts + here, met + (here > 0)] += number * comb(held, here)
        ways = after
    return tuple(ways[chosen, met] for met in range(nodes + 1))


def expected_nodes(*, experts: int, experts_per_token: int, nodes: int) -> float:
    """The mean over all choices of experts, sorted by how many nodes they touch."""
    ways = _choices_by_nodes(experts // nodes, nodes, experts_per_token)
    return float(Fraction(sum(met * number for met, number in enumerate(ways)), sum(ways)))


def saved_share(*, experts: int, experts_per_token: int, nodes: int) -> float:
    """Over all choices, count the copies that find that another of the same token goes to the same node."""
    ways = _choices_by_nodes(experts // nodes, nodes, experts_per_token)
    doubles = sum((experts_per_token - met) * number for met, number in enumerate(ways))
    return float(Fraction(doubles, experts_per_token * sum(ways)))


def port_bytes(
    *, tokens: int, hidden: int, experts: int, experts_per_token: int, nodes: int, bytes_per_element: float = 2
) -> float:
    """Of all choices, count those that touch each node but the token's own, one node after the other."""
    held = experts // nodes
    everything = _choices_by_nodes(held, nodes, experts_per_token)
    missing = sum(_choices_by_nodes(held, nodes - 1, experts_per_token)) if nodes > 1 else 0
    touched = Fraction(sum(everything) - missing, sum(everything))
    copies = sum((touched for _ in range(1, nodes)), Fraction(0))
    return float(copies * tokens * hidden * Fraction(bytes_per_element))


def experts_behind_the_port(*, node_limit: int, port_bytes_per_s: float, nvlink_bytes_per_s: float) -> float:
    """While the port sends one vector to each node, count what NVLink passes on in that time."""
    port_busy = sum((1 / Fraction(port_bytes_per_s) for _ in range(node_limit)), Fraction(0))
    return float(port_busy * Fraction(nvlink_bytes_per_s))


def exchange_over_compute(
    *, expert_ffn_hidden: int, ep: int, flop_per_s: float, bytes_per_s: float, bytes_per_element: float = 2,
    hidden: int = 1, experts_per_token: int = 1,
) -> float:  # fmt: skip
    """Send the copies of one token of each rank and compute with them, and divide the two times."""
    copies = _sent_copies(experts_per_token=experts_per_token, ep=ep)
    there_and_back = sum(copies * hidden * Fraction(bytes_per_element) for _ in ("dispatch", "combine"))
    shapes = [(hidden, expert_ffn_hidden)] * 2 + [(expert_ffn_hidden, hidden)]
    flop = sum(2 * rows * columns for _ in range(experts_per_token) for rows, columns in shapes)
    return float(there_and_back / Fraction(bytes_per_s) / (flop / Fraction(flop_per_s)))


def thinnest_expert(
    *, ep: int, flop_per_s: float, bytes_per_s: float, largest_ratio: float, bytes_per_element: float = 2
) -> int:
    """Try wider and wider experts."""

    def wide_enough(width: int) -> bool:
        ratio = exchange_over_compute(
            expert_ffn_hidden=width, ep=ep, flop_per_s=flop_per_s, bytes_per_s=bytes_per_s,
            bytes_per_element=bytes_per_element,
        )  # fmt: skip
        return ratio <= largest_ratio

    return smallest(wide_enough, largest=10**9)


def _both_plans(
    gpus: int, experts_per_token: int, expert_ffn_hidden: int, flop_per_s: float, bytes_per_s: float
) -> tuple[Fraction, Fraction]:
    """Seconds of both plans with an even load, for a token of each GPU and vectors of 12 elements: whole experts, cut ones."""
    width, rate, flops = 12, Fraction(bytes_per_s), Fraction(flop_per_s)
    matrices = 3 * width * expert_ffn_hidden
    one_way = _sent_copies(experts_per_token=experts_per_token, ep=gpus) * width * 2
    whole = 2 * one_way / rate + experts_per_token * 2 * matrices / flops
    hops = sum(Fraction(width * 2) for _ in range(gpus - 1))  # each vector goes around the ring, and so does each sum
    for_all = sum(Fraction(experts_per_token * 2 * matrices, gpus) for _ in range(gpus))
    return whole, 2 * hops / rate + for_all / flops


def break_even_imbalance(
    *, gpus: int, experts_per_token: int, expert_ffn_hidden: int, flop_per_s: float, bytes_per_s: float
) -> float:
    """Play both plans, and see how much longer the most loaded rank may take."""
    whole, cut = _both_plans(gpus, experts_per_token, expert_ffn_hidden, flop_per_s, bytes_per_s)
    return float(cut / whole)


def quicker_split(
    *,
    imbalance: float,
    gpus: int,
    experts_per_token: int,
    expert_ffn_hidden: int,
    flop_per_s: float,
    bytes_per_s: float,
) -> str:
    """Play both plans, the first on its most loaded rank."""
    whole, cut = _both_plans(gpus, experts_per_token, expert_ffn_hidden, flop_per_s, bytes_per_s)
    return min((whole * Fraction(imbalance), "whole"), (cut, "cut"))[1]
