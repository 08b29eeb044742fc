"""Gradients between two micro-batches: what a GPU holds of them, what it sends, and how losses are averaged."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_positive
from ..zero.zero import state_bytes_per_gpu


def buffered_state_bytes(*, parameters: float, gpus: int) -> float:
    """Model states on one GPU that adds its gradients up in FP32 and shards only the optimizer states (ZeRO-1).

        bytes = 2P + 4P + 12P/N

    The sum of the gradients is kept whole and in FP32: small gradients that are added to a large sum would be
    rounded away in BF16, which has eight significant bits.

    Units:   parameters and gpus are counts. Result in bytes.
    Raises:  ValueError if parameters is not positive or gpus is below 1.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 5.1; the FP32 sum as in Megatron-LM,
             accumulate_allreduce_grads_in_fp32, and Llama Team 2024, arXiv:2407.21783, section 3.3.2.

    >>> buffered_state_bytes(parameters=7e9, gpus=64) / 1e9   # 4P + 12P/N, without the buffer, would be 29.3
    43.3125
    """
    return state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=1, bytes_per_gradient=4)


def deferred_traffic_bytes(*, parameters: float, gpus: int, accumulation_steps: int, bytes_per_gradient: int) -> float:
    """Bytes that each GPU sends less in a step when it reduce-scatters once instead of after every micro-batch.

        saved = (a - 1) · g · P · (N - 1)/N

    A reduce-scatter on a ring sends (N - 1)/N of the gradient; one is left, hence a - 1.

    Units:   bytes_per_gradient in bytes; the rest are counts. Result in bytes per GPU and optimizer step.
    Raises:  ValueError if an argument is below 1.
    Source:  PyTorch pull request 126166 (FSDP2 with and without a reduce-scatter for every micro-batch);
             Rajbhandari et al. 2020, arXiv:1910.02054, section 7.1.

    >>> deferred_traffic_bytes(parameters=8e9, gpus=64, accumulation_steps=8, bytes_per_gradient=4) / 1e9
    220.5
    """
    require_positive(parameters=parameters)
    require_counts(gpus=gpus, accumulation_steps=accumulation_steps, bytes_per_gradient=bytes_per_gradient)
    reduce_scatter_bytes = bytes_per_gradient * parameters * (gpus - 1) / gpus
    return (accumulation_steps - 1) * reduce_scatter_bytes


def deferred_memory_bytes(*, parameters: float, gpus: int, bytes_per_gradient: int) -> float:
    """Memory that each GPU needs in addition when the reduce-scatter waits for the last micro-batch.

        held = g · P · (1 - 1/N)

    Until it is reduced, the sum of the gradients is whole on every GPU; afterwards a GPU keeps 1/N of it.

    Units:   bytes_per_gradient in bytes; the rest are counts. Result in bytes per GPU.
    Raises:  ValueError if an argument is below 1.
    Source:  PyTorch pull request 126166 (unsharded gradients when the reduce-scatter is omitted).

    >>> deferred_memory_bytes(parameters=8e9, gpus=64, bytes_per_gradient=4) / 1e9   # 32 GB instead of 0.5 GB
    31.5
    """
    require_positive(parameters=parameters)
    require_counts(gpus=gpus, bytes_per_gradient=bytes_per_gradient)
    whole_bytes = bytes_per_gradient * parameters
    return whole_bytes - whole_bytes / gpus


def deferral(*, parameters: float, gpus: int, bytes_per_gradient: int, free_bytes: float) -> str:
    """Whether there is room to let the reduce-scatter wait for the last micro-batch: "fits" or "too large".

    Units:   free_bytes is what is free while gradients are sharded, in bytes.
    Raises:  ValueError if an argument is below 1 or free_bytes is not positive.
    Source:  deferred_memory_bytes of this module.

    >>> deferral(parameters=8e9, gpus=64, bytes_per_gradient=4, free_bytes=30e9)
    'too large'
    """
    require_positive(free_bytes=free_bytes)
    held = deferred_memory_bytes(parameters=parameters, gpus=gpus, bytes_per_gradient=bytes_per_gradient)
    return "fits" if held <= free_bytes else "too large"


def token_pull(*, micro_batch_tokens: int, batch_tokens: int, accumulation_steps: int) -> float:
    """How strongly a token of one micro-batch counts in a mean of means, compared with the mean over all tokens.

        pull = T / (a · n)

    In the mean of a micro-batch's tokens each has the weight 1/n, and the mean over micro-batches divides by a.
    The mean over the batch gives every token 1/T.

    Units:   tokens that enter the loss; accumulation_steps is a count. Result is a ratio.
    Raises:  ValueError if an argument is below 1 or the batch has fewer tokens than the micro-batch.
    Source:  Hugging Face 2024-10-16, "Fixing Gradient Accumulation", huggingface.co/blog/gradient_accumulation.

    >>> token_pull(micro_batch_tokens=100, batch_tokens=1000, accumulation_steps=2)   # the other one has 900
    5.0
    """
    require_counts(micro_batch_tokens=micro_batch_tokens, accumulation_steps=accumulation_steps)
    require_counts(batch_tokens=batch_tokens)
    if batch_tokens < micro_batch_tokens:
        raise ValueError(f"batch_tokens {batch_tokens} must contain the micro-batch's {micro_batch_tokens}")
    return batch_tokens / (accumulation_steps * micro_batch_tokens)
