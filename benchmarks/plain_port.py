"""A plain port of the published algorithms, as a baseline for dialmeter's speed.

Run with `python benchmarks/plain_port.py FILE`. It works as the published scripts do: the whole file is loaded, states
become lists of "domain-slot-value", and every measure iterates over all turns separately, FGA once for each lambda.
Values are not changed, "none" is dropped for all measures except GCA, and slots are cut at the last hyphen, as in the
rule set `gca-repo`. The port gives the values of that rule set.
"""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

LAMBDAS = (0.25, 0.5, 0.75, 1)
ALPHA = 10 / 11
SLOTS = 30


class Turn(NamedTuple):
    """Both states of a turn, as mappings and as lists of "domain-slot-value"."""

    gold_state: dict[str, str]
    pred_state: dict[str, str]
    gold: list[str]
    pred: list[str]


Dialogue = list[Turn]


def load(path: Path) -> list[Dialogue]:
    """Load all dialogues of a file in the native format, or of a `.json` file in the nested format of the published scripts."""
    with path.open(encoding="utf-8") as file:
        if path.suffix == ".json":
            document = json.load(file)
            return [
                [make_turn(flat(turn["gt"]), flat(turn["pr"])) for _, turn in sorted(turns.items(), key=by_number)]
                for turns in document.values()
            ]
        lines = [json.loads(line) for line in file]
    return [[make_turn(turn["gold"], turn["pred"]) for turn in line["turns"]] for line in lines]


def by_number(item: tuple[str, object]) -> int:
    """Return the sort key of a turn in the nested format, whose keys are digits."""
    return int(item[0])


def flat(state: dict[str, dict[str, str]]) -> dict[str, str]:
    """Return a state of the nested format with "domain-slot" as keys."""
    return {f"{domain}-{slot}": value for domain, slots in state.items() for slot, value in slots.items()}


def make_turn(gold: dict[str, str], pred: dict[str, str]) -> Turn:
    """Return both states of a turn, as mappings and as lists."""
    return Turn(gold, pred, glued(gold), glued(pred))


def glued(state: dict[str, str]) -> list[str]:
    """Return a state as the list that the scripts use."""
    return [f"{slot}-{value}" for slot, value in state.items() if value != "none"]


def cut(pairs: Sequence[str]) -> set[str]:
    """Return the slots as the scripts do: the text before the last hyphen."""
    return {pair.rsplit("-", 1)[0] for pair in pairs}


def joint_goal_accuracy(dialogues: list[Dialogue]) -> float:
    exact = [set(turn.gold) == set(turn.pred) for dialogue in dialogues for turn in dialogue]
    return sum(exact) / len(exact)


def slot_accuracy(dialogues: list[Dialogue]) -> float:
    accuracies = []
    for dialogue in dialogues:
        for turn in dialogue:
            missing = [pair for pair in turn.gold if pair not in turn.pred]
            extra = [pair for pair in turn.pred if pair not in turn.gold]
            errors = len(missing) + len(extra) - len(cut(missing) & cut(extra))
            accuracies.append((SLOTS - errors) / SLOTS)
    return sum(accuracies) / len(accuracies)


def average_goal_accuracy(dialogues: list[Dialogue]) -> float:
    accuracies = []
    for dialogue in dialogues:
        for turn in dialogue:
            if turn.gold:
                accuracies.append(len(set(turn.gold) & set(turn.pred)) / len(set(turn.gold)))
    return sum(accuracies) / len(accuracies)


def relative_slot_accuracy(dialogues: list[Dialogue]) -> float:
    accuracies = []
    for dialogue in dialogues:
        for turn in dialogue:
            gold_slots, pred_slots = cut(turn.gold), cut(turn.pred)
            slots = len(gold_slots | pred_slots)
            extra = [pair for pair in turn.pred if pair not in turn.gold]
            errors = len(gold_slots - pred_slots) + len(extra)
            accuracies.append((slots - errors) / slots if slots else 0)
    return sum(accuracies) / len(accuracies)


def flexible_goal_accuracy(dialogues: list[Dialogue], lam: float) -> float:
    weights: list[float] = []
    for dialogue in dialogues:
        old_gold: set[str] = set()
        old_pred: set[str] = set()
        error_at = 0
        for number, turn in enumerate(dialogue):
            gold, pred = set(turn.gold), set(turn.pred)
            if gold == pred:
                weights.append(1)
            elif old_gold == old_pred or not gold - old_gold <= pred or not pred - old_pred <= gold:
                weights.append(0)
                error_at = number
            else:
                weights.append(1 - math.exp(-lam * (number - error_at)))
            old_gold, old_pred = gold, pred
    return sum(weights) / len(weights)


def granular_change_accuracy(dialogues: list[Dialogue]) -> float:
    missed = wrong = over = correct = 0
    for dialogue in dialogues:
        old_gold: dict[str, str] = {}
        old_pred: dict[str, str] = {}
        for turn in dialogue:
            # A slot that was removed holds "none".
            gold = {**dict.fromkeys(old_gold, "none"), **turn.gold_state}
            pred = {**dict.fromkeys(old_pred, "none"), **turn.pred_state}
            right = set()
            mistaken = set()
            for slot, value in gold.items():
                if old_gold.get(slot) == value:
                    continue
                if slot not in pred and value != "none":
                    missed += 1
                elif slot not in pred or pred[slot] == value:
                    correct += 1
                    right.add(slot)
                elif value == "none":
                    over += 1
                else:
                    wrong += 1
                    mistaken.add(slot)
            for slot, value in pred.items():
                if old_pred.get(slot) == value:
                    continue
                if slot not in gold and value != "none":
                    over += 1
                elif slot not in gold or (gold[slot] == value and slot not in right):
                    correct += 1
                elif value == "none":
                    missed += 1
                elif gold[slot] != value and slot not in mistaken:
                    wrong += 1
            old_gold, old_pred = gold, pred
    predicted, expected = correct + wrong + over, correct + wrong + missed
    shares = (correct / predicted, correct / expected, (correct + wrong) / predicted, (correct + wrong) / expected)
    weights = (ALPHA * predicted, ALPHA * expected, (1 - ALPHA) * predicted, (1 - ALPHA) * expected)
    return sum(weights) / sum(weight / share for weight, share in zip(weights, shares, strict=True))


def scores(path: Path) -> dict[str, float]:
    """Return all measures under dialmeter's names."""
    dialogues = load(path)
    return {
        "JGA": joint_goal_accuracy(dialogues),
        "SA": slot_accuracy(dialogues),
        "AGA": average_goal_accuracy(dialogues),
        "RSA": relative_slot_accuracy(dialogues),
        **{f"FGA(lam={lam:g})": flexible_goal_accuracy(dialogues, lam) for lam in LAMBDAS},
        "GCA": granular_change_accuracy(dialogues),
    }


if __name__ == "__main__":
    for name, value in scores(Path(sys.argv[1])).items():
        print(f"{name:14} {100 * value:.2f}")
