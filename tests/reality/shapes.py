"""Measurements in one process: FLOP of a decoder, activations that a layer keeps, and the size of a checkpoint."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from .cases import Case

SHAPE = {"hidden": 256, "ffn_hidden": 896, "heads": 8, "kv_heads": 2}
TOKENS, LAYERS, VOCABULARY = 128, 3, 1000


def _layer(torch: Any) -> Any:
    """Return a layer of a Llama: fused norms, grouped queries, fused attention, fused SwiGLU."""
    functional = torch.nn.functional
    width, inner, heads, kv_heads = SHAPE.values()
    head = width // heads

    class Fused(torch.autograd.Function):
        """A function that keeps only its inputs and recomputes the rest, as fused kernels do."""

        @staticmethod
        def forward(context: Any, function: Any, *inputs: Any) -> Any:
            context.save_for_backward(*inputs)
            context.function = function
            return function(*inputs)

        @staticmethod
        def backward(context: Any, gradient: Any) -> Any:
            inputs = [tensor.detach().requires_grad_() for tensor in context.saved_tensors]
            with torch.enable_grad():
                result = context.function(*inputs)
            return None, *torch.autograd.grad(result, inputs, gradient)

    def norm(tokens: Any) -> Any:
        return functional.rms_norm(tokens, (width,))

    def swiglu(gate: Any, up: Any) -> Any:
        return functional.silu(gate) * up

    class Layer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            sizes = {"query": (width, width), "key": (width, kv_heads * head), "value": (width, kv_heads * head),
                     "output": (width, width), "gate": (width, inner), "up": (width, inner), "down": (inner, width)}  # fmt: skip
            self.matrices = torch.nn.ModuleDict({n: torch.nn.Linear(*s, bias=False) for n, s in sizes.items()})

        def forward(self, tokens: Any) -> Any:
            matrices, length = self.matrices, tokens.shape[1]
            normed = Fused.apply(norm, tokens)
            query, key, value = (
                matrices[name](normed).view(tokens.shape[0], length, -1, head).transpose(1, 2)
                for name in ("query", "key", "value")
            )
            attended = functional.scaled_dot_product_attention(query, key, value, enable_gqa=True, is_causal=False)
            tokens = tokens + matrices["output"](attended.transpose(1, 2).reshape(tokens.shape))
            normed = Fused.apply(norm, tokens)
            return tokens + matrices["down"](Fused.apply(swiglu, matrices["gate"](normed), matrices["up"](normed)))

    return Layer()


def _kept_bytes() -> int:
    """Return the bytes of all tensors that a layer keeps, each storage once, without weights."""
    import torch

    layer = _layer(torch).to(torch.bfloat16)
    weights = {weight.untyped_storage().data_ptr() for weight in layer.parameters()}
    kept: dict[int, Any] = {}

    def pack(tensor: Any) -> Any:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in weights:
            kept[storage.data_ptr()] = tensor
        return tensor

    tokens = torch.randn(1, TOKENS, SHAPE["hidden"], dtype=torch.bfloat16, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = layer(tokens)
    assert result.requires_grad
    return sum(tensor.untyped_storage().nbytes() for tensor in kept.values())


def _flop(*, backward: bool) -> int:
    """Return the FLOP of a decoder's pass, as PyTorch counts the matrix multiplications that run."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    layers = torch.nn.Sequential(*[_layer(torch) for _ in range(LAYERS)])
    head = torch.nn.Linear(SHAPE["hidden"], VOCABULARY, bias=False)
    tokens = torch.randn(2, TOKENS, SHAPE["hidden"], requires_grad=True)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # its products are counted one by one
        result = head(layers(tokens))
        if backward:
            result.sum().backward()
    return int(counter.get_total_flops())


def _checkpoint_bytes() -> float:
    """Return the bytes per parameter of a file with BF16 weights, FP32 master copy and Adam's moments."""
    import torch

    weights = torch.zeros(10**6, dtype=torch.bfloat16)
    master = torch.zeros(10**6, requires_grad=True)
    optimizer = torch.optim.Adam([master])
    master.sum().backward()
    optimizer.step()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint")
        torch.save({"weights": weights, "master": master.detach(), "optimizer": optimizer.state_dict()}, path)
        return os.path.getsize(path) / 10**6


_PASS = {"tokens": 2 * TOKENS, "sequence_length": TOKENS, "layers": LAYERS, "vocabulary": VOCABULARY, **SHAPE}
CASES = [
    Case("Activations", "bytes that a Llama layer keeps, BF16 (the softmax's row sums are not in the formula)",
         "activations.activations.layer_activation_bytes", {"tokens": TOKENS, "tp": 1, **SHAPE}, "bytes", _kept_bytes),
    Case("FLOP", f"forward pass of {LAYERS} layers and the output layer, `FlopCounterMode`", "roofline.flops.forward_flop", _PASS, "FLOP",
         lambda: _flop(backward=False)),
    Case("FLOP", "forward and backward pass", "roofline.flops.step_flop", _PASS, "FLOP", lambda: _flop(backward=True)),
    Case("Checkpoints", "bytes per parameter of a file with weights, master copy and both moments (names and sizes take the rest)",
         "zero.zero.lasting_state_bytes_per_gpu", {"parameters": 1, "gpus": 1, "stage": 0}, "bytes", _checkpoint_bytes),
]  # fmt: skip
