"""Sheets for annotators: written, filled, and converted to a patch."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.cli.invoke import Cli
from tests.studies.audit.made import made_gold, made_trackers, spoilt, write_corpus, write_states

from dialmeter.tracking.gold_patch import load_patch

GOLD = made_gold()
FIRST = next(turn for turn, state in enumerate(GOLD["d03"]) if "hotel-area" in state)


Rows = list[dict[str, str]]


def _corpus(folder: Path) -> list[Path]:
    """Write gold with an error, and three trackers."""
    return write_corpus(folder, spoilt(GOLD, "d03", "hotel-area", FIRST, 4, "moon"), made_trackers(GOLD, 3), talk=True)


def _made(folder: Path, cli: Cli) -> Rows:
    sheet = folder / "sheet.csv"
    cli("tracker", "audit", *_corpus(folder), "--make-sheets", sheet, "--force")
    return list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"), newline="")))


def _write(path: Path, rows: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def _reading(out: Path, *sheets: Path) -> list[str | Path]:
    words = [word for sheet in sheets for word in ("--read-sheets", sheet)]
    return ["tracker", "audit", *words, "--out", out, "--force"]


def _signature(cli: Cli, gold: Path, *words: str | Path) -> str:
    said = cli.json("tracker", "score", gold.parent / "t00.jsonl", "--gold", gold, "--measure", "JGA", *words)
    return str(said["scores"][0]["signature"])


def test_round_trip(tmp_path: Path, cli: Cli) -> None:
    rows = _made(tmp_path, cli)
    first = rows[0]
    assert (first["dialogue"], first["slot"], first["gold"]) == ("d03", "hotel-area", "moon")
    assert "user: I want this: the hotel area is" in "".join(row["talk"] for row in rows)
    first["verdict"] = "wrong"
    rows[1]["verdict"] = "right"
    patch = tmp_path / "patch.json"
    found = cli.json(*_reading(patch, _write(tmp_path / "filled.csv", rows)))
    loaded = load_patch(str(patch))
    assert found["patch"] == loaded.digest
    assert found["verdicts"] == {"wrong": 1, "right": 1, "no verdict": len(rows) - 2}
    # Patched gold equals the gold before the error, also in the signature.
    right = write_states(tmp_path / "right.jsonl", "gold", GOLD)
    patched = _signature(cli, tmp_path / "gold.jsonl", "--patch", patch)
    assert f"patch:{loaded.digest}|" in patched
    assert patched.split("|data:")[1] == _signature(cli, right).split("|data:")[1]
    assert loaded.data in _signature(cli, tmp_path / "gold.jsonl")
    # An audit of the patched gold does not list the candidate again.
    again = cli.json("tracker", "audit", *_corpus(tmp_path), "--patch", patch)
    assert "moon" not in [each["gold"] for each in again["candidates"]]


def test_another_value_is_taken_from_the_sheet(tmp_path: Path, cli: Cli) -> None:
    rows = _made(tmp_path, cli)
    patch = tmp_path / "patch.json"
    for value in ("south", ""):
        rows[0] |= {"verdict": "other", "value": value}
        cli(*_reading(patch, _write(tmp_path / "filled.csv", rows)))
        assert {each.value for each in load_patch(str(patch)).corrections} == {value or None}


def test_annotators_must_agree(tmp_path: Path, cli: Cli) -> None:
    rows = _made(tmp_path, cli)
    rows[0]["verdict"] = rows[1]["verdict"] = "wrong"
    one = _write(tmp_path / "one.csv", rows)
    rows[1]["verdict"] = "right"
    other = _write(tmp_path / "other.csv", rows)
    patch = tmp_path / "patch.json"
    found = cli.json(*_reading(patch, one, other))
    assert (found["verdicts"]["wrong"], found["verdicts"]["disagreement"]) == (1, 1)
    assert {each.dialogue for each in load_patch(str(patch)).corrections} == {"d03"}
    assert load_patch(str(patch)).digest == cli.json(*_reading(patch, other, one))["patch"]


def test_what_is_refused(tmp_path: Path, cli: Cli) -> None:
    rows = _made(tmp_path, cli)
    out, sheet = tmp_path / "patch.json", tmp_path / "filled.csv"
    broken = {
        "verdict": ("maybe", "line 2: verdict must be one of wrong, other, right, inconsistent, unclear, not 'maybe'"),
        "changes": ("[]", "line 2: the column changes or key was edited; edit only verdict, value and note"),
        "key": (rows[1]["key"], "line 2: the column changes or key was edited; edit only verdict, value and note"),
    }
    for name, (cell, message) in broken.items():
        complaint = cli.refused(*_reading(out, _write(sheet, [{**rows[0], name: cell}, *rows[2:]])))
        # The talk of a row has several lines, and only the last line is reported.
        assert complaint.partition(", ")[0].partition(": line")[0] == str(sheet)
        assert complaint.endswith(message.partition(": ")[2])
    assert "duplicate candidate" in cli.refused(*_reading(out, _write(sheet, [rows[0], rows[0]])))
    sheet.write_text("a,b\n1,2\n")
    assert "no column 'verdict'" in cli.refused(*_reading(out, sheet))
    other = [{**row, "data": "0000000000"} for row in rows]
    sheets = _write(tmp_path / "a.csv", rows), _write(tmp_path / "b.csv", other)
    assert "was made for gold 0000000000" in cli.refused(*_reading(out, *sheets))
    needed = "--read-sheets needs --out FILE for the patch"
    assert cli.refused("tracker", "audit", "--read-sheets", sheet) == needed
    complaint = cli.refused("tracker", "audit", "x", "--read-sheets", sheet, "--out", out)
    assert complaint == "--read-sheets cannot be combined with files or --make-sheets"


def test_two_approved_corrections_of_one_turn_are_refused(tmp_path: Path, cli: Cli) -> None:
    rows = _made(tmp_path, cli)
    rows[0] |= {"verdict": "wrong"}
    one = _write(tmp_path / "one.csv", rows[:1])
    gold = spoilt(GOLD, "d03", "hotel-area", FIRST, 4, "moon")
    trackers = {
        name: spoilt(states, "d03", "hotel-area", FIRST, 4, "sun") for name, states in made_trackers(GOLD, 3).items()
    }
    sheet = tmp_path / "two.csv"
    cli("tracker", "audit", *write_corpus(tmp_path, gold, trackers), "--make-sheets", sheet)
    more = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"), newline="")))
    assert (more[0]["dialogue"], more[0]["proposed"][:3]) == ("d03", "sun")
    more[0]["verdict"] = "wrong"
    complaint = cli.refused(*_reading(tmp_path / "patch.json", one, _write(sheet, more[:1])))
    assert complaint.startswith(f"dialogue d03, turn {FIRST}, slot hotel-area: two.csv line")
    assert complaint.endswith("approve only one of them")


def test_the_page_shows_text_as_text(tmp_path: Path, cli: Cli) -> None:
    gold, *preds = _corpus(tmp_path)
    gold.write_text(
        gold.read_text().replace("I want this", "<script>alert(1)</script> =cmd").replace("moon", "<b>moon")
    )
    page, sheet = tmp_path / "sheet.html", tmp_path / "sheet.csv"
    cli("tracker", "audit", gold, *preds, "--make-sheets", page)
    cli("tracker", "audit", gold, *preds, "--make-sheets", sheet)
    text = page.read_text("utf-8")
    assert "&lt;script&gt;alert(1)" in text
    assert text.count("<script>") == 1
    assert "<b>moon" not in text
    assert "default-src 'none'" in text
    for row in csv.reader(io.StringIO(sheet.read_text("utf-8"), newline="")):
        assert not [cell for cell in row if cell.startswith(("=", "+", "@"))]
    assert "already" in cli.refused("tracker", "audit", gold, *preds, "--make-sheets", sheet)
