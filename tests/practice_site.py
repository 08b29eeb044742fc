"""A site of the checkout's bank, compiled once for all tests, served as any web server would, and opened in real Chromium."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from checkout import checkout_bank
from shardwise.app.site.compile import site_files
from shardwise.bank.bank import Banks

PLACE = "courses/practice/"  # a site need not be at the root of its server


@cache
def files() -> dict[str, bytes]:
    """Every file of the site."""
    return site_files(Banks([checkout_bank()]), Path("without", "documentation"))


def put(folder: Path) -> Path:
    """Write the site below a folder, and return where it is."""
    for name, data in files().items():
        path = folder / PLACE / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder / PLACE


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Print nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder, and yield the address of the site in it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/{PLACE}"
        finally:
            server.shutdown()
