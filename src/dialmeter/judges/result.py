"""The result of scoring judges: error rates by judge, attack and corpus, means, comparisons of judges, warnings, and the worst cases."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import groupby
from statistics import fmean
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from .._version import __version__
from ..core.account import Account, count_reasons, sum_accounts
from ..core.comparison import PairedSample, Resampling, compare_pairs, correct_by_holm
from ..core.ladder import Assumption, Ladder, Rung, Verdict, decide, make_ladder
from ..core.result import Result, RunFields
from ..errors import DialmeterError, did_you_mean
from ..measure import Score
from ..model import Notice
from ..numeric import np
from ..stats.formulas import ratio
from ..stats.significance import mcnemar_p
from .ask import FAILED, NO_ANSWER, NO_SCORE, NOT_ASKED, UNREADABLE, UNSUITABLE, JudgeScores
from .cases import THRESHOLDS, Case, case_id
from .judge import FACETS
from .matrix import (
    CONTROL,
    OUTSIDE,
    CaseVerdict,
    ErrorCell,
    JudgeDescription,
    VerdictSettings,
    case_rows,
    error_cells,
    judge_cases,
    rate_over_dialogues,
)

LEVEL = 0.05
"""Corrected p values below it are significant."""
_AS_WRITTEN: tuple[str, Assumption] = ("as written", "as written")
_FLIPPED_SHARE = 0.8
_FLIPPED_ATTACKS = 3
_LISTED = 20
_SILENT = frozenset({FAILED, NO_ANSWER, UNREADABLE, UNSUITABLE, NOT_ASKED, NO_SCORE})


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
    p_holm: float = 0.0
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


class WorstCase(Struct, frozen=True):
    """A case with an error of a judge; ``difference`` is the score of the human reply minus the score of the adversarial reply."""

    case: str
    judge: str
    attack: str
    reply: str
    adversarial: str
    difference: float
    human_score: float | None
    adversarial_score: float | None


class JudgeResult(Result):
    """Error rates of judges, and the scored cases. ``result["overlap", "speaker"]`` is the score of a judge under an attack.

    Attributes:
        cases: the cases that were scored.
        judges: the description of each judge, in order; the trivial ones last.
        scored: all scores.
        settings: threshold, verdict rules and confidence level.
        remarks: warnings of the judges.
    """

    _NAME_PARTS = ("judge", "attack", "corpus")

    def __init__(
        self,
        cases: Sequence[Case],
        judges: Sequence[JudgeDescription],
        scored: JudgeScores,
        settings: VerdictSettings,
        remarks: Sequence[Notice] = (),
    ) -> None:
        self.cases = list(cases)
        self.judges = list(judges)
        self.scored = scored
        self.settings = settings
        self.remarks = list(remarks)

    @cached_property
    def verdicts(self) -> dict[str, list[CaseVerdict]]:
        """By judge, the verdict on every case."""
        return judge_cases(self.cases, self.scored, self.judges, self.settings)

    @cached_property
    def scores(self) -> list[ErrorCell]:
        """The error rates by corpus, attack and judge."""
        return error_cells(self.cases, self.scored, self.judges, self.settings, self.verdicts)

    @cached_property
    def named_judges(self) -> list[str]:
        """The names of the judges that are not trivial, or the first judge if all are trivial."""
        return [judge.name for judge in self.judges if not judge.trivial] or [self.judges[0].name]

    def counted(self, judge: str, corpus: str | None = None, facet: str = "overall") -> list[ErrorCell]:
        """The cells of a judge that are in means: on a corpus or all, on a facet or all."""
        return [
            each
            for each in self.scores
            if each.judge == judge
            and corpus in (None, each.corpus)
            and facet in ("overall", each.facet)
            and each.counts
        ]

    @cached_property
    def averages(self) -> list[Average]:
        """Mean error rates by corpus, judge and facet. Attacks have equal weights."""
        groups = dict.fromkeys((cell.corpus, cell.judge) for cell in self.scores)
        return [
            Average(judge, corpus, facet, mean_error(cells), len(cells))
            for corpus, judge in groups
            for facet in (*FACETS, "overall")
            for cells in [self.counted(judge, corpus, facet)]
        ]

    @cached_property
    def _rows(self) -> dict[tuple[str, str], list[int]]:
        return case_rows(self.cases, self.settings.verdict)

    @cached_property
    def comparisons(self) -> list[JudgeComparison]:
        """The first judge that is not degenerate against every other, by attack and corpus. Holm's correction covers all comparisons."""
        compared = []
        for first, other, row, both in self._shared(self.verdicts):
            counts = Counter((one, two) for _, one, two in both)
            only_first, only_other, n = counts[False, True], counts[True, False], len(both)
            error, other_error = ((counts[True, True] + own) / n for own in (only_other, only_first))
            rates = error, other_error, (only_first - only_other) / n
            p = mcnemar_p(only_first, only_other)
            size = len(self._rows[row])
            compared.append(JudgeComparison(*row, first, other, n, size, *rates, only_first, only_other, p))
        corrected = correct_by_holm(compared)
        return [replace(each, verdict=decide(each, LEVEL, higher_is_better=False)) for each in corrected]

    def _shared(
        self, verdicts: Mapping[str, Sequence[CaseVerdict]]
    ) -> Iterator[tuple[str, str, tuple[str, str], list[tuple[int, bool, bool]]]]:
        """The first judge and another, a corpus and attack, and the cases that both scored, with the errors of both.

        The control, and judges that give every reply the same score, are not compared.
        """
        constant = {cell.judge for cell in self.scores if cell.degenerate}
        errors = {
            judge: {number: not each.conforms for number, each in enumerate(own) if each.conforms is not None}
            for judge, own in verdicts.items()
            if judge not in constant
        }
        rows = {row: numbers for row, numbers in self._rows.items() if row[1] != CONTROL}
        able = [
            judge for judge, own in errors.items() if any(each in own for numbers in rows.values() for each in numbers)
        ]
        for first in able[:1]:
            for row, numbers in rows.items():
                for other in able[1:]:
                    one, two = errors[first], errors[other]
                    if both := [
                        (number, one[number], two[number]) for number in numbers if number in one and number in two
                    ]:
                        yield first, other, row, both

    @cached_property
    def ladders(self) -> list[Ladder]:
        """The verdict on every judge against the first, over all attacks, and the same difference under other thresholds.

        Attacks have equal weights, as in means. Intervals resample dialogues, and the test swaps the judges in whole dialogues. Trivial
        judges are not compared.
        """
        own = [judge for judge in self.judges if not judge.trivial]
        rungs: dict[tuple[str, str], list[Rung]] = {}
        for threshold in dict.fromkeys((self.settings.threshold, *THRESHOLDS)) if len(own) > 1 else ():
            verdicts = judge_cases(self.cases, self.scored, own, replace(self.settings, threshold=threshold))
            samples = self._paired_samples(verdicts)
            compared, _ = compare_pairs(samples, {"error": ratio()}, Resampling(self.settings.confidence or 0.95))
            written = threshold == self.settings.threshold
            for each, (base, _) in zip(compared, samples, strict=True):
                verdict = decide(each, LEVEL, higher_is_better=False)
                name, kind = _AS_WRITTEN if written else (f"threshold {threshold}", "threshold")
                rung = Rung(name, kind, each.difference, each.ci, each.p_holm, verdict, len(base.matrix))
                rungs.setdefault((each.base, each.system), []).append(rung)
        # A pair without errors to compare under the requested threshold has no verdict.
        complete = {pair: each for pair, each in rungs.items() if each[0].name == _AS_WRITTEN[0]}
        return [make_ladder("error", system, base, each) for (base, system), each in complete.items()]

    def _paired_samples(self, verdicts: Mapping[str, Sequence[CaseVerdict]]) -> list[tuple[PairedSample, PairedSample]]:
        """For the first judge and every other: errors and cases by dialogue, with weights that make all attacks equal."""
        tables: dict[tuple[str, str], dict[tuple[str, str], Any]] = {}
        for first, other, (corpus, _), both in self._shared(verdicts):
            table = tables.setdefault((first, other), {})
            for number, one, two in both:
                dialogue = corpus, self.cases[number].source.dialogue
                table[dialogue] = table.get(dialogue, np.zeros(3)) + np.array([one, two, 1.0]) / len(both)
        samples = []
        for judges, table in tables.items():
            rows = np.array([table[dialogue] for dialogue in sorted(table)])
            base, system = (
                PairedSample(
                    judge,
                    rows[:, [at, 2]],
                    {"error": float(rows[:, at].sum() / rows[:, 2].sum())},
                    {"error": (rows[:, at] / rows[:, 2]).tolist()},
                )
                for at, judge in enumerate(judges)
            )
            samples.append((base, system))
        return samples

    @cached_property
    def position_bias(self) -> list[PositionBias]:
        """The share of pairs for which a pairwise judge changes its answer with the order of the replies, by corpus."""
        biases = []
        for judge in (each for each in self.judges if each.pairwise):
            for corpus in dict.fromkeys(case.corpus for case in self.cases):
                both = [
                    (case, _sign(human), _sign(adversarial))
                    for case, (human, adversarial) in zip(self.cases, self.scored.pairs[judge.name], strict=True)
                    if case.corpus == corpus
                    and case.attack != CONTROL
                    and human is not None
                    and adversarial is not None
                ]
                changed = [(case, human != -adversarial) for case, human, adversarial in both]
                rate = rate_over_dialogues(changed, self.settings.confidence)
                sides = (
                    fmean(human == adversarial == way for _, human, adversarial in both) if both else None
                    for way in (1, -1)
                )
                inconsistent = sum(each for _, each in changed)
                biases.append(PositionBias(judge.name, corpus, rate.value, rate.ci, len(both), inconsistent, *sides))
        return biases

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """For every judge, the number of requested cases and of cases in an error rate. Trivial judges count only if there are no others."""
        reasons = {(each.judge, each.case): each.reason for each in reversed(self.scored.failures)}
        cells = {(cell.judge, cell.corpus, cell.attack): cell for cell in self.scores}
        accounts = {}
        for judge in [each.name for each in self.judges if not each.trivial] or [each.name for each in self.judges]:
            unscored = []
            for row, numbers in self._rows.items():
                reason = cells[judge, *row].reason
                for number in numbers:
                    verdict = self.verdicts[judge][number]
                    if verdict.conforms is None:
                        failed = verdict.difference is None and reason != OUTSIDE
                        why = reasons.get((judge, number), NO_SCORE) if failed else reason
                        unscored.append((case_id(self.cases[number]), why))
            total = len(self.cases)
            accounts[judge] = Account("case", total, total, total - len(unscored), count_reasons(unscored))
        return accounts

    @property
    def account(self) -> Account:
        """The sum of the accounts of all requested judges."""
        return sum_accounts(self.accounts.values())

    @property
    def silent(self) -> list[str]:
        """One line per requested judge that scored nothing, although it claims to judge some of the cases."""
        lines = []
        for judge, account in self.accounts.items():
            if account.scored or not any(each.reason in _SILENT for each in account.reasons):
                continue
            why = next((f"; {each.detail}" for each in self.scored.failures if each.judge == judge), "")
            lines.append(f"{judge} scored none of {account.asked} cases: {account.reason}{why}")
        return lines

    @cached_property
    def notices(self) -> list[Notice]:
        """All warnings: of the judges, about constant scores, signs that look wrong, and replies that a judge could not score."""
        notices = list(self.remarks)
        for judge in (each.name for each in self.judges if not each.trivial):
            own = [cell for cell in self.scores if cell.judge == judge and cell.attack != CONTROL]
            if own and own[0].degenerate:
                message = (
                    f"{judge} gives every reply the same score, or every pair the same answer: "
                    "it is excluded from averages, ranks and comparisons"
                )
                notices.append(Notice("degenerate", 1, message))
            falling = [cell for cell in own if cell.expected == "lower" and cell.n >= 5 and cell.lower is not None]
            flipped = sorted({cell.attack for cell in falling if (cell.lower or 0.0) >= _FLIPPED_SHARE})
            if len(flipped) >= _FLIPPED_ATTACKS and 2 * len(flipped) >= len({cell.attack for cell in falling}):
                message = (
                    f"{judge} almost always prefers the adversarial reply on {len(flipped)} attacks. "
                    'If a lower score is better, give its scores as -j "NAME=FILE(lower=true)", or higher_is_better=False'
                )
                notices.append(Notice("flipped-sign", len(flipped), message, tuple(flipped)))
        for judge, failures in groupby(self.scored.failures, lambda each: each.judge):
            failed = list(failures)
            message = f"{judge} did not score {len(failed)} of {2 * len(self.cases)} replies: {failed[0].detail}"
            where = tuple(dict.fromkeys(case_id(self.cases[each.case]) for each in failed))[:_LISTED]
            notices.append(Notice("judge-failed", len(failed), message, where))
        return notices

    @property
    def counts(self) -> dict[str, int]:
        """The number of cases, attacks, corpora, judges and failures."""
        return {
            "cases": len(self.cases),
            "attacks": len({case.attack for case in self.cases}),
            "corpora": len({case.corpus for case in self.cases}),
            "judges": len(self.judges),
            "failures": len(self.scored.failures),
        }

    def failing(self, judge: str, attack: str | None = None) -> list[int]:
        """The indices of the cases with an error of a judge, largest error first."""
        wrong = {
            number: self.verdicts[judge][number].difference or 0.0
            for (_, row), numbers in self._rows.items()
            if attack in (None, row)
            for number in numbers
            if self.verdicts[judge][number].conforms is False
        }
        # If the score should fall, the error grows with its rise. If the score should not change, the error grows with any change.
        return sorted(
            wrong,
            key=lambda each: (-abs(wrong[each]) if self.cases[each].expected == "similar" else wrong[each], each),
        )

    @property
    def named_scores(self) -> Mapping[tuple[str, ...], ErrorCell]:
        """The scores by judge, attack and corpus."""
        return {(each.judge, each.attack, each.corpus): each for each in self.scores}

    def get(self, name: tuple[str, ...], default: Score | None = None) -> Score | None:
        """The score of a judge, an attack and a corpus. Without a corpus, the score of the first corpus that has one."""
        return next((score for key, score in self.named_scores.items() if name in (key, key[:2])), default)

    def by(self, group: str) -> list[Score]:
        """Error rates by ``attack`` (all scores), or means over attacks by ``facet``, ``corpus`` or ``judge``.

        In a mean, all attacks have equal weights. Degenerate judges and the control attack are excluded.

        Raises:
            DialmeterError: the group is unknown.
        """
        groups = {"facet": ("judge", "corpus", "facet"), "corpus": ("judge", "corpus"), "judge": ("judge",)}
        if group == "attack":
            return list(self.scores)
        if group not in groups:
            raise DialmeterError(f"no scores by {group!r}; {did_you_mean(group, ['attack', *groups])}")
        cells_by_key: dict[tuple[str, ...], list[ErrorCell]] = {}
        for cell in self.scores:
            if cell.attack != CONTROL:
                cells_by_key.setdefault(tuple(getattr(cell, name) for name in groups[group]), []).append(cell)
        return [_mean_score(dict(zip(groups[group], key, strict=True)), cells) for key, cells in cells_by_key.items()]

    def worst(self, n: int = 10, judge: str | None = None) -> list[WorstCase]:
        """The cases with the largest errors of a judge.

        Args:
            n: the largest number of cases to return.
            judge: the judge's name; default: the first judge.
        """
        name = self.judges[0].name if judge is None else judge
        worst = []
        for number in self.failing(name)[:n]:
            case, each = self.cases[number], self.verdicts[name][number]
            texts = case_id(case), name, case.attack, case.reply, case.adversarial
            worst.append(WorstCase(*texts, each.difference or 0.0, each.human, each.adversarial))
        return worst

    def run_fields(self) -> RunFields:
        """The errors of each judge by case, means, comparisons, the ladder and the bias of positions."""
        columns = {
            judge: [None if each.conforms is None else float(not each.conforms) for each in verdicts]
            for judge, verdicts in self.verdicts.items()
        }
        found = {"ladder": self.ladders, "position_bias": self.position_bias}
        given = {name: each for name, each in found.items() if each}
        return RunFields(columns, {"averages": self.averages, "comparisons": self.comparisons, **given})

    def to_dicts(self) -> list[dict[str, Any]]:
        """The cells as dictionaries, with the same keys as in JSON: without the verdicts on cases and without empty reasons."""
        return [_cell_dict(cell) for cell in self.scores]


