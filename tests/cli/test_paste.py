"""Output that people copy: whole signatures, and CSV with one number per cell."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from .invoke import Cli
from .samples import TOWN, native_lines, written


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["runs/gpt-4.1.json", "runs/gpt-4.2.json.gz"], ["gpt-4.1", "gpt-4.2"]),
        (["2026/som/pred.jsonl", "2026/trade/pred.jsonl"], ["som", "trade"]),
        (["a/x/p.json", "b/x/p.json", "b/y/p.json"], ["a/x", "b/x", "b/y"]),
        (["a/p.json", "q.json"], ["p", "q"]),
        (["p.json", "p.jsonl"], ["p.json", "p.jsonl"]),
        (["p.jsonl", "p.jsonl#other"], ["p", "other"]),
        (["a.jsonl#x", "b.jsonl#x"], ["a", "b"]),
        (["../p.json", "p.json"], ["../p", "p"]),
    ],
)
def test_names_of_systems(
    files: list[str], names: list[str], tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    data = native_lines(TOWN)
    for file in files:
        path = Path(file.partition("#")[0])
        lines = data.replace(b'"pred"', f'"pred:{file.partition("#")[2]}"'.encode()) if "#" in file else data
        written(path, gzip.compress(lines) if path.suffix == ".gz" else lines)
    if files == ["p.jsonl", "p.jsonl#other"]:
        both = [
            {**json.loads(line), "turns": [{**t, "pred:other": {}} for t in json.loads(line)["turns"]]}
            for line in data.splitlines()
        ]
        written(Path("p.jsonl"), "".join(json.dumps(line) + "\n" for line in both))
    found = cli.json("compare", *files, "--measure", "JGA", "--set", "resamples=100", "-q")
    assert [score["system"] for score in found["scores"]] == names


def test_result_comes_first(town_files: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(town_files)
    words = [
        "agenda.jsonl",
        "agenda.jsonl#keyword",
        "--measure",
        "JGA",
        "--measure",
        "GCA",
        "--set",
        "resamples=1000",
        "-q",
    ]
    result = cli("compare", *words, "-v").out
    found = cli.json("compare", *words)["versus"]
    lines = result.splitlines()
    assert lines[0].startswith(("WORSE: keyword is worse than agenda by ", "CANNOT TELL: keyword is "))
    [measures] = [line for line in lines if line.startswith("keyword against agenda: ")]
    for each in found:
        if each["p_holm"] < 0.05:
            assert f"{each['measure']} ({100 * each['difference']:+.2f})" in measures
    assert lines[lines.index(measures) + 2].startswith("measure")
    assert "P values are corrected by Holm over 2 tests (2 measures, 1 pair)." in lines
    three = ("native.jsonl", "worse.jsonl", "worst.jsonl", "--measure", "JGA", "--set", "resamples=100", "-q", "-v")
    assert "Holm over 2 tests (1 measure, 2 pairs)" in cli("compare", *three).out
    letters = cli("compare", *three, "--latex", "marks=letters", "-f", "markdown").out
    assert "Holm over 3 tests (1 measure, 3 pairs)" in letters
    assert letters.startswith("- CANNOT TELL: worse is ")
