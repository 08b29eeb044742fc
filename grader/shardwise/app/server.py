"""The app on this computer: a server for one student, which only this computer and only one browser can use.

It listens on the loopback address. Whoever opens the address with the token gets a cookie; without it, every request is
refused, as are requests that another page sends, and those that name another host, as after DNS rebinding.
"""

from __future__ import annotations

import json
import secrets
from functools import cached_property
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Self
from urllib.parse import parse_qs, urlsplit

from shardwise.app.app import App
from shardwise.bank.bank import Banks
from shardwise.bank.lesson import figure_of
from shardwise.errors import ShardwiseError
from shardwise.student.session import Session

HOST = "127.0.0.1"
STATIC = Path(__file__).with_name("static")
_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
          ".png": "image/png", ".svg": "image/svg+xml"}  # fmt: skip
_LARGEST = 2_000_000  # bytes of a request; the longest answers are programs of a few kB
_SAFETY = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_CLOSED = """<!doctype html><html lang="en"><meta charset="utf-8"><title>shardwise</title>
<p>This page belongs to another start of shardwise. Run <code>shardwise start</code>, and open the address that it prints.</p>"""


class AppServer(ThreadingHTTPServer):
    """A server for one student. `url` is the address that opens the app."""

    daemon_threads = True

    def __init__(self, banks: Banks, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.banks = banks
        self.app = App(Session.of(banks))
        self.token = secrets.token_urlsafe(24)

    @property
    def origin(self) -> str:
        """The address without the token."""
        return f"http://{HOST}:{self.server_port}"

    @property
    def url(self) -> str:
        """The address with the token."""
        return f"{self.origin}/?token={self.token}"

    @cached_property
    def cookie(self) -> str:
        """The name of the cookie; browsers share cookies between the ports of a host."""
        return f"shardwise-{self.server_port}"

    def __enter__(self) -> Self:
        return self


class _Handler(BaseHTTPRequestHandler):
    server: AppServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "shardwise", ""
    timeout: ClassVar[float] = 60

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        token = parse_qs(where.query).get("token", [""])[0]
        if not self._is_for_us():
            self._send(HTTPStatus.FORBIDDEN, b"")
        elif token and secrets.compare_digest(token.encode(), self.server.token.encode()):
            cookie = f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"
            self._send(HTTPStatus.SEE_OTHER, b"", {"Location": "/", "Set-Cookie": cookie})
        elif not self._is_known():
            self._send(HTTPStatus.FORBIDDEN, _CLOSED.encode(), {"Content-Type": _TYPES[".html"]})
        elif (found := self._file(where.path)) is None:
            self._send(HTTPStatus.NOT_FOUND, b"")
        else:
            body, suffix = found
            self._send(HTTPStatus.OK, body, {"Content-Type": _TYPES[suffix]})

    def do_POST(self) -> None:
        origin = self.headers.get("Origin")
        length = self.headers.get("Content-Length", "")
        self.close_connection = True  # a refused body is not read
        if not self._is_for_us() or origin not in (None, self.server.origin) or not self._is_known():
            self._send(HTTPStatus.FORBIDDEN, b"")
        elif urlsplit(self.path).path != "/ask" or self.headers.get("Content-Type") != "application/json":
            self._send(HTTPStatus.NOT_FOUND, b"")
        elif not length.isdecimal() or int(length) > _LARGEST:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"")
        else:
            self.close_connection = False
            try:
                request = json.loads(self.rfile.read(int(length)))
            except (ValueError, RecursionError):
                self._send(HTTPStatus.BAD_REQUEST, b"")
                return
            reply = json.dumps(self.server.app.reply(request), ensure_ascii=False, default=str)
            self._send(HTTPStatus.OK, reply.encode(errors="replace"), {"Content-Type": "application/json"})

    def _is_for_us(self) -> bool:
        return self.headers.get("Host") == f"{HOST}:{self.server.server_port}"

    def _is_known(self) -> bool:
        """Return whether the request has our cookie."""
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(self.server.cookie)
        except CookieError:
            return False
        return cookie is not None and secrets.compare_digest(cookie.value.encode(), self.server.token.encode())

    def _file(self, path: str) -> tuple[bytes, str] | None:
        """Return a file of the app, or a figure of a lesson, and its suffix; None if there is none of that name."""
        name = "index.html" if path == "/" else path.lstrip("/")
        folder, _, rest = name.partition("/")
        suffix = Path(name).suffix
        if suffix not in _TYPES or "\\" in name or "\0" in name:
            return None
        if folder == "figures":
            chapter, _, file = rest.partition("/")
            if chapter not in self.server.banks.chapters or "/" in file or file.startswith("."):
                return None
            try:
                return figure_of(self.server.banks.of(chapter).lessons / chapter, file), suffix
            except ShardwiseError:
                return None
        if "/" in name or not (STATIC / name).is_file():
            return None
        return (STATIC / name).read_bytes(), suffix

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**_SAFETY, **(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing: the terminal shows only what a student has to know."""
