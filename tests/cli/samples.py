"""Small files in the two layouts that tests of the command line read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
"""Three dialogues: one goes wrong, one invents a slot, one is right."""


def native_lines(dialogues: dict[str, list[dict[str, Any]]], *sides: str) -> bytes:
    """Dialogues as JSON lines; with sides, only those states and no utterances."""
    lines = []
    for name, turns in dialogues.items():
        kept = [
            {"turn": number, **{key: value for key, value in turn.items() if not sides or key in sides}}
            for number, turn in enumerate(turns)
        ]
        lines.append(json.dumps({"dialogue_id": name, "turns": kept}) + "\n")
    return "".join(lines).encode()


def nested_document(dialogues: dict[str, list[dict[str, Any]]]) -> bytes:
    """Dialogues as one document in the layout of the FGA repository."""

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
    """A file with that content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def town(folder: Path) -> Path:
    """The three dialogues as a file of JSON lines."""
    return written(folder / "town.jsonl", native_lines(TOWN))
