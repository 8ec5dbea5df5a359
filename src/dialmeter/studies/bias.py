"""Study of bias: the correlation of measures with the position of errors, over dialogues, and the verdict on the published claim.

The position has two traits: tail-orientedness and non-uniformity, in both published versions (Aksu and Chen 2024, and the first
version of the same study). A fair measure should not depend on them, because the same mistakes at other turns are the same
mistakes. Every measure is correlated with every trait. For each pair of measures, the difference of their correlations with a
trait has Zou's interval. Everything is computed for all dialogues, for those that pass the filter of the published study, and
for those with a mistake.

The published claim: "GCA is significantly less correlated" with the position and the uniformity of mistakes than FGA. The papers
tested the signed difference r(FGA) − r(GCA), and called a positive difference "stronger"; −0.17 then counts as less than
0.12. The wording of the claim is about strength, |r(FGA)| − |r(GCA)|. Both are reported, each with its interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final, Literal, TypeAlias, get_args

from msgspec import Struct

from ..core.document import Count, Interval, Number
from ..model import Notice, dialogue_key
from ..numeric import NDArray, np
from ..stats.correlation import coefficient, pearson, zou_interval
from ..stats.formulas import Floats
from ..tracking.result import TrackerResult
from ..tracking.tally import TallyTable

TRAITS: Mapping[str, str] = {
    "TO": "tail-orientedness",
    "NU": "non-uniformity",
    "TO1": "tail-orientedness, first version",
    "NU1": "non-uniformity, first version",
}
"""Numbers of a dialogue that depend only on the mistakes at each turn: the missed, wrong and extra changes."""


def traits_of(mistakes: Sequence[int]) -> dict[str, float]:
    """Return all traits of one dialogue, with m_t mistakes at turn t of n turns, and m in all; without mistakes they are 0.

    - TO: (Σ t·m_t / m − (n−1)/2) / n, the distance of the mean turn of mistakes from the middle turn, as a share of the turns
    - NU: Σ |m_t − m/n| / (m/n), the sum of the turns' distances from the mean number of mistakes, as a multiple of that mean
    - TO1: Σ m_t·(t − (n−1)/2) / n
    - NU1: Σ (m_t − m/n)²

    Example:
        >>> traits_of([4, 0, 0, 0])
        {'TO': -0.375, 'NU': 6.0, 'TO1': -1.5, 'NU1': 12.0}
        >>> traits_of([0, 1, 1, 0]), traits_of([0, 0, 0])["TO"], traits_of([2, 2, 2, 2])["NU"], traits_of([1, 0, 0, 0])["TO1"]
        ({'TO': 0.0, 'NU': 4.0, 'TO1': 0.0, 'NU1': 1.0}, 0.0, 0.0, -0.375)
    """
    total, turns = sum(mistakes), len(mistakes)
    if not total:
        return dict.fromkeys(TRAITS, 0.0)
    # Twice the sum of signed distances from the middle turn. It is an integer, so only the later divisions round.
    distance = 2 * sum(turn * count for turn, count in enumerate(mistakes)) - total * (turns - 1)
    return {
        "TO": distance / (2 * total * turns),
        "NU": sum(abs(each * turns - total) for each in mistakes) / total,
        "TO1": distance / (2 * turns),
        "NU1": (turns * sum(each * each for each in mistakes) - total * total) / turns,
    }


def mistakes_per_turn(tally_table: TallyTable) -> list[tuple[int, ...]]:
    """Return the number of missed, wrong and extra changes of every turn, by dialogue in the order of the tally table."""
    counts = [tally.missed + tally.wrong + tally.extra for tally in tally_table.table]
    return [
        tuple(counts[row] for row in tally_table.rows_of(position)) for position in range(len(tally_table.dialogues))
    ]


LEAST = 5
"""Minimum number of dialogues for a correlation."""
SAME = 1e-9
"""Values that differ by no more are equal, because a perfect GCA is 1 only up to the last bits."""
REFERENCE, RIVAL = "GCA", "FGA(lam=0.5)"
"""The two measures that the published study compares."""

Filter: TypeAlias = Literal["none", "published", "mistakes"]
FILTERS: tuple[Filter, ...] = get_args(Filter)
FILTER_WORDS: dict[str, str] = {
    "none": "all dialogues",
    "published": "published filter",
    "mistakes": "dialogues with a mistake",
}
Mask: TypeAlias = "NDArray[np.bool_]"


class DialogueTraits(Struct, frozen=True):
    """One dialogue: its mistakes per turn, its traits, and every measure's value."""

    system: str
    dialogue: str
    mistakes: tuple[int, ...]
    traits: dict[str, float]
    values: dict[str, float | None]


