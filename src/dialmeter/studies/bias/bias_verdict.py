"""What the papers claim of the bias study, and whether it holds on the dialogues at hand.

The claim: "GCA is significantly less correlated" with the position and the uniformity of mistakes than FGA. The papers
tested r(FGA) − r(GCA), with signs, and called a positive difference "stronger"; −0.17 then counts as less than 0.12.
What the words say is a matter of strength, |r(FGA)| − |r(GCA)|. Both are told, each with the interval that decides it.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from .bias import REFERENCE, RIVAL
from .bias_filter import FILTER_WORDS, Filter
from .bias_findings import Correlation, Limits, Pair, Study

HOLDS, FAILS, UNDECIDED, NO_VALUE = "holds", "fails", "undecided", "no value"
WORDS = {HOLDS: "holds", FAILS: "does not hold", UNDECIDED: "is undecided", NO_VALUE: "cannot be judged"}
"""Outcomes as the end of a sentence."""

PUBLISHED: Mapping[str, tuple[float, float]] = {
    "TO": (0.08, -0.05),
    "NU": (0.59, 0.40),
    "TO1": (0.08, -0.02),
    "NU1": (0.12, -0.17),
}
"""Correlations of FGA and GCA as printed: TO and NU in the paper, TO1 and NU1 in its first version."""


class Verdict(Struct, frozen=True, kw_only=True):
    """Does a trait move GCA less than another measure? ``outcome`` by strength, ``as_tested`` by the papers' test."""

    trait: str
    filter: Filter
    rival: str
    reference: str
    rival_r: float | None
    reference_r: float | None
    outcome: str
    strength: float | None
    strength_ci: Limits
    as_tested: str
    difference: float | None
    ci: Limits
    n: int
    reason: str | None
    published: tuple[float, float] | None
    sentence: str


class SignChange(Struct, frozen=True, kw_only=True):
    """A correlation whose interval excludes 0 on either side, depending on the filter."""

    trait: str
    measure: str
    none: float
    published: float
    sentence: str


def verdicts(study: Study) -> list[Verdict]:
    """One verdict per trait, filter and measure beside GCA; none where GCA was not asked for.

    Example:
        >>> from dialmeter.studies.bias.bias import Row, study
        >>> from dialmeter.studies.bias.error_position import traits_of
        >>> rows = [Row("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "GCA": n % 3 / 3}) for n in range(30)]
        >>> print(verdicts(study(rows))[0].sentence)  # doctest: +ELLIPSIS
        TO, all dialogues: that GCA follows it less than JGA does holds: r -0.179 against -0.648, ...
    """
    pairs = [_turned(pair) if pair.first == REFERENCE else pair for pair in study.pairs]
    found = [_verdict(pair, study.confidence) for pair in pairs if pair.second == REFERENCE]
    traits = list(PUBLISHED)
    return sorted(found, key=lambda each: (study.measures.index(each.rival), traits.index(each.trait)))


def sign_changes(study: Study) -> list[SignChange]:
    """The correlations whose sign depends on the published filter, intervals without 0 on both sides."""
    both: dict[tuple[str, str], dict[str, Correlation]] = {}
    for each in study.correlations:
        both.setdefault((each.trait, each.measure), {})[each.filter] = each
    found = []
    for (trait, measure), by_filter in both.items():
        none, published = by_filter["none"], by_filter["published"]
        if none.r is None or published.r is None or none.r * published.r >= 0:
            continue
        if excludes_zero(none.ci) and excludes_zero(published.ci):
            sentence = (
                f"The published filter turns the correlation of {measure} with {trait} "
                f"from {none.r:.3f} ({limits(none.ci)}) to {published.r:.3f} ({limits(published.ci)})."
            )
            change = {"trait": trait, "measure": measure, "none": none.r, "published": published.r}
            found.append(SignChange(**change, sentence=sentence))  # type: ignore[arg-type]
    return found


def limits(ci: Limits) -> str:
    """An interval of correlations.

    Example:
        >>> limits((-0.1, 0.25)), limits(None)
        ('-0.100 to 0.250', 'no interval')
    """
    return "no interval" if ci is None else f"{ci[0]:.3f} to {ci[1]:.3f}"


def excludes_zero(ci: Limits) -> bool:
    """Does an interval decide the sign?

    Example:
        >>> excludes_zero((0.1, 0.2)), excludes_zero((-0.1, 0.2)), excludes_zero(None)
        (True, False, False)
    """
    return ci is not None and (ci[0] > 0 or ci[1] < 0)


def _outcome(ci: Limits) -> str:
    if ci is None:
        return NO_VALUE
    return HOLDS if ci[0] > 0 else FAILS if ci[1] < 0 else UNDECIDED


def _verdict(pair: Pair, confidence: float) -> Verdict:
    outcome, as_tested = _outcome(pair.strength_ci), _outcome(pair.ci)
    return Verdict(
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
        sentence=_sentence(pair, outcome, as_tested, confidence),
    )


def _sentence(pair: Pair, outcome: str, as_tested: str, confidence: float) -> str:
    claim = f"{pair.trait}, {FILTER_WORDS[pair.filter]}: that {pair.second} follows it less than {pair.first} does"
    if outcome == NO_VALUE:
        return f"{claim} {WORDS[outcome]}, because {pair.reason}."
    numbers = f"r {pair.second_r:.3f} against {pair.first_r:.3f}, |r| differs by {pair.strength:.3f}"
    sentence = f"{claim} {WORDS[outcome]}: {numbers} ({100 * confidence:g} % {limits(pair.strength_ci)})."
    if as_tested != outcome:
        sentence += f" By the papers' test of signed correlations it {WORDS[as_tested]} ({limits(pair.ci)})."
    return sentence


def _turned(pair: Pair) -> Pair:
    """The same pair with first and second exchanged."""
    return Pair(
        trait=pair.trait,
        first=pair.second,
        second=pair.first,
        filter=pair.filter,
        first_r=pair.second_r,
        second_r=pair.first_r,
        difference=None if pair.difference is None else -pair.difference,
        ci=pair.ci and (-pair.ci[1], -pair.ci[0]),
        strength=None if pair.strength is None else -pair.strength,
        strength_ci=pair.strength_ci and (-pair.strength_ci[1], -pair.strength_ci[0]),
        n=pair.n,
        left_out=pair.left_out,
        reason=pair.reason,
    )
