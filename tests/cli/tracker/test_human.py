"""``study people`` of trackers as a user types it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from ...studies.few_shots import gold, predicted, write
from ..invoke import Cli

COMMAND = "study people"

MEASURES = ("--measure", "JGA", "--measure", "FGA(lam=0.5)", "--measure", "GCA")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tmp_path_factory.mktemp("human") / "predictions.json", predicted(gold(), 0.3, 1)))


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
        out = cli(file, "--sheet", str(path), "--quiet")[1]
        assert out.startswith("CANNOT TELL how measures agree with people: ")
        assert "nan" not in out


def test_from_sheets_to_study(cli: Cli, file: str, tmp_path: Path) -> None:
    sheet, ratings = tmp_path / "sheet.csv", tmp_path / "ratings.csv"
    _, out, err = cli(file, "--make-sheet", sheet, "--limit", "12")
    assert out.startswith("12 dialogues in ")
    assert "--sheet" in out.partition("next  dialmeter study people ")[2]
    assert "the file has no utterances" in err
    assert "the file has no ratings" in cli.refused(file, "--sheet", sheet)
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"), newline="")))
    copies, lines = [], []
    for rater in range(3):
        own = [{**row, "rating": str(1 + (number + rater * 3) * 7 % 5)} for number, row in enumerate(rows)]
        own[-1]["rating"] = "" if rater == 2 else "3"
        copies.append(tmp_path / f"rater{rater}.csv")
        with copies[-1].open("w", encoding="utf-8", newline="") as out_file:
            writer = csv.DictWriter(out_file, rows[0])
            writer.writeheader()
            writer.writerows(own)
        lines += [f"{row['dialogue']},rater{rater},{row['rating']}" for row in own]
    ratings.write_text("\n".join(["dialogue,rater,rating", *lines]))
    sheets = [word for path in copies for word in ("--sheet", path)]
    direct = cli.json(file, *sheets, *MEASURES)
    through = cli.json(file, "--sheet", ratings, *MEASURES)
    assert direct["scores"] == through["scores"]
    assert (direct["counts"]["matched"], direct["counts"]["raters"]) == (12, 3)
    assert "1 rows of the sheets have no rating" in [each["message"] for each in direct["warnings"]]
    copies[0].write_text(copies[0].read_text("utf-8").replace(",,1-5", "9,,1-5"))
    assert f"{copies[0]}: line " in cli.refused(file, *sheets)


def test_make_sheet_json(cli: Cli, file: str, tmp_path: Path) -> None:
    found = cli.json(file, "--make-sheet", tmp_path / "s.html")
    assert found["counts"] == {"dialogues": 25}
    assert [warning["code"] for warning in found["warnings"]] == ["all-dialogues", "no-utterances"]
    assert found["scores"] == []
    assert "already exists" in cli.refused(file, "--make-sheet", tmp_path / "s.html")
    cli(file, "--make-sheet", tmp_path / "s.html", "--force")
    assert "--make-sheet names the file" in cli.refused(file, "--make-sheet", tmp_path / "t.html", "-o", tmp_path / "r")


def test_undecided_ratings(cli: Cli, file: str, tmp_path: Path) -> None:
    path = tmp_path / "same.csv"
    path.write_text("dialogue,ann\n" + "".join(f"MUL{number:04},3\n" for number in range(20)))
    out = cli(file, "--sheet", str(path), "--quiet", "-v", *MEASURES).out
    assert "no lambda agrees best with the ratings: the rating is constant, so nothing correlates with it" in out
