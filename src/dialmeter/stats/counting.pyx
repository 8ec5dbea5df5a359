# cython: language_level=3, boundscheck=False, wraparound=False
"""Count how often each of 2**bits dialogues is drawn. Compiled, because numpy takes four times as long and holds the GIL."""

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

cdef enum:
    BITS = 13


cdef struct BitGenerator:
    # The layout that numpy documents for external bit generators.
    void *state
    uint64_t (*next_uint64)(void *state) noexcept nogil
    uint32_t (*next_uint32)(void *state) noexcept nogil
    double (*next_double)(void *state) noexcept nogil
    uint64_t (*next_raw)(void *state) noexcept nogil


def count(bit_generator, int bits, const int64_t[:] shares, double[:, ::1] counts):
    """Draw as many numbers as each share says, and count them in one row per share.

    Every 64 random bits give four numbers, the lowest bits first.
    """
    cdef BitGenerator *generator = <BitGenerator *> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
    cdef uint16_t found[1 << BITS]
    cdef int shift = 16 - bits, size = 1 << bits, part, place
    cdef Py_ssize_t row
    cdef int64_t left
    cdef uint64_t word
    if not 0 < bits <= BITS or counts.shape[1] != size or counts.shape[0] < shares.shape[0]:
        raise ValueError(f"counts need a row for each share, and a column for each number of at most {BITS} bits")
    with nogil:
        for row in range(shares.shape[0]):
            memset(found, 0, size * sizeof(uint16_t))
            left = shares[row]
            while left >= 4:
                word = generator.next_raw(generator.state)
                found[(word & 0xFFFF) >> shift] += 1
                found[((word >> 16) & 0xFFFF) >> shift] += 1
                found[((word >> 32) & 0xFFFF) >> shift] += 1
                found[word >> 48 >> shift] += 1
                left -= 4
            if left > 0:
                word = generator.next_raw(generator.state)
                for part in range(left):
                    found[((word >> 16 * part) & 0xFFFF) >> shift] += 1
            for place in range(size):
                counts[row, place] = found[place]
