"""Words: the name of a parameter as it is in a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

_KNOWN = {
    "gpus": "the number of GPUs", "dp": "the number of replicas", "tp": "the tensor-parallel degree", "pp": "the pipeline-parallel degree",
    "cp": "the context-parallel degree", "ep": "the expert-parallel degree", "wider_tp": "the wider tensor-parallel degree",
    "lr": "the learning rate", "hidden": "the hidden width", "ffn_hidden": "the inner width", "expert_ffn_hidden": "the inner width of an expert",
    "mfu": "the MFU", "pue": "the PUE", "batch": "the batch size", "base_batch": "the base batch size", "micro_batch": "the micro-batch size",
    "vocabulary": "the vocabulary size", "experts": "the number of experts", "experts_per_token": "the number of experts per token",
    "hysteresis": "the hysteresis", "in_flight": "the number of micro-batches in flight", "device_bytes": "the GPU memory",
    "reserved_bytes": "the reserved memory", "room_bytes": "the free memory", "memory_bytes_per_s": "the memory bandwidth",
    "peak_flop_per_s": "the peak", "flop_per_s": "the FLOP per second", "bytes_per_s": "the bytes per second",
    "bytes_per_s_per_core": "the rate per core", "dollars_per_gpu_hour": "the price per GPU-hour", "dollars_per_kwh": "the price per kWh",
    "dollars_per_gpu_s": "the price per GPU-hour", "dollars_per_gb_month": "the price per GB and month", "mtbf_s": "the MTBF",
    "sent_bytes": "the number of bytes sent", "sample_bytes": "the sample size", "request_bytes": "the request size",
    "nvlink_bytes_per_s": "the NVLink bandwidth", "port_bytes_per_s": "the port bandwidth", "bus_bytes_per_s": "the bus bandwidth",
    "latency_s": "the latency", "message_bytes": "the message size", "gpus_per_node": "the number of GPUs per node",
    "gpus_per_server": "the number of GPUs per node", "cores_per_node": "the number of cores per node", "mlp_matrices": "the number of MLP matrices",
    "batch_tokens": "the number of tokens per batch", "interval_s": "the interval", "keep_last": "the number of checkpoints kept",
    "heads": "the number of heads", "kv_heads": "the number of KV heads", "layers": "the number of layers", "parameters": "the number of parameters",
    "recompute_ratio": "the recomputation factor", "write_s": "the write time", "span_s": "the period",
    "part_mtbf_s": "the MTBF of one part", "observed_s": "the observed time", "work_flop": "the FLOP", "hop_seconds": "the hop time",
    "effective_tokens": "the number of effective tokens", "gpu_parameters": "the number of parameters per GPU",
    "optimizer_shards": "the number of optimizer shards", "linear_parameters": "the number of parameters in linear layers",
    "other_parameters": "the number of other parameters", "attention_parameters": "the number of parameters in attention",
    "backward_per_forward": "the ratio of backward to forward time", "batch_sequences": "the number of sequences per batch",
    "layer_parameters": "the number of parameters per layer", "micro_batch_tokens": "the number of tokens per micro-batch",
    "micro_tokens": "the number of tokens per micro-batch", "source_tokens": "the number of tokens in the source",
    "stage_layers": "the number of layers per stage", "total_steps": "the total number of steps",
    "tokens_per_gpu_s": "the throughput per GPU", "watts_per_gpu": "the power per GPU", "gpu_mtbf_s": "the MTBF of a GPU",
    "share_percent": "the percentage", "pairs_share": "the share of pairs", "score_share": "the share of attention scores",
    "attention_share": "the share of attention", "group_gpus": "the number of GPUs per group", "domain_gpus": "the number of GPUs per domain",
    "total_over_active": "the ratio of total to active parameters", "keep_every": "the spacing of kept checkpoints",
    "few_steps": "the smaller number of steps", "many_steps": "the larger number of steps", "few_step_s": "the shorter step time",
    "many_step_s": "the longer step time", "other_steps": "the other number of steps", "weight_gathers": "the number of weight all-gathers",
    "wait_s": "the waiting time", "check_s": "the time per check", "checkpoint_bytes": "the checkpoint size", "text_bytes": "the text size",
    "activation_bytes": "the activation memory", "state_bytes": "the size of the model states", "detect_s": "the detection time",
    "memory_bytes": "the GPU memory", "communication_s": "the communication time", "efficiency": "the efficiency", "limit_s": "the time limit",
}  # fmt: skip
_SHORT = {"lr": "learning rate", "gpu": "GPU", "gpus": "GPUs", "flop": "FLOP", "mfu": "MFU", "kwh": "kWh", "nic": "NIC",
          "kv": "KV", "ffn": "FFN", "mtbf": "MTBF", "mlp": "MLP", "gemm": "GEMM", "tp": "TP", "server": "node", "servers": "nodes"}  # fmt: skip
_RATE = re.compile(r"_(bytes|bits|flop|tokens)_per_s$")
_JOINED = re.compile(r"micro_batch|all_reduce")
_COUNTED = re.compile(r"(gpus|nodes|cores|tokens|experts|layers|samples)_per_")
_PLAIN = frozenset(
    ["the", "number", "of", "size", "per", "time", "rate", "bytes", "an", "a"]
)  # words that say nothing about a question


def pronoun(phrase: str) -> str:
    """Return the pronoun for a noun phrase.

    >>> pronoun("the latency"), pronoun("the input bytes"), pronoun("the number of GPUs")
    ('it', 'them', 'it')
    """
    head = re.split(r" (?:per|of|in|from|times|divided|plus|minus) ", phrase)[0]
    return "them" if phrase.startswith("the ") and re.search(r"[^s]s$", head) and not head.endswith("loss") else "it"


@lru_cache(maxsize=1024)
def words(name: str, *, has_unit: bool = False) -> str:
    """Return a parameter as a noun phrase.

    >>> words("latency_s"), words("bandwidth_bytes_per_s"), words("layer_bytes"), words("micro_batch_s")
    ('the latency', 'the bandwidth', 'the layer bytes', 'the micro-batch time')
    >>> words("gpus"), words("accumulation_steps"), words("bytes_per_gradient")
    ('the number of GPUs', 'the number of accumulation steps', 'the bytes per gradient')
    """
    if name in _KNOWN:
        return _KNOWN[name]
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


def is_understood(name: str, phrase: str, prompt: str) -> bool:
    """Return whether a phrase is clear to a reader of this prompt: it is a standard term, or the prompt uses its words.

    >>> is_understood("save_s", "the save time", "Each save waits."), is_understood("held", "the held", "It has 2 copies.")
    (True, False)
    """
    if name in _KNOWN or name.startswith("bytes_per_"):
        return True
    text = prompt.lower()
    told = [word.lower() for word in re.findall(r"[\w-]+", phrase) if word.lower() not in _PLAIN]
    is_noun = (
        "_" in name
        or name.endswith("s")
        or name
        in (
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
        )
    )
    return is_noun and all(word[:5].rstrip("s").replace("-", " ") in text.replace("-", " ") for word in told)
