"""What experts on other GPUs make a layer send: all-to-alls, copies to nodes, and how they compare with computing."""

from __future__ import annotations

from math import ceil, comb

from ..facts.arguments import require_counts, require_positive


def exchange_bytes(*, tokens: int, hidden: int, experts_per_token: int, ep: int, bytes_per_element: float = 2) -> float:
    """Bytes that each GPU sends in one all-to-all of an expert-parallel group, when every rank gets an equal share.

        bytes = k·T · d·b · (n-1)/n

    Each token is copied to k experts, and 1/n of the copies stay. The combine sends as much back as the dispatch sends.

    Units:   tokens of this GPU's micro-batch; counts; bytes of an element. Result in bytes.
    Raises:  ValueError if a count is below 1 or bytes_per_element is not positive.
    Source:  Rajbhandari et al. 2022 (DeepSpeed-MoE), arXiv:2201.05596, section 5; Lepikhin et al. 2020, arXiv:2006.16668,
             section 3.2.

    >>> exchange_bytes(tokens=4096, hidden=4096, experts_per_token=2, ep=8) / 1e6    # Mixtral-8x7B in one server
    58.720256
    """
    require_counts(tokens=tokens, hidden=hidden, experts_per_token=experts_per_token, ep=ep)
    require_positive(bytes_per_element=bytes_per_element)
    return experts_per_token * tokens * hidden * bytes_per_element * (ep - 1) / ep


def step_exchange_bytes(
    *, tokens: int, hidden: int, layers: int, experts_per_token: int, ep: int, bytes_per_element: float = 2
) -> float:
    """Bytes that all exchanges of one step send: dispatch and combine, forward and backward, in each layer with experts.

        bytes = layers · 4 · k·T · d·b · (n-1)/n

    The backward pass sends the gradients of what was combined, and gets back those of what was dispatched.

    Units:   tokens: those of one GPU for its own bytes, of the global batch for those of all GPUs; counts. Result in bytes.
    Raises:  ValueError if a count is below 1 or bytes_per_element is not positive.
    Source:  four times exchange_bytes a layer.

    >>> step_exchange_bytes(tokens=4096, hidden=4096, layers=32, experts_per_token=2, ep=8) / 1e9
    7.516192768
    """
    require_counts(layers=layers)
    once = exchange_bytes(
        tokens=tokens, hidden=hidden, experts_per_token=experts_per_token, ep=ep, bytes_per_element=bytes_per_element
    )
    return 4 * layers * once


def exchange_over_all_reduce(*, experts_per_token: int, ep: int, tp: int) -> float:
    """Ratio of the bytes of an expert-parallel all-to-all to those of a tensor-parallel all-reduce.

        ratio = k·(n-1)/n  /  ( 2·(t-1)/t )

    Both for the same number of tokens on a GPU, in the same format, per GPU. Width and tokens cancel.

    Units:   counts; tp at least 2. Result is a ratio.
    Raises:  ValueError if a count is below 1, or tp is 1, whose all-reduce sends nothing.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 3.2, for the all-reduce; counting.

    >>> exchange_over_all_reduce(experts_per_token=2, ep=8, tp=8), exchange_over_all_reduce(experts_per_token=8, ep=64, tp=8)
    (1.0, 4.5)
    """
    require_counts(experts_per_token=experts_per_token, ep=ep, tp=tp)
    if tp == 1:
        raise ValueError("a tensor-parallel group of 1 sends nothing to compare with")
    all_to_all = experts_per_token * (ep - 1) / ep
    all_reduce = 2 * (tp - 1) / tp
    return all_to_all / all_reduce


def expected_nodes(*, experts: int, experts_per_token: int, nodes: int) -> float:
    """On how many nodes the experts of a token lie, on average, when each choice of k experts is as likely as any other.

        nodes met = M · ( 1 - C(E - E/M, k) / C(E, k) )

    A node is missed when all k come from the experts of the others.

    Units:   counts; the experts are spread evenly over the nodes. Result is a mean count.
    Raises:  ValueError if a count is below 1, nodes do not divide experts, or a token has more experts than there are.
    Source:  counting; the copies of one token for one node are sent once: DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.2.

    >>> round(expected_nodes(experts=256, experts_per_token=8, nodes=8), 2)
    5.29
    """
    require_counts(experts=experts, experts_per_token=experts_per_token, nodes=nodes)
    if experts % nodes:
        raise ValueError(f"{experts} experts cannot be spread evenly over {nodes} nodes")
    if experts_per_token > experts:
        raise ValueError(f"a token cannot go to {experts_per_token} of {experts} experts")
    elsewhere = experts - experts // nodes
    return nodes * (1 - comb(elsewhere, experts_per_token) / comb(experts, experts_per_token))


