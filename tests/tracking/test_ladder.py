"""The ladder of a comparison of trackers: the rungs, their figures, and the verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialmeter.core.comparison import Resampling
from dialmeter.core.ladder import Ladder, Rung
from dialmeter.tracking.align import GoldFile
from dialmeter.tracking.baselines import trivial
from dialmeter.tracking.compare import TrackerComparison, compare
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules, change, named
from dialmeter.tracking.scoring import score_file

from ..cli.invoke import call
from ..shared_data import shared

State = dict[str, str]
HOW = Resampling(resamples=1000)
EMPTY = change(named("dialmeter"), missing="empty")


def published(*systems: str, rules: Rules = EMPTY) -> dict[str, TrackerResult]:
    folder = ("data", "compat", "mwzeval")
    gold = GoldFile(str(shared(*folder, "mw21.gold.json.gz")))
    files = {name: str(shared(*folder, f"{name}.pred.json.gz")) for name in systems}
    return {name: score_file(path, gold, measures=["JGA"], rules=rules, keep=True) for name, path in files.items()}


def rungs(ladder: Ladder) -> dict[str, tuple[str, float, str]]:
    return {
        each.name: (each.assumption, round(100 * each.difference, 2), each.verdict)
        for each in ladder.rungs
        if each.difference is not None
    }


def test_verdict_by_spelling() -> None:
    compared = compare(published("labes", "uniconv"), HOW)
    [ladder] = compared.ladders
    found = rungs(ladder)
    assert found["as written"] == ("as written", -5.10, "worse")
    assert found["map=multiwoz"] == ("spelling", 11.88, "better")
    assert found["map=multiwoz, slots that both predict"] == ("coverage", 50.61, "better")
    assert found["slots that both predict"][0] == "coverage"
    assert found["turns that both predict"] == ("coverage", -9.00, "worse")
    assert (ladder.verdict, ladder.sentence) == ("depends", "the verdict turns with spelling")
    assert ladder.headline.startswith("DEPENDS on spelling: uniconv is worse than labes by 5.10 JGA as written")
    messages = [each.message for each in compared.notices if each.code == "diagnosis"]
    assert [message.partition(" ")[0] for message in messages] == ["labes:", "uniconv:", "uniconv:"]


def test_verdict_that_holds() -> None:
    [ladder] = compare(published("labes", "damd"), HOW).ladders
    found = rungs(ladder)
    assert found["as written"] == ("as written", -15.68, "worse")
    assert found["map=multiwoz"] == ("spelling", -15.34, "worse")
    assert (ladder.verdict, ladder.sentence) == ("worse", "the verdict holds under all 3")


def test_rules_that_repair_spelling() -> None:
    [ladder] = compare(published("labes", "uniconv", rules=change(EMPTY, map="multiwoz")), HOW).ladders
    assert rungs(ladder)["as written"] == ("as written", 11.88, "better")
    assert {each.assumption for each in ladder.rungs} == {"as written", "coverage"}
    assert ladder.verdict == "better"


VALUES = {"hotel-area": "east", "hotel-type": "guesthouse", "train-leaveat": "10:15"}


def gold_states(number: int) -> list[State]:
    area = {"hotel-area": ("east", "west")[number % 2]}
    return [area, {**VALUES, **area}, {**VALUES, **area, "train-day": "monday"}]


def write(path: Path, predict: Callable[[int, int, State], State | None]) -> str:
    """Write 60 dialogues with gold and predictions; None is no prediction."""
    lines = []
    for number in range(60):
        turns = []
        for at, gold in enumerate(gold_states(number)):
            pred = predict(number, at, gold)
            turns.append({"turn": at, "gold": gold, **({} if pred is None else {"pred": pred})})
        lines.append(json.dumps({"dialogue_id": f"D{number:02}", "turns": turns}))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return str(path)


def wrong_area(number: int, at: int, gold: State) -> State:
    return {**gold, "hotel-area": "north"} if number % 5 == 0 else gold


def respelled(change: Callable[[str], str]) -> Callable[[int, int, State], State]:
    return lambda number, at, gold: {slot: change(value) for slot, value in gold.items()}


TIMES = respelled(lambda value: value.replace(":", ""))
CAPITALS = respelled(str.title)


def compared(
    folder: Path, *predictions: Callable[[int, int, State], State | None], rules: Rules = EMPTY, all_rules: bool = False
) -> TrackerComparison:
    files = {f"s{at}": write(folder / f"s{at}.jsonl", each) for at, each in enumerate(predictions)}
    results = {
        name: score_file(path, measures=["JGA", "SA", "GCA"], rules=rules, keep=True) for name, path in files.items()
    }
    return compare(results, HOW, all_rules=all_rules)


def test_as_written_is_table(tmp_path: Path) -> None:
    found = compared(tmp_path, wrong_area, lambda number, at, gold: gold)
    [ladder] = found.ladders
    [written] = [each for each in found.versus if each.measure == "JGA"]
    assert ladder.rungs[0] == Rung(
        "as written", "as written", written.difference, written.ci, written.p_holm, "better", 60
    )
    assert ladder.sentence == "no other assumption applies to these files"


def test_rung_equals_comparison(tmp_path: Path) -> None:
    """The rung has the figures, and the corrected p value, of the comparison with the rules of its name."""
    found = compared(tmp_path, wrong_area, TIMES, wrong_area)
    again = compared(tmp_path, wrong_area, TIMES, wrong_area, rules=change(EMPTY, map="multiwoz"))
    for ladder, other in zip(found.ladders, again.ladders, strict=True):
        [rung] = [each for each in ladder.rungs if each.assumption == "spelling"]
        written = other.rungs[0]
        assert rung.name == "map=multiwoz"
        assert (rung.difference, rung.ci, rung.p) == (written.difference, written.ci, written.p)


def test_mistake_is_no_spelling(tmp_path: Path) -> None:
    """The diagnosis suspects a value that is never predicted, but a ladder repairs only what is known to be a spelling."""

    def middle(number: int, at: int, gold: State) -> State:
        return {**gold, "hotel-area": {"east": "middle"}.get(gold["hotel-area"], gold["hotel-area"])}

    found = compared(tmp_path, wrong_area, middle)
    assert any("fixes it if they mean the same" in each.message for each in found.notices)
    assert [each.assumption for each in found.ladders[0].rungs] == ["as written"]
    assert found.ladders[0].verdict == "worse"


def test_spellings_without_option(tmp_path: Path) -> None:
    def renamed(number: int, at: int, gold: State) -> State:
        return {slot.replace("hotel-area", "Hotel-_Area"): value for slot, value in gold.items()}

    plural = respelled(lambda value: value.replace("guesthouse", "guesthouses"))
    first, second = compared(tmp_path, wrong_area, renamed, plural).ladders
    for ladder in (first, second):
        [rung] = [each for each in ladder.rungs if each.assumption == "spelling"]
        assert rung.name == "slot names of gold, spellings of gold"
        assert rung.difference == pytest.approx(0.2)
        assert rung.verdict == "better"
        assert ladder.verdict == "depends"


def test_slots_one_system_lacks(tmp_path: Path) -> None:
    """Leaving out what is hard does not turn the verdict, and a slot that is not in gold stays a mistake."""

    def without_day(number: int, at: int, gold: State) -> State:
        return {slot: value for slot, value in gold.items() if slot != "train-day"}

    [ladder] = compared(tmp_path, wrong_area, without_day).ladders
    assert rungs(ladder)["as written"] == ("as written", -13.33, "worse")
    assert rungs(ladder)["slots that both predict"] == ("coverage", 20.0, "better")
    assert ladder.verdict == "worse"
    assert ladder.sentence.endswith("better for slots that both predict, which is another question")
    [over] = compared(tmp_path, lambda *_: {"taxi-to": "x"}, without_day).ladders
    assert rungs(over) == {"as written": ("as written", 66.67, "better")}


def test_turns_one_system_lacks(tmp_path: Path) -> None:
    def late(number: int, at: int, gold: State) -> State | None:
        return None if at == 0 and number % 2 else gold

    [ladder] = compared(tmp_path, wrong_area, late).ladders
    assert rungs(ladder)["as written"][1] == pytest.approx(100 * (1 / 5 - 1 / 6), abs=0.01)
    [rung] = [each for each in ladder.rungs if each.name == "turns that both predict"]
    assert (rung.assumption, rung.note) == ("coverage", "30 turns are unscored")
    assert rung.difference == pytest.approx(1 / 5)


def test_other_rule_sets(tmp_path: Path) -> None:
    [ladder] = compared(tmp_path, wrong_area, CAPITALS, all_rules=True).ladders
    others = [each for each in ladder.rungs if each.assumption == "rules"]
    assert any(each.verdict == "worse" and "trade" in each.name for each in others)
    assert len({(each.difference, each.ci) for each in others}) == len(others)
    assert ladder.verdict == "better"
    [fewer] = compared(tmp_path, wrong_area, CAPITALS).ladders
    assert not any(each.assumption == "rules" for each in fewer.rungs)


def test_trivial_trackers_and_three_systems(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{at}.jsonl", each) for at, each in enumerate((wrong_area, TIMES))]
    results = {path: score_file(path, measures=["JGA"], rules=EMPTY, keep=True) for path in files}
    for name in ("empty", "late", "one-wrong"):
        results[name] = score_file(
            files[0], measures=["JGA"], rules=EMPTY, change=trivial(name, EMPTY), resampling=None, keep=True
        )
    found = compare(results, HOW)
    assert [each.system for each in found.ladders] == list(results)[1:]
    assert {each.base for each in found.ladders} == {files[0]}
    by_system = {each.system: each for each in found.ladders}
    assert by_system[files[1]].verdict == "depends"
    assert {each.assumption for each in by_system["empty"].rungs} == {"as written", "spelling"}
    assert by_system["empty"].verdict == "worse"
    assert all(each.message.startswith(files[1]) for each in found.notices if each.code == "diagnosis")


def test_dialogues_not_kept(tmp_path: Path) -> None:
    results = {
        name: score_file(write(tmp_path / f"{name}.jsonl", each), measures=["JGA"])
        for name, each in (("a", wrong_area), ("b", lambda *all_: all_[2]))
    }
    [ladder] = compare(results, HOW).ladders
    assert [each.name for each in ladder.rungs] == ["as written"]


def call_compare(capsys: pytest.CaptureFixture[str], systems: list[str], *words: str) -> Any:
    folder = ("data", "compat", "mwzeval")
    files = [f"{name}={shared(*folder, f'{name}.pred.json.gz')}" for name in systems]
    gold = shared(*folder, "mw21.gold.json.gz")
    usual = ["--gold", gold, "--set", "missing=empty", "--measure", "JGA"]
    return call(capsys, "compare", *files, *usual, *words)


def test_warnings_of_single_systems_name_them(capsys: pytest.CaptureFixture[str]) -> None:
    warnings = call_compare(capsys, ["labes", "uniconv", "damd"], "--set", "resamples=100", "-v").err
    assert "labes: 615 turns without prediction are scored as empty states" in warnings
    assert "damd: 18 turns without prediction are scored as empty states" in warnings


def test_failure_names_dependence(capsys: pytest.CaptureFixture[str]) -> None:
    result = call_compare(capsys, ["labes", "uniconv"], "--set", "resamples=1000", "--fail-if", "worse", "-q")
    assert result.code == 1
    assert result.err.rstrip().endswith("; the verdict turns with spelling")
