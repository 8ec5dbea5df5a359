"""Summaries of error rates: means, comparisons between judges, and warnings."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from .._version import __version__
from ..core.account import Account, count_reasons
from ..core.comparison import PairedSample, Resampling, compare_pairs, correct_by_holm
from ..core.ladder import Assumption, Ladder, Rung, Verdict, decide, make_ladder
from ..measure import Score
from ..model import Notice
from .ask import JudgeScores
from .cases import THRESHOLDS, Case, case_id
from .judge import FACETS
from .matrix import (
    CONTROL,
    OUTSIDE,
    CaseOutcome,
    ErrorCell,
    JudgeDescription,
    VerdictSettings,
    error_cells,
    rate_over_dialogues,
)

if TYPE_CHECKING:
    from ..stats.formulas import Floats

NO_SCORE = "without a score in the file"

LEVEL = 0.05
"""Corrected p values below it are significant."""
_AS_WRITTEN: tuple[str, Assumption] = ("as written", "as written")
_FLIPPED_SHARE = 0.8
_FLIPPED_ATTACKS = 3


class Average(Struct, frozen=True):
    """The mean error rate of a judge over the attacks on a facet, or on all (``overall``)."""

    judge: str
    corpus: str
    facet: str
    value: float | None
    attacks: int


class JudgeComparison(Struct, frozen=True):
    """The comparison of two judges on the cases that both scored: McNemar's test of conforming outcomes, corrected over the whole table.

    Attributes:
        n: the number of cases that both judges scored.
        cases: the number of all cases of the attack.
        error: the error rate of the first judge on the ``n`` cases.
        other_error: the error rate of the other judge on the ``n`` cases.
        difference: ``other_error`` minus ``error``.
        verdict: better if the other judge makes fewer errors than the first, worse if it makes more, otherwise cannot tell.
    """

    corpus: str
    attack: str
    judge: str
    other: str
    n: int
    cases: int
    error: float
    other_error: float
    difference: float
    only_judge: int
    only_other: int
    p: float
    p_holm: float
    verdict: Verdict = "cannot tell"


class PositionBias(Struct, frozen=True):
    """The share of pairs for which the answer of a pairwise judge changes with the order of the replies, without the control attack.

    Attributes:
        value: the share of inconsistent pairs; None if no pair was compared in both orders.
        n: the number of pairs that were compared in both orders.
        first: the share of pairs for which the judge prefers the first reply in both orders.
        second: the share of pairs for which the judge prefers the second reply in both orders.
    """

    judge: str
    corpus: str
    value: float | None
    ci: tuple[float, float] | None
    n: int
    inconsistent: int
    first: float | None
    second: float | None


def position_bias(
    cases: Sequence[Case], scored: JudgeScores, judges: Sequence[JudgeDescription], confidence: float
) -> list[PositionBias]:
    """The position bias of each pairwise judge on each corpus, with its interval."""
    biases = []
    for judge in (each for each in judges if each.pairwise):
        for corpus in dict.fromkeys(case.corpus for case in cases):
            both = [
                (case, human, adversarial)
                for case, (human, adversarial) in zip(cases, scored.pairs[judge.name], strict=True)
                if case.corpus == corpus and case.attack != CONTROL and human is not None and adversarial is not None
            ]
            n = len(both)
            inconsistent = [(case, _sign(human) != -_sign(adversarial)) for case, human, adversarial in both]
            rate = rate_over_dialogues(inconsistent, confidence)
            biases.append(
                PositionBias(
                    judge.name,
                    corpus,
                    rate.value,
                    rate.ci,
                    n,
                    sum(changed for _, changed in inconsistent),
                    fmean(human > 0 and adversarial > 0 for _, human, adversarial in both) if n else None,
                    fmean(human < 0 and adversarial < 0 for _, human, adversarial in both) if n else None,
                )
            )
    return biases


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def averages(cells: Sequence[ErrorCell]) -> list[Average]:
    """Mean error rates by corpus, judge and facet. Attacks have equal weights; degenerate judges and the control are excluded."""
    means = []
    for corpus in dict.fromkeys(cell.corpus for cell in cells):
        for judge in dict.fromkeys(cell.judge for cell in cells):
            for facet in (*FACETS, "overall"):
                values = [
                    cell.value
                    for cell in cells
                    if (cell.corpus, cell.judge) == (corpus, judge)
                    and facet in (cell.facet, "overall")
                    and cell.attack != CONTROL
                    and cell.value is not None
                    and not cell.degenerate
                ]
                means.append(Average(judge, corpus, facet, fmean(values) if values else None, len(values)))
    return means


def mean_score(group: Mapping[str, str], cells: Sequence[ErrorCell]) -> Score:
    """The mean error rate over the cells of one judge as a score. Cells have equal weights.

    Args:
        group: the group of the score; its keys are fields of a cell.
        cells: the cells of the group, without the control.
    """
    used = [cell for cell in cells if cell.value is not None and not cell.degenerate]
    signatures = [cell.signature.split("|") for cell in used or cells]
    # Cells differ in the fields of the attack and of its cases. The mean has only the fields that all cells share.
    shared = [each for each in signatures[0][1:] if all(each in fields for fields in signatures)]
    data = hashlib.sha256("|".join(sorted(cell.signature for cell in used)).encode()).hexdigest()[:10]
    own = [
        each
        for each in shared
        if each.partition(":")[0] not in ("attack", "n", "scored", "data", "expected", "ci", "v")
    ]
    facet = [f"facet:{group['facet']}"] if "facet" in group else []
    n = sum(cell.n for cell in used)
    version = f"v:{__version__}"
    return Score(
        measure="error",
        value=fmean(cell.value for cell in used if cell.value is not None) if used else None,
        n=n,
        unscored=sum(cell.unscored for cell in cells),
        reason="" if used else "no attack has an error rate",
        group={**group},
        signature="|".join(["error", *own, *facet, f"attacks:{len(used)}", f"n:{n}", f"data:{data}", version]),
    )


def accounts(cells: Sequence[ErrorCell], scored: JudgeScores, cases: Sequence[Case]) -> dict[str, Account]:
    """For every judge, the number of requested cases and of cases in an error rate. Trivial judges count only if there are no others."""
    reasons = {(each.judge, each.case): each.reason for each in reversed(scored.failures)}
    by_judge: dict[str, Account] = {}
    requested = [cell.judge for cell in cells if not cell.trivial] or [cell.judge for cell in cells]
    for judge in dict.fromkeys(requested):
        own = [(cell, outcome) for cell in cells if cell.judge == judge for outcome in cell.outcomes]
        unscored = [
            (
                case_id(cases[outcome.case]),
                _reason_unscored(cell, outcome, reasons.get((judge, outcome.case), NO_SCORE)),
            )
            for cell, outcome in own
            if cell.value is None or outcome.conforms is None
        ]
        by_judge[judge] = Account("case", len(own), len(own), len(own) - len(unscored), count_reasons(unscored))
    return by_judge


def _reason_unscored(cell: ErrorCell, outcome: CaseOutcome, failure: str) -> str:
    if cell.reason == OUTSIDE:
        return OUTSIDE
    return failure if outcome.difference is None else cell.reason


_Errors: TypeAlias = dict[str, dict[tuple[str, str], dict[int, bool]]]
"""Judge → corpus and attack → case → whether it is an error."""


def _errors(cells: Sequence[ErrorCell]) -> _Errors:
    """The errors that can be compared: without the control, and without degenerate judges."""
    errors: _Errors = {cell.judge: {} for cell in cells}
    for cell in cells:
        if not cell.degenerate and cell.value is not None and cell.attack != CONTROL:
            own = {each.case: not each.conforms for each in cell.outcomes if each.conforms is not None}
            errors[cell.judge][cell.corpus, cell.attack] = own
    return {judge: each for judge, each in errors.items() if each}


def _shared(errors: _Errors) -> Iterator[tuple[str, str, tuple[str, str], list[tuple[int, bool, bool]]]]:
    """The first judge and another, a corpus and attack, and the cases that both scored, with the errors of both."""
    for first, row, other in product([*errors][:1], next(iter(errors.values()), ()), [*errors][1:]):
        one, two = errors[first][row], errors[other].get(row, {})
        if both := [(case, one[case], two[case]) for case in one if case in two]:
            yield first, other, row, both


def comparisons(cells: Sequence[ErrorCell]) -> list[JudgeComparison]:
    """Compare the first judge that is not degenerate with every other, by attack and corpus. Holm's correction covers all comparisons."""
    from ..stats.significance import mcnemar_p

    sizes = {(cell.corpus, cell.attack): len(cell.outcomes) for cell in cells}
    compared = []
    for first, other, row, both in _shared(_errors(cells)):
        counts = Counter((one, two) for _, one, two in both)
        only_first, only_other, n = counts[False, True], counts[True, False], len(both)
        error, other_error = ((counts[True, True] + own) / n for own in (only_other, only_first))
        rates = error, other_error, (only_first - only_other) / n
        p = mcnemar_p(only_first, only_other)
        compared.append(JudgeComparison(*row, first, other, n, sizes[row], *rates, only_first, only_other, p, 0.0))
    corrected = correct_by_holm(compared)
    return [replace(each, verdict=decide(each, LEVEL, higher_is_better=False)) for each in corrected]


