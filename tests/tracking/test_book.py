"""Books that are merged hold what one book would hold, and vectors are gathered as by hand."""

from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.tracking.vectors import tally_table as gathering
from dialmeter.tracking.vectors.tally_table import Book, gathered

rows = st.tuples(*[st.integers(0, 2)] * 9)
turns = st.lists(st.tuples(st.integers(0, 40), rows), max_size=6)
shards = st.lists(st.lists(turns, max_size=4), min_size=1, max_size=4)


def filled(dialogues: list[list[tuple[int, tuple[int, ...]]]], start: int = 0) -> Book:
    book = Book()
    for number, dialogue in enumerate(dialogues, start):
        book.add(f"d{number}", [turn for turn, _ in dialogue], [row for _, row in dialogue])
    return book


def content(book: Book) -> list[object]:
    return [
        (name, list(book.turns_of(place)), [book.table[row] for row in book.rows_of(place)])
        for place, name in enumerate(book.dialogues)
    ]


@given(shards)
def test_merged_books_hold_what_one_book_holds(parts):
    merged, start = Book(), 0
    for part in parts:
        merged.merge(pickle.loads(pickle.dumps(filled(part, start))))
        start += len(part)
    whole = filled([dialogue for part in parts for dialogue in part])
    assert content(merged) == content(whole)
    assert Counter({merged.table[row]: count for row, count in merged.counts().items()}) == Counter(
        whole.table[row] for row in whole.rows
    )


@pytest.mark.parametrize("piece", [1, 3, 8192])
@given(dialogues=st.lists(turns, min_size=1, max_size=9))
def test_vectors_are_gathered_as_by_hand(piece, dialogues):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathering, "_PIECE", piece)
        book = filled(dialogues)
        of_row = np.array([(row.gold / 2, row.pred) for row in book.table], float).reshape(-1, 2)
        by_hand = [[of_row[row] for row in book.rows_of(place)] for place in range(len(book.dialogues))]
        for how, bring in {"sum": lambda x: list(map(math.fsum, x)), "every": lambda x: list(map(min, x))}.items():
            expected = [bring(zip(*vectors, strict=True)) if vectors else [0, 0] for vectors in by_hand]
            assert gathered(book, of_row.T, how).T.tolist() == expected
        assert gathered(book, of_row.T, "last").T.tolist() == [list(each[-1]) if each else [0, 0] for each in by_hand]
