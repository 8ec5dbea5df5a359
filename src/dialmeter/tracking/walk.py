"""One dialogue under one rule set: its states as cells, the changes of gold, and the tallies of its turns. Integers only.

This file is plain Python; ``walk.pxd`` adds C types if dialmeter is built with a compiler. Both versions give the same rows.
Only ``Walk.rows`` decides whether a change is missed, wrong, over or correct.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

from ..errors import InputError
from ..readers.pairs.slot_names import clashing, two_values
from ..readers.pairs.vocabulary import PairDialogue, PairState, Place
from .digest import NOT_UNICODE, GoldText
from .pairs import NO_CELL, PairRules
from .tally import CORRECT, MISSED, NEVER, NOTHING, OVER, WRONG, Row

# C integers if this file is compiled.
_NEVER, _NOTHING, _CORRECT, _WRONG, _MISSED, _OVER = NEVER, NOTHING, CORRECT, WRONG, MISSED, OVER
_SHIFT = 2**32
_CUMULATIVE, _UPDATE, _UPDATE_PRED = 0, 1, 2
_PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS, _UNLISTED = 0, 1, 2, 3
_STATES = {"cumulative": _CUMULATIVE, "update": _UPDATE, "update-pred": _UPDATE_PRED}
_MASK = 2**64 - 1
_FACTOR = 0x9E3779B97F4A7C15
_EXTRA = dict(zip(("penalise", "ignore-slots", "ignore-domains", "unlisted"), range(4), strict=True))


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


class Walk:
    """Converts dialogues to cells, one at a time, and computes the tallies of the last one, which its attributes describe.

    Args:
        pairs: the tables of the rule set.
        text: the texts of pairs in the digest of gold; None for no digest.
        keep_none: also keep states in which absent words become "none".
        hyphen_cut: also count errors like the published code that joins slot and value by a hyphen and cuts the text at its last
            hyphen.
        known_slots: the slots of a schema; any other slot in gold is an error.
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
        self._state = _STATES[rules.state]
        self._extra = _EXTRA[rules.extra]
        self._skips_missing = rules.skips_missing
        self._last_holds = rules.clash == "last"
        self._known_slots = known_slots
        # The tables of pairs and of the digest; they grow in place.
        self._pair_slots, self._cell_slots = pairs.slot, pairs.cell_slots
        if text is not None:
            self._text_slots, self._text_forms = text.slot, text.form
        # By slot of the digest: the form that gold held before, the form that it holds, and a stamp; and the slots held before.
        self._old_forms = self._forms = self._form_stamps = array("i")
        self._held: list[int] = []
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
                                self.gold_losses += self._loses(before, gold)
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
            for slot in self._held:
                self._old_forms[slot] = 0
            self._held = []
            self.gold_form = _form(self.numbers, changed_at, changes)
        return len(self.numbers)

    def _grow(self) -> None:
        """Add the new pairs, and make room for the new slots."""
        pairs = self._pairs
        pairs.extend()
        count = len(pairs.slot_names)
        if self._text is not None:
            self._text.extend()
            if len(self._text.slot_names) > len(self._forms):
                more = 2 * len(self._text.slot_names) + 64 - len(self._forms)
                self._old_forms, self._forms = _longer(self._old_forms, more), _longer(self._forms, more)
                self._form_stamps = _longer(self._form_stamps, more)
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
        before, now, stamps = self._old_forms, self._forms, self._form_stamps
        self._stamp += 1
        stamp = self._stamp
        held: list[int] = []
        is_double = False
        for pair in state:
            form = pair_forms[pair]
            if form:
                slot = pair_slots[pair]
                if stamps[slot] != stamp:
                    stamps[slot] = stamp
                    held.append(slot)
                elif now[slot] != form:
                    is_double = True
                now[slot] = form
        if is_double:
            # Two names become one slot: start again with these names as written.
            state = text.kept_apart(state)
            self._grow()
            return self._changed_text(state)
        changed: list[int] = []
        for slot in held:
            if before[slot] != now[slot]:
                before[slot] = now[slot]
                changed.append(slot)
        for slot in self._held:
            if stamps[slot] != stamp:
                before[slot] = now[slot] = 0
                changed.append(slot)
        self._held = held
        if len(changed) > 1:
            changed.sort(key=text.slot_names.__getitem__)
        texts, gone = text.told, text.gone
        told = [texts[now[slot]] if now[slot] else gone[slot] for slot in changed]
        if text.is_broken and NOT_UNICODE in told:
            raise InputError("half of a character, without the other half")
        return b",".join(told)

    def _loses(self, before: list[int], now: list[int]) -> bool:
        """Does a state lack a slot of the state before?"""
        cell_slots, stamps = self._cell_slots, self._stamps
        self._stamp += 1
        stamp = self._stamp
        for cell in now:
            slot = cell_slots[cell]
            stamps[slot] = stamp
        for cell in before:
            slot = cell_slots[cell]
            if stamps[slot] != stamp:
                return True
        return False

    def count_predicted_changes(self) -> tuple[int, int, int, int]:
        """Return the changes of predictions, how many lose a slot, the values that are held, and those repeated from an
        earlier turn."""
        changes = losses = held = repeated = 0
        before: list[int] = []
        seen: set[int] = set()
        for place in range(len(self.numbers)):
            state = self.pred[place]
            if self.missing and self.numbers[place] in self.missing:
                continue
            held += len(state)
            if state is before:
                repeated += len(state)
                continue
            if before and state != before:
                changes += 1
                losses += self._loses(before, state)
            for cell in state:
                if cell in seen:
                    repeated += 1
                else:
                    seen.add(cell)
            before = state
        return changes, losses, held, repeated

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
