"""Layouts made at random, with figures that are known by construction. None may be read with another figure.

Run with ``python -m tests.fuzz.layouts --layouts 5000``.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from dialmeter.errors import InputError
from dialmeter.tracking.scoring import score_file

NAMES = {
    "dialogue": ("dialogue_id", "conversation", "sessionId", "dial_id", "conv_id"),
    "turn": ("turn", "turnIndex", "step", "turn_id", "utt_idx"),
    "gold": ("gold", "expected", "ground_truth", "goldState", "reference", "y_true", "target_state"),
    "pred": ("pred", "prediction", "hypothesis", "predicted_state", "y_pred", "modelOutput", "hyp"),
}


def write_layout(random: Random, states: list[tuple[str, int, dict[str, str], dict[str, str]]], folder: Path) -> Path:
    """Writes states in a layout made at random, and returns the file."""
    names = {role: random.choice(choices) for role, choices in NAMES.items()}
    write = random.choice(
        [
            lambda state: state,
            lambda state: {"slots": state},
            lambda state: [f"{slot}-{value}" for slot, value in state.items()],
            lambda state: [[*slot.split("-"), value] for slot, value in state.items()],
            json.dumps,
            str,
            lambda state: "; ".join(f"{slot} = {value}" for slot, value in state.items()),
        ]
    )
    rows = [
        {names["dialogue"]: dialogue, names["turn"]: turn, names["gold"]: write(gold), names["pred"]: write(pred)}
        for dialogue, turn, gold, pred in states
    ]
    nested: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        nested.setdefault(row[names["dialogue"]], []).append({key: row[key] for key in (names["gold"], names["pred"])})
    kind = random.choice(["lines", "list", "wrapped", "csv", "turns", "by id", "columns", "by turn"])
    text = ""
    if kind == "lines":
        text = "\n".join(map(json.dumps, rows))
    elif kind == "csv":
        written = io.StringIO()
        table = csv.DictWriter(written, list(rows[0]), delimiter=random.choice(",;\t"))
        table.writeheader()
        cells = (
            {key: json.dumps(value) if isinstance(value, dict | list) else value for key, value in row.items()}
            for row in rows
        )
        table.writerows(cells)
        text = written.getvalue()
    elif kind == "turns":
        text = json.dumps([{names["dialogue"]: name, "turns": turns} for name, turns in nested.items()])
    elif kind == "by id":
        text = json.dumps(nested)
    elif kind == "by turn":
        text = json.dumps(
            {name: {str(place): turn for place, turn in enumerate(turns)} for name, turns in nested.items()}
        )
    elif kind == "columns":
        text = json.dumps({"columns": list(rows[0]), "data": [list(row.values()) for row in rows]})
    else:
        text = json.dumps({"results": rows} if kind == "wrapped" else rows)
    path = folder / f"{kind}.{'csv' if kind == 'csv' else 'jsonl' if kind == 'lines' else 'json'}"
    path.write_text(text)
    return path


def states_of(random: Random) -> list[tuple[str, int, dict[str, str], dict[str, str]]]:
    slots = ("hotel-area", "hotel-stars", "train-day", "taxi-destination")
    found = []
    for dialogue in range(random.randint(2, 4)):
        gold: dict[str, str] = {}
        for turn in range(random.randint(2, 5)):
            gold = {**gold, random.choice(slots): random.choice(["east", "4", "monday", "old mill"])}
            pred = dict(gold) if random.random() < 0.5 else {**gold, random.choice(slots): "wrong"}
            found.append((f"d{dialogue}", turn, gold, pred))
    return found


def outcome(seed: int, folder: Path) -> str:
    """Writes and reads a layout: ``read``, ``refused``, or what is wrong."""
    random = Random(seed)
    states = states_of(random)
    path = write_layout(random, states, folder)
    try:
        result = score_file(str(path), measures=["JGA"])
    except InputError:
        return "refused"
    right = sum(gold == pred for *_, gold, pred in states)
    found = round((result["JGA"].value or 0) * len(states), 9), result.counts["turns"]
    return "read" if found == (right, len(states)) else f"wrong: seed {seed}, {path.name}"


def main() -> int:
    """Prints the outcomes; the exit code is 1 if a layout is read with another figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--layouts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        outcomes = Counter(outcome(given.seed + number, Path(folder)) for number in range(given.layouts))
    for name, count in outcomes.most_common(20):
        sys.stdout.write(f"{count} {name}\n")
    return int(not {*outcomes} <= {"read", "refused"})


if __name__ == "__main__":
    sys.exit(main())
