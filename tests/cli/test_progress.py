"""Without a terminal, progress has at most one line per 10 % of the whole command. A comparison starts with its result."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dialmeter.cli.progress import showing_progress
from dialmeter.judges.ask import score_cases
from dialmeter.judges.builtin.surface import Length
from dialmeter.progress import track_count

from ..judges.made import cases
from .invoke import call
from .samples import native_lines, written

LINE = re.compile(r"^scoring: (\d+) % ", re.MULTILINE)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    turns = [{"gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west"}, "user": "x" * 40}]
    return written(tmp_path / "large.jsonl", native_lines({f"d{number}": turns for number in range(7000)}))


def percents(said: str) -> list[int]:
    return [int(each) for each in LINE.findall(said)]


@pytest.mark.parametrize("systems", [2, 3])
def test_ten_lines_for_several_files(
    systems: int, large: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [written(tmp_path / f"{number}.jsonl", large.read_bytes()) for number in range(systems)]
    said = call(capsys, "compare", *files, "--measure", "JGA", "--set", f"resamples={100}")
    assert said.code == 0, said.err
    found = percents(said.err)
    assert found == sorted(set(found))
    assert 3 < len(found) <= 10
    assert f"file {systems} of {systems}" in said.err
    assert said.out.startswith("CANNOT TELL: " if systems == 2 else "JGA: 1, 2 not told apart from 0.\n")


def test_no_lines_for_small_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [{"gold": {"hotel-area": "east"}, "pred": {"hotel-area": "west"}}]
    files = [written(tmp_path / f"{number}.jsonl", native_lines({"d": turns, "e": turns})) for number in range(5)]
    said = call(capsys, "compare", *files, "--measure", "JGA", "--set", f"resamples={100}")
    assert (said.code, percents(said.err)) == (0, [])


def test_one_file(large: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = call(capsys, "score", large, "--set", f"ci={0}", "--measure", "JGA")
    found = percents(said.err)
    assert found == sorted(set(found))
    assert 3 < len(found) <= 10
    assert "file 1" not in said.err


def test_counts(capsys: pytest.CaptureFixture[str]) -> None:
    with showing_progress(quiet=False):
        for _ in track_count(range(1000), 1000, "scoring", "files"):
            assert list(track_count("ab", 2, "reading")) == ["a", "b"]
    assert percents(said := capsys.readouterr().err) == list(range(10, 101, 10))
    assert said.startswith("scoring: 10 % (100 of 1,000 files)\n")
    with showing_progress(quiet=True):
        assert list(track_count(range(20), 20, "scoring")) == list(range(20))
    assert list(track_count(range(20), 20, "scoring")) == list(range(20))
    assert capsys.readouterr().err == ""


class Batched(Length):
    batch_size = 48


def test_replies_of_several_judges(capsys: pytest.CaptureFixture[str]) -> None:
    with showing_progress(quiet=False):
        score_cases(cases(), dict.fromkeys("abcde", Length()))
        assert capsys.readouterr().err == ""
        score_cases(cases(), dict.fromkeys("abcde", Batched()))
    assert re.findall(r"scoring: (\d+ % \(.*)", capsys.readouterr().err) == [
        f"{10 * number} % ({48 * number} of 480, {name})" for number, name in enumerate("aabbccddee", 1)
    ]
