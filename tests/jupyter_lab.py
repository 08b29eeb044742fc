"""A real JupyterLab, a real Voilà, and how to start Chromium quietly: for tests, and for what is measured in them."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from checkout import ROOT

CHROMIUM = Path("/usr/bin/chromium-headless-shell")  # draws pages without windows around them, with half the work
QUIET = [  # neither a sandbox of its own nor a graphics card, and no machine but this one
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]  # fmt: skip
KERNEL = "shardwise-test"
NOT_NEEDED = [  # seconds to import
    "nbgrader.server_extensions.assignment_list",
    "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.formgrader",
    "nbgrader.server_extensions.validate_assignment",
    "voila.server_extension",
]
STARTS_WITHIN_S = 60.0

App = Literal["lab", "notebook"]


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab, with Notebook 7 next to it: where it is, its token, and the folder that it shows."""

    url: str
    token: str
    notebooks: Path

    def address(self, notebook: str, app: App = "lab") -> str:
        place = {"lab": "lab/tree", "notebook": "notebooks"}[app]
        return f"{self.url}/{place}/{notebook}?token={self.token}"


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _private_folders(base: Path) -> dict[str, str]:
    """Folders of its own for all that Jupyter reads and writes, with our kernel and without its news."""
    names = {
        "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings", "JUPYTERLAB_WORKSPACES_DIR": "workspaces", "IPYTHONDIR": "ipython",
    }  # fmt: skip
    for name in names.values():
        (base / name).mkdir()
    kernel = {
        "argv": [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3",  # as students see it, and in pictures
        "language": "python",
    }
    news = {"fetchNews": "false", "checkForUpdates": False}
    files = {
        "config/jupyter_server_config.json": {
            "ServerApp": {"jpserver_extensions": dict.fromkeys(NOT_NEEDED, False)},
            "JupyterNotebookApp": {"expose_app_in_browser": True},
        },
        "config/labconfig/page_config.json": {
            "disabledExtensions": {"@jupyter/nbgrader": True, "@voila-dashboards/jupyterlab-preview": True}
        },
        f"data/kernels/{KERNEL}/kernel.json": kernel,
        "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings": news,
    }
    for path, content in files.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(json.dumps(content), "utf-8")
    return {variable: str(base / name) for variable, name in names.items()}


@contextmanager
def running_lab(base: Path) -> Iterator[Lab]:
    """A JupyterLab on a port of its own, with an empty folder for all that it keeps."""
    notebooks, port, token = base / "notebooks", _free_port(), secrets.token_hex(16)
    notebooks.mkdir()
    server = Lab(f"http://127.0.0.1:{port}", token, notebooks)
    command = [
        "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={notebooks}",
        f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",  # no look at an index of packages
    ]  # fmt: skip
    with _running(command, base, f"{server.url}/api/status?token={token}"):
        yield server


@contextmanager
def running_voila(base: Path, notebook: Path) -> Iterator[str]:
    """A Voilà that shows one notebook: its address."""
    address = f"http://127.0.0.1:{(port := _free_port())}/"
    unfit = "@jupyter-notebook/lab-extension"  # that of a newer Notebook fails in Voilà, which does not need it
    options = ["--no-browser", f"--port={port}", f"--VoilaConfiguration.extension_denylist={unfit}"]
    with _running(["voila", *options, str(notebook)], base, f"{address}voila/static/voila.js"):
        yield address


@contextmanager
def running_formgrader(base: Path, course: Path) -> Iterator[Lab]:
    """A Jupyter server with nbgrader's formgrader for a course."""
    port, token = _free_port(), secrets.token_hex(16)
    server = Lab(f"http://127.0.0.1:{port}", token, course)
    extensions = {"nbgrader.server_extensions.formgrader": True}
    command = [
        "jupyter_server", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0", f"--ServerApp.root_dir={course}", f"--IdentityProvider.token={token}",
        f"--ServerApp.jpserver_extensions={extensions}", f"--CourseDirectory.root={course}",
    ]  # fmt: skip
    with _running(command, base, f"{server.url}/api/status?token={token}"):
        yield server


@contextmanager
def _running(module: list[str], base: Path, ask: str) -> Iterator[None]:
    """A server, from its first answer on, with an empty folder for all that it keeps."""
    environment = {**os.environ, **_private_folders(base), "SHARDWISE_BANK": str(ROOT)}
    log = base / "server.log"
    command = [sys.executable, "-m", *module]
    with log.open("w") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as process:
        try:
            _wait(ask, process, log)
            yield
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(ask: str, process: subprocess.Popen[bytes], log: Path) -> None:
    patience = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < patience and process.poll() is None:
        try:
            with urllib.request.urlopen(ask, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"The server did not start. Its log ends:\n{log.read_text()[-3000:]}")
