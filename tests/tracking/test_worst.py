"""The array code finds the same worst dialogues as a simple loop over all dialogues."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dialmeter.tracking.result import TrackerResult, Worst
from dialmeter.tracking.scorer import TrackerScorer

states = st.dictionaries(st.sampled_from(["a-x", "a-y", "b-x"]), st.sampled_from(["1", "2"]), max_size=3)
corpora = st.dictionaries(
    st.text("abAB12", min_size=1, max_size=3).filter(str.islower),
    st.lists(st.tuples(states, states), min_size=1, max_size=9),
    min_size=1,
    max_size=30,
)


def plain_worst(result: TrackerResult, n: int, measure: str) -> list[Worst]:
    used = next(each.used for each in result.measures if each.text == measure)
    tally_table = result.measure_columns.tally_table_for(used)
    found = []
    for position, (name, value) in enumerate(
        zip(tally_table.dialogues, result.measure_columns.per_dialogue(used), strict=True)
    ):
        rows = [tally_table.table[row] for row in tally_table.rows_of(position)]
        wrong = sum(not row.exact for row in rows)
        if value is not None and wrong:
            kinds = (sum(row.missed for row in rows), sum(row.wrong for row in rows), sum(row.over for row in rows))
            found.append(Worst(name, value, len(rows), wrong, *kinds))
    # Equal values are sorted by the most wrong turns, then by the most mistakes.
    mistakes = {each.dialogue: each.missed + each.wrong + each.over for each in found}
    return sorted(found, key=lambda each: (each.value, -each.wrong_turns, -mistakes[each.dialogue], each.dialogue))[:n]


@given(corpora, st.integers(0, 31), st.sampled_from(["JGA", "FGA(lam=0.5)", "GCA", "RSA(empty=skip)"]))
def test_arrays_find_what_a_plain_look_finds(corpus, n, measure):
    scorer = TrackerScorer(["JGA", "FGA(lam=0.5)", "GCA", "RSA(empty=skip)"])
    for name, turns in corpus.items():
        scorer.add(name, [gold for gold, _ in turns], [pred for _, pred in turns])
    result = scorer.result()
    assert result.worst(n, measure) == plain_worst(result, n, measure)
    assert all(type(each.value) is float and type(each.turns) is int for each in result.worst(n, measure))
