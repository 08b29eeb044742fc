"""The folder in which mutmut breaks one module: a copy of the references, and of the tests that are about this one."""

from __future__ import annotations

import ast
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
INSIDE = Path(__file__).with_name("inside")
NO_REFERENCES = ("oracles", "figures", "interactive")  # folders of solutions/
NOT_BROKEN = {"__init__", "tables"}  # what tables read is kept from one mutant to the next
MODULES = sorted(
    path.relative_to(ROOT / "solutions").with_suffix("").as_posix()
    for path in (ROOT / "solutions").glob("*/*.py")
    if path.stem not in NOT_BROKEN and path.parent.name not in NO_REFERENCES
)
# These look at the package's files and at its pictures, not at what references give.
NOT_ABOUT_NUMBERS = ("test_package.py", "test_figures.py", "test_every_figure.py", "test_as_a_student.py")
# Parts of a module that its tests reach through the module itself.
TESTED_THROUGH = {
    **dict.fromkeys(("planner/megatron", "planner/torchtitan", "planner/unsupported"), "planner/flags"),
    **dict.fromkeys(
        ("planner/exchange", "planner/mixing", "planner/products", "planner/rates", "planner/small_kernels"),
        "planner/layer",
    ),
    **dict.fromkeys(("planner/blocks", "planner/decoder"), "planner/shapes"),
    **dict.fromkeys(("planner/host", "planner/ranges", "planner/stacks"), "planner/judging"),
    **dict.fromkeys(("planner/recompute", "planner/repeated"), "planner/time"),
    "planner/conventions": "planner/advice",
    "planner/stages": "planner/memory",
}
# mutmut's exit codes: pytest failed, or was stopped after many times the time that the tests take.
KILLED = {1, 3}
TIMED_OUT = {36, 24, -24, 152, 255}


@dataclass(frozen=True)
class Survivor:
    """A change that no test notices: the function, and the changed lines as `old → new`."""

    function: str
    change: str


@dataclass(frozen=True)
class Verdict:
    """What became of the mutants of one module."""

    module: str
    killed: int
    timed_out: int
    survivors: tuple[Survivor, ...]

    @property
    def total(self) -> int:
        """All mutants of the module."""
        return self.killed + self.timed_out + len(self.survivors)


def files_about(module: str) -> list[Path]:
    """Return the files in tests/solutions/ that import the module or what it is a part of, and the one that calls all references."""
    modules = {module, TESTED_THROUGH.get(module, module)}
    folder = ROOT / "tests" / "solutions"
    files = (path for path in sorted(folder.rglob("test_*.py")) if path.name not in NOT_ABOUT_NUMBERS)
    return [path for path in files if path.name == "test_arguments.py" or modules & imported_references(path)]


