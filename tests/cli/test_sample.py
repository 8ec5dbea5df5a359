"""The sample: the same files for everybody, and existing files are not replaced without --force."""

from __future__ import annotations

from pathlib import Path

import pytest

from dialmeter.cli.demo import ABOUT, ATTACKS, CASES

from .invoke import Cli, call_process, files_in


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sample") / "files"
    result = call_process("sample", made, PYTHONHASHSEED="1")
    assert result.code == 0, result.err
    assert all(name in result.out for name in ABOUT)
    return made


def test_all_files_are_there_and_nothing_else(folder: Path) -> None:
    found = files_in(folder)
    assert {f"{name.split('/')[0]}/" if "/" in name else name for name in found} == set(ABOUT)
    assert all(found.values())


def test_same_bytes_again_and_no_other_file_is_lost(folder: Path, cli: Cli) -> None:
    before = files_in(folder)
    (folder / "mine.txt").write_text("mine", "utf-8")
    assert cli.refused("sample", folder).endswith("base.jsonl: already exists; use --force to replace it")
    cli("sample", folder, "--force", "--quiet")
    assert files_in(folder) == {**before, "mine.txt": b"mine"}
    (folder / "mine.txt").unlink()


def test_users_and_cases_of_documented_commands(folder: Path, tmp_path: Path, cli: Cli) -> None:
    for user in ("agenda", "forgetful"):
        out = tmp_path / f"{user}.jsonl"
        options = ("--goals", "200", "--noise", "0.1", "--seed", "7", "--workers", "1")
        cli("user", "play", "--user", user, *options, "--out", out)
        assert out.read_bytes() == (folder / out.name).read_bytes()
    attacks = [word for name in ATTACKS for word in ("--attack", name)]
    made = ("--light", "--no-cache", "--cases", str(CASES), "--out", tmp_path / "cases.jsonl")
    cli("judge", "attack", folder / "agenda.jsonl", *attacks, *made)
    assert (tmp_path / "cases.jsonl").read_bytes() == (folder / "cases.jsonl").read_bytes()
    for name, tracker in (("new.jsonl", ""), ("base.jsonl", "#keyword")):
        cli("convert", f"{folder / 'agenda.jsonl'}{tracker}", tmp_path / name)
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_file_in_place_of_folder_is_refused(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert cli.refused("sample", tmp_path / "file").endswith("file: cannot be written: Not a directory")
