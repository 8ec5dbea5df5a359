# C types for layers.py, which stays plain Python.
cimport cython

cdef int _FLAT, _NESTED, _QUOTE, _COMMA, _COLON, _BLANK, _OPEN, _CLOSE


cdef class Layer:
    cdef public object layout
    cdef public int shape
    cdef public bint lists
    cdef public str domain, section
    cdef public dict below, slots, texts, members
    cdef public Member start
    cdef public Py_ssize_t stamp, count


cdef class Slot:
    cdef public dict values
    cdef public str last
    cdef public object number
    cdef public Py_ssize_t stamp


cdef class Member:
    cdef bytes text
    cdef Slot slot
    cdef object number
    cdef Layer layer
    cdef Member next, other


@cython.locals(size=Py_ssize_t, shape=int)
cpdef Py_ssize_t split_state(bytes data, Layer layer, list found, words) except -2

@cython.locals(before=Member, member=Member)
cdef Py_ssize_t _split(bytes data, Py_ssize_t at, Layer layer, bint of_pairs, list found, words) except -2

@cython.locals(end=Py_ssize_t, view=cython.p_char, text=bytes, member=Member)
cdef Member _find(bytes data, Py_ssize_t at, Layer layer, bint of_pairs, words)

@cython.locals(last=Py_ssize_t)
cdef Py_ssize_t _find_mark(bytes data, Py_ssize_t at) except -2
