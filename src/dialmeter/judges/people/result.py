"""The result of comparing judges with people: correlations, agreement of raters, paired tests, and the largest differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..._version import __version__
from ...core.account import Account, count_reasons, sum_accounts
from ...core.comparability import add_fields
from ...core.comparison import correct_by_holm, sign_interval
from ...core.ladder import Verdict, decide
from ...core.result import Result, RunFields, score_dict
from ...errors import DialmeterError, did_you_mean, one_line
from ...measure import Score
from ...model import Notice
from ...numeric import np
from ...readers.ratings.rated_item import RatedItem, RatedItems
from ...stats.correlation import compare_correlations
from ...stats.drift import Drift, drift, flip_rate
from ...stats.formulas import Floats
from ...stats.intervals import student_p
from ..judge import identity_digest
from ..result import LEVEL
from .columns import ScoreColumn
from .correlate import (
    CONTEXT_LEVEL,
    MEASURES,
    FacetAgreement,
    ItemDraws,
    LeftOutComparison,
    PeopleCorrelation,
    PeopleSettings,
    agreement,
    complete,
    correlations,
    left_out,
    mean_ratings,
)
from .labels import ClassAgreement, LabelAgreement, cluster_keys, read_labels, repeated_verdicts


class AgreementDifference(Struct, frozen=True):
    """The correlation of another judge with people minus the correlation of the first judge, over the items that both scored.

    Attributes:
        ci: the confidence interval from resampled contexts.
        p: the two-sided p value of Student's t: the difference divided by its standard deviation over the resamples. The degrees of
            freedom are the number of contexts minus one.
        p_holm: p, corrected over all differences of the same measure in the same facet.
        verdict: better if the other judge agrees more with people, worse if it agrees less, otherwise cannot tell.
        zou: Zou's interval for dependent correlations, for Pearson only; it assumes independent items.
    """

    facet: str
    judge: str
    other: str
    measure: str
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    n: int
    zou: tuple[float, float] | None = None
    p_holm: float | None = None
    reason: str = ""
    verdict: Verdict = "cannot tell"


def first_judge(columns: Sequence[ScoreColumn], facet: str, named: str | None = None) -> ScoreColumn:
    """The judge that others are compared with: the requested judge, or a judge with the facet's name, or the first judge.

    Example:
        >>> columns = [ScoreColumn(name, [], "") for name in ("x/fluent", "x/overall")]
        >>> first_judge(columns, "overall").name, first_judge(columns, "depth").name
        ('x/overall', 'x/fluent')
    """
    of_name = [each for each in columns if each.name == named]
    own = [each for each in columns if each.name.rpartition("/")[2].lower() == facet.lower()]
    return [*of_name, *own, *columns][0]


def _compare_pair(
    draws: ItemDraws, base: ScoreColumn, other: ScoreColumn, ratings: Floats, facet: str
) -> Iterator[AgreementDifference]:
    assert draws.resampling is not None
    sides = base.oriented, other.oriented, ratings
    places = complete(*sides)
    x, y, people = (side[places] for side in sides)
    for measure in ("Pearson", "Spearman"):
        first, second = MEASURES[measure](x, people), MEASURES[measure](y, people)
        names = (facet, base.name, other.name, measure)
        if first.value is None or second.value is None:
            reason = "a score or the rating is constant, or there are too few items"
            yield AgreementDifference(*names, None, None, None, len(places), reason=reason)
            continue
        difference = second.value - first.value
        _, count = draws.weights(places)
        one, two, target = (draws.variable(places, each) for each in (x, y, people))
        drawn = two.correlation(measure, target) - one.correlation(measure, target)
        drawn = drawn[~np.isnan(drawn)]
        ci, error = None, 0.0
        if count > 1 and len(drawn) > 1:
            (ci, _), error = draws.limits(drawn, count), float(drawn.std(ddof=1))
        p = student_p(difference / error, count - 1) if error else None
        confidence = draws.resampling.confidence
        zou = compare_correlations(people, y, x, confidence=confidence).ci if measure == "Pearson" else None
        yield AgreementDifference(*names, difference, ci, p, len(places), zou)


FEW_CONTEXTS = 25
"""The smallest number of contexts for reliable intervals. With fewer, intervals are too narrow."""
FEWEST_CONTEXTS = 5
"""The smallest number of contexts for a claim. With four, unrelated scores have an interval without 0 in 10 % of the cases."""
_LISTED = 10


class DifferingItem(Struct, frozen=True):
    """An item that a judge and people rate differently.

    Attributes:
        difference: the share of items that the judge ranks below it, minus the share that people rank below it.
    """

    item: str
    judge: str
    facet: str
    score: float
    rating: float
    difference: float


class PeopleResult(Result):
    """Correlations of judges with people. ``result["Spearman", "overlap", "overall"]`` is a correlation over items.

    Attributes:
        items: the rated items.
        columns: the scores of every judge; the trivial ones last.
        facets: the facets that are evaluated.
        settings: the settings of resampling.
        first: the name of the judge that others are compared with; None for the first judge.
        remarks: warnings about results that could not be computed.
    """

    _NAME_PARTS = ("measure", "judge", "facet", "level")

    def __init__(
        self,
        items: RatedItems,
        columns: Sequence[ScoreColumn],
        facets: Sequence[str],
        settings: PeopleSettings,
        *,
        first: str | None = None,
        remarks: Sequence[Notice] = (),
    ) -> None:
        self.items = items
        self.columns = list(columns)
        self.facets = list(facets)
        self.settings = settings
        self.first = first
        self.remarks = list(remarks)

    @property
    def main_facet(self) -> str:
        """The facet of gaps and worst items: the facet called overall, or the first."""
        return next((each for each in self.facets if each.lower() == "overall"), self.facets[0])

    @property
    def named_judges(self) -> list[str]:
        """The names of the judges that are not trivial."""
        return [column.name for column in self.columns if not column.trivial]

    @cached_property
    def raters(self) -> list[FacetAgreement]:
        """The agreement of raters, by facet."""
        return [agreement(self.items, facet) for facet in self.facets]

    @cached_property
    def left_out(self) -> list[LeftOutComparison]:
        """Comparisons of judges with a left-out rater."""
        return [each for facet in self.facets for each in left_out(self.items, self.columns, facet)]

    @cached_property
    def differences(self) -> list[AgreementDifference]:
        """The first judge against every other, in each facet, by Pearson and Spearman. Holm's correction covers one facet and measure."""
        corrected: list[AgreementDifference] = []
        for facet in self.facets if self.settings.resampling else ():
            base, draws = self.first_judge(facet), ItemDraws(self.items, self.settings)
            ratings = mean_ratings(self.items, facet)
            others = [column for column in self.columns if column.name != base.name]
            compared = [each for other in others for each in _compare_pair(draws, base, other, ratings, facet)]
            for measure in ("Pearson", "Spearman"):
                corrected += correct_by_holm([each for each in compared if each.measure == measure])
        return [replace(each, verdict=decide(each, LEVEL)) for each in corrected]

    def first_judge(self, facet: str) -> ScoreColumn:
        """The judge that others are compared with in a facet."""
        return first_judge(self.columns, facet, self.first)

    @cached_property
    def scores(self) -> list[PeopleCorrelation]:
        """The correlations of every judge with every facet, at every level."""
        data = self.items.digest()
        unsigned = [*correlations(self.items, self.columns, self.facets, self.settings), *self._label_scores()]
        return [replace(each, signature=self._signature(each, data)) for each in unsigned]

    @cached_property
    def labels(self) -> dict[tuple[str, str], LabelAgreement]:
        """The judges against labels pass and fail, by judge and facet; empty if no facet has labels."""
        found: dict[tuple[str, str], LabelAgreement] = {}
        drawn = self.settings.resampling
        settings = self.settings.labels, drawn.confidence if drawn else 0.95
        for facet in self.facets:
            source = read_labels(self.items, facet, self.settings.labels)
            if source is not None:
                named = [column for column in self.columns if not column.trivial or column.name == self.first]
                found |= {(each.name, facet): LabelAgreement(self.items, source, each, *settings) for each in named}
        return found

    @property
    def main_labels(self) -> dict[str, LabelAgreement]:
        """The judges against the labels of the main facet, by judge."""
        return {judge: each for (judge, facet), each in self.labels.items() if facet == self.main_facet}

    @cached_property
    def classes(self) -> dict[tuple[str, str], ClassAgreement]:
        """The judges against ordered classes, by judge and facet; only if the ratings are said to be classes."""
        if self.settings.labels.kind != "classes":
            return {}
        named = [column for column in self.columns if not column.trivial or column.name == self.first]
        return {(each.name, facet): ClassAgreement(self.items, facet, each) for facet in self.facets for each in named}

    def _label_scores(self) -> Iterator[PeopleCorrelation]:
        compared: dict[tuple[str, str], LabelAgreement | ClassAgreement] = {**self.labels, **self.classes}
        for (judge, facet), each in compared.items():
            level = self.items.level
            for measure, figure in each.figures.items():
                yield PeopleCorrelation(
                    measure=measure,
                    value=figure.value,
                    n=each.n,
                    unscored=len(self.items.items) - each.n,
                    signature="",
                    ci=figure.ci if self.settings.resampling else None,
                    ci_reason=figure.reason if figure.value is not None else "",
                    reason=figure.reason if figure.value is None else "",
                    group={"judge": judge, "facet": facet, "level": level},
                    judge=judge,
                    facet=facet,
                    level=level,
                )

    @cached_property
    def _identities(self) -> dict[str, str]:
        """For each judge, a digest of what its scores depend on. Scores that were not asked for stand for themselves."""
        identities = {}
        for each in self.columns:
            by_item = zip((item.id for item in self.items.items), each.scores, strict=True)
            given = sorted((name, score) for name, score in by_item if score is None or not each.asked)
            declared = "" if each.higher_is_better else "|lower is better"
            identities[each.name] = identity_digest(f"{each.identity}{declared}{given or ''}")
        return identities

    def _signature(self, correlation: PeopleCorrelation, data: str) -> str:
        resampling = self.settings.resampling
        parts = {
            "judge": f"{correlation.judge.replace('|', '/')}@{self._identities[correlation.judge]}",
            "facet": correlation.facet.replace("|", "/"),
            "level": correlation.level,
            **self._treatment(correlation),
            "n": correlation.n,
            "data": data,
            "v": __version__,
        }
        signature = "|".join([correlation.measure, *(f"{key}:{value}" for key, value in parts.items())])
        if correlation.measure not in MEASURES:  # intervals with settings of their own
            percent = f"{100 * resampling.confidence:g}" if resampling else ""
            return add_fields(signature, [f"ci:{percent}", "bs:2000", "seed:0"]) if correlation.ci else signature
        if resampling and correlation.level == CONTEXT_LEVEL:  # an interval that draws nothing
            return add_fields(signature, resampling.signed[:1]) if correlation.ci else signature
        return sign_interval(signature, resampling, correlation.ci)

    def _treatment(self, correlation: PeopleCorrelation) -> dict[str, str]:
        """The fields of a signature that say what was made of the ratings."""
        settings = self.settings.labels
        if correlation.measure in MEASURES:
            return {"people": "mean", "resample": self.settings.resample if self.settings.resampling else "none"}
        if (correlation.judge, correlation.facet) in self.classes:
            return {"people": "lower-median", "classes": "stated"}
        of_judge = [str(each.least) for each in settings.judge_pass_if if each.name == correlation.judge]
        given = settings.pass_if if settings.pass_if and settings.pass_if.name == correlation.facet else None
        return {
            "people": "majority",
            **({"pass-if": f"{given.least:g}"} if given else {}),
            **({"judge-pass-if": of_judge[0]} if of_judge else {}),
        }

    @cached_property
    def drift(self) -> Drift | None:
        """How the second judge differs from the first, as a new version of it; None unless both have verdicts on the main facet."""
        facet = self.main_facet
        first = self.first_judge(facet).name
        names = [first, *(name for name in self.named_judges if name != first)]
        both = [each for name in names[:2] if (each := self.labels.get((name, facet))) and each.has_verdicts]
        if len(both) < 2:
            return None
        old = both[0]
        rows = [each.verdicts for each in both]
        shared = sorted(rows[0].keys() & rows[1].keys())
        repeats = repeated_verdicts(self.items, first, self.settings.labels)
        noise = flip_rate(np.array(repeats, dtype=np.float64)) if repeats else None
        ids = {item.id: at for at, item in enumerate(self.items.items)}
        keys = cluster_keys(self.items.items)
        values = [np.array([own[name] for name in shared]) for own in rows]
        labels = np.array(
            [np.nan if (label := old.source.labels[ids[name]]) is None else label for name in shared], dtype=np.float64
        )
        return drift(
            values[0],
            values[1],
            labels,
            [keys[ids[name]] for name in shared],
            noise=noise,
            margin=self.settings.labels.margin,
        )

    @property
    def named_scores(self) -> Mapping[tuple[str, ...], PeopleCorrelation]:
        """The scores by measure, judge, facet and level."""
        return {(each.measure, each.judge, each.facet, each.level): each for each in self.scores}

    def get(self, name: tuple[str, ...], default: Score | None = None) -> Score | None:
        """The score of a measure, a judge, a facet and a level. Without a level, the score over items."""
        full = (*name, self.items.level) if len(name) == 3 else name
        return self.named_scores.get(full, default)

    def by(self, group: str) -> list[Score]:
        """The scores, sorted by ``judge``, ``facet`` or ``level``.

        Raises:
            DialmeterError: the group is unknown.
        """
        if group not in ("judge", "facet", "level"):
            raise DialmeterError(f"no scores by {group!r}; {did_you_mean(group, ['judge', 'facet', 'level'])}")
        order = list(dict.fromkeys(score.group[group] for score in self.scores))
        return sorted(self.scores, key=lambda score: order.index(score.group[group]))

    def run_fields(self) -> RunFields:
        """The gaps of each judge by item, the agreement of raters, and differences between judges."""
        gaps = {name: self.gaps(name) for name in self.named_judges or [self.columns[0].name]}
        tables = {judge: each.table for judge, each in self.main_labels.items() if each.table}
        return RunFields(
            {name: [None if gap is None else abs(gap) for gap in each] for name, each in gaps.items()},
            {"raters": self.raters, "left_out": self.left_out, "differences": self.differences},
            {
                "trivial": [each.name for each in self.columns if each.trivial],
                "main_facet": self.main_facet,
                **({"label_tables": tables} if tables else {}),
            },
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """The scores as dictionaries, with the same keys as in JSON."""
        return [{**score_dict(each), **({} if each.p is None else {"p": each.p})} for each in self.scores]

    def column(self, judge: str) -> ScoreColumn:
        """The scores of a judge.

        Raises:
            DialmeterError: there is no such judge.
        """
        names = {each.name: each for each in self.columns}
        if judge not in names:
            raise DialmeterError(f"no judge {judge!r}; {did_you_mean(judge, names)}")
        return names[judge]

    def gaps(self, judge: str, facet: str | None = None) -> list[float | None]:
        """By item, the share of items that a judge ranks below it minus the share that people rank below it."""
        from ...stats.correlation import mean_ranks

        scores = self.column(judge).oriented
        ratings = mean_ratings(self.items, facet or self.main_facet)
        places = complete(scores, ratings)
        gaps: list[float | None] = [None] * len(scores)
        if not len(places):
            return gaps
        for place, gap in zip(places, mean_ranks(scores[places]) - mean_ranks(ratings[places]), strict=True):
            gaps[place] = float(gap / len(places))
        return gaps

    def worst(self, n: int = 10, judge: str | None = None) -> list[DifferingItem]:
        """The items with the largest differences between a judge and people, in the main facet.

        Args:
            n: the largest number of items to return.
            judge: the judge's name; default: the judge that others are compared with.
        """
        facet = self.main_facet
        name = judge or self.first_judge(facet).name
        differing = [
            DifferingItem(item.id, name, facet, score, rating, gap)
            for item, score, gap in zip(self.items.items, self.column(name).scores, self.gaps(name), strict=True)
            if gap is not None and score is not None and (rating := item.rating(facet)) is not None
        ]
        return sorted(differing, key=lambda each: (-abs(each.difference), each.item))[:n]

    def item(self, name: str) -> RatedItem:
        """The item with this id."""
        return next(item for item in self.items.items if item.id == name)

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """The number of requested, scored and unscored items of each judge that is not trivial."""
        accounts = {}
        for column in [each for each in self.columns if not each.trivial] or self.columns:
            missing = [
                (self.items.items[place].id, column.reasons.get(place, ("without a score", ""))[0])
                for place, score in enumerate(column.scores)
                if score is None
            ]
            total = len(column.scores)
            accounts[column.name] = Account("item", total, total, total - len(missing), count_reasons(missing))
        return accounts

    @property
    def account(self) -> Account:
        """The sum of the accounts of all judges."""
        return sum_accounts(self.accounts.values())

    @cached_property
    def notices(self) -> list[Notice]:
        """Warnings: raters who hardly agree, few contexts, judges with constant scores or a wrong sign, failures."""
        return [*self.remarks, *self._rater_notices(), *self._judge_notices()]

    def _rater_notices(self) -> list[Notice]:
        notices = []
        reasons = dict.fromkeys(each.reason for each in self.raters if each.rankable is None)
        for reason in reasons:
            unknown = [each.facet for each in self.raters if each.rankable is None and each.reason == reason]
            message = f"the agreement of raters is unknown: {reason}"
            notices.append(Notice("agreement-unknown", len(unknown), message, tuple(map(one_line, unknown[:_LISTED]))))
        for each in self.raters:
            if each.rankable is False:
                alpha = f"{each.alpha_interval:.3f}"
                message = f"raters hardly agree on {one_line(each.facet)} (alpha {alpha}): no judge can be ranked by it"
                notices.append(Notice("not-rankable", each.items, message))
            unrated = [item.id for item in self.items.items if item.rating(each.facet) is None]
            if unrated:
                message = f"{len(unrated)} items have no rating of {one_line(each.facet)}"
                notices.append(Notice("not-rated", len(unrated), message, tuple(map(one_line, unrated[:_LISTED]))))
        contexts = self.counts["contexts"]
        if contexts < FEW_CONTEXTS and self.settings.resampling and self.settings.resample == "contexts":
            message = f"only {contexts} context{'s' * (contexts != 1)}: intervals are likely too narrow"
            notices.append(Notice("few-contexts", contexts, message))
        return notices

    def _judge_notices(self) -> list[Notice]:
        notices = []
        for column in self.columns:
            if column.trivial:
                continue
            if len({score for score in column.scores if score is not None}) == 1:
                notices.append(Notice("constant-judge", 1, f"{column.name} gives every item the same score"))
            negative = [
                each.facet
                for each in self.scores
                if (each.judge, each.measure, each.level) == (column.name, "Spearman", self.items.level)
                and each.ci is not None
                and each.ci[1] < 0
            ]
            if negative and len(negative) == len(self.facets):
                message = (
                    f"{column.name} correlates negatively with people in all facets. "
                    'If a lower score is better, give its scores as -j "NAME=FILE(lower=true)"'
                )
                notices.append(Notice("sign", len(negative), message))
            failed = {place: why for place, (_, why) in column.reasons.items()}
            if failed and column.asked:
                where = tuple(one_line(self.items.items[place].id) for place in list(failed)[:_LISTED])
                reason = next(iter(failed.values()))
                message = f"{column.name} did not score {len(failed)} of {len(column.scores)} items: {reason}"
                notices.append(Notice("judge-failed", len(failed), message, where))
        return notices

    @property
    def counts(self) -> dict[str, int]:
        """The number of items, contexts, systems, facets and judges."""
        return {
            "items": len(self.items.items),
            "contexts": len(set(self.items.clusters)),
            "systems": len({item.system for item in self.items.items if item.system}),
            "facets": len(self.facets),
            "judges": len(self.columns),
        }
