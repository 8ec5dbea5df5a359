"""Changes of rules on the command line that need more than one word."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from dialmeter.cli.door import settings_by_command
from dialmeter.cli.tracker.inputs import RULE_OPTIONS
from dialmeter.tracking.rule_sets.rules import FIELDS
from dialmeter.values.maps import load as load_map

from ..invoke import Cli
from ..samples import native_lines, with_sections, written


def score(cli: Cli, *words: str | Path) -> dict[str, Any]:
    """Return the only score of a command."""
    document = cli.json("score", *words, "--measure", "JGA")
    [found] = document["scores"]
    return {**found, "parts": set(found["signature"].split("|"))}


def one_turn(folder: Path, gold: dict[str, Any], pred: dict[str, Any]) -> Path:
    return written(folder / "p.jsonl", native_lines({"d1": [{"gold": gold, "pred": pred}]}))


@pytest.mark.parametrize("command", ["score", "check", "compare", "find", "study bias", "study curve", "study people"])
def test_every_rule_is_a_setting(command: str) -> None:
    assert tuple(RULE_OPTIONS) == tuple(FIELDS)
    keys = [key for name, key, _ in settings_by_command() if name == command]
    for option in RULE_OPTIONS.values():
        assert option.removeprefix("--") in keys


ABSENT = "blank+none+null+not-mentioned+not_mentioned+n/a+unknown"
NONE = ({"hotel-area": "east"}, {"hotel-area": "east", "hotel-stars": "none"})
CARE: tuple[dict[str, str], dict[str, str]] = ({"hotel-area": "do not care"}, {})
TAXI = ({"hotel-area": "east", "taxi-to": "x"}, {"hotel-area": "east", "taxi-to": "y"})
TRAIN = ({"train-leave at": "17:15"}, {"train-leaveat": "5:15 pm"})
NAME = ({"hotel-name": "the gables"}, {"hotel-name": "gables"})


@pytest.mark.parametrize(
    ("states", "words", "value", "part"),
    [
        (NONE, "--set none=drop", 1, f"none:{ABSENT}"),
        (NONE, "--set none=keep", 0, "none:keep"),
        (NONE, "--set none=gold=drop;pred=keep", 0, f"none:gold={ABSENT};pred=keep"),
        (NONE, "--set none=gold=keep;pred=none", 1, "none:gold=keep;pred=none"),
        (NONE, "--set none=pred=blank,none;gold=empty", 1, "none:gold=empty;pred=blank+none"),
        (CARE, "--set dontcare=merge", 0, "dontcare:merge"),
        (CARE, "--set dontcare=drop", 1, "dontcare:drop"),
        (CARE, "--set dontcare=gold=drop;pred=keep", 1, "dontcare:gold=drop;pred=keep"),
        (CARE, "--set dontcare=gold=keep;pred=drop", 0, "dontcare:gold=keep;pred=drop"),
        (CARE, "--set dontcare=gold=drop-exact;pred=keep", 0, "dontcare:gold=drop-exact;pred=keep"),
        (TAXI, "--set only-slots=hotel//area", 1, "rules:dialmeter"),
        (TAXI, "--set only-slots=hotel//area,taxi//to", 0, "rules:dialmeter"),
        (TRAIN, "", 0, "rules:dialmeter"),
        (TRAIN, "--set map=multiwoz", 1, f"map:{load_map('multiwoz').label}"),
        (NAME, "--set backend=difflib", 0, "rules:dialmeter"),
        (NAME, "--set match=fuzzywuzzy-partial>95 --set backend=levenshtein", 1, "backend:levenshtein"),
        (NAME, "--set match=fuzzywuzzy-partial>95 --set backend=difflib", 1, "backend:difflib"),
    ],
)
def test_one_turn(
    states: tuple[dict[str, str], dict[str, str]], words: str, value: float, part: str, tmp_path: Path, cli: Cli
) -> None:
    found = score(cli, one_turn(tmp_path, *states), *words.split())
    assert found["value"] == value
    assert part in found["parts"]
    assert ("backend:" in found["signature"]) is part.startswith("backend:")


class TestOnlySlots:
    """``--only-slots``, because ``--only`` names dialogues."""

    def test_nothing_else_read(self, tmp_path: Path, cli: Cli) -> None:
        pred, gold = with_sections(tmp_path)
        words = [pred, "--gold", gold, "--set", "alternatives=set"]
        assert score(cli, *words)["value"] == 0
        for slots, value in (
            ("restaurant/semi/food", 1),
            ("restaurant/semi/food, hotel/semi/area", 0.5),
            ("restaurant/semi/food,restaurant/semi/view", 0.5),
            ("restaurant/semi/food,hotel/semi/people", 1),
            ("restaurant/semi/food,hotel/book/people", 0.5),
        ):
            found = score(cli, *words, "--set", f"only-slots={slots}")
            assert found["value"] == value
            [shown] = [part for part in found["parts"] if part.startswith("only-slots:")]
            assert shown.startswith(f"only-slots:{slots.count(',') + 1}@")

    def test_of_all_slots_again(self, tmp_path: Path, cli: Cli) -> None:
        pred, gold = with_sections(tmp_path, {"hotel": {"semi": {"area": ["east"]}, "book": {"people": ["one"]}}})
        words = [pred, "--gold", gold, "--rules", "dstc10"]
        assert score(cli, *words)["value"] == 1
        found = score(cli, *words, "--set", "only-slots=all")
        assert found["value"] == 0.5
        assert not any(part.startswith("only:") for part in found["parts"])

    def test_absent_from_gold(self, tmp_path: Path, cli: Cli) -> None:
        pred, gold = with_sections(tmp_path)
        assert "gold holds none of the 1 slots that they use" in cli.refused(
            "score", pred, "--gold", gold, "--set", "only-slots=hotel/book/stay"
        )


def test_clash(tmp_path: Path, cli: Cli) -> None:
    file = one_turn(tmp_path, {"hotel-book day": "a", "hotel-day": "b"}, {"hotel-day": "b"})
    document = cli.json("score", file)
    assert [(each["code"], each["where"]) for each in document["warnings"]] == [("clash", ["d1 turn 0: hotel-day"])]
    assert cli.refused("score", file, "--set", "clash=error") == (
        f"{file}: line 1, dialogue d1, turn 0, slot hotel-day: duplicate slot with two values, 'a' and 'b'"
    )


def test_map_file_and_rule_file(tmp_path: Path, cli: Cli) -> None:
    file = one_turn(tmp_path, {"hotel-area": "centre"}, {"hotel-area": "Middle"})
    areas = written(tmp_path / "areas.json", json.dumps({"area": {"centre": ["middle"]}}))
    rules = written(
        tmp_path / "mine.toml",
        'values = ["lower"]\nnone = []\ndontcare = "keep"\nextra = "penalise"\nalternatives = "literal"\n'
        f'match = "exact"\nmissing = "error"\nstate = "cumulative"\nmap = "{areas}"\n',
    )
    given, stated = score(cli, file, "--set", f"map={areas}"), score(cli, file, "--rules", rules)
    assert given["value"] == stated["value"] == 1
    [shown] = [part for part in given["parts"] if part.startswith("map:")]
    assert shown in stated["parts"]
    assert score(cli, file, "--rules", rules, "--set", "map=none")["value"] == 0


def test_ratio_of_nothing(tmp_path: Path, cli: Cli) -> None:
    words = ["score", one_turn(tmp_path, {}, {}), "--measure", "SlotF1", "-f", "json"]
    for choice, value in (("none", None), ("zero", 0)):
        [found] = cli(*words, "--set", f"undefined={choice}").json["scores"]
        assert found["value"] == value
        assert ("|undefined:zero|" in found["signature"]) is (choice == "zero")


def test_next_command_keeps_them(tmp_path: Path, cli: Cli) -> None:
    file = one_turn(tmp_path, {"hotel-book day": "a", "hotel-stars": ""}, {"hotel-day": "b"})
    words = [
        "--set",
        "names=as-is",
        "--set",
        "clash=last",
        "--set",
        "none=gold=empty;pred=blank",
        "--set",
        "undefined=zero",
    ]
    printed = cli("score", file, "--quiet", *words).out.partition("\nnext  dialmeter ")[2]
    typed = shlex.split(printed.replace("\\\n", " "))
    assert typed[0] == "find"
    assert [typed[at + 1] for at, word in enumerate(typed) if word == "--set"] == words[1::2]
    assert cli.json(*typed)["found"] == 1
