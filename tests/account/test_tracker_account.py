"""The account of trackers: requested, found and scored dialogues, and lists with dialogues that are not in the file."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from dialmeter import score_tracker
from dialmeter.core.account import Account, Reason

from ..cli.invoke import Cli
from ..cli.samples import TOWN, native_lines, nested_document, written

ABSENT = "1 of 3 dialogues of --only are not in the file or have no gold: pmul1"
LINE = "3 dialogues requested, 2 found, 2 scored, 1 unscored: 1 not in the file (pmul1)"
DIGEST = hashlib.sha256(b"d1\nd3\npmul1").hexdigest()[:10]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "town.jsonl", native_lines(TOWN))


@pytest.fixture
def split(tmp_path: Path) -> Path:
    """Write a list of three dialogues, one of which is in no file."""
    return written(tmp_path / "split.txt", "D1.json\nd3\nPMUL1.json\n")


@pytest.mark.parametrize("command", ["score", "check", "rules", "bias", "human"])
def test_a_list_with_a_dialogue_that_the_file_lacks(
    command: str, file: Path, split: Path, tmp_path: Path, cli: Cli
) -> None:
    """A bug scored the file as if the list were complete."""
    more = ["--ratings", str(written(tmp_path / "r.csv", "dialogue,rater,rating\nd1,a,1\nd3,a,0\n"))]
    said = cli("tracker", command, file, "--only", split, "--quiet", *(more if command == "human" else ()), code=2)
    assert said.complaint.startswith(f"{file}: {ABSENT}")
    assert "\nready to be scored" not in said.out


@pytest.mark.parametrize("command", ["score", "check", "rules", "bias", "human"])
def test_one_rule_of_identity_for_file_and_list(command: str, tmp_path: Path, cli: Cli) -> None:
    """A list merged ids that differ in blanks while a file did not, and it could not hold an empty id or one with a comma."""
    file = written(tmp_path / "f.jsonl", native_lines(dict(zip(["", " a", "B, c.json"], TOWN.values(), strict=True))))
    listed = written(tmp_path / "list.txt", '""\n\n A.json \n"b, c"\n')
    ratings = written(tmp_path / "r.csv", 'dialogue,rater,rating\na,x,1\n"b, c",x,0\n')
    more = ["--ratings", ratings] if command == "human" else []
    words = ["tracker", command, file, *more, "--only", listed, "--quiet"]
    cli(*words)
    written(tmp_path / "list.txt", '""\n"b, c"\n"x"\n')
    assert "1 of 3 dialogues of --only are not in the file or have no gold: x" in cli.refused(*words)
    written(tmp_path / "f.jsonl", native_lines(dict(zip(["a", "a ", "b"], TOWN.values(), strict=True))))
    assert "dialogue a : duplicate dialogue id" in cli.refused(*words)


def test_an_empty_id_selects_its_dialogue(tmp_path: Path, cli: Cli) -> None:
    file = written(tmp_path / "f.jsonl", native_lines(dict(zip(["", "a.json.json", "b"], TOWN.values(), strict=True))))
    for text, key in (('""', b""), ("a.JSON.json", b"a.json")):
        only = written(tmp_path / "list.txt", f"{text}\n")
        [score] = cli.json("tracker", "score", file, "--only", only, "--measure", "JGA")["scores"]
        assert f"|only:{hashlib.sha256(key).hexdigest()[:10]}|d:1|" in score["signature"]


def test_curves(tmp_path: Path, split: Path, cli: Cli) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    written(folder / "ratio_0.1_seed_1_prediction.json", nested_document(TOWN))
    assert ABSENT in cli.refused("tracker", "curve", folder, "--only", split)


@pytest.mark.parametrize("missing", ["skip", "empty"])
def test_what_allows_it_says_so_everywhere(missing: str, file: Path, split: Path, tmp_path: Path, cli: Cli) -> None:
    words = ["tracker", "score", file, "--only", split, "--missing", missing, "--measure", "JGA", "--ci", "0"]
    run = tmp_path / "run"
    text = cli(*words, "--out", run)
    assert f"\n{LINE}\n\nsignature" in text.out
    assert ABSENT.partition(":")[0] in text.err
    found = cli.json(*words)
    account = {"unit": "dialogue", "asked": 3, "found": 2, "scored": 2, "unscored": 1}
    account["reasons"] = [{"reason": "not in the file", "count": 1, "where": "pmul1"}]
    assert found["account"] == json.loads((run / "run.json").read_bytes())["account"] == account
    assert f"|only:{DIGEST}|scored:2/3|d:2|t:5|" in found["scores"][0]["signature"]
    assert LINE in (run / "report.md").read_text()
    check = cli("tracker", "check", file, "--only", split, "--missing", missing)
    assert f"\naccount: {LINE}\nready to be scored\n" in check.out


def test_a_list_that_the_file_holds(file: Path, tmp_path: Path, cli: Cli) -> None:
    only = written(tmp_path / "part.txt", "d1\nd3\n")
    found = cli.json("tracker", "score", file, "--only", only)
    assert found["account"] == {"unit": "dialogue", "asked": 2, "found": 2, "scored": 2, "unscored": 0, "reasons": []}
    digest = hashlib.sha256(b"d1\nd3").hexdigest()[:10]
    assert f"|only:{digest}|d:2|t:5|" in found["scores"][0]["signature"]
    whole = cli.json("tracker", "score", file)
    assert "only:" not in whole["scores"][0]["signature"]
    assert "scored:" not in whole["scores"][0]["signature"]


def test_gold_without_prediction(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
    some = {name: turns for name, turns in TOWN.items() if name != "d2"}
    pred = written(tmp_path / "pred.jsonl", native_lines(some, "pred"))
    words = ["tracker", "score", pred, "--gold", gold, "--measure", "JGA"]
    cli(*words, code=2)
    said = cli(*words, "--missing", "skip")
    assert "\n3 dialogues requested, 3 found, 2 scored, 1 unscored: 1 without a prediction (d2)\n" in said.out
    assert "|scored:2/3|left_out:1d/1t|d:2|" in said.out
    assert "\n3 of 3 dialogues scored\n" in cli(*words, "--missing", "empty").out
    # A prediction without gold is not requested, unless a list names it.
    turned = ["tracker", "score", gold, "--gold", written(tmp_path / "other.jsonl", native_lines(some, "gold"))]
    turned[2] = str(written(tmp_path / "all.jsonl", native_lines(TOWN, "pred")))
    assert "\n2 of 2 dialogues scored\n" in cli(*turned).out
    only = written(tmp_path / "only.txt", "d1\nd2\n")
    assert "1 of 2 dialogues of --only" in cli.refused(*turned, "--only", only)
    said = cli(*turned, "--only", only, "--missing", "skip")
    assert "\n2 dialogues requested, 2 found, 1 scored, 1 unscored: 1 without a gold state (d2)\n" in said.out


def test_shards_have_the_account_of_the_whole(file: Path, split: Path, tmp_path: Path) -> None:
    """The accounts of two parts of a corpus add up to that of the whole."""
    from dialmeter.tracking.scorer import TrackerScorer

    parts = [TrackerScorer(["JGA"], "dialmeter") for _ in range(2)]
    for name, turns in TOWN.items():
        parts[name == "d3"].add(name, [turn["gold"] for turn in turns], [turn["pred"] for turn in turns])
    whole = TrackerScorer(["JGA"], "dialmeter")
    for part in parts:
        whole.merge_part(part.part)
    assert whole.result().account == Account("dialogue", 3, 3, 3)


def test_python(file: Path) -> None:
    assert score_tracker(file, measures=["JGA"], ci=0).account.line == "3 of 3 dialogues scored"


def test_comparing_on_what_all_files_have(file: Path, tmp_path: Path, cli: Cli) -> None:
    fewer = {name: turns for name, turns in TOWN.items() if name != "d2"}
    other = written(tmp_path / "fewer.jsonl", native_lines(fewer))
    assert "have different dialogues" in cli.refused("tracker", "compare", file, other)
    said = cli("tracker", "compare", file, other, "--common")
    assert "warning: 1 dialogues are not in every file and are unscored; 2 are in every file [d2]" in said.err
    assert "\neach of 2: 2 of 2 dialogues scored\n" in said.out
    assert f"|only:{hashlib.sha256(b'd1' + bytes([10]) + b'd3').hexdigest()[:10]}|" in said.out
    found = cli.json("tracker", "compare", file, other, "--common")
    assert list(found["accounts"]) == ["town", "fewer"]
    assert (found["account"]["asked"], found["account"]["scored"]) == (4, 4)


def test_rule_sets_that_treat_what_is_missing_differently(tmp_path: Path, cli: Cli) -> None:
    gold = written(tmp_path / "gold.jsonl", native_lines(TOWN, "gold"))
    pred = written(tmp_path / "pred.jsonl", native_lines({"d1": TOWN["d1"]}, "pred"))
    words = ["tracker", "rules", pred, "--gold", gold, "--rules", "mwzeval", "--rules", "trade"]
    found = cli.json(*words, "--missing", "skip")
    assert {name: (each["asked"], each["scored"]) for name, each in found["accounts"].items()} == {
        "mwzeval": (3, 1),
        "trade": (3, 1),
    }
    assert all("|scored:1/3|" in score["signature"] for score in found["scores"])


def test_slots_that_are_looked_at_have_a_field_of_their_own(file: Path, cli: Cli) -> None:
    said = cli("tracker", "score", file, "--only-slots", "hotel//area")
    assert "|only-slots:" in said.out
    assert "|only:" not in said.out


def test_reasons_add_up_to_what_is_unscored() -> None:
    account = Account("dialogue", 5, 4, 2, (Reason("not in the file", 1, "a"), Reason("without a prediction", 2, "b")))
    assert sum(each.count for each in account.reasons) == account.unscored == account.plain()["unscored"]
