"""Compiled and plain code read native lines and nested documents, intact and damaged, like a slow reference reader."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.tracking.scorer import TrackerScorer

from .. import accounts
from ..plain import PlainProcess
from .corpora import law
from .test_compiled import SCRAPS, damaged


class Refused(Exception):
    """A line that is no dialogue."""


def literal_json(line: bytes) -> Any:
    """Strict JSON with nothing but the standard library."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        check(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    def refuse(word: str) -> None:
        raise Refused

    def finite(word: str) -> float:
        check(not math.isinf(float(word)))
        return float(word)

    try:
        content = json.loads(line.decode(), object_pairs_hook=unique, parse_constant=refuse, parse_float=finite)
        json.dumps(content, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Refused from None
    return content


def literally_read(line: bytes) -> Any:
    """A native line as its description has it."""
    content = literal_json(line)
    check(
        type(content) is dict and type(content.get("dialogue_id")) in (str, int) and type(content.get("turns")) is list
    )
    turns = [literal_turn(position, turn) for position, turn in enumerate(content["turns"])]
    numbers = [turn[0] for turn in turns]
    check(bool(turns) and len(set(numbers)) == len(numbers))
    check("talk" not in content)
    return str(content["dialogue_id"]), sorted(turns, key=lambda turn: turn[0])


def check(fits: bool) -> None:
    if not fits:
        raise Refused


def literal_turn(position: int, turn: Any) -> Any:
    check(type(turn) is dict and turn.get("frames") in (None, {}))
    number = turn.get("turn", position)
    if type(number) is str:
        check(number.strip().isdecimal() and len(number) <= 6)
        number = int(number)
    check(type(number) is int and 0 <= number < 10**6)
    said = [turn.get(speaker, "") for speaker in ("user", "system")]
    check(all(text is None or type(text) is str for text in said))
    return number, literal_state(turn.get("gold")), literal_state(turn.get("pred")), said[0] or "", said[1] or ""


def literal_state(state: Any) -> Any:
    if state is None:
        return None
    check(type(state) is dict)
    found: dict[str, Any] = {}
    for slot, value in state.items():
        kept = literal_value(value)
        if kept is not None:
            found[slot] = kept
    return found


def literal_value(value: Any) -> Any:
    listed = value if type(value) is list else [] if value is None else [value]
    check(all(type(each) in (str, int, float) for each in listed))
    texts = tuple(str(each) for each in listed)
    if value is None:
        return None
    return texts[0] if len(texts) == 1 and (type(value) is not list or "|" not in texts[0]) else texts


def hold(plain: PlainProcess, lines: list[bytes]) -> int:
    """Holds three readings of lines to each other, and gives the number of lines that are dialogues."""
    plain.ask("accounts_of_lines", lines)
    compiled = accounts.accounts_of_lines(lines)
    there = plain.answer()
    count = 0
    for line, one, other in zip(lines, compiled, there, strict=True):
        assert one == other, line
        try:
            wanted = literally_read(line)
        except Refused:
            assert isinstance(one, str), line
        else:
            assert not isinstance(one, str), (line, one)
            assert one[0] == wanted, line
            count += 1
    return count


GOLD = [
    {},
    {"hotel-area": "east"},
    {"hotel-area": "west", "hotel-name": "Fen  House "},
    {"hotel-name": "none", "taxi-to": "café", "hotel-book day": ["a", "b"]},
    {"hotel-name": "do not care", "hotel-area": "east", "taxi-to": "café", "hotel-stars": 4},
]
PRED = [
    {"hotel-area": "east"},
    {"hotel-area": "east"},
    {"hotel-area": "west", "hotel-name": "fen house"},
    {"hotel-name": "", "taxi-to": "cafe"},
    {"taxi-to": "cafe", "hotel-name": "dontcare", "train-day": "monday"},
]
SAID = ['plain "quoted" \\ / \b\f\n\r\t', "", "ünïcode ✓", "é\u2028", '{}[],:"\\"']
THING = {
    "dialogue_id": "d 1.json",
    "turns": [
        {"turn": number, "gold": gold, "pred": pred, "user": said, "system": said[::-1]}
        for number, (gold, pred, said) in enumerate(zip(GOLD, PRED, SAID, strict=True))
    ],
}
LINES = [
    json.dumps(THING).encode(),
    json.dumps(THING, separators=(",", ":"), ensure_ascii=False).encode() + b"\n",
    json.dumps({key: THING[key] for key in reversed(THING)}, indent=1).replace("\n", "\r\n").encode(),
    b'{"dialogue_id":"","turns":[{"pred":{},"gold":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c"},"pred":{"a-b":"c"}},{"turn":1,"gold":{"a-b":"c"},"pred":{}}]}',
]


@pytest.mark.parametrize("line", LINES)
def test_cut_lines_refused(plain: PlainProcess, line: bytes) -> None:
    assert hold(plain, [line]) == 1
    assert hold(plain, [line[:length] for length in range(1, len(line.rstrip()))]) == 0


EDGES = [
    *(b"{}", b"[]", b"7", b'"d"', b"null", b" "),
    b'{"dialogue_id":"d","turns":[]}',
    b'{"dialogue_id":"d"}',
    b'{"dialogue_id":1,"turns":[{"gold":{},"pred":{}}]}',
    b'{"turns":[{"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","dialogue_id":"e","turns":[{"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}}],"turns":[{"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","more":{"x":1,"x":2},"turns":[{"turn":0,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","more":[1,2],"turns":[{"turn":0,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{},"go\\u006cd":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"go\\u006cd":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":null}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c"},"pred":null},{"turn":1,"gold":{"a-b":"c"}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":1,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":00,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0.0,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":1e1,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":-0,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":true,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":"0","gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":999999,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":1000000,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":99999999999999999999,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"turn":0,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":1,"gold":{},"pred":{}},{"turn":0,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":1,"gold":{},"pred":{}},{"turn":1,"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"c","a-b":"d"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c","a-b":"c"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c","a-\\u0062":"c"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c \\\\\\" d","a-b":"\\\\"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"c \\\\\\" d"},"pred":{"a-b":"\\\\"}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":{"c":"d"}},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":[["c"]]},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":["a-b"],"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":"a-b","pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":7,"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"c",},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{,"a-b":"c"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":1},"pred":{"a-b":1.0}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":1},"pred":{"a-b":true}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":1e5},"pred":{"a-b":100000.0}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":1E400},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":18446744073709551616},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":-0},"pred":{"a-b":-0.0}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":["c",1,1.0]},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":["c"]},"pred":{"a-b":[]}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":null},"pred":{"a-b":[null]}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"hotel-book day":"c"},"pred":{"hotel-day":"c"}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"hotel-book day":"c","hotel-day":"c"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"hotel-book day":"c","hotel-day":"d"},"pred":{}}]}',
    b'{"dialogue_id":"\\u0064","turns":[{"gold":{},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"\\ud83d\\ude00"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}},]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{},"pred":{},"user":null}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{},"pred":{},"user":"","user":""}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{},"pred":{},"user":"\\ud800"}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"\\ud800"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"\\x"}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"a\tb"}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"a\x00b"}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{},"pred":{},"user":"\xff"}]}',
    b'{"dialogue_id":"d","turns":[{"turn":0,"gold":{"a-b":"\xed\xa0\x80"},"pred":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"frames":{}}]}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}}]} {}',
    b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}}]}\x00',
]


