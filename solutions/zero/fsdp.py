"""Fully sharded training at work: what it sends, when its gathers are hidden, and what it holds at its peak."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_index, require_positive


def sharded_step_bytes(*, parameters: float, gpus: int, weight_gathers: int, bytes_per_gradient: float) -> float:
    """Bytes that each GPU sends when BF16 weights are gathered and gradients of any width are reduce-scattered.

        bytes = (2 · gathers + b_g) · P · (N-1)/N

    One gather a step if weights stay whole after the forward pass, two if they are dropped and fetched again.

    Units:   counts; bytes per element. Result in bytes.
    Raises:  ValueError if parameters or bytes_per_gradient is not positive, or a count is below 1.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.2 (weights kept, gradients reduced in FP32).

    >>> sharded_step_bytes(parameters=8 * 10**9, gpus=128, weight_gathers=1, bytes_per_gradient=4) / 1e9
    47.625
    """
    require_positive(parameters=parameters, bytes_per_gradient=bytes_per_gradient)
    require_counts(gpus=gpus, weight_gathers=weight_gathers)
    bytes_per_parameter = 2 * weight_gathers + bytes_per_gradient
    return bytes_per_parameter * parameters * (gpus - 1) / gpus


def tokens_to_hide_gathers(*, flop_per_s: float, bandwidth_bytes_per_s: float, bytes_per_weight: float = 2) -> float:
    """Tokens per micro-batch with which the forward pass hides the gathers of the weights.

        T = b_w · F / (2 · β)

    A layer of P weights computes 2 · P · T FLOP while the next one gathers b_w · P bytes, so P cancels. The (N-1)/N
    of many GPUs counts as 1. The backward pass has twice the FLOP and, with gradients as wide as weights, twice the
    bytes: the same T.

    Units:   FLOP/s; bytes/s per direction; bytes per element. Result in tokens.
    Raises:  ValueError if an argument is not positive.
    Source:  Rajbhandari et al. 2021, arXiv:2104.07857, section 4.1 (arithmetic intensity of parameters).

    >>> round(tokens_to_hide_gathers(flop_per_s=989e12, bandwidth_bytes_per_s=400e9))   # the H100's peak, 8 NDR ports
    2472
    """
    require_positive(flop_per_s=flop_per_s, bandwidth_bytes_per_s=bandwidth_bytes_per_s)
    require_positive(bytes_per_weight=bytes_per_weight)
    flop_per_weight_and_token = 2
    return bytes_per_weight * flop_per_s / (flop_per_weight_and_token * bandwidth_bytes_per_s)


def micro_batches_behind(*, sent_bytes: float, parameters: float, gpus: int) -> int:
    """Micro-batches of a step of ZeRO-3, read off the bytes that each GPU sends in it.

        a = sent / (3 · 2P · (N-1)/N), rounded

    Every micro-batch gathers the 16-bit weights twice and reduce-scatters the 16-bit gradients once.

    Units:   bytes; parameters and gpus are counts. Result is a count.
    Raises:  ValueError if sent_bytes or parameters is not positive, or gpus is below 2 (a single one sends nothing).
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 7.2.2; Zhao et al. 2023, arXiv:2304.11277, section 3.3.4
             (gradient accumulation with communication).

    >>> micro_batches_behind(sent_bytes=379.4e9, parameters=8.03e9, gpus=64)    # 47.4 GB for each
    8
    """
    require_positive(sent_bytes=sent_bytes, parameters=parameters)
    require_counts(gpus=gpus)
    if gpus < 2:
        raise ValueError(f"gpus must be at least 2 to send anything, not {gpus!r}")
    collective_bytes = 2 * parameters * (gpus - 1) / gpus
    return round(sent_bytes / (3 * collective_bytes))


def hybrid_port_bytes(*, parameters: float, servers: int, gpus_per_server: int) -> float:
    """Bytes that each GPU sends to other nodes in a step of hybrid sharding, with 16-bit gradients.

        bytes = 2 · (2P/g) · (S-1)/S

    Weights are sharded inside a node and replicated over nodes, so gathers and reduce-scatters stay inside. Then
    the GPUs that hold the same shard all-reduce its gradients over the nodes.

    Units:   every argument is a count. Result in bytes.
    Raises:  ValueError if parameters is not positive, or a count is below 1.
    Source:  Zhao et al. 2023, arXiv:2304.11277, section 3.2.2.

    >>> hybrid_port_bytes(parameters=8 * 10**9, servers=4, gpus_per_server=8) / 1e9
    3.0
    """
    require_positive(parameters=parameters)
    require_counts(servers=servers, gpus_per_server=gpus_per_server)
    shard_gradient_bytes = 2 * parameters / gpus_per_server
    return 2 * shard_gradient_bytes * (servers - 1) / servers


def gather_peak_bytes(*, parameters: float, layers: int, gpus: int, prefetched: int) -> float:
    """The most that states and gathered layers take on a GPU in the backward pass of ZeRO-3.

        bytes = 16P/N + (2 + 2 · prefetched + 2) · P/L

    Next to its shards a GPU holds the whole weights of the layer that it computes and of those gathered in advance, and
    the whole gradients of the layer until they are reduce-scattered.

    Units:   counts; layers are equal, and the layers gathered in advance are fewer. Result in bytes.
    Raises:  ValueError if parameters is not positive, a count is below 1, or prefetched is not from 0 to layers - 1.
    Source:  Zhao et al. 2023, arXiv:2304.11277, sections 3.2.1 and 3.3.2.

    >>> gather_peak_bytes(parameters=70 * 10**9, layers=80, gpus=64, prefetched=1) / 1e9    # 17.5 of it are shards
    22.75
    """
    require_positive(parameters=parameters)
    require_counts(layers=layers, gpus=gpus)
    require_index(below=layers, prefetched=prefetched)
    layer_weight_bytes = 2 * parameters / layers
    layer_gradient_bytes = 2 * parameters / layers
    shard_bytes = 16 * parameters / gpus
    return shard_bytes + (1 + prefetched) * layer_weight_bytes + layer_gradient_bytes


def step_memory_bytes(
    *, parameters: float, layers: int, gpus: int, layer_activation_bytes: float, phase: str, layer: int
) -> float:
    """What a GPU holds under ZeRO-3 at one moment of a step: while a layer is in its forward or backward pass.

        between:   14P/N
        forward:   14P/N + 2P/L + l · A
        backward:  14P/N + 2P/L + l · A + 2P/L + (L-l)/L · 2P/N

    Weights of the computing layer l are whole, and nothing is gathered in advance. The forward pass leaves the activations
    A of every layer, the backward pass frees them. It makes the layer's whole gradients, and keeps the shards of those
    that came before.

    Units:   layer_activation_bytes in bytes; phase is "between" (two steps), "forward" or "backward"; layers are counted
             from 1, and "between" takes any. Result in bytes.
    Raises:  ValueError if a number is out of range or the phase unknown.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 3 and 5.3; Zhao et al. 2023, arXiv:2304.11277, section 3.2.

    >>> run = {"parameters": 8 * 10**9, "layers": 32, "gpus": 16, "layer_activation_bytes": 0.5e9}
    >>> step_memory_bytes(**run, phase="between", layer=1) / 1e9
    7.0
    >>> step_memory_bytes(**run, phase="backward", layer=32) / 1e9    # where most is held
    24.0
    """
    require_positive(parameters=parameters, layer_activation_bytes=layer_activation_bytes)
    require_counts(layers=layers, gpus=gpus, layer=layer)
    if layer > layers:
        raise ValueError(f"layer must be at most {layers}, not {layer!r}")
    if phase not in ("between", "forward", "backward"):
        raise ValueError(f"phase must be between, forward or backward, not {phase!r}")
    lasting_bytes = 14 * parameters / gpus
    if phase == "between":
        return lasting_bytes
    whole_layer_bytes = 2 * parameters / layers
    held_bytes = lasting_bytes + whole_layer_bytes + layer * layer_activation_bytes
    if phase == "forward":
        return held_bytes
    own_gradient_bytes = (layers - layer) * whole_layer_bytes / gpus
    return held_bytes + whole_layer_bytes + own_gradient_bytes
