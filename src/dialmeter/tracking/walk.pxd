# C types for walk.py, which stays plain Python.
cimport cython

cdef int _NEVER, _NOTHING, _CORRECT, _WRONG, _MISSED, _OVER
cdef int _CUMULATIVE, _UPDATE, _UPDATE_PRED, _PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS, _UNLISTED
cdef unsigned long long _MASK, _FACTOR
cdef long long _SHIFT


cdef class Walk:
    cdef object _pairs, _text, _known_slots, _place
    cdef bint _keep_none, _skips_missing, _last_holds
    cdef int _state, _extra, _slot_count, _stamp, _number
    cdef int[::1] _stamps, _firsts
    cdef list _pair_slots, _cell_slots, _text_slots, _text_forms
    cdef int[::1] _old_forms, _forms, _form_stamps
    cdef list _held
    cdef bytearray _seen
    cdef public str id
    cdef public list numbers, gold, pred, gold_none, pred_none, gold_listed
    cdef public list missing, surplus, hedged, clashes
    cdef public int has_gold, gold_changes, gold_losses
    cdef public bytes gold_form
    cdef public bint counts_losses, holds_gold, names_empty
    cdef bint _hyphen_cut, _loose, _without
    cdef int _room, _met_count, _group
    cdef list _groups, _hyphened
    cdef int[::1] _met, _kinds, _began, _runs
    cdef int[::1] _gold, _pred, _old_gold, _old_pred
    cdef long long[::1] _right
    cdef dict _run_of
    cdef list _run_turns, _run_new

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

    @cython.locals(
        pair_slots=list, pair_forms=list, before=cython.int[::1], now=cython.int[::1], stamps=cython.int[::1], stamp=int,
        held=list, is_double=bint, pair=int, form=int, slot=int, changed=list, told=list,
        texts=list, gone=list,
    )
    cdef bytes _changed_text(self, tuple state)

    @cython.locals(cell_slots=list, stamps=cython.int[::1], stamp=int, cell=int, slot=int)
    cdef bint _loses(self, list before, list now) except -1

    @cython.locals(
        changes=int, losses=int, held=int, repeated=int, before=list, state=list, seen=set, place=Py_ssize_t
    )
    cpdef tuple count_predicted_changes(self)

    @cython.locals(
        last=list, cells=list, place=Py_ssize_t, cell=int, number=int, one=cython.ulonglong, total=cython.ulonglong,
        mixed=cython.ulonglong,
    )
    cpdef unsigned long long hash_states(self, list states, list hashes) except? 0

    @cython.locals(
        cell_slots=list, several=list, loose=bint, gold_now=cython.int[::1], pred_now=cython.int[::1],
        old_gold=cython.int[::1], old_pred=cython.int[::1], kinds=cython.int[::1], met=cython.int[::1],
        by_code=bint, by_vector=bint, count_left=bint, as_published=bint, strict=bint, last_gold=list, last_pred=list,
        rows=list, golds=int, preds=int, match=int, both=int, exact=bint, was_exact=bint, last_error=int, place=int,
        published=list, number=int, gold_cells=list, pred_cells=list, missed=int, wrong=int, over=int, correct=int,
        since=int, turn=list, each=int, slot=int, cell=int, own_error=bint, moved=bint, gold=int, pred=int, kind=int,
        before=int, before_gold=int, before_pred=int, touched=bint, carried=bint, odd_gold=int, odd_pred=int,
        cut_errors=int, cut_slots=int, cut_rsa_errors=int,
    )
    cpdef list rows(self, local, deletions, alternatives=*, group=*, list details=*, bint counts=*)

    @cython.locals(each=int, slot=int)
    cdef int _forget(self) except -1

    @cython.locals(
        none_cells=list, gold_now=cython.int[::1], pred_now=cython.int[::1], old_gold=cython.int[::1],
        old_pred=cython.int[::1], met=cython.int[::1], last_gold=list, last_pred=list, result=list, place=Py_ssize_t,
        missed=int, wrong=int, over=int, correct=int, each=int, slot=int, gold=int, pred=int, none=int, right=bint,
        mistaken=bint,
    )
    cdef list _published_changes(self)

    @cython.locals(
        cell_slots=list, groups=list, hyphened=list, stamps=cython.int[::1], cell=int, slot=int, count=int
    )
    cdef int _put(self, list before, list cells, int[::1] now) except -1

    @cython.locals(gold=int)
    cdef int _end_run(self, int slot, int place) except -1

    @cython.locals(gold=int, pred=int, key=cython.longlong, run=object)
    cdef int _begin_run(self, int slot, int place, bint mistaken, bint new) except -1


cdef bytes _form(list numbers, list changed_at, list changes)
