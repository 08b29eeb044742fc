"""The site compiler, which turns banks into static files for any web server.

    index.html, offline.js      the page and its service worker, at addresses that stay
    engine-HASH/                Python for the browser, the same for every site of this version of shardwise
    app-HASH/                   the app, the banks, and all replies that do not depend on a student

A change gives a folder a new name, so browsers may keep everything in it for ever.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from shardwise.app.app import App
from shardwise.app.server import STATIC
from shardwise.app.site.documentation import DOCS, entries_of, link_to
from shardwise.app.site.packing import SITE, Files, bank_files, packages, top_level, with_bytecode, zipped
from shardwise.app.steps import END
from shardwise.bank.bank import Banks
from shardwise.bank.lesson import figure_of
from shardwise.errors import ShardwiseError
from shardwise.kinds.scripts import script_reply
from shardwise.student.progress.events import SEED
from shardwise.student.progress.file import ProgressFile
from shardwise.student.progress.journal import Journal
from shardwise.student.session import Session

ENGINE = STATIC / "engine"
COMPILED = "compiled.zip"  # our own modules, by the digest of their source
LATER = "later.zip"  # sympy
MARK = "offline.js"  # the service worker, which every site has
_SCRIPTS = ("app.js", "worker.js")
_POLICY = (
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
Data = dict[str, Any]


def must_be_built() -> None:
    """Raise ShardwiseError if the app or its engine is missing."""
    missing = [
        name for name in (*_SCRIPTS, MARK, "index.html", "engine/pyodide.asm.wasm") if not (STATIC / name).is_file()
    ]
    if missing:
        raise ShardwiseError(
            f"{', '.join(missing)} cannot be found in {STATIC}. Run `make desk` in the checkout, or reinstall shardwise."
        )


def write_site(banks: Banks, out: Path) -> int:
    """Write the site of these banks, replacing an earlier one, and return its size in bytes. Raises ShardwiseError."""
    must_be_built()
    if out.exists() and not _is_ours(out):
        raise ShardwiseError(f"{out} exists and is not a site. Name a new folder, or empty this one.")
    files = site_files(banks, out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}.") as scratch:
        fresh, old = Path(scratch, "new"), Path(scratch, "old")
        for name, data in files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        if out.exists():
            if (out / DOCS).is_dir():
                shutil.copytree(out / DOCS, fresh / DOCS)
            out.rename(old)
        fresh.rename(out)
    return sum(map(len, files.values()))


def _is_ours(out: Path) -> bool:
    """Return whether a folder is a site, or empty apart from documentation."""
    return out.is_dir() and ((out / MARK).is_file() or {path.name for path in out.iterdir()} <= {DOCS})


def site_files(banks: Banks, out: Path) -> Files:
    """Return all files of a site by name, without the documentation in its folder, to which the app links."""
    engine = {path.name: path.read_bytes() for path in sorted(ENGINE.iterdir())}
    del engine[COMPILED]
    later = sorted(top_level(engine[LATER]))
    engine_folder = f"engine-{_digest(engine)}"
    banks_there, names = bank_files(banks, {"shardwise", *later, *top_level(engine["packages.zip"])})
    app = {name: (STATIC / name).read_bytes() for name in _SCRIPTS}
    app |= {path.name: path.read_bytes() for path in STATIC.glob("*.css")}
    app["python.zip"] = zipped(
        with_bytecode(packages(), ENGINE / COMPILED, keep=False)
        | with_bytecode(banks_there, ENGINE / COMPILED, keep=True)
    )
    app |= data_files(
        banks, banks, out, {"engine": f"../{engine_folder}/", "folder": f"/{SITE}", "banks": names, "later": later}
    )
    app |= lesson_figures(banks)
    app_folder = f"app-{_digest(app)}"
    app = {name: data.replace(b'src=\\"figures/', f'src=\\"{app_folder}/figures/'.encode()) if name.endswith(".json") else data
           for name, data in app.items()}  # fmt: skip
    files = {f"{engine_folder}/{name}": data for name, data in engine.items()}
    files |= {f"{app_folder}/{name}": data for name, data in app.items()}
    files["index.html"] = _page((STATIC / "index.html").read_text("utf-8"), app_folder).encode()
    version = _digest(files)
    # The page's files come first, so that the app works offline as soon as possible.
    order = sorted(files, key=lambda name: (name.startswith("engine"), name))
    offline = (STATIC / MARK).read_text("utf-8")
    files[MARK] = f"const VERSION = {json.dumps(version)};\nconst FILES = {json.dumps(order)};\n{offline}".encode()
    return files


def data_files(banks: Banks, whole: Banks, out: Path, settings: Data) -> Files:
    """Return as files the replies that are the same for every student, about the chapters of `banks`, a part of `whole`."""
    there = dict(zip([bank.folder for bank in banks.all], settings["banks"], strict=True))  # as records name them
    with tempfile.TemporaryDirectory() as folder:
        progress = Path(folder, "progress.sqlite")
        app, around = _app(banks, progress), _app(whole, progress)
        shown, index = _asked(around, do="map"), _asked(around, do="index")
        for part, name in (("chapters", "name"), ("figures", "chapter")):
            shown["map"][part] = [each for each in shown["map"][part] if each[name] in banks.chapters]
        chapters = shown["map"]["chapters"]
        if banks is not whole:
            names = (*banks.chapters, *(f"figures/{each['name']}" for each in shown["map"]["figures"]))
            places = tuple(f"#/{name}" for name in names)
            index["index"] = [each for each in index["index"] if each["to"].startswith(places)]
        first = {
            "settings": settings,
            "banks": {name: there[banks.of(name).folder] for name in banks.chapters},
            "map": shown,
            "record": _asked(app, do="record"),
        }
        first["map"]["map"] |= link_to(out)
        index["index"] += entries_of(out)
        figures = {each["name"]: _figure(app, each["name"]) for each in first["map"]["map"]["figures"]}
        files: Files = {"first.json": _json(first), "index.json": _json(index),
                        "figures.json": _json(figures)}  # fmt: skip
        for chapter in chapters:
            found = dict(_chapter(app, chapter))
            files[f"chapters/{chapter['name']}.json"] = _json(found)
        needed = {digest for reply in _opened(files) for digest in reply["scripts"]}
    files |= {f"scripts/{digest}.json": _json(script_reply({"digest": digest})) for digest in sorted(needed)}
    return files


def _app(banks: Banks, progress: Path) -> App:
    session = Session.of(banks)
    vars(session)["journal"] = Journal(ProgressFile(progress))
    return App(session)


def _opened(files: Files) -> Iterator[Data]:
    for name, data in files.items():
        if name.startswith("chapters/"):
            yield from json.loads(data)["open"].values()


def _chapter(app: App, chapter: Data) -> Iterator[tuple[str, Data]]:
    """Yield the replies about a chapter: its sections, and its questions as a new student sees them."""
    name = chapter["name"]
    sections = [step["id"] for step in chapter["steps"] if step["type"] == "section"]
    yield "section", {step: _asked(app, do="section", chapter=name, step=step) for step in (*sections, END)}
    problems = [step["problem"] for step in chapter["steps"] if step["type"] == "problem"]
    yield "open", {problem: _asked(app, do="open", problem=problem, seed=SEED) for problem in problems}


def _figure(app: App, name: str) -> Data:
    """Return the replies about an interactive figure at its initial settings."""
    moving = _asked(app, do="moving", name=name)
    start = moving["element"]["start"]
    return {"moving": moving, "settings": start, "figure": _asked(app, do="figure", name=name, settings=start)}


def _asked(app: App, **request: Any) -> Data:
    reply = app.reply(request)
    if "error" in reply:
        raise ShardwiseError(re.sub("<[^>]*>", "", reply["error"]).strip())
    return reply


def lesson_figures(banks: Banks) -> Files:
    """Return the figures of the lessons."""
    found: Files = {}
    for name in banks.chapters:
        folder = banks.of(name).lessons / name
        for path in sorted((folder / "figures").glob("*")):
            if path.is_file() and not path.name.startswith("."):
                found[f"figures/{name}/{path.name}"] = figure_of(folder, path.name)
    return found


def _page(page: str, folder: str) -> str:
    """Return the app's page for a site, with its content security policy."""
    page = re.sub(r'(src|href)="(?!https?:|data:|#)(?:\./)?([^"]+)"', rf'\1="{folder}/\2"', page)
    page = page.replace('data-host="server"', 'data-host="site"')
    return with_policy(page, _POLICY)


def with_policy(page: str, policy: str) -> str:
    """Return a page with its content security policy."""
    return page.replace("<head>", f'<head>\n<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _digest(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name, data in sorted(files.items()):
        digest.update(f"{name}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()[:12]
