"""Every reference refuses an argument that is negative, a broken count or no number, and says which.

The calls are those of the references' own examples, with one argument replaced at a time.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from functools import cache, partial
from numbers import Real
from types import ModuleType
from typing import Any

import pytest

import solutions
from solutions.facts.arguments import (
    require_counts,
    require_fraction,
    require_index,
    require_not_negative,
    require_positive,
    require_whole,
)

Function = Callable[..., Any]
MODULES = [
    found.name.removeprefix("solutions.")
    for found in pkgutil.walk_packages(solutions.__path__, "solutions.")
    if not found.ispkg and found.name.split(".")[1] not in ("oracles", "figures", "interactive")
]

# A number below zero, or any number, is meant here; or the argument plays no part in the example.
TAKEN = {
    "clipped_cast.value",
    "rounded.value",
    "saturated.value",
    "spacing.value",
    "scale_factor.margin",
    "schedule_change.virtual_stages",
    "server_of_stage.stages_on",
    "expected_steps_to_move.weight",
    "moving_steps.weight",
    "smallest_moving_update.weight",
}
# Of these also a fraction is meant (a point between two steps of a curve), or nothing is lost when one is given.
PARTS_TAKEN = {
    "recompute_overhead.recomputed_layers",
    "peak_activation_bytes.recomputed_layers",
    "best_layout.tp_percent",
    "racks_needed.spare_nodes",
    "usable_gpus.failed_nodes",
    "cosine_area.warmup_steps",
    "cosine_lr.step",
    "wsd_area.decay_steps",
    "wsd_area.stable_steps",
    "wsd_area.warmup_steps",
    "wsd_lr.step",
    "wsd_to_cosine_area.decay_steps",
    "wsd_to_cosine_area.stable_steps",
    "wsd_to_cosine_area.warmup_steps",
    "loss_bytes.copies_16",
    "loss_bytes.copies_32",
    "decoder_parameters.positions",
    "slowest_stage_layers.last_stage_layers",
    "gpu_bytes.stage",
    "waiting_step_seconds.stages",
    "fp8_activation_saving_bytes.block",
}
# A reference that works by another one may refuse an argument under the name that it has there.
TOLD_AS = {
    "faster_plan.plain_micro_batch": "micro_batch",
    "faster_plan.recomputed_micro_batch": "micro_batch",
    "recompute_ratio.sequence_length": "tokens",
    "six_n_over_count.sequence_length": "tokens",
    "vocabulary_share.sequence_length": "tokens",
    "needed_gemm_share.gemm_speedup": "gemm_speedup_above_one",
    "needed_gemm_share.speedup": "speedup_above_one",
    "zeroed_share.amax": "largest_value",
    "zeroed_share.typical": "smallest_value",
    "largest_oversubscription.pods": "children",
    "warmup_share.base_total_steps": "steps",
    "burst_until_lost.smallest_gradient": "gradient",
    "skipped_at_start.largest_gradient": "gradient",
    "usable_scales.largest_gradient": "largest_value",
    "usable_scales.smallest_gradient": "smallest_value",
    "share_that_may_be_lost.lost_elsewhere": "share_0",
    "all_reduce_bytes.tp": "gpus",
    "phase_bytes.tp": "gpus",
    "traffic_bytes.tp": "gpus",
    "judge.zero": "stage",
    "run_days.tokens": "training_tokens",
    "run_dollars.tokens": "training_tokens",
    "throughput_lost.wider_bandwidth_bytes_per_s": "bus_bandwidth_bytes_per_s",
    "throughput_lost.wider_tp": "tp",
    "traffic_seconds.tp": "gpus",
}

# What an argument is when it is left out: the same in every reference that has it, but for those named with their function.
DEFAULTS = {
    "activation_bytes": 0,
    "biases": False,
    "bytes_per_activation": 2,
    "bytes_per_element": 2,
    "bytes_per_gathered_weight": 1,
    "bytes_per_logit": 10,
    "bytes_per_master": 4,
    "bytes_per_moment": 4,
    "bytes_per_value": 2,
    "bytes_per_weight": 2,
    "cache_bytes_per_sequence": 0,
    "causal": False,
    "copies_16": 1,
    "copies_32": 2,
    "fixed_s": 0,
    "forward_passes": 1,
    "fsdp_axes": 1,
    "gpus_per_node": 8,
    "gpus_per_server": 8,
    "hysteresis": 1,
    "in_flight": 1,
    "lasting_bytes": 0,
    "latency_s": 0,
    "loss_bytes_per_token": 0,
    "margin": 0,
    "matmul_efficiency": 1,
    "micro_batch": 1,
    "min_scale": 1,
    "mlp_matrices": 3,
    "multiple": 1,
    "number_format": "FP16",
    "pairs_share": 1,
    "positions": 0,
    "pue": 1,
    "recompute": "none",
    "recompute_ratio": 1,
    "recomputed": False,
    "recomputed_layer_bytes": 0,
    "reserved_bytes": 0,
    "sequence_parallel": False,
    "share_in_16_bits": 1,
    "span": "step",
    "stages": 1,
    "stored": "in, out",
    "strict": False,
    "tied": False,
    "total_over_active": 1,
    "tp": 1,
    "tp_axes": 1,
    "update_bytes": 0,
    "virtual_stages": 1,
    "with_gradients": True,
    "with_weights": True,
    "adam_step_seconds.bytes_per_gradient": 4,
    "best_layout.max_stages": 32,
    "data_parallel_pod_bytes.bytes_per_gradient": 4,
    "flop_per_byte.causal": True,
    "fp8_activation_saving_bytes.block": 0,
    "gpt_training_seconds.recompute": "full",
    "largest_lost_value.number_format": "E4M3",
    "largest_outlier.number_format": "E4M3",
    "judge.sequence_parallel": True,
    "moving_steps.number_format": "BF16",
    "overhead_of_compute.span": "forward",
    "peak_flop_per_s.number_format": "bf16",
    "replica_state_bytes.bytes_per_gradient": 2,
    "scale_factor.number_format": "E4M3",
    "sliced_state_bytes_per_gpu.bytes_per_gradient": 2,
    "smallest_cp.max_cp": 256,
    "smallest_pipeline.max_stages": 64,
    "state_bytes_per_gpu.bytes_per_gradient": 2,
    "tokens_to_hide_all_reduce.bytes_per_gradient": 2,
    "tokens_to_hide_all_reduce.gpus": float("inf"),
    "zeroed_share.number_format": "E4M3",
}


def references(module: ModuleType) -> dict[str, Function]:
    """The public functions that a module defines and gives a result; a check of arguments gives none."""
    return {
        name: function
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and not name.startswith(("_", "require_"))
        and "__" not in name
    }


@cache
def example_calls(module: ModuleType) -> dict[str, list[tuple[dict[str, Any], Any]]]:
    """The calls of each reference that the docstrings show: arguments, defaults among them, and result."""
    calls: dict[str, list[tuple[dict[str, Any], Any]]] = {}

    def recorded(name: str, function: Function) -> Function:
        def record(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            bound = inspect.signature(function).bind(*args, **kwargs)
            bound.apply_defaults()
            calls.setdefault(name, []).append((dict(bound.arguments), result))
            return result

        return record

    functions = references(module)
    for function in functions.values():
        names = vars(module) | {name: recorded(name, function) for name, function in functions.items()}
        for example in doctest.DocTestParser().get_examples(function.__doc__ or ""):
            with contextlib.suppress(ValueError):  # an example may show what is refused
                exec(compile(example.source, module.__name__, "exec"), names)
    return calls


def fault_with(function: Function, arguments: dict[str, Any], told_as: str) -> str:
    """What is wrong with how a reference takes these arguments; nothing when it refuses one by that name."""
    try:
        result = function(**arguments)
    except ValueError as refused:
        return "" if re.search(rf"^{told_as} must ", str(refused)) else f"refused without its name: {refused}"
    return f"accepted, with the result {result!r}"


@pytest.mark.parametrize("name", MODULES)
def test_a_negative_argument_a_broken_count_and_what_is_no_number_are_refused_by_name(name: str) -> None:
    module = importlib.import_module(f"solutions.{name}")
    calls = example_calls(module)
    faults = [
        f"{name}.{function} is not called in its own docstring" for function in set(references(module)) - set(calls)
    ]
    for function, [(arguments, _), *_] in calls.items():
        for argument, value in arguments.items():
            key = f"{function}.{argument}"
            if isinstance(value, bool) or not isinstance(value, Real) or key in TAKEN:
                continue
            annotation = inspect.signature(getattr(module, function)).parameters[argument].annotation
            bad = [-1, value + 0.5 if "int" in str(annotation) else float("nan")]
            for given in bad[:1] if key in PARTS_TAKEN else bad:
                if fault := fault_with(
                    getattr(module, function), arguments | {argument: given}, TOLD_AS.get(key, argument)
                ):
                    faults.append(f"{name}.{key} = {given}: {fault}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", MODULES)
def test_an_argument_left_out_is_what_it_is_everywhere_else(name: str) -> None:
    module = importlib.import_module(f"solutions.{name}")
    for function, [(arguments, _), *_] in example_calls(module).items():
        reference = getattr(module, function)
        for argument, parameter in inspect.signature(reference).parameters.items():
            default = DEFAULTS.get(f"{function}.{argument}", DEFAULTS.get(argument))
            if parameter.default is inspect.Parameter.empty or default is None:
                continue
            assert parameter.default == default, f"{name}.{function}.{argument}"
            left_out = {other: value for other, value in arguments.items() if other != argument}
            try:
                given = reference(**left_out, **{argument: default})
            except ValueError:
                continue  # the rest of the example does not go with it
            assert reference(**left_out) == given, f"{name}.{function}.{argument}"


@pytest.mark.parametrize("name", MODULES)
def test_a_count_is_a_whole_number_and_no_float(name: str) -> None:
    module = importlib.import_module(f"solutions.{name}")
    for function, calls in example_calls(module).items():
        annotation = str(inspect.signature(getattr(module, function)).return_annotation)
        if re.fullmatch(r"int|tuple\[int(, int|, \.\.\.)*\]", annotation):
            for arguments, result in calls:
                numbers = [result] if annotation == "int" else result
                assert all(isinstance(number, int) for number in numbers), (
                    f"{name}.{function}(**{arguments}) = {result}"
                )


@pytest.mark.parametrize(
    ("check", "taken", "refused"),
    [
        (require_counts, (1, 8, 2.0), (0, -1, 1.5, True, "8", None, float("inf"), float("nan"))),
        (require_whole, (0, 1, 2.0), (-1, 0.5, True, "8", None, float("inf"), float("nan"))),
        (partial(require_index, below=8), (0, 7, 2.0), (-1, 8, 0.5, True, "1", None, float("nan"))),
        (require_positive, (1e-300, 1, 1e300), (0, -1, "8", None, float("inf"), float("nan"))),
        (require_not_negative, (0, 1e-300, 1e300), (-1e-300, "8", None, float("inf"), float("nan"))),
        (require_fraction, (1e-300, 0.5, 1), (0, 1.001, -0.5, "0.5", None, float("nan"))),
    ],
)
def test_a_check_tells_the_numbers_it_takes_from_all_others(
    check: Function, taken: tuple[object, ...], refused: tuple[object, ...]
) -> None:
    for value in taken:
        check(share=value, other=1)
    for value in refused:
        with pytest.raises(ValueError, match=re.escape("share must ") + ".*" + re.escape(f"not {value!r}")):
            check(other=1, share=value)
