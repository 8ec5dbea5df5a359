# C types for walk.py, which stays plain Python.
cimport cython

cdef int _NEVER, _NOTHING, _CORRECT, _WRONG, _MISSED, _OVER
cdef int _CUMULATIVE, _UPDATE, _UPDATE_PRED, _PENALISE, _IGNORE_SLOTS, _IGNORE_DOMAINS


cdef class Walk:
    cdef object _pairs, _text, _known_slots, _place
    cdef bint _keep_none, _hyphen_cut, _skips_missing, _without
    cdef int _state, _extra, _slot_count, _stamp, _met_count, _group
    cdef list _groups
    cdef int[::1] _stamps, _firsts, _met, _kinds, _began
    cdef int[::1] _gold, _pred, _old_gold, _old_pred
    cdef int[::1] _text_stamps, _forms
    cdef bytearray _seen
    cdef long long[::1] _right
    cdef public str id
    cdef public list numbers, gold, pred, gold_none, pred_none
    cdef public list missing, surplus, hedged
    cdef public int has_gold, gold_changes, gold_losses
    cdef public bytes gold_form
    cdef public bint counts_losses
    cdef public dict runs, fresh

    @cython.locals(
        place=Py_ssize_t, number=object, stale=bint, pair=int,
        all_numbers=list, all_gold=list, all_pred=list, hedges=list,
        changes=list, changed_at=list, with_gold=list, text_slots=list, gold_table=list, pred_table=list,
        gold=list, pred=list, gold_none=list, pred_none=list, narrow=list, before=list, change=bytes,
        gold_state=tuple, pred_state=tuple, old_gold=tuple, old_pred=tuple, whole_gold=tuple, whole_pred=tuple,
    )
    cpdef int take(self, dialogue) except -1

    cdef int _grow(self) except -1

    @cython.locals(cell=int, slot=int, cell_slots=list)
    cdef int _see(self, list cells) except -1

    @cython.locals(cells=list, slots=list, stamps=cython.int[::1], firsts=cython.int[::1], stamp=int, pair=int, slot=int, cell=object)
    cdef list _cells(self, tuple state, list table)

    cdef int _refuse_two_values(self, int slot, int first, int second) except -1

    cdef tuple _accumulated(self, tuple state, tuple update)

    @cython.locals(cell_slots=list, cell=int, slot=int)
    cdef bint _lost(self, list before, list now) except -1

    cdef list _narrowed(self, list pred, list gold)

    @cython.locals(
        changed=list, slots=list, stamp=int, pair=int, slot=int, form=int, told=list,
        pair_slots=list, pair_forms=list, texts=list, gone=list,
    )
    cdef bytes _changed_text(self, tuple state, list text_slots)

    @cython.locals(ranks=list, place=Py_ssize_t, at=Py_ssize_t, slot=int, other=int, rank=int, other_rank=int)
    cdef int _sort(self, list slots) except -1

    @cython.locals(
        cell_slots=list, several=list, fuzzy=bint, gold_now=cython.int[::1], pred_now=cython.int[::1],
        old_gold=cython.int[::1], old_pred=cython.int[::1], kinds=cython.int[::1], met=cython.int[::1], began=cython.int[::1],
        by_code=bint, by_vector=bint, count_left=bint, as_published=bint, last_gold=list, last_pred=list, rows=list,
        golds=int, preds=int, match=int, both=int, exact=bint, was_exact=bint, last_error=int, cut=tuple, place=int,
        number=int, gold_cells=list, pred_cells=list, missed=int, wrong=int, over=int, correct=int, since=int,
        turn=list, each=int, slot=int, cell=int, own_error=bint, moved=bint, gold=int, pred=int, kind=int, before=int,
        before_gold=int, before_pred=int, touched=bint, carried=bint, row=tuple,
    )
    cpdef list rows(self, local, deletions, group=*, list details=*, bint counts=*)

    @cython.locals(each=int, slot=int)
    cdef int _forget(self, bint counts) except -1

    @cython.locals(
        none_cells=list, gold_now=cython.int[::1], pred_now=cython.int[::1], old_gold=cython.int[::1], old_pred=cython.int[::1],
        met=cython.int[::1], last_gold=list, last_pred=list, result=list, place=Py_ssize_t, row=tuple, missed=int, wrong=int,
        over=int, correct=int, each=int, slot=int, gold=int, pred=int, none=int, right=bint, mistaken=bint,
    )
    cdef list _with_published_deletions(self, list rows)

    cdef int _choose(self, group) except -1

    @cython.locals(cell_slots=list, cell=int, slot=int, groups=list)
    cdef int _put(self, list cells, int[::1] now) except -1

    cdef int _meet(self, int slot) except -1

    cdef int _end_run(self, int gold, int pred, int turns) except -1

    cdef int _add_fresh(self, int gold, int pred, int count) except -1

    cdef tuple _cut_counts(self, list gold, list pred)


@cython.locals(counted=bint, place=Py_ssize_t, turns=bytes)
cdef bytes _form(list numbers, list changed_at, list changes)

cdef list _DIGITS

cdef bytes _digits(int number)
