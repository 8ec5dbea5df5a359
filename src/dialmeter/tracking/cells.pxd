# C types for cells.py, which stays plain Python.
cimport cython

cdef int _CUMULATIVE, _UPDATE, _UPDATE_PRED, _PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS, _UNLISTED
cdef unsigned long long _MASK, _FACTOR


cdef class DialogueCells:
    cdef object _pairs, _text, _known_slots, _place
    cdef bint _keep_none, _skips_missing, _last_holds
    cdef int _state, _extra, _slot_count, _stamp, _number
    cdef int[::1] _stamps, _firsts
    cdef list _pair_slots, _cell_slots, _text_slots, _text_forms
    cdef dict _forms
    cdef bytearray _seen
    cdef public str id
    cdef public list numbers, gold, pred, gold_none, pred_none, gold_listed
    cdef public list missing, surplus, hedged, clashes
    cdef public int has_gold, gold_changes, gold_losses
    cdef public bytes gold_form
    cdef public bint counts_losses, holds_gold, names_empty

    @cython.locals(
        place=Py_ssize_t, number=int, stale=bint, pair=int, slot=int, all_numbers=list, all_gold=list, all_pred=list, hedges=list,
        changes=list, changed_at=list, gold_table=list, pred_table=list,
        gold=list, pred=list, gold_none=list, pred_none=list, narrow=list, before=list, change=bytes,
        gold_state=tuple, pred_state=tuple, old_gold=tuple, old_pred=tuple, whole_gold=tuple, whole_pred=tuple, listed=tuple,
    )
    cpdef int take(self, dialogue) except -1

    @cython.locals(cell=int, slot=int, cell_slots=list, seen=bytearray)
    cdef int _see(self, list cells) except -1

    @cython.locals(
        cells=list, slots=list, stamps=cython.int[::1], firsts=cython.int[::1], stamp=int, pair=int, slot=int,
        cell=int,
    )
    cdef list _cells(self, tuple state, list table)

    @cython.locals(forms=dict, before=dict, changed=list, told=list, pair_slots=list, pair_forms=list, pair=int, count=int)
    cdef bytes _changed_text(self, tuple state)

    @cython.locals(
        last=list, cells=list, place=Py_ssize_t, cell=int, number=int, one=cython.ulonglong, total=cython.ulonglong,
        mixed=cython.ulonglong,
    )
    cpdef unsigned long long hash_states(self, list states, list hashes) except? 0


cdef bytes _form(list numbers, list changed_at, list changes)
