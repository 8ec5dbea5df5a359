"""The straight way over native lines says what the long way says, to the last bit, and takes nothing that is not plain."""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path

import pytest
from dialmeter.tracking.straight import COMPILED, Straight
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.formats.native import _dialogue
from dialmeter.model import Dialogue, Turn
from dialmeter.tracking.scorer import TrackerScorer, score_file

from .corpora import ALTERNATIVES, PLAIN, SPELLINGS, corpora, law, scored

pytestmark = pytest.mark.skipif(not COMPILED, reason="dialmeter was built without a compiler, so there is no kernel")

LAYOUTS = {"compact": (",", ":"), "with blanks": (", ", ": "), "with blanks after commas": (", ", ":")}


def numbered(corpus: list[Dialogue]) -> list[Dialogue]:
    """Turns from 0 on without gaps, which is what the straight way takes."""
    return [
        Dialogue(each.id, tuple(Turn(number, turn.gold, turn.pred) for number, turn in enumerate(each.turns)))
        for each in corpus
    ]


def write(corpus: list[Dialogue], path: Path, separators: tuple[str, str]) -> None:
    lines = [
        {
            "dialogue_id": each.id,
            "turns": [{"turn": turn.number, "gold": turn.gold, "pred": turn.pred, "user": "a"} for turn in each.turns],
        }
        for each in corpus
    ]
    path.write_text("".join(json.dumps(line, separators=separators) + "\n" for line in lines))


@pytest.mark.parametrize("layout", LAYOUTS)
@law
@given(
    corpus=corpora((*PLAIN, *SPELLINGS, *ALTERNATIVES), (*PLAIN, *SPELLINGS, "1|2", "[DELETE]")).map(numbered),
)
def test_both_ways_say_the_same(layout: str, corpus: list[Dialogue]) -> None:
    plain = Dialogue("plain", (Turn(0, gold={"taxi-to": "1"}, pred={"taxi-to": "1"}),))
    whole = [plain, *corpus]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl"
        write(whole, path, LAYOUTS[layout])
        straight = score_file(str(path))
    long = scored(whole)
    assert [(each.measure, each.value, each.signature) for each in straight.scores] == [
        (each.measure, each.value, each.signature) for each in long.scores
    ]
    assert straight.counts == long.counts
    assert straight.notices == long.notices


def test_common_rules_and_measures_take_the_straight_way() -> None:
    assert TrackerScorer().straight is not None
    assert TrackerScorer(rules="gca-repo").straight is None
    assert TrackerScorer(by=["domain"]).straight is None


def new_straight() -> tuple[TrackerScorer, Straight]:
    scorer = TrackerScorer()
    assert scorer.straight is not None
    return scorer, scorer.straight


def account(scorer: TrackerScorer) -> object:
    """All that scoring a dialogue leaves behind."""
    book, findings = scorer.part.ledger.main, scorer.part.findings
    rows = [[tuple(book.table[row]) for row in book.rows_of(at)] for at in range(len(book.dialogues))]
    noticed = (findings.gold_slots, findings.gold_changes, findings.gold_losses, findings.hedged)
    return book.dialogues, rows, list(book.turns), findings.digest.hex(), noticed


def taken(line: bytes) -> bool:
    """Is a line taken? Then the long way must read it, and say the same."""
    scorer, straight = new_straight()
    found = straight.read(line)
    if found is None:
        return False
    straight.add(found)
    long = TrackerScorer()
    long.add_dialogue(_dialogue(line, "file", 1))
    assert account(scorer) == account(long)
    return True


GOLD = [
    {},
    {"hotel-area": "east"},
    {"hotel-area": "west", "hotel-name": "Fen  House "},
    {"hotel-name": "none", "taxi-to": "café"},
    {"hotel-name": "do not care", "hotel-area": "east", "taxi-to": "café"},
]
PRED = [
    {"hotel-area": "east"},
    {"hotel-area": "east"},
    {"hotel-area": "west", "hotel-name": "fen house"},
    {"hotel-name": "", "taxi-to": "cafe"},
    {"taxi-to": "cafe", "hotel-name": "dontcare", "train-day": "monday"},
]
SAID = ['plain "quoted" \\ / \b\f\n\r\t', "", "ünïcode ✓", "é\u2028", "{}[],:"]
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
]


