"""Error rates by attack, judge and corpus, with counts, intervals and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec import Struct

from .._version import __version__
from ..measure import Score
from .ask import NOT_ASKED, JudgeScores, ScorePair
from .cases import Case, Relation, Threshold, cases_digest, conforms, expected_of, facet_of, relation, row_of
from .judge import AnyJudge, identity_digest, identity_of, is_pairwise

if TYPE_CHECKING:
    from ..stats.intervals import Interval

CONTROL = "identical"
OUTSIDE = "outside what the judge claims to judge"


class CaseOutcome(Struct, frozen=True):
    """The verdict on one judge and one case; an unscored case has no relation."""

    case: int
    difference: float | None
    """Human minus adversarial; the sign is flipped for judges where lower is better."""
    relation: Relation | None
    conforms: bool | None


class ErrorCell(Score, frozen=True, kw_only=True, omit_defaults=False):
    """The error rate of one judge under one attack on one corpus, or no value with a ``reason``.

    ``higher``, ``similar`` and ``lower`` are the shares of cases in which the score of the human reply is higher than, similar to,
    or lower than the score of the adversarial reply.
    """

    judge: str
    attack: str
    corpus: str
    facet: str
    expected: str
    higher: float | None
    similar: float | None
    lower: float | None
    difference: float | None
    difference_ci: tuple[float, float] | None
    difference_ci_reason: str
    threshold: float | None
    degenerate: bool
    trivial: bool
    outcomes: tuple[CaseOutcome, ...]


class VerdictSettings(Struct, frozen=True):
    """The settings of error rates: threshold, verdict rules, and confidence level of the intervals."""

    threshold: Threshold = Threshold("paper", 0.05)
    verdict: str = "paper"
    confidence: float = 0.95


class JudgeDescription(Struct, frozen=True):
    """The description of a judge in tables."""

    name: str
    identity: str
    higher_is_better: bool
    facets: frozenset[str] | None = None
    trivial: bool = False
    pairwise: bool = False

    @property
    def digest(self) -> str:
        """A digest of everything that the judge's error rates depend on: its identity, its direction and its facets."""
        declared = [] if self.higher_is_better else ["lower is better"]
        declared += [] if self.facets is None else [",".join(sorted(self.facets))]
        return identity_digest("|".join([self.identity, *declared]))

    def difference(self, pair: ScorePair) -> float | None:
        """The margin by which the human reply is better than the adversarial one. For a pairwise judge, the mean over both orders.

        Example:
            >>> JudgeDescription("x", "x", True, pairwise=True).difference(ScorePair(1.0, 0.0))
            0.5
        """
        human, adversarial = pair
        if human is None or adversarial is None:
            return None
        difference = human - adversarial if self.higher_is_better else adversarial - human
        return difference / 2 if self.pairwise else difference

    def threshold(self, rule: Threshold) -> Threshold:
        """The threshold rule for this judge. For a pairwise judge any preference counts, because there are no human scores with a spread.

        Example:
            >>> str(JudgeDescription("x", "x", True, pairwise=True).threshold(Threshold("sd", 0.5)))
            'fixed(0)'
        """
        return Threshold("fixed", 0.0) if self.pairwise and rule.mode in ("paper", "sd") else rule


def describe_judge(name: str, judge: AnyJudge, *, trivial: bool = False) -> JudgeDescription:
    """The description of a judge object."""
    higher_is_better = bool(getattr(judge, "higher_is_better", True))
    return JudgeDescription(name, identity_of(judge), higher_is_better, judge.facets, trivial, is_pairwise(judge))


