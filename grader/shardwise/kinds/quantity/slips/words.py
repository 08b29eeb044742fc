"""Words: parameter names as noun phrases."""

from __future__ import annotations

import re
from functools import lru_cache

_KNOWN = {
    "gpus": "the number of GPUs", "dp": "the number of replicas", "tp": "the tensor-parallel degree", "pp": "the pipeline-parallel degree",
    "cp": "the context-parallel degree", "ep": "the expert-parallel degree", "wider_tp": "the larger tensor-parallel degree",
    "lr": "the learning rate", "hidden": "the hidden width", "ffn_hidden": "the inner width", "expert_ffn_hidden": "the inner width of an expert",
    "mfu": "the MFU", "pue": "the PUE", "batch": "the batch size", "base_batch": "the base batch size", "micro_batch": "the micro-batch size",
    "vocabulary": "the vocabulary size", "experts": "the number of experts", "experts_per_token": "the number of experts per token",
    "hysteresis": "the hysteresis", "in_flight": "the number of micro-batches in flight", "device_bytes": "the GPU memory",
    "reserved_bytes": "the reserved memory", "room_bytes": "the free memory", "memory_bytes_per_s": "the memory bandwidth",
    "peak_flop_per_s": "the peak FLOP/s", "flop_per_s": "the compute rate", "bytes_per_s": "the required rate",
    "bytes_per_s_per_core": "the rate per core", "dollars_per_gpu_hour": "the price per GPU-hour", "dollars_per_kwh": "the price per kWh",
    "dollars_per_gpu_s": "the price per GPU-hour", "dollars_per_gb_month": "the price per GB-month", "mtbf_s": "the MTBF",
    "sent_bytes": "the number of bytes sent", "sample_bytes": "the memory per sequence", "request_bytes": "the request size",
    "nvlink_bytes_per_s": "the NVLink bandwidth", "port_bytes_per_s": "the port bandwidth", "bus_bytes_per_s": "the bus bandwidth",
    "latency_s": "the latency", "message_bytes": "the message size", "gpus_per_node": "the number of GPUs per node",
    "gpus_per_server": "the number of GPUs per node", "cores_per_node": "the number of cores per node", "mlp_matrices": "the number of MLP matrices",
    "batch_tokens": "the number of tokens per batch", "interval_s": "the checkpoint interval", "keep_last": "the number of checkpoints kept",
    "heads": "the number of heads", "kv_heads": "the number of KV heads", "layers": "the number of layers", "parameters": "the number of parameters",
    "recompute_ratio": "the recomputation factor", "write_s": "the write time", "span_s": "the period",
    "part_mtbf_s": "the MTBF of one node", "observed_s": "the observed time", "work_flop": "the total FLOP", "hop_seconds": "the hop time",
    "effective_tokens": "the number of effective tokens", "gpu_parameters": "the number of parameters per GPU",
    "optimizer_shards": "the number of optimizer shards", "linear_parameters": "the number of parameters in linear layers",
    "other_parameters": "the number of other parameters", "attention_parameters": "the number of parameters in attention",
    "backward_per_forward": "the ratio of backward to forward time", "batch_sequences": "the global batch size",
    "layer_parameters": "the number of parameters per layer", "micro_batch_tokens": "the number of tokens per micro-batch",
    "micro_tokens": "the number of tokens per micro-batch", "source_tokens": "the number of tokens in the source",
    "stage_layers": "the number of layers per stage", "total_steps": "the total number of steps",
    "tokens_per_gpu_s": "the throughput per GPU", "watts_per_gpu": "the power per GPU", "gpu_mtbf_s": "the MTBF of a GPU",
    "share_percent": "the percentage", "pairs_share": "the share of pairs", "score_share": "the share of core attention",
    "attention_share": "the share of core attention", "group_gpus": "the number of GPUs per group", "domain_gpus": "the number of GPUs per NVLink domain",
    "total_over_active": "the ratio of total to active parameters", "keep_every": "the spacing of archived checkpoints",
    "few_steps": "the smaller number of accumulation steps", "many_steps": "the larger number of accumulation steps", "few_step_s": "the shorter step time",
    "many_step_s": "the longer step time", "other_steps": "the new number of accumulation steps", "weight_gathers": "the number of weight all-gathers",
    "wait_s": "the time limit", "check_s": "the time per check", "checkpoint_bytes": "the checkpoint size", "text_bytes": "the text size",
    "activation_bytes": "the activation memory", "state_bytes": "the size of the model states", "detect_s": "the detection time",
    "memory_bytes": "the GPU memory", "communication_s": "the communication time", "efficiency": "the efficiency", "limit_s": "the time limit",
}  # fmt: skip
_CLEARER = {  # better nouns for names that count as understood only where the prompt uses their words
    "achieved_flop_per_s": "the achieved FLOP/s", "algorithm_bytes_per_s": "the algorithm bandwidth",
    "alone_s": "the time on an idle network", "base_total_steps": "the recipe's total number of steps",
    "base_warmup_steps": "the recipe's number of warmup steps", "batch_s": "the time per batch", "big_batch": "the batch size",
    "big_square": "the squared norm of the batch gradient", "billions": "the number of parameters in billions", "block": "the block size",
    "bubble": "the bubble fraction", "budget_dollars": "the budget", "burst": "the number of overflowing steps",
    "bytes_per_master": "the bytes per master weight", "core_s": "the time of core attention", "critical_batch": "the critical batch size",
    "data": "the number of training tokens", "element_bits": "the number of bits per element",
    "far_all_reduce_s": "the all-reduce time on B", "far_bus_bytes_per_s": "the bus bandwidth across nodes",
    "far_gpus": "the number of GPUs across nodes", "far_micro_batch_s": "the micro-batch time on B",
    "fast_bytes_per_s": "the NVLink rating", "first_batch": "the first batch size", "free_bytes": "the free memory per GPU",
    "gigabits": "the network bandwidth", "gpu_time_s": "the number of GPU-hours", "gradient_bytes": "the gradient size",
    "head_layers": "the number of layers that the head equals", "image_bytes": "the image size", "images": "the number of images per second",
    "input_backward_s": "the time of the input gradient", "input_bytes": "the size of the layer input",
    "large_loss": "the loss of the large model", "largest_overhead": "the accepted overhead", "largest_share": "the accepted share",
    "layer_bytes": "the activation memory per layer", "layer_millions": "the parameters per layer in millions",
    "mfu_alone": "the MFU without the all-reduce", "mfu_seen": "the MFU with the all-reduce",
    "micro_batch_ms": "the micro-batch time", "middle_loss": "the loss of the middle model",
    "millions": "the parameters of the layer in millions", "minimum_data": "the minimum number of tokens",
    "near_all_reduce_s": "the all-reduce time on A", "near_bus_bytes_per_s": "the bus bandwidth within a node",
    "near_gpus": "the number of GPUs within a node", "near_micro_batch_s": "the micro-batch time on A",
    "network_bytes_per_s": "the port bandwidth", "node_bytes_per_s": "the bandwidth per node", "node_mtbf_s": "the MTBF of a node",
    "other_gpus": "the number of GPUs in the cluster", "other_parts": "the number of GPUs in the next run",
    "parts": "the number of GPUs in this run", "plain_micro_batch": "the plain micro-batch size",
    "recomputed_micro_batch": "the checkpointed micro-batch size", "reduce_s": "the all-reduce time", "replicas": "the number of replicas",
    "micro_batches": "the number of micro-batches", "sample_forward_s": "the forward time per sequence", "sample_s": "the time per image",
    "saves": "the number of checkpoints", "scale": "the loss scale", "scale_bits": "the number of bits per scale",
    "second_batch": "the second batch size", "shown_bytes": "the activation memory per token", "slow_bytes_per_s": "the port rating",
    "small_batch": "the number of tokens per replica", "small_loss": "the loss of the small model",
    "small_square": "the squared norm of a replica's gradient", "stages_on": "the number of stages in between",
    "store_bytes_per_s": "the bandwidth of the store", "stream_bytes_per_s": "the bandwidth per request",
    "target_batch": "the target batch size", "tensors": "the number of tensors per layer", "thousand_hours": "the number of GPU-hours in thousands",
    "tokens_per_s": "the throughput", "tonnes": "the emissions", "tp_bytes_per_s": "the bus bandwidth of the TP group",
    "trillions": "the number of tokens in trillions", "unique_billions": "the number of unique tokens in billions", "useful_share": "the share of useful hours",
    "watts": "the power per GPU", "weight_backward_s": "the time of the weight gradient", "weight_bytes": "the size of the weights",
    "weights": "the size of the weights", "activations": "the activation memory", "states": "the size of the model states",
    "wider_bandwidth_bytes_per_s": "the bandwidth across nodes", "width": "the bytes per value", "wire_bytes_per_s": "the NVLink bandwidth",
}  # fmt: skip
_SHORT = {"lr": "learning rate", "gpu": "GPU", "gpus": "GPUs", "flop": "FLOP", "mfu": "MFU", "kwh": "kWh", "nic": "NIC",
          "kv": "KV", "ffn": "FFN", "mtbf": "MTBF", "mlp": "MLP", "gemm": "GEMM", "tp": "TP", "server": "node", "servers": "nodes"}  # fmt: skip
