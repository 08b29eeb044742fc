"""File names: names that Windows or a Mac cannot distinguish are refused everywhere, and nothing is overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardwise.bank.bank import Bank
from shardwise.bank.chapters import bad_slug
from shardwise.bank.scaffold import init_bank
from shardwise.course.assigning.assignments import SetDefinition, assign
from shardwise.course.assigning.roster import Student, load_roster
from shardwise.errors import Faulty, ShardwiseError
from shardwise.file_names import is_device
from shardwise.grading.feedback_page import file_of

KEY = b"k" * 32
DEVICES = ("CON", "nul", "aux.txt", "Com1", "lpt9.ipynb")


def a_set(name: str) -> SetDefinition:
    return SetDefinition.model_validate({"name": name, "title": "Week 1", "problems": ["bytes-per-gpu"]})


@pytest.mark.parametrize("name", DEVICES)
def test_a_windows_device_cannot_name_a_student_or_a_set(name: str, tmp_path: Path) -> None:
    roster = tmp_path / "roster.csv"
    roster.write_text(f"student\nada\n{name}\nbo.\n")
    with pytest.raises(Faulty) as refused:
        load_roster(roster)
    assert [fault.message for fault in refused.value.faults] == [
        f"student {name!r} cannot be a file name, because it is a device on Windows",
        "student 'bo.' ends with a dot, which Windows drops",
    ]
    assert all(fault.remedy for fault in refused.value.faults)
    with pytest.raises(ValueError, match="device on Windows"):
        a_set(name)


def test_a_windows_device_cannot_name_a_problem_or_a_bank(tmp_path: Path) -> None:
    assert "device" in bad_slug("con") and "device" in bad_slug("lpt1")
    assert not bad_slug("console")
    with pytest.raises(ShardwiseError, match="Cannot create NUL: on Windows that is a device"):
        init_bank(tmp_path / "NUL")
    assert not list(tmp_path.iterdir())


def test_the_page_of_a_practice_student_named_like_a_device_has_another_name() -> None:
    assert not any(is_device(part) for part in file_of("nul", "aux").split("/"))
    assert file_of("week-1", "ada") == "week-1/ada.html"


def test_names_that_differ_only_in_an_accents_encoding_have_separate_pages() -> None:
    assert file_of("", "Zoe\u0301") != file_of("", "Zo\u00e9")


def test_a_different_spelling_is_not_another_student(whole_bank: Bank, tmp_path: Path) -> None:
    done = assign(whole_bank, a_set("week-1"), [Student("ada", "Ada")], KEY, tmp_path)
    before = done.lock.read_bytes()
    with pytest.raises(ShardwiseError, match="The roster has 'Ada', but the lock file has 'ada'"):
        assign(whole_bank, a_set("week-1"), [Student("Ada", "Ada"), Student("bo", "Bo")], KEY, tmp_path)
    assert done.lock.read_bytes() == before
    assert [path.name for path in (tmp_path / "notebooks").iterdir()] == ["ada"]
