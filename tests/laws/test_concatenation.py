"""Two parts of a corpus that are counted separately give exactly the same result as the whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialmeter.model import Dialogue
from dialmeter.tracking.digest import GoldDigest
from dialmeter.tracking.scorer import TrackerScorer
from dialmeter.tracking.tally import TallyTable
from dialmeter.tracking.vectors.measure_columns import MeasureColumns

from .corpora import OF_FRAMES, OF_TURNS, SCHEMA, anything, law, law_of_all_measures, scored

# A measure that needs the number of slots has it as a parameter here: it would be known only after all parts are merged.
MEASURES = [each for each in (*OF_TURNS, *OF_FRAMES) if getattr(each, "slots", 1)]
RULES = ("dialmeter", "gca-repo")


def accounted(corpus: list[Dialogue], rules: str) -> tuple[MeasureColumns, GoldDigest]:
    scorer = TrackerScorer(MEASURES, rules, SCHEMA)
    for each in corpus:
        scorer.add_dialogue(each)
    part = scorer.part
    return part.measure_columns, part.findings.digest


@pytest.mark.parametrize("rules", RULES)
@given(corpus=anything, cut=st.integers(0, 4))
@law_of_all_measures
def test_merged_parts_equal_whole(rules: str, corpus: list[Dialogue], cut: int) -> None:
    whole, of_whole = accounted(corpus, rules)
    merged, of_first = accounted(corpus[:cut], rules)
    second, of_second = accounted(corpus[cut:], rules)
    merged.merge(second)
    of_first.merge(of_second)
    assert of_first.hexes() == of_whole.hexes()
    for measure in whole.measures:
        assert merged.value(measure) == whole.value(measure)
        assert merged.per_dialogue(measure) == whole.per_dialogue(measure)
        if measure.reads() == "frames":
            assert merged.by_service(measure) == whole.by_service(measure)
        elif measure.reads() == "tally" and measure.gather == "sum":
            assert merged.by_turn(measure) == whole.by_turn(measure)


@given(corpus=anything, cut=st.integers(0, 4))
@law
def test_merged_books_equal_whole(corpus: list[Dialogue], cut: int) -> None:
    whole, _ = accounted(corpus, "dialmeter")
    first, _ = accounted(corpus[:cut], "dialmeter")
    second, _ = accounted(corpus[cut:], "dialmeter")
    for variant, tally_table in whole.tally_tables.items():
        merged = TallyTable()
        merged.merge(first.tally_tables[variant])
        merged.merge(second.tally_tables[variant])
        assert rows_by_dialogue(merged) == rows_by_dialogue(tally_table)
        assert (merged.turns, merged.ends) == (tally_table.turns, tally_table.ends)


def rows_by_dialogue(tally_table: TallyTable) -> list[tuple[str, list[tuple[int, ...]]]]:
    table = tally_table.table
    return [
        (name, [table[row] for row in tally_table.rows_of(position)])
        for position, name in enumerate(tally_table.dialogues)
    ]


@given(corpus=anything, cut=st.integers(1, 4))
@law
def test_counts_add(corpus: list[Dialogue], cut: int) -> None:
    parts = [scored(part).counts for part in (corpus[:cut], corpus[cut:]) if part]
    assert scored(corpus).counts == {name: sum(part[name] for part in parts) for name in parts[0]}


@given(corpus=anything)
@law_of_all_measures
def test_average_over_dialogues(corpus: list[Dialogue]) -> None:
    names = ("JGA", "SA(slots=30)", "AGA", "RSA", "FGA(lam=0.5)", "GCA", "SlotF1")
    for name in names:
        form = f"{name[:-1]}, average=dialogue)" if name.endswith(")") else f"{name}(average=dialogue)"
        alone = [value for each in corpus if (value := scored([each], [name]).value) is not None]
        found = scored(corpus, [form]).scores[0]
        assert found.n == len(alone)
        assert found.unscored == len(corpus) - len(alone)
        assert found.value == (pytest.approx(sum(alone) / len(alone)) if alone else None)