_RATE = re.compile(r"_(bytes|bits|flop|tokens)_per_s$")
_JOINED = re.compile(r"micro_batch|all_reduce")
_COUNTED = re.compile(r"(gpus|nodes|cores|tokens|experts|layers|samples)_per_")
_PLAIN = frozenset(  # words that say nothing about a question
    ["the", "number", "of", "size", "per", "time", "rate", "bytes", "an", "a"]
)
_NOUNS = frozenset(  # names of one word that are nouns and not adjectives
    [
        "share",
        "factor",
        "efficiency",
        "speedup",
        "probability",
        "width",
        "scale",
        "bubble",
        "burst",
        "block",
        "data",
        "rank",
        "step",
        "stage",
    ]
)


def pronoun(phrase: str) -> str:
    """Return the pronoun that refers to a noun phrase.

    >>> pronoun("the latency"), pronoun("the bytes per weight"), pronoun("the number of GPUs")
    ('it', 'them', 'it')
    """
    if phrase.startswith(("the term ", "the expression ")):
        return "it"
    head = re.split(r" (?:per|of|in|from|with|without) ", phrase)[0]
    return "them" if phrase.startswith("the ") and re.search(r"[^s/]s$", head) and not head.endswith("loss") else "it"


@lru_cache(maxsize=1024)
def words(name: str, *, has_unit: bool = False) -> str:
    """Return a parameter as a noun phrase.

    >>> words("latency_s"), words("bandwidth_bytes_per_s"), words("layer_bytes"), words("micro_batch_s")
    ('the latency', 'the bandwidth', 'the activation memory per layer', 'the micro-batch time')
    >>> words("gpus"), words("accumulation_steps"), words("bytes_per_gradient")
    ('the number of GPUs', 'the number of accumulation steps', 'the bytes per gradient')
    """
    return _KNOWN.get(name) or _CLEARER.get(name) or _literal(name, has_unit=has_unit)


