"""One dialogue under one rule set: its states as cells, the compared turns, and the changes of gold.

This file is plain Python; ``cells.pxd`` adds C types if dialmeter is built with a compiler.
"""

from __future__ import annotations

from array import array

from ..errors import InputError
from ..readers.pairs.slot_names import clashing, two_values
from ..readers.pairs.vocabulary import PairDialogue, PairState, Place
from .digest import NOT_UNICODE, GoldText
from .pairs import NO_CELL, PairRules

_CUMULATIVE, _UPDATE, _UPDATE_PRED = 0, 1, 2
_PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS, _UNLISTED = 0, 1, 2, 3
_STATES = {"cumulative": _CUMULATIVE, "update": _UPDATE, "update-pred": _UPDATE_PRED}
_MASK = 2**64 - 1
_FACTOR = 0x9E3779B97F4A7C15
_EXTRA = dict(zip(("penalise", "ignore-slots", "ignore-domains", "unlisted"), range(4), strict=True))


class DialogueCells:
    """Converts dialogues to cells, one dialogue at a time. Its attributes describe the last dialogue.

    Args:
        pairs: the tables of the rule set.
        text: the texts of pairs in the digest of gold; None for no digest.
        keep_none: also keep states in which absent words become "none".
        known_slots: the slots of a schema; any other slot in gold is an error.
    """

    def __init__(
        self,
        pairs: PairRules,
        text: GoldText | None = None,
        keep_none: bool = False,
        known_slots: frozenset[str] | None = None,
    ) -> None:
        rules = pairs.rules
        self._pairs = pairs
        self._text = text
        self._keep_none = keep_none
        self._state = _STATES[rules.state]
        self._extra = _EXTRA[rules.extra]
        self._skips_missing = rules.skips_missing
        self._last_holds = rules.clash == "last"
        self._known_slots = known_slots
        # The tables of pairs and of the digest; they grow in place.
        self._pair_slots, self._cell_slots = pairs.slot, pairs.cell_slots
        if text is not None:
            self._text_slots, self._text_forms = text.slot, text.form
        # By slot of the digest: the form that gold held before.
        self._forms: dict[int, int] = {}
        # Scratch space by slot. Everything except the stamps is 0 between two dialogues.
        self._slot_count = 0
        self._stamp = 0
        self._stamps = self._firsts = array("i")
        self._seen = bytearray()
        # The compared turns of the last dialogue, and their cells. If a state has not changed, it is the same object as before.
        self.id = ""
        self._place: Place = (None, None)
        self._number = 0
        self.numbers: list[int] = []
        self.gold: list[list[int]] = []
        self.pred: list[list[int]] = []
        self.gold_none: list[list[int]] = []
        self.gold_listed: list[PairState] = []
        self.pred_none: list[list[int]] = []
        # The findings of the last dialogue.
        self.missing: list[int] = []
        self.surplus: list[int] = []
        self.has_gold = 0
        self.gold_form = b""
        self.gold_changes = 0
        self.gold_losses = 0
        self.hedged: list[tuple[int, int]] = []
        self.clashes: list[tuple[int, int]] = []
        self.holds_gold = False
        """Has gold held a pair in any dialogue?"""
        self.names_empty = False
        """Has gold named a slot without a value? It is only set under rules that use such slots."""
        self.counts_losses = True
        """Is it counted how often gold loses a slot?"""

    def take(self, dialogue: PairDialogue) -> int:
        """Convert a dialogue, and return the number of its compared turns.

        Raises:
            InputError: a slot has two values in one state.
        """
        pairs = self._pairs
        if len(pairs.slot) < len(pairs.vocabulary.values) or not self._slot_count:
            self._grow()
        self.id = dialogue.id
        self.numbers, self.gold, self.pred = [], [], []
        self.gold_none, self.pred_none, self.gold_listed = [], [], []
        self.missing, self.surplus, self.hedged, self.clashes = [], [], [], []
        self.has_gold = self.gold_changes = self.gold_losses = 0
        all_numbers, all_gold, all_pred = dialogue.numbers, dialogue.gold, dialogue.pred
        place_of_gold, place_of_pred = dialogue.gold_place, dialogue.place
        gold_table, pred_table, hedges = pairs.gold, pairs.pred, pairs.hedged
        changes: list[bytes] = []
        changed_at: list[bytes] = []
        old_gold: PairState | None = None
        old_pred: PairState | None = None
        whole_gold: PairState = ()
        whole_pred: PairState = ()
        listed: PairState = ()
        gold: list[int] = []
        pred: list[int] = []
        gold_none: list[int] = []
        pred_none: list[int] = []
        narrow = pred
        # Has a state changed since ``narrow``, the predicted slots that count, was computed?
        stale = False
        for place in range(len(all_numbers)):
            number = all_numbers[place]
            gold_state = all_gold[place]
            pred_state = all_pred[place]
            try:
                self._place = place_of_pred
                self._number = number
                if gold_state is None:
                    self.surplus.append(number)
                    if pred_state is not None:
                        self._cells(pred_state, pred_table)
                    if self._state != _CUMULATIVE and pred_state is not None:
                        # An update at a turn without gold still applies to the turns after it.
                        whole_pred = self._accumulated(whole_pred, pred_state)
                        old_pred = None
                    continue
                self.has_gold += 1
                if pred_state is None:
                    self.missing.append(number)
                    if self._skips_missing:
                        self._place = place_of_gold
                        if self._state == _UPDATE:
                            whole_gold = self._accumulated(whole_gold, gold_state)
                            old_gold = None
                        self._see(self._cells(gold_state, gold_table))
                        continue
                    pred_state = ()
                if gold_state is not old_gold:
                    self._place = place_of_gold
                    old_gold = gold_state
                    stale = True
                    if self._state == _UPDATE:
                        gold_state = whole_gold = self._accumulated(whole_gold, gold_state)
                    before = gold
                    listed = gold_state
                    if gold_state:
                        self.holds_gold = True
                        if self._extra == _UNLISTED and not self.names_empty:
                            self.names_empty = NO_CELL in map(gold_table.__getitem__, gold_state)
                    gold = self._cells(gold_state, gold_table)
                    self._see(gold)
                    if self._keep_none:
                        gold_none = self._cells(gold_state, pairs.gold_none)
                    if self._text is not None:
                        change = self._changed_text(gold_state)
                        if change:
                            changed_at.append(b"%d" % number)
                            changes.append(change)
                            if before and self.counts_losses:
                                self.gold_changes += 1
                                self.gold_losses += not pairs.slots_of(before) <= pairs.slots_of(gold)
                    self._place = place_of_pred
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
                    narrow = self._narrowed(pred, gold, listed)
                stale = False
            except InputError as error:
                raise error.at(dialogue=dialogue.id, turn=number) from None
            self.numbers.append(number)
            self.gold.append(gold)
            self.pred.append(narrow)
            if self._extra == _UNLISTED:
                self.gold_listed.append(listed)
            if self._keep_none:
                self.gold_none.append(gold_none)
                self.pred_none.append(pred_none)
        if self._text is not None:
            self._forms = {}
            self.gold_form = _form(self.numbers, changed_at, changes)
        return len(self.numbers)

    def _grow(self) -> None:
        """Add the new pairs, and make room for the new slots."""
        pairs = self._pairs
        pairs.extend()
        count = len(pairs.slot_names)
        if self._text is not None:
            self._text.extend()
        if count > self._slot_count:
            more = 2 * count + 64 - self._slot_count
            self._stamps, self._firsts = _longer(self._stamps, more), _longer(self._firsts, more)
            self._seen.extend(bytes(more))
            self._slot_count += more

    def gold_slots(self) -> set[str]:
        """Return the slots that gold has held in any dialogue."""
        return {
            name for slot, name in enumerate(self._pairs.slot_names) if slot < self._slot_count and self._seen[slot]
        }

    def _see(self, cells: list[int]) -> None:
        """Record the slots of a gold state.

        Raises:
            InputError: a slot is not in the schema.
        """
        cell_slots = self._cell_slots
        seen = self._seen
        for cell in cells:
            slot = cell_slots[cell]
            if not seen[slot]:
                if self._known_slots is not None and self._pairs.slot_names[slot] not in self._known_slots:
                    raise InputError("not in the schema", slot=min(self._pairs.state(cells).keys() - self._known_slots))
                seen[slot] = 1

    def _cells(self, state: PairState, table: list[int]) -> list[int]:
        """Return the cells of a state in its order, one per slot."""
        cells: list[int] = []
        slots = self._pair_slots
        stamps, firsts = self._stamps, self._firsts
        self._stamp += 1
        stamp = self._stamp
        for pair in state:
            cell = table[pair]
            if not cell:
                continue
            slot = slots[pair]
            if stamps[slot] == stamp:
                if cells[firsts[slot]] == cell:
                    continue
                if not self._last_holds:
                    return self._cells(self._kept_apart(state, table), table)
                self._check_names(state, slot, table)
                cells[firsts[slot]] = cell
            else:
                stamps[slot] = stamp
                firsts[slot] = len(cells)
                cells.append(cell)
        return cells

    def _check_names(self, state: PairState, slot: int, table: list[int]) -> None:
        """Raise InputError if a name, as written, is duplicate in a state with different values."""
        pairs = self._pairs
        self._kept_pairs(clashing(state, pairs.slot, table)[slot])

    def _kept_pairs(self, pairs: list[int]) -> list[int]:
        try:
            return self._pairs.vocabulary.kept_apart(pairs)
        except InputError as error:
            raise error.at(file=self._place[0], line=self._place[1]) from None

    def _kept_apart(self, state: PairState, table: list[int]) -> PairState:
        """Keep names as written if they become one slot with different values.

        Raises:
            InputError: the rules do not allow it, or the names are also the same as written.
        """
        pairs, words = self._pairs, self._pairs.vocabulary
        clashes = clashing(state, pairs.slot, table)
        kept: list[int] = []
        for pair in state:
            slot = pairs.slot[pair]
            if slot not in clashes or not table[pair]:
                kept.append(pair)
            elif pair == clashes[slot][0]:
                self.clashes.append((slot, self._number))
                if pairs.rules.clash == "error":
                    error = two_values(pairs.slot_names[slot], *(words.values[each] for each in clashes[slot][:2]))
                    raise error.at(file=self._place[0], line=self._place[1])
                kept += self._kept_pairs(clashes[slot])
        self._grow()
        return tuple(kept)

    def _accumulated(self, state: PairState, update: PairState) -> PairState:
        if not self._last_holds:
            update = self._kept_apart(update, self._pairs.pred)
        return self._pairs.accumulate(state, update)

    def _narrowed(self, pred: list[int], gold: list[int], listed: PairState) -> list[int]:
        """Return the predicted cells whose slots gold holds, whose domains gold holds, or whose slots gold names."""
        pairs = self._pairs
        if self._extra == _IGNORE_DOMAINS:
            domains = {pairs.domains[pairs.cell_slots[cell]] for cell in gold}
            return [cell for cell in pred if pairs.domains[pairs.cell_slots[cell]] in domains]
        slots = pairs.slots_of(gold) if self._extra == _IGNORE_SLOTS else {pairs.slot[pair] for pair in listed}
        return [cell for cell in pred if pairs.cell_slots[cell] in slots]

    def _changed_text(self, state: PairState) -> bytes:
        """Return the changes of gold as the text between braces in the digest; empty if nothing changes."""
        text = self._text
        assert text is not None
        pair_slots, pair_forms = self._text_slots, self._text_forms
        forms: dict[int, int] = {}
        count = 0
        for pair in state:
            form = pair_forms[pair]
            if form:
                forms[pair_slots[pair]] = form
                count += 1
        if len(forms) < count and clashing(state, pair_slots, pair_forms):
            # Two names become one slot: start again with these names as written.
            state = text.kept_apart(state)
            self._grow()
            return self._changed_text(state)
        before, self._forms = self._forms, forms
        changed = [slot for slot, form in forms.items() if before.get(slot) != form]
        changed += [slot for slot in before if slot not in forms]
        if len(changed) > 1:
            changed.sort(key=text.slot_names.__getitem__)
        told = [text.told[forms[slot]] if slot in forms else text.gone[slot] for slot in changed]
        if text.is_broken and NOT_UNICODE in told:
            raise InputError("half of a character, without the other half")
        return b",".join(told)

    def hash_states(self, states: list[list[int]], hashes: list[int]) -> int:
        """Return a hash of the compared turns: of their numbers and of their cells, whose order in a state does not matter.

        Args:
            states: the cells of every turn.
            hashes: a number of 64 bits for each cell.
        """
        last: list[int] | None = None
        total = 0
        mixed = 1
        for place in range(len(self.numbers)):
            cells = states[place]
            number: int = self.numbers[place]
            if cells is not last:
                last = cells
                total = 0
                for cell in cells:
                    one: int = hashes[cell]
                    total = (total + one) & _MASK
            mixed = ((mixed + total) * _FACTOR + number) & _MASK
        return mixed

    def slots(self) -> list[int]:
        """Return the slots that either side holds, sorted by name."""
        states = {id(cells): cells for cells in (*self.gold, *self.pred)}.values()
        held = set().union(*map(self._pairs.slots_of, states))
        return sorted(held, key=self._pairs.slot_names.__getitem__)


def _longer(numbers: array[int], more: int) -> array[int]:
    """Append zeros to an array."""
    return array("i", bytes(numbers) + bytes(4 * more))


def _form(numbers: list[int], changed_at: list[bytes], changes: list[bytes]) -> bytes:
    """Return the gold of a dialogue as text for the digest: its turns, the turns with changes, and the changes.

    If the turns are numbered from 0, their count stands for the list of turns.
    """
    count = len(numbers)
    turns = b"%d" % count if numbers == [*range(count)] else str(numbers).replace(" ", "").encode()
    if not changes:
        return b"[%s,[],[]]" % turns
    return b"[%s,[%s],[{%s}]]" % (turns, b",".join(changed_at), b"},{".join(changes))
