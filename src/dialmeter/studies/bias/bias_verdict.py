"""Test the claim of the published bias study on the given dialogues: verdicts, plain sentences, warnings.

The claim: "GCA is significantly less correlated" with the position and the uniformity of mistakes than FGA. The papers
tested the signed difference r(FGA) − r(GCA), and called a positive difference "stronger"; −0.17 then counts as less than
0.12. The wording of the claim is about strength, |r(FGA)| − |r(GCA)|. Both are reported, each with its interval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ...core.document import Count, Interval, Number
from ...model import Notice, dialogue_key
from .correlations import (
    FILTER_WORDS,
    LEAST,
    REFERENCE,
    RIVAL,
    SAME,
    BiasStudy,
    Filter,
    TraitCorrelation,
    TraitDifference,
)

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

_HIGHER_IF = {
    "TO": ("mistakes are late", "mistakes are early"),
    "NU": ("mistakes are concentrated", "mistakes are spread out"),
}
"""By trait, the condition under which a measure with a positive, or a negative, correlation is higher."""


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
    sentence: str


class SignChange(Struct, frozen=True, kw_only=True):
    """A correlation whose sign depends on the published filter, where both intervals exclude 0."""

    system: str
    trait: str
    measure: str
    none: float
    published: float
    sentence: str


def verdicts(study: BiasStudy) -> list[BiasVerdict]:
    """Return one verdict per trait, filter and measure other than GCA; empty if GCA was not requested.

    Example:
        >>> from dialmeter.studies.bias.correlations import DialogueTraits, study_bias
        >>> from dialmeter.studies.bias.correlations import traits_of
        >>> rows = [
        ...     DialogueTraits("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "GCA": n % 3 / 3})
        ...     for n in range(30)
        ... ]
        >>> print(verdicts(study_bias(rows))[0].sentence)  # doctest: +ELLIPSIS
        TO, all dialogues: the claim that GCA depends on it less than JGA holds: r -0.179 against -0.648, ...
    """
    pairs = [_reverse(pair) if pair.first == REFERENCE else pair for pair in study.pairs]
    unsorted = [_verdict(pair, study.confidence) for pair in pairs if pair.second == REFERENCE]
    traits = list(PUBLISHED)
    return sorted(unsorted, key=lambda each: (study.measures.index(each.rival), traits.index(each.trait)))


def sign_changes(study: BiasStudy) -> list[SignChange]:
    """Return the correlations whose sign depends on the published filter, where both intervals exclude 0."""
    correlations: dict[tuple[str, str], dict[str, TraitCorrelation]] = {}
    for each in study.correlations:
        correlations.setdefault((each.trait, each.measure), {})[each.filter] = each
    changes = []
    for (trait, measure), by_filter in correlations.items():
        none, published = by_filter["none"], by_filter["published"]
        if none.r is None or published.r is None or none.r * published.r >= 0:
            continue
        if excludes_zero(none.ci) and excludes_zero(published.ci):
            sentence = (
                f"The published filter changes the correlation of {measure} with {trait} "
                f"from {none.r:.3f} ({limits(none.ci)}) to {published.r:.3f} ({limits(published.ci)})."
            )
            labels = {"system": study.system, "trait": trait, "measure": measure, "sentence": sentence}
            changes.append(SignChange(**labels, none=none.r, published=published.r))
    return changes


def limits(ci: Interval) -> str:
    """Format an interval of correlations.

    Example:
        >>> limits((-0.1, 0.25)), limits(None)
        ('-0.100 to 0.250', 'no interval')
    """
    return "no interval" if ci is None else f"{ci[0]:.3f} to {ci[1]:.3f}"


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


def _verdict(pair: TraitDifference, confidence: float) -> BiasVerdict:
    outcome, as_tested = _outcome(pair.strength_ci), _outcome(pair.ci)
    claim = (
        f"{pair.trait}, {FILTER_WORDS[pair.filter]}: the claim that {pair.second} depends on it less than {pair.first}"
    )
    if outcome == NO_VALUE:
        sentence = f"{claim} {WORDS[outcome]}, because {pair.reason}."
    else:
        numbers = f"r {pair.second_r:.3f} against {pair.first_r:.3f}, |r| differs by {pair.strength:.3f}"
        sentence = f"{claim} {WORDS[outcome]}: {numbers} ({100 * confidence:g} % {limits(pair.strength_ci)})."
        if as_tested != outcome:
            sentence += f" In the papers' test of signed correlations it {WORDS[as_tested]} ({limits(pair.ci)})."
    return BiasVerdict(
        system=pair.system,
        trait=pair.trait,
        filter=pair.filter,
        rival=pair.first,
        reference=pair.second,
        rival_r=pair.first_r,
        reference_r=pair.second_r,
        outcome=outcome,
        strength=pair.strength,
        strength_ci=pair.strength_ci,
        as_tested=as_tested,
        difference=pair.difference,
        ci=pair.ci,
        n=pair.n,
        reason=pair.reason,
        published=PUBLISHED[pair.trait] if pair.first == RIVAL else None,
        sentence=sentence,
    )


def _reverse(pair: TraitDifference) -> TraitDifference:
    """Return the same pair with first and second exchanged."""
    return replace(
        pair,
        first=pair.second,
        second=pair.first,
        first_r=pair.second_r,
        second_r=pair.first_r,
        difference=None if pair.difference is None else -pair.difference,
        ci=pair.ci and (-pair.ci[1], -pair.ci[0]),
        strength=None if pair.strength is None else -pair.strength,
        strength_ci=pair.strength_ci and (-pair.strength_ci[1], -pair.strength_ci[0]),
    )


def summary(study: BiasStudy) -> list[str]:
    """Summarise a study in sentences: the papers' claim, the measures that depend on error position, and changed signs.

    Example:
        >>> from dialmeter.studies.bias.correlations import DialogueTraits, study_bias
        >>> from dialmeter.studies.bias.correlations import traits_of
        >>> rows = [
        ...     DialogueTraits("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "SA": n % 3 / 3})
        ...     for n in range(30)
        ... ]
        >>> for line in summary(study_bias(rows))[:2]:
        ...     print(line)
        The papers compare FGA(lam=0.5) with GCA; request both measures to test their claim on these dialogues.
        Dialogues with a mistake, TO: higher if mistakes are early: JGA (-0.648); no dependence found: SA.
    """
    reason = no_correlation(study)
    if reason:
        return [f"The position of mistakes cannot be analysed: {reason}."]
    changes = [change.sentence for change in sign_changes(study)]
    return [*_claim(verdicts(study)), *(_dependence(study, trait) for trait in _HIGHER_IF), *changes]


def no_correlation(study: BiasStudy) -> str | None:
    """Return why no measure has a correlation with any trait under any filter, or None if one has."""
    if any(each.r is not None for each in study.correlations):
        return None
    return study.correlations[0].reason


def _claim(all_verdicts: Sequence[BiasVerdict]) -> list[str]:
    own = {(verdict.filter, verdict.trait): verdict for verdict in all_verdicts if verdict.rival == RIVAL}
    if not own:
        return [
            f"The papers compare {RIVAL} with {REFERENCE}; request both measures to test their claim on these dialogues."
        ]
    lines = [
        f"The papers claim that {REFERENCE} depends on TO and NU less than {RIVAL}. Over all dialogues this holds for "
        f"{_held(own, 'none')}; with the published filter for {_held(own, 'published')}."
    ]
    for trait in PUBLISHED:
        of_trait = [verdict for (_, name), verdict in own.items() if name == trait]
        parts = [
            f"{FILTER_WORDS[each.filter]}: {WORDS[each.outcome]} "
            f"({limits(each.strength_ci) if each.strength_ci else each.reason})"
            for each in of_trait
        ]
        lines.append(f"{trait}, {'; '.join(parts)}.")
        other = [FILTER_WORDS[each.filter] for each in of_trait if each.as_tested not in (each.outcome, NO_VALUE)]
        if other:
            lines.append(f"{trait}: the papers' test of signed correlations disagrees for {', '.join(other)}.")
    return lines


def _held(own: Mapping[tuple[Filter, str], BiasVerdict], chosen: Filter) -> str:
    """Return the traits for which the claim holds under a filter, in words."""
    outcomes = {trait: own[chosen, trait].outcome for trait in ("TO", "NU")}
    if all(outcome == NO_VALUE for outcome in outcomes.values()):
        return "neither, because it cannot be judged"
    traits = [trait for trait, outcome in outcomes.items() if outcome == HOLDS]
    return {0: "neither", 1: f"{''.join(traits)} only", 2: "both"}[len(traits)]


def _dependence(study: BiasStudy, trait: str) -> str:
    groups: dict[str, list[str]] = {}
    for each in study.correlations:
        if each.trait != trait or each.filter != "mistakes":
            continue
        if each.r is None:
            dependence, measure = f"no correlation, because {each.reason}", each.measure
        elif excludes_zero(each.ci):
            dependence, measure = f"higher if {_HIGHER_IF[trait][each.r < 0]}", f"{each.measure} ({each.r:.3f})"
        else:
            dependence, measure = "no dependence found", each.measure
        groups.setdefault(dependence, []).append(measure)
    parts = [f"{dependence}: {', '.join(measures)}" for dependence, measures in groups.items()]
    return f"Dialogues with a mistake, {trait}: {'; '.join(parts)}."


def notices_of_study(study: BiasStudy) -> list[Notice]:
    """Return warnings: too few dialogues, no mistakes, constant measures, dialogues that are in several pooled files.

    Example:
        >>> from dialmeter.studies.bias.correlations import DialogueTraits, study_bias
        >>> from dialmeter.studies.bias.correlations import traits_of
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
    constant = []
    for measure in study.measures:
        values = [value for row in study.rows if (value := row.values[measure]) is not None]
        if not values or max(values) - min(values) <= SAME:
            constant.append(measure)
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
