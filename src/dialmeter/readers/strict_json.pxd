# C types for strict_json.py, which stays plain Python.
cimport cython


# A short type is counted faster; a wrong count leads to a closer look.
@cython.locals(count=cython.uint, byte=cython.uchar, escaped=cython.uint)
cpdef Py_ssize_t count_written_strings(bytes data) except -1

@cython.locals(count=Py_ssize_t)
cpdef Py_ssize_t count_strings(value) except -1
