"""The tally: nine integers per turn, from which every tracker measure derives.

``walk`` makes them from normalised states; a ``Book`` keeps them for a corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from ..model import State, Value

Local: TypeAlias = Literal["paper", "code", "vector"]
Deletions: TypeAlias = Literal["ignore", "count", "code"]

NEVER = -1
"""``since`` of a turn that weighs 1 in FGA: it is exact, or no mistake of a turn's own came before."""


class Tally(NamedTuple):
    """What one turn adds.

    The last three are counted only under rule sets that cut slots at the last hyphen; otherwise they are -1 and derive
    from the rest.
    """

    gold: int
    pred: int
    match: int
    both: int
    since: int
    missed: int
    wrong: int
    over: int
    correct: int
    cut_errors: int = -1
    cut_slots: int = -1
    cut_rsa_errors: int = -1

    @property
    def exact(self) -> bool:
        """Is the predicted state the gold state?"""
        return self.match == self.gold == self.pred

    @property
    def local(self) -> bool:
        """Is the turn exact or locally right?"""
        return self.since != 0

    @property
    def union(self) -> int:
        """Distinct slots of both states (RSA's T*)."""
        return self.gold + self.pred - self.both if self.cut_slots < 0 else self.cut_slots

    @property
    def errors(self) -> int:
        """Slots handled wrongly, each once (SA's e)."""
        return self.gold + self.pred - self.both - self.match if self.cut_errors < 0 else self.cut_errors

    @property
    def rsa_errors(self) -> int:
        """RSA's e, which the hyphen cut counts in another way than SA's."""
        return self.errors if self.cut_rsa_errors < 0 else self.cut_rsa_errors


class Lens(Struct, frozen=True):
    """The choices that a tally depends on beside the rule set; None is "any will do"."""

    local: Local | None = None
    deletions: Deletions | None = None

    def fits(self, other: Lens) -> bool:
        """Does a tally seen through the other lens serve?"""
        return self.local in (None, other.local) and self.deletions in (None, other.deletions)


Step: TypeAlias = tuple[int, State, State, State, State]
"""One turn under the rules: number, gold, predicted, and both once more with explicit absent words kept as "none",
which only the published treatment of deletions looks at. A state that did not change is the same object as before."""

Agree: TypeAlias = Callable[[Value, Value], bool]
Row: TypeAlias = tuple[int, ...]
_EMPTY: State = {}


def walk(steps: Iterable[Step], lens: Lens, agree: Agree | None = None, hyphen_cut: bool = False) -> list[Row]:
    """The tallies of one dialogue.

    Args:
        steps: its turns in order.
        lens: which definition of locally right, and of deletions.
        agree: does a predicted value meet a gold value? Plain equality where it is None, which is the fast case.
        hyphen_cut: also count the errors of published code that cuts glued pairs at the last hyphen.

    Example:
        >>> state = {"hotel-area": "east"}
        >>> walk([(0, state, {}, state, {}), (1, state, state, state, state)], Lens("paper", "ignore"))
        [(1, 0, 0, 0, 0, 1, 0, 0, 0), (1, 1, 1, 1, -1, 0, 0, 0, 1)]
    """
    rows: list[Row] = []
    gold = pred = _EMPTY
    golds = preds = match = both = 0
    exact = True
    last_error: int | None = None
    code = _PublishedDeletions() if lens.deletions == "code" else None
    by_code, by_vector = lens.local == "code", lens.local == "vector"
    wrong_slots: frozenset[str] = frozenset()
    cut: Row = _cut_counts(gold, pred) if hyphen_cut else ()
    for number, gold_now, pred_now, gold_none, pred_none in steps:
        if gold_now is gold and pred_now is pred:
            missed = wrong = over = correct = 0
            since = NEVER if exact or last_error is None else number - last_error
        else:
            was_exact = exact
            golds, preds = len(gold_now), len(pred_now)
            if gold_now is pred_now and gold is pred:
                match = both = golds
                missed = wrong = over = 0
                correct = len([slot for slot, value in gold_now.items() if gold.get(slot) != value])
            elif agree is None:
                match, both, missed, wrong, over, correct = compared(gold_now, pred_now, gold, pred)
            else:
                match, both, missed, wrong, over, correct = _compared_by(agree, gold_now, pred_now, gold, pred)
            exact = match == golds == preds
            if by_vector:
                before, wrong_slots = wrong_slots, _wrong_slots(gold_now, pred_now, agree)
                own_error = wrong_slots != before
            else:
                own_error = bool(missed or wrong or over) or (by_code and was_exact)
            if exact:
                since = NEVER
            elif own_error:
                since, last_error = 0, number
            else:
                since = NEVER if last_error is None else number - last_error
            if lens.deletions == "count":
                touched = new_slots(gold_now, gold) | new_slots(pred_now, pred)
                left = (gold.keys() - gold_now.keys()) | (pred.keys() - pred_now.keys())
                missed, wrong, over, correct = classes(touched | left, gold_now, pred_now, agree)
            gold, pred = gold_now, pred_now
            if hyphen_cut:
                cut = _cut_counts(gold, pred)
        if code is not None:
            missed, wrong, over, correct = code.count(gold_none, pred_none)
        rows.append((golds, preds, match, both, since, missed, wrong, over, correct, *cut))
    return rows


