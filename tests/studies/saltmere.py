"""Invented systems on the dialogues of Saltmere: each predicts gold with different mistakes, later systems with more."""

from __future__ import annotations

from pathlib import Path
from random import Random

from dialmeter.model import Dialogue, Turn
from dialmeter.readers.layouts.own import write

from ..two_trackers import SEED, VALUES, State, events, one_of

NAMES = (
    "alpha",
    "beta",
    "a tracker with a long name, large, two epochs",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
)


def predicted(golds: list[State], share: float, rng: Random) -> list[State]:
    """Return gold with a share of the slots wrong or missing from some turn on."""
    wrong: dict[str, str | None] = {}
    found = []
    for gold in golds:
        for slot in gold:
            if slot not in wrong and rng.random() < share:
                wrong[slot] = rng.choice([None, *VALUES.get(slot, ["nowhere"])])
        state = {slot: wrong.get(slot, one_of(value)) for slot, value in gold.items()}
        found.append({slot: value for slot, value in state.items() if value is not None})
    return found


def write_system(path: Path, share: float, seed: str, dialogues: int = 40, first: int = 0) -> Path:
    """Write a file of predictions with gold.

    Args:
        path: the file.
        share: share of slots that are wrong.
        seed: seed of the mistakes.
        dialogues: number of dialogues.
        first: number of the first dialogue.
    """
    found = []
    for number in range(first, first + dialogues):
        golds = [event.gold for event in events(Random(f"{SEED} {number}"))]
        preds = predicted(golds, share, Random(f"{seed} {number}"))
        turns = [Turn(at, gold, pred) for at, (gold, pred) in enumerate(zip(golds, preds, strict=True))]
        found.append(Dialogue(f"saltmere-{number:02d}", tuple(turns)))
    with open(path, "wb") as file:
        write(found, file)
    return path


def write_twelve(folder: Path) -> Path:
    """Write twelve systems and their manifest."""
    rows = []
    for number, name in enumerate(NAMES):
        write_system(folder / f"s{number}.jsonl", 0.04 + 0.02 * number, name)
        rows.append(
            f'[[row]]\nsystem = "{name}"\nfile = "s{number}.jsonl"\nsource = "https://example.org/papers/{number}"\n'
            f'licence = "MIT"\ndate = 2026-03-{number + 1:02d}\n'
        )
    manifest = folder / "made-up.toml"
    manifest.write_text('title = "Made-up systems"\n\n' + "\n".join(rows), "utf-8")
    return manifest
