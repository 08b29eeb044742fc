"""A real JupyterLab and a real Chromium for the browser tests; nothing but loopback may be asked for."""

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, Route, expect, sync_playwright

from checkout import ROOT, fresh_session
from contrast import PALE
from shardwise.question import Question
from shardwise.student.desk import Desk

CHROMIUM = Path("/usr/bin/chromium")
HOW_TO_GET_IT = (
    f"There is no {CHROMIUM}, and these tests drive a real browser. On Debian:\n"
    "    apt-get install --no-install-recommends chromium fonts-dejavu-core fonts-liberation"
)
QUIET = [  # neither a sandbox of its own nor a graphics card nor calls home
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
KERNEL = "shardwise-test"
NBGRADERS = ("assignment_list", "course_list", "formgrader", "validate_assignment")
STARTS_WITHIN_S = 60.0
PATIENCE_MS = 20_000  # for one step on a busy machine


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab, with Notebook 7 beside it: where it is, its token, and the folder that it shows."""

    url: str
    token: str
    notebooks: Path

    def address(self, notebook: str, app: Literal["lab", "notebook"] = "lab") -> str:
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
        "display_name": KERNEL,
        "language": "python",
    }
    slow = {f"nbgrader.server_extensions.{name}": False for name in NBGRADERS}  # 4 s to import, and not needed here
    news = {"fetchNews": "false", "checkForUpdates": False}
    files = {
        "config/jupyter_server_config.json": {
            "ServerApp": {"jpserver_extensions": slow},
            "JupyterNotebookApp": {"expose_app_in_browser": True},
        },
        "config/labconfig/page_config.json": {"disabledExtensions": {"@jupyter/nbgrader": True}},
        f"data/kernels/{KERNEL}/kernel.json": kernel,
        "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings": news,
    }
    for path, content in files.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(json.dumps(content), "utf-8")
    return {variable: str(base / name) for variable, name in names.items()}


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """One JupyterLab for all tests, on a port of its own."""
    base = tmp_path_factory.mktemp("lab")
    environment = {**os.environ, **_private_folders(base), "SHARDWISE_BANK": str(ROOT)}
    notebooks, log, port = base / "notebooks", base / "lab.log", _free_port()
    notebooks.mkdir()
    server = Lab(f"http://127.0.0.1:{port}", secrets.token_hex(16), notebooks)
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={notebooks}",
        f"--IdentityProvider.token={server.token}", "--LabApp.expose_app_in_browser=True",
        "--LabApp.extension_manager=readonly",  # no look at an index of packages
    ]  # fmt: skip
    with log.open("w") as out, subprocess.Popen(command, env=environment, stdout=out, stderr=out) as process:
        try:
            _wait(server, process, log)
            yield server
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait(server: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    ask = f"{server.url}/api/status?token={server.token}"
    patience = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < patience and process.poll() is None:
        try:
            with urllib.request.urlopen(ask, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start. Its log ends:\n{log.read_text()[-3000:]}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium; without it the tests fail and say how to get it."""
    if not CHROMIUM.exists():
        pytest.fail(HOW_TO_GET_IT)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=QUIET)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page. What it asks for outside this machine is refused, and fails the test at its end."""
    outside: list[str] = []

    def loopback(url: str) -> bool:
        return urlsplit(url).hostname in ("127.0.0.1", None)  # None: data and blob URLs

    def guard(route: Route) -> None:
        if loopback(route.request.url):
            route.fallback()
        else:
            outside.append(route.request.url)
            route.abort()

    context = browser.new_context(viewport={"width": 1100, "height": 1500})
    context.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    context.route("**/*", guard)
    opened = context.new_page()
    opened.on("websocket", lambda socket: None if loopback(socket.url) else outside.append(socket.url))
    yield opened
    context.close()
    assert outside == []


BARE = "http://127.0.0.1:1/"  # nothing listens there: the page's files are handed out by the test itself
# A page outside Jupyter with one element of the desk, answered by Python in this process; drafts last in the browser.
BARE_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A desk</title>
<style>:root { color-scheme: light dark; } body { margin: 0; background: Canvas; }</style></head>
<body><main></main><script type="module">
  import { show } from "./desk.js";
  const draft = {
    get: (key) => JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined,
    set: (key, value) => localStorage.setItem(key, JSON.stringify(value)),
  };
  const { what, given } = await window.askForWhatToShow();
  document.querySelector("main").append(show(what, { ask: window.askPython, draft }, given));
</script></body></html>"""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass
class BarePage:
    """A page without Jupyter that shows elements of the desk, with the real Python behind them."""

    page: Page
    desk: Desk
    faults: list[str]  # what the console said
    shown: tuple[str, dict[str, Any]] = ("", {})

    def problem(self, question: Question) -> Locator:
        """A problem's form."""
        return self.show("problem", {"question": self.desk.open(question)})

    def show(self, what: str, given: dict[str, Any]) -> Locator:
        """An element of the desk, alone on a fresh page."""
        self.shown = (what, given)
        self.page.goto(BARE)
        element = self.page.locator(".shardwise")
        expect(element).to_be_visible()
        return element

    def is_fit_for_all(self) -> None:
        """Whether what is shown now can be used by everybody, on a phone and in both themes."""
        before = self.page.viewport_size
        for theme in ("light", "dark"):
            self.page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            self.page.set_viewport_size({"width": 360, "height": 900})
            assert self.page.evaluate(TOO_WIDE) <= 0, theme
            assert self.page.evaluate(PALE, ".shardwise") == [], theme
            found = Axe().run(self.page, options={"rules": {"page-has-heading-one": {"enabled": False}}})
            violations = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found.response["violations"]]
            assert violations == [], theme
        self.page.emulate_media(color_scheme="light")
        self.page.set_viewport_size(before or {"width": 1100, "height": 900})
        assert self.faults == []


@pytest.fixture
def bare(page: Page) -> BarePage:
    """A page without Jupyter for elements of the desk."""
    desk, faults = Desk(fresh_session()), list[str]()
    made = BarePage(page, desk, faults)
    bundle = ROOT / "grader" / "shardwise" / "student" / "widget" / "desk.js"
    page.on("console", lambda message: faults.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.expose_function("askPython", desk.reply)
    page.expose_function("askForWhatToShow", lambda: dict(zip(("what", "given"), made.shown, strict=True)))
    page.route(BARE, lambda route: route.fulfill(body=BARE_PAGE, content_type="text/html"))
    page.route(f"{BARE}desk.js", lambda route: route.fulfill(path=bundle, content_type="text/javascript"))
    return made


def picture(page: Page, name: str) -> None:
    """A picture of the page for a person to look at, where SHARDWISE_PICTURES names a folder."""
    folder = os.environ.get("SHARDWISE_PICTURES")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
