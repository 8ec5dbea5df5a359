"""Compute the tallies of a dialogue from its cells. Integers only.

This file is plain Python; ``walk.pxd`` adds C types if dialmeter is built with a compiler. Both versions give the same rows.
Only ``Walk.rows`` decides whether a change is missed, wrong, over or correct.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from .cells import DialogueCells
from .digest import GoldText
from .pairs import PairRules
from .tally import CORRECT, MISSED, NEVER, NOTHING, OVER, WRONG, Row

# C integers if this file is compiled.
_NEVER, _NOTHING, _CORRECT, _WRONG, _MISSED, _OVER = NEVER, NOTHING, CORRECT, WRONG, MISSED, OVER
_SHIFT = 2**32


class Group(NamedTuple):
    """A selection of slots.

    Attributes:
        groups: the group of each slot.
        number: the selected group.
        without: select all slots except those of the group.
    """

    groups: list[int]
    number: int
    without: bool = False


class Walk(DialogueCells):
    """Converts dialogues like ``DialogueCells``, and computes the tallies of the last dialogue.

    The arguments are those of ``DialogueCells``, and ``hyphen_cut``: also count errors like the published code that joins slot
    and value by a hyphen and cuts the text at its last hyphen.
    """

    def __init__(
        self,
        pairs: PairRules,
        text: GoldText | None = None,
        keep_none: bool = False,
        hyphen_cut: bool = False,
        known_slots: frozenset[str] | None = None,
    ) -> None:
        DialogueCells.__init__(self, pairs, text, keep_none, known_slots)
        self._hyphen_cut = hyphen_cut
        self._hyphened = pairs.hyphened
        self._loose = pairs.loose or pairs.rules.alternatives in ("any-of", "listed")
        self._groups: list[int] | None = None
        self._group = 0
        self._without = False
        # Scratch space by slot; everything is 0 between two calls.
        self._room = 0
        self._met_count = 0
        self._met = self._kinds = self._began = self._runs = array("i")
        self._gold = self._pred = self._old_gold = self._old_pred = array("i")
        # Counts over all dialogues. By cell: the number of turns at which both sides held it. For two cells, of gold and of the
        # prediction: their run. By run: the number of turns with these cells, and how often they were a new mistake (below 0 if
        # they are no mistake).
        self._right = array("q", bytes(8))
        self._run_of: dict[int, int] = {}
        self._run_turns: list[int] = []
        self._run_new: list[int] = []

    def rows(  # noqa: PLR0917 - a compiled method has no keyword-only arguments
        self,
        local: str | None,
        deletions: str | None,
        alternatives: str | None = "overlap",
        group: Group | None = None,
        details: list[Any] | None = None,
        counts: bool = False,
    ) -> list[Row]:
        """Return the tallies of the turns.

        Args:
            local: the definition of a locally right turn.
            deletions: how a slot that is deleted from the state counts.
            alternatives: whether gold has changed if its new value shares an alternative with the old one.
            group: use only these slots.
            details: a list to which one list per turn is appended. It holds for each slot: slot, kind, whether the slot changed
                at this turn, whether a mistake is carried over from the previous turn (for any ``alternatives``), and the cells
                of gold and prediction.
            counts: also count how long slots held which cells.
        """
        pairs = self._pairs
        self._make_room()
        several, loose = pairs.several, pairs.loose
        gold_now, pred_now, old_gold, old_pred = self._gold, self._pred, self._old_gold, self._old_pred
        kinds, met = self._kinds, self._met
        by_code, by_vector = local == "code", local == "vector"
        count_left, as_published = deletions == "count", deletions == "code"
        strict = alternatives == "strict"
        last_gold: list[int] = []
        last_pred: list[int] = []
        rows: list[Row] = []
        golds = preds = match = both = 0
        exact = True
        last_error = -1
        self._choose(group)
        published = self._published_changes() if as_published else []
        odd_gold = odd_pred = 0
        cut_errors = cut_slots = cut_rsa_errors = 0
        for place in range(len(self.numbers)):
            number: int = self.numbers[place]
            gold_cells = self.gold[place]
            pred_cells = self.pred[place]
            missed = wrong = over = correct = 0
            turn: list[Any] | None = None if details is None else []
            if gold_cells is last_gold and pred_cells is last_pred:
                since = _NEVER if exact or last_error < 0 else number - last_error
                if turn is not None:
                    for each in range(self._met_count):
                        slot = met[each]
                        if kinds[slot]:
                            turn.append(
                                (slot, kinds[slot], False, kinds[slot] > _CORRECT, gold_now[slot], pred_now[slot])
                            )
            else:
                if gold_cells is not last_gold:
                    odd_gold = self._put(last_gold, gold_cells, gold_now)
                    last_gold = gold_cells
                if pred_cells is not last_pred:
                    odd_pred = self._put(last_pred, pred_cells, pred_now)
                    last_pred = pred_cells
                was_exact = exact
                own_error = moved = False
                golds = preds = match = both = 0
                for each in range(self._met_count):
                    slot = met[each]
                    gold, pred = gold_now[slot], pred_now[slot]
                    kind = kinds[slot]
                    before_gold, before_pred = old_gold[slot], old_pred[slot]
                    touched = carried = False
                    if gold != before_gold or pred != before_pred:
                        before = kind
                        if gold == 0:
                            kind = _NOTHING if pred == 0 else _OVER
                        elif pred == 0:
                            kind = _MISSED
                        elif gold == pred or ((loose or several[gold]) and pairs.agrees(gold, pred)):
                            kind = _CORRECT
                        else:
                            kind = _WRONG
                        kinds[slot] = kind
                        touched = pred not in (0, before_pred)
                        if not touched and gold not in (0, before_gold):
                            touched = not (
                                before_gold
                                and (several[gold] or several[before_gold])
                                and pairs.overlaps(before_gold, gold)
                            )
                        # Mistakes are counted once for all measures, so that what is carried does not depend on a lens.
                        carried = kind == before and kind > _CORRECT and not touched
                        if strict and not touched and gold not in (0, before_gold):
                            # The same alternatives in another order are no change.
                            touched = not (
                                several[gold] and several[before_gold] and pairs.same_alternatives(before_gold, gold)
                            )
                        moved = moved or (kind > _CORRECT) != (before > _CORRECT)
                        own_error = own_error or (touched and kind > _CORRECT)
                        if counts:
                            self._end_run(slot, place)
                            self._begin_run(slot, place, kind > _CORRECT, not carried)
                        if count_left and not touched:
                            touched = (gold == 0 and before_gold != 0) or (pred == 0 and before_pred != 0)
                        old_gold[slot] = gold
                        old_pred[slot] = pred
                        if touched:
                            if kind <= _CORRECT:
                                correct += 1
                            elif kind == _WRONG:
                                wrong += 1
                            elif kind == _MISSED:
                                missed += 1
                            else:
                                over += 1
                    else:
                        carried = kind > _CORRECT
                    if kind == _CORRECT:
                        match += 1
                        both += 1
                        golds += 1
                        preds += 1
                    elif kind == _WRONG:
                        both += 1
                        golds += 1
                        preds += 1
                    elif kind == _MISSED:
                        golds += 1
                    elif kind == _OVER:
                        preds += 1
                    if turn is not None and kind:
                        turn.append((slot, kind, touched, carried, gold, pred))
                exact = match == golds and match == preds
                if by_vector:
                    own_error = moved
                elif by_code:
                    own_error = own_error or was_exact
                if exact:
                    since = _NEVER
                elif own_error:
                    since = 0
                    last_error = number
                else:
                    since = _NEVER if last_error < 0 else number - last_error
                if self._hyphen_cut:
                    cut_slots = golds + preds - both
                    cut_errors = cut_rsa_errors = cut_slots - match
                    if odd_gold or odd_pred or self._loose:
                        cut_errors, cut_slots, cut_rsa_errors = self._cut_counts(gold_cells, pred_cells)
            if as_published:
                missed, wrong, over, correct = published[place]
            if self._hyphen_cut:
                cut = cut_errors, cut_slots, cut_rsa_errors
                rows.append((golds, preds, match, both, since, missed, wrong, over, correct, *cut))
            else:
                rows.append((golds, preds, match, both, since, missed, wrong, over, correct))
            if details is not None:
                details.append(turn)
        if counts:
            for each in range(self._met_count):
                self._end_run(met[each], len(self.numbers))
        self._forget()
        return rows

    def _make_room(self) -> None:
        """Make room for the new slots and cells."""
        cells = len(self._pairs.values)
        if cells > len(self._right):
            self._right = array("q", bytes(self._right) + bytes(8 * (2 * cells - len(self._right))))
        if self._slot_count > self._room:
            self._room = self._slot_count
            empty = bytes(4 * self._room)
            self._met, self._kinds, self._began, self._runs = (array("i", empty) for _ in range(4))
            self._gold, self._pred, self._old_gold, self._old_pred = (array("i", empty) for _ in range(4))

    def _forget(self) -> None:
        """Reset the scratch space of the dialogue."""
        for each in range(self._met_count):
            slot = self._met[each]
            self._gold[slot] = self._pred[slot] = self._old_gold[slot] = self._old_pred[slot] = self._kinds[slot] = 0
            self._began[slot] = 0
            self._stamps[slot] = 0
        self._met_count = 0

    def _published_changes(self) -> list[Row]:
        """Count missed, wrong, over and correct changes of each turn like the published code: a slot that was active and is now
        absent holds "none".

        The faults of that code are kept on purpose: a perfect prediction with one deletion has a missed change.
        """
        none_cells = self._pairs.none_cells
        gold_now, pred_now, old_gold, old_pred, met = self._gold, self._pred, self._old_gold, self._old_pred, self._met
        last_gold: list[int] | None = None
        last_pred: list[int] | None = None
        result: list[Row] = []
        for place in range(len(self.numbers)):
            missed = wrong = over = correct = 0
            if self.gold_none[place] is not last_gold or self.pred_none[place] is not last_pred:
                last_gold, last_pred = self.gold_none[place], self.pred_none[place]
                for each in range(self._met_count):
                    slot = met[each]
                    gold_now[slot] = none_cells[slot] if old_gold[slot] else 0
                    pred_now[slot] = none_cells[slot] if old_pred[slot] else 0
                self._put([], last_gold, gold_now)
                self._put([], last_pred, pred_now)
                for each in range(self._met_count):
                    slot = met[each]
                    gold, pred, none = gold_now[slot], pred_now[slot], none_cells[slot]
                    right = mistaken = False
                    if gold != old_gold[slot]:
                        if pred == 0 and gold != none:
                            missed += 1
                        elif pred in (0, gold):
                            correct += 1
                            right = True
                        elif gold == none:
                            over += 1
                        else:
                            wrong += 1
                            mistaken = True
                    if pred != old_pred[slot]:
                        if gold == 0 and pred != none:
                            over += 1
                        elif gold == 0 or (gold == pred and not right):
                            correct += 1
                        elif pred == none:
                            missed += 1
                        elif gold != pred and not mistaken:
                            wrong += 1
                    old_gold[slot] = gold
                    old_pred[slot] = pred
            result.append((missed, wrong, over, correct))
        self._forget()
        return result

    def _choose(self, group: Group | None) -> None:
        """Select the slots that count."""
        self._groups, self._group, self._without = group or (None, 0, False)

    def _put(self, before: list[int], cells: list[int], now: array[int]) -> int:
        """Replace the previous state by this one, or by the selected slots of it, and count the cells with a hyphen."""
        cell_slots, groups, stamps = self._cell_slots, self._groups, self._stamps
        hyphened = self._hyphened
        count = 0
        for cell in before:
            slot = cell_slots[cell]
            now[slot] = 0
        for cell in cells:
            slot = cell_slots[cell]
            if groups is not None and (groups[slot] == self._group) == self._without:
                continue
            now[slot] = cell
            count += hyphened[cell] if self._hyphen_cut else 0
            if stamps[slot] != _NEVER:
                # The slot is new in this dialogue.
                stamps[slot] = _NEVER
                self._met[self._met_count] = slot
                self._met_count += 1
        return count

    def _end_run(self, slot: int, place: int) -> None:
        """Count the turns of the run of cells that a slot held up to the previous turn."""
        gold = self._old_gold[slot]
        if gold == self._old_pred[slot]:
            self._right[gold] += place - self._began[slot]
        else:
            self._run_turns[self._runs[slot]] += place - self._began[slot]

    def _begin_run(self, slot: int, place: int, mistaken: bool, new: bool) -> None:
        """Start a new run: a slot holds other cells from this turn on."""
        self._began[slot] = place
        gold, pred = self._gold[slot], self._pred[slot]
        if gold != pred:
            key = gold * _SHIFT + pred
            run = self._run_of.get(key)
            if run is None:
                run = self._run_of[key] = len(self._run_turns)
                self._run_turns.append(0)
                self._run_new.append(0 if mistaken else -1)
            if mistaken and new:
                self._run_new[run] += 1
            self._runs[slot] = run

    def end_counts(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        """Return for each pair of gold and predicted cell the number of turns, and how often they were a new mistake. Reset the
        counts."""
        turns = {(cell, cell): self._right[cell] for cell in range(1, len(self._right)) if self._right[cell]}
        new: dict[tuple[int, int], int] = {}
        for key, run in self._run_of.items():
            cells = divmod(key, _SHIFT)
            turns[cells] = self._run_turns[run]
            if self._run_new[run] >= 0:
                new[cells] = self._run_new[run]
        self._right = array("q", bytes(8 * len(self._right)))
        self._run_of, self._run_turns, self._run_new = {}, [], []
        return turns, new

    def _cut_counts(self, gold: list[int], pred: list[int]) -> Row:
        """Return SA's errors, RSA's slots and RSA's errors over texts ``domain-slot-value`` that are cut at the last hyphen."""
        pairs = self._pairs
        if self._groups is not None:
            gold = [cell for cell in gold if (self._groups[pairs.cell_slots[cell]] == self._group) != self._without]
            pred = [cell for cell in pred if (self._groups[pairs.cell_slots[cell]] == self._group) != self._without]
        wanted = {pairs.glued[cell]: pairs.cut[cell] for cell in gold}
        found = {pairs.glued[cell]: pairs.cut[cell] for cell in pred}
        missing = [wanted[text] for text in wanted if text not in found]
        extra = [found[text] for text in found if text not in wanted]
        gold_slots, pred_slots = set(wanted.values()), set(found.values())
        errors = len(missing) + sum(cut not in missing for cut in extra)
        return errors, len(gold_slots | pred_slots), len(gold_slots - pred_slots) + len(extra)
