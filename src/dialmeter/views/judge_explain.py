"""Explanations of judges as tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..judges.cases import Case, case_id
from ..judges.explain import CaseExplained, Explained, Importance
from .chart_files import Chart, slug
from .charts import bars, token_bars
from .charts.data import Estimate
from .tables import Table, decimals

_TITLES = {
    ("changed", "sum"): "sum over changed words",
    ("changed", "mean"): "mean per changed word",
    ("all", "sum"): "sum over all words",
    ("all", "mean"): "mean per word",
}


def importance_table(judge: str, found: Sequence[Importance]) -> Table:
    """Per attack, how much weight adversarial words get relative to human ones: above 1 is more."""
    cells = {(each.attack, each.words, each.how): each for each in found}
    attacks = list(dict.fromkeys(each.attack for each in found))
    rows = tuple(
        (attack, str(cells[attack, "all", "sum"].cases), *(decimals(cells[attack, *key].ratio) for key in _TITLES))
        for attack in attacks
    )
    title = f"weight that {judge} puts on adversarial words, as a ratio to human ones"
    return Table(title, ("attack", "cases", *_TITLES.values()), rows, frozenset(range(1, 6)))


def words_table(case: Case, found: CaseExplained) -> Table:
    """The words of both replies of a case, those that differ marked with a star."""
    rows: list[tuple[str, ...]] = []
    marks = {}
    for reply, side in (("human", found.human), ("adversarial", found.adversarial)):
        for word, value, changed in zip(side.words, side.values, side.changed, strict=True):
            if changed:
                marks[len(rows), 1] = "*"
            rows.append((reply, word, f"{value:+.4g}"))
        rows.append((reply, "(base)", f"{side.base:+.4g}"))
        rows.append((reply, "(score)", f"{side.score:+.4g}"))
    return Table(case_id(case), ("reply", "word", "value"), tuple(rows), frozenset({2}), marks)


def explain_charts(
    judge: str, cases: Sequence[Case], found: Sequence[CaseExplained], ratios: Sequence[Importance], most: int
) -> Iterator[Chart]:
    """The ratio per attack, and the words of the first cases of each attack."""
    scores: dict[str, dict[str, Estimate]] = {
        title: {
            each.attack: Estimate(each.ratio)
            for each in ratios
            if (each.words, each.how) == key and each.ratio is not None
        }
        for key, title in _TITLES.items()
    }
    title = f"Weight that {judge} puts on adversarial words"
    picture = bars.draw(scores, title=title, y_label="adversarial ÷ human, 1 is the same", as_percent=False)
    yield Chart("importance", picture, bars.table(scores))
    for attack in dict.fromkeys(each.attack for each in found):
        for each in [each for each in found if each.attack == attack][:most]:
            name = case_id(cases[each.case])
            sides = _words(each.human), _words(each.adversarial)
            yield Chart(
                f"words-{slug(name)}", token_bars.draw(*sides, title=f"{judge}, {name}"), token_bars.table(*sides)
            )


def _words(side: Explained) -> token_bars.Words:
    return token_bars.Words(side.words, side.values, side.changed)
