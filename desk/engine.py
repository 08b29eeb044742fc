"""Gathers the engine of a site: Python for the browser, from npm, and the packages that practice needs, from PyPI by hash.

`python desk/engine.py` writes grader/shardwise/app/static/engine/, and `python desk/engine.py --lock` desk/engine.lock.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

DESK = Path(__file__).resolve().parent
ENGINE = DESK.parent / "grader" / "shardwise" / "app" / "static" / "engine"
# pydantic-core has a wheel for Pyodide. MarkupSafe and PyYAML have none, but work without their compiled half, which is left out.
_PLATFORMS = ("pyemscripten_2026_0_wasm32", "manylinux_2_17_x86_64", "manylinux2014_x86_64")
_PYTHON = "314"  # of Pyodide 314
_LATER = ("mpmath", "sympy")  # fetched when a formula's mistake is explained
_LEFT_OUT = re.compile(
    r".*(x86_64.*\.so|\.dist-info/RECORD|\.(pyx|pxd|pyi|c|h))$|(sympy|mpmath)/(.*/)?(tests|benchmarks)/|sympy/physics/"
    r"|sympy/parsing/(autolev|latex|fortran|c)/|.*\.data/"
)
_NEVER_THERE = re.compile(r"/shardwise/(cli|course|grading|sandbox|bank/lint)/|/solutions/(figures|oracles)/")
_PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")
_NOTICE = """The engine of a site: Python in the browser, and the packages that practice needs there.

Pyodide {version}, with CPython {python} compiled to WebAssembly, from npm. Its library is compiled, too.
  Pyodide: Mozilla Public License 2.0, https://github.com/pyodide/pyodide
  CPython: Python Software Foundation License 2, https://docs.python.org/3/license.html
           Copyright (c) 2001 Python Software Foundation. All rights reserved.

In packages.zip and later.zip, compiled, each with its licence in its .dist-info folder:
{packages}
"""


def main() -> None:
    """Gather the engine, or with --lock, write the lock file."""
    if "--lock" in sys.argv[1:]:
        lock()
    else:
        gather()


def lock() -> None:
    """Write the versions of requirements.lock, each with the hash of the one wheel that a browser gets."""
    versions = dict(
        re.findall(r"^([a-z0-9-]+)==([^ ;]+)", (DESK.parent / "requirements.lock").read_text("utf-8"), re.M)
    )
    names = [line for line in (DESK / "engine.in").read_text("utf-8").splitlines() if not line.startswith("#")]
    with tempfile.TemporaryDirectory() as folder:
        _download([f"{name}=={versions[name]}" for name in names], Path(folder))
        digests = {_name(wheel): hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in Path(folder).iterdir()}
    lines = [f"{name}=={versions[name]} \\\n    --hash=sha256:{digests[name]}\n" for name in names]
    (DESK / "engine.lock").write_text("".join(lines), "utf-8")


def gather() -> None:
    """Write the engine's folder anew."""
    npm = DESK / "node_modules" / "pyodide"
    about = json.loads((npm / "pyodide-lock.json").read_text("utf-8"))["info"]
    shutil.rmtree(ENGINE, ignore_errors=True)
    ENGINE.mkdir(parents=True)
    for name in _PYODIDE:  # as .js, because some web servers do not know .mjs
        shutil.copyfile(npm / name, ENGINE / name.replace(".mjs", ".js"))
    with ZipFile(npm / "python_stdlib.zip") as archive:
        _write([(name, archive.read(name)) for name in archive.namelist()], "python_stdlib.zip", level=2)
    # Without any package in this list, Pyodide never suggests to install one from elsewhere.
    (ENGINE / "pyodide-lock.json").write_text(json.dumps({"info": about, "packages": {}}), "utf-8")
    with tempfile.TemporaryDirectory() as folder:
        _download(["--require-hashes", "-r", str(DESK / "engine.lock")], Path(folder))
        wheels = sorted(Path(folder).iterdir())
        _write([file for wheel in wheels if _name(wheel) not in _LATER for file in _files(wheel)], "packages.zip")
        _write([file for wheel in wheels if _name(wheel) in _LATER for file in _files(wheel)], "later.zip", level=2)
        packages = "\n".join(f"  {_name(wheel)} {wheel.name.split('-')[1]}" for wheel in wheels)
    _write([(f"{hashlib.sha256(source).hexdigest()}.py", source) for source in sorted(_our_modules())], "compiled.zip")
    version = json.loads((npm / "package.json").read_text("utf-8"))["version"]
    notice = _NOTICE.format(version=version, python=about["python"], packages=packages)
    (ENGINE / "LICENSES.txt").write_text(notice, "utf-8")


def _download(what: Sequence[str], folder: Path) -> None:
    platforms = [word for name in _PLATFORMS for word in ("--platform", name)]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
         "--python-version", _PYTHON, *platforms, "-d", str(folder), *what],
        check=True,
    )  # fmt: skip


def _name(wheel: Path) -> str:
    return wheel.name.partition("-")[0].lower().replace("_", "-")


def _files(wheel: Path) -> Iterator[tuple[str, bytes]]:
    with ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("/") and not _LEFT_OUT.match(name):
                yield name, archive.read(name)


def _our_modules() -> set[bytes]:
    """Return our own modules. A site takes the bytecode of those that have not changed since."""
    folders = [ENGINE.parents[2], DESK.parent / "shardwise-bank" / "shardwise_bank", DESK.parent / "solutions"]
    files = [file for folder in folders for file in folder.rglob("*.py") if not _NEVER_THERE.search(file.as_posix())]
    return {file.read_bytes() for file in files}


def _write(files: Sequence[tuple[str, bytes]], name: str, *, level: int = 0) -> None:
    """Write an archive of files, in which modules are compiled for the browser; level 2 leaves out asserts and docstrings."""
    node = shutil.which("node") or "node"
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder, "sources.zip")
        with ZipFile(sources, "w", ZIP_DEFLATED) as archive:
            for file, data in files:
                archive.writestr(ZipInfo(file), data)
        subprocess.run([node, str(DESK / "compile.mjs"), str(sources), str(ENGINE / name), str(level)], check=True)


if __name__ == "__main__":
    main()
