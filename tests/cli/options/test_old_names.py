"""The old name of an option works, with one warning that --quiet suppresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..invoke import call
from ..samples import native_lines, written
from ..user_samples import users

WARNING = "warning: {} is renamed to {}; the old name will be removed in 0.2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    turns = [{"gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west"}, "user": "in the east"}]
    return written(tmp_path / "states.jsonl", native_lines({"d1": turns, "d2": turns}))


def test_the_old_name_gives_the_same_output(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = call(capsys, "tracker", "score", file, "--show", "d1", "--show", "d2")
    new = call(capsys, "tracker", "score", file, "--dialogue", "d1", "--dialogue", "d2")
    assert (old.code, old.out) == (new.code, new.out) == (0, new.out)
    assert old.err == WARNING.format("--show", "--dialogue") + new.err
    quiet = call(capsys, "tracker", "score", file, "--show", "d1", "--quiet")
    assert (quiet.code, quiet.err) == (0, "")


def test_a_flag(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tracker", "bias", file, "--resamples", "100", "--json")
    old, new = call(capsys, *words, "--rows"), call(capsys, *words, "--all-dialogues")
    assert (old.out, len(old.json["dialogues"])) == (new.out, 2)
    assert WARNING.format("--rows", "--all-dialogues") in old.err


def test_values_is_the_old_name_of_map(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = call(capsys, "user", "check", users(tmp_path), "--values", "multiwoz")
    assert (old.code, old.err) == (0, WARNING.format("--values", "--map"))
    assert "no value map 'x'" in call(capsys, "user", "check", users(tmp_path), "--values", "x").complaint


def test_a_number_is_checked_as_before(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "tracker", "compare", file, "--disagree", "JGA", "--disagree", "GCA", "--most", "0")
    assert said.code == 2
    assert "'--limit': 0 is not in the range x>=1" in said.complaint


def test_both_names(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "tracker", "score", file, "--dialogue", "d1", "--show", "d2")
    assert said.code == 2
    assert said.complaint.startswith("--show is the old name of --dialogue; give only --dialogue")


def test_a_flag_that_took_the_value_of_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    talk = users(tmp_path)
    call(
        capsys,
        "judge",
        "attack",
        talk,
        "--light",
        "--no-cache",
        "--attack",
        "identical",
        "--cases",
        "2",
        "--out",
        cases,
    )
    old = call(capsys, "judge", "validity", cases, "--make-sheet", "--out", tmp_path / "old.csv")
    assert (old.code, old.err) == (0, WARNING.format("--make-sheet --out", "--make-sheets"))
    assert call(capsys, "judge", "validity", cases, "--make-sheets", tmp_path / "new.csv").code == 0
    assert (tmp_path / "old.csv").read_bytes() == (tmp_path / "new.csv").read_bytes()
    bare = call(capsys, "judge", "validity", cases, "--make-sheet")
    assert bare.code == 2
    assert bare.complaint.startswith("--make-sheet is renamed to --make-sheets FILE")
