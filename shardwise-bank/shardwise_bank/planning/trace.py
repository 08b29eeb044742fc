"""A PyTorch profiler trace of one rank: step time, and exposed seconds by term of the planner.

The trace is the JSON file (or .json.gz) that `torch.profiler.profile(...).export_chrome_trace` or `tensorboard_trace_handler`
writes. Steps are those marked by `profiler.step()`. Kernels of NCCL and DeepEP are communication, all other kernels compute;
communication is exposed while no compute kernel runs.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.text_files import must_be_ordinary
from shardwise_bank.solutions.planner.measured import Measured
from shardwise_bank.solutions.planner.shapes import Layout

Span = tuple[float, float]  # start and end, in microseconds
LARGEST = 2 << 30  # bytes of a trace, unpacked
LONGEST = 1e18  # microseconds; clocks of traces stay far below
GZIP = b"\x1f\x8b"
_STEP = re.compile(r"ProfilerStep#\d+")
_COMMUNICATION = re.compile(r"^(nccl|rccl)|deep_ep|nvshmem", re.IGNORECASE)
# Names of process groups in Megatron-Core (TENSOR_MODEL_PARALLEL_GROUP), PyTorch device meshes (mesh_tp, mesh_dp_shard), and NeMo.
_GROUPS = (
    ("expert_parallel", re.compile(r"expert|(^|[_\W])ep($|[_\W])", re.IGNORECASE)),
    ("context_parallel", re.compile(r"context|(^|[_\W])cp($|[_\W])", re.IGNORECASE)),
    ("tensor_parallel", re.compile(r"tensor|(^|[_\W])tp($|[_\W])", re.IGNORECASE)),
    ("pipeline", re.compile(r"pipeline|(^|[_\W])pp($|[_\W])", re.IGNORECASE)),
    ("data_parallel", re.compile(r"data|fsdp|dp|default_pg", re.IGNORECASE)),
)
_AXES = {"tensor_parallel": "tp", "context_parallel": "cp", "expert_parallel": "ep", "data_parallel": "dp"}


def read_trace(path: Path, layout: Layout) -> Measured:
    """Read the step time and the exposed seconds of each term from a trace. Raises ShardwiseError."""
    events = _events(path)
    steps = {
        str(event["name"]): _span(event) for event in events if _is_step(event)
    }  # by name, since some versions write a step twice
    if not steps:
        raise ShardwiseError(
            f"{path}: cannot find a step. Call profiler.step() after each training step, with at least one active step in the schedule."
        )
    begin, end, count = min(start for start, _ in steps.values()), max(stop for _, stop in steps.values()), len(steps)
    kernels = [event for event in events if event.get("cat") == "kernel" and begin <= _span(event)[0] < end]
    if not kernels:
        raise ShardwiseError(
            f"{path}: cannot find GPU kernels. Profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]."
        )
    groups: dict[str, list[Span]] = {}
    for event in kernels:
        groups.setdefault(_term(event, layout), []).append(_span(event))
    if "compute" not in groups:
        raise ShardwiseError(
            f"{path}: all GPU kernels are communication, so this is not a trace of whole training steps."
        )
    unseen = {term: 0.0 for term, axis in _AXES.items() if getattr(layout, axis) > 1}
    return Measured((end - begin) / count / 1e6, unseen | _exposed(groups, begin, end, count, layout))


def _exposed(
    groups: Mapping[str, Sequence[Span]], begin: float, end: float, count: int, layout: Layout
) -> dict[str, float]:
    """Return the seconds per step of compute, and of each kind of communication without its overlap with compute and earlier kinds."""
    covered: list[Span] = []
    seconds: dict[str, float] = {}
    for name in ("compute", *(name for name in groups if name != "compute")):
        before = _length(covered)
        covered = _union([*covered, *((max(begin, start), min(end, stop)) for start, stop in groups.get(name, ()))])
        seconds[name] = (_length(covered) - before) / count / 1e6
    idle = (end - begin - _length(covered)) / count / 1e6
    waits = "pipeline" if layout.pp > 1 else "compute"  # without a pipeline, a GPU is idle because the host is late
    return seconds | {waits: seconds.get(waits, 0.0) + idle}


def _term(event: Mapping[str, Any], layout: Layout) -> str:
    """Return the term of a kernel: from its process group or, without one, from its collective, its size and the layout."""
    name, details = str(event.get("name")), event.get("args")
    details = details if isinstance(details, Mapping) else {}
    if not _COMMUNICATION.search(name):
        return "compute"
    described = str(details.get("Process Group Description") or "")
    for term, pattern in _GROUPS:
        if pattern.search(described) and described != "default_pg":
            return term
    collective = str(details.get("Collective name") or name).lower()
    if "deep_ep" in name or "alltoall" in collective.replace("_", "").replace("-", ""):
        return "expert_parallel" if layout.ep > 1 else "context_parallel"
    if "send" in collective or "recv" in collective:
        return "pipeline" if layout.pp > 1 else "context_parallel"
    size = details.get("Group size")
    fitting = [term for term, axis in _AXES.items() if getattr(layout, axis) == size and size != 1]
    used = [term for term, axis in _AXES.items() if getattr(layout, axis) > 1 and term != "expert_parallel"]
    return fitting[0] if len(fitting) == 1 else used[0] if len(used) == 1 else "data_parallel"


def _events(path: Path) -> list[Mapping[str, Any]]:
    """Return the events of a trace that have a start and a length. Raises ShardwiseError."""
    try:
        data = json.loads(_text(path))
    except OSError as error:
        raise ShardwiseError(f"{path}: cannot read this trace: {error.strerror or error}.") from error
    except (EOFError, zlib.error) as error:
        raise ShardwiseError(f"{path}: cannot unpack this trace, because it is damaged. Copy it again.") from error
    except UnicodeDecodeError as error:
        raise ShardwiseError(f"{path}: cannot read this trace, because it is not text.") from error
    except RecursionError as error:
        raise ShardwiseError(f"{path}: cannot read this trace: it is nested too deeply.") from error
    except ValueError as error:
        raise ShardwiseError(f"{path}: cannot read this trace: {error}. Did the run stop while it wrote?") from error
    except MemoryError as error:
        raise ShardwiseError(f"{path}: this trace is too large for the memory here. Profile fewer steps.") from error
    events = data.get("traceEvents") if isinstance(data, Mapping) else data
    if not isinstance(events, list):
        raise ShardwiseError(f"{path}: expected a PyTorch profiler trace with a list of traceEvents.")
    return [event for event in events if isinstance(event, Mapping) and _has_span(event)]


def _text(path: Path) -> bytes:
    """Return the JSON of a trace, unpacked if necessary. Raises ShardwiseError, OSError, EOFError or zlib.error."""
    must_be_ordinary(path)
    with path.open("rb") as file:
        is_packed = file.read(len(GZIP)) == GZIP
    with gzip.open(path, "rb") if is_packed else path.open("rb") as unpacked:
        start = unpacked.read(1 << 16)
        if not start.lstrip().startswith((b"{", b"[")):
            raise ShardwiseError(f"{path}: expected a PyTorch profiler trace in JSON.")
        text: bytes = start + unpacked.read(LARGEST + 1 - len(start))
    if len(text) > LARGEST:
        raise ShardwiseError(f"{path}: a trace of more than {LARGEST >> 30} GiB. Profile fewer steps.")
    return text


def _has_span(event: Mapping[str, Any]) -> bool:
    return event.get("ph") == "X" and _is_time(event.get("ts")) and _is_time(event.get("dur")) and event["dur"] >= 0


def _is_time(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) < LONGEST  # false for infinity and NaN


def _is_step(event: Mapping[str, Any]) -> bool:
    is_annotation = event.get("cat") in ("user_annotation", "cpu_op")
    return is_annotation and _STEP.fullmatch(str(event.get("name"))) is not None and event["dur"] > 0


def _span(event: Mapping[str, Any]) -> Span:
    return float(event["ts"]), float(event["ts"]) + float(event["dur"])


def _union(spans: Iterable[Span]) -> list[Span]:
    """Return the spans joined where they overlap, in order."""
    joined: list[Span] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(stop, joined[-1][1])
        else:
            joined.append((start, stop))
    return joined


def _length(spans: Iterable[Span]) -> float:
    return sum(stop - start for start, stop in spans)
