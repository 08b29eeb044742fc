"""Every reference refuses an argument that is negative, a broken count or no number, and says which; and agrees with its oracle.

The calls are those of the references' own examples, with one argument replaced at a time.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import math
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    if not found.ispkg
    and found.name.split(".")[1] not in ("oracles", "figures", "interactive")
    and not found.name.startswith("solutions.planner.configurations.")  # reads files, and reports their faults
]

# A number below zero, or any number, is meant here; or the argument plays no part in the example.
TAKEN = {
    "clipped_cast.value",
    "kept_after_delayed_scaling.value",
    "mlp_on_ranks.bias",
    "mlp_on_ranks.upstream",
    "mlp_on_ranks.x",
    "mlp_on_ranks_without.bias",
    "mlp_on_ranks_without.upstream",
    "mlp_on_ranks_without.x",
    "rounded.value",
    "saturated.value",
    "spacing.value",
    "scale_factor.margin",
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
}
# Words of one's own, or one that plays no part in the example.
ANY_WORD = {"precision_faults.precision", "chip_knowledge.accelerator", "time_factor.accelerator", "stack.accelerator"}
# A reference that works by another one may refuse an argument under the name that it has there.
TOLD_AS = {
    "faster_plan.plain_micro_batch": "micro_batch",
    "faster_plan.recomputed_micro_batch": "micro_batch",
    "recompute_ratio.sequence_length": "tokens",
    "six_n_over_count.sequence_length": "tokens",
    "vocabulary_share.sequence_length": "tokens",
    "needed_gemm_share.gemm_speedup": "gemm_speedup_above_one",
    "needed_gemm_share.speedup": "speedup_above_one",
    "longest_response.largest_factor": "largest_factor_above_one",
    "zeroed_share.amax": "largest_value",
    "fastest_rows.a": "rows",
    "fastest_rows.b": "rows",
    "fastest_rows.c": "rows",
    "fastest_rows.d": "rows",
    "zeroed_share.typical": "smallest_value",
    "largest_oversubscription.pods": "children",
    "warmup_share.base_total_steps": "steps",
    "burst_until_lost.smallest_gradient": "gradient",
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

# What an argument is when it is omitted: the same in every reference that has it, but for those named with their function.
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

# What is refused of arguments that are each in range: what of the example is changed, and words of the message.
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("zero.zero.gpus_for_cut", {"share": 1, "stage": 1}, "the limit itself is not reached"),
    (
        "zero.capacity.largest_model",
        {"device_bytes": 80e9, "activation_bytes": 80e9},
        "activations and reserve must leave room for states, and they leave",
    ),
    ("shapes.layer_parameters.layer_parameters", {"kv_heads": 7}, "heads must divide the width"),
    ("learning_rate.batch_ramp.ramped_steps", {"stage_tokens": 1e12}, "tokens must suffice for"),
    ("communication.collectives.message_for_efficiency", {"efficiency": 1}, "efficiency must be below"),
    ("tensor_and_context.context_parallel.all_to_all_bytes", {"heads": 6, "kv_heads": 4, "cp": 4}, "GPUs must divide"),
    ("learning_rate.critical_batch.dollars_per_second_saved", {"factor": 1}, "factor must be above"),
    ("layout.diagnosis.seconds_after", {"score_share": 1.5}, "score_share must be at most"),
    ("roofline.flops.step_flop", {"heads": 8, "hidden": 4100}, "heads must divide the width"),
    ("layout.layout.best_layout", {"sequences": 2049}, "no layout of"),
    (
        "tensor_and_context.tensor_parallel.recomputed_layers",
        {"counted": 2000, "layers": 80, "micro_batches": 4},
        "the counted all-reduces must fit",
    ),
    (
        "tensor_and_context.tensor_parallel_time.largest_tp_under_share",
        {"bus_bandwidth_bytes_per_s": 1, "largest_share": 1},
        "largest_share must be below",
    ),
    (
        "roofline.roofline.fused_attention_intensity",
        {"queries": 1, "keys": 8, "heads": 4, "kv_heads": 4, "causal": True},
        "a causal mask is counted for as many queries as keys",
    ),
    (
        "pipeline.zero_bubble.step_seconds",
        {"schedule": "ZB-H2", "stages": 4, "micro_batches": 6},
        "micro_batches must be at least",
    ),
    (
        "accumulation.accumulation.tying_fixed_seconds",
        {"plain_micro_batch": 4, "recomputed_micro_batch": 4},
        "recomputed_micro_batch must be more than",
    ),
    ("roofline.layer_kernels.layer_seconds", {"tp": 3}, "KV heads the heads, and tp"),
    ("roofline.layer_kernels.layer_seconds", {"heads": 24}, "KV heads the heads, and tp"),
    (
        "learning_rate.lr_schedules.cosine_lr",
        {"warmup_steps": 1000, "total_steps": 1000},
        "decay_steps must be a whole number of at least",
    ),
    (
        "learning_rate.lr_schedules.cosine_area",
        {"warmup_steps": 100, "total_steps": 100},
        "decay_steps must be a whole number of at least",
    ),
    (
        "learning_rate.learning_rate.adam_window_steps",
        {"beta": 0.5, "base_batch": 1, "batch": 2},
        "the new decay must lie between",
    ),
    (
        "learning_rate.learning_rate.adam_window_steps",
        {"beta": 1.0, "base_batch": 1, "batch": 2},
        "the new decay must lie between",
    ),
    ("roofline.mfu.paced_tokens_per_s", {"slowdowns": [0.9]}, "slowdowns need one GPU at least, each at least"),
    ("roofline.mfu.keep_or_drop", {"gpus": 10, "gpus_per_replica": 4}, "and the GPUs whole replicas"),
    (
        "pipeline.pipeline_balance.unequal_step_seconds",
        {"stage_seconds": ()},
        "stages must be a whole number of at least",
    ),
    (
        "pipeline.pipeline_balance.slowest_stage_layers",
        {"layers": 8, "stages": 4, "last_stage_layers": 6},
        "layers on the last of",
    ),
    ("pipeline.pipeline_balance.best_last_stage", {"layers": 8, "stages": 1}, "stages, or there is one stage"),
    (
        "accumulation.accumulation_time.share_after_change",
        {"share": 1.0, "accumulation_steps": 4, "other_steps": 2},
        "compute_share must be above",
    ),
    (
        "accumulation.accumulation_time.waiting_seconds",
        {"few_steps": 4, "few_step_s": 2.0, "many_steps": 4, "many_step_s": 1.0},
        "many_steps must be more than few_steps",
    ),
    (
        "accumulation.accumulation_time.overtaking_steps",
        {"near_micro_batch_s": 0.3, "near_all_reduce_s": 0.1, "far_micro_batch_s": 0.3, "far_all_reduce_s": 0.5},
        "the far site must have the shorter micro-batch and the longer all-reduce",
    ),
    (
        "accumulation.accumulation_time.overtaking_steps",
        {"near_micro_batch_s": 0.4, "near_all_reduce_s": 0.5, "far_micro_batch_s": 0.3, "far_all_reduce_s": 0.5},
        "the far site must have the shorter micro-batch and the longer all-reduce",
    ),
    (
        "communication.overlap.step_seconds",
        {"communication_s": 0.5, "compute_s": 1.0, "hidden": 1.5},
        "and leave no more hidden than is computed",
    ),
    (
        "communication.overlap.step_seconds",
        {"communication_s": 1.5, "compute_s": 1.0, "hidden": 0.9},
        "and leave no more hidden than is computed",
    ),
    (
        "communication.overlap.tokens_to_hide_all_reduce",
        {"total_over_active": math.inf},
        "total_over_active must be at least",
    ),
    ("accumulation.accumulation.micro_batch_that_fits", {"memory_bytes": 1.0}, "bytes does not fit with"),
    ("communication.axis_traffic.tp_step_bytes", {"cp": 3}, "context-parallel ranks must divide a sequence of"),
    ("zero.capacity.least_stage", {"room_bytes": 1.0}, "bytes on each GPU"),
    ("communication.collectives.chain_broadcast_seconds", {"gpus": 1}, "gpus must be at least 2"),
    ("communication.collectives.double_tree_seconds", {"gpus": 3}, "gpus must be at least 4 for two trees"),
    ("tensor_and_context.context_parallel.gather_over_attention", {"heads": 1}, "KV heads must divide the"),
    ("tensor_and_context.context_parallel.lighter_exchange", {"heads": 1}, "KV heads must divide the"),
    (
        "tensor_and_context.context_parallel.longest_context",
        {"room_bytes": 1.0},
        "bytes must hold at least one token, which keeps",
    ),
    (
        "tensor_and_context.context_parallel.ring_attention_seconds",
        {"block_seconds": []},
        "block_seconds must name at least one block",
    ),
    ("tensor_and_context.context_parallel.smallest_cp", {"layers": 1000000}, "GPUs are too few: a sequence keeps"),
    ("cost.data_constrained.worth_of_a_repeat", {"epochs": 0.5}, "epochs must be at least 1"),
    ("experts.expert_capacity.dropped_copies", {"loads": [0, 0]}, "loads must not all be 0"),
    ("experts.expert_capacity.dropped_copies", {"loads": []}, "loads must name at least one expert"),
    ("experts.expert_capacity.least_factor", {"factors": []}, "drops more than"),
    (
        "experts.expert_compute.micro_batch_that_fills",
        {"hidden": 1},
        "matrix stays memory-bound with any number of tokens",
    ),
    ("layout.fixed_batch.gpus_at_bubble", {"pp": 1}, "a pipeline of one stage has no bubble"),
    ("layout.fixed_batch.most_gpus", {"micro_batch": 3}, "must divide the batch of"),
    ("zero.fsdp.micro_batches_behind", {"gpus": 1}, "gpus must be at least 2"),
    ("activations.gpt_activations.layer_bytes", {"tp": 7}, "must divide the"),
    ("accumulation.gradient_buffers.token_pull", {"micro_batch_tokens": 1000000}, "must contain the micro-batch's"),
    ("communication.hierarchy.collective_gap", {"near_gpus": 1}, "near_gpus and far_gpus must be at least"),
    ("communication.hierarchy.gather_bandwidth", {"children": 1}, "children must be at least 2"),
    ("communication.hierarchy.in_switch_bytes", {"gpus": 1}, "gpus must be at least 2"),
    ("communication.hierarchy.link_rate_behind_in_switch", {"gpus": 1}, "gpus must be at least 2"),
    (
        "communication.hierarchy.pod_uplink_bytes_per_s",
        {"oversubscription": 0.5},
        "oversubscription must be at least 1",
    ),
    ("communication.hierarchy.port_rate_behind_bus_bandwidth", {"servers": 1}, "servers must be at least 2"),
    ("layout.layout.fuller_stages", {"layers": 1}, "layers leave some of"),
    ("layout.layout.layers_per_stage", {"layers": 1}, "layers leave some of"),
    ("layout.layout.usable_gpus", {"gpus": 1}, "are more than"),
    (
        "learning_rate.learning_rate.rate_from_two_sweeps",
        {"first_batch": 1, "second_batch": 1},
        "second_batch must differ from first_batch",
    ),
    ("activations.loss_memory.loss_chunks", {"room_bytes": 1.0}, "the logits of a single token do not fit"),
    ("precision.loss_scaling.burst_until_lost", {"smallest_gradient": 1.0}, "needs no scale"),
    ("shapes.moe.active_parameters", {"experts": 1}, "a token cannot go to"),
    ("shapes.moe.total_parameters", {"dense_layers": 1000000}, "layers cannot be dense"),
    ("communication.overlap.most_gpus_that_hide", {"batch_tokens": 1.0}, "batch_tokens must be enough for one node"),
    ("cost.overtraining.token_factor", {"size_factor": 5e-07}, "times the optimum's size never reaches its loss"),
    ("pipeline.pipeline_traffic.best_virtual_stages", {"stages": 2}, "stages must be at least 3"),
    ("pipeline.pipeline_traffic.busiest_gpu_seconds", {"stages": 1}, "a pipeline of one stage sends nothing"),
    ("ring.ring.algorithm_bandwidth_elsewhere", {"gpus": 1}, "gpus must be at least 2"),
    ("ring.ring.crossover_bytes", {"gpus": 3}, "for the two to differ in steps"),
    ("ring.ring.parameters_behind_phase", {"gpus": 1}, "gpus must be at least 2"),
    ("ring.ring.rails_all_reduce_seconds", {"servers": 1}, "servers and gpus_per_server must be at least"),
    ("roofline.roofline.fused_attention_intensity", {"heads": 1}, "heads are not a multiple of"),
    ("cost.run_costs.seconds_saved_by_speedup", {"speedup": 0.5}, "speedup must be at least"),
    ("checkpointing.spares.recovery_probability", {"failed": 1000000}, "failed must be at most"),
    ("tensor_and_context.tensor_parallel.kv_copies", {"kv_heads": 3}, "GPUs must divide one another"),
    ("zero.zero.nearest_stage", {"gpus": 1}, "on one GPU every stage holds the same"),
    ("pipeline.zero_bubble.bubble_rate_with_hops", {"schedule": "GPipe"}, "schedule must be one of 1F1B, ZB-H1, ZB-H2"),
]

# The oracle of a reference has its name, or its name behind one of these words, and takes the same arguments.
WORDS = (
    "", "climbed_", "clocked_", "counted_", "integrated_", "listed_", "moved_by_one_", "played_", "searched_", "simulated_",
    "summed_", "tried_", "walked_",
)  # fmt: skip
# The module of its oracles, where that has another name than its own.
ORACLE_MODULES = {"cost.run_costs": "capstone.capstone"}
# Oracles that have another name.
ORACLES = {
    "accumulation.accumulation.batch_overshoot": "accumulation.accumulation.counted_overshoot",
    "accumulation.accumulation.dividing_micro_batch": "accumulation.accumulation.cut_micro_batch",
    "accumulation.accumulation.faster_plan": "accumulation.accumulation.raced_plans",
    "accumulation.accumulation.micro_batch_that_fits": "accumulation.accumulation.packed_micro_batch",
    "accumulation.accumulation.tying_fixed_seconds": "accumulation.accumulation.searched_tie",
    "accumulation.accumulation_time.share_after_change": "accumulation.accumulation_time.replayed_share",
    "learning_rate.batch_ramp.ramped_steps": "learning_rate.batch_ramp.walked_ramp_steps",
    "checkpointing.checkpoint_interval.young_interval_seconds": "layout.run_plan.young_interval_seconds",
    "learning_rate.critical_batch.critical_batch_for_tokens": "learning_rate.critical_batch.integrated_critical_batch_for_tokens",
    "learning_rate.critical_batch.critical_batch_tokens": "learning_rate.critical_batch.integrated_critical_batch",
    "learning_rate.critical_batch.dollars_per_second_saved": "learning_rate.critical_batch.played_dollars_per_second",
    "learning_rate.critical_batch.loss_for_critical_batch": "learning_rate.critical_batch.integrated_loss",
    "accumulation.gradient_buffers.buffered_state_bytes": "accumulation.gradient_buffers.held_state_bytes",
    "accumulation.gradient_buffers.deferral": "accumulation.gradient_buffers.allocated_deferral",
    "accumulation.gradient_buffers.deferred_memory_bytes": "accumulation.gradient_buffers.counted_deferred_memory",
    "accumulation.gradient_buffers.deferred_traffic_bytes": "accumulation.gradient_buffers.counted_deferred_traffic",
    "accumulation.gradient_buffers.token_pull": "accumulation.gradient_buffers.moved_by_one_token",
    "learning_rate.learning_rate.adam_window_steps": "learning_rate.learning_rate.summed_adam_window",
    "learning_rate.learning_rate.linear_rule_lr": "learning_rate.learning_rate.played_linear_lr",
    "learning_rate.learning_rate.rate_from_two_sweeps": "learning_rate.learning_rate.aligned_lr",
    "learning_rate.learning_rate.sample_weight": "learning_rate.learning_rate.moved_by_one_sample",
    "learning_rate.learning_rate.square_root_rule_batch": "learning_rate.learning_rate.searched_noise_batch",
    "learning_rate.learning_rate.square_root_rule_lr": "learning_rate.learning_rate.noise_matched_lr",
    "learning_rate.lr_schedules.batch_for_warmup_share": "learning_rate.lr_schedules.searched_warmup_batch",
    "learning_rate.lr_schedules.warmup_steps": "learning_rate.lr_schedules.climbed_warmup",
    "learning_rate.lr_schedules.wsd_to_cosine_area": "learning_rate.lr_schedules.summed_area_ratio",
    "ring.ring.largest_naive_group": "ring.ring.searched_naive_group",
    "ring.ring.naive_root_bytes": "ring.ring.counted_root_bytes",
    "ring.ring.parameters_behind_phase": "ring.ring.searched_parameters",
    "ring.ring.rails_all_reduce_seconds": "ring.ring.counted_rails_seconds",
    "ring.ring.tree_all_reduce_seconds": "ring.ring.simulated_tree_seconds",
}
# Without an oracle are the figures of chips and models, which have a source, parts of references that have one, rules as they are
# printed, and what an oracle computes from other arguments (the tests of these modules call it).
OTHERWISE_TESTED = {"facts.arguments", "facts.hardware", "shapes.layer_parameters", "shapes.models", "facts.tables"}
NO_ORACLE = {
    "tensor_and_context.parallel_mlp.mlp_on_ranks_without",  # wrong on purpose, for a mistake
    "tensor_and_context.ring_loop.ring_output_without",
    "accumulation.accumulation_time.overtaking_steps",
    "checkpointing.checkpoint_interval.daly_interval_seconds",
    "roofline.flop_rules.gpt_training_seconds",
    "roofline.flop_rules.gpt_utilisation",
    "roofline.flop_rules.palm_mfu",
    "precision.formats.known",
    "communication.hierarchy.pod_uplink_bytes_per_s",
    "roofline.layer_kernels.layer_kernels",
    "roofline.mfu.share_of_peak",
    "pipeline.pipeline.warm_up_by_stage",
    "layout.run_plan.model_parameters",
    "layout.run_plan.stage_weight_bytes",
    "layout.run_plan.step_flop",
    "activations.step_memory.moment_bytes",
    "pipeline.zero_bubble.v_schedule_peak_micro_batches",
}
# These divide something, or are divided: they are doubled, and one more of them is not asked for.
DEALT_OUT = {"heads", "hidden", "kv_heads", "sequence_length", "tokens", "tp"}
# For these the oracle supports only the value of the example, or that value is at a limit.
NOT_MOVED = {
    "active_parameters.mlp_matrices",
    "largest_tp.kv_heads",
    "most_gpus_that_hide.bus_bytes_per_s",
    "routed_parameters.mlp_matrices",
    "score_traffic_seconds.sequence_length",
    "steps_for_share.all_reduce_s",
    "total_parameters.mlp_matrices",
    "unfused_attention_bytes.sequence_length",
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
def test_a_word_that_is_none_of_those_known_is_repeated_in_the_refusal(name: str) -> None:
    module = importlib.import_module(f"solutions.{name}")
    for function, [(arguments, _), *_] in example_calls(module).items():
        for argument in (argument for argument, value in arguments.items() if isinstance(value, str)):
            if f"{function}.{argument}" not in ANY_WORD:
                with pytest.raises((ValueError, KeyError), match="nonesuch"):
                    getattr(module, function)(**arguments | {argument: "nonesuch"})


@pytest.mark.parametrize(("name", "changed", "words"), REFUSED)
def test_arguments_that_do_not_go_together_are_refused(name: str, changed: dict[str, Any], words: str) -> None:
    module, _, function = name.rpartition(".")
    references_of = importlib.import_module(f"solutions.{module}")
    arguments, _ = example_calls(references_of)[function][0]
    with pytest.raises(ValueError, match=re.escape(words)):
        getattr(references_of, function)(**arguments | changed)


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


def oracle_of(module: str, name: str) -> Function | None:
    """Return the oracle that takes the same arguments as a reference, if there is one."""
    there = ORACLES.get(f"{module}.{name}")
    with contextlib.suppress(ModuleNotFoundError):
        oracles = importlib.import_module(
            f"solutions.oracles.{there.rpartition('.')[0] if there else ORACLE_MODULES.get(module, module)}"
        )
        reference = getattr(importlib.import_module(f"solutions.{module}"), name)
        for called in [there.rpartition(".")[2]] if there else [word + name for word in WORDS]:
            oracle = getattr(oracles, called, None)
            if callable(oracle) and set(_parameters(oracle)) == set(_parameters(reference)):
                return oracle  # type: ignore[no-any-return]
    return None


def _parameters(function: Function) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def neighbours(function: str, arguments: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the arguments, and variants with one of them changed: a flag flipped, a count plus one or doubled, a size scaled."""
    yield arguments
    for argument, value in arguments.items():
        if f"{function}.{argument}" in NOT_MOVED:
            continue
        moved: list[Any] = []
        if isinstance(value, bool):
            moved = [not value]
        elif isinstance(value, int):
            moved = [2 * value] if argument in DEALT_OUT else [value + 1, 2 * value]
        elif isinstance(value, float):
            moved = [0.7 * value, 1.5 * value]
        yield from (arguments | {argument: there} for there in moved)


