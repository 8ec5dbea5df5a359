"""The law of signatures: if a number changes, its signature changes; if nothing that the rules see changes, it does not.

Random files of every layout are scored, one thing is mutated, and they are scored again.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import pytest

from dialmeter import __version__
from dialmeter.core.comparability import not_comparable
from dialmeter.core.comparison import Resampling
from dialmeter.errors import DialmeterError
from dialmeter.measure import Score
from dialmeter.tracking.compare import compare
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import Rules, change, load, named
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.scoring import score_file

from ..scoring import score_tracker
from .scorers import random_files

Json = Any
State = dict[str, Any]


class Files(NamedTuple):
    """The parts of a corpus: gold and predictions as JSON, and the schema if the layout has one."""

    gold: Json
    pred: Json
    schema: Json = None


class Route(NamedTuple):
    """A way into the scorer: random files, a function that scores them, the rule sets that can be applied, and how deep in the
    document of gold its states are."""

    random: Callable[[Random], Files]
    score: Callable[[Files, Path, Rules, list[str] | None], TrackerResult]
    rules: tuple[str, ...]
    depth: int = 0


def write(path: Path, content: Json) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def write_lines(path: Path, rows: list[Json]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def scored_files(
    path: str, gold: str | None, rules: Rules, measures: list[str] | None, *formats: str | None
) -> TrackerResult:
    format, gold_format = (*formats, None, None)[:2]
    return score_file(path, gold, rules=rules, measures=measures, format=format, gold_format=gold_format)


def two_files(format: str) -> Callable[..., TrackerResult]:
    """One file for gold and one for predictions, in the same layout."""

    def score(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
        paths = write(folder / "pred.json", files.pred), write(folder / "gold.json", files.gold)
        return scored_files(*paths, rules, measures, format, format)

    return score


def multiwoz22(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    write(folder / "test" / "dialogues_001.json", files.gold)
    return scored_files(write(folder / "pred.json", files.pred), str(folder / "test"), rules, measures)


def sgd(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    for side, content in (("gold", files.gold), ("pred", files.pred)):
        write(folder / side / "dialogues_001.json", content)
    write(folder / "gold" / "schema.json", files.schema)
    return scored_files(str(folder / "pred"), str(folder / "gold"), rules, measures, "sgd", "sgd")


def one_file(
    format: str, keys: tuple[str, str], encode: Callable[[Json], Json] = lambda state: state
) -> Callable[..., TrackerResult]:
    """Both states of a turn under two keys, by dialogue and turn."""

    def score(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
        content = {
            name: {
                number: {keys[0]: encode(state), keys[1]: encode(files.pred[name][number])}
                for number, state in turns.items()
            }
            for name, turns in files.gold.items()
        }
        return scored_files(write(folder / "both.json", content), None, rules, measures, format)

    return score


def flat(state: State) -> State:
    return {f"{domain}-{slot}": value for domain, slots in state.items() for slot, value in slots.items()}


def native(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    rows = [
        {
            "dialogue_id": name,
            "turns": [
                {"turn": int(number), "gold": flat(state), "pred": flat(files.pred[name][number])}
                for number, state in turns.items()
            ],
        }
        for name, turns in files.gold.items()
    ]
    return scored_files(write_lines(folder / "native.jsonl", rows), None, rules, measures, "native")


def rows(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    lines = [
        {"dialogue_id": name, "turn": int(number), "gold": flat(state), "pred": flat(files.pred[name][number])}
        for name, turns in files.gold.items()
        for number, state in turns.items()
    ]
    return scored_files(write_lines(folder / "rows.jsonl", lines), None, rules, measures, "rows")


def python(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    """Objects in memory; turns are counted, so their numbers in the file do not matter."""
    gold, pred = ({name: [*map(flat, turns.values())] for name, turns in side.items()} for side in files[:2])
    return score_tracker(gold, pred, measures, rules, ci=0)


def shards(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    """Objects in memory, in two scorers that are merged, the last dialogues first."""
    merged, other = TrackerScorer(measures, rules), TrackerScorer(measures, rules)
    for place, (name, turns) in enumerate(reversed(files.gold.items())):
        states = [[*map(flat, side.values())] for side in (turns, files.pred[name])]
        (merged, other)[place % 2].add(name, *states)
    merged.merge_part(other.part)
    return merged.result()


def convlab3(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    joined = [
        {**row, "state": state, "predictions": {"state": told}}
        for (row, told), state in zip(files.pred, files.gold, strict=True)
    ]
    return scored_files(write(folder / "rows.json", joined), None, rules, measures, "convlab3")


def t5_text(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    joined = [{"predictions": told, "state_seq": text} for told, text in zip(files.pred, files.gold, strict=True)]
    return scored_files(write_lines(folder / "rows.jsonl", joined), None, rules, measures)


def random_multiwoz22(random: Random) -> Files:
    gold, pred = random_files.mwzeval(random)
    return Files(random_files.multiwoz22(random, gold), pred)


def random_sgd(random: Random) -> Files:
    schema, gold, pred = random_files.sgd(random)
    return Files(gold, pred, schema)


def random_convlab3(random: Random) -> Files:
    entries = random_files.convlab3(random)
    pred = [({key: row[key] for key in ("dialogue_id", "utt_idx")}, row["predictions"]["state"]) for row in entries]
    return Files([row["state"] for row in entries], pred)


def random_t5_text(random: Random) -> Files:
    lines = random_files.t5_text(random)
    return Files([row["state_seq"] for row in lines], [row["predictions"] for row in lines])


def apart(file: Json, keys: tuple[str, str]) -> Files:
    """Split a file with both states of a turn."""
    return Files(
        *({name: {number: turn[key] for number, turn in turns.items()} for name, turns in file.items()} for key in keys)
    )


NESTED_KEYS = ("gt", "pr")
TRADE_KEYS = ("turn_belief", "pred_bs_ptr")


def random_nested(random: Random) -> Files:
    return apart(random_files.nested(random), NESTED_KEYS)


RULES: dict[str, Rules] = {
    **{
        name: named(name)
        for name in ("dialmeter", "fga-repo", "gca-repo", "trade", "mwzeval", "convlab3", "convlab3-t5")
    },
    **{name: named(name) for name in ("dstc10", "sgd")},
    **{
        f"any {kind}": change(named("dialmeter"), alternatives=kind, missing="skip")
        for kind in ("first", "listed", "first-listed")
    },
    "updates": change(named("dialmeter"), state="update"),
    "unscored": change(named("dialmeter"), missing="skip"),
    "cut": change(named("trade"), alternatives="any-of", missing="skip"),
    "named slots": change(named("dialmeter"), extra="unlisted", names="mwzeval", clash="last"),
    "some slots": change(named("trade"), only="hotel//area,train//leave at,taxi//leaveat"),
}
_ANY = ("dialmeter", "fga-repo", "gca-repo", "trade", "convlab3-t5")
_CHANGED = ("any first", "any listed", "any first-listed")
ROUTES: dict[str, Route] = {
    "mwzeval": Route(
        lambda random: Files(*random_files.mwzeval(random)), two_files("mwzeval"), ("mwzeval", "any listed")
    ),
    "multiwoz22": Route(random_multiwoz22, multiwoz22, ("mwzeval", "unscored", *_CHANGED, "cut")),
    "convlab3": Route(random_convlab3, convlab3, ("convlab3", "convlab3-t5", "dialmeter", "named slots")),
    "t5-text": Route(random_t5_text, t5_text, ("convlab3-t5",)),
    "dstc10": Route(lambda random: Files(*random_files.dstc10(random)), two_files("dstc10"), ("dstc10", "dialmeter")),
    "sgd": Route(random_sgd, sgd, ("sgd", "dialmeter")),
    "trade": Route(
        lambda random: apart(random_files.trade(random), TRADE_KEYS), one_file("trade", TRADE_KEYS), ("trade", "cut"), 2
    ),
    "nested": Route(random_nested, one_file("nested", NESTED_KEYS), (*_ANY, "updates", "some slots"), 2),
    "native": Route(random_nested, native, (*_ANY, "any first"), 2),
    "rows": Route(random_nested, rows, ("dialmeter", "fga-repo"), 2),
    "python": Route(random_nested, python, (*_ANY, "updates"), 2),
    "shards": Route(random_nested, shards, (*_ANY, "updates"), 2),
}
MEASURES = {"sgd": None, "convlab3-t5": ["JGA", "SlotF1", "SequenceMatch"], "dstc10": None}
MOST = [
    "JGA",
    "SA",
    "AGA",
    "RSA",
    "FGA(lam=0.5)",
    "GCA",
    "GCA(deletions=code)",
    "GCA(alternatives=strict)",
    "ValueF1",
    "JointF1",
]
PAIRS = [(route, rules) for route, each in ROUTES.items() for rules in each.rules]


def measures_of(route: str, rules: str) -> list[str] | None:
    of_frames = (
        ["JointGoalAccuracy", "AverageGoalAccuracy", "IntentAccuracy", "RequestedSlotF1"] if route == "sgd" else []
    )
    return MEASURES.get(rules, [*MOST, *of_frames])


def places(content: Json, depth: int) -> Iterator[tuple[Json, Any]]:
    """Every part of a document from a depth on, as what holds it and its key."""
    inside = content.items() if isinstance(content, dict) else enumerate(content) if isinstance(content, list) else ()
    for key, part in list(inside):
        if depth <= 1:
            yield content, key
        yield from places(part, depth - 1)


def respelled(random: Random, text: str) -> str:
    return random.choice(
        (text.upper(), text.replace(" ", ""), f"{text} ", text.replace("leaveat", "leave at"), f"book {text}")
    )


def mutated(random: Random, content: Json, depth: int = 0) -> Json:
    """The same document with one thing changed: a value, a name, a spelling, an order, a key."""
    content = copy.deepcopy(content)
    holder, key = random.choice(list(places(content, depth)))
    part = holder[key]
    if isinstance(part, str):
        holder[key] = random.choice((random_files.noisy(random, part), "", "none", part.upper(), f"{part}|x", "x"))
    elif isinstance(part, bool):
        holder[key] = not part
    elif isinstance(part, list):
        holder[key] = random.choice((part[::-1], part[:-1], [], [*part, *part[:1]], [*part[1:], *part[:1]]))
    elif isinstance(part, dict) and part:
        name = random.choice(list(part))
        new = random.choice((name, respelled(random, name), random.choice(("area", "leave at", "name"))))
        changed = [(new if each == name else each, held) for each, held in part.items()]
        without = [each for each in part.items() if each[0] != name]
        empty: Json = {} if isinstance(part[name], dict) else [] if isinstance(part[name], list) else ""
        holder[key] = dict(random.choice((changed, changed, without, reversed(changed), [*without, (name, empty)])))
    return content


def changed_files(random: Random, files: Files, depth: int) -> Files:
    if files.schema is not None and random.random() < 0.3:
        return files._replace(schema=mutated(random, files.schema))
    return files._replace(gold=mutated(random, files.gold, depth))


def told(scores: list[Score]) -> dict[tuple[Any, ...], tuple[Any, str]]:
    """The number and the signature of each score."""
    return {(each.measure, *each.group.values()): ((each.value, each.ci), each.signature) for each in scores}


def check(route: str, rules: str, folder: Path, seed: int, times: int) -> tuple[int, int]:
    """Mutate one thing, many times. Return how often a number changed, and how often the signature did."""
    random = Random(f"{route} {rules} {seed}")
    moved = signed = 0
    measures = measures_of(route, rules)
    for _ in range(times):
        files = ROUTES[route].random(random)
        other = changed_files(random, files, ROUTES[route].depth)
        try:
            one, two = (ROUTES[route].score(each, folder, RULES[rules], measures) for each in (files, other))
        except DialmeterError:
            continue
        before, after = told(one.scores), told(two.scores)
        for name, (number, signature) in before.items():
            # ``gold`` alone is not enough: it is in no part of a comparison.
            differs = not_comparable("tracker", signature, after[name][1]) is not None
            assert differs or after[name][0] == number, (name, number, after[name][0], files.gold, other.gold)
            moved += after[name][0] != number
            signed += differs
    return moved, signed


def as_predictions(files: Files, gold: Json, pick: Callable[[list[str]], str]) -> Files:
    """The same files with predictions that repeat a gold, or one alternative of each of its values."""

    def picked(content: Json) -> Json:
        if isinstance(content, dict):
            return {key: picked(part) for key, part in content.items()}
        return [*map(picked, content)] if isinstance(content, list) else pick(content.split("|"))

    told = picked(gold)
    if isinstance(files.pred, list) and files.pred and isinstance(files.pred[0], tuple):
        told = [(row, state) for (row, _), state in zip(files.pred, told, strict=True)]
    return files._replace(pred=told)


SEPARABLE = [
    (route, rules)
    for route, rules in PAIRS
    if route not in ("sgd", "multiwoz22", "t5-text", "mwzeval") and rules not in ("convlab3-t5", "updates")
]
PICKS: tuple[Callable[[list[str]], str], ...] = (
    "|".join,
    lambda parts: parts[0],
    lambda parts: parts[-1],
    lambda parts: "x",
    lambda parts: "|".join(parts) or "x",
)
"""What a prediction takes of a gold value; the last two also fill slots that gold names without a value."""


def separated(route: str, rules: str, folder: Path, files: Files, other: Files) -> bool:
    """Is there a prediction whose numbers differ between two golds?"""
    measures = measures_of(route, rules)
    for gold in (files.gold, other.gold):
        for pick in PICKS:
            both = [as_predictions(each, gold, pick) for each in (files, other)]
            one, two = (told(ROUTES[route].score(each, folder, RULES[rules], measures).scores) for each in both)
            if any(one[name][0] != two[name][0] for name in one):
                return True
    return False


def check_seen(route: str, rules: str, folder: Path, seed: int, times: int) -> int:
    """Mutate one thing, many times. Return how often nothing changed that the rules see."""
    random = Random(f"seen {route} {rules} {seed}")
    unseen = 0
    measures = measures_of(route, rules)
    for _ in range(times):
        files = ROUTES[route].random(random)
        other = changed_files(random, files, ROUTES[route].depth)
        try:
            one, two = (ROUTES[route].score(each, folder, RULES[rules], measures) for each in (files, other))
            if one.data != two.data:
                assert separated(route, rules, folder, files, other), (files.gold, other.gold)
        except DialmeterError:
            continue
        unseen += one.data == two.data and one.gold != two.gold
    return unseen


@pytest.mark.parametrize(("route", "rules"), PAIRS)
def test_number_in_signature(route: str, rules: str, tmp_path: Path) -> None:
    moved, signed = check(route, rules, tmp_path, seed=2, times=8)
    assert signed >= moved


@pytest.mark.slow
@pytest.mark.parametrize(("route", "rules"), PAIRS)
def test_thousands_of_mutations(route: str, rules: str, tmp_path: Path) -> None:
    moved, signed = check(route, rules, tmp_path, seed=3, times=60)
    assert signed >= moved > 0
    if (route, rules) in SEPARABLE:
        check_seen(route, rules, tmp_path, seed=3, times=20)


@pytest.mark.parametrize(("route", "rules"), SEPARABLE)
def test_indistinguishable_golds_same_data(route: str, rules: str, tmp_path: Path) -> None:
    check_seen(route, rules, tmp_path, seed=4, times=4)


@pytest.mark.parametrize("rules", _ANY)
def test_routes_same_signature(rules: str, tmp_path: Path) -> None:
    files = random_nested(Random(5))
    numbered = files._replace(
        **{
            side: {
                name: dict(zip(map(str, count()), turns.values(), strict=False))
                for name, turns in getattr(files, side).items()
            }
            for side in ("gold", "pred")
        }
    )
    measures = measures_of("nested", rules)
    results = [
        ROUTES[route].score(numbered, tmp_path, RULES[rules], measures) for route in ("nested", "native", "rows")
    ]
    results += [ROUTES[route].score(numbered, tmp_path, RULES[rules], measures) for route in ("python", "shards")]
    assert len({json.dumps([each.signature for each in result.scores]) for result in results}) == 1


class Row(NamedTuple):
    """Two golds with the same canonical digest, and the rules under which they are two."""

    rules: str
    route: str
    pred: Json
    gold: Json
    other: Json


def turn(state: Json) -> Json:
    return {"d": {"0": state}}


TIME, JOINED = {"train": {"leave at": "9"}}, {"train": {"leaveat": "9"}}
EMPTY = {"hotel": {"area": "", "name": "a"}}
NAMED = {"hotel": {"name": "a"}}
ROW = {"dialogue_id": "d", "utt_idx": 0}
DSTC10 = {"hotel": {"semi": {"area": ["east"]}}}
ROWS = [
    *(Row(rules, "nested", turn(TIME), turn(TIME), turn(JOINED)) for rules in ("trade", "fga-repo", "gca-repo")),
    *(Row(rules, "nested", turn(EMPTY), turn(EMPTY), turn(NAMED)) for rules in ("trade", "fga-repo", "gca-repo")),
    Row(
        "convlab3",
        "convlab3",
        [(ROW, {"hotel": {"area": "x", "name": "a"}})],
        [EMPTY],
        [{"hotel": {"name": "a", "x": ""}}],
    ),
    Row("dstc10", "dstc10", [DSTC10], [DSTC10], [{"hotel": {"semi": {"area": ["east"], "name": []}}}]),
    Row("dstc10", "dstc10", [DSTC10] * 2, [DSTC10] * 2, [DSTC10, {"hotel": {"book": {"area": ["east"]}}}]),
    *(
        Row(rules, "lists", {"hotel-area": "a"}, {"hotel-area": ["a", "b"]}, {"hotel-area": ["b", "a"]})
        for rules in ("mwzeval", "any first", "any first-listed")
    ),
    *(
        Row(rules, "lists", {"hotel-area": "a"}, {"hotel-area": ["a", "b"]}, {"hotel-area": "a|b"})
        for rules in ("any listed", "any first-listed")
    ),
]


def lists(files: Files, folder: Path, rules: Rules, measures: list[str] | None) -> TrackerResult:
    line = {"dialogue_id": "d", "turns": [{"turn": 0, "gold": files.gold, "pred": files.pred}]}
    return scored_files(write_lines(folder / "file.jsonl", [line]), None, rules, measures, "native")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.rules)
def test_golds_some_rules_distinguish(row: Row, tmp_path: Path) -> None:
    score = lists if row.route == "lists" else ROUTES[row.route].score
    one, two = (score(Files(gold, row.pred), tmp_path, RULES[row.rules], ["JGA"]) for gold in (row.gold, row.other))
    assert one["JGA"].value != two["JGA"].value
    assert one.gold == two.gold
    assert one.data != two.data
    assert not_comparable("tracker", one.signature, two.signature)


def sgd_files(values: list[str], *, categorical: bool = True) -> Files:
    def dialogues(held: list[str]) -> Json:
        state = {"active_intent": "Find", "requested_slots": ["a", "b"], "slot_values": {"area": held}}
        frames = [{"service": "Hotels_1", "slots": [], "state": state}]
        turns = [{"speaker": "USER", "utterance": "u", "frames": frames}]
        return [{"dialogue_id": "1_1", "services": ["Hotels_1"], "turns": turns}]

    slots = [{"name": "area", "is_categorical": categorical}, {"name": "x", "is_categorical": True}]
    return Files(dialogues(values), dialogues(["a"]), [{"service_name": "Hotels_1", "slots": slots}])


def test_schema_of_frames(tmp_path: Path) -> None:
    def scored(values: list[str], *, categorical: bool = True) -> TrackerResult:
        return sgd(sgd_files(values, categorical=categorical), tmp_path, RULES["sgd"], None)

    first, last, free = scored(["a", "b"]), scored(["b", "a"]), scored(["b", "a"], categorical=False)
    goal = "JointGoalAccuracy"
    assert [each[goal].value for each in (first, last, free)] == [1, 0, 1]
    assert first.gold == last.gold == free.gold
    assert len({first[goal].signature, last[goal].signature, free[goal].signature}) == 3
    # The order of the values of a free slot is not seen.
    assert free[goal].signature == scored(["a", "b"], categorical=False)[goal].signature


def test_irrelevant_schema_parts(tmp_path: Path) -> None:
    files = sgd_files(["a"])
    schema = copy.deepcopy(files.schema)
    schema[0]["description"] = "other"
    schema.append({"service_name": "Taxi_1", "slots": [{"name": "to", "is_categorical": True}]})
    one, two = (sgd(each, tmp_path, RULES["sgd"], None) for each in (files, files._replace(schema=schema)))
    assert told(one.scores) == told(two.scores)


def test_intents_and_requests_in_frames(tmp_path: Path) -> None:
    files = sgd_files(["a"])
    other = copy.deepcopy(files)
    state = other.gold[0]["turns"][0]["frames"][0]["state"]
    measures = ["JGA", "IntentAccuracy", "RequestedSlotF1"]
    rules = change(RULES["dialmeter"], missing="skip")
    before = sgd(files, tmp_path, rules, measures)
    state["requested_slots"].reverse()
    assert told(sgd(other, tmp_path, rules, measures).scores) == told(before.scores)
    state["active_intent"] = "Book"
    after = sgd(other, tmp_path, rules, measures)
    assert after["JGA"].signature == before["JGA"].signature
    assert after["IntentAccuracy"].value != before["IntentAccuracy"].value
    assert after["IntentAccuracy"].signature != before["IntentAccuracy"].signature


GOLD = {
    "d1": [{"hotel-area": "a", "hotel-name": "x-y"}, {"hotel-area": "not mentioned", "taxi-to": "A|b"}],
    "d2": [{"hotel-area": "b"}],
}
PRED = {
    "d1": [{"hotel-area": "a", "hotel-name": "x-z"}, {"hotel-area": "none", "taxi-to": "a"}],
    "d2": [{"taxi-to": "c"}],
}
FIELDS: list[tuple[str, str]] = [
    ("names", "as-is"), ("only", "hotel//area"), ("only", "hotel//name"), ("values", "as-is"), ("values", "trim,lower"),
    ("none", "keep"), ("none", "none"), ("none", "not mentioned"), ("none", "not-mentioned"), ("none", "a"),
    ("none", "gold=a;pred=keep"), ("none", "gold=keep;pred=a"), ("dontcare", "keep"), ("extra", "ignore-slots"),
    ("extra", "ignore-domains"), ("alternatives", "literal"), ("alternatives", "first"), ("alternatives", "listed"),
    ("match", "ratio>=50"), ("match", "ratio>=99"), ("match", "fuzzywuzzy-partial>10"), ("undefined", "zero"),
    ("state", "update"), ("state", "update-pred"), ("map", "multiwoz"),
]  # fmt: skip


OWN_RULES = """
values = []
dontcare = "keep"
extra = "penalise"
alternatives = "literal"
match = "exact"
missing = "error"
state = "cumulative"
"""
OWN_FIELDS = [
    *('none = ["a"]', 'none = ["A"]', 'none = ["blank"]', 'none = [""]', 'none = ["keep"]', "none = []"),
    *('none = ["not mentioned"]', 'none = ["not-mentioned"]', 'none = ["a+b"]', 'none = ["a", "b"]', 'none = ["a|b"]'),
    *("none = []\nhyphen_cut = true", "none = []\n[settings]\nSA = { slots = 30 }"),
    *("none = []\n[settings]\nGCA = { alpha = 0.5 }", 'none = []\n[settings]\nFGA = { local = "code" }'),
]


def test_rule_in_signature(tmp_path: Path) -> None:
    """Every two rule sets of a list, also such as can be written only in a file: equal signatures have equal numbers."""
    variants = [change(RULES[base], **{name: value}) for base in ("dialmeter", "trade") for name, value in FIELDS]
    for number, extra in enumerate(OWN_FIELDS):
        path = tmp_path / str(number) / "own.toml"
        path.parent.mkdir()
        path.write_text(OWN_RULES + extra, "utf-8")
        variants.append(load(str(path)))
    numbers: dict[str, Any] = {}
    for rules in variants:
        for each in score_tracker(GOLD, PRED, ["JGA", "SA", "RSA", "GCA", "FGA(lam=1)"], rules, ci=0).scores:
            assert numbers.setdefault(each.signature, each.value) == each.value, each.signature


def test_absent_words_distinguished() -> None:
    """The text of a field in a signature stands for one value of the field."""
    words = [
        ("a",),
        ("a b",),
        ("a-b",),
        ("a", "b"),
        ("a+b",),
        ("",),
        ("blank",),
        ("<empty>",),
        ("empty",),
        ("keep",),
        (),
        ("é",),
    ]
    shown = [msgspec.structs.replace(RULES["dialmeter"], none=each).shown("none") for each in words]
    assert len(set(shown)) == len(words)
    assert not any("|" in text for text in shown)


def interval(**settings: Any) -> TrackerResult:
    """A corpus of dialogues of one to seven turns; the first third of them is predicted right."""
    gold = {f"d{number}": [{"a-b": "1"}] * (1 + number % 7) for number in range(40)}
    pred = {
        name: [{"a-b": "1" if place < 1 + len(states) // 3 else "2"} for place in range(len(states))]
        for name, states in gold.items()
    }
    return score_tracker(gold, pred, ["JGA"], **settings)


def test_interval_in_signature() -> None:
    base = interval()
    assert "|ci:95|bs:1000|seed:12345|v:" in base.signature
    plain = interval(ci=0)
    assert not {"ci", "bs", "seed"} & {part.partition(":")[0] for part in plain.signature.split("|")}
    for settings in ({"ci": 0.9}, {"resamples": 77}, {"seed": 2}):
        other = interval(**settings)
        assert other["JGA"].ci != base["JGA"].ci
        assert other.signature != base.signature
        assert not_comparable("tracker", base.signature, other.signature) is None
    assert not_comparable("tracker", base.signature, plain.signature) is None


def test_group_without_interval() -> None:
    assert all("|ci:" not in each.signature for each in interval(by=["domain"]).by("domain"))


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
def test_comparison_names_its_test(test: Any) -> None:
    resampling = Resampling(0.9, 100, 3)
    compared = compare({"one": interval(), "two": interval()}, resampling, test)
    assert compared.versus[0].signature.endswith(f"|ci:90|bs:100|seed:3|test:{test}|v:{__version__}")
    assert compared.versus[0].signature.startswith("JGA|rules:dialmeter|")


def test_data_decides_and_gold_informs() -> None:
    line = "JGA|rules:a|d:1|gold:3f|data:77|v:1"
    assert not_comparable("tracker", line, line.replace("gold:3f", "gold:4f")) is None
    assert not_comparable("tracker", line, line.replace("data:77", "data:78")) == "gold under the rules (data): 77 ≠ 78"


def test_equivalent_golds_compared(tmp_path: Path) -> None:
    golds = {"a": turn(TIME), "b": turn(JOINED)}
    for rules, differ in (("dialmeter", False), ("trade", True)):
        results = {
            name: ROUTES["nested"].score(Files(gold, turn(TIME)), tmp_path, RULES[rules], ["JGA"])
            for name, gold in golds.items()
        }
        if differ:
            with pytest.raises(DialmeterError, match="different gold in 1 of 1 dialogues"):
                compare(results, Resampling())
        else:
            assert compare(results, Resampling()).versus[0].difference == 0


def test_training_services_in_signature(tmp_path: Path) -> None:
    files = sgd_files(["a"])
    sgd(files, tmp_path, RULES["sgd"], None)
    lines = set()
    for service in ("Hotels_1", "Other_1"):
        train = write(
            tmp_path / "train.json", [{"service_name": service, "slots": [{"name": "area", "is_categorical": True}]}]
        )
        result = score_file(
            str(tmp_path / "pred"),
            str(tmp_path / "gold"),
            rules="sgd",
            measures=["JGA"],
            train_schema=train,
            by=["seen"],
        )
        lines.add(result.by("seen")[0].signature.replace("|seen:unseen", "|seen:seen"))
    assert len(lines) == 2
