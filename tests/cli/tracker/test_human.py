"""``tracker human`` as a user types it."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ...studies.few_shots import gold, predicted, write
from .. import invoke

MEASURES = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--measure", "GCA")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("human") / "predictions.json", predicted(gold(), 0.3, 1)))


@pytest.fixture(scope="module")
def ratings(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("human") / "ratings.csv"
    draw = random.Random(1)
    lines = [f"MUL{number:04},{draw.randint(1, 5)},{draw.choice(['', 1, 4])}" for number in range(20)]
    path.write_text("\n".join(["dialogue,ann,bob", *lines, "PMUL1,3,3"]))
    return str(path)


def call(capsys: pytest.CaptureFixture[str], *words: str) -> invoke.CommandResult:
    return invoke.call(capsys, "tracker", "human", *words)


def document(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    return invoke.checked(call(capsys, *words, "--json", "--quiet"), "tracker-human")


def test_the_tables(capsys: pytest.CaptureFixture[str], file: str, ratings: str) -> None:
    code, out, err = call(capsys, file, "--ratings", ratings, *MEASURES)
    assert code == 0
    parts = out.split("\n\n")
    assert parts[0].endswith("20 of 25 dialogues rated  2 raters  rules dialmeter")
    assert [part.splitlines()[0] for part in parts[1:5]] == [
        "correlation with the mean rating, over dialogues",
        "agreement of raters",
        "Pearson by rater",
        "Pearson of the first minus Pearson of the second, Zou's interval",
    ]
    assert "rated, but not in the file: 1 dialogues [PMUL1]" in err
    assert "in the file, but not rated: 5 dialogues" in err
    assert "nan" not in out


def test_json_fits_its_schema(capsys: pytest.CaptureFixture[str], file: str, ratings: str) -> None:
    found = document(capsys, file, "--ratings", ratings, *MEASURES)
    assert len(found["scores"]) == 9
    assert found["counts"] == {"dialogues": 25, "matched": 20, "only_rated": 1, "only_in_file": 5, "raters": 2}
    assert found["unmatched"]["only_rated"] == ["PMUL1"]
    assert len(found["unmatched"]["only_in_file"]) == 5
    assert len(found["pairs"]) == 3
    plain = document(capsys, file, "--ratings", ratings, "--ci", "0")
    assert {score["ci"] for score in plain["scores"]} == {None}


@pytest.mark.parametrize("style", ["markdown", "latex", "csv"])
def test_other_styles(capsys: pytest.CaptureFixture[str], file: str, ratings: str, style: str) -> None:
    code, out, _ = call(capsys, file, "--ratings", ratings, *MEASURES, "--quiet", "--as", style)
    assert code == 0
    if style == "csv":
        for part in out.split("\n\n"):
            headings, *rows = list(csv.reader(io.StringIO(part)))
            assert len(set(headings)) == len(headings)
            assert {len(row) for row in rows} == {len(headings)}
    else:
        assert out.count(r"\begin{table" if style == "latex" else "\n|---") == 4


def test_degenerate_ratings_are_no_error(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    for rows, code in (
        ([f"MUL{number:04},3" for number in range(20)], "constant-ratings"),
        (["MUL0001,3", "MUL0002,4"], "few-dialogues"),
    ):
        path.write_text("\n".join(["dialogue,ann", *rows]))
        found = document(capsys, file, "--ratings", str(path), *MEASURES)
        assert code in [warning["code"] for warning in found["warnings"]]
        assert {score["value"] for score in found["scores"]} == {None}
        assert all(score["reason"] for score in found["scores"])
        assert "nan" not in call(capsys, file, "--ratings", str(path), "--quiet")[1]


def test_errors_are_one_line(capsys: pytest.CaptureFixture[str], file: str, ratings: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("dialogue,ann\nMUL0001,fine\n")
    other = tmp_path / "other.csv"
    other.write_text("dialogue,ann\nX1,3\n")
    cases = [
        ((file,), "give one of --ratings CSV, --make-sheets DIR and --read-sheets DIR"),
        ((file, "--ratings", ratings, "--make-sheets", "x"), "give one of"),
        (("--ratings", ratings), "give the prediction FILE"),
        (("--make-sheets", "x"), "give the prediction FILE"),
        (("--read-sheets", "x"), "give the prediction FILE"),
        ((file, "--ratings", ratings, "--out", "x"), "--out needs --read-sheets"),
        (
            (file, "--ratings", str(bad)),
            "bad.csv: line 2, dialogue MUL0001: the rating of ann must be a number or empty, not 'fine'",
        ),
        ((file, "--ratings", str(other)), "none of the 1 rated dialogues is in the file"),
        ((file, "--ratings", str(tmp_path / "none")), "no such file"),
        ((file, "--read-sheets", str(tmp_path / "none")), "no such folder"),
        ((file, "--make-sheets", str(tmp_path)), "is not an empty folder"),
        ((file, "--make-sheets", "x", "--scale", "5"), "a scale must be two increasing numbers"),
        ((file, "--ratings", ratings, "--ci", "95"), "--ci must be between 0 and 1"),
    ]
    for words, message in cases:
        code, out, err = call(capsys, *words)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_from_sheets_to_a_study(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    folder, out_file = tmp_path / "sheets", tmp_path / "ratings.csv"
    code, out, err = call(capsys, file, "--make-sheets", str(folder), "--sample", "12", "--raters", "3")
    assert (code, out) == (0, f"{folder}: 12 dialogues, 3 raters, 36 sheets\n")
    assert "the file has no utterances" in err
    code, _, err = call(capsys, "--read-sheets", str(folder), "--out", str(out_file))
    assert code == 2
    assert "no sheet has a rating yet" in err
    sheets = sorted(folder.rglob("*.txt"))
    assert len(sheets) == 36
    for number, path in enumerate(sheets[:-1]):
        path.write_text(path.read_text().rstrip("\n") + f" {1 + number * 7 % 5}\n")
    code, out, err = call(capsys, "--read-sheets", str(folder), "--out", str(out_file))
    assert (code, out) == (0, f"{out_file}: 12 dialogues, 3 raters, 35 ratings\n")
    assert f"1 of 36 sheets have no rating [rater3/{sheets[-1].name}]" in err
    assert call(capsys, "--read-sheets", str(folder), "--out", str(out_file))[0] == 2
    assert document(capsys, "--read-sheets", str(folder), "--out", str(out_file), "--force")["counts"]["ratings"] == 35
    direct = document(capsys, file, "--read-sheets", str(folder), *MEASURES)
    through = document(capsys, file, "--ratings", str(out_file), *MEASURES)
    assert direct["scores"] == through["scores"]
    assert direct["counts"]["matched"] == 12
    for path in sheets[:2]:
        path.write_text(path.read_text().rstrip("\n") + "9\n")
    code, _, err = call(capsys, "--read-sheets", str(folder), "--out", str(out_file), "--force")
    assert code == 2
    assert [line.split(": ")[1] for line in err.splitlines()] == [str(path) for path in sheets[:2]]


def test_make_sheets_says_what_it_did_in_json(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    found = document(capsys, file, "--make-sheets", str(tmp_path / "s"), "--raters", "1")
    assert found["counts"] == {"dialogues": 25, "raters": 1, "sheets": 25}
    assert [warning["code"] for warning in found["warnings"]] == ["all-dialogues", "no-utterances"]
    assert found["scores"] == []


def test_the_same_for_any_hash_seed_and_file_order(file: str, ratings: str, tmp_path: Path) -> None:
    document = json.loads(Path(file).read_text())
    mixed = write(tmp_path / "predictions.json", dict(random.Random(1).sample(sorted(document.items()), len(document))))
    outs, sheets = [], []
    for seed, path in (("0", file), ("1", str(mixed))):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        words = [sys.executable, "-m", "dialmeter", "tracker", "human", path]
        outs.append(
            subprocess.run([*words, "--ratings", ratings, "--json"], capture_output=True, check=True, env=env).stdout
        )
        folder = tmp_path / seed
        subprocess.run(
            [*words, "--make-sheets", str(folder), "--sample", "5"], capture_output=True, check=True, env=env
        )
        sheets.append({p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*.*"))})
    assert outs[0] == outs[1]
    assert sheets[0] == sheets[1]


@pytest.mark.parametrize("style", ["text", "markdown", "latex", "csv"])
def test_a_fitted_lambda(capsys: pytest.CaptureFixture[str], file: str, ratings: str, style: str) -> None:
    code, out, _ = call(capsys, file, "--ratings", ratings, "--fit-lambda", "--as", style, *MEASURES)
    assert code == 0
    if style == "csv":
        assert "\nlam,lam_low,lam_high,pearson,held_out," in out
        assert "\nlam,pearson\n0.000000," in out
        return
    assert "agrees best with the ratings, 95 % interval" in out.replace(r"\%", "%")
    assert "fitted on other dialogues" in out


def test_a_fitted_lambda_in_json(capsys: pytest.CaptureFixture[str], file: str, ratings: str) -> None:
    found = document(capsys, file, "--ratings", ratings, "--fit-lambda", *MEASURES)["lambda_fit"]
    assert len(found["folds"]) == 10
    assert found["curve"][-1]["lam"] == "inf"
    assert [each["measure"] for each in found["rivals"]] == ["JGA", "FGA(lam=0.5)", "LocalAccuracy"]
    assert "lambda_fit" not in document(capsys, file, "--ratings", ratings, *MEASURES)


def test_ratings_that_do_not_decide(capsys: pytest.CaptureFixture[str], file: str, tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("dialogue,ann\n" + "".join(f"MUL{number:04},3\n" for number in range(20)))
    code, out, _ = call(capsys, file, "--ratings", str(path), "--fit-lambda", "--quiet", *MEASURES)
    assert code == 0
    assert "no lambda agrees best with the ratings: the rating is constant, so nothing correlates with it" in out


@pytest.mark.parametrize("words", [("--make-sheets", "sheets"), ("--read-sheets", "filled", "--out", "made.csv")])
def test_a_lambda_needs_a_file_and_ratings(
    capsys: pytest.CaptureFixture[str], file: str, words: tuple[str, ...]
) -> None:
    given = [file] if "--make-sheets" in words else []
    result = call(capsys, *given, *words, "--fit-lambda")
    assert result.code == 2
    assert result.complaint == "--fit-lambda needs the prediction FILE and ratings"
