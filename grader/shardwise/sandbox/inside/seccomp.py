"""System-call filters: an allow list for jobs, and a deny list for the server.

Classic BPF as in linux/filter.h and linux/seccomp.h. A call that is not on a job's list
fails with EPERM, which Python shows as PermissionError.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


def _numbers(table: str) -> dict[str, tuple[int, int]]:
    """Parse a table of calls: their numbers on x86_64 and elsewhere; -1 if the architecture does not have the call.

    From arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux 6.12.
    """
    rows = [row.split() for row in table.replace("\n", ";").split(";") if row.strip()]
    return {name: (int(first), int(second)) for name, first, second in rows}


# Calls that Python, numpy and sympy need to compute, to read their own files, and to run threads and asyncio.
HARMLESS = _numbers("""
read 0 63; write 1 64; readv 19 65; writev 20 66; pread64 17 67; close 3 57; lseek 8 62; fstat 5 80; stat 4 -1
lstat 6 -1; newfstatat 262 79; statx 332 291; access 21 -1; faccessat 269 48; faccessat2 439 439; readlink 89 -1
readlinkat 267 78; getcwd 79 17; getdents64 217 61; mmap 9 222; mprotect 10 226; munmap 11 215; mremap 25 216
madvise 28 233; brk 12 214; rt_sigaction 13 134; rt_sigprocmask 14 135; rt_sigreturn 15 139; sigaltstack 131 132
futex 202 98; set_robust_list 273 99; get_robust_list 274 100; rseq 334 293; membarrier 324 283; sched_yield 24 124
sched_getaffinity 204 123; getcpu 309 168; getpid 39 172; gettid 186 178; getppid 110 173; getuid 102 174
geteuid 107 175; getgid 104 176; getegid 108 177; uname 63 160; sysinfo 99 179; getrandom 318 278
clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115; nanosleep 35 101; gettimeofday 96 169
time 201 -1; times 100 153; getrusage 98 165; getrlimit 97 163; restart_syscall 219 128; exit 60 93; exit_group 231 94
poll 7 -1; ppoll 271 73; select 23 -1; pselect6 270 72; epoll_create 213 -1; epoll_create1 291 20; epoll_ctl 233 21
epoll_wait 232 -1; epoll_pwait 281 22; eventfd2 290 19; pipe2 293 59; dup 32 23; dup3 292 24; recvfrom 45 207
""")
# Calls that `_guarded` allows with certain arguments.
_GUARDED = _numbers("""
open 2 -1; openat 257 56; clone 56 220; clone3 435 435; kill 62 129; tgkill 234 131; prctl 157 167; socketpair 53 199
sendto 44 206; prlimit64 302 261; ioctl 16 29; fcntl 72 25
""")
# The server mounts, clones and drops privileges, but needs none of these calls.
SERVER_DENIES = _numbers("""
ptrace 101 117; syslog 103 116; mknod 133 -1; mknodat 259 33; personality 135 92; pivot_root 155 41; acct 163 89
swapon 167 224; swapoff 168 225; reboot 169 142; sethostname 170 161; setdomainname 171 162; iopl 172 -1
ioperm 173 -1; init_module 175 105; delete_module 176 106; finit_module 313 273; quotactl 179 60; chroot 161 51
settimeofday 164 170; adjtimex 159 171; clock_settime 227 112; clock_adjtime 305 266; kexec_load 246 104
kexec_file_load 320 294; add_key 248 217; request_key 249 218; keyctl 250 219; lookup_dcookie 212 18
migrate_pages 256 238; mbind 237 235; set_mempolicy 238 237; move_pages 279 239; perf_event_open 298 241
fanotify_init 300 262; open_by_handle_at 304 265; name_to_handle_at 303 264; setns 308 268; unshare 272 97
process_vm_readv 310 270; process_vm_writev 311 271; kcmp 312 272; bpf 321 280; userfaultfd 323 282
io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427; open_tree 428 428; move_mount 429 429
fsopen 430 430; fsconfig 431 431; fsmount 432 432; fspick 433 433; pidfd_getfd 438 438; mount_setattr 442 442
bind 49 200; connect 42 203; listen 50 201; accept 43 202; accept4 288 242; vhangup 153 58; uselib 134 -1
""")
CALL_NUMBERS = HARMLESS | _GUARDED | SERVER_DENIES
_COLUMN = {"x86_64": 0, "aarch64": 1}
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h
_X32_BIT = 0x40000000  # x86_64 only: the 32-bit interface with the same architecture number
MACHINES = tuple(_COLUMN)

_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_*
_LOAD, _AND, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # BPF codes, 32-bit words
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # struct seccomp_data


@dataclass(frozen=True)
class Test:
    """A test: one half of a 64-bit argument, masked, must have this value. Both architectures are little-endian."""

    argument: int
    mask: int
    value: int
    high: bool = False


@dataclass(frozen=True)
class Rule:
    """A rule: an action for a call. If there are tests and one fails, the call is refused."""

    call: str
    action: int = _ALLOW
    tests: tuple[Test, ...] = ()


_FULL = 0xFFFFFFFF
_PID_PLACEHOLDER = 0x7EDCBA98  # placeholder for a process's own id; Linux assigns none this high
_WRITES = 0o3 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # O_ACCMODE, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE
_AF_UNIX, _PR_SET_NAME, _O_ASYNC = 1, 15, 0o20000
_FIONBIO, _FIOCLEX = 0x5421, 0x5451
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
_CLONE_THREAD = 0x10000 | 0x800 | 0x200 | 0x100  # CLONE_THREAD, _SIGHAND, _FILES, _VM
_CLONE_NEW = 0x7E020080  # every CLONE_NEW* flag


def _guarded(own_pid: int) -> list[Rule]:
    """Return the rules for calls that are allowed with certain arguments. Rules for the same call are alternatives."""
    return [
        Rule("open", tests=(Test(1, _WRITES, 0),)),
        Rule("openat", tests=(Test(2, _WRITES, 0),)),
        Rule("clone", tests=(Test(0, _CLONE_THREAD | _CLONE_NEW, _CLONE_THREAD),)),
        Rule(
            "clone3", _ERROR | errno.ENOSYS
        ),  # its flags are in memory, which a filter cannot read; glibc falls back to clone
        # A process may end itself, which has to work although the first process of a namespace ignores signals.
        Rule("kill", _KILL, (Test(0, _FULL, own_pid),)),
        Rule("tgkill", tests=(Test(0, _FULL, own_pid),)),
        Rule("prctl", tests=(Test(0, _FULL, _PR_SET_NAME),)),
        Rule("socketpair", tests=(Test(0, _FULL, _AF_UNIX),)),
        # With an address, a datagram socket from a pair could reach any Unix socket whose name it knows.
        Rule("sendto", tests=(Test(4, _FULL, 0), Test(4, _FULL, 0, high=True))),
        Rule("prlimit64", tests=(Test(0, _FULL, 0), Test(2, _FULL, 0), Test(2, _FULL, 0, high=True))),
        Rule("ioctl", tests=(Test(1, _FULL, _FIONBIO),)),
        Rule("ioctl", tests=(Test(1, _FULL, _FIOCLEX),)),
        *(Rule("fcntl", tests=(Test(1, _FULL, command),)) for command in (_F_DUPFD, _F_DUPFD_CLOEXEC)),
        *(Rule("fcntl", tests=(Test(1, _FULL, command),)) for command in (_F_GETFD, _F_SETFD, _F_GETFL)),
        # F_SETOWN and F_SETSIG with O_ASYNC would send signals despite the ban on kill.
        Rule("fcntl", tests=(Test(1, _FULL, _F_SETFL), Test(2, _O_ASYNC, 0))),
    ]


def job_filter(machine: str) -> bytes:
    """Return the filter of jobs, an allow list. `for_process` inserts a process's own id."""
    rules = [Rule(call) for call in HARMLESS] + _guarded(_PID_PLACEHOLDER)
    return _assemble(machine, rules, otherwise=_ERROR | errno.EPERM)


