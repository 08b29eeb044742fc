"""The book's entries for the app's search, which replaces Sphinx's: a Sphinx extension that writes `index.json`.

An entry has the fields of the app's index: type, title, about, text, and where it leads, seen from the root of the site.
Lessons and references have none, since the app has better ones for sections, problems and formulas.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from book.sources import DOCUMENTS, FOLDER, place

FILE = "index.json"
ONLY_TITLES = {
    "docs/formulas.md",
    "docs/coverage.md",
    "docs/mutants.md",
}  # long lists of what the app's index has, or that nobody looks up

Entry = dict[str, str]


def entries(app: Sphinx) -> Iterator[Entry]:
    """Yield an entry for each section of the documents, in the order of the book."""
    for group, names in DOCUMENTS.items():
        for name in names:
            page = place(name).removesuffix(".md")
            first, *others = app.env.get_doctree(page).findall(nodes.section)
            address, title = f"{FOLDER}/{page}.html", first[0].astext()
            if name in ONLY_TITLES:
                yield _entry(title, group, "", address)
                continue
            yield _entry(title, group, _text(first), address)
            for section in others:
                yield _entry(section[0].astext(), title, _text(section), f"{address}#{section['ids'][0]}")


def _entry(title: str, about: str, text: str, to: str) -> Entry:
    return {"type": "page", "title": title, "about": about, "text": text, "to": to}


def _text(section: nodes.section) -> str:
    """Return the words of a section without its heading and its subsections."""
    own = (part for part in section if not isinstance(part, nodes.title | nodes.section))
    return " ".join(" ".join(leaf.astext() for part in own for leaf in part.findall(nodes.Text)).split())


def _without_search(app: Sphinx) -> None:
    app.builder.search = False  # type: ignore[attr-defined]  # no page and no index of Sphinx's own


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is None:
        (Path(app.outdir) / FILE).write_text(json.dumps(list(entries(app)), ensure_ascii=False), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace Sphinx's search by the entries."""
    app.connect("builder-inited", _without_search)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
