"""The audit of gold: candidates, invariances, errors, files with gold states, and errors that a benchmark inserts."""

from __future__ import annotations

import csv
import doctest
import importlib
import io
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tests.cli.invoke import Cli, call_process
from tests.cli.samples import native_lines
from tests.shared_data import shared
from tests.studies.audit.made import (
    VALUES,
    made_gold,
    made_tracker,
    made_trackers,
    spoilt,
    utterances_of,
    write_corpus,
    write_states,
)

from dialmeter.studies.audit.audit import find_candidates
from dialmeter.studies.audit.trackers import AuditedTracker, GoldStateCheck, TrackerSet, read_trackers
from dialmeter.studies.audit.votes import Mentions, weigh
from dialmeter.tracking.gold_patch import Correction, GoldPatch, load_patch
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scoring import score_file

GOLD = made_gold()


def _audit(cli: Cli, *words: str | Path) -> dict[str, Any]:
    return cli.json("study", "audit", *words)


def _begin(slot: str, least: int = 0, absent: str = "", present: str = "") -> tuple[str, int, str]:
    """Return a dialogue in which a slot of gold starts, the turn, and the value."""
    for name, turns in GOLD.items():
        first = next((turn for turn, state in enumerate(turns) if slot in state), None)
        if first is not None and first >= least and absent not in turns[-1] and (not present or present in turns[-1]):
            return name, first, turns[first][slot]
    raise AssertionError(slot)


def _other(slot: str, value: str) -> str:
    return next(each for each in VALUES[slot] if each != value)


def test_every_kind_of_error_is_the_first_candidate(tmp_path: Path, cli: Cli) -> None:
    trackers = made_trackers(GOLD, 6)
    name, first, value = _begin("hotel-area")
    absent = next(each for each, turns in GOLD.items() if "taxi-to" not in turns[-1])
    late, began, held = _begin("restaurant-food", 1)
    moved, start, kept = _begin("hotel-area", absent="restaurant-area")
    wrong_domain = spoilt(spoilt(GOLD, moved, "hotel-area", 0, 4, None), moved, "restaurant-area", start, 4, kept)
    cases = {
        "other-value": (spoilt(GOLD, name, "hotel-area", first, 4, _other("hotel-area", value)), name, value),
        "not-in-gold": (spoilt(GOLD, name, "hotel-area", first, 4, None), name, value),
        "not-predicted": (spoilt(GOLD, absent, "taxi-to", 1, 4, "park"), absent, None),
        "late": (spoilt(GOLD, late, "restaurant-food", began, began, None), late, held),
        "early": (spoilt(GOLD, late, "restaurant-food", began - 1, began, held), late, None),
        "wrong-domain": (wrong_domain, moved, kept),
    }
    for kind, (gold, dialogue, proposed) in cases.items():
        found = _audit(cli, *write_corpus(tmp_path, gold, trackers))["candidates"]
        best = found[0]
        assert (best["kind"], best["dialogue"], best["proposed"]) == (kind, dialogue, proposed)
        assert best["strength"] > (found[1]["strength"] if len(found) > 1 else 0)


def test_same_words_elsewhere_are_a_vote(tmp_path: Path, cli: Cli) -> None:
    """One tracker and gold do not have the value. Users say it, and gold has it in all other dialogues in which they do."""
    name, first, value = _begin("restaurant-food", present="restaurant-area")
    gold = spoilt(GOLD, name, "restaurant-food", 0, 4, None)
    trackers = made_trackers(GOLD, 2)
    trackers["t00"] = spoilt(trackers["t00"], name, "restaurant-food", 0, 4, None)
    trackers["t01"] = spoilt(trackers["t01"], name, "restaurant-food", first, 4, value)
    without = _audit(cli, *write_corpus(tmp_path, gold, trackers))["candidates"]
    found = _audit(cli, *write_corpus(tmp_path, gold, trackers, talk=True))["candidates"]
    mine = [each for each in found if each["dialogue"] == name and each["slot"] == "restaurant-food"]
    before = [each for each in without if each["dialogue"] == name and each["slot"] == "restaurant-food"]
    assert len(mine) == 1
    assert mine[0]["same_words"]["annotated"] == mine[0]["same_words"]["dialogues"] > 5
    assert mine[0]["kind"] == ("not-in-gold" if before else "inconsistent")
    assert mine[0]["strength"] > (before[0]["strength"] if before else 0)
    assert f"restaurant food is {value}" in mine[0]["talk"][-1]["text"]


