"""``tracker board``: the page, the Markdown, the document, and one line for each error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dialmeter.readers.corpus import open_corpus
from dialmeter.tracking.digest import joined_alternatives
from dialmeter.tracking.gold_patch import Correction, GoldPatch

from ...studies.board.made import write_system
from ..invoke import Cli, checked, files_in

QUICK = ("--set", "resamples=2000", "--quiet")
ROW = '[[row]]\nsystem = "{}"\nfile = "{}"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, share in (("good", 0.1), ("fair", 0.14), ("poor", 0.5)):
        write_system(tmp_path / f"{name}.jsonl", share, name, dialogues=25)
    rows = [ROW.format(name, f"{name}.jsonl") + 'source = "a paper"\n' for name in ("good", "fair", "poor")]
    (tmp_path / "board.toml").write_text("\n".join(rows), "utf-8")
    return tmp_path


def test_board_of_manifest(cli: Cli, folder: Path) -> None:
    result = cli("tracker", "board", folder / "board.toml", "--out", folder / "out", *QUICK, "-f", "json")
    found = checked(result, "tracker-board")
    assert found["counts"] == {"boards": 1, "systems": 3}
    (board,) = found["boards"]
    assert board["title"] == "board"
    assert [each["system"] for each in board["systems"]] == ["good", "fair", "poor"]
    letters = {each["system"]: each["letters"] for each in found["scores"] if each["measure"] == "JGA"}
    assert set(letters["good"]) & set(letters["fair"])
    assert not set(letters["good"]) & set(letters["poor"])
    assert sorted(files_in(folder / "out")) == ["board.md", "index.html"]
    page = (folder / "out" / "index.html").read_text("utf-8")
    jga = found["scores"][0]["value"]
    for text in (page, (folder / "out" / "board.md").read_text("utf-8")):
        assert f"{100 * jga:.2f}" in text
        assert "a paper" in text
        assert found["scores"][0]["signature"].partition("|rules")[2].split("|v:")[0] in text
    assert "http://" not in page
    assert "https://" not in page


def test_several_boards_and_files(cli: Cli, folder: Path) -> None:
    write_system(folder / "other.jsonl", 0.2, "other", dialogues=10)
    words = (folder / "board.toml", folder / "other.jsonl", "--out", folder / "out", *QUICK, "--title", "All")
    found = cli.json("tracker", "board", *words)
    assert [(each["title"], each["dialogues"]) for each in found["boards"]] == [("board", 25), ("Trackers", 10)]
    assert (folder / "out" / "board.md").read_text("utf-8").startswith("# All\n")


def test_run_scores(cli: Cli, folder: Path) -> None:
    files = [folder / f"{name}.jsonl" for name in ("good", "fair")]
    for file in files:
        cli("score", file, "--out", folder / file.stem, "--set", "resamples=2000", "-q")
    of_runs = cli("tracker", "board", folder / "good", folder / "fair", "--out", folder / "a", *QUICK, "-f", "json")
    of_files = cli("tracker", "board", *files, "--out", folder / "b", *QUICK, "-f", "json")
    one, other = checked(of_runs, "tracker-board"), checked(of_files, "tracker-board")
    assert one["scores"] == other["scores"]
    assert one["boards"][0]["versus"] == other["boards"][0]["versus"]
    assert len(one["boards"][0]["ranks"]) == 4 < len(other["boards"][0]["ranks"])
    assert "No ranks under other rule sets" in (folder / "a" / "board.md").read_text("utf-8")


def test_patch_of_gold(cli: Cli, folder: Path) -> None:
    file = folder / "good.jsonl"
    first = next(each for each in open_corpus(file) if each.turns[0].gold)
    (slot, value), *_ = (first.turns[0].gold or {}).items()
    patch = GoldPatch([Correction(first.id, slot, 0, 0, joined_alternatives(value), "elsewhere")])
    (folder / "patch.json").write_bytes(patch.encoded())
    patched = ("--set", f"patch={folder / 'patch.json'}", *QUICK, "-f", "json")
    files = (file, folder / "fair.jsonl")
    found = checked(cli("tracker", "board", *files, "--out", folder / "out", *patched), "tracker-board")
    alone = cli("score", file, *patched, "--measure", "JGA", "--out", folder / "run").json
    own = [each for each in found["scores"] if (each["system"], each["measure"]) == ("good", "JGA")]
    assert [each["value"] for each in own] == [alone["scores"][0]["value"]]
    assert f"|patch:{patch.digest}|" in own[0]["signature"]
    under_base = found["boards"][0]["ranks"][4]
    assert (under_base["rules"], under_base["map"]) == ("dialmeter", "")
    assert under_base["values"]["good"] == own[0]["value"]
    (folder / "patch.json").unlink()
    again = cli("tracker", "board", folder / "run", "--out", folder / "runs", *QUICK, "-f", "json")
    assert checked(again, "tracker-board")["scores"][0]["signature"] == own[0]["signature"]


def refused(cli: Cli, folder: Path, *words: str | Path) -> str:
    complaint = cli.refused("tracker", "board", *words, "--out", folder / "out", *QUICK)
    assert not (folder / "out").exists()
    return complaint


def test_fewer_dialogues(cli: Cli, folder: Path) -> None:
    fewer = write_system(folder / "fewer.jsonl", 0.2, "fewer", dialogues=20)
    told = refused(cli, folder, folder / "good.jsonl", fewer)
    assert "20 are complete in all files" in told
    assert "5 in good (saltmere-20, saltmere-21, saltmere-22, …); use --common to score the 20" in told


def test_another_gold(cli: Cli, folder: Path) -> None:
    text = (folder / "fair.jsonl").read_text("utf-8")
    (folder / "changed.jsonl").write_text(text.replace("harbour", "harbor"), "utf-8")
    told = refused(cli, folder, folder / "good.jsonl", folder / "changed.jsonl")
    assert re.search(r"good and changed have different gold in \d+ of 25 dialogues", told)


def test_one_tracker_twice(cli: Cli, folder: Path) -> None:
    (folder / "copy.jsonl").write_bytes((folder / "good.jsonl").read_bytes())
    assert "good and copy have the same predictions" in refused(
        cli, folder, folder / "good.jsonl", folder / "copy.jsonl"
    )
    twice = folder / "twice.toml"
    twice.write_text(ROW.format("a", "good.jsonl") + ROW.format("a", "fair.jsonl"), "utf-8")
    assert refused(cli, folder, twice) == f"{twice}: two systems are called 'a'"


def test_runs_under_different_rules(cli: Cli, folder: Path) -> None:
    for name, rules in (("good", "dialmeter"), ("fair", "trade")):
        cli("score", folder / f"{name}.jsonl", "--rules", rules, "--out", folder / name, "-q")
    told = refused(cli, folder, folder / "good", folder / "fair")
    assert told.startswith("good and fair are not comparable: rules: dialmeter ≠ trade; values: ")
    assert "prediction files or runs, not both" in refused(cli, folder, folder / "good", folder / "fair.jsonl")
    assert "only with prediction files" in refused(cli, folder, folder / "good", "--only", "common")
    assert refused(cli, folder, folder / "good", "--measure", "FGA(lam=3)").endswith("the run has no FGA(lam=3)")
    assert "95 % intervals, the board 90 %" in refused(cli, folder, folder / "good", "--set", "ci=0.9")


def test_rows_without_scores_of_run(cli: Cli, folder: Path) -> None:
    cli("score", folder / "good.jsonl", "--out", folder / "good", "-q")
    rows = folder / "good" / "rows.jsonl"
    rows.write_text(rows.read_text("utf-8").replace('"gold":{', '"gold":{"inn-parking":"yes",', 3), "utf-8")
    assert "in run.json; use the prediction file" in refused(cli, folder, folder / "good")


def test_standard_input(cli: Cli, folder: Path) -> None:
    assert "reads its files more than once" in refused(cli, folder, folder / "good.jsonl", "-")
    assert "reads its files more than once" in refused(cli, folder, folder / "good.jsonl", "--gold", "-")


def test_options_that_manifest_states(cli: Cli, folder: Path) -> None:
    assert refused(cli, folder, folder / "board.toml", "--gold", "x").startswith("--gold needs prediction files")


def test_folder_taken(cli: Cli, folder: Path) -> None:
    board = ("tracker", "board", folder / "board.toml", *QUICK, "--out")
    (folder / "taken").mkdir()
    (folder / "taken" / "thesis.txt").write_text("mine", "utf-8")
    for extra in ((), ("--force",)):
        assert cli.refused(*board, folder / "taken", *extra).endswith("taken: is not an empty folder")
    assert "is a file" in cli.refused(*board, folder / "good.jsonl")
    cli(*board, folder / "out")
    assert "replace a board with --force" in cli.refused(*board, folder / "out")
    cli(*board, folder / "out", "--force")


def test_manifest_markup(cli: Cli, folder: Path) -> None:
    hostile = '<script>alert("owned")</script>'
    rows = [
        f"[[row]]\nsystem = '{hostile}'\nfile = \"good.jsonl\"\nsource = '{hostile}'\nlicence = '| `x` |'\n",
        ROW.format("fair", "fair.jsonl"),
    ]
    (folder / "hostile.toml").write_text(f"title = '{hostile}'\n" + "\n".join(rows), "utf-8")
    cli("tracker", "board", folder / "hostile.toml", "--out", folder / "out", *QUICK)
    assert "<script>alert" not in (folder / "out" / "index.html").read_text("utf-8")
    markdown = (folder / "out" / "board.md").read_text("utf-8")
    assert "<script>" not in markdown.replace("\\<", "")
    assert "\\| \\`x\\` \\|" in markdown