def ladders(
    cases: Sequence[Case], scored: JudgeScores, judges: Sequence[JudgeDescription], settings: VerdictSettings
) -> list[Ladder]:
    """The verdict on every judge against the first, over all attacks, and the same difference under other thresholds.

    Attacks have equal weights, as in means. Intervals resample dialogues, and the test swaps the judges in whole dialogues. Trivial
    judges are not compared.
    """
    from ..stats.formulas import ratio

    own = [judge for judge in judges if not judge.trivial]
    rungs: dict[tuple[str, str], list[Rung]] = {}
    for threshold in dict.fromkeys((settings.threshold, *THRESHOLDS)) if len(own) > 1 else ():
        cells = error_cells(cases, scored, own, replace(settings, threshold=threshold, confidence=0.0))
        samples = _paired_samples(cases, _errors(cells))
        compared, _ = compare_pairs(samples, {"error": ratio()}, Resampling(settings.confidence or 0.95))
        written = threshold == settings.threshold
        for each, (base, _) in zip(compared, samples, strict=True):
            verdict = decide(each, LEVEL, higher_is_better=False)
            name, kind = _AS_WRITTEN if written else (f"threshold {threshold}", "threshold")
            rung = Rung(name, kind, each.difference, each.ci, each.p_holm, verdict, len(base.matrix))
            rungs.setdefault((each.base, each.system), []).append(rung)
    # A pair without errors to compare under the requested threshold has no verdict.
    complete = {pair: each for pair, each in rungs.items() if each[0].name == _AS_WRITTEN[0]}
    return [make_ladder("error", system, base, each) for (base, system), each in complete.items()]


