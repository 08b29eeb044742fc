"""Ctrl-C and SIGTERM at random moments in every command that writes: one line, exit code 130 or 143, no partial files."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from drawing import tries
from shardwise.bank.bank import Bank
from writing_commands import COMMANDS, begun, complaints, events, is_whole, left, prepared

TIMES = tries(3)  # moments per command, alternating between the two signals; a higher number covers more of them
SLOW = """def transfer_ms(**_):
    open("begun", "w").close()
    while True:
        pass
"""


def listens(pid: int) -> bool:
    """Return whether a process has installed its handlers, or has ended."""
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    except OSError:
        return True
    return status["State"].strip().startswith("Z") or bool(int(status["SigCgt"], 16) >> (signal.SIGTERM - 1) & 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_an_interrupt_at_any_moment_leaves_no_partial_results(name: str, tmp_path: Path) -> None:
    dice = random.Random(name)
    codes, took, whole = [], 0.0, dict[str, bytes]()
    prepared(tmp_path / "begin", name)
    before, kept = left(tmp_path / "begin"), events(tmp_path / "begin")
    for attempt in range(TIMES + 1):
        which = (signal.SIGINT, signal.SIGTERM)[attempt % 2]
        stopped = 128 + which
        folder = tmp_path / f"{attempt}"
        shutil.copytree(tmp_path / "begin", folder)
        ran = begun(folder, name)
        until(lambda: listens(ran.pid))  # noqa: B023
        began = time.monotonic()
        if attempt:
            time.sleep(dice.uniform(0, 0.8 * took))
            if ran.poll() is None:
                os.killpg(ran.pid, which) if which == signal.SIGINT else ran.send_signal(which)
        said = complaints(ran)
        took = took or time.monotonic() - began
        after = left(folder)
        del after["typed"]
        if not attempt:
            assert ran.returncode == 0, said
            whole = after
            continue
        codes.append(ran.returncode)
        took = (
            min(took, time.monotonic() - began) if ran.returncode == 0 else took
        )  # the first run loads files that later ones find in the cache
        assert ran.returncode in (0, stopped), said
        assert len(said) == (ran.returncode == stopped) and all(line.startswith("Stopped.") for line in said), said
        assert not [path for path in after if path.endswith(".new")]
        assert is_whole(name, before, after, whole), sorted(after)
        assert events(folder) in ((0, kept) if name == "forget" else range(kept, kept + 300))
    assert any(codes), codes
    if name in ("assign", "render", "grade", "regrade"):  # the same command completes them
        assert complaints(again := begun(folder, name)) == [] and again.returncode == 0
        done = left(folder)
        assert done.keys() == {*whole, "typed"}
        assert name == "assign" or whole.items() <= done.items()


def test_ctrl_c_during_a_check_ends_only_that_check(tmp_path: Path) -> None:
    prepared(tmp_path, "practice")
    kept = events(tmp_path)
    problems = Bank.open(tmp_path / "bank").of_chapter("01-first-chapter")
    skipped = [problem.data["kind"] for problem in problems].index("code")
    (tmp_path / "slow.py").write_text(SLOW)
    with (tmp_path / "said").open("w") as out:
        ran = begun(tmp_path, "practice", stdin=subprocess.PIPE, stdout=out)
    assert ran.stdin is not None
    ran.stdin.write("skip\n" * skipped)
    for count, which in enumerate((signal.SIGINT, signal.SIGINT, signal.SIGTERM), start=1):
        ran.stdin.write("slow.py\n")
        ran.stdin.flush()
        until((tmp_path / "begun").exists)
        (tmp_path / "begun").unlink()
        os.killpg(ran.pid, which)
        if which == signal.SIGINT:
            until(lambda: (tmp_path / "said").read_text().count("It does not count") == count)  # noqa: B023
    assert complaints(ran) == ["Stopped. Your answers are saved."]
    assert ran.returncode == 143
    assert events(tmp_path) == kept


SWALLOWED = """
import os, signal, time
from shardwise.cli import interrupts, main
from shardwise.errors import ShardwiseError

def command():
    try:
        os.kill(os.getpid(), signal.{which})
        time.sleep(60)
    except BaseException:
        {then}

main.with_added_commands = lambda: command
interrupts.run(main.main)
"""


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM], ids=lambda which: which.name)
@pytest.mark.parametrize(
    "then", ["pass", "raise ShardwiseError('SchemaError')", "raise OSError", "raise SystemExit(1)"]
)
def test_an_interrupt_that_a_library_turned_into_another_error_still_interrupts(
    then: str, which: signal.Signals
) -> None:
    words = [sys.executable, "-c", SWALLOWED.format(which=which.name, then=then)]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (128 + which, "Stopped.\n")


LOST = """
import os, signal, time
from shardwise.cli.interrupts import run, say_when_stopped

class Deleted:
    def __del__(self):
        os.kill(os.getpid(), signal.{which})
        time.sleep(60)

def command():
    say_when_stopped("All is kept.")
    Deleted()  # Python drops what is raised in here
    print("went on", flush=True)
    time.sleep({pause})
    os.kill(os.getpid(), signal.{which})
    print("went on again", flush=True)

run(command)
"""


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM], ids=lambda which: which.name)
@pytest.mark.parametrize(
    ("pause", "said"), [(0, "went on\nwent on again\n"), (1.1, "went on\n")], ids=["sent twice", "pressed again"]
)
def test_after_a_lost_interrupt_a_second_one_ends_the_command_without_a_traceback(
    pause: float, said: str, which: signal.Signals
) -> None:
    words = [sys.executable, "-c", LOST.format(which=which.name, pause=pause)]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (128 + which, said, "Stopped. All is kept.\n")


EARLY = """
import os, signal, sys

class Finder:
    def find_spec(self, name, *_):
        if name == "{module}":
            os.kill(os.getpid(), signal.SIGINT)

kept = {{name: sys.modules[name] for name in ("os", "signal", "sys")}}
sys.meta_path.insert(0, Finder())
sys.modules.pop("{module}", None)
from shardwise.__main__ import main
sys.argv = ["shardwise", "--version"]
main()
"""


@pytest.mark.parametrize(
    "module", ["shardwise.cli", "shardwise.cli.interrupts", "contextlib", "typing", "typer", "shardwise.cli.main"]
)
def test_ctrl_c_while_the_command_loads_prints_one_line(module: str) -> None:
    ran = subprocess.run([sys.executable, "-c", EARLY.format(module=module)], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (130, "Stopped.\n")


def test_nothing_is_loaded_before_the_interrupt_handler() -> None:
    program = "import sys; before = {*sys.modules}; import shardwise.__main__; print(sorted({*sys.modules} - before))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "['__future__', 'shardwise', 'shardwise.__main__']\n"


IN_THE_BACKGROUND = """
import os, signal, time
from shardwise.cli import interrupts, main

def command():
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)

signal.signal(signal.SIGINT, signal.SIG_IGN)
main.with_added_commands = lambda: command
interrupts.run(main.main)
"""


def test_a_background_job_of_a_script_handles_sigterm_but_not_ctrl_c() -> None:
    ran = subprocess.run([sys.executable, "-c", IN_THE_BACKGROUND], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (143, "Stopped.\n")


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.001)
