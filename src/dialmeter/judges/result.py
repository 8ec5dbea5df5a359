"""The result of scoring judges: error rates by judge, attack and corpus, means, comparisons, and the worst cases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct, to_builtins

from ..core.account import Account, sum_accounts
from ..core.ladder import Ladder
from ..core.result import Result
from ..errors import DialmeterError, did_you_mean
from ..measure import Score
from ..model import Notice
from . import compare
from .ask import FAILED, NO_ANSWER, NOT_ASKED, UNREADABLE, UNSUITABLE, JudgeScores, ScoringFailure
from .cases import Case, case_id
from .matrix import CONTROL, ErrorCell, JudgeDescription, VerdictSettings, error_cells

_LISTED = 20
_SILENT = frozenset({FAILED, NO_ANSWER, UNREADABLE, UNSUITABLE, NOT_ASKED, compare.NO_SCORE})


class WorstCase(Struct, frozen=True):
    """A case with an error of a judge; ``difference`` is the score of the human reply minus the score of the adversarial reply."""

    case: str
    judge: str
    attack: str
    reply: str
    adversarial: str
    difference: float


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
    def scores(self) -> list[ErrorCell]:
        """The error rates by corpus, attack and judge."""
        return error_cells(self.cases, self.scored, self.judges, self.settings)

    @cached_property
    def averages(self) -> list[compare.Average]:
        """Mean error rates over the attacks on each facet."""
        return compare.averages(self.scores)

    @cached_property
    def comparisons(self) -> list[compare.JudgeComparison]:
        """Comparisons of the first judge with the others."""
        return compare.comparisons(self.scores)

    @cached_property
    def ladders(self) -> list[Ladder]:
        """The verdict on every judge against the first, and what it depends on."""
        return compare.ladders(self.cases, self.scored, self.judges, self.settings)

    @cached_property
    def position_bias(self) -> list[compare.PositionBias]:
        """The share of pairs for which a pairwise judge changes its answer with the order of the replies."""
        return compare.position_bias(self.cases, self.scored, self.judges, self.settings.confidence)

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """The number of requested, scored and unscored cases of each requested judge."""
        return compare.accounts(self.scores, self.scored, self.cases)

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
            why = next((each.detail for each in self.scored.failures if each.judge == judge), "")
            lines.append(
                f"{judge} scored none of {account.asked} cases: {account.reason}" + (f"; {why}" if why else "")
            )
        return lines

    @cached_property
    def notices(self) -> list[Notice]:
        """All warnings, including those about replies that a judge could not score."""
        return [*self.remarks, *compare.warnings(self.scores), *self._failure_notices()]

    def _failure_notices(self) -> list[Notice]:
        by_judge: dict[str, list[ScoringFailure]] = {}
        for failure in self.scored.failures:
            by_judge.setdefault(failure.judge, []).append(failure)
        return [
            Notice(
                "judge-failed",
                len(failures),
                f"{judge} did not score {len(failures)} of {2 * len(self.cases)} replies: {failures[0].detail}",
                tuple(dict.fromkeys(case_id(self.cases[failure.case]) for failure in failures))[:_LISTED],
            )
            for judge, failures in by_judge.items()
        ]

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
        outcomes = [
            outcome
            for cell in self.scores
            if cell.judge == judge and attack in (None, cell.attack) and cell.value is not None
            for outcome in cell.outcomes
            if outcome.conforms is False
        ]
        similar = {each.case for each in outcomes if self.cases[each.case].expected == "similar"}
        # If the score should fall, the error grows with its rise. If the score should not change, the error grows with any change.
        return [
            each.case
            for each in sorted(
                outcomes,
                key=lambda each: (
                    -abs(each.difference or 0.0) if each.case in similar else (each.difference or 0.0),
                    each.case,
                ),
            )
        ]

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
        return [
            compare.mean_score(dict(zip(groups[group], key, strict=True)), cells) for key, cells in cells_by_key.items()
        ]

    def worst(self, n: int = 10, judge: str | None = None) -> list[WorstCase]:
        """The cases with the largest errors of a judge.

        Args:
            n: the largest number of cases to return.
            judge: the judge's name; default: the first judge.
        """
        name = self.judges[0].name if judge is None else judge
        differences = {
            each.case: each.difference for cell in self.scores if cell.judge == name for each in cell.outcomes
        }
        return [
            WorstCase(case_id(case), name, case.attack, case.reply, case.adversarial, differences[number] or 0.0)
            for number in self.failing(name)[:n]
            for case in [self.cases[number]]
        ]

    def to_dicts(self) -> list[dict[str, Any]]:
        """The cells as dictionaries, with the same keys as in JSON."""
        return [cell_dict(cell) for cell in self.scores]


_FIRST = ("measure", "judge", "attack", "corpus", "facet", "expected", "value", "ci", "ci_reason", "n", "unscored")


def cell_dict(cell: ErrorCell) -> dict[str, Any]:
    """A cell as a score in JSON, without the outcomes of cases and without empty reasons; reason and signature are last."""
    plain = to_builtins(cell)
    plain |= {"reason": plain.pop("reason"), "signature": plain.pop("signature")}
    del plain["group"], plain["outcomes"]
    ordered = {name: plain.pop(name) for name in _FIRST} | plain
    return {name: each for name, each in ordered.items() if each or not name.endswith("reason")}
