# The pairs of slot and value that the kernel has met, found by their text.

cdef enum:
    PAIRS = 50_000
    PLACES = 131_072  # a power of two
    TRIES = 64
    UNUSUAL = -1


cdef class Pair:
    """A slot with a value, by their numbers: the value as read, in gold and in a prediction under the rules. 0 is no value.

    ``told`` is what a digest of gold has of it, and ``alone`` the same in braces.
    """

    cdef bytes text, told, alone
    cdef int slot, read, gold, pred


cdef struct Place:
    uint64_t hash
    void *pair


cdef class Vocabulary:
    """Pairs in a table with open places; the arguments are those of the kernel."""

    cdef object _learn, _encode
    cdef dict _slot_numbers, _value_numbers
    cdef list _pairs, slot_names, slot_keys
    cdef Place *_places

    def __cinit__(self, learn, encode):
        self._places = <Place *>calloc(PLACES, sizeof(Place))
        if self._places == NULL:
            raise MemoryError
        self._learn, self._encode = learn, encode
        self._slot_numbers, self._value_numbers = {}, {None: 0}
        self._pairs, self.slot_names, self.slot_keys = [], [], []

    def __dealloc__(self):
        free(self._places)

    cdef bint is_full(self):
        return len(self._pairs) > PAIRS

    cdef Pair find(self, const char *text, Py_ssize_t length):
        """The pair of this text, which is learned where it is not known."""
        cdef uint64_t hash = hashed(text, length)
        cdef Place *place
        cdef Pair pair
        cdef int each
        for each in range(TRIES):
            place = &self._places[((hash >> 32) + each) & (PLACES - 1)]
            if place.pair == NULL:
                pair = self._new(text[:length])
                self._pairs.append(pair)
                place.hash, place.pair = hash, <void*>pair
            elif place.hash != hash:
                continue
            else:
                pair = <Pair>place.pair
                if PyBytes_GET_SIZE(pair.text) != length or memcmp(PyBytes_AS_STRING(pair.text), text, length) != 0:
                    continue
            if pair.slot == UNUSUAL:
                raise NotPlain
            return pair
        raise NotPlain

    cdef Pair _new(self, bytes text):
        cdef Pair pair = Pair()
        pair.text, pair.slot = text, UNUSUAL
        learned = self._learn(text)
        if learned is None:
            return pair
        slot, value, gold, pred = learned
        number = self._slot_numbers.get(slot)
        if number is None:
            number = len(self.slot_names)
            if number == SLOTS:
                return pair
            self._slot_numbers[slot] = number
            self.slot_names.append(slot)
            self.slot_keys.append(self._encode(slot) + b":")
        pair.slot = number
        pair.told = self.slot_keys[number] + self._encode(value)
        pair.alone = b"{%b}" % pair.told
        pair.read, pair.gold, pair.pred = self._value_number(value), self._value_number(gold), self._value_number(pred)
        return pair

    cdef int _value_number(self, value) except -1:
        return self._value_numbers.setdefault(value, len(self._value_numbers))
