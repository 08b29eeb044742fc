"""The mixture's run, played: matrices are listed, DualPipe's schedule is run on a clock, and every copy of a token is sent."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from ..ring.ring import simulated_bytes_sent_per_phase
from ..roofline.layer_flop import attention_flop_per_pair_and_channel, flop_per_weight_and_token

Pass = tuple[int, int]  # direction of a micro-batch, and its number
Operation = tuple[str, tuple[Pass, ...]]  # forward, backward, input gradient, weight gradient, or a pair


def _mlp(hidden: int, inner: int) -> int:
    """Count the weights of gate, up and down."""
    return sum(rows * columns for rows, columns in ((hidden, inner), (hidden, inner), (inner, hidden)))


def mixture_layer_weights(
    *, attention_weights: float, hidden: int, expert_ffn_hidden: int, experts: int, shared_experts: int
) -> float:
    """Walk through the experts of a layer, each with its column of the router if it is a routed one."""
    held = attention_weights
    for _ in range(experts):
        held += _mlp(hidden, expert_ffn_hidden) + hidden
    for _ in range(shared_experts):
        held += _mlp(hidden, expert_ffn_hidden)
    return held


def mixture_parameters(
    *, layer_weights: float, attention_weights: float, layers: int, dense_layers: int, hidden: int, ffn_hidden: int,
    vocabulary: int,
) -> float:  # fmt: skip
    """Walk from the embedding to the output head, layer by layer."""
    total = Fraction(vocabulary * hidden)
    for layer in range(layers):
        is_dense = layer < dense_layers
        total += Fraction(attention_weights) + _mlp(hidden, ffn_hidden) if is_dense else Fraction(layer_weights)
    return float(total + hidden * vocabulary)


def multiplied_parameters(
    *, parameters: float, layers: int, dense_layers: int, hidden: int, expert_ffn_hidden: int, experts: int,
    experts_per_token: int, vocabulary: int,
) -> float:  # fmt: skip
    """Cross out the experts that a token passes by, in every layer, and the rows of the embedding."""
    left = Fraction(parameters)
    for _ in range(dense_layers, layers):
        for expert in range(experts):
            if expert >= experts_per_token:
                left -= _mlp(hidden, expert_ffn_hidden)
    return float(left - vocabulary * hidden)


def step_work_flop(
    *,
    active_parameters: float,
    tokens: int,
    layers: int,
    sequence_length: int,
    heads: int,
    score_dim: int,
    value_dim: int,
) -> float:
    """Count one token's operations: in every weight, and for each head, pair and channel of scores and of values."""
    weights = flop_per_weight_and_token() * Fraction(active_parameters)
    # A channel counts in the scores and in their product with the values; here each has channels of its own.
    for_one_product = Fraction(attention_flop_per_pair_and_channel(), 2)
    channels = sum(heads * width for width in (score_dim, value_dim))
    attention = sum(for_one_product * channels * sequence_length for _ in range(layers))
    return float((weights + attention) * tokens)


def two_rate_seconds(
    *, active_parameters: float, tokens: int, layers: int, sequence_length: int, heads: int, score_dim: int,
    value_dim: int, gpus: int, weight_flop_per_s: float, attention_flop_per_s: float,
) -> float:  # fmt: skip
    """Give each GPU its share of the tokens, and clock the two kinds of work one after the other."""
    shape = {"layers": layers, "sequence_length": sequence_length, "heads": heads}
    both = step_work_flop(
        active_parameters=active_parameters, tokens=tokens, score_dim=score_dim, value_dim=value_dim, **shape
    )
    of_weights = flop_per_weight_and_token() * Fraction(active_parameters) * tokens
    clock = of_weights / gpus / Fraction(weight_flop_per_s)
    clock += (Fraction(both) - of_weights) / gpus / Fraction(attention_flop_per_s)
    return float(clock)


@lru_cache(maxsize=256)
def _holders(stages: int, dp: int, ep: int) -> tuple[int, int]:
    """Place both stages of every GPU, and count who holds the dense part of stage 0, and its first experts."""
    dense = experts = 0
    for replica in range(dp):
        for gpu in range(stages):
            if 0 in (gpu, stages - 1 - gpu):
                dense += 1
                experts += replica % ep == 0
    return dense, experts


def dualpipe_state_bytes(*, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int) -> float:
    """List the tensors of both stages on GPU 0, whole or as one of equal shards among those that hold the same weights."""
    dense_holders, expert_holders = _holders(stages, dp, ep)
    parts = [
        (Fraction(parameters) - Fraction(routed_parameters), dense_holders),
        (Fraction(routed_parameters) / ep, expert_holders),
    ]
    held = Fraction(0)
    for _ in range(2):  # the stages of a GPU
        for weights, holders in parts:
            for width, owners in ((2, 1), (4, 1), (4, holders), (2, holders), (2, holders)):
                held += weights / stages * width / owners
    return float(held)