@cache
def imported_references(path: Path) -> frozenset[str]:
    """The modules of solutions/ that a file imports; those of solutions/oracles/ are not among them. Each file is read once."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions."):
            place = "/".join((node.module or "").split(".")[1:])
            found |= {place, *(f"{place}/{alias.name}" for alias in node.names)}
    return frozenset(found)


def decorated_below(source: str) -> str:
    """A module whose functions are decorated after they are defined: mutmut changes none that has a decorator.

    A cache or a property is the same below its function. One without arguments stays above it: it reads a file, and does so once.

    >>> print(decorated_below("@cache\\ndef double(x):\\n    return 2 * x\\n"), end="")
    def double(x):
        return 2 * x
    double = cache(double)
    """
    lines = source.splitlines()
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(functions, key=lambda node: -node.lineno):
        if node.decorator_list and ast.unparse(node.args):
            name = node.name
            for decorator in reversed(node.decorator_list):
                name = f"{ast.unparse(decorator)}({name})"
            lines.insert(node.end_lineno or 0, f"{' ' * node.col_offset}{node.name} = {name}")
            del lines[node.decorator_list[0].lineno - 1 : node.lineno - 1]
    return "\n".join(lines) + "\n"


class Workspace:
    """`.mutants/MODULE` in the checkout. It remembers verdicts until a file in it changes."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.folder = ROOT / ".mutants" / module.replace("/", ".")
        self.meta = self.folder / "mutants" / "solutions" / f"{module}.py.meta"
        self.log = self.folder / "mutmut.log"

    def contents(self) -> dict[str, bytes]:
        """Every file that belongs into the workspace, by its path there."""
        references = [path for path in (ROOT / "solutions").rglob("*") if path.suffix in (".py", ".yaml")]
        anchors = (ROOT / "tests" / "anchors").glob("*.yaml")
        shared = [ROOT / "tests" / name for name in ("bank/test_anchors.py", "drawing.py")]
        copied = [*references, *files_about(self.module), *shared, *anchors]
        files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in copied if "figures" not in path.parts}
        broken = f"solutions/{self.module}.py"
        files[broken] = decorated_below(files[broken].decode()).encode()
        settings = (INSIDE / "pyproject.toml").read_text("utf-8").replace("MODULE", self.module)
        files["pyproject.toml"] = settings.encode()
        files["tests/conftest.py"] = (INSIDE / "drawing.py").read_bytes()
        files["tests/test_doctests.py"] = (INSIDE / "doctests.py").read_bytes()
        return files

    def prepare(self, *, keep_killed: bool = False) -> None:
        """Bring the workspace up to date. What changed in it makes its verdicts void, or only those not killed."""
        files = self.contents()
        there = {
            path.relative_to(self.folder).as_posix()
            for part in ("solutions", "tests", "pyproject.toml")
            for path in [self.folder / part, *(self.folder / part).rglob("*")]
            if path.is_file() and path.suffix in (".py", ".yaml", ".toml")
        }
        changed = [name for name in files if name not in there or (self.folder / name).read_bytes() != files[name]]
        gone = there - set(files)
        if not changed and not gone:
            return
        verdicts = self.exit_codes() if keep_killed else {}
        for name in gone:
            (self.folder / name).unlink()
        for name in changed:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_bytes(files[name])
        if verdicts:
            self.forget_survivors()
        else:
            shutil.rmtree(self.folder / "mutants", ignore_errors=True)

    def forget_survivors(self) -> None:
        """Keep the verdicts of mutants that were killed, and nothing else that mutmut remembers of tests and files."""
        found = json.loads(self.meta.read_text("utf-8"))
        codes = found["exit_code_by_key"]
        found["exit_code_by_key"] = {name: code if code in KILLED else None for name, code in codes.items()}
        copies = self.folder / "mutants"
        stamp, spans = self.meta.stat(), self.meta.with_name(self.meta.name.replace(".meta", ".spans")).read_bytes()
        broken = (copies / "solutions" / f"{self.module}.py").read_bytes()
        same = (self.folder / "solutions" / f"{self.module}.py").stat().st_mtime < stamp.st_mtime
        shutil.rmtree(copies)
        self.meta.parent.mkdir(parents=True)
        self.meta.write_text(json.dumps(found), "utf-8")
        if same:
            self.meta.with_name(self.meta.name.replace(".meta", ".spans")).write_bytes(spans)
            (copies / "solutions" / f"{self.module}.py").write_bytes(broken)

    def run(self, processes: int) -> None:
        """Let mutmut try the mutants that have no verdict yet. Raises CalledProcessError."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment["MUTANTS_SOURCE"] = str(self.folder / "solutions" / f"{self.module}.py")
        with self.log.open("w") as log:
            mutmut = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", str(processes)]
            subprocess.run(mutmut, cwd=self.folder, env=environment, stdout=log, stderr=log, check=True)

    def exit_codes(self) -> dict[str, int | None]:
        """mutmut's exit code of each mutant, none where it was not tried yet."""
        if not self.meta.exists():
            return {}
        codes: dict[str, int | None] = json.loads(self.meta.read_text("utf-8"))["exit_code_by_key"]
        return codes

    def verdict(self) -> Verdict | None:
        """What became of the mutants; None when some were not tried yet."""
        codes = self.exit_codes()
        if not codes or None in codes.values():
            return None
        killed = [name for name, code in codes.items() if code in KILLED]
        timed_out = [name for name, code in codes.items() if code in TIMED_OUT]
        alive = [name for name in codes if name not in {*killed, *timed_out}]
        return Verdict(self.module, len(killed), len(timed_out), self.survivors(alive))

    def survivors(self, names: list[str]) -> tuple[Survivor, ...]:
        """What mutmut changed in these mutants: it wrote each as a function next to the original."""
        text = (self.folder / "mutants" / "solutions" / f"{self.module}.py").read_text("utf-8")
        lines = text.splitlines()
        bodies = {
            node.name: lines[node.lineno - 1 : node.end_lineno]
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef) and "__mutmut_" in node.name
        }
        found = []
        for name in names:
            mutant = name.rpartition(".")[2]
            original = mutant.partition("__mutmut_")[0]
            function = original.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
            found.append(Survivor(function, change(bodies[f"{original}__mutmut_orig"], bodies[mutant])))
        return tuple(found)


def change(original: Sequence[str], mutant: Sequence[str]) -> str:
    """The lines in which a function and its mutant differ, as `old → new`; their names always do.

    >>> change(["def x_f__mutmut_orig():", "    return 1"], ["def x_f__mutmut_1():", "    return 2"])
    'return 1 → return 2'
    >>> change(["def x_f__mutmut_orig(a=1):"], ["def x_f__mutmut_2(a=2):"])
    'def f(a=1): → def f(a=2):'
    >>> change(["def xǁModelǁsize__mutmut_orig(self):", "    return 1"], ["def xǁModelǁsize__mutmut_1(self):", "    return 2"])
    'return 1 → return 2'
    """
    names = re.compile(r"\bx(?:_|ǁ\w+ǁ)(\w+?)__mutmut_\w+")
    old, new = ([names.sub(r"\1", line).strip() for line in lines] for lines in (original, mutant))
    changed = [line for line in difflib.ndiff(old, new) if line.startswith(("- ", "+ "))]
    return " → ".join(" ".join(line[2:] for line in changed if line.startswith(sign)) for sign in "-+")
