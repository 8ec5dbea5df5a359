"""One dialogue under one rule set: its states as cells, the turns that are compared, and what its gold changes.

This file is plain Python; ``cells.pxd`` gives it C types where dialmeter is built with a compiler.
"""

from __future__ import annotations

from array import array

from ..errors import InputError
from ..formats.pairs.vocabulary import PairDialogue, PairState, Place, two_values
from .digest import NOT_UNICODE, GoldText
from .pairs import PairRules

_CUMULATIVE, _UPDATE, _UPDATE_PRED = 0, 1, 2
_PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS = 0, 1, 2
_STATES = {"cumulative": _CUMULATIVE, "update": _UPDATE, "update-pred": _UPDATE_PRED}
_DIGITS = [b"%d" % number for number in range(256)]
_EXTRA = {"penalise": _PENALISE, "ignore-slots": _IGNORE_SLOTS, "ignore-domains": _IGNORE_DOMAINS}


class DialogueCells:
    """Takes dialogues one by one; what it holds is about the dialogue that was taken last.

    Args:
        pairs: what the rule set makes of pairs.
        text: what the digest of gold makes of pairs; None where no digest is wanted.
        keep_none: also keep states in which absent words stand as "none".
        known_slots: the slots of a schema; another slot in gold is an error.
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
        self._skips_missing = rules.missing == "skip"
        self._known_slots = known_slots
        # Scratch space by slot. All is 0 between two dialogues but for the stamps.
        self._slot_count = 0
        self._stamp = 0
        self._stamps = self._firsts = self._text_stamps = self._forms = array("i")
        self._text_met: list[int] = []
        self._text_count = 0
        self._seen = bytearray()
        # The dialogue that was taken last: the turns that are compared, and their cells. A state that did not change is the
        # same object as before.
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
        old_gold: PairState | None = None
        old_pred: PairState | None = None
        whole_gold: PairState = ()
        whole_pred: PairState = ()
        gold: list[int] = []
        pred: list[int] = []
        gold_none: list[int] = []
        pred_none: list[int] = []
        narrow = pred
        # Has a state changed since it was decided which predicted slots count?
        stale = False
        for place in range(len(all_numbers)):
            number = all_numbers[place]
            gold_state = all_gold[place]
            pred_state = all_pred[place]
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
                        change = self._changed_text(gold_state)
                        if change:
                            changed_at.append(_DIGITS[number] if number < 256 else b"%d" % number)
                            changes.append(change)
                            if before and self.counts_losses:
                                self.gold_changes += 1
                                self.gold_losses += not pairs.slots_of(before) <= pairs.slots_of(gold)
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
                stale = False
            except InputError as error:
                raise error.at(dialogue=dialogue.id, turn=number) from None
            self.numbers.append(number)
            self.gold.append(gold)
            self.pred.append(narrow)
            if self._keep_none:
                self.gold_none.append(gold_none)
                self.pred_none.append(pred_none)
        self.has_gold = len(with_gold)
        if self._text is not None:
            for slot in self._text_met:
                self._forms[slot] = 0
            self._text_met = []
            self._text_count = 0
            self.gold_form = _form(with_gold, changed_at, changes)
        return len(self.numbers)

    def _grow(self) -> None:
        """Makes room for the slots that are new."""
        pairs = self._pairs
        pairs.extend()
        count = len(pairs.slot_names)
        if self._text is not None:
            self._text.extend()
            count = max(count, len(self._text.slot_names))
        if count > self._slot_count:
            count = 2 * count + 64
            self._stamps, self._firsts = array("i", bytes(4 * count)), array("i", bytes(4 * count))
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

    def _narrowed(self, pred: list[int], gold: list[int]) -> list[int]:
        """The predicted cells of slots, or of domains, that gold holds."""
        pairs = self._pairs
        if self._extra == _IGNORE_SLOTS:
            slots = pairs.slots_of(gold)
            return [cell for cell in pred if pairs.cell_slots[cell] in slots]
        domains = {pairs.domains[pairs.cell_slots[cell]] for cell in gold}
        return [cell for cell in pred if pairs.domains[pairs.cell_slots[cell]] in domains]

    def _changed_text(self, state: PairState) -> bytes:
        """What gold changes, as the digest has it; nothing where it changes nothing."""
        text = self._text
        assert text is not None
        pair_slots, pair_forms = text.slot, text.form
        forms, stamps = self._forms, self._text_stamps
        changed: list[int] = []
        self._stamp += 1
        stamp = self._stamp
        left = self._text_count
        count = 0
        for pair in state:
            slot = pair_slots[pair]
            if stamps[slot] == stamp:
                continue
            stamps[slot] = stamp
            count += 1
            form = pair_forms[pair]
            if forms[slot]:
                left -= 1
            else:
                self._text_met.append(slot)
            if forms[slot] != form:
                forms[slot] = form
                changed.append(slot)
        if left:
            for slot in self._text_met:
                if forms[slot] and stamps[slot] != stamp:
                    forms[slot] = 0
                    changed.append(slot)
        self._text_count = count
        if not changed:
            return b""
        self._sort(changed)
        texts, gone = text.told, text.gone
        told: list[bytes] = []
        for slot in changed:
            form = forms[slot]
            told.append(texts[form] if form else gone[slot])
        if text.is_broken and NOT_UNICODE in told:
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

    def slots(self) -> list[int]:
        """The slots that either side holds, in the order of their names."""
        states = {id(cells): cells for cells in (*self.gold, *self.pred)}.values()
        held = set().union(*map(self._pairs.slots_of, states))
        return sorted(held, key=self._pairs.slot_names.__getitem__)


def _form(numbers: list[int], changed_at: list[bytes], changes: list[bytes]) -> bytes:
    """The gold of a dialogue as it is digested: its turns, the turns at which it changes, and the changes."""
    counted = numbers == list(range(len(numbers)))
    turns = b"%d" % len(numbers) if counted else str(numbers).replace(" ", "").encode()
    return b"[" + turns + b",[" + b",".join(changed_at) + b"],[" + b",".join(changes) + b"]]"
