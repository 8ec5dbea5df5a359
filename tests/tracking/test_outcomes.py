"""Wins, ties and losses: the table, the viewer and a count with exact fractions agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dialmeter.core.comparison import Resampling, count_outcomes
from dialmeter.model import State, dialogue_key
from dialmeter.readers.pairs.vocabulary import PairDialogue
from dialmeter.tracking.compare import differences, values_by_dialogue
from dialmeter.tracking.compared import ComparedDialogue
from dialmeter.tracking.result import TrackerResult
from dialmeter.tracking.rule_sets.rules import change, named
from dialmeter.tracking.scoring import score_file
from dialmeter.views.pages.scores import change_masks

from ..shared_data import shared

Turns = list[tuple[State, State]]
SYSTEMS = ("labes", "uniconv", "damd")
MEASURES = ("JGA", "SA", "AGA", "FGA(lam=0.5)")
SLOTS = 30


def right_pairs(gold: State, pred: State) -> int:
    return sum(gold.get(slot) == value for slot, value in pred.items())


def jga(turns: Turns) -> Fraction:
    return Fraction(sum(gold == pred for gold, pred in turns), len(turns))


def sa(turns: Turns) -> Fraction:
    wrong = sum(len({*gold, *pred}) - right_pairs(gold, pred) for gold, pred in turns)
    return Fraction(len(turns) * SLOTS - wrong, len(turns) * SLOTS)


def aga(turns: Turns) -> Fraction:
    shares = [Fraction(right_pairs(gold, pred), len(gold)) for gold, pred in turns if gold]
    return sum(shares, Fraction()) / (len(shares) or 1)


EXACT: dict[str, Callable[[Turns], Fraction]] = {"JGA": jga, "SA": sa, "AGA": aga}


class Scored:
    """A system with its states under the rules, by dialogue."""

    def __init__(self, name: str) -> None:
        self.turns: dict[str, Turns] = {}
        self.result = score_file(
            str(shared("data", "compat", "mwzeval", f"{name}.pred.json.gz")),
            str(shared("data", "compat", "mwzeval", "mw21.gold.json.gz")),
            measures=[*MEASURES, "GCA"],
            rules=change(named("dialmeter"), missing="empty"),
            on_row=self._take,
        )

    def _take(self, read: PairDialogue, compared: ComparedDialogue) -> None:
        self.turns[dialogue_key(read.id)] = list(compared.states())


@pytest.fixture(scope="module")
def published() -> dict[str, Scored]:
    return {name: Scored(name) for name in SYSTEMS}


def counted(before: Sequence[Any], after: Sequence[Any]) -> tuple[int, int, int]:
    return (
        sum(new > old for old, new in zip(before, after, strict=True)),
        sum(new == old for old, new in zip(before, after, strict=True)),
        sum(new < old for old, new in zip(before, after, strict=True)),
    )


def in_the_viewer(before: Sequence[float | None], after: Sequence[float | None]) -> tuple[int, ...]:
    masks = change_masks(np.array(before, float), np.array(after, float))
    return tuple(int(masks[way].sum()) for way in ("better", "same", "worse"))


@pytest.mark.parametrize("pair", list(combinations(SYSTEMS, 2)))
def test_exact_recount(published: dict[str, Scored], pair: tuple[str, str]) -> None:
    first, second = (published[name] for name in pair)
    results = dict(zip(pair, (first.result, second.result), strict=True))
    table = {each.measure: each for each in differences(results, Resampling(resamples=100), "randomisation", False)[0]}
    names = sorted(first.turns)
    assert all([gold for gold, _ in first.turns[name]] == [gold for gold, _ in second.turns[name]] for name in names)
    for measure, value in EXACT.items():
        exact = counted(*([value(system.turns[name]) for name in names] for system in (first, second)))
        assert (table[measure].better, table[measure].same, table[measure].worse) == exact, measure
    for measure in first.result.measures:
        values = [values_by_dialogue(result, measure) for result in results.values()]
        each = table[measure.text]
        assert in_the_viewer(*values) == (each.better, each.same, each.worse), measure.text


def ages(result: TrackerResult) -> list[Counter[int]]:
    """Count for each dialogue how old the mistakes of its turns are: FGA ties if and only if these counts are equal."""
    table = result.measure_columns.tally_table_for(result.measures[MEASURES.index("FGA(lam=0.5)")].used)
    names = sorted(range(len(table.dialogues)), key=lambda at: dialogue_key(table.dialogues[at]))
    return [Counter(table.table[row].since for row in table.rows_of(at)) for at in names]


def test_ties_of_fga(published: dict[str, Scored]) -> None:
    for pair in combinations(SYSTEMS, 2):
        results = {name: published[name].result for name in pair}
        [each] = [
            one
            for one in differences(results, Resampling(resamples=100), "randomisation", False)[0]
            if one.measure == "FGA(lam=0.5)"
        ]
        first, second = (ages(result) for result in results.values())
        assert each.same == sum(one == other for one, other in zip(first, second, strict=True))


def test_float_noise_is_tie() -> None:
    """The same thirds in another order have another sum."""
    before, after = sum([0.1, 0.2, 0.3]) / 3, sum([0.3, 0.2, 0.1]) / 3
    assert before != after
    assert count_outcomes([before, None, 1.0], [after, 1.0, 1.0]) == (0, 3, 0)
    # The closest two different values of AGA: shares of up to 22 slots in forty turns.
    assert count_outcomes([0.5], [0.5 + 1 / (232_792_560 * 40)]) == (1, 0, 0)