def _literal(name: str, *, has_unit: bool = False) -> str:
    """Return a noun phrase that is made of the words of a name.

    >>> _literal("layer_bytes"), _literal("save_s")
    ('the layer bytes', 'the save time')
    """
    stem = (
        _RATE.sub(" rate", name)
        .replace("bandwidth rate", "bandwidth")
        .replace("bus rate", "bus bandwidth")
        .replace(" ", "_")
    )
    is_time = stem.endswith("_s")
    stem = _JOINED.sub(lambda found: found[0].replace("_", "-"), stem.removesuffix("_s"))
    text = " ".join(_SHORT.get(part, part) for part in stem.split("_"))
    if is_time and not text.endswith("time"):
        text += " time"
    is_count = name.endswith("s") and not is_time and not has_unit and "per" not in name and not name.endswith("bytes")
    is_count = is_count or _COUNTED.match(name) is not None
    is_count = is_count and not _RATE.search(name) and not name.endswith("loss")
    return f"the number of {text}" if is_count else f"the {text}"


def is_understood(name: str, prompt: str) -> bool:
    """Return whether readers of this prompt understand a name: it is a standard term, or the prompt uses its words.

    >>> is_understood("save_s", "Each save waits."), is_understood("held", "It has 2 copies.")
    (True, False)
    """
    if name in _KNOWN or name.startswith("bytes_per_"):
        return True
    text = prompt.lower().replace("-", " ")
    bare = name.rpartition(".")[2]  # an earlier result has the name of its part after a dot
    phrase = _KNOWN.get(bare) or _literal(bare)
    said = [word.lower() for word in re.findall(r"[\w-]+", phrase) if word.lower() not in _PLAIN]
    is_noun = "_" in name or name.endswith("s") or name in _NOUNS
    return is_noun and all(word[:5].rstrip("s").replace("-", " ") in text for word in said)
