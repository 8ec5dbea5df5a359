"""Output that people copy: whole signatures, and CSV with one number per cell."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path

import pytest

from ..golden.goldens import make_town
from ..viewer.made import case_lines
from .invoke import call
from .samples import TOWN, native_lines, written

FEW = ("--measure", "JGA", "--measure", "SA", "--measure", "FGA(lam=0.5)")
COMMANDS = {
    "score": ("tracker", "score", "native.jsonl", "--resamples", "100", *FEW, "--by", "domain"),
    "compare": ("tracker", "compare", "native.jsonl", "worse.jsonl", "--resamples", "100", *FEW, "--by", "slot"),
    "curve": ("tracker", "curve", "few", "--resamples", "100", *FEW),
    "zero": ("tracker", "curve", "zero", "--resamples", "100", *FEW),
    "bias": ("tracker", "bias", "native.jsonl", "--resamples", "100", *FEW),
    "human": ("tracker", "human", "native.jsonl", "--ratings", "ratings.csv", *FEW),
    "rules": ("tracker", "rules", "native.jsonl"),
    "user score": ("user", "score", "agenda.jsonl", "--profile", "town"),
    "user compare": ("user", "compare", "agenda.jsonl", "forgetful.jsonl", "--profile", "town", "--resamples", "100"),
    "judge score": ("judge", "score", "judged.jsonl", "--judge", "overlap", "--judge", "distinct"),
    "system score": ("system", "score", "logs/tau.json", "--resamples", "100"),
}
SCORES = ("score", "compare", "user score", "judge score", "system score")
NUMBERS = ("value", "low", "high", "n", "difference", "difference_low", "difference_high", "p", "p_holm", "ratio")
NUMBER = re.compile(r"-?\d+(\.\d+)?")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_town(tmp_path_factory.mktemp("town") / "files")
    written(folder / "judged.jsonl", case_lines())
    return folder


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "csv"])
@pytest.mark.parametrize("name", COMMANDS)
def test_no_signature_is_cut(
    name: str, style: str, made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    result = call(capsys, *COMMANDS[name], "--as", style, "--quiet")
    assert result.code == 0
    assert "…|" not in result.out
    if name in ("score", "compare", "curve"):
        assert ("SA|rules:dialmeter|" if style == "csv" else "JGA,SA,FGA(lam=0.5)") in result.out
        assert re.search(r"\|K:\d" if style == "csv" else r"\|K\(SA\):\d", result.out)


@pytest.mark.parametrize("name", ["score", "compare", "curve", "zero", "human", "rules", "user score", "user compare"])
def test_csv_has_one_number_per_cell(
    name: str, made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    out = call(capsys, *COMMANDS[name], "--as", "csv", "--quiet").out
    for part in out.split("\n\n"):
        rows = list(csv.DictReader(io.StringIO(part)))
        assert rows
        for row in rows:
            assert None not in row
            assert None not in row.values()
            for key in NUMBERS:
                assert not row.get(key) or NUMBER.fullmatch(row[key]), (key, row[key])
            if row.get("value") and "measure" in row:
                assert 0 <= float(row["value"]) <= 1
                assert row["signature"].startswith(row["measure"])


@pytest.mark.parametrize("name", SCORES)
def test_csv_and_text_have_the_scores_of_json(
    name: str, made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    rows = list(csv.DictReader(io.StringIO(call(capsys, *COMMANDS[name], "--as", "csv", "--quiet").out)))
    text = call(capsys, *COMMANDS[name], "--quiet").out
    scores = call(capsys, *COMMANDS[name], "--json", "--quiet").json["scores"]
    assert scores
    groups = [key for key in ("system", "measure", "domain", "slot", "judge", "attack", "signature") if key in rows[0]]
    assert [[row[key] for key in groups] for row in rows] == [[each.get(key, "") for key in groups] for each in scores]
    for row, each in zip(rows, scores, strict=True):
        numbers = [each["value"], *(each["ci"] or (None, None))]
        assert [row["value"], row["low"], row["high"]] == ["" if n is None else f"{n:.6f}" for n in numbers]
        assert (row["n"], row["unscored"]) == (str(each["n"]), str(each["unscored"]))
        if each["value"] is not None:
            assert f"{100 * each['value']:.{1 if name == 'judge score' else 2}f}" in text


def test_csv_has_the_differences_of_json(
    made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    rows = list(csv.DictReader(io.StringIO(call(capsys, *COMMANDS["compare"], "--as", "csv", "--quiet").out)))
    versus = call(capsys, *COMMANDS["compare"], "--json", "--quiet").json["versus"]
    assert [(row["difference"], row["p_holm"], row["losses"]) for row in rows if row["base"]] == [
        (f"{each['difference']:.6f}", f"{each['p_holm']:.6f}", str(each["losses"])) for each in versus
    ]


def test_no_cell_is_a_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [written(tmp_path / name / "p.jsonl", native_lines(TOWN)) for name in ("a", "b")]
    names = ("=HYPERLINK(1)", "-2+3")
    words = [word for name in names for word in ("--name", name)]
    result = call(capsys, "tracker", "compare", *files, *words, "--as", "csv", "--quiet", "--resamples", "100")
    cells = [cell for row in csv.reader(io.StringIO(result.out)) for cell in row]
    assert {"'=HYPERLINK(1)", "'-2+3"} <= set(cells)
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@")) and not NUMBER.fullmatch(cell)]


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
def test_systems_are_named_by_what_differs_in_their_paths(
    files: list[str],
    names: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
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
    found = call(capsys, "tracker", "compare", *files, "--measure", "JGA", "--resamples", "100", "--json", "-q").json
    assert [score["system"] for score in found["scores"]] == names


def test_the_result_comes_first(
    made: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    words = (
        "agenda.jsonl",
        "agenda.jsonl#keyword",
        "--measure",
        "JGA",
        "--measure",
        "GCA",
        "--resamples",
        "1000",
        "-q",
    )
    result = call(capsys, "tracker", "compare", *words).out
    found = call(capsys, "tracker", "compare", *words, "--json").json["versus"]
    lines = result.splitlines()
    assert lines[0].startswith(("WORSE: keyword is worse than agenda by ", "CANNOT TELL: keyword is "))
    [measures] = [line for line in lines if line.startswith("keyword against agenda: ")]
    for each in found:
        if each["p_holm"] < 0.05:
            assert f"{each['measure']} ({100 * each['difference']:+.2f})" in measures
    assert lines[lines.index(measures) + 2].startswith("measure")
    assert "P values are corrected by Holm over 2 tests (2 measures, 1 pair)." in lines
    three = ("native.jsonl", "worse.jsonl", "worst.jsonl", "--measure", "JGA", "--resamples", "100", "-q")
    assert "Holm over 2 tests (1 measure, 2 pairs)" in call(capsys, "tracker", "compare", *three).out
    letters = call(capsys, "tracker", "compare", *three, "--marks", "letters", "--as", "markdown").out
    assert "Holm over 3 tests (1 measure, 3 pairs)" in letters
    assert letters.startswith("- CANNOT TELL: worse is ")
