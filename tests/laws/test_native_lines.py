"""Native lines, whole and damaged: compiled and plain code read them alike, and as a slow reading of the format says."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.formats.pairs.slot_names import slot_namer
from dialmeter.tracking.scorer import TrackerScorer

from .. import accounts
from ..plain import PlainProcess
from .corpora import law
from .test_compiled import SCRAPS, damaged


class Refused(Exception):
    """A line that is no dialogue."""


def literally_read(line: bytes) -> Any:
    """A native line as its description has it, with nothing but the standard library."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        check(len(dict(pairs)) == len(pairs))
        return dict(pairs)

    def refuse(word: str) -> None:
        raise Refused

    try:
        text = line.decode()
        thing = json.loads(text, object_pairs_hook=unique, parse_constant=refuse)
        json.dumps(thing, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise Refused from None
    check(type(thing) is dict and type(thing.get("dialogue_id")) is str and type(thing.get("turns")) is list)
    turns = [literal_turn(position, turn) for position, turn in enumerate(thing["turns"])]
    numbers = [turn[0] for turn in turns]
    check(bool(turns) and len(set(numbers)) == len(numbers))
    check("talk" not in thing)
    return thing["dialogue_id"], sorted(turns, key=lambda turn: turn[0])


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
            check(found.setdefault(slot_namer()(slot), kept) == kept)
    return found


def literal_value(value: Any) -> Any:
    listed = value if type(value) is list else [] if value is None else [value]
    check(all(type(each) in (str, int, float) for each in listed))
    texts = tuple(str(each) for each in listed)
    return texts if len(texts) > 1 else texts[0] if texts else None


def hold(plain: PlainProcess, lines: list[bytes]) -> int:
    """Holds three readings of lines to each other, and gives the number of lines that are dialogues."""
    plain.ask("accounts_of_lines", lines)
    try:
        compiled = accounts.accounts_of_lines(lines)
    finally:
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
def test_whole_lines_are_read_and_lines_cut_off_anywhere_are_refused(plain: PlainProcess, line: bytes) -> None:
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
def test_lines_at_the_edge_of_the_format(plain: PlainProcess, line: bytes) -> None:
    hold(plain, [line])


def test_damaged_lines(plain: PlainProcess) -> None:
    chance = random.Random(20)
    lines = [damaged(chance.choice(LINES), chance) for _ in range(20_000)]
    assert hold(plain, lines) > 1000


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
    book = scorer.part.ledger.main
    assert len(book.number_of) > 16_384
    assert scorer.result().counts["exact_turns"] == 20_000 + 1 + 3000
    assert scorer.result().counts["turns"] == 20_000 + 1 + 3000 + 19_000
