"""The files that are visible inside the sandbox: the interpreter, its libraries, numpy and sympy, but not shardwise.

The interpreter (system, pyenv, uv, conda) has the same path inside, because it finds its library relative to that path.
Packages are listed one by one: site-packages, where shardwise and its solutions may be installed, is never visible.
"""

from __future__ import annotations

import glob
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import shardwise

PACKAGES = ("numpy", "sympy", "mpmath")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_LOADER = "/lib*/ld-*64.so.*"  # glibc's and musl's, for x86_64 and aarch64
_MANY_LIBRARIES = 100  # if there are more, bind their directory instead of each file, which is faster


@dataclass(frozen=True)
class Layout:
    """All files that a sandboxed interpreter can see."""

    python: str  # the real file, with all symlinks resolved
    binds: tuple[tuple[str, str], ...]  # a file or directory of the host, and its path inside
    symlinks: tuple[tuple[str, str], ...]  # (target, path), such as ("usr/lib", "/lib")
    masks: tuple[str, ...]  # directories inside the binds that must appear empty
    packages: dict[str, str]  # name to directory, as seen inside
    inside: str  # our own inner package, as seen inside


def interpreter() -> str:
    """Return the real file of this interpreter, resolving a virtual environment's symlinks."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def inner_directory() -> str:
    """Return the path of our inner package on the host."""
    return str(Path(__file__).parent / "inside")


def layout(*, moved: bool) -> Layout:
    """Return the layout for this interpreter; `moved` puts packages at short paths (bubblewrap only)."""
    python = interpreter()
    found = package_directories()
    packages = {name: f"/packages/{name}" if moved else place for name, place in found.items()}
    inside = "/inside" if moved else inner_directory()
    binds = [(path, path) for path in _interpreter_paths(python)]
    binds += [(place, packages[name]) for name, place in found.items()]
    for name, place in found.items():  # a wheel's private libraries are next to the package
        if os.path.isdir(place + ".libs"):
            binds.append((place + ".libs", packages[name] + ".libs"))
    binds.append((inner_directory(), inside))
    private = [path for path in _private_directories() if any(_beneath(path, source) for source, _ in binds)]
    masks = tuple(path for path in private if not any(path != other and _beneath(path, other) for other in private))
    return Layout(python, tuple(binds), tuple(_root_symlinks()), masks, packages, inside)


def package_directories() -> dict[str, str]:
    """Return the directories on the host of the packages that a notebook may use, if they are installed."""
    found = {}
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations:
            found[name] = os.path.realpath(next(iter(spec.submodule_search_locations)))
    return found


def _interpreter_paths(python: str) -> list[str]:
    """Return the paths of the program, its dynamic loader, the standard library, and shared libraries."""
    paths = [python, *_stdlib(), *_library_paths()]
    paths += ["/etc/ld.so.cache"]
    unique = dict.fromkeys(os.path.normpath(path) for path in paths if os.path.exists(path))
    covered = [path for path in unique if os.path.isdir(path)]
    return [path for path in unique if not any(path != other and _beneath(path, other) for other in covered)]


def _stdlib() -> list[str]:
    """Return the standard library of the base installation; in a virtual environment, `platstdlib` is another folder."""
    return [sysconfig.get_path(name, vars={"platbase": sys.base_exec_prefix}) for name in ("stdlib", "platstdlib")]


def _library_paths() -> list[str]:
    """Return the directories of libc and libm, the loader, and the libraries of a private interpreter (pyenv, conda)."""
    with open("/proc/self/maps") as maps:
        mapped = {line.split(maxsplit=5)[5].strip() for line in maps if "/" in line}
    standard = {
        os.path.dirname(path) for path in mapped if os.path.basename(path).startswith(("libc.so", "libc-", "libm.so"))
    }
    own = os.path.join(sys.base_prefix, "lib")
    files = [entry.path for entry in os.scandir(own) if entry.name.startswith("lib") and ".so" in entry.name]
    # By the path in the program, such as /lib64/ld-linux-x86-64.so.2, which may itself be a link.
    loaders = [
        os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) for path in glob.glob(_LOADER)
    ]
    return [*loaders, *sorted(standard), *(files if len(files) <= _MANY_LIBRARIES else [own])]


def _root_symlinks() -> Iterator[tuple[str, str]]:
    """Yield the symlinks /lib and /lib64 of a merged-/usr system, which the loader's path uses."""
    for path in ("/lib", "/lib64", "/lib32", "/bin", "/usr/lib64"):
        if os.path.islink(path):
            yield os.path.relpath(os.path.realpath(path), os.path.dirname(path)), path


def _private_directories() -> list[str]:
    """Return directories with installed packages, including ours."""
    candidates = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    candidates += [path for path in (*sys.path, *shardwise.__path__) if os.path.isdir(path)]
    for prefix in (sys.prefix, sys.base_prefix):
        candidates += glob.glob(f"{glob.escape(prefix)}/lib*/python*/*-packages")  # site-packages, dist-packages
    stdlib = {os.path.realpath(path) for path in _stdlib()}
    real = dict.fromkeys(os.path.realpath(path) for path in candidates if os.path.isdir(path))
    return [path for path in real if path not in stdlib and os.path.basename(path) != "lib-dynload"]


def readable_paths(layout: Layout) -> tuple[list[str], list[str]]:
    """Return, for Landlock, the readable paths, and the directories that can only be listed because they contain a mask.

    A Landlock rule covers everything beneath its path, so each entry of a directory that contains a mask gets its own rule.
    """
    readable, listable = [*DEVICES], list[str]()
    for _, target in layout.binds:
        _add_around_masks(target, layout.masks, readable, listable)
    return readable, listable


def _add_around_masks(path: str, masks: Iterable[str], readable: list[str], listable: list[str]) -> None:
    if path in masks:
        return
    inner = [mask for mask in masks if _beneath(mask, path)]
    if not inner:
        readable.append(path)
        return
    listable.append(path)
    for entry in sorted(entry.path for entry in os.scandir(path) if not entry.is_symlink()):
        _add_around_masks(entry, inner, readable, listable)


def _beneath(path: str, directory: str) -> bool:
    return os.path.commonpath([path, directory]) == directory