def compared(gold: State, pred: State, old_gold: State, old_pred: State) -> tuple[int, int, int, int, int, int]:
    """Matching pairs, slots in both, and the classes of changes, for values that are equal or not.

    It says the same as ``classes`` over ``new_slots``, in one look at each slot and without building a set.
    """
    match = both = missed = wrong = over = correct = 0
    for slot, wanted in gold.items():
        found = pred.get(slot)
        if found is None:
            if old_gold.get(slot) != wanted:
                missed += 1
        elif found == wanted:
            match += 1
            if old_gold.get(slot) != wanted or old_pred.get(slot) != wanted:
                correct += 1
        else:
            both += 1
            if old_gold.get(slot) != wanted or old_pred.get(slot) != found:
                wrong += 1
    both += match
    if both < len(pred):
        for slot, found in pred.items():
            if slot not in gold and old_pred.get(slot) != found:
                over += 1
    return match, both, missed, wrong, over, correct


def _compared_by(
    agree: Agree, gold: State, pred: State, old_gold: State, old_pred: State
) -> tuple[int, int, int, int, int, int]:
    """As ``compared``, where a prediction may meet gold in other ways than by being equal."""
    match = both = missed = wrong = over = correct = 0
    for slot, wanted in gold.items():
        found = pred.get(slot)
        new = _is_new(wanted, old_gold.get(slot))
        if found is None:
            missed += new
            continue
        both += 1
        new = new or old_pred.get(slot) != found
        if found == wanted or agree(wanted, found):
            match += 1
            correct += new
        else:
            wrong += new
    if both < len(pred):
        over = sum(slot not in gold and old_pred.get(slot) != found for slot, found in pred.items())
    return match, both, missed, wrong, over, correct


def _is_new(now: Value, before: Value | None) -> bool:
    """Is a gold value a change? Two sets of alternatives that overlap are none."""
    return now != before and (before is None or not overlap(now, before))


def new_slots(now: State, before: State) -> set[str]:
    """Slots whose pair is new; two sets of alternatives that overlap are not a change."""
    return {slot for slot, _ in now.items() - before.items() if not overlap(now[slot], before.get(slot, ()))}


def overlap(one: Value, other: Value) -> bool:
    """Do two values, or sets of alternatives, share one?"""
    ones = (one,) if isinstance(one, str) else one
    others = (other,) if isinstance(other, str) else other
    return not set(ones).isdisjoint(others)


def classes(touched: Iterable[str], gold: State, pred: State, agree: Agree | None) -> tuple[int, int, int, int]:
    """Missed, wrong, over, correct among the slots that changed on either side, each slot once.

    Line 21 of the printed GCA algorithm tests "not in P_t" where only "not in G_t" can hold; this is the corrected
    reading, and looking at each slot once says the same as the two loops with their memory.
    """
    missed = wrong = over = correct = 0
    for slot in touched:
        wanted, found = gold.get(slot), pred.get(slot)
        if wanted is None:
            if found is None:
                correct += 1
            else:
                over += 1
        elif found is None:
            missed += 1
        elif wanted == found if agree is None else agree(wanted, found):
            correct += 1
        else:
            wrong += 1
    return missed, wrong, over, correct


def _wrong_slots(gold: State, pred: State, agree: Agree | None) -> frozenset[str]:
    same: Agree = agree or (lambda wanted, found: wanted == found)
    return frozenset(
        slot
        for slot in gold.keys() | pred.keys()
        if slot not in gold or slot not in pred or not same(gold[slot], pred[slot])
    )


class _PublishedDeletions:
    """GCA's changes as the published code counts them: a slot once active and now absent holds "none".

    Its faults are kept on purpose; a perfect prediction with one deletion counts a missed change.
    """

    def __init__(self) -> None:
        self._gold: dict[str, Value] = {}
        self._pred: dict[str, Value] = {}
        self._last: tuple[State, State] | None = None

    def count(self, gold_now: State, pred_now: State) -> tuple[int, int, int, int]:
        """Missed, wrong, over, correct of one turn."""
        if self._last and gold_now is self._last[0] and pred_now is self._last[1]:
            return 0, 0, 0, 0
        self._last = gold_now, pred_now
        gold = {**dict.fromkeys(self._gold, "none"), **gold_now}
        pred = {**dict.fromkeys(self._pred, "none"), **pred_now}
        missed = wrong = over = correct = 0
        right: set[str] = set()
        mistaken: set[str] = set()
        for slot, value in gold.items() - self._gold.items():
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
        for slot, value in pred.items() - self._pred.items():
            if slot not in gold and value != "none":
                over += 1
            elif slot not in gold or (gold[slot] == value and slot not in right):
                correct += 1
            elif value == "none":
                missed += 1
            elif gold[slot] != value and slot not in mistaken:
                wrong += 1
        self._gold, self._pred = gold, pred
        return missed, wrong, over, correct


def _cut_counts(gold: State, pred: State) -> tuple[int, int, int]:
    """SA's errors, RSA's slots and RSA's errors over glued ``domain-slot-value`` cut at the last hyphen."""
    wanted = {f"{slot}-{value}" for slot, value in gold.items()}
    gold_slots = _cut(wanted)
    if gold is pred:
        return 0, len(gold_slots), 0
    found = {f"{slot}-{value}" for slot, value in pred.items()}
    missing, extra = wanted - found, found - wanted
    errors = len(missing) + len(extra) - len(_cut(missing) & _cut(extra))
    pred_slots = _cut(found)
    return errors, len(gold_slots | pred_slots), len(gold_slots - pred_slots) + len(extra)


def _cut(pairs: Iterable[str]) -> set[str]:
    return {pair.rpartition("-")[0] for pair in pairs}
