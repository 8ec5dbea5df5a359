"""The demo and the sample: commands that work without extras, files that are the same for everybody."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from dialmeter.cli.demo import ABOUT, ATTACKS, CASES
from dialmeter.core.open_runs import open_run

from .invoke import Cli, CommandResult, call_process, files_in

RUNS = {
    "trackers": "study",
    "users": "study",
    "own": "tracker",
    "keyword": "tracker",
    "agenda": "user",
    "forgetful": "user",
    "judges": "judge",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo") / "out"


@pytest.fixture(scope="module")
def result(folder: Path) -> CommandResult:
    return call_process("demo", folder, "--quiet")


def test_it_ends_with_report_and_viewer(result: CommandResult, folder: Path) -> None:
    assert result.code == 0, result.err
    last = result.out.rstrip().splitlines()
    assert last[-2] == f"report: {folder / 'report.html'}"
    assert last[-1] == f"Explore every number: dialmeter view {shlex.quote(str(folder / 'runs'))}"
    assert 10_000 < (folder / "report.html").stat().st_size <= 2_000_000


def test_every_subject_leaves_run(result: CommandResult, folder: Path) -> None:
    assert {name: open_run(folder / "runs" / name).manifest["kind"] for name in RUNS} == RUNS


def test_measures_see_who_forgets(result: CommandResult, folder: Path) -> None:
    recall = {
        name: next(each["value"] for each in open_run(folder / "runs" / name).scores if each["measure"] == "I-recall")
        for name in ("agenda", "forgetful")
    }
    assert recall["forgetful"] < recall["agenda"] - 0.05


def test_printed_commands(result: CommandResult, cli: Cli) -> None:
    typed = [shlex.split(line)[2:] for line in result.out.splitlines() if line.startswith("$ dialmeter ")]
    assert [words[0] for words in typed].count("play") == 2
    again = next(words for words in typed if words[0] == "compare")
    assert cli(*again, "--quiet", "--force").out in result.out


def test_older_demo_kept(result: CommandResult, folder: Path, cli: Cli) -> None:
    assert "agenda.jsonl: already exists; use --force to replace it" in cli("demo", str(folder), code=2).err


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sample") / "files"
    result = call_process("demo", made, "--files-only", PYTHONHASHSEED="1")
    assert result.code == 0, result.err
    assert all(name in result.out for name in ABOUT)
    return made


def test_files_of_demo(sample: Path) -> None:
    found = files_in(sample)
    assert {f"{name.split('/')[0]}/" if "/" in name else name for name in found} == set(ABOUT)
    assert all(found.values())


def test_same_bytes_again(sample: Path, cli: Cli) -> None:
    before = files_in(sample)
    (sample / "mine.txt").write_text("mine", "utf-8")
    assert cli.refused("demo", sample, "--files-only").endswith("base.jsonl: already exists; use --force to replace it")
    cli("demo", sample, "--files-only", "--force", "--quiet")
    assert files_in(sample) == {**before, "mine.txt": b"mine"}
    (sample / "mine.txt").unlink()


def test_users_and_cases_of_documented_commands(sample: Path, tmp_path: Path, cli: Cli) -> None:
    for user in ("agenda", "forgetful"):
        out = tmp_path / f"{user}.jsonl"
        options = ("--goals", "200", "--set", "noise=0.1", "--set", "seed=7", "--workers", "1")
        cli("play", "--user", user, *options, "--out", out)
        assert out.read_bytes() == (sample / out.name).read_bytes()
    attacks = [word for name in ATTACKS for word in ("--attack", name)]
    made = ("--set", "light", "--limit", str(CASES), "--out", tmp_path / "cases.jsonl")
    cli("judge", "attack", sample / "agenda.jsonl", *attacks, *made)
    assert (tmp_path / "cases.jsonl").read_bytes() == (sample / "cases.jsonl").read_bytes()
    for name, tracker in (("new.jsonl", ""), ("base.jsonl", "#keyword")):
        cli("convert", f"{sample / 'agenda.jsonl'}{tracker}", tmp_path / name)
        assert (tmp_path / name).read_bytes() == (sample / name).read_bytes()


def test_file_instead_of_folder(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    assert cli.refused("demo", tmp_path / "file", "--files-only").endswith("file: cannot be written: Not a directory")
