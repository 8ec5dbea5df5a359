"""``tracker human`` as a user types it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ...studies.few_shots import gold, predicted, write
from ..invoke import Cli

COMMAND = "study people"

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


def test_json_fits_its_schema(cli: Cli, file: str, ratings: str) -> None:
    found = cli.json(file, "--sheet", ratings, *MEASURES)
    assert len(found["scores"]) == 9
    assert found["counts"] == {"dialogues": 25, "matched": 20, "only_rated": 1, "only_in_file": 5, "raters": 2}
    assert found["unmatched"]["only_rated"] == ["PMUL1"]
    assert len(found["unmatched"]["only_in_file"]) == 5
    assert len(found["pairs"]) == 3
    plain = cli.json(file, "--sheet", ratings, "--set", "ci=0")
    assert {score["ci"] for score in plain["scores"]} == {None}


def test_degenerate_ratings(cli: Cli, file: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    for rows, code in (
        ([f"MUL{number:04},3" for number in range(20)], "constant-ratings"),
        (["MUL0001,3", "MUL0002,4"], "few-dialogues"),
    ):
        path.write_text("\n".join(["dialogue,ann", *rows]))
        found = cli.json(file, "--sheet", str(path), *MEASURES)
        assert code in [warning["code"] for warning in found["warnings"]]
        assert {score["value"] for score in found["scores"]} == {None}
        assert all(score["reason"] for score in found["scores"])
        assert "nan" not in cli(file, "--sheet", str(path), "--quiet")[1]


def test_from_sheets_to_study(cli: Cli, file: str, tmp_path: Path) -> None:
    folder, out_file = tmp_path / "sheets", tmp_path / "ratings.csv"
    _, out, err = cli(file, "--make-sheet", str(folder), "--limit", "12", "--set", "raters=3")
    assert out == f"{folder}: 12 dialogues, 3 raters, 36 sheets\n"
    assert "the file has no utterances" in err
    err = cli("--sheet", str(folder), "--out", str(out_file), code=2).err
    assert "no sheet has a rating yet" in err
    sheets = sorted(folder.rglob("*.txt"))
    assert len(sheets) == 36
    for number, path in enumerate(sheets[:-1]):
        path.write_text(path.read_text().rstrip("\n") + f" {1 + number * 7 % 5}\n")
    _, out, err = cli("--sheet", str(folder), "--out", str(out_file))
    assert out == f"{out_file}: 12 dialogues, 3 raters, 35 ratings\n"
    assert f"1 of 36 sheets have no rating [rater3/{sheets[-1].name}]" in err
    cli("--sheet", str(folder), "--out", str(out_file), code=2)
    assert cli.json("--sheet", str(folder), "--out", str(out_file), "--force")["counts"]["ratings"] == 35
    direct = cli.json(file, "--sheet", str(folder), *MEASURES)
    through = cli.json(file, "--sheet", str(out_file), *MEASURES)
    assert direct["scores"] == through["scores"]
    assert direct["counts"]["matched"] == 12
    for path in sheets[:2]:
        path.write_text(path.read_text().rstrip("\n") + "9\n")
    err = cli("--sheet", str(folder), "--out", str(out_file), "--force", code=2).err
    assert [line.split(": ")[1] for line in err.splitlines()] == [str(path) for path in sheets[:2]]


def test_make_sheets_json(cli: Cli, file: str, tmp_path: Path) -> None:
    found = cli.json(file, "--make-sheet", str(tmp_path / "s"), "--set", "raters=1")
    assert found["counts"] == {"dialogues": 25, "raters": 1, "sheets": 25}
    assert [warning["code"] for warning in found["warnings"]] == ["all-dialogues", "no-utterances"]
    assert found["scores"] == []


def test_fitted_lambda_in_json(cli: Cli, file: str, ratings: str) -> None:
    found = cli.json(file, "--sheet", ratings, "--set", "fit-lambda", *MEASURES)["lambda_fit"]
    assert len(found["folds"]) == 10
    assert found["curve"][-1]["lam"] == "inf"
    assert [each["measure"] for each in found["rivals"]] == ["JGA", "FGA(lam=0.5)", "LocalAccuracy"]
    assert "lambda_fit" not in cli.json(file, "--sheet", ratings, *MEASURES)


def test_undecided_ratings(cli: Cli, file: str, tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("dialogue,ann\n" + "".join(f"MUL{number:04},3\n" for number in range(20)))
    out = cli(file, "--sheet", str(path), "--set", "fit-lambda", "--quiet", *MEASURES).out
    assert "no lambda agrees best with the ratings: the rating is constant, so nothing correlates with it" in out