def test_perfect_trackers_give_no_candidates(tmp_path: Path, cli: Cli) -> None:
    files = write_corpus(tmp_path, GOLD, {"a": GOLD})
    found = _audit(cli, *files)
    assert (found["candidates"], found["counts"]["voters"]) == ([], 0)
    assert [each["code"] for each in found["warnings"]] == ["given-gold", "no-votes", "no-utterances"]
    # The same if such files could vote.
    read = read_trackers(str(files[0]), {"a": str(files[1])}, named("dialmeter"))
    twin = [AuditedTracker(name, read.trackers[0].reads, read.trackers[0].result, GoldStateCheck()) for name in "abc"]
    trackers = TrackerSet(twin, read.rules, read.words)
    assert len(trackers.voters) == 3
    mentions = Mentions([each.reads for each in trackers.voters], trackers.pairs)
    votes = weigh(mentions, len(trackers.pairs.slot_names))
    assert find_candidates(trackers, mentions, votes, {}) == ([], [])


def test_the_order_of_files_changes_nothing(tmp_path: Path, cli: Cli) -> None:
    gold, *preds = write_corpus(
        tmp_path, spoilt(GOLD, "d03", "hotel-area", 0, 4, "moon"), made_trackers(GOLD, 4), talk=True
    )
    found = [_audit(cli, gold, *order) for order in (preds, preds[::-1], preds[2:] + preds[:2])]
    assert found[0] == found[1] == found[2]
    assert found[0]["candidates"][0]["gold"] == "moon"


def test_the_hash_seed_changes_nothing(tmp_path: Path) -> None:
    files = write_corpus(tmp_path, GOLD, made_trackers(GOLD, 3), talk=True)
    outputs = {call_process("study", "audit", *files, "-f", "json", PYTHONHASHSEED=seed).out for seed in ("1", "77")}
    assert len(outputs) == 1
    assert json.loads(outputs.pop())["candidates"]


def test_scores_if_corrected_are_the_scores_of_the_patch(tmp_path: Path, cli: Cli) -> None:
    trackers = made_trackers(GOLD, 3)
    files = write_corpus(tmp_path, spoilt(GOLD, "d03", "hotel-area", 0, 4, "moon"), trackers)
    for candidate in _audit(cli, *files)["candidates"][:6]:
        patch = tmp_path / "patch.json"
        patch.write_bytes(GoldPatch([Correction(**each) for each in candidate["corrections"]]).encoded())
        for name in trackers:
            words = ["--gold", files[0], "--set", f"patch={patch}", "--set", "ci=0", "--measure", "JGA"]
            words += ["--measure", "FGA(lam=0.5)", "--measure", "GCA", "-f", "json"]
            scored = cli("score", tmp_path / f"{name}.jsonl", *words).json["scores"]
            told = {each["measure"]: each["value"] for each in candidate["corrected"] if each["system"] == name}
            assert told == pytest.approx({each["measure"]: each["value"] for each in scored})


def test_copies_count_less(tmp_path: Path) -> None:
    whole = made_gold(200)
    own = made_trackers(whole, 3)
    copies = {f"copy{n}": spoilt(own["t00"], f"d{n:02}", "hotel-area", 0, 4, "moon") for n in range(3)}
    gold, *preds = write_corpus(tmp_path, whole, {**own, **copies})
    trackers = read_trackers(str(gold), {path.stem: str(path) for path in preds}, named("dialmeter"))
    mentions = Mentions([each.reads for each in trackers.voters], trackers.pairs)
    votes = weigh(mentions, len(trackers.pairs.slot_names))
    alone = dict(zip([each.name for each in trackers.voters], votes.for_alone, strict=True))
    family = [alone[name] for name in ("t00", "copy0", "copy1", "copy2")]
    assert max(family) < 0.5 < 0.7 < min(alone["t01"], alone["t02"])
    assert sum(family) < 1.4