@pytest.mark.parametrize("line", LINES)
def test_plain_lines_are_taken(line: bytes) -> None:
    assert taken(line)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{}",
        b"[]",
        b'{"dialogue_id":"d","turns":[]}',
        b'{"dialogue_id":"d"}',
        b'{"turns":[{"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","dialogue_id":"e","turns":[{"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}}],"turns":[{"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":null}]}',
        b'{"dialogue_id":"d","turns":[{"turn":1,"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"turn":00,"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"turn":0.0,"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"turn":-0,"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"turn":"0","gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"turn":0,"turn":0,"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"c","a-b":"d"},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"c",},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{,"a-b":"c"},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":1},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":["c"]},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"c|d"},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{"a-b":"c|d"}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"hotel-book day":"c"},"pred":{}}]}',
        b'{"dialogue_id":"\\u0064","turns":[{"gold":{},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"c","a-\\u0062":"c"},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{"a-b":"\\ud83d\\ude00"},"pred":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}},]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"\\ud800"}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"\\x"}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"a\tb"}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"a\x00b"}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"user":"\xff"}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{},"frames":{}}]}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}}]} {}',
        b'{"dialogue_id":"d","turns":[{"gold":{},"pred":{}}]}\x00',
    ],
)
def test_what_is_not_plain_is_refused(line: bytes) -> None:
    assert not taken(line)


@pytest.mark.parametrize("line", LINES)
def test_a_line_cut_off_anywhere_is_refused(line: bytes) -> None:
    assert not any(taken(line[:length]) for length in range(len(line.rstrip())))


SCRAPS = [
    b'"',
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b" ",
    b"\x00",
    b"\xff",
    b"|",
    b"0",
    b'"gold":',
    b'"a-b":"c",',
]


def test_damaged_lines_are_refused_or_read_alike() -> None:
    chance = random.Random(20)
    count = 0
    for _ in range(20_000):
        line = chance.choice(LINES)
        for _ in range(chance.randint(1, 3)):
            begin = chance.randint(0, len(line))
            end = min(len(line), begin + chance.choice((0, 0, 1, 1, 7, 40)))
            new = chance.choice([*SCRAPS, b"", bytes([chance.randrange(256)]), line[end : end + chance.randrange(60)]])
            line = line[:begin] + new + line[end:]
        count += taken(line)
    assert count > 1000


@law
@given(
    st.lists(st.sampled_from([*SCRAPS, b'{"dialogue_id":"d","turns":[{"gold":{', b'"pred":{}', b'"user":"'])).map(
        b"".join
    )
)
def test_scraps_are_refused_or_read_alike(line: bytes) -> None:
    taken(line)


def line_of(name: str, state: dict[str, str]) -> bytes:
    return json.dumps({"dialogue_id": name, "turns": [{"gold": state, "pred": state}]}).encode()


def test_more_pairs_than_the_kernel_remembers() -> None:
    _, straight = new_straight()
    assert all(straight.read(line_of(f"d{number}", {"a-b": str(number)})) for number in range(110_000))


def test_more_slots_than_the_kernel_knows_go_the_long_way() -> None:
    _, straight = new_straight()
    assert straight.read(line_of("known", {"a-0": "x"})) is not None
    assert straight.read(line_of("wide", {f"a-{number}": "x" for number in range(3000)})) is None
    assert straight.read(line_of("known", {"a-0": "x"})) is not None
    assert straight.read(line_of("another", {"b-0": "x"})) is None


def test_more_turns_than_the_kernel_takes_go_the_long_way() -> None:
    _, straight = new_straight()
    turns = [{"gold": {"a-b": str(number)}, "pred": {"a-b": "0"}} for number in range(1025)]
    assert straight.read(json.dumps({"dialogue_id": "d", "turns": turns}).encode()) is None
    assert taken(json.dumps({"dialogue_id": "d", "turns": turns[:1024]}).encode())


def test_more_tallies_than_the_kernel_remembers() -> None:
    # An old mistake counts otherwise at every turn.
    lines = [
        json.dumps({"dialogue_id": f"d{size}", "turns": [{"gold": state, "pred": {}}] * 1000}).encode()
        for size in range(1, 20)
        for state in [{f"a-{slot}": "x" for slot in range(size)}]
    ]
    swift, straight = new_straight()
    long = TrackerScorer()
    for line in lines:
        found = straight.read(line)
        assert found is not None
        straight.add(found)
        long.add_dialogue(_dialogue(line, "file", 1))
    assert len(swift.part.ledger.main.number_of) > 16_384
    assert account(swift) == account(long)