@pytest.mark.parametrize("line", EDGES)
def test_edge_lines(plain: PlainProcess, line: bytes) -> None:
    hold(plain, [line])


def test_damaged_lines(plain: PlainProcess) -> None:
    chance = random.Random(20)
    lines = [damaged(chance.choice(LINES), chance) for _ in range(10_000)]
    assert hold(plain, lines) > 500


@given(
    st.lists(
        st.lists(st.sampled_from([*SCRAPS, b'{"dialogue_id":"d","turns":[{"gold":{', b'"pred":{}', b'"user":"'])).map(
            b"".join
        ),
        min_size=1,
        max_size=20,
    )
)
@law
def test_scraps(plain: PlainProcess, lines: list[bytes]) -> None:
    hold(plain, [line for line in lines if line.strip()])


def literal_nested(document: bytes) -> Any:
    """A nested document as its description has it."""
    content = literal_json(document)
    check(type(content) is dict)
    check(len({key.lower().removesuffix(".json") for key in content}) == len(content))
    found = []
    for name, turns in content.items():
        check(type(turns) is dict and bool(turns))
        read = [literal_nested_turn(*each) for each in turns.items()]
        check(len({turn[0] for turn in read}) == len(read))
        found.append((name, sorted(read, key=lambda turn: turn[0])))
    return found


