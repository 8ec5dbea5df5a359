"""Files of cases and of scores, sheets for readers, and their verdicts."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from dialmeter.errors import InputError
from dialmeter.judges.case_files import read_cases, read_scores
from dialmeter.judges.cases import case_id

from ..cli.invoke import Cli
from .made import cases, write_cases


def test_written_cases_can_be_read(tmp_path: Path) -> None:
    write_cases(tmp_path / "c.jsonl", cases())
    assert read_cases(tmp_path / "c.jsonl") == cases()
    with pytest.raises(InputError, match="no such file"):
        read_cases(tmp_path / "none.jsonl")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (None, "", "holds no cases"),
        (None, "{}", "line 1: not a case: Object missing required field attack"),
        (None, "not json", "line 1: not valid JSON: Expecting value (column 1)"),
        ('"expected":"lower"', '"expected":"worse"', "line 1: expected is 'worse', not one of lower, similar, at-most"),
        ('"facet":"coherence"', '"facet":"taste"', "line 1: facet is 'taste'"),
        ('"context":[', '"context":[], "rest": [', "line 1: a case needs a context"),
    ],
)
def test_cases_that_are_not_right(old: str | None, new: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    write_cases(path, cases(("speaker",), 1))
    path.write_text(new if old is None else path.read_text().replace(old, new))
    with pytest.raises(InputError) as raised:
        read_cases(path)
    assert message in str(raised.value)


def test_scores_by_number_and_by_id(tmp_path: Path) -> None:
    made = cases(("speaker",), 4)
    path = tmp_path / "s.csv"
    path.write_text(f"case, human, adversarial\n2, 0.5, 0.25\n{case_id(made[3])}, 1e3,\n")
    assert read_scores(path, made) == [(None, None), (0.5, 0.25), (None, None), (1000.0, None)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("case,human\n", "line 1: no column 'adversarial'"),
        ("case,human,adversarial\n9,1,2\n", "line 2: case '9' is not in the file of cases"),
        ("case,human,adversarial\n1,1,2\n1,1,2\n", "line 3: duplicate case '1'"),
        ("case,human,adversarial\n1,high,2\n", "line 2: human: expected a number, found 'high'"),
        ("case,human,adversarial\n1,1,nan\n", "line 2: adversarial: expected a number, found 'nan'"),
    ],
)
def test_scores_that_are_not_right(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(text)
    with pytest.raises(InputError) as raised:
        read_scores(tmp_path / "s.csv", cases(("speaker",), 4))
    assert message in str(raised.value)


def filled(sheet: Path, target: Path, verdicts: list[str]) -> Path:
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, verdict in zip(rows, verdicts, strict=True):
        row["verdict"], row["reason"] = verdict, "as it seems"
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return target


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_cases(tmp_path / "cases.jsonl", cases(("speaker", "repetition"), count=2))
    return tmp_path / "cases.jsonl"


def test_a_blind_sheet_is_shuffled_and_names_no_attack(file: Path, tmp_path: Path, cli: Cli) -> None:
    for seed in ("1", "2"):
        out = tmp_path / f"{seed}.csv"
        cli("study", "people", file, "--make-sheet", out, "--set", "blind", "--set", f"seed={seed}")
    sheets = [list(csv.DictReader(io.StringIO((tmp_path / f"{seed}.csv").read_text("utf-8")))) for seed in ("1", "2")]
    assert not {"attack", "variant"} & sheets[0][0].keys()
    assert {row["case"] for row in sheets[0]} == {row["case"] for row in sheets[1]}
    assert [row["case"] for row in sheets[0]] != [row["case"] for row in sheets[1]]


def test_verdicts_are_counted_and_two_readers_compared(file: Path, tmp_path: Path, cli: Cli) -> None:
    sheet = tmp_path / "sheet.csv"
    cli("study", "people", file, "--make-sheet", sheet)
    one = filled(sheet, tmp_path / "one.csv", ["valid", "valid", "weak", "Invalid"])
    two = filled(sheet, tmp_path / "two.csv", ["valid", "valid", "valid", ""])
    words = ["study", "people", file, "--sheet", one, "--sheet", two]
    found = cli.json(*words, "--out", tmp_path / "run")
    total = found["validity"][-1]
    assert (total["read"], total["valid"], total["weak"], total["invalid"]) == (7, 5, 1, 1)
    assert total["ci"] == pytest.approx([0.3589, 0.9178], abs=1e-3)
    assert found["account"]["unscored"] == 1
    # Both read three: they agree on two; by chance on (2·3)/9.
    assert found["agreement"] == [{"readers": [1, 2], "kappa": pytest.approx(0.0), "n": 3}]
    assert len(found["verdicts"]) == 7
    assert "[speaker]" not in (tmp_path / "run" / "document.json").read_text("utf-8")
    out = cli(*words).out
    assert out.startswith("71.43 % of 7 verdicts say that the case is valid, 35.89 to 91.78; the lowest is\n")
    assert "kappa  0.00 of readers 1 and 2 on 3 cases" in out
    assert "7 of 8 cases" in out


def test_a_page_to_click_on(file: Path, tmp_path: Path, cli: Cli) -> None:
    text = file.read_text("utf-8").replace("[speaker]", "<script>alert(1)</script>")
    file.write_text(text, "utf-8")
    cli("study", "people", file, "--make-sheet", tmp_path / "sheet.html")
    page = (tmp_path / "sheet.html").read_text("utf-8")
    assert page.count("<article ") == 4
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("case,word\na,valid", "no column 'verdict'"),
        ("case,verdict\nnone,valid", "case 'none' is not in the file of cases"),
        ("case,verdict\n", "has no verdicts: write valid"),
        (["valid", "fine", "", ""], "verdict must be one of valid, weak, invalid, not 'fine'"),
    ],
)
def test_invalid_sheets(lines: str | list[str], message: str, file: Path, tmp_path: Path, cli: Cli) -> None:
    sheet, bad = tmp_path / "sheet.csv", tmp_path / "bad.csv"
    cli("study", "people", file, "--make-sheet", sheet)
    if isinstance(lines, str):
        bad.write_text(lines)
    else:
        filled(sheet, bad, lines)
    assert message in cli.refused("study", "people", file, "--sheet", bad)
    cli("study", "people", file, code=2)
