# C types for cells.py, which stays plain Python.
cimport cython

cdef int _CUMULATIVE, _UPDATE, _UPDATE_PRED, _PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS, _UNLISTED
cdef unsigned long long _MASK, _FACTOR


cdef class DialogueCells:
    cdef object _pairs, _text, _known_slots, _place
    cdef bint _keep_none, _skips_missing, _last_holds
    cdef int _state, _extra, _slot_count, _stamp, _text_count, _number
    cdef int[::1] _stamps, _firsts, _text_stamps, _forms
    cdef list _text_met, _pair_slots, _cell_slots, _text_slots, _text_forms, _ranks
    cdef bytearray _seen
    cdef public str id
    cdef public list numbers, gold, pred, gold_none, pred_none, gold_listed
    cdef public list missing, surplus, hedged, clashes
    cdef public int has_gold, gold_changes, gold_losses
    cdef public bytes gold_form
    cdef public bint counts_losses, holds_gold, names_empty

    @cython.locals(
        place=Py_ssize_t, number=int, stale=bint, counted=bint, pair=int, slot=int, all_numbers=list, all_gold=list, all_pred=list, hedges=list,
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

    @cython.locals(
        changed=list, before=list, place=Py_ssize_t, stamp=int, pair=int, slot=int, form=int, left=int, count=int, told=list, pair_slots=list,
        pair_forms=list, texts=list, gone=list, forms=cython.int[::1], stamps=cython.int[::1],
    )
    cdef bytes _changed_text(self, tuple state)

    @cython.locals(
        last=list, cells=list, place=Py_ssize_t, cell=int, number=int, one=cython.ulonglong, total=cython.ulonglong,
        mixed=cython.ulonglong,
    )
    cpdef unsigned long long hash_states(self, list states, list hashes) except? 0

    @cython.locals(ranks=list, place=Py_ssize_t, at=Py_ssize_t, slot=int, other=int, rank=int, other_rank=int)
    cdef int _sort(self, list slots) except -1


cdef list _DIGITS

cdef bytes _form(list numbers, bint counted, list changed_at, list changes)
