"""The book, built as `make book` builds it: no warning, no lost link, nothing from another host, and a search that finds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from book import sources
from checkout import checkout_bank

pytestmark = pytest.mark.slow  # half a minute


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    sources.main(folder / "source")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", folder / "source", folder / "html"]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_every_chapter_has_its_lesson_and_worked_examples(book: Path) -> None:
    for chapter, about in checkout_bank().chapters.items():
        page = (book / "problems" / chapter / "lesson.html").read_text("utf-8")
        assert "Problems with solutions" in page
        assert page.count('class="sd-sphinx-override sd-dropdown') == min(sources.EXAMPLES, len(about.problems))
        assert "<math" in page or chapter.startswith("16")


def test_nothing_is_asked_for_elsewhere_and_every_link_leads_somewhere(book: Path) -> None:
    for path in book.rglob("*.html"):
        page = path.read_text("utf-8")
        assert re.findall(r'<(?:script|img|link)[^>]+(?:src|href)="https?:', page) == [], path
        for target in re.findall(r'(?:href|src)="([^"]+)"', page):
            parts = urlsplit(target)
            if parts.scheme or not parts.path:
                continue
            to = (path.parent / unquote(parts.path)).resolve()
            assert to.exists(), f"{path.relative_to(book)} leads to {target}"
            if parts.fragment and to.suffix == ".html":
                assert f'id="{unquote(parts.fragment)}"' in to.read_text("utf-8"), f"{path.name} leads to {target}"


def test_a_link_to_a_reference_leads_to_its_source(book: Path) -> None:
    sheet = (book / "docs" / "formulas.html").read_text("utf-8")
    assert 'href="../solutions/ring/ring.html"' in sheet
    assert "def all_reduce_seconds" in re.sub(
        r"<[^>]+>", "", (book / "solutions" / "ring" / "ring.html").read_text("utf-8")
    )


def test_the_search_knows_the_words_of_the_lessons(book: Path) -> None:
    index = (book / "searchindex.js").read_text("utf-8")
    assert "problems/07-pipeline-parallelism/lesson" in index
    assert '"bubbl"' in index or "bubbl:" in index


def test_code_and_links_are_told_apart() -> None:
    pages = {"docs/a.md": "", "solutions/ring/ring.md": ""}
    text = "[`ring`](../solutions/ring/ring.py) `[x](../gone.md)` [gone](../gone.md#part)\n```text\n[a](../docs/a.md)\n```\n"
    assert sources._linked(text, "docs/a.md", pages) == (
        "[`ring`](../solutions/ring/ring.md) `[x](../gone.md)` gone\n```text\n[a](../docs/a.md)\n```\n"
    )
