"""Error rates: attack × judge × corpus, with all that a number needs to be believed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec import Struct

from .._version import __version__
from .ask import Pair, Scored
from .cases import Case, cases_digest
from .judge import Judge, identity_of
from .verdict import Relation, Threshold, conforms, expected_of, relation

if TYPE_CHECKING:
    from ..stats.intervals import Interval

CONTROL = "identical"
OUTSIDE = "outside what the judge claims to judge"


class Outcome(Struct, frozen=True):
    """What one judge did with one case; a case that it did not score has no relation."""

    case: int
    difference: float | None
    """Human minus adversarial, turned so that more is better."""
    relation: Relation | None
    conforms: bool | None


class Cell(Struct, frozen=True, kw_only=True):
    """One judge under one attack on one corpus.

    ``higher``, ``similar`` and ``lower`` are the shares of cases in which the judge put the human reply above the
    adversarial one, beside it and below it. ``value`` is the error rate, None with a ``reason``.
    """

    judge: str
    attack: str
    corpus: str
    facet: str
    expected: str
    value: float | None
    ci: tuple[float, float] | None
    n: int
    unscored: int
    higher: float | None
    similar: float | None
    lower: float | None
    difference: float | None
    difference_ci: tuple[float, float] | None
    difference_ci_reason: str
    threshold: float | None
    degenerate: bool
    trivial: bool
    reason: str
    signature: str
    outcomes: tuple[Outcome, ...]


class How(Struct, frozen=True):
    """How error rates are made: the threshold, the rules of verdicts, and the confidence of intervals."""

    threshold: Threshold = Threshold("paper", 0.05)
    verdict: str = "paper"
    confidence: float = 0.95


class About(Struct, frozen=True):
    """What a table says of a judge."""

    name: str
    identity: str
    higher_is_better: bool
    facets: frozenset[str] | None = None
    trivial: bool = False


def about(name: str, judge: Judge, *, trivial: bool = False) -> About:
    """What a table says of a judge that can be asked."""
    return About(name, identity_of(judge), judge.higher_is_better, judge.facets, trivial)


def matrix(cases: Sequence[Case], scored: Scored, judges: Sequence[About], how: How) -> list[Cell]:
    """All cells: by corpus, then attack, each in the order in which the cases bring them, then judge."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, case in enumerate(cases):
        groups.setdefault((case.corpus, case.attack), []).append(number)
    return [
        _cell(cases, numbers, scored.pairs[judge.name], judge, how)
        for corpus in dict.fromkeys(case.corpus for case in cases)
        for (found, _), numbers in groups.items()
        if found == corpus
        for judge in judges
    ]


def degenerate(pairs: Sequence[Pair]) -> bool:
    """Did the judge say the same of everything?

    Example:
        >>> degenerate([Pair(1.0, 1.0), Pair(1.0, None)]), degenerate([Pair(1.0, 1.1)]), degenerate([Pair(None, None)])
        (True, False, False)
    """
    values = {score for pair in pairs for score in pair if score is not None}
    return len(values) == 1 and sum(score is not None for pair in pairs for score in pair) > 1


def _cell(cases: Sequence[Case], numbers: Sequence[int], pairs: Sequence[Pair], judge: About, how: How) -> Cell:
    from ..stats.intervals import wilson_interval

    first = cases[numbers[0]]
    both = [(number, *pairs[number]) for number in numbers]
    usable = [(number, human, other) for number, human, other in both if human is not None and other is not None]
    threshold = how.threshold.value([human for _, human, _ in usable], _noise(cases, pairs))
    outcomes = tuple(
        _outcome(cases[number], number, pairs[number], judge=judge, threshold=threshold, how=how) for number in numbers
    )
    met = [each for each in outcomes if each.relation is not None]
    outside = judge.facets is not None and first.facet not in judge.facets and first.attack != CONTROL
    reason = OUTSIDE if outside else _why_not(len(usable), threshold, how)
    n = len(met) if threshold is not None else len(usable)
    errors = sum(not each.conforms for each in met)
    expected = sorted({expected_of(cases[number], how.verdict) for number in numbers})
    shares = {
        kind: fmean(each.relation == kind for each in met) if met else None for kind in ("higher", "similar", "lower")
    }
    differences = [each.difference for each in outcomes if each.difference is not None]
    spread = _student(differences, how.confidence)
    return Cell(
        judge=judge.name,
        attack=first.attack,
        corpus=first.corpus,
        facet=first.facet,
        expected=" or ".join(expected),
        value=None if reason else errors / n,
        ci=None if reason or not how.confidence else wilson_interval(errors, n, confidence=how.confidence),
        n=n,
        unscored=len(numbers) - len(usable),
        **shares,
        difference=fmean(differences) if differences else None,
        difference_ci=None if spread.low is None or spread.high is None else (spread.low, spread.high),
        difference_ci_reason=spread.reason or "",
        threshold=threshold,
        degenerate=degenerate(pairs),
        trivial=judge.trivial,
        reason=reason,
        signature=_signature(judge, [cases[number] for number in numbers], how, n=n, expected=" or ".join(expected)),
        outcomes=outcomes,
    )


def _outcome(case: Case, number: int, pair: Pair, *, judge: About, threshold: float | None, how: How) -> Outcome:
    human, adversarial = pair
    if human is None or adversarial is None:
        return Outcome(number, None, None, None)
    difference = human - adversarial if judge.higher_is_better else adversarial - human
    if threshold is None:
        return Outcome(number, difference, None, None)
    found = relation(human, adversarial, threshold, judge.higher_is_better)
    return Outcome(number, difference, found, conforms(found, expected_of(case, how.verdict)))


def _noise(cases: Sequence[Case], pairs: Sequence[Pair]) -> list[float]:
    """How far apart the judge put replies that are identical, over all corpora."""
    return [
        abs(pair.human - pair.adversarial)
        for case, pair in zip(cases, pairs, strict=True)
        if case.reply == case.adversarial and pair.human is not None and pair.adversarial is not None
    ]


def _why_not(usable: int, threshold: float | None, how: How) -> str:
    if not usable:
        return "no case was scored"
    if threshold is None and how.threshold.mode == "noise":
        return f"no noise is known: add cases of the attack {CONTROL}"
    return "one score has no spread to set a threshold from" if threshold is None else ""


def _student(differences: Sequence[float], confidence: float) -> Interval:
    from ..stats.intervals import Interval, student_interval

    if not confidence or len(differences) < 2:
        return Interval(None, None, None, len(differences))
    return student_interval(differences, confidence=confidence)


def _signature(judge: About, cases: Sequence[Case], how: How, *, n: int, expected: str) -> str:
    digest = hashlib.sha256(judge.identity.encode()).hexdigest()[:10]
    parts = {
        "judge": f"{judge.name.replace('|', '/')}@{digest}",
        "attack": cases[0].attack,
        "corpus": cases[0].corpus or "-",
        "expected": expected,
        "threshold": how.threshold,
        "verdict": how.verdict,
        "scored": f"{n}/{len(cases)}",
        "n": n,
        "data": cases_digest(cases),
        "v": __version__,
    }
    if n == len(cases):
        del parts["scored"]
    return "|".join(["error", *(f"{key}:{value}" for key, value in parts.items())])
