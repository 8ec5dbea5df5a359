"""Files that cannot be read or scored, one mistake each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dialmeter.readers.raw_file import zstd_module

from .layouts import pack

GOOD_LINE = b'{"dialogue_id": "d0", "turns": [{"turn": 0, "gold": {"hotel-area": "east"}, "pred": {}}]}\n'
EMPTY: dict[str, Any] = {"gt": {}, "pr": {}}


def nested(second: Any) -> bytes:
    """A nested document whose first dialogue is fine."""
    return json.dumps({"d0": {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {}}}, "d1": second}).encode()


def native(turns: Any) -> bytes:
    """Native lines of which the first is fine."""
    raw = turns if isinstance(turns, bytes) else json.dumps(turns).encode()
    return GOOD_LINE + b'{"dialogue_id": "d1", "turns": ' + raw + b"}\n"


def value(raw: bytes) -> bytes:
    """Native lines whose second dialogue holds this as a value."""
    return native(b'[{"turn": 0, "gold": {"hotel-area": ' + raw + b'}, "pred": {}}]')


def document(content: Any) -> bytes:
    """Any JSON document."""
    return json.dumps(content).encode()


BAD: dict[str, bytes] = {
    "empty.json": b"",
    "blank.json": b" \n\t\n",
    "empty.json.gz": pack(b""),
    "binary.json": b"\x00\x01\x02\xff" * 10,
    "utf16.json": '{"d1": {}}'.encode("utf-16-le"),
    "words.txt": b"hello world\n",
    "number.json": b"3",
    "list.json": b"[]",
    "object.json": b"{}",
    "other.json": b'{"glossary": {"title": "x"}}',
    "gzip-cut.jsonl.gz": pack(GOOD_LINE * 50)[:-15],
    "native-cut.jsonl": native([{"turn": 0, "gold": {}, "pred": {}}])[:-20],
    "native-value-object.jsonl": value(b'{"x": 1}'),
    "native-value-false.jsonl": value(b"false"),
    "native-value-lists.jsonl": value(b'[["a"]]'),
    "native-value-nan.jsonl": value(b"NaN"),
    "native-value-infinity.jsonl": value(b"-Infinity"),
    "native-value-not-utf8.jsonl": value(b'"\xff"'),
    "native-utterance-not-utf8.jsonl": native(b'[{"turn": 0, "gold": {}, "pred": {}, "user": "\xff"}]'),
    "native-value-digits.jsonl": value(b"1" * 5000),
    "native-value-half-character.jsonl": value(rb'"\ud800"'),
    "native-state-list.jsonl": native([{"turn": 0, "gold": ["east"], "pred": {}}]),
    "native-turn-string.jsonl": native(["x"]),
    "native-turns-object.jsonl": native({"0": {}}),
    "native-id-number.jsonl": GOOD_LINE + b'{"dialogue_id": 3.5, "turns": []}\n',
    "native-no-turns.jsonl": GOOD_LINE + b'{"dialogue_id": "d1"}\n',
    "native-turns-empty.jsonl": native([]),
    "native-line-list.jsonl": GOOD_LINE + b"[1]\n",
    "native-turn-word.jsonl": native([{"turn": "one", "gold": {}, "pred": {}}]),
    "native-turn-fraction.jsonl": native([{"turn": 1.5, "gold": {}, "pred": {}}]),
    "native-turn-true.jsonl": native([{"turn": True, "gold": {}, "pred": {}}]),
    "native-turn-below-zero.jsonl": native([{"turn": -1, "gold": {}, "pred": {}}]),
    "native-turn-huge.jsonl": native([{"turn": 5_000_000_000, "gold": {}, "pred": {}}]),
    "native-turn-twice.jsonl": native([{"turn": 0, "gold": {}, "pred": {}}] * 2),
    "native-slot-twice.jsonl": native(b'[{"turn": 0, "gold": {"hotel-area": "a", "hotel-area": "b"}, "pred": {}}]'),
    "native-slot-two-spellings.jsonl": native([{"turn": 0, "gold": {"hotel-book day": "a", "hotel-day": "b"}, "pred": {}}]),
    "native-slot-same-value.jsonl": native([{"turn": 0, "gold": {"hotel-book day": "a", "hotel-day": "a"}, "pred": {}}]),
    "native-pred-twice.jsonl": native(b'[{"turn": 0, "gold": {"hotel-area": "a"}, "pred": {"hotel-area": "a"}, "pred": {}}]'),
    "native-dialogue-twice.jsonl": GOOD_LINE * 2,
    "native-dialogue-two-spellings.jsonl": GOOD_LINE + GOOD_LINE.replace(b"d0", b"D0.json"),
    "native-no-gold.jsonl": b'{"dialogue_id": "d1", "turns": [{"turn": 0, "pred": {}}]}\n',
    "native-no-pred.jsonl": GOOD_LINE + b'{"dialogue_id": "d1", "turns": [{"turn": 0, "gold": {}}]}\n',
    "native-slot-empty-name.jsonl": native([{"turn": 0, "gold": {"": "a"}, "pred": {}}]),
    "native-slot-no-domain.jsonl": native([{"turn": 0, "gold": {"area": "a"}, "pred": {"area": "a"}}]),
    "native-after-bad.jsonl": native(b"[}]") + GOOD_LINE.replace(b"d0", b"d2"),
    "nested-cut.json": nested({"0": EMPTY})[:-9],
    "nested-value-object.json": nested({"3": {"gt": {"hotel": {"area": {"x": 1}}}, "pr": {}}}),
    "nested-value-true.json": nested({"3": {"gt": {}, "pr": {"hotel": {"area": True}}}}),
    "nested-value-nan.json": nested({"0": {"gt": {"hotel": {"area": float("nan")}}, "pr": {}}}),
    "nested-value-not-utf8.json": nested({"0": {"gt": {"hotel": {"area": "EAST"}}, "pr": {}}}).replace(b"EAST", b"\xff"),
    "nested-domain-list.json": nested({"3": {"gt": {"hotel": ["area"]}, "pr": {}}}),
    "nested-state-null.json": nested({"3": {"gt": None, "pr": {}}}),
    "nested-turn-string.json": nested({"3": "x"}),
    "nested-turn-word.json": nested({"one": EMPTY}),
    "nested-turn-two-spellings.json": nested({"0": EMPTY, "00": EMPTY}),
    "nested-turn-twice.json": b'{"d1": {"0": {"gt": {}, "pr": {}}, "0": {"gt": {}, "pr": {}}}}',
    "nested-slot-twice.json": b'{"d1": {"0": {"gt": {"hotel": {"area": "a", "area": "b"}}, "pr": {}}}}',
    "nested-slot-two-spellings.json": nested({"0": {"gt": {"hotel": {"book day": "a", "day": "b"}}, "pr": {}}}),
    "nested-dialogue-twice.json": b'{"d1": {"0": {"gt": {}, "pr": {}}}, "d1": {"0": {"gt": {}, "pr": {}}}}',
    "nested-dialogue-two-spellings.json": b'{"D1.json": {"0": {"gt": {}, "pr": {}}}, "d1": {"0": {"gt": {}, "pr": {}}}}',
    "nested-dialogue-empty.json": nested({}),
    "nested-deep.json": b'{"d1": {"0": {"gt": {"hotel": {"area": ' + b"[" * 5000 + b"]" * 5000 + b'}}, "pr": {}}}}',
    "llm-turn-twice.jsonl": b'{"dialogue_id": "d", "turn": 0, "gold": {}, "completion": "{}"}\n' * 2,
    "llm-no-turn.jsonl": b'{"dialogue_id": "d", "gold": {}, "completion": "{}"}\n',
    "llm-completion-number.jsonl": b'{"dialogue_id": "d", "turn": 0, "gold": {}, "completion": 3}\n',
    "llm-two-values.jsonl": document(
        {"dialogue_id": "d", "turn": 0, "gold": {}, "completion": '{"hotel": {"book day": "a", "day": "b"}}'}
    ),
    "llm-unreadable.jsonl": document({"dialogue_id": "d", "turn": 0, "gold": {"hotel-area": "a"}, "completion": "no idea"}),
    "fga-cut.txt": b"Dialogue ID : d\nTurn: 0\nSys : \nUsr : a\n\nGT  : {'hotel': {'ar",
    "fga-not-a-state.txt": b"Dialogue ID : d\nTurn: 0\nSys : \nUsr : a\n\nGT  : [1]\nPR  : {}\n",
    "fga-turn-twice.txt": b"Dialogue ID : d\n" + b"Turn: 0\nSys : \nUsr : a\n\nGT  : {}\nPR  : {}\n" * 2,
    "trade-no-hyphen.json": document({"d": {"0": {"turn_belief": ["hotelarea"], "pred_bs_ptr": []}}}),
    "trade-number.json": document({"d": {"0": {"turn_belief": [3], "pred_bs_ptr": []}}}),
    "trade-two-values.json": document(
        {"d": {"0": {"turn_belief": ["hotel-area-a", "hotel-area-b"], "pred_bs_ptr": []}}}
    ),
    "trade-same-value.json": document(
        {"d": {"0": {"turn_belief": ["hotel-area-a", "hotel-area-a"], "pred_bs_ptr": []}}}
    ),
    "trade-no-pred.json": document({"d": {"0": {"turn_belief": ["hotel-area-a"]}}}),
    "som-key.json": document({"d": [[], []]}),
    "som-three.json": document({"d_0": [[], [], []]}),
    "som-two-values.json": document({"d_0": [["hotel-area-a", "hotel-area-b"], ["hotel-area-a"]]}),
    "trippy-guid.json": document([{"guid": ["test", "d"], "slot_prediction_hotel-area": "a", "slot_groundtruth_hotel-area": "a"}]),
    "trippy-number.json": document([{"guid": ["test", "d", "0"], "slot_prediction_hotel-area": {}, "slot_groundtruth_hotel-area": "a"}]),
    "trippy-turn-twice.json": document(
        [{"guid": ["test", "d", "0"], "slot_prediction_hotel-area": "a", "slot_groundtruth_hotel-area": "a"}] * 2
    ),
    "vectors-two.json": document({"d": {"0": [1, 0, 2]}}),
    "vectors-lengths.json": document({"d": {"0": [1, 0], "1": [1, 0, 1]}}),
    "vectors-empty.json": document({"d": {"0": []}}),
    "sgd-values.json": document(
        [{"dialogue_id": "d", "turns": [{"speaker": "USER", "utterance": "a", "frames": [{"service": "hotel", "state": {"slot_values": {"area": 3}}}]}]}]
    ),
    "sgd-service-twice.json": document(
        [{"dialogue_id": "d", "turns": [{"speaker": "USER", "utterance": "a", "frames": [{"service": "hotel", "state": {"slot_values": {}}}] * 2}]}]
    ),
    "sgd-speaker.json": document([{"dialogue_id": "d", "turns": [{"speaker": "narrator", "utterance": "a", "frames": []}]}]),
    "sgd-twice.json": document([{"dialogue_id": "d", "turns": [{"speaker": "USER", "utterance": "a", "frames": []}]}] * 2),
    "mwzeval-state.json": document({"d": [{"response": "", "state": []}]}),
    "mwzeval-two-values.json": document({"d": [{"response": "", "state": {"taxi": {"leave at": "a", "leave": "b"}}}]}),
    "mwzeval-empty.json": document({"d": []}),
    "convlab3-index.json": document([{"dialogue_id": "d", "utt_idx": "x", "state": {}, "predictions": {"state": {}}}]),
    "convlab3-twice.json": document([{"dialogue_id": "d", "utt_idx": 0, "state": {}, "predictions": {"state": {}}}] * 2),
    "convlab3-state.json": document([{"dialogue_id": "d", "utt_idx": 0, "state": {"hotel": 3}, "predictions": {"state": {}}}]),
    "t5-text-missing.jsonl": b'{"predictions": "", "state_seq": ""}\n{"predictions": ""}\n',
    "t5-text-object.jsonl": b'{"predictions": "", "state_seq": ""}\n{"predictions": {}, "state_seq": ""}\n',
    "dstc10-text.json": document([{"hotel": {"semi": {"area": "east"}}}]),
    "dstc10-half.json": document([{"hotel": {"other": {"area": ["east"]}}}]),
    "multiwoz-metadata.json": document({"d": {"log": [{"text": "a", "metadata": {}}, {"text": "b", "metadata": {"hotel": 3}}]}}),
    "multiwoz-odd.json": document({"d": {"log": [{"text": "a", "metadata": {}}]}}),
    "dials-slots.json": document([{"dialogue_idx": "d", "dialogue": [{"turn_idx": 0, "belief_state": [{"slots": ["a"]}], "transcript": "a"}]}]),
    "odd-list-of-objects-as-value.json": nested({"3": {"gt": {"hotel": {"area": [{}]}}, "pr": {}}}),
    "odd-list-as-state.json": nested({"3": {"gt": [], "pr": {}}}),
    "odd-list-as-dialogue.json": nested([]),
    "odd-turn-key-below-zero.json": nested({"-1": EMPTY}),
    "odd-turn-key-with-a-fraction.json": nested({"1.5": EMPTY}),
    "odd-utf-16.json": '{"d1": {}}'.encode("utf-16"),
    "odd-utf-16-without-its-mark.json": '{"d1": {}}'.encode("utf-16-be"),
    "odd-an-html-page.json": b"\n <!DOCTYPE html>\n<html></html>\n",
    "odd-git-lfs-pointer.json": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
    "odd-null.json": b"null",
    "odd-rows-whose-dialogue-has-another-name.json": b'{"talk": "a", "turn": 0, "gold": {}, "pred": {}}\n' * 2,
    "odd-table-whose-turn-has-another-name.json": b"id,step,gold,pred\na,0,,\n",
    "odd-log-without-its-gold.json": b'[{"ID": "a", "turn_id": 0, "pred": {}}]',
    "odd-keys-of-a-format-with-other-values.json": b'[{"dialogue_id": 1.5, "turn": 0, "completion": "x"}]',
    "odd-dialogues-without-states.json": b'{"d1": {"log": 3}}',
    "odd-many-keys.json": b'[{%s}]' % b", ".join(b'"k%d": 0' % number for number in range(14)),
    "odd-gzip-cut-off-at-its-head.json": pack(GOOD_LINE * 50)[:12],
    "odd-gzip-with-a-wrong-byte.json": pack(GOOD_LINE * 50)[:-6] + b"\x00\x00\x00\x00\x00\x00",
    "odd-zstd-cut-off.json": zstd_module().compress(GOOD_LINE * 50)[:-5],
    "odd-zstd-cut-off-at-its-head.json": zstd_module().compress(GOOD_LINE * 50)[:6],
    "odd-deep-nesting-in-a-line.json": value(b"[" * 100_000 + b"]" * 100_000),
}  # fmt: skip
"""File names, and what is in the files."""


def write_bad_files(folder: Path) -> None:
    """Writes all of them."""
    folder.mkdir()
    for name, data in BAD.items():
        (folder / name).write_bytes(data)
