# C types for native.py, which stays plain Python.
cimport cython


@cython.locals(strings=Py_ssize_t)
cdef object _numbered(bytes line, source, int number, words)

@cython.locals(count=Py_ssize_t, last=long, number=long)
cdef Py_ssize_t _count_around_states(found) except -2

@cython.locals(turn=dict)
cdef object _turn(int position, thing, str key)
