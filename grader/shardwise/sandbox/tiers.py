"""Choice of the isolation: tries the strongest tier first, attacks it, and uses the first tier that holds."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from .attacks import steps_for, targets
from .backend import SandboxUnavailable
from .bubblewrap import NOBODY
from .controller import Sandbox
from .job import CellResult, Limits, ValueResult
from .launch import Plan
from .unsandboxed import UnsandboxedProcesses

_NAMES = {
    "1": "namespaces, seccomp and Landlock",
    "1b": "namespaces and seccomp, without Landlock",
    "2": "Landlock and seccomp, without namespaces",
    "none": "no isolation",
}
TIERS = tuple(name for name in _NAMES if name != "none")
_UNSAFE = "For your own code on your own machine only, --unsafe-no-sandbox runs it without isolation."


@dataclass(frozen=True)
class TierVerdict:
    """Whether a tier works on this machine, and if not, why."""

    name: str
    passed: bool
    reason: str = ""
    remedy: str = ""


def open_sandbox(*, limits: Limits | None = None, unsafe: bool = False, tier: str | None = None) -> Sandbox:
    """Return the strongest sandbox that works on this machine, or the one of this tier. Raises SandboxUnavailable."""
    limits = limits or Limits()
    if unsafe:
        says = "no isolation: an ordinary process of yours, with limits"
        return Sandbox(UnsandboxedProcesses(limits), limits, "none", says)
    opened = _first_that_holds([plan for plan in plans() if tier in (None, plan.tier)], limits)
    if isinstance(opened, Sandbox):
        return opened
    reasons = "; ".join(f"tier {name} ({_NAMES[name]}): {reason}" for name, reason in opened)
    raise SandboxUnavailable(
        f"Student code cannot be isolated on this machine: {reasons}.", f"{_remedy(reasons)} {_UNSAFE}".strip()
    )


def _first_that_holds(ways: Iterable[Plan], limits: Limits) -> Sandbox | list[tuple[str, str]]:
    """Return the sandbox of the first plan that holds, or each plan's tier with the reason why it does not."""
    refused = []
    for plan in ways:
        try:
            return open_tier(plan, limits)
        except SandboxUnavailable as error:
            refused.append((plan.tier, error.reason))
    return list(dict.fromkeys(refused))


def probe(*, limits: Limits | None = None) -> list[TierVerdict]:
    """Try every tier, for a report about this machine."""
    verdicts = []
    for tier, ways in groupby(plans(), key=lambda plan: plan.tier):
        opened = _first_that_holds(ways, limits or Limits())
        if isinstance(opened, Sandbox):
            with opened:
                verdicts.append(TierVerdict(tier, True, opened.description))
        else:
            reasons = "; ".join(reason for _, reason in opened)
            verdicts.append(TierVerdict(tier, False, reasons, _remedy(reasons)))
    return verdicts


def plans() -> Iterator[Plan]:
    """Yield the ways to start a sandbox, strongest first. Root tries as nobody first, because Linux does not limit root's processes."""
    if not sys.platform.startswith("linux"):
        raise SandboxUnavailable(f"The sandbox needs Linux, but this is {sys.platform}.", _UNSAFE)
    for tier in ("1", "1b", "2"):
        if os.geteuid() == 0:
            yield Plan(tier, become_nobody=True)
            if tier == "2":
                yield Plan(tier, become_nobody=True, reads_as_owner=True)
        yield Plan(tier, become_nobody=False)


def open_tier(plan: Plan, limits: Limits) -> Sandbox:
    """Start a tier and attack it. Raises SandboxUnavailable if it does not hold."""
    from .forkserver import ForkServer  # it needs fcntl, which Windows does not have

    backend = ForkServer(plan, limits)
    user = backend.server().greeting.user
    sandbox = Sandbox(backend, limits, plan.tier, f"{_NAMES[plan.tier]}; {_user_in_words(plan, user)}")
    try:
        _self_test(sandbox)
    except BaseException:
        sandbox.close()
        raise
    return sandbox


def _user_in_words(plan: Plan, user: int) -> str:
    if not plan.become_nobody:
        return "as root without capabilities" if user == 0 else f"as user {user}"
    whom = "as the user nobody" if user == NOBODY else "as a separate user"
    return f"{whom}, who reads the interpreter's files as their owner" if plan.reads_as_owner else whom


def _self_test(sandbox: Sandbox) -> None:
    with targets(sandbox.limits) as every:
        attacks = [attack for attack in every if sandbox.tier in attack.tiers]
        results = sandbox.run(steps_for(attacks)).results
    for attack in attacks:
        tried, breach = results[f"{attack.name}: try"], results[attack.name]
        if not isinstance(tried, CellResult) or not isinstance(breach, ValueResult):
            raise SandboxUnavailable("the self-test gave no result")
        if breach.status != "ok" or breach.value is not False or tried.status not in ("raised", "memory", "ok"):
            raise SandboxUnavailable(f"in a self-test, sandboxed code {attack.says} (or the test failed: {tried})")


def _remedy(reasons: str) -> str:
    hints = []
    if "not installed" in reasons:
        hints.append("Install it: apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora).")
    if "uid map" in reasons or "RTM_NEWADDR" in reasons or "namespace" in reasons:
        hints.append(
            "If AppArmor forbids user namespaces (Ubuntu 24.04):"
            " sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0."
        )
    if "no Landlock" in reasons:
        hints.append("Linux 5.13 or newer with Landlock enabled can isolate code without namespaces.")
    if "[Errno 13]" in reasons:
        hints.append(
            "Install Python and its packages where everybody can read them, such as /opt, not in a private home directory."
        )
    if "more threads" in reasons and os.geteuid() == 0:
        hints.append("Linux does not limit root's threads: run this command as an ordinary user.")
    return " ".join(hints)
