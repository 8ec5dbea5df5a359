"""Runs of judges compared with people: a row is a rated item, and a finding is the rank difference between a judge and people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from math import isnan
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from ...judges.adapters.prompts import ModelAnswer
from ...judges.people.labels import CELLS
from ...judges.people.record import FacetRatings, JudgeGap, RatedRow
from ...numeric import np
from ..chart_files import Chart, slug
from ..charts.bars import BARS
from ..charts.data import grouped
from ..charts.lines import SQUARE
from ..tables import Table, coefficient, limits, percent
from .charts import add_score
from .findings import Finding
from .judge import RECENT, number
from .kinds import Cell, Headline, RowsLink, RunKind, fields, linked_table, no_link, pivot

if TYPE_CHECKING:
    from .kinds import Column
    from .opened_run import OpenedRun

LARGEST = "largest difference"
_FAR = 0.5
"""A rank difference above this share of all ranks is "much higher" or "much lower"."""
VERDICTS = ("much higher than people", "much lower than people", "near people", "not scored", "not rated by people")


def verdict(entry: JudgeGap) -> str:
    """Return the rank of an item by a judge, compared with people, in words.

    Example:
        >>> [verdict(JudgeGap(3, gap)) for gap in (0.7, -0.7, 0.1, None)]
        ['much higher than people', 'much lower than people', 'near people', 'not rated by people']
    """
    gap = entry.gap
    if gap is None:
        return VERDICTS[3 if entry.score is None else 4]
    return VERDICTS[0] if gap > _FAR else VERDICTS[1] if gap < -_FAR else VERDICTS[2]


class PeopleKind(RunKind):
    """Runs of ``score RATINGS``."""

    NAME = "people"
    UNIT = ("item", "items")
    HIGHER_IS_BETTER = False
    ROW = RatedRow
    FIRST_COLUMN = LARGEST
    VALUES = "Correlations with the mean rating of people"
    RESAMPLED = "contexts or items, as the signature says"
    FIELDS = fields("judge verdict system labels", verdict="judge compared with people", labels="people and judge")

    def scan(self, row: RatedRow, sums: Counter[Finding]) -> dict[Finding, int]:
        """Return one finding per judge.

        Example:
            >>> scores = {"length": JudgeGap(3, 0.6)}
            >>> item = RatedRow(id="1", level="reply", system="bot", moves=(), reply="", facet="overall", ratings={}, scores=scores)
            >>> KIND.scan(item, Counter())
            {('length', 'much higher than people', 'bot', ''): 1}
        """
        return {(name, verdict(entry), row.system, entry.cell or ""): 1 for name, entry in row.scores.items()}

    def summary(self, row: RatedRow) -> tuple[str, str]:
        """Return the system with the mean rating, and the reply or the first utterance."""
        rating = f"{row.facet} {number(row.rating)}"
        first = next((move.text for move in row.moves), "")
        return f"{row.system}, {rating}" if row.system else rating, row.reply or first

    def texts(self, row: RatedRow) -> Iterator[str]:
        """Yield the system, all moves and the reply."""
        yield from (row.system, *(move.text for move in row.moves), row.reply)

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """Return the largest difference of any judge."""
        if not columns:
            return {}
        stacked = np.stack(list(columns.values()))
        is_scored = np.isfinite(stacked)
        return {LARGEST: np.where(is_scored.any(axis=0), np.where(is_scored, stacked, -1.0).max(axis=0), np.nan)}

    def value(self, value: float | None) -> str:
        """Format a correlation with three decimals."""
        return coefficient(value)

    def limits(self, entry: Mapping[str, Any]) -> str:
        """Format the interval of a correlation."""
        return limits(entry.get("ci"))

    def cell(self, column: str, value: float) -> str:
        """Format a rank difference in percent of all items."""
        return "–" if isnan(value) else f"{100 * value:.0f} %"

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """Return the highest kappa or Spearman over items in the main facet among non-trivial judges."""
        trivial = manifest.get("trivial") or ()
        measure = "kappa" if manifest.get("label_tables") else "Spearman"
        correlations = [
            (float(each["value"]), str(each.get("judge")))
            for each in _over_items(manifest.get("scores") or (), measure)
            if each.get("facet") == manifest.get("main_facet")
            and each.get("value") is not None
            and each.get("judge") not in trivial
        ]
        best, judge = max(correlations, default=(None, ""))
        return Headline(f"{measure} {coefficient(best)} ({judge})" if judge else "no judge", best)

    def headlines(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield what people and judges pass, then Spearman over items by judge and facet, then the agreement of raters."""
        if run.manifest.get("label_tables"):
            yield _label_table(run, link)
        scores = _over_items(run.scores, "Spearman")
        judges, facets = (list(dict.fromkeys(str(each.get(key)) for each in scores)) for key in ("judge", "facet"))
        cells = {(str(each.get("judge")), str(each.get("facet"))): each for each in scores}
        rows: list[list[Cell]] = []
        for judge in judges:
            texts = [coefficient(cells.get((judge, each), {}).get("value")) for each in facets]
            # Rows have ranks of the main facet only. The items with the largest rank difference come first.
            filters = {"by": judge} if judge in run.columns else {"judge": judge}
            rows.append([judge, *((text, filters) for text in texts)])
        yield linked_table(run, link, "Spearman over items", ("judge", *facets), rows)
        raters = run.manifest.get("raters") or ()
        keys = ("alpha_interval", "alpha_ordinal", "icc1", "icc1k", "ceiling")
        agreement: list[list[Cell]] = [
            [str(each.get("facet")), (str(each.get("items")), {}), *(coefficient(each.get(key)) for key in keys)]
            for each in raters
        ]
        headings = ("facet", "items", "alpha interval", "alpha ordinal", "ICC(1,1)", "ICC(1,k)", "ceiling")
        yield linked_table(run, link, "Agreement of raters", headings, agreement)

    def page(self, row: RatedRow, filters: Mapping[str, str]) -> dict[str, Any]:
        """Return the texts, the ratings of every facet, and the scores of all judges."""
        earlier = 0 if row.level == "dialogue" else max(0, len(row.moves) - RECENT)
        return {
            **asdict(row),
            "earlier": row.moves[:earlier],
            "context": row.moves[earlier:],
            "ratings": [
                (name, number(ratings.mean), _single_ratings(ratings)) for name, ratings in row.ratings.items()
            ],
            "judges": [
                {
                    "name": name,
                    "score": number(entry.score),
                    "gap": "–" if entry.gap is None else f"{100 * entry.gap:+.0f} %".replace("-", "−"),
                    "verdict": entry.cell or verdict(entry),
                    "reason": " · ".join(filter(None, (each.reason for each in _answers(entry)))),
                    "marked": filters.get("judge") == name,
                }
                for name, entry in row.scores.items()
            ],
            "exchanges": [(name, {"": each.exchange}) for name, each in row.scores.items() if _answers(each)],
        }

    def charts(self, run: OpenedRun, link: RowsLink) -> Iterator[Chart]:
        """Yield ROC curve and reliability diagrams, then Spearman by judge and facet.

        A bar links to the items on which the judge and people differ most.
        """
        yield from (each for each in run.saved_charts if each.mark is SQUARE)
        title = "Agreement with people"
        chart = Chart(f"agreement-{slug(run.key)}", title, BARS, y_label="Spearman", as_percent=False)
        for each in grouped(_over_items(run.scores, "Spearman"), lambda each: each.get("judge")):
            if each.get("value") is not None:
                judge = str(each.get("judge"))
                address = link(run, {"by": judge}) if judge in run.columns else ""
                text = f"{judge}: items with the largest rank difference from people"
                add_score(chart, (judge, str(each.get("facet"))), each, address, text)
        yield chart

    def breakdowns(self, run: OpenedRun, link: RowsLink = no_link) -> Iterator[Table]:
        """Yield for each judge the number of items near people, much higher, or much lower."""
        title = "items by rank difference; much: more than 50 % of the ranks"
        yield pivot(run, link, title, run.findings.options("judge"), "judge", "verdict", columns=VERDICTS)


