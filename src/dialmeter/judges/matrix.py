"""Verdicts on judges by case, and error rates by attack, judge and corpus, with counts, intervals and signatures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from msgspec import UNSET, Struct, UnsetType

from .._version import __version__
from ..measure import Score
from ..stats.intervals import Interval, clustered_proportion, student_interval
from .adapters.prompts import ModelExchange
from .ask import NOT_ASKED, JudgeScores, ScorePair
from .cases import Case, Relation, Threshold, cases_digest, conforms, expected_of, facet_of, relation, row_of
from .judge import AnyJudge, identity_digest, identity_of, is_pairwise

CONTROL = "identical"
OUTSIDE = "outside what the judge claims to judge"


class CaseVerdict(Struct, frozen=True):
    """The scores of a judge for both replies of a case, and the verdict. A saved run has it in the row of the case.

    Attributes:
        human: the score of the human reply.
        adversarial: the score of the adversarial reply.
        difference: human minus adversarial; the sign is flipped for judges where lower is better.
        relation: the human reply compared with the adversarial one; None for an unscored case.
        conforms: True if the judge did what an ideal judge does; None if the case is in no error rate.
        threshold: the largest difference that does not count.
        failure: the reason why a reply has no score.
        exchanges: the prompts and answers of a language model, by reply.
    """

    human: float | None = None
    adversarial: float | None = None
    difference: float | None = None
    relation: Relation | None = None
    conforms: bool | None = None
    threshold: float | None = None
    failure: str | UnsetType = UNSET
    exchanges: dict[str, ModelExchange] | UnsetType = UNSET


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
    outcomes: tuple[CaseVerdict, ...]

    @property
    def counts(self) -> bool:
        """True if it is in means and comparisons, unlike the control, a cell without a value, and a judge with one score for all."""
        return self.attack != CONTROL and self.value is not None and not self.degenerate


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


def case_rows(cases: Sequence[Case], rules: str) -> dict[tuple[str, str], list[int]]:
    """Corpus and row of the table → its cases. The rows of a corpus are together, in the order of the cases."""
    rows: dict[tuple[str, str], list[int]] = {}
    for number, case in enumerate(cases):
        rows.setdefault((case.corpus, row_of(case, rules)), []).append(number)
    corpora = list(dict.fromkeys(corpus for corpus, _ in rows))
    return {row: rows[row] for row in sorted(rows, key=lambda row: corpora.index(row[0]))}


def judge_cases(
    cases: Sequence[Case], scored: JudgeScores, judges: Sequence[JudgeDescription], settings: VerdictSettings
) -> dict[str, list[CaseVerdict]]:
    """The verdict on every judge and case: by judge, in the order of the cases."""
    verdicts: dict[str, list[CaseVerdict]] = {}
    for judge in judges:
        pairs = scored.pairs[judge.name]
        noise = [abs(judge.difference(pairs[number]) or 0.0) for number in _control(cases, pairs)]
        by_case: dict[int, CaseVerdict] = {}
        for numbers in case_rows(cases, settings.verdict).values():
            human = [each.human for each in map(pairs.__getitem__, numbers) if None not in each]
            threshold = judge.threshold(settings.threshold).value([each for each in human if each is not None], noise)
            outside = _is_outside(judge, cases[numbers[0]], settings)
            for number in numbers:
                difference = judge.difference(pairs[number])
                actual = None if difference is None or threshold is None else relation(difference, threshold)
                expected = expected_of(cases[number], settings.verdict)
                right = None if actual is None or outside else conforms(actual, expected)
                by_case[number] = CaseVerdict(*pairs[number], difference, actual, right, threshold)
        verdicts[judge.name] = [by_case[number] for number in range(len(cases))]
    return verdicts


def _is_outside(judge: JudgeDescription, case: Case, settings: VerdictSettings) -> bool:
    return judge.facets is not None and facet_of(case, settings.verdict) not in judge.facets and case.attack != CONTROL


def _control(cases: Sequence[Case], pairs: Sequence[ScorePair]) -> list[int]:
    """The scored cases with identical replies, over all corpora."""
    return [
        number
        for number, (case, pair) in enumerate(zip(cases, pairs, strict=True))
        if (case.reply, case.context) == (case.adversarial, case.attacked_context) and None not in pair
    ]


def error_cells(
    cases: Sequence[Case],
    scored: JudgeScores,
    judges: Sequence[JudgeDescription],
    settings: VerdictSettings,
    verdicts: Mapping[str, Sequence[CaseVerdict]],
) -> list[ErrorCell]:
    """All cells, ordered by corpus, attack (in the order of the cases) and judge."""
    errors = {(each.judge, each.case): each.detail for each in reversed(scored.failures) if each.reason != NOT_ASKED}
    control = {judge.name: [cases[each] for each in _control(cases, scored.pairs[judge.name])] for judge in judges}
    constant = {judge.name: _is_constant(scored.pairs[judge.name]) for judge in judges}
    return [
        _cell(
            cases,
            numbers,
            [verdicts[judge.name][number] for number in numbers],
            judge,
            settings,
            control=control[judge.name],
            constant=constant[judge.name],
            first_error=_first_error(errors, judge, numbers),
        )
        for numbers in case_rows(cases, settings.verdict).values()
        for judge in judges
    ]


def _is_constant(pairs: Sequence[ScorePair]) -> bool:
    """True if the judge gave every reply the same score."""
    scores = [score for pair in pairs for score in pair if score is not None]
    return len(scores) > 1 and len(set(scores)) == 1


def _cell(
    cases: Sequence[Case],
    numbers: Sequence[int],
    verdicts: Sequence[CaseVerdict],
    judge: JudgeDescription,
    settings: VerdictSettings,
    *,
    control: Sequence[Case],
    constant: bool,
    first_error: str,
) -> ErrorCell:
    own = [cases[number] for number in numbers]
    first, threshold = own[0], verdicts[0].threshold
    both = list(zip(own, verdicts, strict=True))
    answered = [case for case, each in both if None not in (each.human, each.adversarial)]
    outside = _is_outside(judge, first, settings)
    rate = rate_over_dialogues(
        ((case, not each.conforms) for case, each in both if each.conforms is not None), settings.confidence
    )
    relations = [each.relation for each in verdicts if each.relation is not None]
    differences = [each.difference for each in verdicts if each.difference is not None]
    spread = _student(differences, settings.confidence)
    attack = row_of(first, settings.verdict)
    expected = " or ".join(sorted({expected_of(case, settings.verdict) for case in own}))
    rule = judge.threshold(settings.threshold)
    parts = {
        "judge": f"{judge.name.replace('|', '/')}@{judge.digest}",
        "attack": attack,
        "corpus": first.corpus or "-",
        "expected": expected,
        "threshold": f"{rule}@{cases_digest(control)}" if rule.mode == "noise" else rule,
        "verdict": settings.verdict,
        "scored": f"{len(answered)}/{len(own)}@{cases_digest(answered)}" if len(answered) < len(own) else None,
        "n": len(answered),
        "data": cases_digest(own),
        "ci": f"{100 * settings.confidence:.10g}" if settings.confidence else None,
        "v": __version__,
    }
    return ErrorCell(
        measure="error",
        judge=judge.name,
        attack=attack,
        corpus=first.corpus,
        group={"judge": judge.name, "attack": attack, "corpus": first.corpus},
        facet=facet_of(first, settings.verdict),
        expected=expected,
        value=rate.value,
        ci=rate.ci,
        ci_reason=rate.reason or "",
        n=len(answered),
        unscored=len(own) - len(answered),
        **{
            kind: fmean(each == kind for each in relations) if relations else None
            for kind in ("higher", "similar", "lower")
        },
        difference=fmean(differences) if differences else None,
        difference_ci=spread.ci,
        difference_ci_reason=spread.reason or "",
        threshold=threshold,
        degenerate=constant,
        trivial=judge.trivial,
        reason=OUTSIDE if outside else _why_no_rate(len(answered), threshold, settings, first_error),
        signature="|".join(["error", *(f"{key}:{value}" for key, value in parts.items() if value is not None)]),
        outcomes=tuple(verdicts),
    )


def rate_over_dialogues(cases: Iterable[tuple[Case, bool]], confidence: float) -> Interval:
    """The share of cases with a property, with an interval that takes the cases of a dialogue together."""
    counts: dict[str, list[bool]] = {}
    for case, has_property in cases:
        counts.setdefault(case.source.dialogue, []).append(has_property)
    return clustered_proportion(((sum(each), len(each)) for each in counts.values()), confidence=confidence)


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
    if not confidence or len(differences) < 2:
        return Interval(None, None, None, len(differences))
    return student_interval(differences, confidence=confidence)
