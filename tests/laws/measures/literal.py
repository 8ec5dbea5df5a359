"""Slow, literal implementations of the specification, as a reference for the fast ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Plain = Mapping[str, str]


class Changes(NamedTuple):
    """GCA's four counts."""

    missed: int
    wrong: int
    extra: int
    correct: int


def changes_of_turn(gold_before: Plain, gold: Plain, pred_before: Plain, pred: Plain) -> Changes:
    """The algorithm with line 21 as it must read: two loops, the second minds what the first remembered."""
    missed = wrong = extra = correct = 0
    remembered_wrong = set()
    remembered_correct = set()
    for slot, value in gold.items():
        if gold_before.get(slot) == value:
            continue
        if slot not in pred:
            missed += 1
        elif pred[slot] != value:
            wrong += 1
            remembered_wrong.add(slot)
        else:
            correct += 1
            remembered_correct.add(slot)
    for slot, value in pred.items():
        if pred_before.get(slot) == value:
            continue
        if slot not in gold:
            extra += 1
        elif value != gold[slot] and slot not in remembered_wrong:
            wrong += 1
        elif value == gold[slot] and slot not in remembered_correct:
            correct += 1
    return Changes(missed, wrong, extra, correct)


def counted_deletions(gold_before: Plain, gold: Plain, pred_before: Plain, pred: Plain) -> Changes:
    """Absent is a value like any other for a slot that the same side held before; every slot counts at most once."""
    missed = wrong = extra = correct = 0
    for slot in {*gold_before, *gold, *pred_before, *pred}:
        if gold_before.get(slot) == gold.get(slot) and pred_before.get(slot) == pred.get(slot):
            continue
        if slot not in gold and slot not in pred:
            correct += 1
        elif slot not in gold:
            extra += 1
        elif slot not in pred:
            missed += 1
        elif gold[slot] == pred[slot]:
            correct += 1
        else:
            wrong += 1
    return Changes(missed, wrong, extra, correct)


def published_deletions(turns: Sequence[tuple[Plain, Plain]]) -> list[Changes]:
    """The two loops of the published code: a slot once active and now absent holds "none"; tests fall through."""
    counts = []
    gold_before: dict[str, str] = {}
    pred_before: dict[str, str] = {}
    for gold_given, pred_given in turns:
        gold = {**dict.fromkeys(gold_before, "none"), **gold_given}
        pred = {**dict.fromkeys(pred_before, "none"), **pred_given}
        missed = wrong = extra = correct = 0
        remembered_wrong = set()
        remembered_correct = set()
        for slot, value in gold.items():
            if gold_before.get(slot) == value:
                continue
            if slot not in pred:
                if value != "none":
                    missed += 1
                else:
                    correct += 1
                    remembered_correct.add(slot)
            elif pred[slot] == value:
                correct += 1
                remembered_correct.add(slot)
            elif value == "none":
                extra += 1
            else:
                wrong += 1
                remembered_wrong.add(slot)
        for slot, value in pred.items():
            if pred_before.get(slot) == value:
                continue
            if slot not in gold:
                if value != "none":
                    extra += 1
                else:
                    correct += 1
            elif gold[slot] == value and slot not in remembered_correct:
                correct += 1
            elif value == "none":
                missed += 1
            elif gold[slot] != value and slot not in remembered_wrong:
                wrong += 1
        counts.append(Changes(missed, wrong, extra, correct))
        gold_before, pred_before = gold, pred
    return counts


Turns = Sequence[tuple[int, Plain, Plain]]
"""Number, gold and prediction."""


def locally_right_in_the_paper(turns: Turns, at: int) -> bool:
    """Every pair new in gold is predicted, and every pair new in the prediction is in gold; not at the first turn."""
    if at == 0:
        return False
    (_, gold_before, pred_before), (_, gold, pred) = turns[at - 1], turns[at]
    new_gold = gold.items() - gold_before.items()
    new_pred = pred.items() - pred_before.items()
    return new_gold <= pred.items() and new_pred <= gold.items()


def locally_right_in_the_code(turns: Turns, at: int) -> bool:
    """The same, but a wrong turn right after an exact one is always locally wrong."""
    return locally_right_in_the_paper(turns, at) and turns[at - 1][1] != turns[at - 1][2]