class TraitCorrelation(Struct, frozen=True, kw_only=True):
    """Pearson's r of a trait with a measure over dialogues.

    Attributes:
        filter: all dialogues; those that pass the published filter for the two measures; those with a mistake.
        partner: the second measure of the published filter.
    """

    system: str
    trait: str
    measure: str
    filter: Filter
    r: Number
    ci: Interval
    n: Count
    unscored: Count
    reason: str | None
    partner: str | None


class TraitDifference(Struct, frozen=True, kw_only=True):
    """r(first) - r(second) with Zou's interval. The strength is |r(first)| - |r(second)|."""

    system: str
    trait: str
    first: str
    second: str
    filter: Filter
    first_r: Number = None
    second_r: Number = None
    difference: Number = None
    ci: Interval = None
    strength: Number = None
    strength_ci: Interval = None
    n: Count
    unscored: Count
    reason: str | None


class MeasureCorrelation(Struct, frozen=True, kw_only=True):
    """The correlation between two measures."""

    system: str
    first: str
    second: str
    filter: Filter
    r: Number
    ci: Interval
    n: Count
    unscored: Count
    reason: str | None


def rows_of(result: TrackerResult, system: str = "") -> list[DialogueTraits]:
    """Return the dialogues of a result with their traits and values.

    Example:
        >>> from dialmeter.tracking.scorer import TrackerScorer
        >>> scorer = TrackerScorer(["JGA", "GCA"])
        >>> scorer.add("d", [{"a-b": "1"}, {"a-b": "1"}], [{}, {}])
        >>> result = scorer.result()
        >>> [(row.mistakes, row.traits["TO"], row.values) for row in rows_of(result)]
        [((1, 0), -0.25, {'JGA': 0.0, 'GCA': 0.0})]
    """
    tally_table = result.measure_columns.main
    values = {each.text: result.measure_columns.per_dialogue(each.used) for each in result.measures}
    return [
        DialogueTraits(
            system, name, mistakes, traits_of(mistakes), {text: column[index] for text, column in values.items()}
        )
        for index, (name, mistakes) in enumerate(
            zip(tally_table.dialogues, mistakes_per_turn(tally_table), strict=True)
        )
    ]


def partner_of(measure: str, measures: Sequence[str]) -> str | None:
    """Return the second measure of the published filter: GCA, and for GCA itself FGA(lam=0.5), if they were requested.

    Example:
        >>> partner_of("JGA", ["JGA", "GCA"]), partner_of("GCA", ["JGA", "GCA"]), partner_of("JGA", ["JGA"])
        ('GCA', 'JGA', None)
    """
    preferred = [REFERENCE, RIVAL, *reversed(measures)] if measure != REFERENCE else [RIVAL, *measures]
    return next((each for each in preferred if each in measures and each != measure), None)


def published_filter(first: Floats, second: Floats) -> Mask:
    """Return a mask of the dialogues that pass the filter of the published study for two measures.

    The filter drops dialogues with 100 under both measures, in percent with two decimals. It then computes z-scores (sample
    standard deviation) rounded to two decimals, and drops dialogues whose two z-scores differ by less than 0.1. So dialogues are
    selected by the measures that are compared, and an interval after this filter is not one over a random sample. A dialogue
    without a score is dropped. If a measure is constant, there are no z-scores, and all dialogues are dropped.

    Example:
        >>> one, other = np.array([1.0, 1.0, 0.6, 0.2, 0.4]), np.array([1.0, 0.8, 0.4, 0.2, np.nan])
        >>> published_filter(one, other).tolist()
        [False, False, True, True, False]
    """
    mask: Mask = np.isfinite(first) & np.isfinite(second)
    mask &= ~((np.round(100 * first, 2) == 100) & (np.round(100 * second, 2) == 100))
    if mask.sum() < 2 or min(np.ptp(first[mask]), np.ptp(second[mask])) <= SAME:
        return np.zeros(len(first), dtype=np.bool_)
    # In integer hundredths. The published code subtracts floats, and 0.30 - 0.20 is slightly below 0.1.
    one, other = (
        np.round(100 * ((values - values.mean()) / values.std(ddof=1))) for values in (first[mask], second[mask])
    )
    mask[mask] = np.abs(one - other) >= 10
    return mask


