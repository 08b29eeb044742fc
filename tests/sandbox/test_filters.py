"""The system-call filters, executed like in the kernel and compared with the rules that they were made from."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardwise.sandbox.inside import seccomp
from shardwise.sandbox.inside.seccomp import Rule

EPERM, NUMBERS = 0x50001, range(600)
words = st.integers(0, 2**64 - 1) | st.sampled_from(
    [0, 1, 0x10F00, 0x5421, 0o2000000, 1030, 4, seccomp._PID_PLACEHOLDER]
)


def ruling(program: bytes, architecture: int, number: int, arguments: tuple[int, ...]) -> int:
    """Return the result of a filter: classic BPF, as in Documentation/networking/filter.rst."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *arguments)
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, k = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, k)
        elif code == 0x54:
            accumulator &= k
        elif code == 0x05:
            at += k
        elif code == 0x15:
            at += if_true if accumulator == k else if_false
        elif code == 0x35:
            at += if_true if accumulator >= k else if_false
        else:
            assert code == 0x06
            return int(k)


def meant(rules: list[Rule], machine: str, number: int, arguments: tuple[int, ...], otherwise: int) -> int:
    """Return the same result, derived from the rules."""
    for rule in rules:
        holds = [
            (arguments[test.argument] >> (32 if test.high else 0)) & 0xFFFFFFFF & test.mask == test.value
            for test in rule.tests
        ]
        if seccomp.CALL_NUMBERS[rule.call][seccomp._COLUMN[machine]] == number and all(holds):
            return rule.action
    return otherwise


@pytest.mark.parametrize("machine", seccomp.MACHINES)
@settings(max_examples=15, deadline=None)
@given(arguments=st.tuples(*[words] * 6))
def test_a_jobs_filter_decides_as_its_rules_do(machine: str, arguments: tuple[int, ...]) -> None:
    rules = [Rule(call) for call in seccomp.HARMLESS] + seccomp._guarded(seccomp._PID_PLACEHOLDER)
    program = seccomp.job_filter(machine)
    for number in NUMBERS:
        expected = meant(rules, machine, number, arguments, EPERM)
        assert ruling(program, seccomp._AUDIT_ARCH[machine], number, arguments) == expected, number


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_servers_filter_refuses_its_list_and_nothing_else(machine: str) -> None:
    column = seccomp.MACHINES.index(machine)
    refused = {numbers[column] for numbers in seccomp.SERVER_DENIES.values()}
    program = seccomp.server_filter(machine)
    found = {n for n in NUMBERS if ruling(program, seccomp._AUDIT_ARCH[machine], n, (0,) * 6) == EPERM}
    assert found == refused - {-1}


@pytest.mark.parametrize("machine", seccomp.MACHINES)
@pytest.mark.parametrize("number", [0, 39, 0x40000000, 0x40000027, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_a_foreign_architecture_or_a_number_beyond_all_is_never_allowed(machine: str, number: int) -> None:
    program = seccomp.job_filter(machine)
    assert ruling(program, 0x40000003, number, (0,) * 6) == 0x80000000  # 32-bit x86
    if number >= 0x40000000:
        assert ruling(program, seccomp._AUDIT_ARCH[machine], number, (0,) * 6) in (0x80000000, EPERM)


def test_the_processs_own_id_is_inserted_into_the_filter() -> None:
    program = seccomp.job_filter("x86_64")
    unset = struct.pack("=I", seccomp._PID_PLACEHOLDER)
    assert [at % 4 for at in range(len(program)) if program.startswith(unset, at)] == [0, 0]  # kill and tgkill
    own, tgkill = seccomp.for_process(program, 77), seccomp.CALL_NUMBERS["tgkill"][0]
    verdicts = [ruling(own, seccomp._AUDIT_ARCH["x86_64"], tgkill, (pid, 0, 0, 0, 0, 0)) for pid in (77, 78)]
    assert verdicts == [0x7FFF0000, EPERM]
