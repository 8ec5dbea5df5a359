"""Judges against labels pass and fail of people: may this judge decide?

A facet has labels if every single rating is 0 or 1, or if a condition such as ``quality >= 4`` makes labels of ratings. The label of an
item is the strict majority of its raters; a tie is no label. A judge has verdicts if its scores are 0 and 1, or if a condition makes
verdicts of them; the scores of other judges get a threshold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import ceil
from typing import Any, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from ...errors import DialmeterError, did_you_mean
from ...numeric import np
from ...readers.ratings.rated_item import RatedItem, RatedItems
from ...stats.corrected import CorrectedRate, labels_needed, post_stratified, rate_difference, rogan_gladen
from ...stats.formulas import Floats
from ...stats.labels import (
    CLASS_FIGURES,
    LEAST_RATED,
    AltTest,
    BestThreshold,
    Calibration,
    Clusters,
    Figure,
    LabelTable,
    Ranked,
    alt_test,
    best_threshold,
    calibration,
    class_figures,
    label_figures,
    percentiles,
)
from ...stats.significance import fisher_p
from .columns import ScoreColumn, column_from_scores

Kind: TypeAlias = Literal["auto", "binary", "classes", "scale"]
MOST_CLASSES = 7
Origin: TypeAlias = Literal["unknown", "random", "by-verdict", "elsewhere"]
FEWEST_CLUSTERS = 25
"""With fewer labelled contexts, intervals are too narrow for a verdict."""
EPSILONS = (0.0, 0.1, 0.2)
"""How much worse than a rater a judge may be in the alt-test, because people cost more."""
CELLS = ("both fail", "only the judge passes", "only people pass", "both pass")
"""The cells of the table of two times two, in the order of ``LabelAgreement.table``."""
_CONDITION = re.compile(r"(.*\S)\s*>=\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+))")


class PassCondition(Struct, frozen=True):
    """Passes everything from a number upwards: ``quality >= 4``."""

    name: str
    least: float

    @classmethod
    def parse(cls, text: str, key: str) -> PassCondition:
        """Parse a condition.

        Example:
            >>> PassCondition.parse("quality >= 4", "pass-if")
            PassCondition(name='quality', least=4.0)
            >>> PassCondition.parse("quality", "pass-if")
            Traceback (most recent call last):
            dialmeter.errors.DialmeterError: pass-if 'quality' is no condition; write "NAME >= NUMBER"
        """
        match = _CONDITION.fullmatch(text.strip())
        if match is None:
            raise DialmeterError(f'{key} {text!r} is no condition; write "NAME >= NUMBER"')
        return cls(match[1], float(match[2]))

    def __str__(self) -> str:
        return f"{self.name}>={self.least:g}"


class LabelSettings(Struct, frozen=True, kw_only=True):
    """How ratings and scores become labels and verdicts.

    Attributes:
        kind: what ratings are; ``auto`` decides by the ratings.
        pass_if: makes labels of the ratings of a facet.
        judge_pass_if: make verdicts of the scores of judges.
        probability: the judges whose scores are probabilities of a pass.
        origin: where the labelled items come from; without it no pass rate is corrected.
        margin: the change of a rate that does not matter between two versions of a judge.
    """

    kind: Kind = "auto"
    pass_if: PassCondition | None = None
    judge_pass_if: tuple[PassCondition, ...] = ()
    probability: tuple[str, ...] = ()
    origin: Origin = "unknown"
    margin: float = 0.05


def label_settings(given: Mapping[str, Any]) -> LabelSettings:
    """Return settings from their texts, by the keys of ``--set`` with underscores.

    Example:
        >>> label_settings({"pass_if": "quality >= 4", "labels": "random"}).pass_if
        PassCondition(name='quality', least=4.0)
    """
    condition = given.get("pass_if")
    conditions, names = (_listed(given.get(key)) for key in ("judge_pass_if", "probability"))
    choices: dict[str, Any] = {"kind": given.get("label_kind", "auto"), "origin": given.get("labels", "unknown")}
    for (key, value), known in zip(choices.items(), (Kind, Origin), strict=True):
        if value not in get_args(known):
            raise DialmeterError(f"{key} {value!r}: {did_you_mean(str(value), get_args(known))}")
    return LabelSettings(
        pass_if=PassCondition.parse(condition, "pass-if") if condition else None,
        judge_pass_if=tuple(PassCondition.parse(each, "judge-pass-if") for each in conditions),
        probability=tuple(names),
        margin=given.get("margin", 0.05),
        **choices,
    )


def _listed(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


class LabelSources(Struct, frozen=True):
    """The labels of a facet.

    Attributes:
        facet: the facet.
        labels: one per item: 1, 0, or None without ratings or with a tie.
        raters: rater → label, per item. Ratings without names are named by their positions.
        ties: ids of items whose raters are divided equally.
        about: what a pass means, such as ``quality at least 4``; empty if people were asked for pass or fail.
    """

    facet: str
    labels: list[float | None]
    raters: list[dict[str, float]]
    ties: list[str]
    about: str


def read_labels(items: RatedItems, facet: str, settings: LabelSettings) -> LabelSources | None:
    """Return the labels of a facet; None if its ratings are a scale.

    Raises:
        DialmeterError: the ratings shall be labels, but are not.

    Example:
        >>> items = [RatedItem(str(at), "reply", (), "yes", ratings={"ok": given}) for at, given in enumerate([(1.0, 1.0, 0.0), (0.0, 1.0)])]
        >>> found = read_labels(RatedItems(tuple(items)), "ok", LabelSettings())
        >>> found.labels, found.ties
        ([1.0, None], ['1'])
    """
    given = settings.pass_if if settings.pass_if and settings.pass_if.name == facet else None
    single = [item.ratings.get(facet, ()) for item in items.items]
    is_binary = all(value in (0, 1) for values in single for value in values) and any(single)
    if given is None and (settings.kind in ("scale", "classes") or not is_binary):
        if settings.kind == "binary":
            raise DialmeterError(
                f'the ratings of {facet} are not pass and fail; make labels of them: --set "pass-if={facet} >= NUMBER"'
            )
        return None
    least = given.least if given else 1.0
    names = [item.raters.get(facet, ()) for item in items.items]
    raters = [
        {(named or tuple(map(str, range(len(values)))))[at]: float(value >= least) for at, value in enumerate(values)}
        for values, named in zip(single, names, strict=True)
    ]
    labels: list[float | None] = []
    ties = []
    for item, own in zip(items.items, raters, strict=True):
        passed = sum(own.values())
        mean = item.means.get(facet)
        if own and 2 * passed == len(own):
            ties.append(item.id)
            labels.append(None)
        else:
            found = 2 * passed > len(own) if own else None if mean is None else mean >= least
            labels.append(None if found is None else float(found))
    is_asked = given is None or (is_binary and 0 < least <= 1)
    return LabelSources(facet, labels, raters, ties, "" if is_asked else f"{facet} at least {least:g}")


def cluster_keys(items: Sequence[RatedItem]) -> list[str]:
    """Return the key of the cluster of each item: its group, its context, or its id."""
    return [
        item.group
        or (json.dumps([move.text for move in item.moves], ensure_ascii=False) if item.level == "reply" else "")
        or item.id
        for item in items
    ]


def verdicts_of(column: ScoreColumn, settings: LabelSettings) -> list[float | None] | None:
    """Return the verdicts of a judge; None if its scores need a threshold.

    Example:
        >>> verdicts_of(ScoreColumn("old", [1.0, None, 0.0], ""), LabelSettings())
        [1.0, None, 0.0]
    """
    condition = next((each for each in settings.judge_pass_if if each.name == column.name), None)
    if condition is not None:
        return [None if score is None else float(score >= condition.least) for score in column.scores]
    known = {score for score in column.scores if score is not None}
    if not known or not known <= {0, 1} or column.name in settings.probability:
        return None
    return column.scores if column.higher_is_better else [None if each is None else 1 - each for each in column.scores]


def repeated_verdicts(items: RatedItems, judge: str, settings: LabelSettings) -> list[list[float | None]]:
    """Return the verdicts of repeats of a judge, which the file has as ``NAME/1``, ``NAME/2``; empty without repeats.

    Example:
        >>> item = RatedItem("1", "reply", (), "yes", scores={"old/1": 1.0, "old/2": 0.0, "new": 1.0})
        >>> repeated_verdicts(RatedItems((item,)), "old", LabelSettings())
        [[1.0], [0.0]]
    """
    base = re.sub(r"/\d+$", "", judge)
    condition = next((each for each in settings.judge_pass_if if each.name == judge), None)
    found = []
    for name in items.carried:
        stem, _, number = name.rpartition("/")
        if stem == base and number.isdecimal():
            own = (
                settings
                if condition is None
                else replace(settings, judge_pass_if=(PassCondition(name, condition.least),))
            )
            verdicts = verdicts_of(column_from_scores(name, [item.scores.get(name) for item in items.items]), own)
            if verdicts is None or None in verdicts:
                return []
            found.append(verdicts)
    return found


class ClassAgreement:
    """A judge against ordered classes of a facet, which are whole numbers. The label is the lower median of the ratings.

    Attributes:
        figures: exact agreement, within one class, kappa and AC, also with weights for the distance of classes.

    Raises:
        DialmeterError: ratings or scores are no classes.
    """

    def __init__(self, items: RatedItems, facet: str, column: ScoreColumn, confidence: float = 0.95) -> None:
        single = {value for item in items.items for value in item.ratings.get(facet, ())}
        classes = sorted({*single, *(each for each in column.scores if each is not None)})
        for name, values in ((f"the ratings of {facet}", sorted(single)), (f"the scores of {column.name}", classes)):
            if not values or len(values) > MOST_CLASSES or any(value % 1 for value in values):
                raise DialmeterError(
                    f"label-kind=classes: {name} are no classes: at most {MOST_CLASSES} different whole numbers, the same for people and judge"
                )
        lowest, keys = int(classes[0]), cluster_keys(items.items)
        rows = sorted(
            (item.id, key, sorted(given)[(len(given) - 1) // 2], score)
            for item, key, score in zip(items.items, keys, column.scores, strict=True)
            if (given := item.ratings.get(facet)) and score is not None
        )
        self.judge, self.n = column.name, len(rows)
        labels, verdicts = (np.array([row[at] for row in rows], dtype=np.int64) - lowest for at in (2, 3))
        count, clusters = int(classes[-1]) - lowest + 1, Clusters([row[1] for row in rows])
        self.figures = class_figures(labels, verdicts, count, clusters, confidence) if rows else {}


class LeftOutRater(Struct, frozen=True):
    """The mean agreement of a rater, and of the judge, with the majority of the other raters."""

    kappa_rater: float | None
    kappa_judge: float | None
    accuracy_rater: float | None
    accuracy_judge: float | None


class LabelAgreement:
    """A judge against the labels of one facet.

    Attributes:
        judge: the name of the judge.
        source: the labels.
        n: the number of items with a label and a score.
    """

    def __init__(
        self,
        items: RatedItems,
        source: LabelSources,
        column: ScoreColumn,
        settings: LabelSettings,
        confidence: float = 0.95,
    ) -> None:
        # Items are sorted, so that the order of a file does not change a number.
        order = sorted(range(len(items.items)), key=lambda at: items.items[at].id)
        self.judge, self.source, self._settings, self._confidence = column.name, source, settings, confidence
        verdicts = verdicts_of(column, settings)
        self.has_verdicts = verdicts is not None
        sign = 1.0 if column.higher_is_better else -1.0
        scores = [None if each is None else sign * each for each in column.scores]
        oriented = scores if verdicts is None else verdicts
        ties = set(source.ties)
        self._order = [at for at in order if oriented[at] is not None]
        self._rated = [at for at in self._order if source.raters[at]]
        kept = [at for at in self._order if items.items[at].id not in ties]
        keys = cluster_keys(items.items)
        self._keys, self._values, self._ids = keys, oriented, [item.id for item in items.items]
        self.all_values = np.array([oriented[at] for at in kept], dtype=np.float64)
        self.all_labels = np.array(
            [np.nan if (label := source.labels[at]) is None else label for at in kept], dtype=np.float64
        )
        self.systems = [items.items[at].system for at in kept]
        self.all_clusters = Clusters([keys[at] for at in kept])
        known = ~np.isnan(self.all_labels)
        self.labels, self.values = self.all_labels[known], self.all_values[known]
        self.clusters = Clusters([keys[at] for at, own in zip(kept, known, strict=True) if own])
        self.known_systems = [system for system, own in zip(self.systems, known, strict=True) if own]
        self.n = len(self.labels)

    @property
    def verdicts(self) -> dict[str, float]:
        """The verdict on every item that has one, by id; items with a tie are included."""
        return {self._ids[at]: value for at in self._order if (value := self._values[at]) is not None}

    @property
    def cells(self) -> dict[str, str]:
        """The cell of every item with a label and a verdict, by id; empty without verdicts."""
        labelled = ((self._ids[at], self.source.labels[at], self._values[at]) for at in self._order)
        known = labelled if self.has_verdicts else ()
        return {
            name: CELLS[2 * int(label) + int(verdict)]
            for name, label, verdict in known
            if label is not None and verdict is not None
        }

    @property
    def ties(self) -> int:
        """The number of items without a label because their raters are divided equally."""
        return len(self.source.ties)

    @property
    def accuracy_with_ties(self) -> tuple[float, float] | None:
        """The accuracy if all ties were wrong, and if all were right; None without verdicts or ties."""
        ties = sum(self._ids[at] in set(self.source.ties) for at in self._rated)
        if not self.has_verdicts or not ties:
            return None
        right = int((self.labels == self.values).sum())
        return right / (self.n + ties), (right + ties) / (self.n + ties)

    @property
    def labels_needed(self) -> int | None:
        """The number of labels for a corrected rate with an interval of ± the margin; None if all items are not enough."""
        table = LabelTable.count(self.labels, self.values, np.ones(self.n))
        return labels_needed(table, len(self.all_values), self._settings.margin)

    @property
    def margin(self) -> float:
        """The wanted half width of a corrected rate, which is the change of a rate that does not matter."""
        return self._settings.margin

    def of_system(self, system: str) -> LabelTable:
        """The table of the labelled items of one system."""
        return LabelTable.count(
            self.labels, self.values, np.array([1.0 * (own == system) for own in self.known_systems])
        )

    def judged_rate(self, system: str) -> float:
        """The share of all items of a system that the judge passes."""
        return float(self.all_values[[own == system for own in self.systems]].mean())

    def errors_by_system(self, first: str, second: str) -> dict[str, float]:
        """Fisher's test of whether the judge errs equally on two systems, among what people fail and what they pass."""
        one, two = self.of_system(first), self.of_system(second)
        errors = {
            "fail": [(each.fp, each.tn) for each in (one, two)],
            "pass": [(each.fn, each.tp) for each in (one, two)],
        }
        return {
            label: fisher_p(int(a[0]), int(a[0] + a[1]), int(b[0]), int(b[0] + b[1]))
            for label, (a, b) in errors.items()
        }

    @cached_property
    def table(self) -> tuple[int, int, int, int] | None:
        """True fails, false passes, false fails, true passes; None without verdicts."""
        if not self.has_verdicts:
            return None
        cells = [((self.labels == label) & (self.values == verdict)).sum() for label in (0, 1) for verdict in (0, 1)]
        return int(cells[0]), int(cells[1]), int(cells[2]), int(cells[3])

    @cached_property
    def figures(self) -> dict[str, Figure]:
        """All figures of the table; of scores, the area under the ROC curve and the average precision."""
        if not self.n:
            return {}
        if self.has_verdicts:
            return label_figures(self.labels, self.values, self.clusters, self._confidence)
        ranked, weights = Ranked(self.values, self.labels), self.clusters.weights()
        found = {}
        with np.errstate(all="ignore"):
            for name, measure in (("auroc", ranked.auroc), ("average_precision", ranked.average_precision)):
                value = float(measure(np.ones((1, self.n)))[0])
                is_known = 0 < self.labels.mean() < 1
                reason = "" if is_known else "people give one label only"
                ci = percentiles(measure(weights), self._confidence)[0] if is_known else None
                found[name] = Figure(value if is_known else None, ci, reason=reason)
        return found

    @cached_property
    def threshold(self) -> BestThreshold | None:
        """The best threshold of scores; None for a judge with verdicts, or with one label only."""

        if self.has_verdicts or not self.n or not 0 < self.labels.mean() < 1:
            return None
        return best_threshold(self.values, self.labels, self.clusters)

    @cached_property
    def roc(self) -> list[tuple[float, float]]:
        """The ROC curve of scores: the shares of fails and of passes above each threshold; empty for verdicts."""
        if self.threshold is None:
            return []
        fails, passes = (each[0][::-1] for each in Ranked(self.values, self.labels).counts(np.ones((1, self.n))))
        x, y = (np.concatenate([[0.0], np.cumsum(each) / each.sum()]).tolist() for each in (fails, passes))
        return list(zip(x, y, strict=True))

    @cached_property
    def calibration(self) -> Calibration | None:
        """How well declared probabilities agree with labels; None for scores that are not declared as probabilities."""

        if self.judge not in self._settings.probability or not self.n:
            return None
        if not 0 <= self.values.min() <= self.values.max() <= 1:
            raise DialmeterError(f"probability {self.judge}: a probability is between 0 and 1")
        return calibration(self.values, self.labels, self.clusters)

    def alt_tests(self, *, constant: bool = False) -> list[AltTest]:
        """The alt-test of the judge, or of a judge that always gives the most frequent label. Empty with one rater per item."""

        if not self.has_verdicts or not self.n or not any(len(self.source.raters[at]) > 1 for at in self._rated):
            return []
        usual = float(self.labels.mean() >= 0.5)
        verdicts = [usual if constant else self._values[at] for at in self._rated]
        ratings, keys = [self.source.raters[at] for at in self._rated], [self._keys[at] for at in self._rated]
        return [alt_test(ratings, verdicts, keys, epsilon) for epsilon in EPSILONS]

    @cached_property
    def left_out(self) -> LeftOutRater | None:
        """A left-out rater and the judge against the majority of the other raters; None without raters of 30 items and more."""
        rows = []
        for rater in sorted({name for at in self._rated for name in self.source.raters[at]}):
            sides: list[tuple[float, float, float]] = []
            for at in self._rated:
                own = self.source.raters[at]
                others = [label for name, label in own.items() if name != rater]
                verdict = self._values[at]
                if rater in own and others and 2 * sum(others) != len(others) and verdict is not None:
                    sides.append((float(2 * sum(others) > len(others)), own[rater], verdict))
            if len(sides) >= LEAST_RATED:
                labels, *both = np.array(sides, dtype=np.float64).T
                with np.errstate(all="ignore"):
                    tables = [LabelTable.count(labels, each, np.ones(len(labels))) for each in both]
                    rows.append([float(each) for one in tables for each in (one.kappa, one.accuracy)])
        if not rows or not self.has_verdicts:
            return None
        with np.errstate(all="ignore"):
            means = [None if np.isnan(each) else float(each) for each in np.mean(rows, axis=0)]
        return LeftOutRater(means[0], means[2], means[1], means[3])

    def corrected(self, system: str | None = None) -> CorrectedRate | None:
        """The pass rate of a system, or of all items, corrected for the errors of the judge; None if the origin of labels is unknown."""

        if self._settings.origin == "unknown" or not self.has_verdicts:
            return None
        at = [place for place, own in enumerate(self.systems) if system in (None, own)]
        clusters = Clusters([self.all_clusters.keys[place] for place in at])
        values, labels = self.all_values[at], self.all_labels[at]
        if self._settings.origin == "elsewhere":
            return rogan_gladen(values, labels, clusters)
        return post_stratified(values, labels, clusters)[0]

    def corrected_difference(self, first: str, second: str) -> CorrectedRate | None:
        """The corrected pass rate of one system minus that of another, each with its own error rates."""
        if self._settings.origin not in ("random", "by-verdict") or not self.has_verdicts:
            return None
        sides = []
        for system in (first, second):
            at = np.array([own == system for own in self.systems])
            clusters = Clusters([key for key, own in zip(self.all_clusters.keys, at, strict=True) if own])
            rate, own_influence = post_stratified(self.all_values[at], self.all_labels[at], clusters)
            influence: Floats = np.zeros(len(self.systems))
            influence[at] = own_influence
            sides.append((rate, influence))
        return rate_difference(sides[0], sides[1], self.all_clusters, 1.0 * ~np.isnan(self.all_labels))

    def record(self) -> LabelRecord:
        """The result as in JSON."""
        rates = {
            system: self.corrected(system or None) for system in ("", *sorted({each for each in self.systems if each}))
        }
        return LabelRecord(
            judge=self.judge,
            facet=self.source.facet,
            about=self.source.about,
            n=self.n,
            ties=self.ties,
            table=self.table,
            agreement=self.agreement if self.has_verdicts and self.n else None,
            left_out=self.left_out,
            alt_tests=self.alt_tests(),
            constant_alt_tests=self.alt_tests(constant=True),
            threshold=self.threshold,
            calibration=self.calibration,
            corrected={system: rate for system, rate in rates.items() if rate is not None},
        )

    @property
    def agreement(self) -> str:
        """The verdict: is the judge better than a constant one, and as good as one of the people?"""
        if len({*self.values.tolist()}) == 1:
            return "no better"
        gain = self.figures["gain_over_constant"]
        is_few = self.clusters.count < FEWEST_CLUSTERS
        if is_few or gain.value is None or gain.ci is None or gain.ci[0] <= 0 <= gain.ci[1]:
            return "cannot tell"
        if gain.ci[1] < 0 or gain.value <= 0:
            return "no better"
        tests = {each.epsilon: each.winning_rate for each in self.alt_tests()}
        if tests.get(0.1) is None:
            return "better than a constant"
        return "as well as one of them" if (tests[0.1] or 0) >= 0.5 else "less than one of them"

    @property
    def labels_to_add(self) -> str:
        """What to label to show that the judge is better, or worse, than a constant one."""
        gain = self.figures["gain_over_constant"]
        if self.clusters.count < FEWEST_CLUSTERS:
            return f"{self.clusters.count} labelled contexts are too few; label {FEWEST_CLUSTERS} or more"
        if gain.value is None or gain.ci is None or abs(gain.value) < 0.005:
            return "their rates are almost equal"
        half = (gain.ci[1] - gain.ci[0]) / 2
        return f"label about {10 * max(1, ceil(self.n * ((half / abs(gain.value)) ** 2 - 1) / 10))} more"