def for_process(job_filter: bytes, pid: int) -> bytes:
    """Return the filter of the job with this process id, which may send signals only to itself."""
    return job_filter.replace(struct.pack("=I", _PID_PLACEHOLDER), struct.pack("=I", pid))


def server_filter(machine: str) -> bytes:
    """Return the filter of the server, a deny list."""
    rules = [Rule(call, _ERROR | errno.EPERM) for call in SERVER_DENIES]
    return _assemble(machine, rules, otherwise=_ALLOW)


def _assemble(machine: str, rules: Iterable[Rule], *, otherwise: int) -> bytes:
    """Return the code that compares a call's number with each rule in turn."""
    code = [_op(_LOAD, _ARCH_AT), *_unless_equal_return(_AUDIT_ARCH[machine], _KILL), _op(_LOAD, _NUMBER_AT)]
    if machine == "x86_64":
        code += [_op(_JUMP_AT_LEAST, _X32_BIT, 0, 1), _op(_RETURN, _KILL)]
    for number, alternatives in _by_number(machine, rules).items():
        body = [line for rule in alternatives for line in _code_of(rule)] + [_op(_RETURN, otherwise)]
        code += [_op(_JUMP_EQUAL, number, 0, len(body)), *body]
    return b"".join([*code, _op(_RETURN, otherwise)])


def _by_number(machine: str, rules: Iterable[Rule]) -> Mapping[int, list[Rule]]:
    grouped: dict[int, list[Rule]] = {}
    for rule in rules:
        number = CALL_NUMBERS[rule.call][_COLUMN[machine]]
        if number >= 0:
            grouped.setdefault(number, []).append(rule)
    return grouped


def _code_of(rule: Rule) -> list[bytes]:
    """Return the code of the rule's tests, each of which jumps past the rule if it fails, and of its action."""
    code: list[bytes] = [_op(_RETURN, rule.action)]
    for test in reversed(rule.tests):
        word = _ARGUMENTS_AT + 8 * test.argument + (4 if test.high else 0)
        code = [
            _op(_LOAD, word),
            _op(_AND, test.mask),
            _op(_JUMP_EQUAL, test.value, 0, len(code)),
            *code,
        ]
    return code


def _unless_equal_return(value: int, action: int) -> list[bytes]:
    return [_op(_JUMP_EQUAL, value, 1, 0), _op(_RETURN, action)]


def _op(code: int, k: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, k)
