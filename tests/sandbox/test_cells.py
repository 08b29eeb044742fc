"""The results of a notebook's cells: each cell affects only its own."""

from __future__ import annotations

import pytest

from sandbox.conftest import open_named
from shardwise.sandbox import Cell, CellResult, Limits, Sandbox, Value, ValueResult


def cells(sandbox: Sandbox, *sources: str) -> list[CellResult]:
    steps = [Cell(str(number), source) for number, source in enumerate(sources)]
    results = sandbox.run(steps).results
    return [result for result in results.values() if isinstance(result, CellResult)]


PRINT = """
heard = ''
def print(*words):
    global heard
    heard += ' '.join(map(str, words)) + chr(10)
"""


def printed(sandbox: Sandbox, *sources: str) -> object:
    """Return what the cells print with the notebook's own `print`, because the sandbox discards other output."""
    steps = [Cell(str(number), source) for number, source in enumerate(sources)]
    heard = sandbox.run([Cell("print", PRINT), *steps, Value("heard", "heard")]).results["heard"]
    assert isinstance(heard, ValueResult)
    return heard.value


def test_a_cell_sees_what_an_earlier_cell_defined(sandbox: Sandbox) -> None:
    assert printed(sandbox, "x = 6", "print(x * 7)") == "42\n"


def test_a_cell_that_raises_loses_only_itself_and_names_its_line(sandbox: Sandbox) -> None:
    broken, whole = cells(sandbox, "x = 1\n\ny = 1 / 0", "assert x == 1")
    assert broken == CellResult("raised", "ZeroDivisionError: division by zero (line 3)")
    assert whole == CellResult("ok")


def test_an_error_inside_another_cells_function_names_that_cell(strongest: Sandbox) -> None:
    _, caller = cells(strongest, "def half(x):\n    return x / 0", "half(3)")
    assert caller.error == "ZeroDivisionError: division by zero (line 2 of answer cell 0)"


def test_a_syntax_error_is_one_line_with_its_place(strongest: Sandbox) -> None:
    (only,) = cells(strongest, "x = 1\ny = = 2")
    assert only == CellResult("raised", "SyntaxError: invalid syntax (line 2)")


@pytest.mark.parametrize("way", ["import sys; sys.exit(3)", "exit()", "quit()", "raise KeyboardInterrupt"])
def test_leaving_ends_the_cell_and_not_the_job(sandbox: Sandbox, way: str) -> None:
    left, after = cells(sandbox, way, "print('still here')")
    assert (left.status, after.status) == ("raised", "ok")


@pytest.mark.parametrize(
    "way",
    [
        "import os; os._exit(0)",
        "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
        "import ctypes; ctypes.string_at(0)",
        "import os; os.abort()",
    ],
    ids=["exit", "kill", "segfault", "abort"],
)
def test_a_cell_that_ends_the_process_is_killed_and_the_rest_runs_without_it(sandbox: Sandbox, way: str) -> None:
    job = sandbox.run([Cell("before", "x = 1"), Cell("end", way), Cell("after", "x += 1"), Value("x", "x")])
    assert job.results["end"] == CellResult("killed")
    assert job.results["before"] == job.results["after"] == CellResult("ok")
    assert job.results["x"] == ValueResult("ok", 2, "int")
    assert job.restarts == 1


def test_a_loop_is_stopped_at_its_limit_and_the_rest_runs_without_it(sandbox: Sandbox) -> None:
    loop, after = cells(sandbox, "while True: pass", "print('after')")
    assert (loop.status, after.status) == ("timeout", "ok")


def test_swallowing_every_exception_does_not_outlive_the_limit(strongest: Sandbox) -> None:
    (stubborn,) = cells(strongest, "while True:\n    try:\n        while True: pass\n    except BaseException: pass")
    assert stubborn.status == "timeout"


def test_a_huge_allocation_fails_and_the_next_cell_has_memory_again(sandbox: Sandbox) -> None:
    huge, after = cells(sandbox, "x = bytearray(6 * 10**9)", "y = bytes(10**8)")
    assert huge.status == "memory"
    assert huge.error.startswith("MemoryError")
    assert after.status == "ok"


def test_a_cell_that_hoards_all_memory_does_not_starve_the_next(sandbox: Sandbox) -> None:
    _, hoard, after = cells(
        sandbox, "import numpy", "x = []\nwhile True: x.append(numpy.empty(10**7))", "y = numpy.empty(5 * 10**7)"
    )
    assert hoard.status == "memory"
    assert after.status == "ok"


def test_what_a_cell_defined_before_it_ran_out_of_memory_stays(strongest: Sandbox) -> None:
    assert printed(strongest, "kept = 1\nx = [0] * 10**12", "print(kept)") == "1\n"


def test_a_cell_may_print_whatever_and_however_much_it_likes(sandbox: Sandbox) -> None:
    loud, both, bare = cells(
        sandbox,
        "for _ in range(40): print('x' * 10**6)",
        "import sys\nprint('b', file=sys.stderr, flush=True)\nprint('\\ud800')",
        "sys.stdout.buffer.write(bytes(9))",
    )
    assert loud == both == bare == CellResult("ok")