def kept_layer_bytes(
    *, tokens: int, other_bytes: float, hidden: int, expert_ffn_hidden: int, experts_per_token: int, shared_experts: int
) -> float:
    """Send one token through its experts, and note each tensor that stays."""
    kept = Fraction(other_bytes)
    for _ in range(experts_per_token + shared_experts):
        kept += sum((hidden, expert_ffn_hidden, expert_ffn_hidden))  # the input, the gate, the up projection
    return float(kept * tokens)


def dualpipe_peak_bytes(*, state_bytes: float, layer_bytes: float, layers: int, stages: int) -> float:
    """Run the schedule, and see how many micro-batches of a stage the most loaded GPU holds at a time."""
    in_flight = max(_most_held(order) for order in _orders(stages, 4 * stages))
    return float(Fraction(state_bytes) + Fraction(layer_bytes) * Fraction(layers, stages) * in_flight)


def _most_held(order: list[Operation]) -> int:
    held = most = 0
    for kind, _ in order:
        held += kind in ("F", "FB")
        most = max(most, held)
        held -= kind in ("B", "I", "FB")
    return most


def limited_exchange_seconds(
    *, tokens: int, hidden: int, node_limit: int, nodes: int, port_bytes_per_s: float
) -> float:
    """Send a token from node 0 to every choice of nodes in turn, and average the bytes that leave by the port."""
    choices = list(combinations(range(nodes), node_limit))
    copies = Fraction(sum(node != 0 for choice in choices for node in choice), len(choices))
    sent = Fraction(0)
    for _ in ("forward", "backward"):
        for width in (1, 2):  # out in FP8, back in BF16
            sent += copies * tokens * hidden * width
    return float(sent / Fraction(port_bytes_per_s))


def exposed_step_seconds(*, work_s: float, exchange_s: float, stages: int, micro_batches: int) -> float:
    """Pass micro-batches down the stages and up again, as 1F1B's GPUs take them, and read the clock at the end."""
    one_way = (Fraction(work_s) / 3 + Fraction(exchange_s) / 2, Fraction(work_s) * 2 / 3 + Fraction(exchange_s) / 2)
    orders = []
    for stage in range(stages):
        warm_up = min(micro_batches, stages - 1 - stage)
        order: list[Operation] = [("F", ((0, number),)) for number in range(warm_up)]
        for number in range(micro_batches):
            if warm_up + number < micro_batches:
                order.append(("F", ((0, warm_up + number),)))
            order.append(("B", ((0, number),)))
        orders.append(order)
    return float(_clocked(orders, {"F": one_way[0], "B": one_way[1]}))


def _times(work_s: float, exchange_s: float) -> dict[str, Fraction]:
    work, exchange = Fraction(work_s), Fraction(exchange_s)
    weights = work / 3
    forward, backward = work / 3 + exchange / 2, 2 * work / 3 + exchange / 2
    return {"F": forward, "B": backward, "I": backward - weights, "W": weights, "FB": max(work, exchange)}


@lru_cache(maxsize=256)
def _dualpipe(work_s: float, exchange_s: float, stages: int, micro_batches: int) -> tuple[Fraction, Fraction]:
    """Return when the last GPU is done, and how long it waited."""
    times, orders = _times(work_s, exchange_s), _orders(stages, micro_batches)
    end = _clocked(orders, times)
    busy = [sum(times[kind] for kind, _ in order) for order in orders]
    return end, end - min(busy)


def dualpipe_bubble_seconds(*, work_s: float, exchange_s: float, stages: int) -> float:
    """Run the schedule on a clock, and see how long the GPU that waits longest waits."""
    return float(_dualpipe(work_s, exchange_s, stages, 2 * stages)[1])


def dualpipe_step_seconds(
    *, work_s: float, exchange_s: float, bubble_s: float, stages: int, micro_batches: int
) -> float:
    """Run the schedule on a clock, and put the given bubble in the place of its own."""
    end, waited = _dualpipe(work_s, exchange_s, stages, micro_batches)
    return float(end - waited + Fraction(bubble_s))