@pytest.mark.parametrize("count", [1, 2, 100])
def test_one_to_a_hundred_trackers(count: int, tmp_path: Path, cli: Cli) -> None:
    name, first, value = _begin("hotel-area")
    gold = spoilt(GOLD, name, "hotel-area", first, 4, _other("hotel-area", value))
    trackers = made_trackers(GOLD, count)
    trackers["t00"] = spoilt(trackers["t00"], name, "hotel-area", first, 4, value)
    found = _audit(cli, *write_corpus(tmp_path, gold, trackers))
    assert ("one-tracker" in [each["code"] for each in found["warnings"]]) == (count == 1)
    places = [(each["dialogue"], each["slot"]) for each in found["candidates"]]
    assert (name, "hotel-area") in places[: 100 if count < 3 else 1]


def test_a_file_with_gold_states_has_no_vote(tmp_path: Path, cli: Cli) -> None:
    trackers = made_trackers(GOLD, 3)
    given = {**trackers, "cheat": spoilt(GOLD, "d00", "hotel-area", 4, 4, "moon")}
    with_it, without = (
        _audit(cli, *write_corpus(tmp_path, spoilt(GOLD, "d03", "hotel-area", 0, 4, "moon"), each))
        for each in (given, trackers)
    )
    of = {each["tracker"]: each for each in with_it["trackers"]}
    assert (of["cheat"]["votes"], of["cheat"]["precision"], of["t00"]["votes"]) == (False, None, True)
    assert "cheat was given gold states and has no vote" in str(with_it["warnings"])
    ranks = [
        [(each["rank"], each["dialogue"], each["strength"]) for each in found["candidates"]]
        for found in (with_it, without)
    ]
    assert ranks[0] == ranks[1]
    assert {each["system"] for each in with_it["candidates"][0]["corrected"]} == {*trackers, "cheat"}


def test_ties_are_reported(tmp_path: Path, cli: Cli) -> None:
    gold = GOLD
    names = [name for name, turns in GOLD.items() if "taxi-to" not in turns[-1]][:3]
    for name in names:
        gold = spoilt(gold, name, "taxi-to", 1, 4, "park")
    files = write_corpus(tmp_path, gold, made_trackers(GOLD, 4))
    found = _audit(cli, *files, "--limit", "2")["candidates"]
    tied = [each for each in found if each["dialogue"] in names and each["slot"] == "taxi-to"]
    assert [(each["rank"], each["tied"]) for each in tied] == [(tied[0]["rank"], 3)] * 3
    said = cli("study", "audit", *files, "-v").out
    assert f"{tied[0]['rank']}-{tied[0]['rank'] + 2}" in said
    assert "share their rank with others" in said


def test_runs_are_audited_as_files_are(tmp_path: Path, cli: Cli) -> None:
    trackers = made_trackers(GOLD, 3)
    files = write_corpus(tmp_path, spoilt(GOLD, "d03", "hotel-area", 0, 4, "moon"), trackers, talk=True)
    for name in trackers:
        cli("score", tmp_path / f"{name}.jsonl", "--gold", files[0], "--out", tmp_path / "r" / name)
    runs = [tmp_path / "r" / name for name in trackers]
    assert _audit(cli, *runs)["candidates"] == _audit(cli, *files)["candidates"]
    other = tmp_path / "r" / "other"
    other_gold = write_states(tmp_path / "other.jsonl", "gold", GOLD)
    cli("score", tmp_path / "t00.jsonl", "--gold", other_gold, "--out", other)
    assert cli.refused("study", "audit", runs[1], other) == (
        "t01 and other have different gold in 1 dialogues, first d03; give the GOLD file first, then the predictions"
    )


def test_bad_input(tmp_path: Path, cli: Cli) -> None:
    gold, one, two = write_corpus(tmp_path, GOLD, made_trackers(GOLD, 2))
    fewer = tmp_path / "fewer.jsonl"
    fewer.write_text("".join(one.read_text().splitlines(keepends=True)[2:]))
    same = tmp_path / "same.jsonl"
    same.write_text(one.read_text())
    cases = {
        (
            gold,
            fewer,
        ): "fewer: 2 dialogues of gold have no prediction, first d00; use --only common for the dialogues that all files have",
        (gold, one, one): f"{one} is given twice; give each tracker once",
        (gold, one, same): "t00 and same have the same predictions; give each tracker only once",
        (gold,): "give GOLD and at least one prediction file, or at least one run",
        (): "give GOLD and at least one prediction file, or at least one run",
    }
    for words, message in cases.items():
        assert cli.refused("study", "audit", *words) == message
    assert _audit(cli, gold, fewer, two, "--only", "common")["counts"]["dialogues"] == 38
    assert "no such file" in cli.refused("study", "audit", gold, tmp_path / "none")


