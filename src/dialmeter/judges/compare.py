"""Summaries of the matrix of error rates: means, comparisons between judges, and warnings."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from statistics import fmean

from msgspec import Struct
from msgspec.structs import replace

from .._version import __version__
from ..core.account import Account, count_reasons
from ..measure import Score
from ..model import Notice
from .ask import JudgeScores
from .cases import Case, case_id
from .judge import FACETS
from .matrix import CONTROL, OUTSIDE, CaseOutcome, ErrorCell, JudgeDescription

NO_SCORE = "without a score in the file"

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
    """Two judges on the cases that both scored: McNemar's test of who conforms, corrected over the whole table.

    Attributes:
        n: the common cases.
        cases: all cases of the attack.
        error: the error rate of the first judge on the common cases.
        other_error: the same of the other one.
    """

    corpus: str
    attack: str
    judge: str
    other: str
    n: int
    cases: int
    error: float
    other_error: float
    only_judge: int
    only_other: int
    p: float
    p_holm: float


class PositionBias(Struct, frozen=True):
    """How often the answer of a pairwise judge about two replies changes with their order; the control has no part in it.

    Attributes:
        value: the share of inconsistent pairs; None where no pair was compared in both orders.
        n: the pairs that were compared in both orders.
        first: the share of pairs of which the judge prefers the first reply in both orders.
        second: the share of pairs of which it prefers the second reply in both orders.
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
    """The rate of inconsistent pairs of each pairwise judge and corpus, with its Wilson interval."""
    from ..stats.intervals import wilson_interval

    found = []
    for judge in (each for each in judges if each.pairwise):
        for corpus in dict.fromkeys(case.corpus for case in cases):
            both = [
                (human, adversarial)
                for case, (human, adversarial) in zip(cases, scored.pairs[judge.name], strict=True)
                if case.corpus == corpus and case.attack != CONTROL and human is not None and adversarial is not None
            ]
            n = len(both)
            inconsistent = sum(_sign(human) != -_sign(adversarial) for human, adversarial in both)
            found.append(
                PositionBias(
                    judge.name,
                    corpus,
                    inconsistent / n if n else None,
                    wilson_interval(inconsistent, n, confidence=confidence) if n and confidence else None,
                    n,
                    inconsistent,
                    fmean(human > 0 and adversarial > 0 for human, adversarial in both) if n else None,
                    fmean(human < 0 and adversarial < 0 for human, adversarial in both) if n else None,
                )
            )
    return found


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def averages(cells: Sequence[ErrorCell]) -> list[Average]:
    """Means over attacks, each attack counting the same; without degenerate judges and the control."""
    found = []
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
                found.append(Average(judge, corpus, facet, fmean(values) if values else None, len(values)))
    return found


def mean_score(group: Mapping[str, str], cells: Sequence[ErrorCell]) -> Score:
    """The mean error rate over the cells of one judge, each counting the same, as a score.

    Args:
        group: of the score; its keys are fields of a cell.
        cells: those of the group, without the control.
    """
    used = [cell for cell in cells if cell.value is not None and not cell.degenerate]
    shared = [set(cell.signature.split("|")) for cell in used or cells]
    # Fields in which the cells differ are those of the attack and of its cases.
    fields = [each for each in (used or cells)[0].signature.split("|")[1:] if all(each in found for found in shared)]
    data = hashlib.sha256("|".join(cell.signature for cell in used).encode()).hexdigest()[:10]
    own = [each for each in fields if each.partition(":")[0] not in ("attack", "n", "scored", "data", "expected", "v")]
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
    """What was asked of every judge, and how much of it counts in an error rate; without the trivial ones beside others."""
    failed = {(each.judge, each.case): each.reason for each in reversed(scored.failures)}
    found: dict[str, Account] = {}
    named = [cell.judge for cell in cells if not cell.trivial] or [cell.judge for cell in cells]
    for judge in dict.fromkeys(named):
        own = [(cell, outcome) for cell in cells if cell.judge == judge for outcome in cell.outcomes]
        unscored = [
            (case_id(cases[outcome.case]), _why_unscored(cell, outcome, failed.get((judge, outcome.case), NO_SCORE)))
            for cell, outcome in own
            if cell.value is None or outcome.conforms is None
        ]
        found[judge] = Account("case", len(own), len(own), len(own) - len(unscored), count_reasons(unscored))
    return found


def _why_unscored(cell: ErrorCell, outcome: CaseOutcome, failed: str) -> str:
    if cell.reason == OUTSIDE:
        return OUTSIDE
    return failed if outcome.difference is None else cell.reason


def comparisons(cells: Sequence[ErrorCell]) -> list[JudgeComparison]:
    """The first judge that is not degenerate against every other, per attack and corpus; Holm over all of them."""
    from ..stats.significance import holm, mcnemar_counts

    fit = [cell for cell in cells if not cell.degenerate and cell.value is not None and cell.attack != CONTROL]
    scoring = {cell.judge for cell in fit}
    names = [name for name in dict.fromkeys(cell.judge for cell in cells) if name in scoring]
    by_place: dict[tuple[str, str], dict[str, ErrorCell]] = {}
    for cell in fit:
        by_place.setdefault((cell.corpus, cell.attack), {})[cell.judge] = cell
    rows = []
    for (corpus, attack), judges in by_place.items():
        if names[0] not in judges:
            continue
        base = {each.case: each.conforms for each in judges[names[0]].outcomes if each.conforms is not None}
        for other in names[1:]:
            if other not in judges:
                continue
            theirs = {each.case: each.conforms for each in judges[other].outcomes if each.conforms is not None}
            shared = base.keys() & theirs.keys()
            if not shared:
                continue
            mine = sum(bool(base[case]) and not theirs[case] for case in shared)
            yours = sum(bool(theirs[case]) and not base[case] for case in shared)
            wrong = sum(not base[case] for case in shared)
            rows.append(
                JudgeComparison(
                    corpus,
                    attack,
                    names[0],
                    other,
                    len(shared),
                    len(judges[other].outcomes),
                    wrong / len(shared),
                    (wrong + mine - yours) / len(shared),
                    mine,
                    yours,
                    mcnemar_counts(mine, yours).p,
                    0.0,
                )
            )
    corrected = holm([row.p for row in rows])
    return [replace(row, p_holm=float(p_holm or 0.0)) for row, p_holm in zip(rows, corrected, strict=True)]


def warnings(cells: Sequence[ErrorCell]) -> list[Notice]:
    """Judges that say the same of everything, and judges whose sign looks wrong."""
    found = []
    for judge in dict.fromkeys(cell.judge for cell in cells if not cell.trivial):
        own = [cell for cell in cells if cell.judge == judge and cell.attack != CONTROL]
        if own and own[0].degenerate:
            message = f"{judge} gives every reply the same score, or every pair the same answer: it is not in averages, ranks and comparisons"
            found.append(Notice("degenerate", 1, message))
        falling = [cell for cell in own if cell.expected == "lower" and cell.n >= 5 and cell.lower is not None]
        upside = sorted({cell.attack for cell in falling if (cell.lower or 0.0) >= _FLIPPED_SHARE})
        attacks = {cell.attack for cell in falling}
        if len(upside) >= _FLIPPED_ATTACKS and 2 * len(upside) >= len(attacks):
            message = (
                f"{judge} prefers the adversarial reply almost always on {len(upside)} attacks: "
                "is its sign right? Say so with --lower-is-better, or higher_is_better=False"
            )
            found.append(Notice("flipped-sign", len(upside), message, tuple(upside)))
    return found
