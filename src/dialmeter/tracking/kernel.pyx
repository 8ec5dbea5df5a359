# cython: language_level=3, boundscheck=False, wraparound=False
"""Native lines straight to tallies, compiled: the way of the many.

A line is taken only if it is plain: the keys of the native format, each once; turns numbered from 0; states of texts, without
alternatives. All else is refused and goes the long way through ``prepare`` and ``walk``, which know everything and give the
same rows. So what this file does not understand costs time, and nothing else.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy, memset, strncmp

cdef enum:
    SLOTS = 2048
    TURNS = 1024
    NEVER = -1

cdef list _NUMBERS = [b"%d" % number for number in range(TURNS)]


class NotPlain(Exception):
    """Something that has to go the long way."""


include "scanning.pxi"
include "vocabulary.pxi"
include "numbering.pxi"


cdef class Tallied:
    """A dialogue of which nothing is left but the numbers of its tallies, and what was noticed of gold.

    ``rows`` are unsigned integers; ``gold`` is the form of which a digest is made; ``gold_slots`` are those that were not told before.
    """

    cdef readonly str id
    cdef readonly list gold_slots
    cdef readonly bytes rows, gold
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
    void *pair


cdef class Kernel:
    """Reads lines.

    Args:
        learn: tells of the text of a pair what it is: slot, value, and the value under the rules in gold and in a prediction,
            where None is no value. Of a pair that has to go the long way it says None.
        encode: writes a text as the digest of gold has it.
        number_of: gives every distinct tally a number.
    """

    cdef object _learn, _encode
    cdef Vocabulary _words
    cdef Numbers _numbers
    cdef Tally _tallies[TURNS]
    cdef unsigned int _rows[TURNS]
    cdef int _turns
    cdef bint _told[SLOTS]
    cdef State _gold, _pred
    cdef Slot _slots[SLOTS]
    cdef int _met[SLOTS]
    cdef int _count
    cdef long _stamp
    cdef const char *_end

    def __init__(self, learn, encode, number_of):
        self._learn, self._encode = learn, encode
        self._numbers = Numbers(number_of)
        self._start_vocabulary()

    def read(self, bytes line not None):
        """The tallies of a line, or None where it is not plain."""
        if self._words.is_full():
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
        # Not sooner: what is found in a line that is refused in the end does not count.
        found.rows = self._numbered()
        found.gold_slots = self._new_gold_slots()
        return found

    cdef void _start_vocabulary(self):
        self._start_dialogue()
        self._words = Vocabulary(self._learn, self._encode)
        memset(self._told, 0, sizeof(self._told))

    cdef void _start_dialogue(self) noexcept:
        cdef int each
        for each in range(self._count):
            self._slots[self._met[each]] = Slot(0, False, False, 0, 0, 0, 0, 0, 0, NULL)
        self._count = 0
        self._gold.text = self._pred.text = b"{}"
        self._gold.length = self._pred.length = 2
        self._gold.count = self._pred.count = 0

    cdef bytes _numbered(self):
        cdef int each
        for each in range(self._turns):
            self._numbers.put(&self._tallies[each], &self._rows[each])
        return (<char *>self._rows)[: self._turns * sizeof(unsigned int)]

    cdef list _new_gold_slots(self):
        cdef int each, slot
        cdef list new = []
        for each in range(self._count):
            slot = self._met[each]
            if self._slots[slot].in_gold and not self._told[slot]:
                self._told[slot] = True
                new.append(self._words.slot_names[slot])
        return new

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
            elif found.gold is None and strncmp(at, b'turns"', 6) == 0:
                at = self._read_turns(after(at + 6, c":"), found)
            else:
                raise NotPlain
            at = blanks(at)
            if at[0] != c",":
                break
            at += 1
        if blanks(after(at, c"}")) != self._end or found.id is None or found.gold is None:
            raise NotPlain
        return 0

    cdef const char *_read_turns(self, const char *at, Tallied found) except NULL:
        cdef int number = 0, golds = 0, last_error = -1
        cdef Tally tally
        cdef list numbers = [], changes = []
        at = after(at, c"[")
        while True:
            if number == TURNS:
                raise NotPlain
            at = self._read_turn(at, number)
            change = self._change(found, golds)
            if change is not None:
                numbers.append(_NUMBERS[number])
                changes.append(change)
            tally = self._tally()
            golds = tally.golds
            if tally.match == golds and tally.match == tally.preds:
                tally.since = NEVER
            elif tally.missed or tally.wrong or tally.over:
                tally.since, last_error = 0, number
            else:
                tally.since = NEVER if last_error < 0 else number - last_error
            self._tallies[number] = tally
            number += 1
            at = blanks(at)
            if at[0] != c",":
                break
            at += 1
        self._turns = number
        found.gold = b"[%d,[%b],[%b]]" % (number, b",".join(numbers), b",".join(changes))
        return after(at, c"]")

    cdef Tally _tally(self) noexcept:
        """What the turn comes to that was read last, but for ``since``; it becomes the one before."""
        cdef Tally tally = Tally(0, 0, 0, 0, 0, 0, 0, 0, 0)
        cdef int each, gold, pred
        cdef bint new
        cdef Slot *slot
        for each in range(self._count):
            slot = &self._slots[self._met[each]]
            gold, pred = slot.gold, slot.pred
            new = gold != slot.old_gold or pred != slot.old_pred
            tally.golds += gold != 0
            tally.preds += pred != 0
            if gold and pred:
                tally.both += 1
                if gold == pred:
                    tally.match += 1
                    tally.correct += new
                else:
                    tally.wrong += new
            elif gold:
                tally.missed += gold != slot.old_gold
            elif pred:
                tally.over += pred != slot.old_pred
            slot.old_gold, slot.old_pred, slot.old_read = gold, pred, slot.read
            slot.in_gold = slot.in_gold or gold != 0
        return tally

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
            self._slots[pair.slot].pair = <void*>pair
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

    cdef bint _goes_on(self, const char *at, State *state) noexcept:
        """Does the text of a state stand here, with a comma in the place of its last brace?"""
        cdef Py_ssize_t brace = state.length - 1
        return state.count > 0 and self._end - at > brace and at[brace] == c"," and memcmp(at, state.text, brace) == 0

    cdef const char *_read_state(self, const char *at, State *state) except NULL:
        cdef const char *begin
        cdef Pair pair
        cdef int each
        self._stamp += 1
        begin = at
        if self._goes_on(at, state):
            at = blanks(at + state.length)
            if at[0] != c'"':
                raise NotPlain
            for each in range(state.count):
                self._slots[(<Pair>state.pairs[each]).slot].stamp = self._stamp
        else:
            at = blanks(after(at, c"{"))
            state.count = 0
        state.text = begin
        while at[0] != c"}":
            begin = at
            at = after_text(after(at, c'"'))
            at = after_text(after(after(at, c":"), c'"'))
            pair = self._words.find(begin, at - begin)
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

    cdef void _meet(self, int slot) noexcept:
        if not self._slots[slot].met:
            self._slots[slot].met = True
            self._met[self._count] = slot
            self._count += 1

    cdef bytes _change(self, Tallied found, int golds_before):
        """What gold changes at a turn, as read; None for nothing. Also notes whether it lost a slot, under the rules."""
        cdef int each, first = NEVER, count = 0
        cdef Slot *slot
        cdef bint lost = False
        for each in range(self._count):
            slot = &self._slots[self._met[each]]
            lost = lost or (slot.old_gold != 0 and slot.gold == 0)
            if slot.read != slot.old_read:
                count += 1
                if first < 0:
                    first = each
        if count == 0:
            return None
        found.gold_changes += golds_before > 0
        found.gold_losses += lost
        slot = &self._slots[self._met[first]]
        if count == 1 and slot.read:
            return (<Pair>slot.pair).alone
        changed = sorted([
            (self._words.slot_names[self._met[each]], self._told_of(self._met[each]))
            for each in range(first, self._count)
            if self._slots[self._met[each]].read != self._slots[self._met[each]].old_read
        ])
        return b"{%b}" % b",".join([told for _, told in changed])

    cdef bytes _told_of(self, int slot):
        if self._slots[slot].read:
            return (<Pair>self._slots[slot].pair).told
        return self._words.slot_keys[slot] + b"null"
