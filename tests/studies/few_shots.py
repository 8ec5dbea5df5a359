"""Predictions of an invented tracker that improves with training, in the files of a few-shot study."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

SLOTS = {
    "hotel": {"area": ["east", "north", "west"], "stars": ["3", "4", "5"], "name": ["acorn", "lodge"]},
    "taxi": {"leaveat": ["10:00", "11:15"], "destination": ["station", "airport"]},
}
RATIOS, SEEDS = (0.01, 0.1, 0.5), (11, 23, 557)


def gold(dialogues: int = 25, domains: tuple[str, ...] = ("hotel", "taxi")) -> dict[str, list[dict[str, Any]]]:
    """Return states by dialogue, always the same."""
    draw = random.Random(1)
    found = {}
    for number in range(dialogues):
        state: dict[str, dict[str, str]] = {}
        turns = []
        for _ in range(draw.randint(2, 6)):
            for _ in range(draw.randint(0, 2)):
                domain = draw.choice(domains)
                slot = draw.choice(sorted(SLOTS[domain]))
                state.setdefault(domain, {})[slot] = draw.choice(SLOTS[domain][slot])
            turns.append(json.loads(json.dumps(state)))
        found[f"MUL{number:04}.json"] = turns
    return found


def predicted(states: dict[str, list[dict[str, Any]]], mistakes: float, seed: object) -> dict[str, Any]:
    """Return predictions in the nested format, with a share of changes missed or wrong."""
    draw = random.Random(f"{seed}")
    document: dict[str, Any] = {}
    for name, turns in states.items():
        before: dict[str, Any] = {}
        pred: dict[str, dict[str, str]] = {}
        document[name] = {}
        for number, state in enumerate(turns):
            for domain, slots in state.items():
                for slot, value in slots.items():
                    if before.get(domain, {}).get(slot) == value:
                        continue
                    luck = draw.random()
                    if luck > mistakes:
                        pred.setdefault(domain, {})[slot] = value
                    elif luck < mistakes / 2:
                        pred.setdefault(domain, {})[slot] = draw.choice(SLOTS[domain][slot])
            before = state
            document[name][str(number)] = {"gt": state, "pr": json.loads(json.dumps(pred))}
    return document


def write(path: Path, document: dict[str, Any]) -> Path:
    """Write one JSON file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")
    return path


def few_shot_folder(folder: Path, ratios: tuple[float, ...] = RATIOS, seeds: tuple[int, ...] = SEEDS) -> Path:
    """Write a folder with one file per share of training data and seed."""
    for ratio in ratios:
        for seed in seeds:
            name = f"ratio_{ratio:g}_seed_{seed}_prediction.json"
            write(folder / name, predicted(gold(), 0.6 - 0.5 * ratio**0.5, (ratio, seed)))
    return folder


def zero_shot_folder(folder: Path, seeds: tuple[int | None, ...] = (None,)) -> Path:
    """Write a folder with one file per domain and seed. The taxi domain has fewer dialogues, with the same names."""
    for domain, count in (("hotel", 25), ("taxi", 8)):
        for seed in seeds:
            name = f"T5_result_zeroshot_{domain}{'' if seed is None else f'_seed_{seed}'}.json"
            write(folder / name, predicted(gold(count, (domain,)), 0.5, (domain, seed)))
    return folder