def test_a_prediction_file_with_other_gold_is_reported(tmp_path: Path, cli: Cli) -> None:
    gold, one, _ = write_corpus(tmp_path, GOLD, made_trackers(GOLD, 2))
    own = made_tracker(GOLD, 9)
    both = {
        name: [{"gold": {}, "pred": state} for state in turns]
        if name == "d00"
        else [{"gold": wanted, "pred": state} for wanted, state in zip(GOLD[name], turns, strict=True)]
        for name, turns in own.items()
    }
    path = tmp_path / "both.jsonl"
    path.write_bytes(native_lines(both))
    found = _audit(cli, gold, one, path)
    assert "both: the file has gold that differs from GOLD in 1 dialogues; GOLD is used" in [
        each["message"] for each in found["warnings"]
    ]


def test_talk_from_another_file(tmp_path: Path, cli: Cli) -> None:
    files = write_corpus(tmp_path, GOLD, made_trackers(GOLD, 2))
    talk = write_states(tmp_path / "talk.jsonl", "gold", GOLD, utterances_of(GOLD))
    found = _audit(cli, *files, "--text", talk)
    assert all(each["talk"] for each in found["candidates"])
    assert "no-utterances" not in [each["code"] for each in found["warnings"]]


def test_two_names_of_one_slot_are_counted(tmp_path: Path, cli: Cli) -> None:
    """Both names stay as written, and a correction cannot refer to one of them."""
    name, first, _ = _begin("hotel-area")
    gold = spoilt(GOLD, name, "hotel-book day", first, 4, "monday")
    gold = spoilt(gold, name, "hotel-bookday", first, 4, "friday")
    found = _audit(cli, *write_corpus(tmp_path, gold, made_trackers(GOLD, 3)))
    told = {each["code"]: each["count"] for each in found["warnings"]}
    assert told["no-correction"] == 2
    assert not [each for each in found["candidates"] if "day" in each["slot"]]


@pytest.mark.parametrize("rules", ["mwzeval", "fga-repo", "gca-repo"])
def test_other_rule_sets(rules: str, tmp_path: Path, cli: Cli) -> None:
    gold = spoilt(GOLD, "d03", "hotel-area", 1, 4, "moon")
    found = _audit(cli, *write_corpus(tmp_path, gold, made_trackers(GOLD, 3)), "--rules", rules)
    assert "moon" in [each["gold"] for each in found["candidates"]]


def test_another_value_is_proposed_from_the_turn_at_which_trackers_have_it(tmp_path: Path, cli: Cli) -> None:
    name, first, value = _begin("hotel-area", 2)
    files = write_corpus(tmp_path, spoilt(GOLD, name, "hotel-area", 0, 4, "moon"), made_trackers(GOLD, 4))
    best = _audit(cli, *files)["candidates"][0]
    assert [(each["first"], each["last"], each["value"]) for each in best["corrections"]] == [
        (0, first - 1, None),
        (first, 4, value),
    ]
    said = cli("study", "audit", *files, "-v").out
    assert f"{value} at turns {first} to 4; no value at turns 0 to {first - 1}" in said


@pytest.mark.parametrize(("name", "given"), [("damd", False), ("labes", False), ("uniconv", True)])
def test_published_files(name: str, given: bool) -> None:
    check = GoldStateCheck()
    folder = shared("data", "compat", "mwzeval")
    gold = str(folder / "mw21.gold.json.gz")
    rules = change(named("dialmeter"), missing="skip")
    score_file(str(folder / f"{name}.pred.json.gz"), gold, measures=["JGA"], rules=rules, on_row=check.take)
    assert check.was_given_gold is given
    if given:
        assert check.share == pytest.approx(0.99, abs=0.01)


def test_a_file_that_predicts_nothing_was_not_given_gold() -> None:
    check = GoldStateCheck()
    check.add_turn({"hotel-area": "east"}, {}, agreeing=())
    assert check.share is None
    assert not check.was_given_gold


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
    return importlib.import_module("planted_gold")


