"""Merged tally tables equal one table of all dialogues, and vectors are gathered correctly."""

from __future__ import annotations

import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.tracking import tally as gathering
from dialmeter.tracking.tally import TallyTable, gathered

rows = st.tuples(*[st.integers(0, 2)] * 9)
turns = st.lists(st.tuples(st.integers(0, 40), rows), max_size=6)
shards = st.lists(st.lists(turns, max_size=4), min_size=1, max_size=4)


def filled(dialogues: list[list[tuple[int, tuple[int, ...]]]], start: int = 0) -> TallyTable:
    table = TallyTable()
    for number, dialogue in enumerate(dialogues, start):
        table.add(f"d{number}", [turn for turn, _ in dialogue], [row for _, row in dialogue])
    return table


def content(table: TallyTable) -> list[object]:
    return [
        (name, list(table.turns_of(index)), [table.table[row] for row in table.rows_of(index)])
        for index, name in enumerate(table.dialogues)
    ]


@given(shards)
def test_merged_tables_equal_one_table(parts):
    merged, start = TallyTable(), 0
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
def test_vectors_like_loop(piece, dialogues):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathering, "_PIECE", piece)
        table = filled(dialogues)
        of_row = np.array([(row.gold / 2, row.pred) for row in table.table], float).reshape(-1, 2)
        by_loop = [[of_row[row] for row in table.rows_of(index)] for index in range(len(table.dialogues))]
        for gather, combine in {"sum": lambda x: list(map(math.fsum, x)), "every": lambda x: list(map(min, x))}.items():
            expected = [combine(zip(*vectors, strict=True)) if vectors else [0, 0] for vectors in by_loop]
            assert gathered(table, of_row.T, gather).T.tolist() == expected
        assert gathered(table, of_row.T, "last").T.tolist() == [list(each[-1]) if each else [0, 0] for each in by_loop]
