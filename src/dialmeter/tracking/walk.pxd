# C types for walk.py, which stays plain Python.
cimport cython
from dialmeter.tracking.cells cimport DialogueCells

cdef int _NEVER, _NOTHING, _CORRECT, _WRONG, _MISSED, _OVER
cdef long long _SHIFT


cdef class Walk(DialogueCells):
    cdef bint _hyphen_cut, _loose, _without
    cdef int _room, _met_count, _group
    cdef list _groups, _hyphened
    cdef int[::1] _met, _kinds, _began, _runs
    cdef int[::1] _gold, _pred, _old_gold, _old_pred
    cdef long long[::1] _right
    cdef dict _run_of
    cdef list _run_turns, _run_new

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