def _label_table(run: OpenedRun, link: RowsLink) -> Table:
    """Return the table of two times two of every judge. A count links to its items, the largest rank difference first.

    So the first items are those of which judge and people are surest.
    """
    facet = run.manifest.get("main_facet")
    shown = (
        ("kappa", coefficient),
        ("sensitivity", percent),
        ("specificity", percent),
        ("gain_over_constant", percent),
    )
    scores = {
        (str(each.get("judge")), measure): each.get("value")
        for measure, _ in shown
        for each in _over_items(run.scores, measure)
        if each.get("facet") == facet
    }
    rows: list[list[Cell]] = [
        [
            judge,
            *(
                (str(count), {"judge": judge, "labels": cell, "by": judge})
                for cell, count in zip(CELLS, table, strict=True)
            ),
            *(form(scores.get((judge, measure))) for measure, form in shown),
        ]
        for judge, table in run.manifest["label_tables"].items()
    ]
    headings = ("judge", *CELLS, "kappa", "sensitivity", "specificity", "gain")
    return linked_table(run, link, f"Pass and fail on {facet}", headings, rows)


def _over_items(scores: Iterable[Mapping[str, Any]], measure: str) -> list[Mapping[str, Any]]:
    """Return a measure over items for every judge and facet."""
    return [each for each in scores if each["measure"] == measure and each.get("level") in ("reply", "dialogue")]


def _single_ratings(ratings: FacetRatings) -> str:
    """Return the ratings of an item, with the names of raters.

    Example:
        >>> _single_ratings(FacetRatings(0.5, (1.0, 0.0), ("ann", "bob"))), _single_ratings(FacetRatings(4.5, (4.0, 5.0)))
        ('ann 1, bob 0', '4, 5')
    """
    names = ratings.raters or ("",) * len(ratings.given)
    return ", ".join(f"{name} {each:g}".lstrip() for name, each in zip(names, ratings.given, strict=True))


def _answers(entry: JudgeGap) -> list[ModelAnswer]:
    return entry.exchange.answers if entry.exchange else []


KIND = PeopleKind()