def _paired_samples(cases: Sequence[Case], errors: _Errors) -> list[tuple[PairedSample, PairedSample]]:
    """For the first judge and every other: errors and cases by dialogue, with weights that make all attacks equal."""
    import numpy as np

    tables: dict[tuple[str, str], dict[tuple[str, str], Floats]] = {}
    for first, other, (corpus, _), both in _shared(errors):
        table = tables.setdefault((first, other), {})
        for case, one, two in both:
            dialogue = corpus, cases[case].source.dialogue
            table[dialogue] = table.get(dialogue, np.zeros(3)) + np.array([one, two, 1.0]) / len(both)
    samples = []
    for (first, other), table in tables.items():
        rows = np.array([table[dialogue] for dialogue in sorted(table)])
        samples.append((_sample(first, rows[:, [0, 2]]), _sample(other, rows[:, [1, 2]])))
    return samples


def _sample(judge: str, rows: Floats) -> PairedSample:
    total = float(rows[:, 0].sum() / rows[:, 1].sum())
    return PairedSample(judge, rows, {"error": total}, {"error": [wrong / n for wrong, n in rows.tolist()]})


def warnings(cells: Sequence[ErrorCell]) -> list[Notice]:
    """Warnings about judges that give every reply the same score, and about judges whose ``higher_is_better`` looks wrong."""
    notices = []
    for judge in dict.fromkeys(cell.judge for cell in cells if not cell.trivial):
        own = [cell for cell in cells if cell.judge == judge and cell.attack != CONTROL]
        if own and own[0].degenerate:
            message = (
                f"{judge} gives every reply the same score, or every pair the same answer: "
                "it is excluded from averages, ranks and comparisons"
            )
            notices.append(Notice("degenerate", 1, message))
        falling = [cell for cell in own if cell.expected == "lower" and cell.n >= 5 and cell.lower is not None]
        flipped = sorted({cell.attack for cell in falling if (cell.lower or 0.0) >= _FLIPPED_SHARE})
        attacks = {cell.attack for cell in falling}
        if len(flipped) >= _FLIPPED_ATTACKS and 2 * len(flipped) >= len(attacks):
            message = (
                f"{judge} almost always prefers the adversarial reply on {len(flipped)} attacks. "
                "If a lower score is better, use --lower-is-better or higher_is_better=False"
            )
            notices.append(Notice("flipped-sign", len(flipped), message, tuple(flipped)))
    return notices