def agree(ours: Any, theirs: Any) -> bool:
    """Return whether two results are equal, up to the error of an oracle that searches or sums small steps."""
    if isinstance(ours, Mapping):
        return ours.keys() == theirs.keys() and all(agree(value, theirs[key]) for key, value in ours.items())
    if isinstance(ours, Sequence) and not isinstance(ours, str):
        return len(ours) == len(theirs) and all(agree(one, other) for one, other in zip(ours, theirs, strict=True))
    if isinstance(ours, Real) and not isinstance(ours, bool):
        return math.isclose(ours, theirs, rel_tol=1e-3, abs_tol=1e-9)
    return bool(ours == theirs)


@pytest.mark.parametrize("name", MODULES)
def test_a_reference_agrees_with_its_oracle_around_its_examples(name: str) -> None:
    module = importlib.import_module(f"solutions.{name}")
    for function, calls in example_calls(module).items():
        oracle = oracle_of(name, function)
        for arguments in (near for given, _ in calls for near in neighbours(function, given) if oracle):
            try:
                ours, theirs = getattr(module, function)(**arguments), oracle(**arguments)  # type: ignore[misc]
            except ValueError:
                continue  # the rest of the example does not go with it
            assert agree(ours, theirs), f"{name}.{function}(**{arguments}) = {ours}, and the oracle finds {theirs}"


def test_every_reference_that_computes_something_new_has_an_oracle() -> None:
    found = {
        f"{name}.{function}"
        for name in MODULES
        if name not in OTHERWISE_TESTED and not name.startswith("planner")
        for function in references(importlib.import_module(f"solutions.{name}"))
        if oracle_of(name, function) is None
    }
    assert found == NO_ORACLE


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
