"""Runs of judges compared with people: a row is a rated item, and a finding is how far one judge is from people about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ..chart_files import Chart, slug
from ..human import coefficient, limits
from ..tables import Table
from .charts import LinkedBars, estimate, of_run
from .findings import Finding
from .judge_case import RECENT, SpokenMove, number
from .kinds import Cell, Field, Headline, RowsLink, RunKind, Scanned, linked_table, no_link

if TYPE_CHECKING:
    from .kinds import Column
    from .opened import Opened

LARGEST = "largest difference"
_FAR = 0.5
"""A judge that is further from people than this share of the ranks is much higher or much lower."""
VERDICTS = ("much higher than people", "much lower than people", "near people", "not scored")


class _Judged(Struct, frozen=True):
    """What one judge gave an item."""

    score: float | None = None
    gap: float | None = None
    trivial: bool = False


class _Scanned(Struct, frozen=True):
    """An item, as far as it is counted."""

    id: str
    scores: dict[str, _Judged]
    system: str = ""


class _Given(Struct, frozen=True):
    """The ratings of one dimension."""

    mean: float | None = None
    given: tuple[float, ...] = ()


class ShownItem(Struct, frozen=True):
    """A rated item, as it is shown."""

    id: str
    level: str
    moves: tuple[SpokenMove, ...]
    reply: str
    dimension: str
    ratings: dict[str, _Given]
    scores: dict[str, _Judged]
    system: str = ""
    group: str = ""
    rating: float | None = None
    references: tuple[str, ...] = ()


_DECODER = msgspec.json.Decoder(_Scanned)


def verdict(gap: float | None) -> str:
    """Where a judge puts an item, compared with people.

    Example:
        >>> verdict(0.7), verdict(-0.7), verdict(0.1), verdict(None)
        ('much higher than people', 'much lower than people', 'near people', 'not scored')
    """
    if gap is None:
        return VERDICTS[3]
    return VERDICTS[0] if gap > _FAR else VERDICTS[1] if gap < -_FAR else VERDICTS[2]


class PeopleKind(RunKind):
    """Runs of ``judge human``."""

    NAME = "people"
    UNIT = ("item", "items")
    HIGHER_IS_BETTER = False
    ROW = ShownItem
    FIRST_COLUMN = LARGEST
    VALUES = "Correlations with the mean rating of people"
    DRAWN = "contexts or items, as the signature says"
    FIELDS = (Field("judge", "judge"), Field("verdict", "judge compared with people"), Field("system", "system"))

    def scan(self, line: bytes, sums: Counter[Finding]) -> Scanned:
        """One finding per judge.

        Example:
            >>> KIND.scan(b'{"id": "1", "system": "bot", "scores": {"length": {"score": 3, "gap": 0.6}}}', Counter()).findings
            {('length', 'much higher than people', 'bot'): 1}
        """
        row = _DECODER.decode(line)
        return Scanned(row.id, {(name, verdict(said.gap), row.system): 1 for name, said in row.scores.items()})

    def teaser(self, row: Mapping[str, Any]) -> tuple[str, str]:
        """The system and the mean rating, and the reply or the first words of the dialogue."""
        rating = f"{row['dimension']} {number(row.get('rating'))}"
        facts = f"{row['system']}, {rating}" if row.get("system") else rating
        return facts, row["reply"] or next((move["text"] for move in row["moves"]), "")

    def texts(self, row: Mapping[str, Any]) -> Iterator[str]:
        """The system, all moves and the reply."""
        yield row.get("system", "")
        yield from (move["text"] for move in row["moves"])
        yield row["reply"]

    def derived(self, columns: Mapping[str, Column]) -> Mapping[str, Column]:
        """The largest difference of any judge."""
        import numpy as np

        if not columns:
            return {}
        stacked = np.stack(list(columns.values()))
        known = np.isfinite(stacked)
        return {LARGEST: np.where(known.any(axis=0), np.where(known, stacked, -1.0).max(axis=0), np.nan)}

    def value(self, value: float | None) -> str:
        """A correlation with three decimals."""
        return coefficient(value)

    def limits(self, found: Mapping[str, Any]) -> str:
        """The interval of a correlation."""
        return limits(found.get("ci"))

    def cell(self, column: str, value: float) -> str:
        """A difference of ranks in percent of all items."""
        return "–" if isnan(value) else f"{100 * value:.0f} %"

    def headline(self, manifest: Mapping[str, Any]) -> Headline:
        """The highest Spearman over items in the main dimension, of the judges that are not trivial."""
        trivial = manifest.get("trivial") or ()
        found = [
            (float(each["value"]), str(each.get("judge")))
            for each in _over_items(manifest.get("scores") or ())
            if each.get("dimension") == manifest.get("main_dimension")
            and each.get("value") is not None
            and each.get("judge") not in trivial
        ]
        best, judge = max(found, default=(None, ""))
        return Headline(f"Spearman {coefficient(best)} ({judge})" if judge else "no judge", best)

    def headlines(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """Spearman over items: a row per judge, a column per dimension; then the raters."""
        scores = _over_items(run.scores)
        judges, dimensions = (
            list(dict.fromkeys(str(each.get(key)) for each in scores)) for key in ("judge", "dimension")
        )
        cells = {(str(each.get("judge")), str(each.get("dimension"))): each for each in scores}
        rows: list[list[Cell]] = []
        for judge in judges:
            texts = [coefficient(cells.get((judge, each), {}).get("value")) for each in dimensions]
            # Ranks are those of the main dimension; the items on which a judge is furthest from people come first.
            chosen = {"by": judge} if judge in run.columns else {"judge": judge}
            rows.append([judge, *((text, chosen) for text in texts)])
        yield linked_table(run, link, "Spearman over items", ("judge", *dimensions), rows)
        raters = run.manifest.get("raters") or ()
        keys = ("alpha_interval", "alpha_ordinal", "icc1", "icc1k", "ceiling")
        agreement: list[list[Cell]] = [
            [str(each.get("dimension")), (str(each.get("items")), {}), *(coefficient(each.get(key)) for key in keys)]
            for each in raters
        ]
        headings = ("dimension", "items", "alpha interval", "alpha ordinal", "ICC(1,1)", "ICC(1,k)", "ceiling")
        yield linked_table(run, link, "Agreement of raters", headings, agreement)

    def again(self, manifest: Mapping[str, Any]) -> list[str]:
        """The command that makes the run again, in the folder of its input."""
        files = manifest.get("inputs") or ()
        words = ["judge", "human", next((str(each.get("name")) for each in files), "RATINGS")]
        for each in manifest.get("judges") or ():
            words += ["--judge", str(each.get("name"))]
        for each in files[1:]:
            words += ["--scores", str(each.get("name"))]
        for option, key in (("--dimension", "dimensions"), ("--carried", "carried")):
            for each in manifest.get(key) or ():
                words += [option, str(each)]
        if manifest.get("references"):
            words += ["--reference-system", str(manifest["references"])]
        return [*words, "--resample", str(manifest.get("resample"))]

    def page(self, row: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, Any]:
        """The texts, the ratings of every dimension, and the scores of all judges."""
        moves = list(row["moves"])
        recent = moves if row["level"] == "dialogue" else moves[-RECENT:]
        return {
            "id": row["id"],
            "system": row.get("system", ""),
            "group": row.get("group", ""),
            "dimension": row["dimension"],
            "earlier": moves[: len(moves) - len(recent)],
            "context": recent,
            "reply": row["reply"],
            "references": list(row.get("references") or ()),
            "ratings": [
                (name, number(found.get("mean")), " ".join(f"{each:g}" for each in found.get("given") or ()))
                for name, found in row["ratings"].items()
            ],
            "judges": [
                {
                    "name": name,
                    "score": number(found.get("score")),
                    "gap": "–" if found.get("gap") is None else f"{100 * found['gap']:+.0f} %".replace("-", "−"),
                    "verdict": verdict(found.get("gap")),
                    "marked": wanted.get("judge") == name,
                }
                for name, found in row["scores"].items()
            ],
        }

    def charts(self, runs: Sequence[Opened], link: RowsLink) -> Iterator[Chart]:
        """Spearman by judge and dimension; a bar leads to the items about which that judge differs most."""
        for run in runs:
            drawn = LinkedBars()
            for each in _over_items(run.scores):
                if each.get("value") is not None:
                    judge = str(each.get("judge"))
                    address = link(run, {"by": judge}) if judge in run.columns else ""
                    text = f"{judge}: the items that it and people rank most differently"
                    drawn.add(judge, str(each.get("dimension")), estimate(each), address, text)
            title = f"Agreement with people{of_run(run, runs)}"
            yield drawn.chart(f"agreement-{slug(run.key)}", title, "Spearman", as_percent=False)

    def breakdowns(self, run: Opened, link: RowsLink = no_link) -> Iterator[Table]:
        """How often each judge is near people, much higher, or much lower."""
        counts = run.findings.counts("judge", "verdict")
        rows: list[list[Cell]] = [
            [judge, *((str(counts[judge, each] or ""), {"judge": judge, "verdict": each}) for each in VERDICTS)]
            for judge in run.findings.options("judge")
        ]
        title = "rank of an item, more than 50 % apart, items"
        yield linked_table(run, link, title, ("judge", *VERDICTS), rows)


def _over_items(scores: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Spearman over items, of every judge and dimension."""
    return [each for each in scores if each["measure"] == "Spearman" and each.get("level") in ("reply", "dialogue")]


KIND = PeopleKind()
