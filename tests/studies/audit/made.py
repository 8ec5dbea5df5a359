"""An invented corpus: correct gold, and trackers with different mistakes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from random import Random

States = dict[str, list[dict[str, str]]]
VALUES = {
    "hotel-area": ("east", "west", "north"),
    "hotel-stars": ("2", "3", "4"),
    "restaurant-area": ("east", "west", "north"),
    "restaurant-food": ("thai", "greek", "irish"),
    "taxi-to": ("station", "museum", "park"),
}


def made_gold(dialogues: int = 40, seed: int = 5) -> States:
    """Return dialogues of five turns. Each slot is mentioned at one turn, or never."""
    random = Random(seed)
    gold: States = {}
    for number in range(dialogues):
        begins = {slot: (random.randrange(1, 4), random.choice(values)) for slot, values in VALUES.items()}
        kept = [slot for slot in VALUES if random.random() < 0.8] or ["hotel-area"]
        gold[f"d{number:02}"] = [
            {slot: begins[slot][1] for slot in kept if begins[slot][0] <= turn} for turn in range(5)
        ]
    return gold


def made_tracker(gold: States, seed: int, error: float = 0.15) -> States:
    """Return gold with missed and wrong values that depend on the tracker."""
    random = Random(seed)
    found: States = {}
    for name, turns in gold.items():
        fates = {slot: (random.random(), random.choice(values)) for slot, values in VALUES.items()}
        found[name] = [
            {
                slot: fates[slot][1] if fates[slot][0] < error / 2 else value
                for slot, value in state.items()
                if not error / 2 <= fates[slot][0] < error
            }
            for state in turns
        ]
    return found


def made_trackers(gold: States, count: int) -> dict[str, States]:
    """Return several trackers by name."""
    return {f"t{number:02}": made_tracker(gold, 100 + number) for number in range(count)}


def utterances_of(gold: States) -> dict[str, list[str]]:
    """Return utterances of users: the value of every slot at its first turn."""
    found = {}
    for name, turns in gold.items():
        before: Mapping[str, str] = {}
        lines = []
        for state in turns:
            new = [f"the {slot.replace('-', ' ')} is {value}" for slot, value in state.items() if slot not in before]
            lines.append(f"I want this: {' and '.join(new)}." if new else "Fine.")
            before = state
        found[name] = lines
    return found


def write_states(path: Path, side: str, states: States, talk: Mapping[str, Sequence[str]] | None = None) -> Path:
    """Write a file in the native format with gold or predictions."""
    with path.open("w", encoding="utf-8") as file:
        for name, turns in states.items():
            lines = [
                {"turn": turn, side: state, **({"user": talk[name][turn], "system": ""} if talk else {})}
                for turn, state in enumerate(turns)
            ]
            file.write(json.dumps({"dialogue_id": name, "turns": lines}) + "\n")
    return path


def write_corpus(folder: Path, gold: States, trackers: Mapping[str, States], talk: bool = False) -> list[Path]:
    """Write a file of gold, and one for each tracker."""
    said = utterances_of(made_gold(len(gold))) if talk else None
    return [
        write_states(folder / "gold.jsonl", "gold", gold, said),
        *(write_states(folder / f"{name}.jsonl", "pred", states) for name, states in trackers.items()),
    ]


def spoilt(gold: States, dialogue: str, slot: str, first: int, last: int, value: str | None) -> States:
    """Return gold with another value of one slot at some turns."""
    found = deepcopy(gold)
    for turn in range(first, last + 1):
        found[dialogue][turn].pop(slot, None)
        if value is not None:
            found[dialogue][turn][slot] = value
    return found
