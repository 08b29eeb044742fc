"""The system-call filters: what a job may ask of the kernel, and what the server may not.

Classic BPF as in linux/filter.h and linux/seccomp.h. A job's filter is a list of what is allowed; everything
else fails with EPERM, which Python shows as PermissionError.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# name: (x86_64, generic), from arch/x86/entry/syscalls/syscall_64.tbl and
# include/uapi/asm-generic/unistd.h of Linux 6.12. -1: the architecture has no such call.
_CALLS = """
read 0 63; write 1 64; open 2 -1; close 3 57; stat 4 -1; fstat 5 80; lstat 6 -1; poll 7 -1; lseek 8 62
mmap 9 222; mprotect 10 226; munmap 11 215; brk 12 214; rt_sigaction 13 134; rt_sigprocmask 14 135
rt_sigreturn 15 139; ioctl 16 29; pread64 17 67; readv 19 65; writev 20 66; access 21 -1; select 23 -1
sched_yield 24 124; mremap 25 216; madvise 28 233; dup 32 23; nanosleep 35 101; getpid 39 172
socketpair 53 199; sendto 44 206; recvfrom 45 207; clone 56 220; exit 60 93; kill 62 129; uname 63 160
fcntl 72 25; getcwd 79 17; readlink 89 -1; gettimeofday 96 169; getrlimit 97 163; getrusage 98 165
sysinfo 99 179; times 100 153; getuid 102 174; getgid 104 176; geteuid 107 175; getegid 108 177
getppid 110 173; sigaltstack 131 132; prctl 157 167; gettid 186 178; time 201 -1; futex 202 98
sched_getaffinity 204 123; epoll_create 213 -1; getdents64 217 61; restart_syscall 219 128
clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115; exit_group 231 94; epoll_wait 232 -1
epoll_ctl 233 21; tgkill 234 131; openat 257 56; newfstatat 262 79; readlinkat 267 78; faccessat 269 48
pselect6 270 72; ppoll 271 73; set_robust_list 273 99; get_robust_list 274 100; epoll_pwait 281 22
eventfd2 290 19; epoll_create1 291 20; dup3 292 24; pipe2 293 59; prlimit64 302 261; getcpu 309 168
getrandom 318 278; membarrier 324 283; statx 332 291; rseq 334 293; clone3 435 435; faccessat2 439 439
ptrace 101 117; syslog 103 116; mknod 133 -1; mknodat 259 33; personality 135 92; pivot_root 155 41
acct 163 89; swapon 167 224; swapoff 168 225; reboot 169 142; sethostname 170 161; setdomainname 171 162
iopl 172 -1; ioperm 173 -1; init_module 175 105; delete_module 176 106; quotactl 179 60; chroot 161 51
settimeofday 164 170; adjtimex 159 171; clock_settime 227 112; clock_adjtime 305 266; kexec_load 246 104
kexec_file_load 320 294; add_key 248 217; request_key 249 218; keyctl 250 219; lookup_dcookie 212 18
migrate_pages 256 238; mbind 237 235; set_mempolicy 238 237; move_pages 279 239; perf_event_open 298 241
fanotify_init 300 262; open_by_handle_at 304 265; name_to_handle_at 303 264; setns 308 268; unshare 272 97
process_vm_readv 310 270; process_vm_writev 311 271; kcmp 312 272; finit_module 313 273; bpf 321 280
userfaultfd 323 282; io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427
open_tree 428 428; move_mount 429 429; fsopen 430 430; fsconfig 431 431; fsmount 432 432; fspick 433 433
pidfd_getfd 438 438; mount_setattr 442 442; bind 49 200; connect 42 203; listen 50 201; accept 43 202
accept4 288 242; execve 59 221; execveat 322 281; memfd_create 319 279; vhangup 153 58; uselib 134 -1
"""
_COLUMN = {"x86_64": 0, "aarch64": 1}
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h
_X32_BIT = 0x40000000  # x86_64 only: the 32-bit interface with the same architecture number


def _numbers() -> dict[str, tuple[int, int]]:
    rows = [row.split() for row in _CALLS.replace("\n", ";").split(";") if row.strip()]
    return {name: (int(first), int(second)) for name, first, second in rows}


CALL_NUMBERS = _numbers()
MACHINES = tuple(_COLUMN)

_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_*
_LOAD, _AND, _JUMP_EQUAL, _JUMP_AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06  # BPF codes, 32-bit words
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # struct seccomp_data


@dataclass(frozen=True)
class Test:
    """One half of a 64-bit argument, masked, must have this value. Both machines are little-endian."""

    argument: int
    mask: int
    value: int
    high: bool = False


@dataclass(frozen=True)
class Rule:
    """What to do with a call; with tests, only if all of them hold, and refusal otherwise."""

    call: str
    action: int = _ALLOW
    tests: tuple[Test, ...] = ()


# What Python, numpy and sympy need to compute, to read their own files, and to run threads and asyncio.
_HARMLESS = """
read write readv writev pread64 close lseek fstat stat lstat newfstatat statx access faccessat faccessat2 readlink
readlinkat getcwd getdents64 mmap mprotect munmap mremap madvise brk rt_sigaction rt_sigprocmask rt_sigreturn
sigaltstack futex set_robust_list get_robust_list rseq membarrier sched_yield sched_getaffinity getcpu getpid gettid
getppid getuid geteuid getgid getegid uname sysinfo getrandom clock_gettime clock_getres clock_nanosleep nanosleep
gettimeofday time times getrusage getrlimit restart_syscall exit exit_group poll ppoll select pselect6 epoll_create
epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd2 pipe2 dup dup3 recvfrom
"""

_FULL = 0xFFFFFFFF
_PID_PLACEHOLDER = 0x7EDCBA98  # stands for a process's own number; Linux gives none so high
_WRITES = 0o3 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # O_ACCMODE, O_CREAT, O_TRUNC, O_APPEND, O_TMPFILE
_AF_UNIX, _PR_SET_NAME, _O_ASYNC = 1, 15, 0o20000
_FIONBIO, _FIOCLEX = 0x5421, 0x5451
_F_DUPFD, _F_GETFD, _F_SETFD, _F_GETFL, _F_SETFL, _F_DUPFD_CLOEXEC = 0, 1, 2, 3, 4, 1030
_CLONE_THREAD = 0x10000 | 0x800 | 0x200 | 0x100  # CLONE_THREAD, _SIGHAND, _FILES, _VM
_CLONE_NEW = 0x7E020080  # every CLONE_NEW* flag


def _guarded(own_pid: int) -> list[Rule]:
    """Calls that are allowed with certain arguments. Several rules for the same call are alternatives."""
    reading = _WRITES
    return [
        Rule("open", tests=(Test(1, reading, 0),)),
        Rule("openat", tests=(Test(2, reading, 0),)),
        Rule("clone", tests=(Test(0, _CLONE_THREAD | _CLONE_NEW, _CLONE_THREAD),)),
        Rule("clone3", _ERROR | errno.ENOSYS),  # its flags lie in memory, out of a filter's sight; glibc uses clone
        # Ending oneself is allowed and must work although the first process of a namespace ignores signals.
        Rule("kill", _KILL, (Test(0, _FULL, own_pid),)),
        Rule("tgkill", tests=(Test(0, _FULL, own_pid),)),
        Rule("prctl", tests=(Test(0, _FULL, _PR_SET_NAME),)),
        Rule("socketpair", tests=(Test(0, _FULL, _AF_UNIX),)),
        # With an address, a datagram socket out of a pair would reach any Unix socket whose name it knows.
        Rule("sendto", tests=(Test(4, _FULL, 0), Test(4, _FULL, 0, high=True))),
        Rule("prlimit64", tests=(Test(0, _FULL, 0), Test(2, _FULL, 0), Test(2, _FULL, 0, high=True))),
        Rule("ioctl", tests=(Test(1, _FULL, _FIONBIO),)),
        Rule("ioctl", tests=(Test(1, _FULL, _FIOCLEX),)),
        *(Rule("fcntl", tests=(Test(1, _FULL, command),)) for command in (_F_DUPFD, _F_DUPFD_CLOEXEC)),
        *(Rule("fcntl", tests=(Test(1, _FULL, command),)) for command in (_F_GETFD, _F_SETFD, _F_GETFL)),
        # F_SETOWN and F_SETSIG with O_ASYNC would send signals around the ban on kill.
        Rule("fcntl", tests=(Test(1, _FULL, _F_SETFL), Test(2, _O_ASYNC, 0))),
    ]


# The server mounts, clones and drops privileges, and has no use for any of these.
_SERVER_DENIES = """
ptrace syslog mknod mknodat personality pivot_root acct swapon swapoff reboot sethostname setdomainname iopl ioperm
init_module delete_module finit_module quotactl chroot settimeofday adjtimex clock_settime clock_adjtime kexec_load
kexec_file_load add_key request_key keyctl lookup_dcookie migrate_pages mbind set_mempolicy move_pages
perf_event_open fanotify_init open_by_handle_at name_to_handle_at setns unshare process_vm_readv process_vm_writev
kcmp bpf userfaultfd io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig fsmount
fspick pidfd_getfd mount_setattr bind connect listen accept accept4 vhangup uselib
"""


def job_filter(machine: str) -> bytes:
    """The filter of jobs, a list of what is allowed. `for_process` puts a process's own number into it."""
    rules = [Rule(call) for call in _HARMLESS.split()] + _guarded(_PID_PLACEHOLDER)
    return _assemble(machine, rules, otherwise=_ERROR | errno.EPERM)


def for_process(job_filter: bytes, pid: int) -> bytes:
    """The filter of the job with this process number, which may send signals to itself alone."""
    return job_filter.replace(struct.pack("=I", _PID_PLACEHOLDER), struct.pack("=I", pid))


def server_filter(machine: str) -> bytes:
    """The filter of the server: a list of what is refused."""
    rules = [Rule(call, _ERROR | errno.EPERM) for call in _SERVER_DENIES.split()]
    return _assemble(machine, rules, otherwise=_ALLOW)


def _assemble(machine: str, rules: Iterable[Rule], *, otherwise: int) -> bytes:
    """Code that compares a call's number with that of each rule in turn."""
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
    """The rule's tests, each of which jumps behind the rule if it fails, then its action."""
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