def strength_limits(difference: Interval, total: Interval) -> Interval:
    """Return an interval for |r1| − |r2| from the intervals for r1 − r2 and r1 + r2.

    |r1| is greater if and only if r1, or −r1, is above both r2 and −r2. So the interval is above 0 if the intervals of both
    r1 − r2 and r1 + r2 are above 0 (or both below), and its level is valid whatever the signs. Flipping signs by hand would
    assume a sign, which is unknown for a correlation near 0.

    Example:
        >>> strength_limits((0.1, 0.3), (0.2, 0.6)), strength_limits((0.1, 0.3), (-0.1, 0.2))
        ((0.1, 0.3), (-0.1, 0.2))
    """
    if difference is None or total is None:
        return None
    (low, high), (low_total, high_total) = difference, total
    return (
        max(min(low, low_total), min(-high, -high_total)),
        min(max(high, -low_total), max(high_total, -low)),
    )


class _Columns:
    """Traits and values as arrays, with the filters and the correlations over them."""

    def __init__(self, rows: Sequence[DialogueTraits], confidence: float, system: str) -> None:
        self.rows = tuple(sorted(rows, key=lambda row: (dialogue_key(row.dialogue), row.dialogue, row.system)))
        self.measures = tuple(self.rows[0].values)
        self._confidence = confidence
        self._system = system
        self._columns = {name: np.array([row.traits[name] for row in self.rows], dtype=np.float64) for name in TRAITS}
        for name in self.measures:
            self._columns[name] = np.array([row.values[name] for row in self.rows], dtype=np.float64)
        self._mistaken = np.array([any(row.mistakes) for row in self.rows], dtype=np.bool_)
        self._masks: dict[tuple[str, ...], Mask] = {}

    def with_trait(self, trait: str, measure: str, chosen: Filter) -> TraitCorrelation:
        partner = partner_of(measure, self.measures) if chosen == "published" else None
        numbers = self._correlate(self._mask(chosen, measure, partner or measure), trait, measure)
        if chosen == "published" and partner is None:
            reason = "the published filter needs two measures"
            numbers = {"r": None, "ci": None, "n": 0, "unscored": len(self.rows), "reason": reason}
        labels: dict[str, Any] = {"system": self._system, "filter": chosen, "partner": partner}
        return TraitCorrelation(trait=trait, measure=measure, **labels, **numbers)

    def between(self, first: str, second: str, chosen: Filter) -> MeasureCorrelation:
        correlation = self._correlate(self._mask(chosen, first, second), first, second)
        return MeasureCorrelation(system=self._system, first=first, second=second, filter=chosen, **correlation)

    def compare(self, trait: str, first: str, second: str, chosen: Filter) -> TraitDifference:
        mask = self._mask(chosen, first, second)
        fields: dict[str, Any] = {"trait": trait, "first": first, "second": second, "filter": chosen}
        fields |= {"system": self._system, **self._counts(mask, trait, first, second)}
        if fields["reason"]:
            return TraitDifference(**fields)
        t, a, b = (self._columns[name][mask] for name in (trait, first, second))
        r1, r2, r12 = coefficient(t, a), coefficient(t, b), coefficient(a, b)
        difference = zou_interval(r1, r2, r12, fields["n"], confidence=self._confidence)
        total = zou_interval(r1, -r2, -r12, fields["n"], confidence=self._confidence)
        return TraitDifference(
            **fields | {"reason": difference.reason},
            first_r=r1,
            second_r=r2,
            difference=difference.value,
            ci=difference.ci,
            strength=abs(r1) - abs(r2),
            strength_ci=strength_limits(difference.ci, total.ci),
        )

    def _mask(self, chosen: Filter, first: str, second: str) -> Mask:
        """Return a mask of the dialogues that pass the filter and have a score under both measures."""
        key = (chosen, first, second)
        if key not in self._masks:
            a, b = self._columns[first], self._columns[second]
            scored: Mask = np.isfinite(a) & np.isfinite(b)
            if chosen == "published":
                scored = published_filter(a, b)
            elif chosen == "mistakes":
                scored &= self._mistaken
            self._masks[key] = scored
        return self._masks[key]

    def _counts(self, mask: Mask, *names: str) -> dict[str, Any]:
        """Return the number of selected dialogues, and the reason if these columns have no correlation over them."""
        n = int(mask.sum())
        constant = next((name for name in names if n and np.ptp(self._columns[name][mask]) <= SAME), None)
        reason = constant and f"{constant} is the same in all {n} dialogues"
        if n < LEAST:
            reason = f"a correlation needs {LEAST} dialogues, but only {n} of {len(self.rows)} pass the filter"
        return {"n": n, "unscored": len(self.rows) - n, "reason": reason}

    def _correlate(self, mask: Mask, first: str, second: str) -> dict[str, Any]:
        """Return Pearson's r of two columns with its interval and counts."""
        counts = self._counts(mask, first, second)
        if counts["reason"]:
            return {**counts, "r": None, "ci": None}
        r = pearson(*(self._columns[name][mask] for name in (first, second)), confidence=self._confidence)
        return {**counts, "r": r.value, "ci": r.ci, "reason": r.reason}