def error_cells(
    cases: Sequence[Case], scored: JudgeScores, judges: Sequence[JudgeDescription], settings: VerdictSettings
) -> list[ErrorCell]:
    """All cells, ordered by corpus, attack (in the order of the cases) and judge."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, case in enumerate(cases):
        groups.setdefault((case.corpus, row_of(case, settings.verdict)), []).append(number)
    errors = {(each.judge, each.case): each.detail for each in reversed(scored.failures) if each.reason != NOT_ASKED}
    noise = {judge.name: _noise(cases, scored.pairs[judge.name], judge) for judge in judges}
    constant = {judge.name: degenerate(scored.pairs[judge.name]) for judge in judges}
    return [
        _cell(
            cases,
            numbers,
            scored.pairs[judge.name],
            judge,
            settings,
            noise=noise[judge.name],
            constant=constant[judge.name],
            first_error=_first_error(errors, judge, numbers),
        )
        for corpus in dict.fromkeys(case.corpus for case in cases)
        for (group_corpus, _), numbers in groups.items()
        if group_corpus == corpus
        for judge in judges
    ]


def degenerate(pairs: Sequence[ScorePair]) -> bool:
    """True if the judge gave every reply the same score.

    Example:
        >>> degenerate([ScorePair(1.0, 1.0), ScorePair(1.0, None)]), degenerate([ScorePair(1.0, 1.1)]), degenerate([ScorePair(None, None)])
        (True, False, False)
    """
    values = {score for pair in pairs for score in pair if score is not None}
    return len(values) == 1 and sum(score is not None for pair in pairs for score in pair) > 1


def _cell(
    cases: Sequence[Case],
    numbers: Sequence[int],
    pairs: Sequence[ScorePair],
    judge: JudgeDescription,
    settings: VerdictSettings,
    *,
    noise: Mapping[int, float],
    constant: bool,
    first_error: str,
) -> ErrorCell:
    first = cases[numbers[0]]
    facet = facet_of(first, settings.verdict)
    scored = [number for number in numbers if None not in pairs[number]]
    human_scores = [human for number in scored if (human := pairs[number].human) is not None]
    threshold = judge.threshold(settings.threshold).value(human_scores, list(noise.values()))
    outcomes = tuple(
        _outcome(cases[number], number, pairs[number], judge=judge, threshold=threshold, settings=settings)
        for number in numbers
    )
    judged = [each for each in outcomes if each.relation is not None]
    outside = judge.facets is not None and facet not in judge.facets and first.attack != CONTROL
    reason = OUTSIDE if outside else _why_no_rate(len(scored), threshold, settings, first_error)
    own, answered, control = ([cases[number] for number in each] for each in (numbers, scored, noise))
    errors = [(cases[each.case], not each.conforms) for each in judged if not reason]
    rate = rate_over_dialogues(errors, settings.confidence)
    expected = " or ".join(sorted({expected_of(cases[number], settings.verdict) for number in numbers}))
    shares = {
        kind: fmean(each.relation == kind for each in judged) if judged else None
        for kind in ("higher", "similar", "lower")
    }
    differences = [each.difference for each in outcomes if each.difference is not None]
    spread = _student(differences, settings.confidence)
    attack = row_of(first, settings.verdict)
    return ErrorCell(
        measure="error",
        judge=judge.name,
        attack=attack,
        corpus=first.corpus,
        group={"judge": judge.name, "attack": attack, "corpus": first.corpus},
        facet=facet,
        expected=expected,
        value=rate.value,
        ci=rate.ci,
        ci_reason=rate.reason or "",
        n=len(scored),
        unscored=len(numbers) - len(scored),
        **shares,
        difference=fmean(differences) if differences else None,
        difference_ci=spread.ci,
        difference_ci_reason=spread.reason or "",
        threshold=threshold,
        degenerate=constant,
        trivial=judge.trivial,
        reason=reason,
        signature=_signature(judge, own, settings, scored=answered, control=control, expected=expected),
        outcomes=outcomes,
    )


def rate_over_dialogues(cases: Iterable[tuple[Case, bool]], confidence: float) -> Interval:
    """The share of cases with a property, with an interval that takes the cases of a dialogue together."""
    from ..stats.intervals import clustered_proportion

    counts: dict[str, list[bool]] = {}
    for case, has_property in cases:
        counts.setdefault(case.source.dialogue, []).append(has_property)
    return clustered_proportion(((sum(each), len(each)) for each in counts.values()), confidence=confidence)


def _outcome(
    case: Case,
    number: int,
    pair: ScorePair,
    *,
    judge: JudgeDescription,
    threshold: float | None,
    settings: VerdictSettings,
) -> CaseOutcome:
    difference = judge.difference(pair)
    if difference is None or threshold is None:
        return CaseOutcome(number, difference, None, None)
    actual = relation(difference, threshold)
    return CaseOutcome(number, difference, actual, conforms(actual, expected_of(case, settings.verdict)))


def _noise(cases: Sequence[Case], pairs: Sequence[ScorePair], judge: JudgeDescription) -> dict[int, float]:
    """The judge's differences on the cases with identical replies, over all corpora, by number of the case."""
    return {
        number: abs(difference)
        for number, (case, pair) in enumerate(zip(cases, pairs, strict=True))
        if (case.reply, case.context) == (case.adversarial, case.attacked_context)
        and (difference := judge.difference(pair)) is not None
    }


def _first_error(errors: Mapping[tuple[str, int], str], judge: JudgeDescription, numbers: Sequence[int]) -> str:
    """The first error of a judge on these cases. If there is none, its first error on any case."""
    own = {case: why for (name, case), why in errors.items() if name == judge.name}
    return next((own[number] for number in numbers if number in own), own[min(own)] if own else "")


def _why_no_rate(scored: int, threshold: float | None, settings: VerdictSettings, first_error: str) -> str:
    """The reason why there is no error rate; empty if there is one."""
    if not scored:
        return f"no case was scored: {first_error}" if first_error else "no case was scored"
    if threshold is None and settings.threshold.mode == "noise":
        return f"the noise of the judge is unknown: add cases of the attack {CONTROL}"
    return "the threshold needs at least two scored cases" if threshold is None else ""


def _student(differences: Sequence[float], confidence: float) -> Interval:
    from ..stats.intervals import Interval, student_interval

    if not confidence or len(differences) < 2:
        return Interval(None, None, None, len(differences))
    return student_interval(differences, confidence=confidence)


def _signature(
    judge: JudgeDescription,
    cases: Sequence[Case],
    settings: VerdictSettings,
    *,
    scored: Sequence[Case],
    control: Sequence[Case],
    expected: str,
) -> str:
    threshold = judge.threshold(settings.threshold)
    n = len(scored)
    parts = {
        "judge": f"{judge.name.replace('|', '/')}@{judge.digest}",
        "attack": row_of(cases[0], settings.verdict),
        "corpus": cases[0].corpus or "-",
        "expected": expected,
        "threshold": f"{threshold}@{cases_digest(control)}" if threshold.mode == "noise" else threshold,
        "verdict": settings.verdict,
        "scored": f"{n}/{len(cases)}@{cases_digest(scored)}" if n < len(cases) else None,
        "n": n,
        "data": cases_digest(cases),
        "ci": f"{100 * settings.confidence:.10g}" if settings.confidence else None,
        "v": __version__,
    }
    return "|".join(["error", *(f"{key}:{value}" for key, value in parts.items() if value is not None)])
