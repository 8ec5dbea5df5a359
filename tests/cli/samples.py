"""Small files in the two formats that tests of the command line read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

EAST = {"hotel-area": "east"}
BOTH = {"hotel-area": "east", "taxi-to": "a-b"}

TOWN: dict[str, list[dict[str, Any]]] = {
    "d1": [
        {"gold": EAST, "pred": EAST, "user": "In the east, please.", "system": ""},
        {"gold": BOTH, "pred": {"hotel-area": "west"}, "user": "And a taxi to a-b.", "system": "Fine."},
        {"gold": BOTH, "pred": {"hotel-area": "west"}, "user": "That is all.", "system": "Anything else?"},
    ],
    "d2": [{"gold": {}, "pred": {"pub-name": "1"}, "user": "Hello", "system": ""}],
    "d3": [
        {"gold": EAST, "pred": EAST, "user": "East", "system": ""},
        {"gold": BOTH, "pred": BOTH, "user": "Taxi", "system": "Yes?"},
    ],
}
"""Three dialogues: one with a mistake, one with an extra slot, one correct."""


def native_lines(dialogues: dict[str, list[dict[str, Any]]], *sides: str) -> bytes:
    """Encode dialogues as JSON lines. With sides, only these states and no utterances."""
    lines = []
    for name, turns in dialogues.items():
        kept = [
            {"turn": number, **{key: value for key, value in turn.items() if not sides or key in sides}}
            for number, turn in enumerate(turns)
        ]
        lines.append(json.dumps({"dialogue_id": name, "turns": kept}) + "\n")
    return "".join(lines).encode()


def nested_document(dialogues: dict[str, list[dict[str, Any]]]) -> bytes:
    """Encode dialogues as one document in the format of the FGA repository."""

    def nested(state: dict[str, str]) -> dict[str, dict[str, str]]:
        domains: dict[str, dict[str, str]] = {}
        for slot, value in state.items():
            domain, _, name = slot.partition("-")
            domains.setdefault(domain, {})[name] = value
        return domains

    return json.dumps(
        {
            name: {
                str(number): {"gt": nested(turn["gold"]), "pr": nested(turn["pred"])}
                for number, turn in enumerate(turns)
            }
            for name, turns in dialogues.items()
        }
    ).encode()


def written(path: Path, data: bytes | str) -> Path:
    """Write a file with this content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def town(folder: Path) -> Path:
    """Write the three dialogues to a file of JSON lines."""
    return written(folder / "town.jsonl", native_lines(TOWN))


class Pair(NamedTuple):
    """Write a file with predictions and a file with gold."""

    pred: Path
    gold: Path


def with_sections(folder: Path, pred: dict[str, Any] | None = None) -> Pair:
    """Two instances in the format of DSTC10. The second is correct and has a slot outside the 19."""
    gold = [
        {"hotel": {"semi": {"area": ["east"]}, "book": {"people": ["1"]}}},
        {"restaurant": {"semi": {"food": ["thai", "asian"], "view": ["sea"]}}},
    ]
    found = [pred or {"hotel": {"semi": {"area": ["west"]}}}, {"restaurant": {"semi": {"food": ["Asian", "Thai"]}}}]
    return Pair(
        written(folder / "pred.json", json.dumps(found)),
        written(folder / "gold.json", json.dumps(gold)),
    )


def services(folder: Path, *, schema: bool = True) -> Pair:
    """Two frames in the schema-guided format with the names of MultiWOZ 2.2. The booking slot of one is wrong."""
    paths = {}
    for side, day in (("gold", "monday"), ("pred", "sunday")):
        states = [{"hotel-area": ["east"], "hotel-bookday": [day]}, {"hotel-area": ["east"]}]
        turns = [
            {
                "speaker": "USER",
                "utterance": "",
                "frames": [
                    {
                        "service": "hotel",
                        "state": {"active_intent": "find", "requested_slots": [], "slot_values": state},
                    }
                ],
            }
            for state in states
        ]
        document = [{"dialogue_id": "d1", "services": ["hotel"], "turns": turns}]
        paths[side] = written(folder / side / "dialogues_001.json", json.dumps(document)).parent
    if schema:
        slots = [{"name": name, "is_categorical": True} for name in ("hotel-area", "hotel-bookday")]
        written(paths["gold"] / "schema.json", json.dumps([{"service_name": "hotel", "slots": slots}]))
    return Pair(paths["pred"], paths["gold"])
