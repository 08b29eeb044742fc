"""The documentation of a site: the app links to it, and its entries are checked before the search gets them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from shardwise.app.site.documentation import entries_of, link_to
from shardwise.errors import ShardwiseError

ENTRY = {"type": "page", "title": "Office hours", "about": "Course", "text": "Mondays", "to": "docs/hours.html"}


def write(site: Path, name: str, text: str) -> None:
    (site / "docs").mkdir(exist_ok=True)
    (site / "docs" / name).write_text(text, "utf-8")


def test_a_site_without_documentation_has_no_link_and_no_entries(tmp_path: Path) -> None:
    assert (link_to(tmp_path), entries_of(tmp_path)) == ({}, [])


def test_documentation_is_linked_and_its_entries_are_found(tmp_path: Path) -> None:
    write(tmp_path, "index.html", "<h1>Course</h1>")
    write(tmp_path, "index.json", json.dumps([ENTRY]))
    assert link_to(tmp_path) == {"docs": "docs/index.html"}
    assert entries_of(tmp_path) == [ENTRY]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no JSON", "is not a list of entries for the search: Invalid JSON"),
        (json.dumps([ENTRY, {**ENTRY, "to": "https://example.org/"}]), "1.to: String should match pattern"),
        (json.dumps([{**ENTRY, "title": None}]), "0.title: Input should be a valid string"),
    ],
)
def test_entries_that_cannot_be_used_are_reported_with_their_place(tmp_path: Path, text: str, fault: str) -> None:
    write(tmp_path, "index.json", text)
    with pytest.raises(ShardwiseError, match=re.escape(fault)):
        entries_of(tmp_path)
