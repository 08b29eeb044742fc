"""A bank that a shardwise.toml names is code: it runs only after the user has agreed, or has named it."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from checkout import ROOT
from shardwise.cli import trust
from shardwise.cli.main import app


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: somebody's repository, whose code leaves a trace when it runs."""
    folder = Path(shutil.copytree(ROOT / "examples" / "bank", tmp_path / "theirs"))
    for reference in (folder / "solutions").glob("*.py"):
        reference.write_text(
            reference.read_text("utf-8") + f"\nopen({str(tmp_path / 'ran')!r}, 'w').close()\n", "utf-8"
        )
    monkeypatch.delenv("SHARDWISE_BANK", raising=False)
    monkeypatch.delenv(trust.VARIABLE)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(folder)
    return folder


def show(*more: str) -> Result:
    return CliRunner().invoke(app, ["show", "monthly-payment", *more])


def test_no_command_runs_it_before_somebody_agreed(bank: Path, tmp_path: Path) -> None:
    done = show()
    assert f"names the bank {bank}, whose code this command would run" in str(done.exception)
    assert not (tmp_path / "ran").exists()


def test_a_named_bank_runs(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert show("--bank", ".").exit_code == 0
    monkeypatch.setenv(trust.VARIABLE, str(bank))
    assert show().exit_code == 0


def test_trust_is_asked_for_once(bank: Path, tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["trust", "."]).exit_code == 0
    assert show().exit_code == 0
    [register] = (tmp_path / "config").rglob("trusted-banks.json")
    assert stat.S_IMODE(register.stat().st_mode) == 0o600


def test_a_folder_without_a_bank_is_reported_before_trust_is_asked_for(bank: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["trust", str(tmp_path)])
    assert f"{tmp_path} is not a bank: it has no folder problems/." in str(done.exception)
    assert not [*(tmp_path / "config").rglob("trusted-banks.json")]
    (bank / "shardwise.toml").write_text('bank = ["nowhere"]')
    assert f"names the bank {bank / 'nowhere'}, which does not exist" in str(show().exception)


def test_a_folder_that_somebody_else_put_in_its_place_is_asked_about(
    bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust.trust_folder(bank)
    known = {str(bank): os.stat(bank).st_uid + 1}
    monkeypatch.setattr(trust, "_known", lambda: known)
    assert "shardwise trust" in str(show().exception)


def test_the_bank_that_is_installed_from_this_checkout_is_trusted(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert CliRunner().invoke(app, ["list"]).exit_code == 0
