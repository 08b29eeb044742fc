"""Fixtures that many tests share: the bank of this checkout, every problem of it, and a cache folder of the run's own."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
import typer.main
import typer.testing
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler.loadfile import LoadFileScheduling

from checkout import checkout_bank
from drawing import every_sixth_at_once, tries
from shardwise.bank.bank import Bank
from shardwise.cli.main import with_added_commands
from shardwise.grading import batch
from shardwise.grading.running import sandboxes
from shardwise.grading.running.executors import Here

# CI draws the same examples every time, so that a red run is about the change; elsewhere new ones are looked for.
# No deadline: the machine may be busy, and a slow example is no failure.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
PROFILE = "ci" if os.environ.get("CI") else "here"
settings.load_profile(PROFILE)

# A run that a shell put into the background inherits an ignored SIGINT, and some tests are about pressing Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The commands are the same in every test, and typer would make all of them anew, in 40 ms, whenever one of them is run.
with_added_commands()
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)  # type: ignore[attr-defined]

# No test writes what the user's own commands remember: it is in a folder of this run, which workers and subprocesses share.
_HOME = None if os.environ.get("PYTEST_XDIST_WORKER") else tempfile.mkdtemp(prefix="shardwise-tests-")
if _HOME is not None:
    os.environ["XDG_CACHE_HOME"] = _HOME
    os.environ["XDG_DATA_HOME"] = f"{_HOME}/data"  # where the course keys of this computer are remembered
    os.environ["XDG_CONFIG_HOME"] = f"{_HOME}/config"  # where the banks that are trusted are remembered
    os.environ["SHARDWISE_TRUST"] = "*"  # nobody can be asked; test_trust.py takes it away
    os.environ["SHARDWISE_PROGRESS"] = "off"  # a test that keeps progress names a file of its own


def pytest_configure(config: pytest.Config) -> None:
    """Set how many examples hypothesis draws of each property: 25 in the quick run, more in the long one."""
    name, examples = ("quick", 25) if config.option.markexpr == "not slow" else ("long", tries(40))
    settings.register_profile(name, settings.get_profile(PROFILE), max_examples=examples)
    settings.load_profile(name)


class FilesAndBrowsers(LoadFileScheduling):
    """Decides which tests run in the same process: those of one file, or, if they need a browser, those of one folder.

    A process that runs browser tests starts Chromium and JupyterLab first, which takes seconds, so few processes should. There
    are two such folders, since a single process would still be busy with them when the others have finished.
    """

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return file.rpartition("/")[0] if file.startswith("tests/browser/") else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FilesAndBrowsers:
    return FilesAndBrowsers(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Ten thousand tests are no garbage, and are not looked through for any."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    if _HOME is not None:
        shutil.rmtree(_HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def whole_bank() -> Bank:
    return checkout_bank()


@pytest.fixture(scope="module")
def one_sandbox() -> Iterator[None]:
    """One sandbox for all that the tests of a file grade in their own process.

    `grade` opens a sandbox for each run and attacks it first, to see that it holds. That takes longer than grading the few
    notebooks of a test, and tests/sandbox/ is about it.
    """

    @contextmanager
    def here() -> Iterator[Here]:
        yield Here()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(batch, "here", here)
        yield
    sandboxes.close()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `problem` runs once for each file in problems/: a new one is tested when it is saved."""
    if "problem" in metafunc.fixturenames:
        problems = list(checkout_bank().read_all().problems.values())
        metafunc.parametrize("problem", every_sixth_at_once(problems), ids=[problem.id for problem in problems])
