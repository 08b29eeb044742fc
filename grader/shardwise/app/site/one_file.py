"""One chapter as a single HTML file, which needs neither a server nor a connection: its lesson, problems and Python are inside."""

from __future__ import annotations

import base64
import gzip
import hashlib
import mimetypes
from dataclasses import replace
from pathlib import Path
from typing import Any

from shardwise.app.server import STATIC
from shardwise.app.site.compile import COMPILED, ENGINE, LATER, data_files, lesson_figures, must_be_built, with_policy
from shardwise.app.site.packing import SITE, Files, bank_files, packages, top_level, with_bytecode, zipped
from shardwise.bank.bank import Bank, Banks
from shardwise.errors import ShardwiseError

_HOST = b'data-host="site"'
_START = 'import("data:text/javascript;base64," + document.getElementById("app.js").text)'
_POLICY = (
    "default-src 'none'; script-src 'sha256-{start}' data: blob: 'wasm-unsafe-eval'; worker-src data:; style-src 'unsafe-inline'; "
    "img-src data:; connect-src data:; base-uri 'none'; form-action 'none'"
)


def write_one_file(banks: Banks, chapter: str, out: Path) -> int:
    """Write a chapter, given by name, number or part of its name, and return the size in bytes. Raises ShardwiseError."""
    must_be_built()
    if out.is_dir() or (out.exists() and _HOST not in out.read_bytes()):
        raise ShardwiseError(f"{out} exists and is not such a file. Name a new file.")
    page = one_file(banks, banks.find_chapter(chapter), out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_bytes(page)
    return len(page)


def one_file(banks: Banks, chapter: str, out: Path) -> bytes:
    """Return the page of a chapter, to be written into a file."""
    alone = Banks([_only(chapter, bank) for bank in banks.all if chapter in bank.chapters])
    files = {path.name: path.read_bytes() for path in ENGINE.iterdir() if path.name not in (COMPILED, LATER)}
    ours, names = bank_files(alone, {"shardwise", *top_level(files["packages.zip"])})
    compiled = ENGINE / COMPILED
    files["python.zip"] = zipped(
        with_bytecode(packages(), compiled, keep=False) | with_bytecode(ours, compiled, keep=True)
    )
    files["worker.js"] = (STATIC / "worker.js").read_bytes()
    settings: dict[str, Any] = {"engine": "./", "folder": f"/{SITE}", "banks": names, "later": []}
    files |= _with_figures(data_files(alone, banks, out, settings), lesson_figures(alone))
    return _page(files)


def _only(chapter: str, bank: Bank) -> Bank:
    problems = {problem.id: problem for problem in bank.of_chapter(chapter)}
    return replace(bank, chapters={chapter: bank.chapters[chapter]}, problems=problems)


def _with_figures(data: Files, figures: Files) -> Files:
    """Return the replies with the figures of the lesson inside."""
    found = dict(data)
    for figure, image in figures.items():
        kind = mimetypes.guess_type(figure)[0] or "image/png"
        inside = f"data:{kind};base64,{base64.b64encode(image).decode()}"
        for name in found:
            found[name] = found[name].replace(f'src=\\"{figure}\\"'.encode(), f'src=\\"{inside}\\"'.encode())
    return found


def _page(files: Files) -> bytes:
    page = (STATIC / "index.html").read_text("utf-8").replace('data-host="server"', _HOST.decode())
    styles = "".join(path.read_text("utf-8") for path in sorted(STATIC.glob("*.css")))
    page = page.replace('<link rel="stylesheet" href="app.css">', f"<style>{styles}</style>")
    page = page.replace('<script type="module" src="app.js"></script>', f'<script type="module">{_START}</script>')
    start = base64.b64encode(hashlib.sha256(_START.encode()).digest()).decode()
    held = [_held("text/plain", "app.js", (STATIC / "app.js").read_bytes())]
    held += [_held("application/gzip", name, gzip.compress(data, mtime=0)) for name, data in sorted(files.items())]
    page = page.replace("</body>", "\n".join([*held, "</body>"]))
    return with_policy(page, _POLICY.format(start=start)).encode()


def _held(kind: str, name: str, data: bytes) -> str:
    return f'<script type="{kind}" id="{name}">{base64.b64encode(data).decode()}</script>'
