"""Words: the name of a parameter as it stands in a sentence."""

from __future__ import annotations

import re
from functools import lru_cache

_KNOWN = {"gpus": "the number of GPUs", "dp": "the number of replicas", "tp": "the tensor-parallel degree",
          "pp": "the pipeline-parallel degree", "cp": "the context-parallel degree", "lr": "the learning rate",
          "hidden": "the hidden width", "ffn_hidden": "the inner width", "mfu": "the MFU", "pue": "the PUE"}  # fmt: skip
_SHORT = {"lr": "learning rate", "gpu": "GPU", "gpus": "GPUs", "flop": "FLOP", "mfu": "MFU", "kwh": "kWh", "nic": "NIC",
          "kv": "KV", "ffn": "FFN"}  # fmt: skip
_RATE = re.compile(r"_(bytes|bits|flop|tokens)_per_s$")


@lru_cache(maxsize=1024)
def words(name: str, *, has_unit: bool = False) -> str:
    """A parameter as a noun phrase.

    >>> words("latency_s"), words("bandwidth_bytes_per_s"), words("message_bytes"), words("micro_batch_s")
    ('the latency', 'the bandwidth', 'the message bytes', 'the micro batch time')
    >>> words("gpus"), words("accumulation_steps"), words("bytes_per_gradient")
    ('the number of GPUs', 'the number of accumulation steps', 'the bytes per gradient')
    """
    if name in _KNOWN:
        return _KNOWN[name]
    stem = _RATE.sub(" rate", name).replace("bandwidth rate", "bandwidth").replace(" ", "_")
    is_time = stem.endswith("_s")
    stem = stem.removesuffix("_s")
    text = " ".join(_SHORT.get(part, part) for part in stem.split("_"))
    if is_time and stem != "latency":
        text += " time"
    is_count = name.endswith("s") and stem == name and not has_unit and "per" not in name and not name.endswith("bytes")
    return f"the number of {text}" if is_count else f"the {text}"
