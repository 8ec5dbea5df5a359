# C types for layers.py, which stays plain Python.
cimport cython

cdef int _SECTIONS, _GLUED, _ANY, _QUOTE, _COMMA, _COLON, _BLANK, _LINE_BREAK, _OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST


cdef class Layer:
    cdef public object layout
    cdef public int shape, levels, opening, closing
    cdef public bint lists
    cdef public str domain, section
    cdef public dict below, slots, members
    cdef public Member start
    cdef public Py_ssize_t stamp

    cpdef Layer inside(self, str key)


cdef class Slot:
    cdef public dict values
    cdef public str last
    cdef public object number
    cdef public Py_ssize_t stamp


cdef class Member:
    cdef bytes text
    cdef Slot slot
    cdef Py_ssize_t strings
    cdef object number
    cdef Layer layer
    cdef Member next, other


cdef class StateSplitter:
    cdef object _words
    cdef public list found
    cdef public Py_ssize_t strings

    @cython.locals(size=Py_ssize_t)
    cpdef bint split(self, bytes data, Layer layer) except -1

    @cython.locals(before=Member, member=Member)
    cdef Py_ssize_t _split(self, bytes data, Py_ssize_t at, Layer layer) except -2

    @cython.locals(end=Py_ssize_t, view=cython.p_char, text=bytes, member=Member)
    cdef Member _find(self, bytes data, Py_ssize_t at, Layer layer)

    @cython.locals(slot=Slot, below=Layer)
    cdef Member _parse(self, bytes text, Layer layer)


cdef Py_ssize_t _skip_blanks(bytes data, Py_ssize_t at) except -1

@cython.locals(place=Py_ssize_t)
cdef Py_ssize_t _end_of_text(bytes data, Py_ssize_t at) except -1

cdef Py_ssize_t _end_of_value(bytes data, Py_ssize_t at, bint is_object) except -1