def port_bytes(
    *, tokens: int, hidden: int, experts: int, experts_per_token: int, nodes: int, bytes_per_element: float = 2
) -> float:
    """Bytes of a dispatch that leave through a GPU's port, when a token is sent once to each other node that it needs.

        bytes = T · d·b · (nodes met) · (M-1)/M

    One GPU of that node receives the token and passes it on over NVLink. Choices are random, as in expected_nodes.

    Units:   tokens of this GPU's micro-batch; counts; bytes of an element. Result in bytes.
    Raises:  ValueError as expected_nodes, or if bytes_per_element is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.2.

    >>> port_bytes(tokens=4096, hidden=7168, experts=256, experts_per_token=8, nodes=1)
    0.0
    >>> round(port_bytes(tokens=4096, hidden=7168, experts=256, experts_per_token=8, nodes=8) / 1e6)
    272
    """
    require_counts(tokens=tokens, hidden=hidden)
    require_positive(bytes_per_element=bytes_per_element)
    met = expected_nodes(experts=experts, experts_per_token=experts_per_token, nodes=nodes)
    return tokens * hidden * bytes_per_element * met * (nodes - 1) / nodes


def experts_behind_the_port(*, node_limit: int, port_bytes_per_s: float, nvlink_bytes_per_s: float) -> float:
    """How many experts a token may have before NVLink takes longer than the port, if it goes to a limited number of nodes.

        experts = nodes · NVLink / port

    The port carries one copy for each node. NVLink passes on a copy for each expert, while the port works.

    Units:   node_limit is a count; bytes/s of one GPU, per direction. Result is a mean count of experts.
    Raises:  ValueError if an argument is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.2 (3.2 experts per node, 13 in total).

    >>> experts_behind_the_port(node_limit=4, port_bytes_per_s=50e9, nvlink_bytes_per_s=160e9)
    12.8
    """
    require_counts(node_limit=node_limit)
    require_positive(port_bytes_per_s=port_bytes_per_s, nvlink_bytes_per_s=nvlink_bytes_per_s)
    return node_limit * nvlink_bytes_per_s / port_bytes_per_s


def exchange_over_compute(
    *, expert_ffn_hidden: int, ep: int, flop_per_s: float, bytes_per_s: float, bytes_per_element: float = 2,
    hidden: int = 1, experts_per_token: int = 1,
) -> float:  # fmt: skip
    """Time of dispatch and combine over the time in which the experts compute, forward, with an even load.

        ratio = 2·b·k·d·(n-1)/n / β  /  ( 2·3·k·d·f / F )

    A copy of d elements is sent there and back, and meets three matrices of d by f. Tokens, width and the experts of a
    token cancel; what is left is how wide an expert is inside.

    Units:   counts; FLOP/s that a GPU achieves; bytes/s of a GPU, per direction; bytes of an element. Result is a ratio.
    Raises:  ValueError if an argument is not positive.
    Source:  counting; DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.1, states about 1:1 for its own links and formats.

    >>> case = dict(ep=64, flop_per_s=400e12, bytes_per_s=50e9)
    >>> round(exchange_over_compute(expert_ffn_hidden=2048, **case), 2), round(exchange_over_compute(expert_ffn_hidden=14336, **case), 2)
    (2.56, 0.37)
    """
    require_counts(expert_ffn_hidden=expert_ffn_hidden, ep=ep, hidden=hidden, experts_per_token=experts_per_token)
    require_positive(flop_per_s=flop_per_s, bytes_per_s=bytes_per_s, bytes_per_element=bytes_per_element)
    sent_bytes = 2 * bytes_per_element * experts_per_token * hidden * (ep - 1) / ep
    flop = 2 * 3 * experts_per_token * hidden * expert_ffn_hidden
    return (sent_bytes / bytes_per_s) / (flop / flop_per_s)