Outcome: TypeAlias = Literal["holds", "fails", "undecided", "no value"]
HOLDS: Final = "holds"
FAILS: Final = "fails"
UNDECIDED: Final = "undecided"
NO_VALUE: Final = "no value"
WORDS: dict[Outcome, str] = {
    HOLDS: "holds",
    FAILS: "does not hold",
    UNDECIDED: "is undecided",
    NO_VALUE: "cannot be judged",
}
"""Outcomes as the end of a sentence."""

PUBLISHED: Mapping[str, tuple[float, float]] = {
    "TO": (0.08, -0.05),
    "NU": (0.59, 0.40),
    "TO1": (0.08, -0.02),
    "NU1": (0.12, -0.17),
}
"""Correlations of FGA and GCA as printed: TO and NU in the paper, TO1 and NU1 in its first version."""


class BiasVerdict(Struct, frozen=True, kw_only=True):
    """The verdict on the claim that the reference (GCA) depends less on a trait than the rival.

    Attributes:
        outcome: verdict by strength.
        as_tested: verdict by signed correlations, as in the papers.
        published: correlations of FGA and GCA as printed in the papers.
    """

    system: str
    trait: str
    filter: Filter
    rival: str
    reference: str
    rival_r: Number
    reference_r: Number
    outcome: Outcome
    strength: Number
    strength_ci: Interval
    as_tested: Outcome
    difference: Number
    ci: Interval
    n: Count
    reason: str | None
    published: Interval


class SignChange(Struct, frozen=True, kw_only=True):
    """A correlation whose sign depends on the published filter, where both intervals exclude 0."""

    system: str
    trait: str
    measure: str
    none: float
    published: float


def excludes_zero(ci: Interval) -> bool:
    """Return True if an interval exists and excludes zero.

    Example:
        >>> excludes_zero((0.1, 0.2)), excludes_zero((-0.1, 0.2)), excludes_zero(None)
        (True, False, False)
    """
    return ci is not None and (ci[0] > 0 or ci[1] < 0)


def _outcome(ci: Interval) -> Outcome:
    if ci is None:
        return NO_VALUE
    return HOLDS if ci[0] > 0 else FAILS if ci[1] < 0 else UNDECIDED


def _verdict(pair: TraitDifference) -> BiasVerdict:
    rival, reference = (pair.first, pair.first_r), (pair.second, pair.second_r)
    strength, strength_ci, difference, ci = pair.strength, pair.strength_ci, pair.difference, pair.ci
    if pair.first == REFERENCE:
        rival, reference = reference, rival
        strength, difference = (None if each is None else -each for each in (strength, difference))
        strength_ci, ci = (each and (-each[1], -each[0]) for each in (strength_ci, ci))
    return BiasVerdict(
        system=pair.system,
        trait=pair.trait,
        filter=pair.filter,
        rival=rival[0],
        reference=reference[0],
        rival_r=rival[1],
        reference_r=reference[1],
        outcome=_outcome(strength_ci),
        strength=strength,
        strength_ci=strength_ci,
        as_tested=_outcome(ci),
        difference=difference,
        ci=ci,
        n=pair.n,
        reason=pair.reason,
        published=PUBLISHED[pair.trait] if rival[0] == RIVAL else None,
    )


