"""Packages that add kinds, put next to those of this environment as pip would, without a network and for one test only."""

from __future__ import annotations

import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shardwise import plugins
from shardwise.bank.discovery import installed_banks
from shardwise.bank.files import adapter


def install(project: Path, packages: Path) -> None:
    """Do what `pip install --target packages --no-deps project` does."""
    about = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))
    wheel = about["tool"]["hatch"]["build"]["targets"]["wheel"]
    copies = {package: Path(package).name for package in wheel["packages"]} | wheel.get("force-include", {})
    for source, target in copies.items():
        shutil.copytree(project / source, packages / target, ignore=shutil.ignore_patterns("__pycache__"))
    name, version = about["project"]["name"], about["project"]["version"]
    info = packages / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [
        line
        for group, added in about["project"]["entry-points"].items()
        for line in (f"[{group}]", *(f"{entry} = {value}" for entry, value in added.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def path_with(packages: Path) -> str:
    """Return PYTHONPATH with a folder of packages before all others."""
    return os.pathsep.join(filter(None, [str(packages), os.environ.get("PYTHONPATH")]))


@contextmanager
def visible(packages: Path) -> Iterator[None]:
    """Have the packages of a folder in this process, and in those that it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(packages)
        patch.setenv("PYTHONPATH", path_with(packages))
        _forget()
        yield
    _forget()


@contextmanager
def installed(project: Path, packages: Path) -> Iterator[None]:
    """Have a project installed into a folder, and its kinds with it."""
    install(project, packages)
    with visible(packages):
        yield


def _forget() -> None:
    plugins.added.cache_clear()
    installed_banks.cache_clear()
    adapter.cache_clear()
