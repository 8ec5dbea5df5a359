# The numbers of tallies that the kernel has met, so that most need not be looked up in a dictionary.

cdef enum:
    KNOWN = 16_384
    SEATS = 65_536  # a power of two


cdef struct Tally:
    int golds, preds, match, both, since, missed, wrong, over, correct


cdef struct Seat:
    Tally tally
    unsigned int number
    bint taken


cdef class Numbers:
    """Numbers of tallies; a dictionary has the last word."""

    cdef object _number_of
    cdef Seat *_seats
    cdef int _count

    def __cinit__(self, number_of):
        self._number_of = number_of
        self._seats = <Seat *>calloc(SEATS, sizeof(Seat))
        if self._seats == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self._seats)

    cdef int put(self, Tally *tally, unsigned int *number) except -1:
        cdef uint64_t place = hashed(<const char *>tally, sizeof(Tally)) >> 32
        cdef Seat *seat = &self._seats[place & (SEATS - 1)]
        while seat.taken:
            if memcmp(&seat.tally, tally, sizeof(Tally)) == 0:
                number[0] = seat.number
                return 0
            place += 1
            seat = &self._seats[place & (SEATS - 1)]
        number[0] = self._number_of[
            tally.golds, tally.preds, tally.match, tally.both, tally.since,
            tally.missed, tally.wrong, tally.over, tally.correct,
        ]
        if self._count < KNOWN:
            self._count += 1
            seat.tally, seat.number, seat.taken = tally[0], number[0], True
        return 0