class BiasStudy(Struct, frozen=True, kw_only=True):
    """All correlations on one set of dialogues."""

    system: str
    measures: tuple[str, ...]
    rows: tuple[DialogueTraits, ...]
    confidence: float
    correlations: tuple[TraitCorrelation, ...]
    pairs: tuple[TraitDifference, ...]
    between: tuple[MeasureCorrelation, ...]

    @property
    def verdicts(self) -> list[BiasVerdict]:
        """One verdict per trait, filter and measure other than GCA; empty if GCA was not requested.

        Example:
            >>> rows = [
            ...     DialogueTraits("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "GCA": n % 3 / 3})
            ...     for n in range(30)
            ... ]
            >>> first = study_bias(rows).verdicts[0]
            >>> first.trait, first.filter, first.outcome, round(first.reference_r, 3), round(first.rival_r, 3)
            ('TO', 'none', 'holds', -0.179, -0.648)
        """
        unsorted = [_verdict(pair) for pair in self.pairs if REFERENCE in (pair.first, pair.second)]
        traits = list(PUBLISHED)
        return sorted(unsorted, key=lambda each: (self.measures.index(each.rival), traits.index(each.trait)))

    @property
    def sign_changes(self) -> list[SignChange]:
        """The correlations whose sign depends on the published filter, where both intervals exclude 0."""
        cells = {(each.trait, each.measure, each.filter): each for each in self.correlations}
        return [
            SignChange(system=self.system, trait=trait, measure=measure, none=none.r, published=published.r)
            for (trait, measure, chosen), none in cells.items()
            if chosen == "none" and excludes_zero(none.ci)
            if excludes_zero((published := cells[trait, measure, "published"]).ci)
            if none.r is not None and published.r is not None and none.r * published.r < 0
        ]

    @property
    def no_correlation(self) -> str | None:
        """Why no measure has a correlation with any trait under any filter; None if one has."""
        if any(each.r is not None for each in self.correlations):
            return None
        return self.correlations[0].reason


def study_bias(rows: Sequence[DialogueTraits], *, system: str = "", confidence: float = 0.95) -> BiasStudy:
    """Correlate measures with traits, compare the correlations of every pair of measures, and correlate measures with each other.

    Example:
        >>> rows = [
        ...     DialogueTraits("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "GCA": 1 / (n + 1)})
        ...     for n in range(9)
        ... ]
        >>> first = study_bias(rows).correlations[0]
        >>> first.trait, first.measure, first.filter, round(first.r, 2), first.n
        ('TO', 'JGA', 'none', -0.82, 9)
    """
    table = _Columns(rows, confidence, system)
    measures = table.measures
    pairs = [(first, second, chosen) for chosen in FILTERS for first, second in combinations(measures, 2)]
    return BiasStudy(
        system=system,
        measures=measures,
        rows=table.rows,
        confidence=confidence,
        correlations=tuple(
            table.with_trait(trait, measure, chosen) for trait in TRAITS for measure in measures for chosen in FILTERS
        ),
        pairs=tuple(table.compare(trait, *pair) for pair in pairs for trait in TRAITS),
        between=tuple(table.between(*pair) for pair in pairs),
    )


def notices_of_study(study: BiasStudy) -> list[Notice]:
    """Return warnings: too few dialogues, no mistakes, constant measures, dialogues that are in several pooled files.

    Example:
        >>> rows = [DialogueTraits("", "d", (0, 1), traits_of((0, 1)), {"JGA": 0.5})]
        >>> [notice.message for notice in notices_of_study(study_bias(rows))]
        ['1 dialogues are too few for correlations; the study needs 5 or more']
    """
    name, n = f"{study.system}: " if study.system else "", len(study.rows)
    if n < LEAST:
        message = f"{name}{n} dialogues are too few for correlations; the study needs {LEAST} or more"
        return [Notice("few-dialogues", n, message)]
    if not any(any(row.mistakes) for row in study.rows):
        message = f"{name}no dialogue has a mistake, so the dependence of measures on mistakes cannot be analysed"
        return [Notice("no-mistakes", n, message)]
    scored = {
        measure: [value for row in study.rows if (value := row.values[measure]) is not None]
        for measure in study.measures
    }
    constant = [name for name, values in scored.items() if not values or max(values) - min(values) <= SAME]
    repeated = [key for key, times in Counter(dialogue_key(row.dialogue) for row in study.rows).items() if times > 1]
    notices = [
        Notice("constant", len(constant), f"{name}all dialogues have the same value of {', '.join(constant)}"),
        Notice(
            "repeated-dialogues",
            len(repeated),
            f"{name}{len(repeated)} dialogues are in several files; intervals treat them as independent "
            "and are too narrow",
            tuple(sorted(repeated)[:10]),
        ),
    ]
    return [notice for notice in notices if notice.count]