class LabelRecord(Struct, frozen=True, kw_only=True):
    """A judge against the labels of a facet, as in JSON.

    Attributes:
        about: what a pass means; empty if people were asked for pass or fail.
        ties: items without a label because their raters are divided equally.
        table: true fails, false passes, false fails and true passes; null for a judge without verdicts.
        agreement: the verdict; null for a judge without verdicts.
        corrected: system → corrected pass rate; the empty name is all items.
    """

    judge: str
    facet: str
    about: str
    n: int
    ties: int
    table: tuple[int, int, int, int] | None
    agreement: str | None
    left_out: LeftOutRater | None
    alt_tests: list[AltTest]
    constant_alt_tests: list[AltTest]
    threshold: BestThreshold | None
    calibration: Calibration | None
    corrected: dict[str, CorrectedRate]


def check_label_names(settings: LabelSettings, judges: Sequence[str], facets: Sequence[str]) -> None:
    """Check that the settings name facets and judges that exist.

    Raises:
        DialmeterError: one of them does not.
    """
    named: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
        "pass-if": ([settings.pass_if.name] if settings.pass_if else [], facets),
        "judge-pass-if": ([each.name for each in settings.judge_pass_if], judges),
        "probability": (settings.probability, judges),
    }
    for key, (given, known) in named.items():
        if unknown := [each for each in given if each not in known]:
            raise DialmeterError(f"{key}: there is no {unknown[0]!r}; {did_you_mean(unknown[0], known)}")


FIGURES = [
    "accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "pass_rate_people",
    "pass_rate_judge",
    "best_constant",
    "gain_over_constant",
    "f1",
    "f1_fail",
    "balanced_accuracy",
    "youden",
    "mcc",
    "kappa",
    "ac1",
    "alpha",
    "auroc",
    "average_precision",
    *(name for name in CLASS_FIGURES if name not in ("kappa", "ac1")),
]
"""The figures of labels: those of verdicts, two of scores, and those of classes."""
