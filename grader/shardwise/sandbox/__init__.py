"""The sandbox: runs a student's notebook in isolation, as if it were hostile, and returns values; it marks nothing.

>>> with open_sandbox() as sandbox:
...     job = sandbox.run([Cell("a", "x = 6 * 7"), Value("b", "x")])
...     job.results["b"].value
42
"""

from __future__ import annotations

from .backend import SandboxUnavailable
from .controller import Sandbox
from .job import (
    CallResult,
    Calls,
    CallsResult,
    Cell,
    CellResult,
    JobResult,
    Limits,
    Step,
    Value,
    ValueResult,
)
from .tiers import TierVerdict, open_sandbox, probe

__all__ = [
    "CallResult",
    "Calls",
    "CallsResult",
    "Cell",
    "CellResult",
    "JobResult",
    "Limits",
    "Sandbox",
    "SandboxUnavailable",
    "Step",
    "TierVerdict",
    "Value",
    "ValueResult",
    "open_sandbox",
    "probe",
]
