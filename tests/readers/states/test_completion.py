"""States in completions of all forms, and files of completions."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialmeter.model import DELETED
from dialmeter.readers.completions import state_in
from dialmeter.readers.corpus import open_corpus
from dialmeter.readers.layouts import llm

from .files import as_json, read_all

COUNTED = "counted"
BOTH = {"hotel-area": "east", "hotel-stars": "4"}
AREA = {"hotel-area": "east"}

SHAPES: dict[str, tuple[str, Any]] = {
    # Objects
    "nested JSON": ('{"hotel": {"area": "east", "stars": 4}}', BOTH),
    "flat JSON": ('{"hotel-area": "east", "hotel-stars": "4"}', BOTH),
    "flat and nested": ('{"hotel": {"area": "east"}, "hotel-stars": "4"}', BOTH),
    "fenced JSON": ('Sure!\n```json\n{"hotel": {"area": "east"}}\n```\nAnything else?', AREA),
    "fence without a language": ('```\n{"hotel-area": "east"}\n```', AREA),
    "fence that is not closed": ('```json\n{"hotel-area": "east"}', AREA),
    "JSON in prose": ('I would say {"hotel-area": "east"} is right.', AREA),
    "JSON over lines": ('{\n  "hotel": {\n    "area": "east"\n  }\n}\n', AREA),
    "Python dict": ("{'hotel': {'area': 'east', 'stars': 4}}", BOTH),
    "Python dict in prose": ("The state is {'hotel-area': 'east'}.", AREA),
    "apostrophe in a Python dict": ("{'hotel-name': \"rosa's\"}", {"hotel-name": "rosa's"}),
    "braces in a value": ('{"hotel-name": "the {old} inn"}', {"hotel-name": "the {old} inn"}),
    "trailing comma": ('{"hotel-area": "east", "hotel-stars": "4",}', BOTH),
    "JSON words in a Python dict": ("{'hotel-parking': true, 'hotel-area': null}", {"hotel-parking": "yes"}),
    "assignment": ("state = {'hotel-area': 'east'}", AREA),
    "state inside": ('{"state": {"hotel": {"area": "east"}}}', AREA),
    "belief state inside": ('{"belief_state": {"hotel-area": "east"}}', AREA),
    "dialogue state inside": ('{"Dialogue State": {"hotel-area": "east"}, "turn": 3}', AREA),
    "slot values inside": ('{"slot_values": {"hotel-area": "east"}}', AREA),
    "state inside, as text": ('{"state": "hotel-area: east; hotel-stars: 4"}', BOTH),
    "reasoning beside": ('{"reasoning": "The user said east.", "hotel-area": "east"}', AREA),
    "domain beside slots": ('{"domain": "hotel", "slots": {"area": "east", "stars": 4}}', BOTH),
    "domain among slots": ('[{"domain": "hotel", "area": "east", "stars": 4}]', BOTH),
    "domains as a list": ('[{"service": "hotel", "slot_values": {"area": ["east"]}}]', AREA),
    "semi and book": ('{"hotel": {"semi": {"area": "east"}, "book": {"people": "2"}}}', {**AREA, "hotel-people": "2"}),
    "slot and value objects": ('[{"slot": "hotel-area", "value": "east"}, {"slot": "hotel-stars", "value": 4}]', BOTH),
    "domain, slot and value objects": ('[{"domain": "hotel", "slot": "area", "value": "east"}]', AREA),
    "one such object": ('{"domain": "hotel", "slot": "hotel-area", "value": "east"}', AREA),
    "such objects line by line": (
        '{"slot": "hotel-area", "value": "east"}\n{"slot": "hotel-stars", "value": "4"}',
        BOTH,
    ),
    "such objects under a domain": ('{"hotel": [{"slot": "area", "value": "east"}]}', AREA),
    "a domain in front of each object": (
        'hotel: {"area": "east"}\ntrain: {"day": "monday"}',
        {**AREA, "train-day": "monday"},
    ),
    "JSON without its outer braces": ('"hotel": {"area": "east"},\n"train": {}', AREA),
    "glued strings": ('["hotel-area-east", "hotel-stars-4"]', BOTH),
    "strings with a colon": ('["hotel-area: east", "hotel-stars: 4"]', BOTH),
    "strings with an equals sign": ("['hotel-area=east', 'hotel-stars=4']", BOTH),
    "rows": ('[["hotel", "area", "east"], ["hotel-stars", 4]]', BOTH),
    "tuples": ("[('hotel-area', 'east'), ('hotel-stars', '4')]", BOTH),
    "a time in a glued string": ('["taxi-leaveat-17:15"]', {"taxi-leaveat": "17:15"}),
    "dots for hyphens": ('{"hotel.area": "east"}', AREA),
    "other spellings of slots": (
        '{"taxi": {"leave at": "17:15"}, "hotel-book people": 2}',
        {"taxi-leave at": "17:15", "hotel-book people": "2"},
    ),
    "two names of one slot": (
        '{"hotel-people": 2, "hotel-book people": 3}',
        {"hotel-people": "2", "hotel-book people": "3"},
    ),
    "slots without domain": ('{"area": "east"}', {"area": "east"}),
    "a slot called name": ('{"name": "nandos", "area": "east"}', {"name": "nandos", "area": "east"}),
    # Values
    "booleans": ('{"hotel-parking": true, "hotel-internet": false}', {"hotel-parking": "yes", "hotel-internet": "no"}),
    "booleans in quotes stay text": ('{"hotel-parking": "True"}', {"hotel-parking": "True"}),
    "null": ('{"hotel-area": "east", "hotel-stars": null}', AREA),
    "not mentioned": ('{"hotel-area": "east", "hotel-stars": "Not Mentioned"}', AREA),
    "none is left to the rules": ('{"hotel-area": "none"}', {"hotel-area": "none"}),
    "delete": (
        '{"hotel-area": "[DELETE]", "hotel-stars": "[delete]"}',
        {"hotel-area": DELETED, "hotel-stars": DELETED},
    ),
    "delete in a line": ("hotel-area: [DELETE]", {"hotel-area": DELETED}),
    "list of one value": ('{"hotel-area": ["east"], "hotel-stars": []}', AREA),
    "several values": ('{"hotel-area": ["east", "west"]}', {"hotel-area": ("east", "west")}),
    # Choice among several
    "the last object": ('First {"hotel-area": "west"}, then {"hotel-area": "east"}', AREA),
    "the object after words": ('Final state: {"hotel-area": "east"} (it was {"hotel-area": "west"})', AREA),
    "not the previous state": ('State: {"hotel-area": "east"}\nThe previous state: {"hotel-area": "west"}', AREA),
    "the fenced object": ('```json\n{"hotel-area": "east"}\n```\nand not {"hotel-area": "west"}', AREA),
    "the last that is a state": ('{"hotel-area": "east"} with scores [[0.1], [0.2]]', AREA),
    "after reasoning": ('<think>{"hotel-area": "west"}?</think>\n{"hotel-area": "east"}', AREA),
    "words after an old object": ('Previous state: {"hotel-area": "west"}\nFinal state: none', {}),
    "lines after an old object": ('Old: {"hotel-area": "west"}\nNew state:\n- hotel-area: east', AREA),
    "the same twice": ('{"hotel-area": "east"}\n\n{"hotel-area": "east"}', AREA),
    "a placeholder in prose": ('I fill {slot} and get {"hotel-area": "east"}', AREA),
    # Lines
    "equals lines": ("hotel-area = east\nhotel-stars = 4", BOTH),
    "colon lines": ("hotel-area: east\nhotel-stars: 4", BOTH),
    "bullets": ("- hotel-area: east\n- hotel-stars: 4", BOTH),
    "numbered": ("1. hotel-area: east\n2) hotel-stars: 4", BOTH),
    "bold": ("* **hotel-area**: east\n* **hotel-stars:** 4", BOTH),
    "backticks": ("`hotel-area`: `east`\n`hotel-stars` = `4`", BOTH),
    "quotes and commas": ('"hotel-area": "east",\n"hotel-stars": "4",', BOTH),
    "an apostrophe in quotes": ("hotel-name: 'rosa's'", {"hotel-name": "rosa's"}),
    "semicolons": ("hotel-area: east; hotel-stars: 4;", BOTH),
    "one line with commas": ("hotel-area=east, hotel-stars=4", BOTH),
    "one line with bars": ("hotel-area: east | hotel-stars: 4", BOTH),
    "a comma in a value": (
        "hotel-name: the alex, cambridge, hotel-stars: 4",
        {"hotel-name": "the alex, cambridge", "hotel-stars": "4"},
    ),
    "a time": ("taxi-leaveat: 17:15", {"taxi-leaveat": "17:15"}),
    "arrows": ("hotel-area -> east\nhotel-stars → 4", BOTH),
    "bare words": (
        "hotel-parking: true\nhotel-internet: False\nhotel-area: null\nhotel-type: None",
        {"hotel-parking": "yes", "hotel-internet": "no"},
    ),
    "prose around lines": ("Here is the state:\n- hotel-area: east\n- hotel-stars: 4\nLet me know!", BOTH),
    "a remark below lines": ("hotel-area: east\nNote: the user may change it.", AREA),
    "words in front of pairs": ("Belief state: hotel-area: east, hotel-stars: 4", BOTH),
    "lines in a fence": ("```\nhotel-area: east\nhotel-stars: 4\n```", BOTH),
    "lines without domain": ("area: east", {"area": "east"}),
    "YAML": ("hotel:\n  area: east\n  stars: 4\ntrain:\n  day: monday", {**BOTH, "train-day": "monday"}),
    "headings": ("### hotel\n- area: east\n\n**train**\n- day: monday", {**AREA, "train-day": "monday"}),
    "a line for the domain": ("Domain: hotel\narea: east\nstars: 4", BOTH),
    "a domain per line": ("hotel: area=east, stars=4\ntaxi: leaveat=17:15", {**BOTH, "taxi-leaveat": "17:15"}),
    "glued lines": ("hotel-area-east\nhotel-stars-4", BOTH),
    "glued in one line": ("[hotel-area-east, hotel-stars-4]", BOTH),
    "a table": ("| Slot | Value |\n|---|---|\n| hotel-area | east |\n| hotel-stars | 4 |", BOTH),
    "a table with domains": ("| domain | slot | value |\n|:--|:--|:--|\n| hotel | area | east |", AREA),
    "a call": ("hotel(area=east, stars=4)", BOTH),
    "calls": ('hotel(area="east", stars="4"); train()', BOTH),
    "a query": ("SELECT * FROM hotel WHERE area = 'east' AND stars = 4;", BOTH),
    # Explicitly empty
    "empty object": ("{}", {}),
    "empty object, printed": ("{{}}", {}),
    "empty list": ("[]", {}),
    "empty in a fence": ("```json\n{}\n```", {}),
    "empty domains": ('{"hotel": {}, "train": null}', {}),
    "empty inside": ('{"state": null}', {}),
    "none": ("None.", {}),
    "none in a list": ('["none"]', {}),
    "no slots": ("No slots mentioned yet.", {}),
    "empty state": ("empty state", {}),
    "state: none": ("Belief state: none", {}),
    "the state is empty": ("The user only greets, so the dialogue state is empty.", {}),
    # Not a state
    "nothing": ("", COUNTED),
    "blanks": (" \n ", COUNTED),
    "prose": ("I am sorry, I cannot help with that.", COUNTED),
    "cut off": ('{"hotel": {"area": "east", "st', COUNTED),
    "cut off between domains": ('{"hotel": {"area": "east"}, "train": {"da', COUNTED),
    "cut off in a fence": ('```json\n{"hotel-area": "east", \n```', COUNTED),
    "cut off list": ('["hotel-area-east", "hotel-st', COUNTED),
    "cut off after a whole one": ('Before: {"hotel-area": "west"}. Now: {"hotel-area": "ea', COUNTED),
    "cut off reasoning": ('<think>Maybe {"hotel-area": "east"}', COUNTED),
    "malformed": ('{"hotel-area": east}', COUNTED),
    "malformed after a whole one": ('Before: {"hotel-area": "west"}. Final state: {hotel-area: east}', COUNTED),
    "two values for a slot": ('{"hotel-area": "east", "hotel-area": "west"}', COUNTED),
    "two values for a slot, lines": ("hotel-area: east\nhotel-area: west", COUNTED),
    "two values for a slot, objects": ('{"hotel-area": "east"}\n{"hotel-area": "west"}', COUNTED),
    "another object": ('{"error": "too long"}', COUNTED),
    "another list": ('["hotel", "train"]', COUNTED),
    "numbers": ("[[1, 2], [3]]", COUNTED),
    "a number": ("42", COUNTED),
    "nested too far": ('{"hotel": {"area": {"value": {"text": "east"}}}}', COUNTED),
    "an object for a value": ('{"hotel-area": {"value": "east", "score": 0.9}}', COUNTED),
    "a call as an object": ('{"name": "update", "arguments": {"hotel-area": "east"}}', {"hotel-area": "east"}),
    "pairs run together in quotes": ('"hotel-area": "east" "hotel-stars": "4"', COUNTED),
    "words after quotes": ('hotel-area: "east" or so', COUNTED),
    "half a pair": ('{"slot": "hotel-area"}', COUNTED),
    "pairs over two lines": ("Slot: hotel-area\nValue: east", COUNTED),
    "two states": ('{"state": {"hotel-area": "east"}, "belief_state": {"hotel-area": "west"}}', COUNTED),
    "a joined query": ("SELECT * FROM hotel AS d1, train AS d2 WHERE d1.area = east", COUNTED),
    "pairs run together": ("hotel-area: east hotel-stars: 4", COUNTED),
    "a doubtful line in prose": ("The user wants a hotel.\nplace: east", COUNTED),
    "an answer in words": ("Answer: the east, I think", COUNTED),
    "code": ("__import__('os').system('echo')", COUNTED),
    "a dict with code": ("{'hotel-area': open('x')}", COUNTED),
    "an endless value": (json.dumps({"hotel-area": "e" * 1000}), COUNTED),
    "not a number": ('{"hotel-stars": NaN}', COUNTED),
    "an endless number": ('{"hotel-stars": ' + "9" * 5000 + "}", COUNTED),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape: str) -> None:
    completion, expected = SHAPES[shape]
    assert state_in(completion) == (None if expected is COUNTED else expected)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, "{'a':" * 3_000 + "1" + "}" * 3_000, "[[" * 150 + "]]" * 150]
)
def test_depth_is_no_error(text: str) -> None:
    assert state_in(text) is None


@pytest.mark.parametrize(
    "text",
    [
        sign * (150_000 // len(sign))
        for sign in (
            "x",
            "a ",
            "a-",
            "a: ",
            '"\\',
            "`",
            "{}",
            "state ",
            "f(",
            "| ",
            "a:\n",
            "[ ",
            " ",
            "#",
            "a=b, ",
            "(a=b)",
        )
    ],
    ids=lambda text: repr(text[:8]),
)
def test_length_is_no_delay(text: str) -> None:
    before = time.process_time()
    state_in(text)
    assert time.process_time() - before < 5


@settings(deadline=None)
@given(st.text(alphabet="{}[]()\"'`:=-,;|.*#<>/\\ \nabTrue01", max_size=60))
def test_any_text_gives_a_state_or_none(text: str) -> None:
    state = state_in(text)
    assert state is None or all(slot.strip() and isinstance(value, str | tuple) for slot, value in state.items())


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["hotel-area", "hotel-name", "train-day", "taxi-leaveat"]),
        st.from_regex(r"[a-z]{1,9}( [a-z0-9]{1,9}){0,2}", fullmatch=True).filter(
            lambda text: text not in ("null", "not mentioned")
        ),
    )
)
def test_json_python_and_lines_agree(state: dict[str, str]) -> None:
    lines = "\n".join(f"{slot} = '{value}'" for slot, value in state.items()) or "none"
    assert state_in(json.dumps(state)) == state_in(repr(state)) == state_in(lines) == state


def lines_of(folder: Path, *rows: Any) -> Path:
    path = folder / "model-outputs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(dialogue_id: Any = "d", turn: Any = 0, completion: Any = "{}", **more: Any) -> dict[str, Any]:
    return {"dialogue_id": dialogue_id, "turn": turn, "completion": completion, **more}


def test_lines_in_any_order(tmp_path: Path) -> None:
    path = lines_of(tmp_path, row("e", 1), row("d", 2), row("e", "0", '{"hotel-area": "east"}'), row("d", 0))
    first, second = read_all(path, "llm")
    assert (first.id, [(turn.number, turn.pred) for turn in first.turns]) == ("e", [(0, AREA), (1, {})])
    assert (second.id, [turn.number for turn in second.turns]) == ("d", [0, 2])


def test_gold_and_utterances_where_given(tmp_path: Path) -> None:
    rows = [
        row(turn=0, gold={"hotel": {"area": "east"}}, user="hi", system=None),
        row(turn=1, gold={"hotel-area": ["east", "west"]}, system="hello"),
        row(turn=2, gold=None),
        row(turn=3, gold={}),
    ]
    (found,) = read_all(lines_of(tmp_path, *rows), "llm")
    assert [turn.gold for turn in found.turns] == [AREA, {"hotel-area": ("east", "west")}, None, {}]
    assert [(turn.user, turn.system) for turn in found.turns[:2]] == [("hi", ""), ("", "hello")]


def test_what_cannot_be_read_is_empty_and_counted_and_listed(tmp_path: Path) -> None:
    rows = [row(f"d{n}", turn, "I do not know.") for n in range(4) for turn in (2, 1, 0)]
    corpus = open_corpus(lines_of(tmp_path, *rows, row("e"), row("f", 0, None)))
    dialogues = list(corpus)
    assert corpus.format == "llm"
    assert [turn.pred for found in dialogues for turn in found.turns] == [{}] * 14
    (notice,) = corpus.notices
    assert (notice.code, notice.count, len(notice.where)) == ("unparsed", 13, 10)
    assert notice.message.startswith("13 model outputs without a readable state")
    assert notice.where[:4] == ("d0 turn 0", "d0 turn 1", "d0 turn 2", "d1 turn 0")


def test_no_notice_without_need(tmp_path: Path) -> None:
    corpus = open_corpus(lines_of(tmp_path, row(), row(turn=1, completion="none")))
    assert [turn.pred for turn in next(iter(corpus)).turns] == [{}, {}]
    assert corpus.notices == []


@pytest.mark.parametrize("dialogue_key", ["dialogue_id", "dialog_id", "dialogue", "id"])
@pytest.mark.parametrize("turn_key", ["turn", "turn_id", "turn_idx"])
@pytest.mark.parametrize("key", ["completion", "response", "output", "text", "prediction", "generated_text"])
def test_names(tmp_path: Path, dialogue_key: str, turn_key: str, key: str) -> None:
    rows = [{dialogue_key: "d", turn_key: turn, key: '{"hotel-area": "east"}'} for turn in (0, 1)]
    corpus = open_corpus(lines_of(tmp_path, *rows))
    assert corpus.format == "llm"
    (found,) = corpus
    assert [(turn.number, turn.pred) for turn in found.turns] == [(0, AREA), (1, AREA)]


def test_utterances_of_both_speakers_are_counted_in_utt_idx(tmp_path: Path) -> None:
    rows = [{"dialogue_id": "d", "utt_idx": place, "completion": "?"} for place in (4, 0, 2)]
    corpus = open_corpus(lines_of(tmp_path, *rows))
    assert [turn.number for turn in next(iter(corpus)).turns] == [0, 1, 2]
    mixed = [{"dialogue_id": "d", "utt_idx": place, "completion": "?"} for place in (0, 1, 4)]
    corpus = open_corpus(lines_of(tmp_path, *mixed))
    assert [turn.number for found in corpus for turn in found.turns] == [0, 1, 2]
    assert corpus.notices[0].where == ("d turn 0", "d turn 1", "d turn 2")


CHOICES = [{"index": 0, "message": {"role": "assistant", "content": '{"hotel-area": "east"}'}}]


@pytest.mark.parametrize(
    "answer",
    [
        {"id": "chatcmpl-1", "choices": CHOICES},
        {"response": {"choices": CHOICES}},
        {"choices": [{"text": "hotel-area = east"}]},
        {"prediction": {"hotel": {"area": "east"}}},
        {"prediction": ["hotel-area-east"]},
    ],
)
def test_answers_that_are_objects(tmp_path: Path, answer: dict[str, Any]) -> None:
    corpus = open_corpus(lines_of(tmp_path, {"dialogue_id": "d", "turn": 0, **answer}))
    assert corpus.format == "llm"
    assert [turn.pred for found in corpus for turn in found.turns] == [AREA]
    assert corpus.notices == []


def test_one_document(tmp_path: Path) -> None:
    rows = [row(turn=1), row(turn=0, completion='{"hotel-area": "east"}')]
    corpus = open_corpus(as_json(tmp_path, rows))
    assert corpus.format == "llm"
    assert [turn.pred for found in corpus for turn in found.turns] == [AREA, {}]
    pretty = tmp_path / "one.json"
    pretty.write_text(json.dumps({"id": 7, "turn": 0, "output": "none"}, indent=2))
    assert [(found.id, found.turns[0].pred) for found in open_corpus(pretty)] == [("7", {})]


def test_the_page_names_every_key_that_is_tried() -> None:
    page = Path(__file__).parents[3] / "docs" / "formats.md"
    section = page.read_text("utf-8").partition("\n### llm\n")[2].partition("\n### ")[0].replace("\n  ", " ")
    for what, keys in (
        ("dialogue", llm._DIALOGUE_KEYS),
        ("turn", llm._TURN_KEYS),
        ("completion", llm._COMPLETION_KEYS),
    ):
        assert f"- {what}: {', '.join(f'`{key}`' for key in keys)}" in section