def locally_right_by_vector(turns: Turns, at: int) -> bool:
    """The wrong slots are some, and the same as at the turn before."""

    def wrong_slots(gold: Plain, pred: Plain) -> set[str]:
        return {slot for slot in {*gold, *pred} if gold.get(slot) != pred.get(slot)}

    now = wrong_slots(*turns[at][1:])
    return at > 0 and bool(now) and now == wrong_slots(*turns[at - 1][1:])


LOCALLY_RIGHT: dict[str, Callable[[Turns, int], bool]] = {
    "paper": locally_right_in_the_paper,
    "code": locally_right_in_the_code,
    "vector": locally_right_by_vector,
}


def fga_of_turns(turns: Turns, lam: float, local: str) -> list[float]:
    """FGA per turn, for a lambda above 0."""
    values = []
    last_error = -math.inf
    for at, (number, gold, pred) in enumerate(turns):
        if gold == pred:
            values.append(1.0)
        elif not LOCALLY_RIGHT[local](turns, at):
            values.append(0.0)
            last_error = number
        else:
            values.append(1 - math.exp(-lam * (number - last_error)))
    return values


Listed = Mapping[str, tuple[str, ...]]
"""A state in which every value is the tuple of its alternatives; a predicted value has one."""


def strict_changes_of_turn(gold_before: Listed, gold: Listed, pred_before: Listed, pred: Listed) -> Changes:
    """The two loops where gold has alternatives: other alternatives are another value, and a prediction is right if it is one
    of them."""
    missed = wrong = extra = correct = 0
    seen = set()
    for slot, values in gold.items():
        if gold_before.get(slot) != values:
            seen.add(slot)
            if slot not in pred:
                missed += 1
            elif pred[slot][0] in values:
                correct += 1
            else:
                wrong += 1
    for slot, value in pred.items():
        if pred_before.get(slot) != value and slot not in seen:
            if slot not in gold:
                extra += 1
            elif value[0] in gold[slot]:
                correct += 1
            else:
                wrong += 1
    return Changes(missed, wrong, extra, correct)


def strict_fga_of_turns(turns: Sequence[tuple[int, Listed, Listed]], lam: float) -> list[float]:
    """FGA per turn, for a lambda above 0: a mistake of a turn's own is a new pair that the other side does not meet."""
    values = []
    last_error = -math.inf
    gold_before: Listed = {}
    pred_before: Listed = {}
    for number, gold, pred in turns:
        new_gold = {slot for slot in gold if gold_before.get(slot) != gold[slot]}
        new_pred = {slot for slot in pred if pred_before.get(slot) != pred[slot]}
        wrong = {slot for slot in {*gold, *pred} if not set(pred.get(slot, ())) & set(gold.get(slot, ()))}
        if wrong & (new_gold | new_pred):
            last_error = number
        values.append(1 - math.exp(-lam * (number - last_error)) if wrong else 1.0)
        gold_before, pred_before = gold, pred
    return values


def sa_with_hyphen_cut(gold: Plain, pred: Plain, slots: int, capped: bool) -> float:
    """SA of one turn over glued strings that are cut at the last hyphen; a slot that is wrong counts once, as missing."""
    missing, extra = _glued(gold) - _glued(pred), _glued(pred) - _glued(gold)
    errors = len(missing) + sum(not _cut({pair}) <= _cut(missing) for pair in extra)
    return (slots - (min(errors, slots) if capped else errors)) / slots


def rsa_with_hyphen_cut(gold: Plain, pred: Plain) -> float:
    """RSA of one turn over glued strings; 0 where there is no slot, as published."""
    wanted, found = _cut(_glued(gold)), _cut(_glued(pred))
    total = len(wanted | found)
    errors = len(wanted - found) + len(_glued(pred) - _glued(gold))
    return (total - errors) / total if total else 0.0


def _glued(state: Plain) -> set[str]:
    return {f"{slot}-{value}" for slot, value in state.items()}


def _cut(pairs: set[str]) -> set[str]:
    return {pair[: pair.rindex("-")] for pair in pairs}