def literal_nested_turn(key: str, turn: Any) -> Any:
    check(key.strip().isdecimal() and len(key) <= 6)
    check(type(turn) is dict)
    said = [turn.get(speaker) for speaker in ("usr", "sys")]
    check(all(text is None or type(text) is str for text in said))
    states = [flattened(turn[side]) if side in turn else None for side in ("gt", "pr")]
    return int(key), *states, *(text or "" for text in said)


def flattened(state: Any) -> Any:
    check(type(state) is dict and all(slots is None or type(slots) is dict for slots in state.values()))
    pairs = [(f"{domain}-{slot}", value) for domain, slots in state.items() for slot, value in (slots or {}).items()]
    found: dict[str, Any] = {}
    for slot, value in pairs:
        kept = literal_value(value)
        if kept is not None:
            check(found.setdefault(slot, kept) == kept)
    return found


NESTED = {
    "d1": {
        str(number): {"gt": gold, "pr": pred, "usr": said, "sys": said[::-1]}
        for number, (gold, pred, said) in enumerate(
            [
                ({}, {"hotel": {"area": "east"}}, SAID[0]),
                ({"hotel": {"area": "east"}}, {"hotel": {"area": "east"}}, SAID[1]),
                ({"hotel": {"area": "east", "book day": ["a", "b"]}, "taxi": {}}, {"hotel": {"area": "west"}}, SAID[2]),
                ({"hotel": {"area": "east", "stars": 4}, "taxi": None}, {"taxi": {"leave at": "9"}}, SAID[3]),
            ]
        )
    },
    "d2": {"3": {"gt": {"hotel": {"area": "east"}}}, "7": {"pr": {}, "gt": {}}},
}
NESTED_DOCUMENTS = [
    json.dumps(NESTED).encode(),
    json.dumps(NESTED, separators=(",", ":"), ensure_ascii=False).encode(),
    json.dumps(NESTED, indent=1).encode(),
]


def hold_nested(plain: PlainProcess, documents: list[bytes], folder: Path) -> int:
    """Holds three readings of nested documents to each other, and gives the number of those that are read."""
    plain.ask("accounts_of_documents", "nested", "both", documents, folder / "there.json")
    compiled = accounts.accounts_of_documents("nested", "both", documents, folder / "here.json")
    there = plain.answer()
    assert compiled == there
    count = 0
    for document, found in zip(documents, compiled[::2], strict=True):
        try:
            wanted = literal_nested(document)
        except Refused:
            assert isinstance(found, str), document
        else:
            assert found == wanted, document
            count += 1
    return count


def test_damaged_nested_documents(plain: PlainProcess, tmp_path: Path) -> None:
    chance = random.Random(21)
    assert hold_nested(plain, NESTED_DOCUMENTS, tmp_path) == len(NESTED_DOCUMENTS)
    documents = [damaged(chance.choice(NESTED_DOCUMENTS), chance) for _ in range(800)]
    assert hold_nested(plain, documents, tmp_path) > 40


