# C types for raw_turns.py, which stays plain Python.
cimport cython


@cython.locals(around=Py_ssize_t)
cpdef object number_raw(bytes data, found, Py_ssize_t strings, tuple numbering)

@cython.locals(count=Py_ssize_t, last=long, number=long)
cdef Py_ssize_t _count_around_states(turns) except -2