def mean_error(cells: Sequence[ErrorCell]) -> float | None:
    """The mean of error rates, all with equal weights; None if there are none."""
    values = [cell.value for cell in cells if cell.value is not None]
    return fmean(values) if values else None


def _mean_score(group: dict[str, str | int], cells: Sequence[ErrorCell]) -> Score:
    """The mean error rate over the cells of one judge as a score; the keys of the group are fields of a cell."""
    used = [cell for cell in cells if cell.counts]
    signatures = [cell.signature.split("|") for cell in used or cells]
    # Cells differ in the fields of the attack and of its cases. The mean has only the fields that all cells share.
    dropped = ("attack", "n", "scored", "data", "expected", "ci", "v")
    shared = [each for each in signatures[0][1:] if all(each in fields for fields in signatures)]
    data = hashlib.sha256("|".join(sorted(cell.signature for cell in used)).encode()).hexdigest()[:10]
    own = [each for each in shared if each.partition(":")[0] not in dropped]
    facet = [f"facet:{group['facet']}"] if "facet" in group else []
    n = sum(cell.n for cell in used)
    return Score(
        measure="error",
        value=mean_error(used),
        n=n,
        unscored=sum(cell.unscored for cell in cells),
        reason="" if used else "no attack has an error rate",
        group=group,
        signature="|".join(
            ["error", *own, *facet, f"attacks:{len(used)}", f"n:{n}", f"data:{data}", f"v:{__version__}"]
        ),
    )


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


_FIRST = ("measure", "judge", "attack", "corpus", "facet", "expected", "value", "ci", "ci_reason", "n", "unscored")


def _cell_dict(cell: ErrorCell) -> dict[str, Any]:
    plain = to_builtins(replace(cell, outcomes=()))
    plain |= {"reason": plain.pop("reason"), "signature": plain.pop("signature")}
    del plain["group"], plain["outcomes"]
    ordered = {name: plain.pop(name) for name in _FIRST} | plain
    return {name: each for name, each in ordered.items() if each or not name.endswith("reason")}
