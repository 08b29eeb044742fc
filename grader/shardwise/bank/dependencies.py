"""The files that a problem depends on: its own, the modules that it names, what these import, and what they read."""

from __future__ import annotations

import ast
import hashlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path

from shardwise.bank.bank import Bank, Problem
from shardwise.bank.digests import files_below, package_digest
from shardwise.bank.files import PROSE
from shardwise.bank.pages.curriculum import FILE as CURRICULUM
from shardwise.errors import ShardwiseError
from shardwise.plugins import KINDS, added, folders_of_kinds, kinds_and_packages

_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


class Dependencies:
    """The files that the problems of a bank depend on. Each is read once."""

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._solutions = bank.references.folder
        self._imports = cache(self._imports_of)
        self._contents = cache(lambda path: hashlib.sha256(path.read_bytes()).digest())

    def files(self, problem: Problem) -> frozenset[Path]:
        """Return the files that decide whether a problem is sound, except for shardwise itself.

        A name in a text may only look like a reference, so there can be too many of them, but never too few.
        """
        named = {module for name in _DOTTED.findall(problem.text) for module in self._modules_named(name)}
        kinds = "|".join(map(re.escape, added(KINDS)))
        uses_added = kinds and re.search(rf"\bkind:\s*['\"]?(?:{kinds})\b", problem.text)
        return frozenset(
            (problem.path, *self.with_imports(named), *self._data, *(self._files_of_kinds if uses_added else ()))
        )

    def with_imports(self, modules: set[Path]) -> set[Path]:
        """Return modules with all modules of the bank that they import, directly or not, and the packages of these."""
        found: set[Path] = set()
        while modules:
            found |= modules
            modules = {file for module in modules for file in self._imports(module)} - found
        return found

    def digest(self, problem: Problem) -> str:
        """Return the digest of all that decides whether a problem is sound: its files, shardwise and its libraries."""
        digest = hashlib.sha256(self._engine.encode())
        for path in sorted(self.files(problem)):
            digest.update(f"\0{path.name}\0".encode() + self._contents(path))
        return digest.hexdigest()[:32]

    def changed_since(self, ref: str) -> list[str]:
        """Return the problems whose files, or whose chapter.yaml, changed since the branch left a Git revision.

        Raises ShardwiseError if Git cannot tell.
        """
        if ref.startswith("-"):  # an option such as --output=FILE
            raise ShardwiseError(f"--changed needs a Git revision, not {ref!r}.")
        top = Path(_git(self._bank.folder, "rev-parse", "--show-toplevel").rstrip("\n"))
        names = _git(top, "diff", "--name-only", "--no-renames", "-z", "--merge-base", ref, "--").split("\0")
        names += _git(top, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
        changed = {(top / name).resolve() for name in names if name}
        return [
            problem.id
            for problem in self._bank.problems.values()
            for files in [(problem.path.with_name("chapter.yaml"), *self.files(problem))]
            if not changed.isdisjoint(path.resolve() for path in files)
        ]

    @cached_property
    def _engine(self) -> str:
        python = ".".join(map(str, sys.version_info[:2]))
        return " ".join([package_digest(), python, version("numpy"), version("sympy"), *kinds_and_packages()])

    @cached_property
    def _data(self) -> frozenset[Path]:
        """The data that any module may read, and the bank's units, without the lists that other checks use."""
        data = {self._solutions / name for name in files_below(self._solutions) if not name.endswith(".py")}
        lists = (CURRICULUM, PROSE)
        return frozenset(data | {path for path in self._bank.lessons.glob("*.yaml") if path.name not in lists})

    @cached_property
    def _files_of_kinds(self) -> frozenset[Path]:
        """The files of all packages that add kinds."""
        return frozenset(folder / name for folder in folders_of_kinds() for name in files_below(folder))

    def _modules_named(self, name: str) -> Iterator[Path]:
        """Yield the modules of references and oracles that a name such as "ring.steps" may be in."""
        parts = name.split(".")
        for count in range(1, len(parts)):
            for folder in (self._solutions, self._solutions / "oracles"):
                yield from module_at(folder.joinpath(*parts[:count]))

    def _imports_of(self, module: Path) -> frozenset[Path]:
        """Return the references that a module imports, anywhere in it, and the packages that contain it."""
        inside = [folder for folder in module.parents if self._solutions in folder.parents]
        files = {file for folder in inside for file in module_at(folder)}
        try:
            tree = ast.parse(module.read_bytes())
        except (SyntaxError, ValueError):  # the lint reports it
            return frozenset(files)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(module.parents):
                folder = module.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                for path in (folder, *(folder / name.name for name in node.names)):
                    files.update(module_at(path))
        return frozenset(file for file in files if file.is_relative_to(self._solutions))


def module_at(path: Path) -> tuple[Path, ...]:
    """Return the file of the module or package at a path without its suffix; nothing if it does not exist."""
    return tuple(file for file in (path.parent / f"{path.name}.py", path / "__init__.py") if file.is_file())


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True)
    except FileNotFoundError:
        raise ShardwiseError("--changed needs Git, which is not installed.") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise ShardwiseError(
            f"Git cannot tell what has changed in {folder}: {said}. In CI, check out the whole history (fetch-depth: 0)."
        ) from None
    return done.stdout.decode(errors="surrogateescape")
