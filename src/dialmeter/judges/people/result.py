"""The result of comparing judges with people: correlations, agreement of raters, paired tests, and where they differ most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, to_builtins

from ..._version import __version__
from ...core.account import Account, count_reasons, sum_accounts
from ...core.result import Result, score_dict
from ...errors import DialmeterError, did_you_mean, one_line
from ...measure import Score
from ...model import Notice
from ...readers.ratings.rated_item import RatedItem, RatedItems
from ..judge import identity_digest
from .columns import ScoreColumn
from .compare import AgreementDifference, differences, first_judge
from .correlate import PeopleCorrelation, PeopleSettings, correlations
from .raters import DimensionAgreement, LeftOutComparison, agreement, left_out

FEW_CONTEXTS = 25
"""With fewer contexts intervals are too narrow."""
_LISTED = 10


class DifferingItem(Struct, frozen=True):
    """An item of which a judge and people think differently.

    Attributes:
        difference: the share of items that the judge puts below it, minus the share that people put below it.
    """

    item: str
    judge: str
    dimension: str
    score: float
    rating: float
    difference: float


class PeopleResult(Result):
    """Correlations of judges with people. ``result["Spearman", "overlap", "overall"]`` is one over items.

    Attributes:
        items: the rated items.
        columns: the scores of every judge; the trivial ones last.
        dimensions: what is looked at; the first is the one that details are about.
        how: what is resampled, and how.
        first: the judge that others are compared with; None for the first.
        remarks: warnings about what could not be computed.
    """

    def __init__(
        self,
        items: RatedItems,
        columns: Sequence[ScoreColumn],
        dimensions: Sequence[str],
        how: PeopleSettings,
        *,
        first: str | None = None,
        remarks: Sequence[Notice] = (),
    ) -> None:
        self.items = items
        self.columns = list(columns)
        self.dimensions = list(dimensions)
        self.how = how
        self.first = first
        self.remarks = list(remarks)

    @property
    def main_dimension(self) -> str:
        """The dimension that details are about: the one called overall, or the first."""
        return next((each for each in self.dimensions if each.lower() == "overall"), self.dimensions[0])

    @cached_property
    def correlations(self) -> list[PeopleCorrelation]:
        """Every judge with every dimension, at every level."""
        return list(correlations(self.items, self.columns, self.dimensions, self.how))

    @cached_property
    def raters(self) -> list[DimensionAgreement]:
        """How far raters agree, by dimension."""
        return [agreement(self.items, dimension) for dimension in self.dimensions]

    @cached_property
    def left_out(self) -> list[LeftOutComparison]:
        """Judges against a left-out rater."""
        return [each for dimension in self.dimensions for each in left_out(self.items, self.columns, dimension)]

    @cached_property
    def differences(self) -> list[AgreementDifference]:
        """The first judge against the others."""
        return differences(self.items, self.columns, self.dimensions, self.how, self.first)

    @cached_property
    def scores(self) -> list[Score]:
        """Every correlation as a score, with judge, dimension and level as its group."""
        return [
            Score(
                measure=each.measure,
                value=each.value,
                ci=each.ci,
                n=each.n,
                unscored=each.unscored,
                reason=each.reason,
                ci_reason=each.ci_reason,
                group={"judge": each.judge, "dimension": each.dimension, "level": each.level},
                signature=self._signature(each),
            )
            for each in self.correlations
        ]

    @cached_property
    def _identities(self) -> dict[str, str]:
        return {each.name: identity_digest(each.identity) for each in self.columns}

    @cached_property
    def _digest(self) -> str:
        return self.items.digest()

    def _signature(self, found: PeopleCorrelation) -> str:
        parts = {
            "judge": f"{found.judge.replace('|', '/')}@{self._identities[found.judge]}",
            "dimension": found.dimension.replace("|", "/"),
            "level": found.level,
            "people": "mean",
            "resample": self.how.resample if self.how.resampling else "none",
            "n": found.n,
            "data": self._digest,
            "v": __version__,
        }
        return "|".join([found.measure, *(f"{key}:{value}" for key, value in parts.items())])

    @property
    def named_scores(self) -> Mapping[tuple[str, ...], Score]:
        """The scores by measure, judge, dimension and level."""
        return {
            (each.measure, each.judge, each.dimension, each.level): score
            for each, score in zip(self.correlations, self.scores, strict=True)
        }

    def get(self, name: tuple[str, ...], default: Score | None = None) -> Score | None:
        """The score of a measure, a judge, a dimension and a level; without a level, over items."""
        full = (*name, self.items.level) if len(name) == 3 else name
        return self.named_scores.get(full, default)

    def by(self, group: str) -> list[Score]:
        """The scores, sorted by ``judge``, ``dimension`` or ``level``.

        Raises:
            DialmeterError: no such group.
        """
        if group not in ("judge", "dimension", "level"):
            raise DialmeterError(f"no scores by {group!r}; {did_you_mean(group, ['judge', 'dimension', 'level'])}")
        order = list(dict.fromkeys(score.group[group] for score in self.scores))
        return sorted(self.scores, key=lambda score: order.index(score.group[group]))

    def to_dicts(self) -> list[dict[str, Any]]:
        """The scores as plain dictionaries, as in JSON."""
        return [
            {**score_dict(score), **({} if found.p is None else {"p": found.p})}
            for found, score in zip(self.correlations, self.scores, strict=True)
        ]

    def gaps(self, judge: str, dimension: str | None = None) -> list[float | None]:
        """By item, the share of items that a judge puts below it minus the share that people put below it."""
        from ...stats.correlation import pairs

        column = next((each for each in self.columns if each.name == judge), None)
        if column is None:
            raise DialmeterError(f"no judge {judge!r}; {did_you_mean(judge, [each.name for each in self.columns])}")
        scores = column.oriented
        ratings = [item.rating(dimension or self.main_dimension) for item in self.items.items]
        x, y, _ = pairs(scores, ratings)
        if not len(x):
            return [None] * len(scores)
        from scipy.stats import rankdata

        shares = iter(((rankdata(x) - rankdata(y)) / len(x)).tolist())
        return [None if None in both else next(shares) for both in zip(scores, ratings, strict=True)]

    def worst(self, n: int = 10, judge: str | None = None) -> list[DifferingItem]:
        """The items of which a judge and people think most differently, in the main dimension.

        Args:
            n: at most so many.
            judge: its name; without it, the judge that others are compared with.
        """
        dimension = self.main_dimension
        base = first_judge(self.columns, dimension, self.first)
        name = judge or (base.name if base else "")
        column = next((each for each in self.columns if each.name == name), None)
        found = [
            DifferingItem(item.id, name, dimension, score, rating, gap)
            for item, score, gap in zip(
                self.items.items, column.scores if column else (), self.gaps(name) if column else (), strict=True
            )
            if gap is not None and score is not None and (rating := item.rating(dimension)) is not None
        ]
        return sorted(found, key=lambda each: (-abs(each.difference), each.item))[:n]

    def item(self, name: str) -> RatedItem:
        """The item of this id."""
        return next(item for item in self.items.items if item.id == name)

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """What was asked of each judge that is not trivial, and how much of it has a score."""
        named = [each for each in self.columns if not each.trivial] or self.columns
        return {column.name: self._account(column) for column in named}

    def _account(self, column: ScoreColumn) -> Account:
        missing = [
            (self.items.items[place].id, column.reasons.get(place, ("without a score", ""))[0])
            for place, score in enumerate(column.scores)
            if score is None
        ]
        asked = len(column.scores)
        return Account("item", asked, asked, asked - len(missing), count_reasons(missing))

    @property
    def account(self) -> Account:
        """The accounts of all judges, added up."""
        return sum_accounts(self.accounts.values())

    @cached_property
    def notices(self) -> list[Notice]:
        """Warnings: raters who hardly agree, few contexts, judges that are constant or look flipped, failures."""
        return [*self.remarks, *self._about_raters(), *self._about_judges()]

    def _about_raters(self) -> list[Notice]:
        found = []
        unknown = [each.dimension for each in self.raters if each.rankable is None]
        if unknown:
            said = "the agreement of raters is unknown, because the file has one rating or one mean rating per item"
            found.append(Notice("agreement-unknown", len(unknown), said, tuple(map(one_line, unknown[:_LISTED]))))
        for each in self.raters:
            if each.rankable is False:
                said = f"raters hardly agree on {one_line(each.dimension)} (alpha {each.alpha_interval:.3f}): no judge can be ranked by it"
                found.append(Notice("not-rankable", each.items, said))
            unrated = [item.id for item in self.items.items if item.rating(each.dimension) is None]
            if unrated:
                said = f"{len(unrated)} items have no rating of {one_line(each.dimension)}"
                found.append(Notice("not-rated", len(unrated), said, tuple(map(one_line, unrated[:_LISTED]))))
        contexts = self.counts["contexts"]
        if contexts < FEW_CONTEXTS and self.how.resampling and self.how.resample == "contexts":
            said = f"only {contexts} contexts: intervals are likely too narrow"
            found.append(Notice("few-contexts", contexts, said))
        return found

    def _about_judges(self) -> list[Notice]:
        found = []
        named = [each for each in self.columns if not each.trivial]
        for column in named:
            known = {score for score in column.scores if score is not None}
            if len(known) == 1:
                found.append(Notice("constant-judge", 1, f"{column.name} gives every item the same score"))
            below = [
                each.dimension
                for each in self.correlations
                if (each.judge, each.measure, each.level) == (column.name, "Spearman", self.items.level)
                and each.ci is not None
                and each.ci[1] < 0
            ]
            if below and len(below) == len(self.dimensions):
                said = f"{column.name} is lower where people rate higher: is a lower score better? Then name it with --lower-is-better"
                found.append(Notice("sign", len(below), said))
            failed = {place: why for place, (_, why) in column.reasons.items()}
            if failed and column.asked:
                where = tuple(one_line(self.items.items[place].id) for place in list(failed)[:_LISTED])
                said = f"{column.name} did not score {len(failed)} of {len(column.scores)} items: {next(iter(failed.values()))}"
                found.append(Notice("judge-failed", len(failed), said, where))
        return found

    @property
    def counts(self) -> dict[str, int]:
        """How much there is of what."""
        return {
            "items": len(self.items.items),
            "contexts": len(set(self.items.clusters)),
            "systems": len({item.system for item in self.items.items if item.system}),
            "dimensions": len(self.dimensions),
            "judges": len(self.columns),
        }

    @property
    def summary(self) -> str:
        """Spearman of every judge in the main dimension."""
        dimension = self.main_dimension
        values = {each.name: self.get(("Spearman", each.name, dimension)) for each in self.columns}
        shown = ", ".join(
            f"{name} {each.value:.3f}" for name, each in values.items() if each and each.value is not None
        )
        return f"Spearman with people on {dimension}: {shown}; {len(self.items.items)} items"

    def findings(self) -> dict[str, Any]:
        """What a record holds beside the scores."""
        return {
            "raters": to_builtins(self.raters),
            "left_out": to_builtins(self.left_out),
            "differences": to_builtins(self.differences),
        }