@pytest.mark.parametrize("way", ["sys.stdout = None", "sys.stdout.close()", "sys.stderr = sys.stdout = 7"])
def test_a_cell_that_broke_stdout_does_not_break_the_next(strongest: Sandbox, way: str) -> None:
    _, after = cells(strongest, f"import sys\n{way}", "print('heard')\nsys.stderr.write('said')")
    assert after == CellResult("ok")


def test_input_reads_nothing(strongest: Sandbox) -> None:
    (asked,) = cells(strongest, "input('name?')")
    assert asked.error.startswith("EOFError")


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\nprint('ran')",
        "%%time\nprint('ran')",
        "if True:\n    !pip install rich\nprint('ran')",
        "print?\nprint('ran')",
        "??print\nprint('ran')",
        "%time said = 'ran'\nprint(said)",
        "    said = 'ran'\n    if said:\n        print(said)\n",
        "\n>>> def say(what):\n...     print(what)\n...\n>>> say('ran')",
        "# as I tried it\n>>>print('ran')",
        "In [7]: said = 'ran... ran'\n   ...: print(said[7:])",
        "%%time\n    said = 'ran'\n    print(said)",
        "said = %time 'ran'\nprint(said)",
        "files = !ls\nprint('ran')",
        "!pip install numpy \\\n    sympy\nprint('ran')",
        "%matplotlib inline\nfrom __future__ import annotations\nprint('ran')",
        "Is this the right one?\nprint('ran')",
        "%matplotlib inline\nsaid = '''\n%d\nran'''\nprint(said[4:] if '%d' in said else said)",
    ],
)
def test_what_ipython_reads_runs_here_too(strongest: Sandbox, source: str) -> None:
    assert printed(strongest, source) == "ran\n"


@pytest.mark.parametrize("magic", ["%%html", "%%bash", "%%writefile answers.py"])
def test_a_cell_of_another_language_does_nothing(strongest: Sandbox, magic: str) -> None:
    assert printed(strongest, f"{magic}\nprint('ran')") == ""


def test_an_unreadable_line_is_reported_with_its_number(strongest: Sandbox) -> None:
    (refused,) = cells(strongest, "  %matplotlib inline\n  said = 7 8\n  !ls")
    assert refused == CellResult("raised", "SyntaxError: invalid syntax (line 2)")


def test_percent_signs_in_plain_python_stay(strongest: Sandbox) -> None:
    said = printed(strongest, "x = 7\nprint(x\n% 4)\nprint('''\n%time\n''')")
    assert said == "3\n\n%time\n\n"


def test_names_that_notebooks_take_for_granted_exist(strongest: Sandbox) -> None:
    said = printed(strongest, "get_ipython().run_line_magic('time', '')\ndisplay(1)\nprint(__name__)")
    assert said == "__main__\n"


@pytest.mark.parametrize("module", ["IPython", "matplotlib.pyplot", "ipywidgets", "pydantic", "requests"])
def test_imports_beyond_the_list_say_what_is_available(sandbox: Sandbox, module: str) -> None:
    (wants,) = cells(sandbox, f"import {module}")
    assert "not available while grading; only the standard library, numpy and sympy are" in wants.error


def test_numpy_sympy_and_the_standard_library_work(sandbox: Sandbox) -> None:
    source = (
        "import numpy as np, sympy, sqlite3, asyncio, decimal, hashlib, threading, zoneinfo\n"
        "print(np.linalg.inv(np.eye(2)).sum(), sympy.diff(sympy.Symbol('x')**2), hashlib.sha256(b'').hexdigest()[:4])\n"
        "async def later(): await asyncio.sleep(0); return 5\n"
        "print(asyncio.run(later()))\n"
        "done = []; t = threading.Thread(target=done.append, args=(1,)); t.start(); t.join(); print(done)"
    )
    with open_named(sandbox.tier, Limits()) as patient:  # this many imports take more than a second on a busy machine
        assert printed(patient, source) == "2.0 2*x e3b0\n5\n[1]\n"


def test_dataclasses_with_postponed_annotations_find_their_module(strongest: Sandbox) -> None:
    made = printed(
        strongest,
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "@dataclass\nclass Plan:\n    stages: int\n    seen: ClassVar[int] = 3\nprint(Plan(2))",
    )
    assert made == "Plan(stages=2)\n"


def test_calls_of_check_in_a_notebook_run_without_effect(sandbox: Sandbox) -> None:
    job = sandbox.run(
        [
            Cell("a", "from shardwise import check, hint\nfrom shardwise.notebook import practice"),
            Cell("b", "check('x'); hint('x').show(more=True); practice('y')[0]"),
            Cell("c", "score = check('x').score()\nshown = repr(check('x'))"),
            Value("score", "score"),
            Value("shown", "shown"),
        ]
    )
    assert job.results["a"] == job.results["b"] == job.results["c"] == CellResult("ok")
    assert job.results["shown"] == ValueResult("ok", "(not shown while grading)", "str")
    assert job.results["score"] == ValueResult("ok", 0.0, "float")


def test_the_same_job_gives_the_same_values_on_every_server(strongest: Sandbox, sandbox: Sandbox) -> None:
    source = "import random, numpy\nprint(random.random(), numpy.random.rand(), hash('x'), list({'a', 'b', 'c', 'd'}))"
    assert printed(strongest, source) == printed(strongest, source) == printed(sandbox, source) != ""
