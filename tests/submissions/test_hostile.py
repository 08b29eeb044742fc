"""Every attack works against an autograder without isolation, and none against ours, whose bystanders get what is due."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus import HOSTILE, Attack, corpus, load
from room import HONEST, Course
from trials import UNSTOPPED, Batch, Verdict, batch, open_seen, room_for

TIERS = ("1", pytest.param("1b", marks=pytest.mark.slow), pytest.param("2", marks=pytest.mark.slow))


def test_the_corpus_is_large_and_says_what_each_attack_is_and_how_success_shows() -> None:
    attacks = corpus()
    assert len(attacks) >= 60
    assert len(list(HOSTILE.iterdir())) - (HOSTILE / "__pycache__").exists() == len(attacks)
    for attack in attacks.values():
        assert attack.idea.endswith("."), attack.name
        assert attack.shows.startswith("It worked if "), attack.name
        assert attack.cell or attack.answers or attack.arrange, attack.name
    ideas = {(attack.cell, str(attack.answers), attack.arrange) for attack in attacks.values()}
    assert len(ideas) == len({attack.idea for attack in attacks.values()}) == len(attacks)


@pytest.mark.parametrize("source", ['"""An idea."""\n', '"""An idea.\n\nIt worked if it shows.\n"""\nCELL = "1"\n'])
def test_a_file_that_is_no_attack_is_refused_with_what_it_needs(tmp_path: Path, source: str) -> None:
    (tmp_path / "new_idea.py").write_text(source)
    with pytest.raises(ValueError, match=r"new_idea\.py needs a docstring .* and succeeded"):
        load(tmp_path / "new_idea.py")


def test_the_naive_grader_is_right_about_honest_students(course: Course) -> None:
    """Else it would prove nothing that attacks work against it."""
    with room_for(course, []) as room:
        seen = open_seen(room, None)
    assert not seen.harmed, seen.others
    assert seen.left == ()


def test_what_a_cell_raises_is_in_what_the_attacker_gets_to_see(course: Course) -> None:
    """Else no leak would ever show in the sandbox."""
    tells = Attack(
        name="reads_a_file",  # whose place in the class it takes
        idea="",
        shows="",
        succeeded=lambda seen: b"heard and seen" in seen.told and b"heard and seen" in seen.page,
        cell="raise RuntimeError('heard and ' + 'seen')",
    )
    assert batch(course, [tells], "1").verdicts == {"reads_a_file": Verdict(succeeded=True)}


@pytest.mark.slow
def test_without_the_sandbox_our_own_pipeline_is_attacked_with_success(course: Course) -> None:
    """So it is the sandbox that stops them, and the judges do notice."""
    found = batch(course, [load(HOSTILE / f"{name}.py") for name in UNSTOPPED], "none")
    assert {name for name, verdict in found.verdicts.items() if verdict.succeeded} == set(UNSTOPPED)
    assert "left behind" in found.complaint


@pytest.mark.slow
def test_it_works_in_the_open(attack: Attack, opened: dict[str, Verdict]) -> None:
    assert opened[attack.name].succeeded


@pytest.mark.parametrize("tier", TIERS)
def test_it_fails_in_the_sandbox_and_its_author_gets_what_is_due(
    attack: Attack, tier: str, batch_at: Callable[[str], Batch]
) -> None:
    verdict = batch_at(tier).verdicts[attack.name]
    assert not verdict.succeeded
    assert verdict.amiss == ""


@pytest.mark.parametrize("tier", TIERS)
def test_bystanders_in_the_same_batch_get_exactly_what_is_due(tier: str, batch_at: Callable[[str], Batch]) -> None:
    found = batch_at(tier)
    assert found.bystanders == dict.fromkeys(HONEST, "")
    assert found.complaint == ""
