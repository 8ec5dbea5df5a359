"""Slow, literal implementations of six published scorers from their specification, over the files that they read.

Each function takes parsed JSON in the original's own layout and returns fractions, by the name of the measure here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dialmeter.values.originals import normalise_value, partial

Json = Any
Figures = dict[str, float | None]
Cell = tuple[str, str]

LAMBDAS = (0.25, 0.5, 0.75, 1.0)


def mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


class Counts(NamedTuple):
    """One turn: is it right, and its slots."""

    right: bool
    both: int
    pred_only: int
    gold_only: int


def slot_figures(turns: Sequence[Counts], tiny: float = 0.0) -> Figures:
    both = sum(turn.both for turn in turns)
    precision = ratio(both, both + sum(turn.pred_only for turn in turns) + tiny)
    recall = ratio(both, both + sum(turn.gold_only for turn in turns) + tiny)
    return {
        "JGA": ratio(sum(turn.right for turn in turns), len(turns) + tiny),
        "SlotPrecision": precision,
        "SlotRecall": recall,
        "SlotF1": ratio(2 * precision * recall, precision + recall + tiny),
    }


# MultiWOZ_Evaluation


def mwzeval(gold: Json, pred: Json) -> Figures:
    """Both files by dialogue; the predicted dialogues and turns are scored, by place."""
    turns = []
    for dialogue, predicted in pred.items():
        for place, turn in enumerate(predicted):
            held = mwzeval_state(drop_dontcare(gold[dialogue][place]["state"]))
            told = mwzeval_state(turn["state"])
            matches = sum(cell in held and partial(value, held[cell]) > 95 for cell, value in told.items())
            right = held.keys() == told.keys() and matches == len(held)
            turns.append(Counts(right, matches, len(told) - matches, len(held) - matches))
    return slot_figures(turns, 1e-10)


def drop_dontcare(state: Json) -> Json:
    """The first value of every gold slot whose values do not contain dontcare."""
    found: Json = {}
    for domain, slots in state.items():
        for slot, value in slots.items():
            values = [value] if isinstance(value, str) else value
            if "dontcare" not in values:
                found.setdefault(domain, {})[slot] = values[0]
    return found


def mwzeval_state(state: Json) -> dict[Cell, str]:
    joined = {"arriveby": "arrive", "leaveat": "leave"}
    found = {}
    for domain, slots in state.items():
        for written, value in slots.items():
            name = written.lower().replace(" ", "")
            name = joined.get(name, name)
            found[domain, name] = normalise_value(name, value)
    return found


def from_multiwoz22(dialogues: Json) -> Json:
    """Gold of MultiWOZ 2.2 in the layout of predictions, with all values of a slot."""
    found = {}
    for dialogue in dialogues:
        states: list[Json] = []
        for user, system in zip(dialogue["turns"][0::2], dialogue["turns"][1::2], strict=False):
            assert (user["speaker"], system["speaker"]) == ("USER", "SYSTEM")
            state: Json = {}
            for frame in user["frames"]:
                for name, values in frame["state"]["slot_values"].items():
                    state.setdefault(frame["service"], {})[name.split("-")[1]] = values
            states.append({"state": state})
        found[dialogue["dialogue_id"].split(".")[0].lower()] = states
    return found


# ConvLab-3


def squeezed(text: str) -> str:
    return "".join(text.split()).lower()


def convlab3(rows: Json) -> Figures:
    turns = []
    for row in rows:
        both = pred_only = gold_only = 0
        predicted = row["predictions"]["state"]
        for domain, slots in row["state"].items():
            for slot, gold in slots.items():
                pred = squeezed(predicted.get(domain, {}).get(slot, ""))
                if gold and pred:
                    common = bool(set(squeezed(gold).split("|")) & set(pred.split("|")))
                    both, pred_only, gold_only = both + common, pred_only + (not common), gold_only + (not common)
                elif gold:
                    gold_only += 1
                elif pred:
                    pred_only += 1
        turns.append(Counts(not pred_only and not gold_only, both, pred_only, gold_only))
    return slot_figures(turns)


def convlab3_t5(rows: Json) -> Figures:
    """The JSON layout."""
    pairs = []
    for row in rows:
        gold = {
            domain: {slot: value.split("|")[0] for slot, value in slots.items()}
            for domain, slots in row["state"].items()
        }
        pred = row["predictions"]["state"]
        pairs.append((gold, pred, state_text(gold), state_text(pred)))
    return t5_figures(pairs)


def convlab3_t5_text(rows: Json) -> Figures:
    """The text layout."""
    texts = [(row["state_seq"], row["predictions"]) for row in rows]
    return t5_figures([(text_state(gold), text_state(pred), gold, pred) for gold, pred in texts])


def t5_figures(pairs: Iterable[tuple[Json, Json, str, str]]) -> Figures:
    turns, equal = [], []
    for gold, pred, gold_text, pred_text in pairs:
        held, told = t5_triples(gold), t5_triples(pred)
        turns.append(Counts(held == told, len(held & told), len(told - held), len(held - told)))
        equal.append(float(gold_text.strip() == pred_text.strip()))
    return {**slot_figures(turns), "SequenceMatch": mean(equal)}


def t5_triples(state: Json) -> set[tuple[str, str, str]]:
    return {
        (domain, slot, squeezed(value)) for domain, slots in state.items() for slot, value in slots.items() if value
    }


def state_text(state: Json) -> str:
    domains = {
        domain: ",".join(f"[{slot}][{value}]" for slot, value in slots.items() if value)
        for domain, slots in state.items()
    }
    return ";".join(f"[{domain}]({slots})" for domain, slots in domains.items() if slots)


def text_state(text: str) -> Json:
    found: Json = {}
    pieces = text.split("]);[")
    for place, whole in enumerate(pieces):
        if whole.count("]([") != 1:
            continue
        piece = whole.removeprefix("[") if place == 0 else whole
        piece = piece.removesuffix("])") if place == len(pieces) - 1 else piece
        domain, slots = piece.split("]([")
        for part in slots.split("],["):
            if part.count("][") == 1:
                slot, value = part.split("][")
                found.setdefault(domain, {})[slot] = value
    return found


# DSTC10, track 2, task 1

DSTC10_CELLS = [
    (domain, section, slot)
    for domain, section, slots in (
        ("restaurant", "book", "people day time"),
        ("restaurant", "semi", "food pricerange name area"),
        ("hotel", "book", "people rooms day stay"),
        ("hotel", "semi", "name area pricerange stars type"),
        ("attraction", "semi", "type name area"),
    )
    for slot in slots.split()
]
DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NUMBERS = {word: str(number) for number, word in enumerate(DIGITS, start=1)}


def dstc10(gold: Json, pred: Json) -> Figures:
    right = equal = pred_none = gold_none = both_none = 0
    values = 0.0
    for held, told in zip(gold, pred, strict=True):
        all_equal = True
        for domain, section, slot in DSTC10_CELLS:
            mine = held.get(domain, {}).get(section, {}).get(slot)
            theirs = told.get(domain, {}).get(section, {}).get(slot)
            gold_none += mine is None
            pred_none += theirs is None
            both_none += mine is None and theirs is None
            is_equal = mine is None and theirs is None
            if mine is not None and theirs is not None:
                score = list_f1(mine, theirs)
                values += score
                is_equal = score == 1.0
            equal += is_equal
            all_equal = all_equal and is_equal
        right += all_equal
    cells = len(DSTC10_CELLS) * len(gold)
    value_precision, value_recall = ratio(values, cells - pred_none), ratio(values, cells - gold_none)
    none_precision, none_recall = ratio(both_none, pred_none), ratio(both_none, gold_none)
    return {
        "JGA": ratio(right, len(gold)),
        "SA": ratio(equal, cells),
        "ValuePrecision": value_precision,
        "ValueRecall": value_recall,
        "ValueF1": ratio(2 * value_precision * value_recall, value_precision + value_recall),
        "NonePrecision": none_precision,
        "NoneRecall": none_recall,
        "NoneF1": ratio(2 * none_precision * none_recall, none_precision + none_recall),
    }


def list_f1(gold: list[str], pred: list[str]) -> float:
    def number(text: str) -> str:
        return NUMBERS.get(text.lower(), text.lower())

    held, told = set(gold), set(pred)
    pairs = sum(number(one) == number(other) for one in held for other in told)
    if not pairs:
        return 0.0
    precision, recall = pairs / len(told), pairs / len(held)
    return 2 * precision * recall / (precision + recall)


# TRADE


def trade(file: Json, slots: int = 30) -> Figures:
    right, accuracy, scores = [], [], []
    for turns in file.values():
        for turn in turns.values():
            held, told = set(turn["turn_belief"]), set(turn["pred_bs_ptr"])
            right.append(float(held == told))
            accuracy.append((slots - trade_errors(held, told)) / slots)
            scores.append(set_f1(held, told))
    return {"JGA": mean(right), f"SA(slots={slots})": mean(accuracy), "JointF1": mean(scores)}


def trade_errors(gold: set[str], pred: set[str]) -> int:
    missed, extra = gold - pred, pred - gold
    cut = {text.rpartition("-")[0] for text in missed}
    return len(missed) + sum(text.rpartition("-")[0] not in cut for text in extra)


def set_f1(gold: set[str], pred: set[str]) -> float:
    if not gold:
        return float(not pred)
    common = len(gold & pred)
    if not common:
        return 0.0
    precision, recall = common / len(pred), common / len(gold)
    return 2 * precision * recall / (precision + recall)


# The repository of FGA


def fga_repo(file: Json) -> Figures:
    """Nested gold and predicted states."""
    right, accuracy, average = [], [], []
    flexible: dict[float, list[float]] = {lam: [] for lam in LAMBDAS}
    for turns in file.values():
        last_gold: set[str] = set()
        last_pred: set[str] = set()
        error = 0
        last_exact = None
        for key, turn in turns.items():
            gold, pred = set(glued(turn["gt"])), set(glued(turn["pr"]))
            exact = gold == pred
            right.append(float(exact))
            accuracy.append((30 - trade_errors(gold, pred)) / 30)
            if gold:
                average.append(len(gold & pred) / len(gold))
            wrong_now = not exact and (
                last_exact is None or last_exact or not gold - last_gold <= pred or not pred - last_pred <= gold
            )
            if wrong_now:
                error = int(key)
            for lam, scores in flexible.items():
                scores.append(1.0 if exact else 0.0 if wrong_now else 1 - math.exp(-lam * (int(key) - error)))
            last_gold, last_pred, last_exact = gold, pred, exact
    return {"JGA": mean(right), "SA": mean(accuracy), "AGA": mean(average), **fga_figures(flexible)}


def glued(state: Json) -> Iterator[str]:
    return (f"{domain}-{slot}-{value}" for domain, slots in state.items() for slot, value in slots.items())


def fga_vectors(file: Json) -> Figures:
    right, accuracy = [], []
    flexible: dict[float, list[float]] = {lam: [] for lam in LAMBDAS}
    for dialogue, turns in file.items():
        if dialogue == "PMUL1455.json":
            continue
        last_wrong: set[int] = set()
        error = 0
        for key, vector in turns.items():
            wrong = {place for place, is_right in enumerate(vector) if not is_right}
            wrong_now = bool(wrong) and (int(key) == 0 or not last_wrong or wrong != last_wrong)
            right.append(float(not wrong))
            accuracy.append(sum(vector) / 30)
            if wrong_now:
                error = int(key)
            for lam, scores in flexible.items():
                scores.append(1.0 if not wrong else 0.0 if wrong_now else 1 - math.exp(-lam * (int(key) - error)))
            last_wrong = wrong
    return {"JGA": mean(right), "SA": mean(accuracy), **fga_figures(flexible)}


def fga_figures(flexible: Mapping[float, list[float]]) -> Figures:
    matches = mean([float(score > 0) for score in flexible[LAMBDAS[0]]])
    return {**{f"FGA(lam={lam:g})": mean(scores) for lam, scores in flexible.items()}, "LocalAccuracy": matches}