def test_planted_errors_depend_on_the_seed(planted: ModuleType, tmp_path: Path) -> None:
    correct = made_gold()
    gold, *preds = write_corpus(tmp_path, correct, made_trackers(correct, 5))
    clean = read_trackers(str(gold), {path.stem: str(path) for path in preds}, named("dialmeter"))
    mentions = Mentions([each.reads for each in clean.voters], clean.pairs)
    planter = planted.Planter(clean, mentions, seed=3)
    errors = planter.plant(0.05)
    assert len(errors) == round(0.05 * len(planter.first))
    assert errors == planted.Planter(clean, mentions, seed=3).plant(0.05)
    assert errors != planted.Planter(clean, mentions, seed=4).plant(0.05)
    assert len({(each.dialogue, each.slots[0]) for each in errors}) == len(errors)
    assert all(each.corrections for each in errors)


def test_precision_between_ties(planted: ModuleType) -> None:
    precision_at = planted.precision_at
    assert precision_at([], [], 5).at == 0
    assert precision_at([True, True, False, False], [3, 2, 2, 2], 2)[1:] == pytest.approx((2 / 3, 0.5, 1.0))
    assert np.isclose(precision_at([True, False], [2, 1], 1).value, 1)


def test_the_examples_in_the_source(planted: ModuleType) -> None:
    assert doctest.testmod(planted).failed == 0


FIRST = next(turn for turn, state in enumerate(GOLD["d03"]) if "hotel-area" in state)


Rows = list[dict[str, str]]


def _corpus(folder: Path) -> list[Path]:
    """Write gold with an error, and three trackers."""
    return write_corpus(folder, spoilt(GOLD, "d03", "hotel-area", FIRST, 4, "moon"), made_trackers(GOLD, 3), talk=True)


def _made(folder: Path, cli: Cli) -> Rows:
    sheet = folder / "sheet.csv"
    cli("study", "audit", *_corpus(folder), "--make-sheet", sheet, "--force")
    return list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"), newline="")))


def _write(path: Path, rows: Rows) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def _reading(out: Path, *sheets: Path) -> list[str | Path]:
    words = [word for sheet in sheets for word in ("--sheet", sheet)]
    return ["study", "audit", *words, "--out", out, "--force"]


def _signature(cli: Cli, gold: Path, *words: str | Path) -> str:
    said = cli.json("score", gold.parent / "t00.jsonl", "--gold", gold, "--measure", "JGA", *words)
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
    patched = _signature(cli, tmp_path / "gold.jsonl", "--set", f"patch={patch}")
    assert f"patch:{loaded.digest}|" in patched
    assert patched.split("|data:")[1] == _signature(cli, right).split("|data:")[1]
    assert loaded.data in _signature(cli, tmp_path / "gold.jsonl")
    # An audit of the patched gold does not list the candidate again.
    again = cli.json("study", "audit", *_corpus(tmp_path), "--set", f"patch={patch}")
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
    needed = "--sheet needs -o FILE for the patch of gold"
    assert cli.refused("study", "audit", "--sheet", sheet) == needed
    complaint = cli.refused("study", "audit", "x", "--sheet", sheet, "--out", out)
    assert complaint == "filled sheets are read without other files; leave out x"


def test_two_approved_corrections_of_one_turn_are_refused(tmp_path: Path, cli: Cli) -> None:
    rows = _made(tmp_path, cli)
    rows[0] |= {"verdict": "wrong"}
    one = _write(tmp_path / "one.csv", rows[:1])
    gold = spoilt(GOLD, "d03", "hotel-area", FIRST, 4, "moon")
    trackers = {
        name: spoilt(states, "d03", "hotel-area", FIRST, 4, "sun") for name, states in made_trackers(GOLD, 3).items()
    }
    sheet = tmp_path / "two.csv"
    cli("study", "audit", *write_corpus(tmp_path, gold, trackers), "--make-sheet", sheet)
    more = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8"), newline="")))
    assert (more[0]["dialogue"], more[0]["proposed"][:3]) == ("d03", "sun")
    more[0]["verdict"] = "wrong"
    complaint = cli.refused(*_reading(tmp_path / "patch.json", one, _write(sheet, more[:1])))
    assert complaint.startswith(f"dialogue d03, turn {FIRST}, slot hotel-area: two.csv line")
    assert complaint.endswith("approve only one of them")
