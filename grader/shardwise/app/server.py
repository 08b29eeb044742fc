"""The app on this computer: a server for one person, which only this computer and only one browser can use.

It listens on the loopback address. The address that opens the app ends with a token, which browsers do not send: the page
keeps it, for this origin alone, and gives it in a header of every request. A cookie would go to all ports of the computer.
Without the token, only the app's own files and the figures of the lessons are served. Requests that another page sends, and
those that name another host, as after DNS rebinding, are refused.
"""

from __future__ import annotations

import json
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from shardwise.bank.bank import Banks
from shardwise.bank.lesson import figure_of
from shardwise.errors import ShardwiseError

HOST, HTTP = "127.0.0.1", 80  # browsers leave the usual port out of an address
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


class Replying(Protocol):
    """What replies to the requests of a page: the app, or the preview of a bank."""

    banks: Banks

    def reply(self, request: Any) -> dict[str, Any]:
        """Return the reply to a request. Never raises."""


class AppServer(ThreadingHTTPServer):
    """A server for one person. `url` is the address that opens the app; `host` is what its page runs: see desk/src/app/app.js."""

    daemon_threads = True
    request_queue_size = 64  # a page asks for several files at once

    def __init__(self, app: Replying, port: int = 0, host: str = "server") -> None:
        super().__init__((HOST, port), _Handler)
        self.app, self.host = app, host
        self.token = secrets.token_urlsafe(24)

    @property
    def origin(self) -> str:
        """The address without the token."""
        port = "" if self.server_port == HTTP else f":{self.server_port}"
        return f"http://{HOST}{port}"

    @property
    def url(self) -> str:
        """The address with the token."""
        return f"{self.origin}/#token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing when a browser hangs up, as it does when a page is closed while it waits."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: AppServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "shardwise", ""
    timeout: ClassVar[float] = 60

    def do_GET(self) -> None:
        if not self._is_for_us():
            self._send(HTTPStatus.FORBIDDEN, b"")
        elif (found := self._file(self._path())) is None:
            self._send(HTTPStatus.NOT_FOUND, b"")
        else:
            body, suffix = found
            self._send(HTTPStatus.OK, body, {"Content-Type": _TYPES[suffix]})

    def do_POST(self) -> None:
        goes_on, self.close_connection = not self.close_connection, True  # a refused body is not read
        length = self.headers.get("Content-Length", "")
        if (
            not self._is_for_us()
            or self.headers.get("Origin") not in (None, self.server.origin)
            or not self._is_known()
        ):
            self._send(HTTPStatus.FORBIDDEN, b"")
        elif self._path() != "/ask" or self.headers.get("Content-Type") != "application/json":
            self._send(HTTPStatus.NOT_FOUND, b"")
        elif not length.isdecimal() or len(length) > len(str(_LARGEST)) or int(length) > _LARGEST:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"")
        else:
            self.close_connection = not goes_on
            try:
                request = json.loads(self.rfile.read(int(length)))
            except (ValueError, RecursionError):
                self._send(HTTPStatus.BAD_REQUEST, b"")
                return
            reply = json.dumps(self.server.app.reply(request), ensure_ascii=False, default=str)
            self._send(HTTPStatus.OK, reply.encode(errors="replace"), {"Content-Type": "application/json"})

    def _path(self) -> str:
        """Return the path of the requested address, or "" if the address is malformed."""
        try:
            return urlsplit(self.path).path
        except ValueError:
            return ""

    def _is_for_us(self) -> bool:
        return self.headers.get("Host") == self.server.origin.removeprefix("http://")

    def _is_known(self) -> bool:
        """Return whether the request has the token."""
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return secrets.compare_digest(given.encode(errors="replace"), self.server.token.encode())

    def _file(self, path: str) -> tuple[bytes, str] | None:
        """Return a file of the app, or a figure of a lesson, and its suffix; None if it does not exist."""
        name = "index.html" if path == "/" else path.lstrip("/")
        folder, _, rest = name.partition("/")
        suffix = Path(name).suffix
        if suffix not in _TYPES or "\\" in name or "\0" in name:
            return None
        try:
            if folder == "figures":
                chapter, _, file = rest.partition("/")
                if "/" in file or file.startswith("."):
                    return None
                return figure_of(self.server.app.banks.of(chapter).lessons / chapter, file), suffix
            body = b"" if "/" in name else (STATIC / name).read_bytes()
        except (ShardwiseError, OSError):  # it does not exist, or its name is too long
            return None
        if name == "index.html":
            body = body.replace(b'data-host="server"', f'data-host="{self.server.host}"'.encode())
        return (body, suffix) if body else None

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {**_SAFETY, **(headers or {}), "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing: the terminal shows only what its user has to know."""
