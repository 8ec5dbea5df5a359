"""One tracker on the same dialogues under several wordings of the schema, in the format of SGD-X."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Wrong = Callable[[str, int, int], bool]
"""Is the tracker wrong: under a variant, in a dialogue, at a turn?"""


def reworded(thing: Any, variant: str) -> Any:
    """Return a schema or dialogues of SGD with other names of services and slots."""
    if isinstance(thing, list):
        return [reworded(each, variant) for each in thing]
    if not isinstance(thing, dict):
        return thing
    found = {}
    for key, value in thing.items():
        if key in ("service", "service_name", "name", "slot"):
            found[key] = f"{value}_{variant}"
        elif key == "slot_values":
            found[key] = {f"{slot}_{variant}": values for slot, values in value.items()}
        elif key in ("services", "requested_slots"):
            found[key] = [f"{each}_{variant}" for each in value]
        else:
            found[key] = reworded(value, variant)
    return found


def write(folder: Path, dialogues: list[Any], schema: list[Any] | None = None) -> str:
    """Write a folder of dialogues, with their schema if they are gold."""
    folder.mkdir(parents=True)
    (folder / "dialogues_001.json").write_text(json.dumps(dialogues))
    if schema is not None:
        (folder / "schema.json").write_text(json.dumps(schema))
    return str(folder)


def mistaken(dialogues: list[Any], variant: str, wrong: Wrong) -> list[Any]:
    """Return gold with an invented value at some turns."""
    copied = json.loads(json.dumps(dialogues))
    for number, dialogue in enumerate(copied):
        turns = [turn for turn in dialogue["turns"] if turn["speaker"] == "USER"]
        for place, turn in enumerate(turns):
            for frame in turn["frames"]:
                values = frame["state"]["slot_values"]
                if values and wrong(variant, number, place):
                    values[min(values)] = ["qqqq"]
    return copied  # type: ignore[no-any-return]


def write_variants(
    root: Path, dialogues: list[Any], schema: list[Any], names: tuple[str, ...], wrong: Wrong
) -> dict[str, tuple[str, str]]:
    """Write predictions and gold of every variant, and return their folders by name."""
    found = {}
    for name in names:
        gold = reworded(dialogues, name)
        pred = mistaken(gold, name, wrong)
        found[name] = write(root / "pred" / name, pred), write(root / "gold" / name, gold, reworded(schema, name))
    return found


def small_corpus(dialogues: int = 6, turns: int = 2) -> tuple[list[Any], list[Any]]:
    """Return invented dialogues with one service, and their schema."""
    slots = [{"name": f"s{number}", "is_categorical": False, "possible_values": []} for number in range(turns)]
    talk = [
        {
            "dialogue_id": f"1_{number:05}",
            "services": ["Inns_1"],
            "turns": [
                {
                    "speaker": "USER",
                    "utterance": f"turn {place}",
                    "frames": [
                        {
                            "service": "Inns_1",
                            "state": {
                                "active_intent": "Find",
                                "requested_slots": [],
                                "slot_values": {f"s{each}": ["north wing"] for each in range(place + 1)},
                            },
                        }
                    ],
                }
                for place in range(turns)
            ],
        }
        for number in range(dialogues)
    ]
    return talk, [{"service_name": "Inns_1", "slots": slots, "intents": []}]
