"""The server on this computer: only the browser that was given the address may use it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from shardwise.app.app import App
from shardwise.app.server import HOST, AppServer
from shardwise.bank.bank import Bank, Banks
from shardwise.student.progress.file import VARIABLE
from shardwise.student.session import Session

ASK = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server(whole_bank: Bank) -> Iterator[AppServer]:
    with AppServer(App(Session.of(Banks([whole_bank])))) as made:
        Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def fetch(server: AppServer, path: str, body: object = None, **headers: str) -> tuple[int, bytes]:
    """Return the status and the body of a reply; the headers have underscores for hyphens."""
    given = {
        "Authorization": f"Bearer {server.token}",
        **{name.replace("_", "-"): it for name, it in headers.items()},
    }
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    with closing(http.client.HTTPConnection(HOST, server.server_port, timeout=10)) as connection:
        connection.request("GET" if body is None else "POST", path, data, given)
        reply = connection.getresponse()
        return reply.status, reply.read()


def test_the_token_opens_the_app_and_is_in_no_request_for_a_file(server: AppServer) -> None:
    address, _, token = server.url.partition("#token=")
    assert (address, token) == (f"{server.origin}/", server.token)
    assert fetch(server, "/", Authorization="")[0] == 200
    status, body = fetch(server, "/ask", {"do": "map"}, **ASK)
    assert (status, len(json.loads(body)["map"]["chapters"])) == (200, 16)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": ""},
        {"Authorization": "Bearer guess"},
        {"Authorization": "Bearer \xff"},
        {"Host": "evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
    ],
)
def test_nobody_else_is_answered(server: AppServer, headers: dict[str, str]) -> None:
    assert fetch(server, "/ask", {"do": "map"}, **(ASK | headers)) == (403, b"")
    if "Host" in headers:
        assert fetch(server, "/", **headers) == (403, b"")


@pytest.mark.parametrize(
    "path",
    ["/../app.py", "/%2e%2e/app.py", "/figures/01-ring-all-reduce/../chapter.yaml", "/figures/01-ring-all-reduce/lesson.md",
     "/figures/nowhere/x.png", "/figures/01-ring-all-reduce/..%2f..%2fx.png", "/figures/01-ring-all-reduce/\\x.png", "/nothing.js", f"/{'a' * 300}.js"],
)  # fmt: skip
def test_only_the_app_and_the_figures_of_lessons_are_served(server: AppServer, path: str) -> None:
    assert fetch(server, path) == (404, b"")


def test_figures_of_lessons_are_served(server: AppServer) -> None:
    status, body = fetch(server, "/figures/01-ring-all-reduce/chunks-on-a-ring.png")
    assert (status, body[:4]) == (200, b"\x89PNG")


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 400), (b"[" * 100_000, 400), (b"x" * 2_000_001, 413), ({"do": "\ud800"}, 200)]
)
def test_bad_bodies_are_refused_and_the_server_goes_on(server: AppServer, body: object, status: int) -> None:
    try:
        assert fetch(server, "/ask", body, **ASK)[0] == status
    except (BrokenPipeError, ConnectionResetError):  # it hangs up before the whole body is sent
        assert status == 413
    assert fetch(server, "/ask", {"do": "map"}, **ASK)[0] == 200


def test_start_prints_the_address_and_ends_with_ctrl_c(whole_bank: Bank, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "shardwise", "start", "--no-browser", "--bank", str(whole_bank.folder)]
    environment = {**os.environ, VARIABLE: str(tmp_path / "progress.sqlite")}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline().startswith("Open http://127.0.0.1:")
        started.send_signal(signal.SIGINT)
        _, errors = started.communicate(timeout=20)
    assert (started.returncode, errors.splitlines()[-1]) == (130, "Stopped. Your answers are saved.")
