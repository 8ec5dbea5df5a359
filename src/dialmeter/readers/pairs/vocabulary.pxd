# C types for vocabulary.py, which stays plain Python.
cimport cython
from dialmeter.readers.pairs.layers cimport Layer, Slot, StateSplitter

cdef int _FLAT, _NESTED, _GLUED, _ANY


cdef class PairDialogue:
    cdef public str id
    cdef public tuple place, gold_place
    cdef public list numbers, gold, pred
    cdef public object turns
    cdef public Py_ssize_t strings


cdef class Vocabulary:
    cdef public list slots, sections, values, kept
    cdef public bint names_empty
    cdef dict _numbers, _layers, _sections_of
    cdef StateSplitter _splitter
    cdef tuple _last, _before
    cdef object _last_bytes, _before_bytes
    cdef Py_ssize_t _last_strings, _before_strings, _strings

    @cython.locals(found=PairDialogue, layer=Layer, numbers=list, gold=list, pred=list)
    cpdef PairDialogue number_dialogue(self, dialogue, layout, file=*, line=*)

    cdef Layer _layer(self, layout)

    @cython.locals(found=list, shape=int)
    cdef tuple _numbered(self, state, Layer layer)

    @cython.locals(last=tuple, before=tuple, size=Py_ssize_t, place=Py_ssize_t, numbers=tuple)
    cdef tuple _settled(self, list found)

    @cython.locals(splitter=StateSplitter, strings=Py_ssize_t, count=Py_ssize_t)
    cdef tuple _numbered_bytes(self, written, Layer layer)

    @cython.locals(below=Layer, slots=dict)
    cdef int _add_domains(self, state, Layer layer, list found) except -1

    @cython.locals(below=Layer)
    cdef int _add_section(self, section, pairs, Layer layer, list found) except -1

    cdef int _add_glued(self, state, list found) except -1

    @cython.locals(known=dict, one=Slot, of_booking=bint, text=str)
    cdef int _add_pairs(self, dict pairs, Layer layer, list found) except -1

    cdef object _number_other(self, slot, value, Slot one, Layer layer)

    cdef object _learn(self, slot, written, Layer layer)
