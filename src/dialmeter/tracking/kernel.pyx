# cython: language_level=3, boundscheck=False, wraparound=False
"""Native lines straight to tallies, compiled: the way of the many.

A line is taken only if it is plain: the keys of the native format, each once; turns numbered from 0; states of texts, without
alternatives. All else is refused and goes the long way through ``prepare`` and ``walk``, which know
everything and give the same rows. So what this file does not understand costs time, and nothing else.

Every bytes object ends in a zero, and no loop below steps over one.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.string cimport memcmp, memcpy, strncmp

cdef enum:
    SLOTS = 2048
    PAIRS = 100_000
    NEVER = -1


class NotPlain(Exception):
    """Something that has to go the long way."""


cdef class Pair:
    """A slot with a value, by their numbers: the value as read, in gold and in a prediction under the rules. 0 is no value."""

    cdef int slot, read, gold, pred


cdef class Tallied:
    """A dialogue of which nothing is left but the numbers of its tallies, and what was noticed of gold."""

    cdef readonly str id
    cdef readonly list rows, gold_slots
    cdef readonly dict changes
    cdef readonly int gold_changes, gold_losses


cdef struct State:
    const char *text
    Py_ssize_t length
    int count
    void *pairs[SLOTS]


cdef struct Slot:
    long stamp
    bint met, in_gold
    int read, gold, pred, old_read, old_gold, old_pred


cdef class Kernel:
    """Reads lines.

    Args:
        learn: tells of the text of a pair what it is: slot, value, and the value under the rules in gold and in a prediction,
            where None is no value. Of a pair that has to go the long way it says None.
        number_of: gives every distinct tally a number.
    """

    cdef object _learn, _number_of
    cdef dict _pairs, _slot_numbers, _value_numbers
    cdef list _slot_names, _values
    cdef State _gold, _pred
    cdef Slot _slots[SLOTS]
    cdef int _met[SLOTS]
    cdef int _count
    cdef long _stamp
    cdef const char *_end

    def __init__(self, learn, number_of):
        self._learn, self._number_of = learn, number_of
        self._stamp = 0
        self._start_vocabulary()

    def read(self, bytes line not None):
        """The tallies of a line, or None where it is not plain."""
        if len(self._pairs) > PAIRS:
            self._start_vocabulary()
        if not line.isascii():
            try:
                line.decode()
            except UnicodeDecodeError:
                return None
        cdef Tallied found = Tallied()
        self._start_dialogue()
        self._end = PyBytes_AS_STRING(line) + PyBytes_GET_SIZE(line)
        try:
            self._read_line(PyBytes_AS_STRING(line), found)
        except NotPlain:
            return None
        # Not sooner: tallies of a line that is refused in the end are not to be numbered.
        found.rows = [self._number_of[row] for row in found.rows]
        return found

    cdef void _start_vocabulary(self):
        self._start_dialogue()
        self._pairs, self._slot_numbers, self._value_numbers = {}, {}, {None: 0}
        self._slot_names, self._values = [], [None]

    cdef void _start_dialogue(self) noexcept:
        cdef int each
        for each in range(self._count):
            self._slots[self._met[each]] = Slot(0, False, False, 0, 0, 0, 0, 0, 0)
        self._count = 0
        self._gold.text = self._pred.text = b"{}"
        self._gold.length = self._pred.length = 2
        self._gold.count = self._pred.count = 0

    cdef int _read_line(self, const char *at, Tallied found) except -1:
        cdef const char *begin
        at = after(at, c"{")
        while True:
            at = after(at, c'"')
            if found.id is None and strncmp(at, b'dialogue_id"', 12) == 0:
                begin = after(after(at + 12, c":"), c'"')
                at = after_text(begin)
                found.id = begin[: at - 1 - begin].decode()
                if "\\" in found.id:
                    raise NotPlain
            elif found.rows is None and strncmp(at, b'turns"', 6) == 0:
                at = self._read_turns(after(at + 6, c":"), found)
            else:
                raise NotPlain
            at = blanks(at)
            if at[0] != c",":
                break
            at += 1
        if blanks(after(at, c"}")) != self._end or found.id is None or found.rows is None:
            raise NotPlain
        return 0

    cdef const char *_read_turns(self, const char *at, Tallied found) except NULL:
        cdef int number = 0, golds = 0, preds = 0, match = 0, both = 0, missed, wrong, over, correct, since, last_error = -1
        cdef int each, gold, pred
        cdef bint new
        cdef Slot *slot
        found.rows, found.changes = [], {}
        at = after(at, c"[")
        while True:
            at = self._read_turn(at, number)
            self._note_changes(found, number, golds)
            golds = preds = match = both = missed = wrong = over = correct = 0
            for each in range(self._count):
                slot = &self._slots[self._met[each]]
                gold, pred = slot.gold, slot.pred
                new = gold != slot.old_gold or pred != slot.old_pred
                golds += gold != 0
                preds += pred != 0
                if gold and pred:
                    both += 1
                    if gold == pred:
                        match += 1
                        correct += new
                    else:
                        wrong += new
                elif gold:
                    missed += gold != slot.old_gold
                elif pred:
                    over += pred != slot.old_pred
                slot.old_gold, slot.old_pred, slot.old_read = gold, pred, slot.read
                slot.in_gold = slot.in_gold or gold != 0
            if match == golds and match == preds:
                since = NEVER
            elif missed or wrong or over:
                since, last_error = 0, number
            else:
                since = NEVER if last_error < 0 else number - last_error
            found.rows.append((golds, preds, match, both, since, missed, wrong, over, correct))
            number += 1
            at = blanks(at)
            if at[0] != c",":
                break
            at += 1
        found.gold_slots = [
            self._slot_names[self._met[each]] for each in range(self._count) if self._slots[self._met[each]].in_gold
        ]
        return after(at, c"]")

    cdef const char *_read_turn(self, const char *at, int number) except NULL:
        cdef bint numbered = False, has_gold = False, has_pred = False, has_user = False, has_system = False
        at = after(at, c"{")
        while True:
            at = after(at, c'"')
            if not numbered and strncmp(at, b'turn"', 5) == 0:
                numbered = True
                at = after_number(after(at + 5, c":"), number)
            elif not has_gold and strncmp(at, b'gold"', 5) == 0:
                has_gold = True
                at = self._read_gold(blanks(after(at + 5, c":")))
            elif not has_pred and strncmp(at, b'pred"', 5) == 0:
                has_pred = True
                at = self._read_pred(blanks(after(at + 5, c":")), has_gold)
            elif not has_user and strncmp(at, b'user"', 5) == 0:
                has_user = True
                at = after_text(after(after(at + 5, c":"), c'"'))
            elif not has_system and strncmp(at, b'system"', 7) == 0:
                has_system = True
                at = after_text(after(after(at + 7, c":"), c'"'))
            else:
                raise NotPlain
            at = blanks(at)
            if at[0] != c",":
                break
            at += 1
        if not has_gold or not has_pred:
            raise NotPlain
        return after(at, c"}")

    cdef const char *_read_gold(self, const char *at) except NULL:
        cdef int each
        cdef Pair pair
        if self._repeats(at, &self._gold):
            return at + self._gold.length
        at = self._read_state(at, &self._gold)
        for each in range(self._count):
            self._slots[self._met[each]].gold = self._slots[self._met[each]].read = 0
        for each in range(self._gold.count):
            pair = <Pair>self._gold.pairs[each]
            self._meet(pair.slot)
            self._slots[pair.slot].gold = pair.gold
            self._slots[pair.slot].read = pair.read
        return at

    cdef const char *_read_pred(self, const char *at, bint after_gold) except NULL:
        cdef int each
        cdef Pair pair
        if self._repeats(at, &self._pred):
            return at + self._pred.length
        if after_gold and self._repeats(at, &self._gold):
            self._pred.text, self._pred.length, self._pred.count = self._gold.text, self._gold.length, self._gold.count
            memcpy(self._pred.pairs, self._gold.pairs, self._gold.count * sizeof(void*))
            at += self._gold.length
        else:
            at = self._read_state(at, &self._pred)
        for each in range(self._count):
            self._slots[self._met[each]].pred = 0
        for each in range(self._pred.count):
            pair = <Pair>self._pred.pairs[each]
            self._meet(pair.slot)
            self._slots[pair.slot].pred = pair.pred
        return at

    cdef bint _repeats(self, const char *at, State *state) noexcept:
        """Does the text of a state stand here? Whole states end in a brace, so that nothing can follow inside them."""
        return self._end - at >= state.length and memcmp(at, state.text, state.length) == 0

    cdef const char *_read_state(self, const char *at, State *state) except NULL:
        cdef const char *begin
        cdef Pair pair
        state.text, state.count = at, 0
        self._stamp += 1
        at = blanks(after(at, c"{"))
        while at[0] != c"}":
            begin = at
            at = after_text(after(at, c'"'))
            at = after_text(after(after(at, c":"), c'"'))
            pair = self._pair(PyBytes_FromStringAndSize(begin, at - begin))
            if self._slots[pair.slot].stamp == self._stamp:
                raise NotPlain
            self._slots[pair.slot].stamp = self._stamp
            state.pairs[state.count] = <void*>pair
            state.count += 1
            at = blanks(at)
            if at[0] == c",":
                at = blanks(at + 1)
                if at[0] != c'"':
                    raise NotPlain
            elif at[0] != c"}":
                raise NotPlain
        state.length = at + 1 - state.text
        return at + 1

    cdef Pair _pair(self, bytes text):
        cdef Pair pair
        known = self._pairs.get(text, self)
        if known is not self:
            if known is None:
                raise NotPlain
            return known
        self._pairs[text] = None
        told = self._learn(text)
        if told is None:
            raise NotPlain
        slot, value, gold, pred = told
        pair = Pair()
        pair.slot = self._slot_numbers.setdefault(slot, len(self._slot_names))
        if pair.slot == len(self._slot_names):
            if pair.slot == SLOTS:
                raise NotPlain
            self._slot_names.append(slot)
        pair.read, pair.gold, pair.pred = self._value_number(value), self._value_number(gold), self._value_number(pred)
        self._pairs[text] = pair
        return pair

    cdef int _value_number(self, value) except -1:
        number = self._value_numbers.setdefault(value, len(self._values))
        if number == len(self._values):
            self._values.append(value)
        return number

    cdef void _meet(self, int slot) noexcept:
        if not self._slots[slot].met:
            self._slots[slot].met = True
            self._met[self._count] = slot
            self._count += 1

    cdef int _note_changes(self, Tallied found, int number, int golds_before) except -1:
        """What gold changes at a turn, as read; and whether it lost a slot, under the rules."""
        cdef int each
        cdef Slot *slot
        cdef dict change = None
        cdef bint lost = False
        for each in range(self._count):
            slot = &self._slots[self._met[each]]
            if slot.read != slot.old_read:
                if change is None:
                    change = {}
                change[self._slot_names[self._met[each]]] = self._values[slot.read]
            lost = lost or (slot.old_gold != 0 and slot.gold == 0)
        if change is not None:
            found.changes[number] = change
            found.gold_changes += golds_before > 0
            found.gold_losses += lost
        return 0


cdef const char *blanks(const char *at) noexcept:
    while at[0] == c" " or at[0] == c"\t" or at[0] == c"\n" or at[0] == c"\r":
        at += 1
    return at


cdef const char *after(const char *at, char sign) except NULL:
    """What follows a sign and the blanks before it."""
    at = blanks(at)
    if at[0] != sign:
        raise NotPlain
    return at + 1


cdef const char *after_number(const char *at, int number) except NULL:
    """What follows a number that has to be this one."""
    cdef long found = 0
    at = blanks(at)
    if not c"0" <= at[0] <= c"9" or (at[0] == c"0" and c"0" <= at[1] <= c"9"):
        raise NotPlain
    while c"0" <= at[0] <= c"9" and found <= number:
        found = 10 * found + at[0] - c"0"
        at += 1
    if found != number:
        raise NotPlain
    return at


cdef const char *after_text(const char *at) except NULL:
    """What follows the quotation mark that ends a text."""
    cdef int each
    while at[0] != c'"':
        if <unsigned char>at[0] < 0x20:
            raise NotPlain
        if at[0] == c"\\":
            at += 1
            if at[0] == c"u":
                # Halves of characters begin with d; whether they come in pairs is for the long way to see.
                if at[1] == c"d" or at[1] == c"D":
                    raise NotPlain
                for each in range(4):
                    at += 1
                    if not is_hexadecimal(at[0]):
                        raise NotPlain
            elif not is_escape(at[0]):
                raise NotPlain
        at += 1
    return at + 1


cdef bint is_escape(char sign) noexcept:
    return sign in (c'"', c"\\", c"/", c"b", c"f", c"n", c"r", c"t")


cdef bint is_hexadecimal(char sign) noexcept:
    return c"0" <= sign <= c"9" or c"a" <= sign <= c"f" or c"A" <= sign <= c"F"
