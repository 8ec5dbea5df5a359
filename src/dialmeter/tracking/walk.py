"""One dialogue under one rule set: states become cells, and cells become the tallies of turns. Integers only.

This file is plain Python; ``walk.pxd`` gives it C types where dialmeter is built with a compiler, and both give the same rows.
Whether a change is missed, wrong, over or correct is decided in ``Walk.rows`` and nowhere else.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from ..errors import InputError
from ..formats.pairs.vocabulary import PairDialogue, PairState, Place, two_values
from .digest import NOT_UNICODE, GoldText
from .pairs import PairRules
from .tally import CORRECT, MISSED, NEVER, NOTHING, OVER, WRONG, Row

# As C numbers where this is compiled.
_NEVER, _NOTHING, _CORRECT, _WRONG, _MISSED, _OVER = NEVER, NOTHING, CORRECT, WRONG, MISSED, OVER
_CUMULATIVE, _UPDATE, _UPDATE_PRED = 0, 1, 2
_PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS = 0, 1, 2
_STATES = {"cumulative": _CUMULATIVE, "update": _UPDATE, "update-pred": _UPDATE_PRED}
_EXTRA = {"penalise": _PENALISE, "ignore-slots": _IGNORE_SLOTS, "ignore-domains": _IGNORE_DOMAINS}


class Group(NamedTuple):
    """Some slots of a dialogue.

    Attributes:
        groups: a group for each slot.
        number: the group that counts.
        without: all slots but those of the group count.
    """

    groups: list[int]
    number: int
    without: bool = False


class Walk:
    """Takes dialogues one by one; what it holds is about the dialogue that was taken last.

    Args:
        pairs: what the rule set makes of pairs.
        text: what the digest of gold makes of pairs; None where no digest is wanted.
        keep_none: also keep states in which absent words stand as "none".
        hyphen_cut: count errors also as published code does that cuts glued pairs at the last hyphen.
        known_slots: the slots of a schema; another slot in gold is an error.
    """

    def __init__(
        self,
        pairs: PairRules,
        text: GoldText | None = None,
        keep_none: bool = False,
        hyphen_cut: bool = False,
        known_slots: frozenset[str] | None = None,
    ) -> None:
        rules = pairs.rules
        self._pairs = pairs
        self._text = text
        self._keep_none = keep_none
        self._hyphen_cut = hyphen_cut
        self._state = _STATES[rules.state]
        self._extra = _EXTRA[rules.extra]
        self._skips_missing = rules.missing == "skip"
        self._known_slots = known_slots
        self._groups: list[int] | None = None
        self._group = 0
        self._without = False
        # Scratch space by slot. All is 0 between two dialogues but for the stamps.
        self._slot_count = 0
        self._stamp = 0
        self._met_count = 0
        self._stamps = self._firsts = self._met = self._kinds = self._began = array("i")
        self._gold = self._pred = self._old_gold = self._old_pred = array("i")
        self._text_stamps = self._forms = array("i")
        self._seen = bytearray()
        # By cell: at how many turns gold and prediction both held it.
        self._right = array("q", bytes(8))
        # The dialogue that was taken last: the turns that are compared, and their cells.
        self.id = ""
        self._place: Place = (None, None)
        self.numbers: list[int] = []
        self.gold: list[list[int]] = []
        self.pred: list[list[int]] = []
        self.gold_none: list[list[int]] = []
        self.pred_none: list[list[int]] = []
        # What was noticed of it.
        self.missing: list[int] = []
        self.surplus: list[int] = []
        self.has_gold = 0
        self.gold_form = b""
        self.gold_changes = 0
        self.gold_losses = 0
        self.hedged: list[tuple[int, int]] = []
        self.counts_losses = True
        """Does somebody want to know how often gold loses a slot?"""
        # Over all dialogues: for how many turns a slot has held which cells in gold and prediction, and how often they were new.
        self.runs: dict[tuple[int, int], int] = {}
        self.fresh: dict[tuple[int, int], int] = {}

    def take(self, dialogue: PairDialogue) -> int:
        """Takes a dialogue and gives the number of its turns that are compared.

        Raises:
            InputError: a slot has two values in one state.
        """
        pairs = self._pairs
        if len(pairs.slot) < len(pairs.vocabulary.values) or not self._slot_count:
            self._grow()
        self.id = dialogue.id
        self.numbers, self.gold, self.pred = [], [], []
        self.gold_none, self.pred_none = [], []
        self.missing, self.surplus, self.hedged = [], [], []
        self.gold_changes = self.gold_losses = 0
        all_numbers, all_gold, all_pred = dialogue.numbers, dialogue.gold, dialogue.pred
        place_of_gold, place_of_pred = dialogue.gold_place, dialogue.place
        gold_table, pred_table, hedges = pairs.gold, pairs.pred, pairs.hedged
        changes: list[bytes] = []
        changed_at: list[bytes] = []
        with_gold: list[int] = []
        text_slots: list[int] = []
        old_gold: PairState | None = None
        old_pred: PairState | None = None
        whole_gold: PairState = ()
        whole_pred: PairState = ()
        gold: list[int] = []
        pred: list[int] = []
        gold_none: list[int] = []
        pred_none: list[int] = []
        narrow = pred
        for place in range(len(all_numbers)):
            number = all_numbers[place]
            gold_state = all_gold[place]
            pred_state = all_pred[place]
            stale = False
            try:
                self._place = place_of_pred
                if gold_state is None:
                    self.surplus.append(number)
                    if pred_state is not None:
                        self._cells(pred_state, pred_table)
                    if self._state != _CUMULATIVE and pred_state is not None:
                        # What is new at a turn without gold still holds at the turns after it.
                        whole_pred = self._accumulated(whole_pred, pred_state)
                        old_pred = None
                    continue
                if gold_state is not old_gold:
                    self._place = place_of_gold
                    old_gold = gold_state
                    stale = True
                    if self._state == _UPDATE:
                        gold_state = whole_gold = self._accumulated(whole_gold, gold_state)
                    before = gold
                    gold = self._cells(gold_state, gold_table)
                    self._see(gold)
                    if self._keep_none:
                        gold_none = self._cells(gold_state, pairs.gold_none)
                    if self._text is not None:
                        change = self._changed_text(gold_state, text_slots)
                        if change:
                            changed_at.append(_digits(number))
                            changes.append(change)
                            if before and self.counts_losses:
                                self.gold_changes += 1
                                self.gold_losses += self._lost(before, gold)
                    self._place = place_of_pred
                with_gold.append(number)
                if pred_state is None:
                    self.missing.append(number)
                    if self._skips_missing:
                        continue
                    pred_state = ()
                if pred_state is not old_pred or self._state != _CUMULATIVE:
                    old_pred = pred_state
                    stale = True
                    if self._state != _CUMULATIVE:
                        pred_state = whole_pred = self._accumulated(whole_pred, pred_state)
                    pred = self._cells(pred_state, pred_table)
                    if self._keep_none:
                        pred_none = self._cells(pred_state, pairs.pred_none)
                    for pair in pred_state:
                        if hedges[pair]:
                            self.hedged.append((pair, number))
                    narrow = pred
                if stale and self._extra != _PENALISE:
                    narrow = self._narrowed(pred, gold)
            except InputError as error:
                raise error.at(dialogue=dialogue.id, turn=number) from None
            self.numbers.append(number)
            self.gold.append(gold)
            self.pred.append(narrow)
            self.gold_none.append(gold_none)
            self.pred_none.append(pred_none)
        self.has_gold = len(with_gold)
        if self._text is not None:
            for slot in text_slots:
                self._forms[slot] = 0
            self.gold_form = _form(with_gold, changed_at, changes)
        return len(self.numbers)

    def _grow(self) -> None:
        """Makes room for the slots and cells that are new."""
        pairs = self._pairs
        pairs.extend()
        if len(pairs.values) > len(self._right):
            self._right = array("q", bytes(self._right) + bytes(8 * (2 * len(pairs.values) - len(self._right))))
        count = len(pairs.slot_names)
        if self._text is not None:
            self._text.extend()
            count = max(count, len(self._text.slot_names))
        if count > self._slot_count:
            count = 2 * count + 64
            self._stamps, self._firsts, self._met = (array("i", bytes(4 * count)) for _ in range(3))
            self._gold, self._pred, self._old_gold, self._old_pred = (array("i", bytes(4 * count)) for _ in range(4))
            self._kinds, self._began = array("i", bytes(4 * count)), array("i", bytes(4 * count))
            self._text_stamps, self._forms = array("i", bytes(4 * count)), array("i", bytes(4 * count))
            self._seen.extend(bytes(count - self._slot_count))
            self._slot_count = count

    def gold_slots(self) -> set[str]:
        """The slots that gold has held in any dialogue."""
        return {
            name for slot, name in enumerate(self._pairs.slot_names) if slot < self._slot_count and self._seen[slot]
        }

    def _see(self, cells: list[int]) -> None:
        """Notes the slots of a gold state.

        Raises:
            InputError: one is not in the schema.
        """
        cell_slots = self._pairs.cell_slots
        for cell in cells:
            slot = cell_slots[cell]
            if not self._seen[slot]:
                if self._known_slots is not None and self._pairs.slot_names[slot] not in self._known_slots:
                    raise InputError("not in the schema", slot=min(self._pairs.state(cells).keys() - self._known_slots))
                self._seen[slot] = 1

    def _cells(self, state: PairState, table: list[int]) -> list[int]:
        """The cells of a state in its order, a slot once."""
        cells: list[int] = []
        slots = self._pairs.slot
        stamps, firsts = self._stamps, self._firsts
        self._stamp += 1
        stamp = self._stamp
        for pair in state:
            slot = slots[pair]
            if stamps[slot] == stamp:
                self._refuse_two_values(slot, firsts[slot], pair)
                continue
            stamps[slot] = stamp
            firsts[slot] = pair
            cell = table[pair]
            if cell:
                cells.append(cell)
        return cells

    def _refuse_two_values(self, slot: int, first: int, second: int) -> None:
        values = self._pairs.vocabulary.values
        if values[first] != values[second]:
            raise two_values(self._pairs.slot_names[slot], values[first], values[second]).at(
                file=self._place[0], line=self._place[1]
            )

    def _accumulated(self, state: PairState, update: PairState) -> PairState:
        self._cells(update, self._pairs.gold)
        return self._pairs.accumulate(state, update)

    def _lost(self, before: list[int], now: list[int]) -> bool:
        """Is a slot gone?"""
        cell_slots = self._pairs.cell_slots
        self._stamp += 1
        for cell in now:
            slot = cell_slots[cell]
            self._stamps[slot] = self._stamp
        for cell in before:
            slot = cell_slots[cell]
            if self._stamps[slot] != self._stamp:
                return True
        return False

    def _narrowed(self, pred: list[int], gold: list[int]) -> list[int]:
        """The predicted cells of slots, or of domains, that gold holds."""
        pairs = self._pairs
        if self._extra == _IGNORE_SLOTS:
            slots = {pairs.cell_slots[cell] for cell in gold}
            return [cell for cell in pred if pairs.cell_slots[cell] in slots]
        domains = {pairs.domains[pairs.cell_slots[cell]] for cell in gold}
        return [cell for cell in pred if pairs.domains[pairs.cell_slots[cell]] in domains]

    def _changed_text(self, state: PairState, text_slots: list[int]) -> bytes:
        """What gold changes, as the digest has it; ``text_slots`` are the slots of the state before, and become those of this."""
        text = self._text
        assert text is not None
        pair_slots, pair_forms = text.slot, text.form
        changed: list[int] = []
        slots: list[int] = []
        self._stamp += 1
        stamp = self._stamp
        for pair in state:
            slot = pair_slots[pair]
            if self._text_stamps[slot] == stamp:
                continue
            self._text_stamps[slot] = stamp
            slots.append(slot)
            form = pair_forms[pair]
            if self._forms[slot] != form:
                self._forms[slot] = form
                changed.append(slot)
        for slot in text_slots:
            if self._text_stamps[slot] != stamp:
                self._forms[slot] = 0
                changed.append(slot)
        text_slots[:] = slots
        if not changed:
            return b""
        self._sort(changed)
        texts, gone = text.told, text.gone
        told: list[bytes] = []
        for slot in changed:
            form = self._forms[slot]
            told.append(texts[form] if form else gone[slot])
        if NOT_UNICODE in told:
            raise InputError("half of a character stands without the other half")
        return b"{" + b",".join(told) + b"}"

    def _sort(self, slots: list[int]) -> None:
        """Sorts slots by their names; there are few."""
        assert self._text is not None
        ranks = self._text.ranks
        for place in range(1, len(slots)):
            slot = slots[place]
            rank = ranks[slot]
            at = place
            while at > 0:
                other = slots[at - 1]
                other_rank = ranks[other]
                if other_rank < rank:
                    break
                slots[at] = other
                at -= 1
            slots[at] = slot

    def rows(
        self,
        local: str | None,
        deletions: str | None,
        group: Group | None = None,
        details: list[Any] | None = None,
        counts: bool = False,
    ) -> list[Row]:
        """The tallies of the turns.

        Args:
            local: which definition of locally right.
            deletions: what of a slot that leaves the state.
            group: look at these slots only.
            details: takes a list for each turn of what its slots are: slot, kind, whether the slot was changed at this turn,
                whether a mistake is carried over from the turn before, and the cells of gold and prediction.
            counts: also count how long slots have held which cells.
        """
        pairs = self._pairs
        cell_slots, several = pairs.cell_slots, pairs.several
        fuzzy = pairs.fuzzy
        gold_now, pred_now, old_gold, old_pred = self._gold, self._pred, self._old_gold, self._old_pred
        kinds, met, began = self._kinds, self._met, self._began
        by_code, by_vector = local == "code", local == "vector"
        count_left, as_published = deletions == "count", deletions == "code"
        last_gold: list[int] = []
        last_pred: list[int] = []
        rows: list[Row] = []
        golds = preds = match = both = 0
        exact = True
        last_error = -1
        cut: Row = (0, 0, 0) if self._hyphen_cut else ()
        self._choose(group)
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
                    for cell in last_gold:
                        slot = cell_slots[cell]
                        gold_now[slot] = 0
                    self._put(gold_cells, gold_now)
                    last_gold = gold_cells
                if pred_cells is not last_pred:
                    for cell in last_pred:
                        slot = cell_slots[cell]
                        pred_now[slot] = 0
                    self._put(pred_cells, pred_now)
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
                        elif gold == pred or ((fuzzy or several[gold]) and pairs.agrees(gold, pred)):
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
                        carried = kind == before and kind > _CORRECT and not touched
                        moved = moved or (kind > _CORRECT) != (before > _CORRECT)
                        own_error = own_error or (touched and kind > _CORRECT)
                        if counts:
                            self._end_run(before_gold, before_pred, place - began[slot])
                            began[slot] = place
                            if kind > _CORRECT:
                                self._add_fresh(gold, pred, not carried)
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
                    cut = self._cut_counts(gold_cells, pred_cells)
            row: Row = (golds, preds, match, both, since, missed, wrong, over, correct)
            rows.append(row + cut if self._hyphen_cut else row)
            if details is not None:
                details.append(turn)
        self._forget(counts)
        return self._with_published_deletions(rows) if as_published else rows

    def _forget(self, counts: bool) -> None:
        """Ends what is held of the dialogue by slot."""
        for each in range(self._met_count):
            slot = self._met[each]
            if counts:
                self._end_run(self._old_gold[slot], self._old_pred[slot], len(self.numbers) - self._began[slot])
                self._began[slot] = 0
            self._gold[slot] = self._pred[slot] = self._old_gold[slot] = self._old_pred[slot] = self._kinds[slot] = 0
            self._stamps[slot] = 0
        self._met_count = 0

    def _with_published_deletions(self, rows: list[Row]) -> list[Row]:
        """The rows with changes counted as the published code does: a slot once active and now absent holds "none".

        Its faults are kept on purpose; a perfect prediction with one deletion counts a missed change.
        """
        none_cells = self._pairs.none_cells
        gold_now, pred_now, old_gold, old_pred, met = self._gold, self._pred, self._old_gold, self._old_pred, self._met
        last_gold: list[int] | None = None
        last_pred: list[int] | None = None
        result: list[Row] = []
        for place in range(len(rows)):
            row = rows[place]
            missed = wrong = over = correct = 0
            if self.gold_none[place] is not last_gold or self.pred_none[place] is not last_pred:
                last_gold, last_pred = self.gold_none[place], self.pred_none[place]
                for each in range(self._met_count):
                    slot = met[each]
                    gold_now[slot] = none_cells[slot] if old_gold[slot] else 0
                    pred_now[slot] = none_cells[slot] if old_pred[slot] else 0
                self._put(last_gold, gold_now)
                self._put(last_pred, pred_now)
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
            result.append((*row[:5], missed, wrong, over, correct, *row[9:]))
        self._forget(False)
        return result

    def _choose(self, group: Group | None) -> None:
        """Says which slots are looked at."""
        self._groups, self._group, self._without = group or (None, 0, False)

    def _put(self, cells: list[int], now: array[int]) -> None:
        """Puts the cells of a state, or of one group of slots, into their slots."""
        cell_slots = self._pairs.cell_slots
        for cell in cells:
            slot = cell_slots[cell]
            if self._groups is not None and (self._groups[slot] == self._group) == self._without:
                continue
            now[slot] = cell
            self._meet(slot)

    def _meet(self, slot: int) -> None:
        """Notes a slot that the dialogue has not held before."""
        if self._stamps[slot] != _NEVER:
            self._stamps[slot] = _NEVER
            self._met[self._met_count] = slot
            self._met_count += 1

    def _end_run(self, gold: int, pred: int, turns: int) -> None:
        if gold == pred:
            self._right[gold] += turns
        else:
            key = gold, pred
            self.runs[key] = self.runs.get(key, 0) + turns

    def end_counts(self) -> tuple[dict[tuple[int, int], int], dict[tuple[int, int], int]]:
        """At how many turns a slot has held which cells in gold and prediction, and how often they were a new mistake; then
        begins to count anew."""
        both = {(cell, cell): self._right[cell] for cell in range(1, len(self._right)) if self._right[cell]}
        found = {**both, **self.runs}, self.fresh
        self.runs, self.fresh, self._right = {}, {}, array("q", bytes(8 * len(self._right)))
        return found

    def _add_fresh(self, gold: int, pred: int, count: int) -> None:
        key = gold, pred
        self.fresh[key] = self.fresh.get(key, 0) + count

    def _cut_counts(self, gold: list[int], pred: list[int]) -> Row:
        """SA's errors, RSA's slots and RSA's errors over glued ``domain-slot-value`` cut at the last hyphen."""
        pairs = self._pairs
        if self._groups is not None:
            gold = [cell for cell in gold if (self._groups[pairs.cell_slots[cell]] == self._group) != self._without]
            pred = [cell for cell in pred if (self._groups[pairs.cell_slots[cell]] == self._group) != self._without]
        wanted = {pairs.glued[cell]: pairs.cut[cell] for cell in gold}
        found = {pairs.glued[cell]: pairs.cut[cell] for cell in pred}
        missing = [wanted[text] for text in wanted if text not in found]
        extra = [found[text] for text in found if text not in wanted]
        gold_slots, pred_slots = set(wanted.values()), set(found.values())
        errors = len(missing) + len(extra) - len(set(missing) & set(extra))
        return errors, len(gold_slots | pred_slots), len(gold_slots - pred_slots) + len(extra)

    def slots(self) -> list[int]:
        """The slots that either side holds, in the order of their names."""
        cell_slots = self._pairs.cell_slots
        held: set[int] = set()
        last: list[int] | None = None
        for side in (self.gold, self.pred):
            for cells in side:
                if cells is not last:
                    held.update([cell_slots[cell] for cell in cells])
                    last = cells
        return sorted(held, key=self._pairs.slot_names.__getitem__)


def _form(numbers: list[int], changed_at: list[bytes], changes: list[bytes]) -> bytes:
    """The gold of a dialogue as it is digested: its turns, the turns at which it changes, and the changes."""
    counted = True
    for place in range(len(numbers)):
        if numbers[place] != place:
            counted = False
    turns = _digits(len(numbers)) if counted else str(numbers).replace(" ", "").encode()
    return b"[" + turns + b",[" + b",".join(changed_at) + b"],[" + b",".join(changes) + b"]]"


_DIGITS = [b"%d" % number for number in range(256)]


def _digits(number: int) -> bytes:
    return _DIGITS[number] if number < len(_DIGITS) else b"%d" % number
