"""Unparsed states: splitting gives the same result as parsing, and text that cannot be parsed is not split."""

from __future__ import annotations

import json
import random

import pytest

from dialmeter.readers.pairs.layers import Layer, StateSplitter
from dialmeter.readers.pairs.state_layouts import FLAT, GLUED, NESTED, StateLayout
from dialmeter.readers.pairs.vocabulary import Vocabulary
from dialmeter.readers.strict_json import count_strings, count_written_strings

SECTIONS = StateLayout("sections")
ODD = ["", "a b", 'say "no"', "back\\slash", "über", "a,b", "{}", '","', "x:y", "\u2028"]


def test_pairs_are_found_by_their_bytes():
    words, layer = Vocabulary(), Layer(FLAT)
    splitter = StateSplitter(words)
    assert splitter.split(b'{"a-x":"1","a-y":"2"}', layer)
    assert (splitter.found, splitter.strings) == ([0, 1], 4)
    assert splitter.split(b'{\n  "a-y": "2",\n  "a-x": "1"\n}', layer)
    assert (splitter.found, splitter.strings) == ([1, 0], 4)
    assert words.state((0, 1)) == {"a-x": "1", "a-y": "2"}


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        *((FLAT, text) for text in (
            b'{"a":"1","a":"2"}', b'{"a":"1","\\u0061":"2"}', b'{"a":"1",}', b'{"a":"1" "b":"2"}', b'{,"a":"1"}',
            b'{"a":null}', b'{"a":1}', b'{"a":[1]}', b'{"a":["1" "2"]}', b'{"a":["1"}', b'{"a":{"b":"1"}}', b'{"a":"1\n2"}', b'{"a":"1}', b'{"}',
            b'{"a":}', b'{"a"}', b'["a"]', b"null", b"", b"{", b'{"a":"\xff"}',
        )),
        *((NESTED, text) for text in (
            b'{"h":{"a":"1"},"h":{"b":"1"}}', b'{"h":{"a":"1","a":"1"}}', b'{"h":{"a":"1"}', b'{"h":null}',
            b'{"h":"1"}', b'{"h":{}',
        )),
        *((GLUED, text) for text in (b'["a-b-c",]', b'["a-b-c" "a-b-d"]', b'[1]', b'[["a-b-c"]]', b'{"a":"b"}')),
        *((SECTIONS, text) for text in (
            b'{"h":{"semi":{"a":["1"]},"semi":{}}}', b'{"h":{"other":{}}}', b'{"h":{"a":["1"]}}',
            b'{"h":{"book":{"booked":[{"name":"x"}]}}}',
        )),
    ],
)  # fmt: skip
def test_all_else_is_left_to_the_parser(layout: StateLayout, text: bytes):
    assert not StateSplitter(Vocabulary()).split(text, Layer(layout))


@pytest.mark.parametrize("layout", [FLAT, NESTED, GLUED, SECTIONS])
def test_random_states_are_what_a_parser_finds(layout: StateLayout):
    draw = random.Random(7)
    split, parsed = Vocabulary(), Vocabulary()
    splitter, layer = StateSplitter(split), Layer(layout)
    taken = 0
    for _ in range(4000):
        data = _written(_state(draw, layout), draw)
        if not splitter.split(data, layer):
            continue
        taken += 1
        thing = json.loads(data, object_pairs_hook=_unique)
        assert splitter.strings == count_strings(thing) == count_written_strings(data)
        numbers = parsed.number(thing, layout)
        assert [_pair(split, each) for each in splitter.found] == [_pair(parsed, each) for each in numbers]
    assert taken > 1000


def _pair(words: Vocabulary, number: int) -> tuple[str, object]:
    return words.slots[number], words.values[number]


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def _state(draw: random.Random, layout: StateLayout) -> object:
    values = [*ODD, "1", "2", "3", "4", ["6"], ["6", "a|b"], [], None, 5]
    weights = [1] * len(ODD) + [20] * 4 + [1] * 5

    def pairs() -> dict[str, object]:
        slots = draw.sample(["x", "y", "z", "book day", "ü"], draw.randrange(5))
        return {slot: draw.choices(values, weights)[0] for slot in slots}

    if layout is FLAT:
        return pairs()
    if layout is GLUED:
        return [f"hotel-{slot}-{value}" for slot, value in pairs().items()]
    if layout is SECTIONS:
        names = draw.sample(["hotel", "train"], draw.randrange(3))
        return {name: {"semi": pairs(), "book": {**pairs(), "booked": []}} for name in names}
    return {domain: pairs() for domain in draw.sample(["hotel", "train", "taxi"], draw.randrange(4))}


def _written(state: object, draw: random.Random) -> bytes:
    """A state in one of several spellings, and sometimes damaged."""
    separators = draw.choice([(",", ":"), (", ", ": "), (",  ", " : ")])
    data = bytearray(json.dumps(state, separators=separators, ensure_ascii=draw.random() < 0.5).encode())
    if draw.random() < 0.3:
        place = draw.randrange(len(data))
        data[place : place + draw.randrange(2)] = draw.choice([b"", b'"', b",", b"}", b"\\", b" ", b"\n", b"\xff"])
    return bytes(data)