NESTED_EDGES = [
    '{"d":{"0":{"gt":{"a":{"b":"c"}},"pr":null}}}',
    '{"d":{"0":{"gt":7,"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"b":"c"}},"pr":{"a":{"b":"c"}},"gt":{"a":{"b":"c"}}}}}',
    '{"d":{"0":{"":3,"gt":{},"pr":{}}}}',
    '{"d":{"0":{"":"","gt":{},"pr":{}}}}',
    '{"d":{"00":{"gt":{},"pr":{}},"0":{"gt":{},"pr":{}}}}',
    '{"d":{"1":{"gt":{},"pr":{}},"0":{"gt":{},"pr":{}}}}',
    '{"d":{"\u0030":{"gt":{},"pr":{}},"1":{"gt":{},"pr":{}}}}',
    '{"d":{" 1":{"gt":{},"pr":{}}}}',
    '{"d":{"-1":{"gt":{},"pr":{}}}}',
    '{"d":{"٣":{"gt":{},"pr":{}}}}',
    '{"d":{"²":{"gt":{},"pr":{}}}}',
    '{"d":{"999999":{"gt":{},"pr":{}}}}',
    '{"d":{"1000000":{"gt":{},"pr":{}}}}',
    '{"d":{"' + "1" * 30 + '":{"gt":{},"pr":{}}}}',
    '{"d":{"' + "1" * 5000 + '":{"gt":{},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"b":' + "1" * 5000 + '}},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"b":[["c"]]}},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"b":[null]}},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"b":[]}},"pr":{"a":{"b":null}}}}}',
    '{"d":{"0":{"gt":{"a":"b"},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"book day":"x","day":"x"}},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a":{"book day":"x","day":"y"}},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a-b":{"c":"x"},"a":{"b-c":"x"}},"pr":{}}}}',
    '{"d":{"0":{"gt":{"a-b":{"c":"x"},"a":{"b-c":"y"}},"pr":{}}}}',
    '{"d":{},"e":{"0":{"gt":{},"pr":{}}}}',
    '{"d":null,"e":{"0":{"gt":{},"pr":{}}}}',
    '{"d":[],"e":{"0":{"gt":{},"pr":{}}}}',
    '{"d":{"0":[]},"e":{"0":{"gt":{},"pr":{}}}}',
    '{"d.json":{"0":{"gt":{},"pr":{}}},"D":{"0":{"gt":{},"pr":{}}}}',
    '{"d":{"0":{"gt":{},"pr":{},"usr":null,"sys":""}}}',
    '{"d":{"0":{"gt":{},"pr":{},"usr":1}}}',
    '{"d":{"0":{"gt":{},"pr":{}}}}{}',
    "[]",
    "7",
]


@pytest.mark.parametrize("document", NESTED_EDGES, ids=lambda text: text[:60])
def test_edge_nested_documents(plain: PlainProcess, document: str, tmp_path: Path) -> None:
    hold_nested(plain, [document.encode()], tmp_path)


def line_of(name: str, states: list[dict[str, str]]) -> bytes:
    return json.dumps({"dialogue_id": name, "turns": [{"gold": state, "pred": state} for state in states]}).encode()


def test_many_pairs_slots_turns_and_tallies() -> None:
    scorer = TrackerScorer()

    def add(line: bytes) -> None:
        for each in accounts.corpus_of_line(line).numbered(scorer.vocabulary):
            scorer.add_pairs(each)

    for number in range(20_000):
        add(line_of(f"pairs{number}", [{"a-b": str(number)}]))
    add(line_of("slots", [{f"a-{number}": "x" for number in range(3000)}]))
    add(line_of("turns", [{"a-b": str(number)} for number in range(3000)]))
    for size in range(1, 20):
        turns = [{"gold": {f"a-{slot}": "x" for slot in range(size)}, "pred": {}}] * 1000
        add(json.dumps({"dialogue_id": f"tallies{size}", "turns": turns}).encode())
    book = scorer.part.measure_columns.main
    assert len(book.number_of) > 16_384
    assert scorer.result().counts["exact_turns"] == 20_000 + 1 + 3000
    assert scorer.result().counts["turns"] == 20_000 + 1 + 3000 + 19_000