def hidden_share(*, exchange_s: float, stages: int, micro_batches: int, exposed_s: float, pipeline_s: float) -> float:
    """Count the pairs on a middle GPU of the schedule, and add up the exchange that each of them hides."""
    middle = list(_dualpipe_order(stages // 2, stages, micro_batches))
    hidden = sum((Fraction(exchange_s) for kind, _ in middle if kind == "FB"), Fraction(0))
    return float(hidden / (Fraction(exposed_s) - Fraction(pipeline_s)))


def _orders(stages: int, micro_batches: int) -> list[list[Operation]]:
    return [list(_dualpipe_order(gpu, stages, micro_batches)) for gpu in range(stages)]


def _dualpipe_order(gpu: int, stages: int, micro_batches: int) -> Iterator[Operation]:
    """Yield what one GPU runs: the eight phases of deepseek-ai/DualPipe, where a GPU's near side comes first."""
    half, near = stages // 2, min(gpu, stages - 1 - gpu)
    turned = gpu >= half
    forwards, backwards, waiting = [0, 0], [0, 0], list[Pass]()

    def forward(side: int) -> Pass:
        way = side ^ turned
        forwards[way] += 1
        return way, forwards[way] - 1

    def backward(side: int) -> Pass:
        way = side ^ turned
        backwards[way] += 1
        return way, backwards[way] - 1

    def split(side: int) -> Operation:
        waiting.append(backward(side))
        return "I", (waiting[-1],)

    def alone(side: int) -> Operation:
        return "B", (backward(side),)

    def pair(there: int, back: int) -> Operation:
        return "FB", (forward(there), backward(back))

    for _ in range(2 * (half - near - 1)):
        yield "F", (forward(0),)
    for _ in range(near + 1):
        yield "F", (forward(0),)
        yield "F", (forward(1),)
    for _ in range(half - near - 1):
        yield split(1)
        yield "W", (waiting.pop(0),)
        yield "F", (forward(1),)
    for turn in range(micro_batches // 2 - stages + near + 1):
        if turn == 0 and near == half - 1:  # the two middle GPUs wait for each other in the first pair
            yield "F", (forward(0),)
            yield alone(1)
        else:
            yield pair(0, 1)
        yield pair(1, 0)
    for _ in range(half - near - 1):
        yield alone(1)
        yield pair(1, 0)
    for turn in range(near + 1):
        first, second = 2 * turn, 2 * turn + 1
        yield split(1) if first > near else alone(1)
        yield split(0) if second > near else alone(0)
    for _ in range(half - near - 1):
        yield "W", (waiting.pop(0),)
        yield split(0)
    while waiting:
        yield "W", (waiting.pop(0),)


def _clocked(orders: list[list[Operation]], times: dict[str, Fraction]) -> Fraction:
    """Run every GPU's operations in their order, each as soon as its inputs are there; return the end of the last."""
    stages = len(orders)
    clocks, turns = [Fraction(0)] * stages, [0] * stages
    forward: dict[tuple[Pass, int], Fraction] = {}
    backward: dict[tuple[Pass, int], Fraction] = {}
    while any(turn < len(order) for turn, order in zip(turns, orders, strict=True)):
        before = list(turns)
        for gpu, order in enumerate(orders):
            while turns[gpu] < len(order):
                kind, passes = order[turns[gpu]]
                there = (passes[0], _stage(passes[0], gpu, stages)) if kind in ("F", "FB") else None
                back = (passes[-1], _stage(passes[-1], gpu, stages)) if kind in ("B", "I", "FB") else None
                needs: list[Fraction | None] = []
                if there and there[1]:
                    needs.append(forward.get((there[0], there[1] - 1)))
                if back:
                    last = back[1] == stages - 1
                    needs.append(forward.get(back) if last else backward.get((back[0], back[1] + 1)))
                if None in needs:
                    break
                clocks[gpu] = max([clocks[gpu], *(need for need in needs if need is not None)]) + times[kind]
                if there:
                    forward[there] = clocks[gpu]
                if back:
                    backward[back] = clocks[gpu]
                turns[gpu] += 1
        if turns == before:
            raise RuntimeError("the GPUs wait for each other")
    return max(clocks)


def _stage(work: Pass, gpu: int, stages: int) -> int:
    return gpu if work[0] == 0 else stages - 1 - gpu


def two_ring_sync_seconds(
    *, parameters: float, routed_parameters: float, stages: int, dp: int, ep: int, port_bytes_per_s: float
) -> float:
    """Play a phase of a ring for each tensor that travels, among the holders of the dense part and of the experts."""
    dense_holders, expert_holders = _holders(stages, dp, ep)
    parts = [
        (Fraction(parameters) - Fraction(routed_parameters), dense_holders),
        (Fraction(routed_parameters) / ep, expert_holders),
    ]
    sent = 0.0
    for _ in range(2):  # the stages of a GPU
        for weights, holders in parts:
            for width in (4, 2):
                sent += simulated_bytes_sent_per_phase(message_bytes=float(weights / stages * width), gpus=holders)
    return sent / port_bytes_per_s


def synced_step_seconds(*, pipeline_s: float, sync_s: float) -> float:
    """Let a clock run through both."""
    clock = Fraction(0)
    for phase in (pipeline_s, sync_s):
        clock += Fraction(phase)
    return float(clock)


def gpu_hours_per_trillion(*, step_s: float, gpus: int, batch_tokens: float) -> float:
    """Let every GPU train alone, find its tokens per hour, and divide the trillion among such hours."""
    tokens_per_gpu_hour = Fraction(batch_tokens) / gpus * 3600 / Fraction(step_s)
    return float(Fraction(10**12) / tokens_per_gpu_hour)


def mixture_rent_dollars(*, hours_per_trillion: float, tokens: float, dollars_per_gpu_hour: float) -> float:
    """Pay for a billion tokens at a time, and for what is left."""
    billion = Fraction(hours_per_trillion) / 1000 * Fraction(dollars_per_gpu_hour)
    whole, rest = divmod(Fraction(tokens), 10**9)
    paid = sum((billion for _ in range(int(whole))), Fraction(0))
    return float(paid + billion * rest / 10**9)
