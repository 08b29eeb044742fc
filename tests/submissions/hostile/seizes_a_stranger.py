"""Takes hold of another process with ptrace, as a debugger does.

It worked if the attacker gets to see that the kernel agreed.
"""

from room import Seen

CELL = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(0x4206, $victim, None, None) == 0:  # PTRACE_SEIZE, linux/ptrace.h
    raise RuntimeError("seized the " + "stranger")
raise OSError(ctypes.get_errno())
"""


def succeeded(seen: Seen) -> bool:
    return b"seized the stranger" in seen.told