def thinnest_expert(
    *, ep: int, flop_per_s: float, bytes_per_s: float, largest_ratio: float, bytes_per_element: float = 2
) -> int:
    """The smallest width inside an expert at which its exchange takes no more than a multiple of its compute.

        f = ⌈ 2·b·(n-1)/n / (2·3·r) · F/β ⌉

    Units:   as exchange_over_compute, of which largest_ratio is a value. Result is a count of elements.
    Raises:  ValueError if an argument is not positive.
    Source:  exchange_over_compute, solved for the width.

    >>> thinnest_expert(ep=64, flop_per_s=400e12, bytes_per_s=50e9, largest_ratio=1)
    5250
    """
    require_positive(largest_ratio=largest_ratio)
    at_one = exchange_over_compute(
        expert_ffn_hidden=1, ep=ep, flop_per_s=flop_per_s, bytes_per_s=bytes_per_s, bytes_per_element=bytes_per_element
    )
    return ceil(at_one / largest_ratio)


def break_even_imbalance(
    *, gpus: int, experts_per_token: int, expert_ffn_hidden: int, flop_per_s: float, bytes_per_s: float
) -> float:
    """How uneven the load may be before cutting each expert over a group beats giving each GPU whole experts, forward.

        whole: r · ( 2·k·b·(n-1)/n / β  +  k·6·f / F )         the most loaded rank has r times the mean
        cut:       2·b·(n-1) / β        +  k·6·f / F           gather all tokens, scatter the sums
        r = cut / whole at r = 1

    Cut experts work on the tokens of all GPUs, each with 1/n of the width, so their load is even by itself. Both in
    BF16, for one token of a GPU and each of the d elements of its vector.

    Units:   counts; FLOP/s that a GPU achieves; bytes/s of a GPU, per direction. Result is a ratio of at least 1.
    Raises:  ValueError if a count is below 1, a rate is not positive, or a token has more experts than the group has GPUs.
    Source:  counting; expert tensor parallelism: Singh et al. 2023 (DeepSpeed-TED), arXiv:2303.06318, section 4.

    >>> case = dict(expert_ffn_hidden=14336, flop_per_s=400e12, bytes_per_s=360e9)
    >>> round(break_even_imbalance(gpus=8, experts_per_token=2, **case), 2)
    1.13
    """
    require_counts(gpus=gpus, experts_per_token=experts_per_token, expert_ffn_hidden=expert_ffn_hidden)
    require_positive(flop_per_s=flop_per_s, bytes_per_s=bytes_per_s)
    if experts_per_token > gpus:
        raise ValueError(f"{experts_per_token} copies of a token are more than {gpus} GPUs: gathering sends less")
    compute_s = 6 * experts_per_token * expert_ffn_hidden / flop_per_s
    whole_s = 2 * 2 * experts_per_token * (gpus - 1) / gpus / bytes_per_s + compute_s
    cut_s = 2 * 2 * (gpus - 1) / bytes_per_s + compute_s
    return cut_s / whole_s


def quicker_split(
    *,
    imbalance: float,
    gpus: int,
    experts_per_token: int,
    expert_ffn_hidden: int,
    flop_per_s: float,
    bytes_per_s: float,
) -> str:
    """Whether whole experts on each GPU are quicker, or every expert cut over the group: "whole" or "cut".

    Units:   as break_even_imbalance; imbalance of the ranks, fullest over mean. Result is a word.
    Raises:  ValueError as break_even_imbalance, or if the imbalance is below 1.
    Source:  break_even_imbalance.

    >>> case = dict(gpus=8, experts_per_token=2, expert_ffn_hidden=14336, flop_per_s=400e12, bytes_per_s=360e9)
    >>> quicker_split(imbalance=1.05, **case), quicker_split(imbalance=1.3, **case)
    ('whole', 'cut')
    """
    require_positive(imbalance=imbalance)
    if imbalance < 1:
        raise ValueError(f"imbalance must be at least 1, the mean, not {imbalance!r}")
    even = break_even_imbalance(
        gpus=gpus, experts_per_token=experts_per_token, expert_ffn_hidden=expert_ffn_hidden, flop_per_s=flop_per_s,
        bytes_per_s=bytes_per_s,
    )  # fmt: skip
    return "whole" if imbalance < even else "cut"


def saved_share(*, experts: int, experts_per_token: int, nodes: int) -> float:
    """Which share of the port's bytes is saved when the copies of a token for one node are sent as one.

        saved = 1 - nodes met / k

    Units:   counts. Result is a share.
    Raises:  ValueError as expected_nodes.
    Source:  DeepSeek-AI 2024, arXiv:2412.19437, section 3.2.2; counting.

    >>> round(saved_share(experts=256, experts_per_token=8, nodes=8), 3)
    0.338
    """
    met = expected_nodes(experts=experts, experts_per_token=experts_per_token, nodes=nodes)
    return 1 - met / experts_per_token
