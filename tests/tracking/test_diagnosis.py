"""The diagnosis finds every problem that is planted in a clean file, and reports the right number of points."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dialmeter.readers.source import spans
from dialmeter.tracking import scoring
from dialmeter.tracking.align import KeptDialogues, PairFiles, ShardFiles
from dialmeter.tracking.diagnosis.suspicions import Finding, diagnose, suspicions
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules, change, named, names
from dialmeter.tracking.scoring import score_file
from dialmeter.values.steps import difference

from ..scoring import score_tracker
from ..shared_data import shared

State = dict[str, str]
Corpus = dict[str, list[State]]

AREAS = ("centre", "east", "west", "north")
DAYS = ("monday", "tuesday", "sunday")


def clean(dialogues: int = 48) -> Corpus:
    """Cumulative states of four turns: hotels, then a train; the last turn is as the one before."""
    made: Corpus = {}
    for number in range(dialogues):
        first = {"hotel-area": AREAS[number % 4], "hotel-type": "guesthouse" if number % 2 else "hotel"}
        second = {**first, "train-leaveat": f"{10 + number % 9}:15", "train-people": str(1 + number % 3)}
        third = {**second, "train-day": DAYS[number % 3]}
        made[f"D{number}"] = [first, second, third, third]
    return made


def planted(change_state: Callable[[State], State]) -> Corpus:
    return {name: [change_state(state) for state in states] for name, states in clean().items()}


def rewritten(slot: str, forms: Callable[[str], str]) -> Corpus:
    return planted(lambda state: {**state, slot: forms(state[slot])} if slot in state else state)


def renamed(forms: dict[str, str]) -> Corpus:
    return planted(lambda state: {forms.get(slot, slot): value for slot, value in state.items()})


def news(corpus: Corpus) -> Corpus:
    return {
        name: [
            {slot: value for slot, value in state.items() if number == 0 or states[number - 1].get(slot) != value}
            for number, state in enumerate(states)
        ]
        for name, states in corpus.items()
    }


def scored(
    folder: Path, pred: Corpus, gold: Corpus | None = None, rules: str = "dialmeter", **fields: str
) -> TrackerResult:
    files = {}
    for side, corpus in (("gold", gold or clean()), ("pred", pred)):
        lines = [
            json.dumps({"dialogue_id": name, "turns": [{"turn": at, side: each} for at, each in enumerate(states)]})
            for name, states in corpus.items()
        ]
        files[side] = folder / f"{side}.jsonl"
        files[side].write_text("\n".join(lines) + "\n", "utf-8")
    return score_file(str(files["pred"]), str(files["gold"]), measures=["JGA"], rules=change(named(rules), **fields))


def lost(result: TrackerResult) -> float:
    """How many points the file is below 100."""
    assert result.value is not None
    return 100 * (1 - result.value)


def faults(result: TrackerResult) -> list[Finding]:
    """The findings about single faults. Clean predictions are gold, so with the fault repaired they look copied."""
    return [each for each in result.diagnosis if each.kind not in ("copied", "spellings")]


def only_finding(result: TrackerResult) -> Finding:
    (found,) = faults(result)
    return found


def respelled(state: State) -> State:
    late = {"train-leaveat": state["train-leaveat"].replace(":", "")} if "train-leaveat" in state else {}
    return {**state, **late, "hotel-type": state["hotel-type"].replace("tho", "t ho")}


def without(state: State) -> State:
    return {slot: value for slot, value in state.items() if slot not in ("train-day", "train-people")}


GERMAN = {"monday": "montag", "tuesday": "dienstag", "sunday": "sonntag"}
NUMBERS = {"1": "one", "2": "two", "3": "three"}
TIMES = (
    "train-leaveat agrees with gold at 0 of 144 turns at which both have a value, such as gold '12:15' and predicted "
    "'1215' (18 turns, differs by time form); --set map=multiwoz fixes it (JGA 25.00 → 100.00, +75.00 points)"
)
PLANTED: dict[str, tuple[Corpus, dict[str, str], float, dict[str, Any], list[str]]] = {
    "a slot that never agrees": (
        rewritten("train-leaveat", lambda value: value.replace(":", "")), {}, 75,
        {"kind": "slot", "slots": ("train-leaveat",), "turns": 144, "option": "--set map=multiwoz", "message": TIMES,
         "dialogue": "D0", "turn": 1, "gold": "12:15", "pred": "1215"}, [],
    ),
    "slots that one option fixes": (
        planted(respelled), {}, 87.5, {"slots": ("train-leaveat", "hotel-type")}, ["; likewise hotel-type; --set map=multiwoz"],
    ),
    "another language": (
        rewritten("train-day", GERMAN.__getitem__), {}, 50, {"kind": "slot"},
        ["; --set map=FILE with {", "} and similar entries fixes it if they mean the same"],
    ),
    "a pair of a known kind": (
        rewritten("hotel-type", lambda value: value.replace("tho", "t ho")), {}, 50,
        {"kind": "pair", "slot": "hotel-type", "gold": "guesthouse", "pred": "guest house", "option": "--set map=multiwoz"},
        ["100 % of the slot's mistakes (differs by blanks, 'guesthouse' is never predicted)"],
    ),
    "capitals": (
        rewritten("train-day", str.title), {"rules": "fga-repo"}, 50, {"option": "--set values=trim,blanks,lower"},
        ["differs by capitals"],
    ),
    "number words": (
        rewritten("train-people", NUMBERS.__getitem__), {}, 75, {"option": "--set values=nfkc,tidy,trim,blanks,lower,digits"}, [],
    ),
    "names of slots that an option fixes": (
        renamed({"train-leaveat": "train-leaveAt"}), {"names": "as-is"}, 75,
        {"kind": "slot-name", "gold": "train-leaveat", "pred": "train-leaveAt", "option": "--set names=multiwoz"}, [],
    ),
    "names of slots that no option fixes": (
        renamed({"hotel-area": "Hotel-Area", "hotel-type": "hotel-_type"}), {}, 100,
        {"kind": "slot-name", "slots": ("Hotel-Area", "hotel-_type")}, [],
    ),
    "predicted updates": (news(clean()), {}, 75, {"kind": "news", "option": "--set state=update-pred"}, []),
    "ids": (
        {name if number % 2 else f"x{name}": states for number, (name, states) in enumerate(clean().items())},
        {"missing": "empty"}, 50, {"kind": "ids", "option": "--set missing=skip"},
        ["24 gold dialogues have no prediction, such as 'D0'", "24 predicted dialogues have no gold, such as 'xD0'"],
    ),
    "slots that are never predicted": (
        planted(without), {}, 75,
        {"kind": "never-predicted", "slots": ("train-day", "train-people"), "turns": 48 * 5, "is_grave": True,
         "message": "2 of 5 slots are never predicted: train-day, train-people; JGA on the other 3 slots: 100.00"}, [],
    ),
    "slots that are never in gold": (
        {name: [{**state, "model_version": "v3"} for state in states] for name, states in clean().items()}, {}, 100,
        {"kind": "never-in-gold", "slots": ("model_version",), "value": 100.0,
         "message": "1 predicted slot is never in gold: model_version; JGA without them: 100.00"}, [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("pred", "fields", "points", "wanted", "says"), PLANTED.values(), ids=PLANTED)
def test_planted(
    pred: Corpus, fields: dict[str, str], points: float, wanted: dict[str, Any], says: list[str], tmp_path: Path
) -> None:
    result = scored(tmp_path, pred, **fields)
    found = only_finding(result)
    assert {name: getattr(found, name) for name in wanted} == wanted
    assert found.points == pytest.approx(lost(result)) == pytest.approx(points)
    assert [text for text in says if text not in found.message] == []


@pytest.mark.parametrize("name", PLANTED)
def test_kept_or_read_again(name: str, tmp_path: Path) -> None:
    """Dialogues that were kept, a file that is read again, and its shards give the same findings."""
    pred, fields, *_ = PLANTED[name]
    result = scored(tmp_path, pred, **fields)
    assert isinstance(result.files, KeptDialogues)
    again = PairFiles(str(tmp_path / "pred.jsonl"), str(tmp_path / "gold.jsonl"))
    assert diagnose(result.findings, result.rules, again) == result.diagnosis
    if pred.keys() == clean().keys():
        path = tmp_path / "both.jsonl"
        both = {
            name: [
                {"turn": at, "gold": one, "pred": two}
                for at, (one, two) in enumerate(zip(states, pred[name], strict=True))
            ]
            for name, states in clean().items()
        }
        path.write_text(
            "".join(json.dumps({"dialogue_id": name, "turns": turns}) + "\n" for name, turns in both.items())
        )
        shards = ShardFiles(str(path), spans=spans(str(path), 4000))
        assert len(shards.spans) > 3
        assert diagnose(result.findings, result.rules, shards) == result.diagnosis


def test_file_too_large_to_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = scored(tmp_path, planted(respelled))
    monkeypatch.setattr(scoring, "_MOST_KEPT", 48 * 4 - 1)
    read_again = scored(tmp_path, planted(respelled))
    assert isinstance(read_again.files, PairFiles)
    assert read_again.diagnosis == kept.diagnosis != []


def test_gold_updates(tmp_path: Path) -> None:
    result = scored(tmp_path, clean(), news(clean()))
    assert only_finding(result).option == "--set state=update"
    assert only_finding(result).points == pytest.approx(lost(result))


NO_FINDING: dict[str, tuple[Corpus, Corpus | None, dict[str, str], float]] = {
    # "east" is also predicted where gold has it.
    "two values": (
        {**rewritten("hotel-area", lambda value: {"centre": "east"}.get(value, value)), "D0": clean()["D0"]}, None, {}, 0.8,
    ),
    "one turn": (
        {**clean(), "D1": [{**clean()["D1"][0], "hotel-type": "guest house"}, *clean()["D1"][1:]]}, None, {}, 1,
    ),
    "known updates": (news(clean()), None, {"state": "update-pred"}, 1.1),
    # A state that comes back was no update.
    "a forgetful tracker": (
        {name: [states[0], {}, states[0], {}, states[0]] for name, states in clean().items()},
        {name: [states[0]] * 5 for name, states in clean().items()}, {}, 1,
    ),
}  # fmt: skip


def test_no_id_matches(tmp_path: Path) -> None:
    pred = {f"other {name}": states for name, states in clean().items()}
    for corpus, begins in (
        (pred, "no id matches: "),
        (pred | dict([next(iter(clean().items()))]), "only some ids match: "),
    ):
        (found,) = (each for each in scored(tmp_path, corpus, missing="empty").diagnosis if each.kind == "ids")
        assert found.message.startswith(begins)


@pytest.mark.parametrize(("pred", "gold", "fields", "below"), NO_FINDING.values(), ids=NO_FINDING)
def test_no_finding(pred: Corpus, gold: Corpus | None, fields: dict[str, str], below: float, tmp_path: Path) -> None:
    result = scored(tmp_path, pred, gold, **fields)
    assert result.value is not None
    assert result.value < below
    assert faults(result) == []


def test_value_never_predicted(tmp_path: Path) -> None:
    pred = rewritten("hotel-area", lambda value: {"centre": "middle"}.get(value, value))
    result = scored(tmp_path, pred)
    found = only_finding(result)
    assert (found.kind, found.gold, found.pred, found.turns) == ("pair", "centre", "middle", 48)
    assert found.points == pytest.approx(lost(result)) == pytest.approx(25)
    assert "}} fixes it if they mean the same (JGA" in found.message
    written = re.fullmatch(r"--set map=FILE with (\{.*\})", found.option)
    assert written is not None
    own = tmp_path / "map.json"
    own.write_text(written[1], "utf-8")
    assert scored(tmp_path, pred, map=str(own)).value == 1
    assert faults(scored(tmp_path, pred, map=str(own))) == []


def test_clashing_names_not_rescored(tmp_path: Path) -> None:
    pred = planted(lambda state: {**state, "Hotel-Area": "south"})
    found = only_finding(scored(tmp_path, pred, clash="error"))
    assert found.points is None
    assert "not scored again, because a state would have two values of one slot" in found.message


def test_at_most_five_rescored(tmp_path: Path) -> None:
    gold = planted(lambda state: {f"a-s{number}": f"v{number}" for number in range(7)})
    pred = planted(lambda state: {f"a-s{number}": f"w{number}" for number in range(7)})
    found = faults(scored(tmp_path, pred, gold))
    assert sorted(each.points is None for each in found) == [False] * 5 + [True] * 2
    assert {each.points for each in found} == {0, None}
    assert all(
        each.message.endswith("; together with the other fixes JGA is 100.00") for each in found if each.points == 0
    )
    assert any("not scored again: only the first 5 findings are" in each.message for each in found)


def test_fix_without_gain(tmp_path: Path) -> None:
    """A slot that is not in gold makes every turn wrong, so another form of times makes no turn right. Only the slot is found."""

    def forms(state: State) -> State:
        times = {slot: value.replace(":", "") for slot, value in state.items()}
        return {**times, "taxi-to": "harbour"}

    result = scored(tmp_path, planted(forms))
    assert result.value == 0
    assert {each.finding.kind for each in suspicions(result.findings, result.rules)} == {"slot", "never-in-gold"}
    assert [each.kind for each in result.diagnosis] == ["never-in-gold"]


def test_fix_hidden_by_other_problem(tmp_path: Path) -> None:
    """Names and times are both wrong at every turn with a time, so the times alone gain nothing."""

    def forms(state: State) -> State:
        return {slot.replace("train-", "train-_"): value.replace(":", "") for slot, value in state.items()}

    def one_name(state: State) -> State:
        state = forms(state)
        return {**state, "train-leaveat": state.pop("train-_leaveat")} if "train-_leaveat" in state else state

    found = faults(scored(tmp_path, planted(one_name)))
    assert {each.kind for each in found} == {"slot-name", "slot"}
    assert all(
        "(alone it does not change JGA, 25.00); together with the other fixes JGA is 100.00" in each.message
        for each in found
    )


def test_no_slot_is_predicted(tmp_path: Path) -> None:
    found = only_finding(scored(tmp_path, planted(lambda state: {})))
    assert found.message.startswith("5 of 5 slots are never predicted: hotel-area, hotel-type, train-day")
    assert "JGA" not in found.message
    assert found.points is None
    assert found.is_grave


def test_hidden_slot_without_gain(tmp_path: Path) -> None:
    pred = planted(lambda state: {**{key: state[key] for key in state if key != "train-day"}, "hotel-area": "far"})
    assert [each.kind for each in scored(tmp_path, pred).diagnosis if each.kind == "never-predicted"] == []


def test_memory_not_rescored() -> None:
    pred = rewritten("hotel-type", lambda value: value.replace("tho", "t ho"))
    (found,) = score_tracker(clean(), pred, ["JGA"]).diagnosis
    assert found.points is None
    assert "not scored again: the files cannot be read twice" in found.message


def fits(rules: Rules) -> bool:
    """Can native lines without schema and sections be scored under the rules?"""
    return not (rules.only or rules.stand_ins or rules.extra == "unlisted")


@pytest.mark.parametrize("rules", [name for name in names() if fits(named(name))])
def test_gold_against_gold_looks_copied(rules: str, tmp_path: Path) -> None:
    (found,) = scored(tmp_path, clean(), rules=rules).diagnosis
    assert (found.kind, found.message) == ("copied", "JGA is 100.00; the predictions may be gold")
    assert found.is_grave


def test_copied_from_100_turns_and_99_percent_of_the_predicted_slots_on(tmp_path: Path) -> None:
    def found(dialogues: int, wrong: int) -> list[str]:
        gold = clean(dialogues)
        pred = {name: [without(state) for state in states] for name, states in gold.items()}
        for name in list(pred)[:wrong]:
            pred[name][3] = {**pred[name][3], "hotel-area": "south"}
        return [each.message for each in scored(tmp_path, pred, gold).diagnosis if each.kind == "copied"]

    assert found(24, 0) == []  # 96 turns
    assert found(25, 0) == ["JGA is 100.00 on the 3 slots that are predicted; the predictions may be gold"]
    assert found(25, 1) == ["JGA is 99.00 on the 3 slots that are predicted; the predictions may be gold"]
    assert found(25, 2) == []


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("guesthouse", "guest house", "blanks"),
        ("east", "East", "capitals"),
        ("saint john's", "saint johns", "punctuation"),
        ("the junction", "junction", "article"),
        ("museum", "museums", "plural"),
        ("17:15", "5:15 pm", "time form"),
        ("17:15", "17 : 15", "time form"),
        ("yes", "true", "yes or true"),
        ("yes", "free", "yes or true"),
        ("café", "cafe", "accents"),
        ("2", "two", "number words"),
        ("The  Café's", "cafes", "spelling"),
        ("centre", "east", ""),
        ("17:15", "17:45", ""),
        ("yes", "no", ""),
        ("1.5", "15", ""),
    ],
)
def test_kinds_of_differences(one: str, other: str, kind: str) -> None:
    assert difference(one, other) == difference(other, one) == kind


@pytest.mark.parametrize(
    "name",
    ["som_dst_100.json", "nested/T5__T5_result_zeroshot_attraction.json", "nested/T5__T5_result_zeroshot_rest.json"],
)
def test_none_above_one_point_on_published_trackers(name: str) -> None:
    found = score_file(str(shared("data", "tracking", *name.split("/")))).diagnosis
    assert [each for each in found if (each.points or 0) > 1 or each.is_grave] == []


PUBLISHED: list[tuple[str, list[tuple[str, str | None, str | None, str | None, float]]]] = [
    ("damd", [("pair", "hotel-type", "guesthouse", "guest house", 1.83)]),
    ("labes", [("pair", "attraction-name", "christ college", "christ's college", 1.49)]),
    (
        "uniconv",
        [
            ("never-predicted", None, None, None, 19.07),
            ("slot", "train-arriveby", "18:00", "1800", 18.48),
            ("copied", None, None, None, 0),
        ],
    ),
    ("mw21.gold", [("copied", None, None, None, 0)]),
]


@pytest.mark.parametrize(("system", "wanted"), PUBLISHED, ids=[name for name, _ in PUBLISHED])
def test_published_systems(system: str, wanted: list[tuple[str, str | None, str | None, str | None, float]]) -> None:
    folder = ("data", "compat", "mwzeval")
    pred = shared(*folder, f"{system}.json.gz" if "." in system else f"{system}.pred.json.gz")
    rules = change(named("dialmeter"), missing="empty")
    found = score_file(str(pred), str(shared(*folder, "mw21.gold.json.gz")), rules=rules).diagnosis
    assert [(each.kind, each.slot, each.gold, each.pred, round(each.points or 0, 2)) for each in found] == wanted
    assert all(each.option == "--set map=multiwoz" for each in found if each.kind in ("slot", "pair"))


def test_two_preprocessings() -> None:
    gold = shared("data", "compat", "mwzeval", "mw21.gold.json.gz")
    pred = shared("data", "tracking", "som_dst_100.json")
    rules = change(named("dialmeter"), missing="skip")
    (found,) = score_file(str(pred), str(gold), rules=rules).diagnosis
    assert (found.slot, found.gold, found.pred, found.is_grave) == ("hotel-type", "guesthouse", "guest house", True)


def test_duplicate_slot_no_finding(tmp_path: Path) -> None:
    pred = planted(lambda state: {**state, "train-leave at": "noon"} if "train-leaveat" in state else state)
    result = scored(tmp_path, pred)
    assert "clash" in [notice.code for notice in result.notices]
    assert not [each for each in result.diagnosis if each.kind == "slot-name"]
