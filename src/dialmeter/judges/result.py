"""Scoring judges from start to end, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import to_builtins

from ..core.account import Account, total
from ..core.tabular import as_polars, html_table, percent
from ..errors import DialmeterError
from ..model import Notice
from . import compare
from .ask import FAILED, NOT_ASKED, UNREADABLE, Ask, Failure, Pair, Scored, Watch, score_cases
from .case_files import read_cases
from .cases import Case, case_id
from .judge import TRIVIAL, Judge, load_judge
from .matrix import About, Cell, How, about, matrix
from .store import ScoreStore
from .verdict import parse_threshold

if TYPE_CHECKING:
    import polars

_LISTED = 20
_SILENT = frozenset({FAILED, UNREADABLE, NOT_ASKED, compare.NO_SCORE})


class JudgeResult:
    """Error rates of judges, and the cases behind them.

    Attributes:
        cases: the cases that were scored.
        judges: what is known of each judge, in order; the trivial ones last.
        scored: all scores.
        how: threshold, verdict rules, confidence.
    """

    def __init__(self, cases: Sequence[Case], judges: Sequence[About], scored: Scored, how: How) -> None:
        self.cases = list(cases)
        self.judges = list(judges)
        self.scored = scored
        self.how = how

    @cached_property
    def cells(self) -> list[Cell]:
        """One cell per corpus, attack and judge."""
        return matrix(self.cases, self.scored, self.judges, self.how)

    @cached_property
    def averages(self) -> list[compare.Average]:
        """Means over the attacks on a facet."""
        return compare.averages(self.cells)

    @cached_property
    def comparisons(self) -> list[compare.Compared]:
        """The first judge against the others."""
        return compare.comparisons(self.cells)

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """What was asked of each judge that was named, and how much of it was scored."""
        return compare.accounts(self.cells, self.scored, self.cases)

    @property
    def account(self) -> Account:
        """The accounts of all judges that were named, added up."""
        return total(self.accounts.values())

    @property
    def silent(self) -> list[str]:
        """The judges that were named and scored nothing, although cases are within their claims; a line for each."""
        found = []
        for judge, account in self.accounts.items():
            if account.scored or not any(each.reason in _SILENT for each in account.reasons):
                continue
            why = next((each.why for each in self.scored.failures if each.judge == judge), "")
            found.append(f"{judge} scored none of {account.asked} cases: {account.why}" + (f"; {why}" if why else ""))
        return found

    @cached_property
    def notices(self) -> list[Notice]:
        """Warnings, the replies that a judge could not score among them."""
        return [*compare.warnings(self.cells), *self._failures()]

    def _failures(self) -> list[Notice]:
        by_judge: dict[str, list[Failure]] = {}
        for failure in self.scored.failures:
            by_judge.setdefault(failure.judge, []).append(failure)
        return [
            Notice(
                "judge-failed",
                len(found),
                f"{judge} did not score {len(found)} of {2 * len(self.cases)} replies: {found[0].why}",
                tuple(dict.fromkeys(case_id(self.cases[failure.case]) for failure in found))[:_LISTED],
            )
            for judge, found in by_judge.items()
        ]

    @property
    def counts(self) -> dict[str, int]:
        """How much there is of what."""
        return {
            "cases": len(self.cases),
            "attacks": len({case.attack for case in self.cases}),
            "corpora": len({case.corpus for case in self.cases}),
            "judges": len(self.judges),
            "failures": len(self.scored.failures),
        }

    def cell(self, judge: str, attack: str, corpus: str | None = None) -> Cell:
        """The cell of a judge and an attack; of the first corpus that has it, if none is named.

        Raises:
            DialmeterError: there is none.
        """
        for cell in self.cells:
            if (cell.judge, cell.attack) == (judge, attack) and corpus in (None, cell.corpus):
                return cell
        raise DialmeterError(f"no cell of judge {judge!r} under attack {attack!r}")

    def failing(self, judge: str, attack: str | None = None) -> list[int]:
        """The cases in which a judge did not do what an ideal one does, the clearest first."""
        found = [
            outcome
            for cell in self.cells
            if cell.judge == judge and attack in (None, cell.attack) and cell.value is not None
            for outcome in cell.outcomes
            if outcome.conforms is False
        ]
        similar = {each.case for each in found if self.cases[each.case].expected == "similar"}
        # A reply that should have fallen fails the more, the more it rose; one that should not move, the more it moved.
        return [
            each.case
            for each in sorted(
                found,
                key=lambda each: (
                    -abs(each.difference or 0.0) if each.case in similar else (each.difference or 0.0),
                    each.case,
                ),
            )
        ]

    def to_dicts(self) -> list[dict[str, Any]]:
        """The cells as they stand in JSON."""
        return [cell_dict(cell) for cell in self.cells]

    def to_polars(self) -> polars.DataFrame:
        """The cells as a polars table."""
        return as_polars(self.to_dicts())

    def _repr_html_(self) -> str:
        rows = [(cell.judge, cell.attack, cell.corpus, cell.value, cell.signature) for cell in self.cells]
        return html_table(("judge", "attack", "corpus", "error", "signature"), rows)

    def __repr__(self) -> str:
        means = ", ".join(f"{each.judge} {percent(each.value)}" for each in self.averages if each.facet == "overall")
        return f"<JudgeResult mean error {means}; {len(self.cases)} cases, threshold {self.how.threshold}>"


def cell_dict(cell: Cell) -> dict[str, Any]:
    """A cell as a score of JSON: all but the single cases."""
    plain = {"measure": "error", **to_builtins(cell)}
    del plain["outcomes"]
    for name in ("reason", "difference_ci_reason"):
        if not plain[name]:
            del plain[name]
    return plain


def score_judge(
    cases: str | Path | Sequence[Case],
    judges: Mapping[str, Judge] | Sequence[str | Judge],
    *,
    threshold: str = "paper",
    verdict: str = "paper",
    confidence: float = 0.95,
    store: str | Path | None = None,
    talk: Sequence[Sequence[str]] | None = None,
    scores: Mapping[str, Sequence[Pair]] | None = None,
    lower_is_better: Sequence[str] = (),
    watch: Watch | None = None,
) -> JudgeResult:
    """Error rates of judges under attack, the trivial judges beside them.

    Args:
        cases: a file of cases, or cases.
        judges: judges by name, as text (see :func:`~dialmeter.judges.judge.load_judge`), or as objects.
        threshold: ``paper``, ``sd``, ``noise`` or ``fixed=0.1``.
        verdict: ``paper``, or ``published`` for what the published code expects of entrainment.
        confidence: of intervals; 0 for none.
        store: a folder in which scores are kept between runs.
        talk: dialogues that judges which learn are trained on, each as its utterances; without it, what is said before
            the replies of the cases.
        scores: scores made elsewhere, by the judge's name, one pair per case.
        lower_is_better: judges of ``scores`` for which a lower score is better.
        watch: is told how far it has come.

    Raises:
        DialmeterError: a judge cannot be loaded, or a setting does not fit.
        InputError: the file of cases cannot be read.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> from dialmeter.model import Move
        >>> asked = (Move("user", "a table for two"),)
        >>> cases = [
        ...     Case("speaker", "", asked, reply, "a table for two " + reply, "lower", "coherence", Place("d1", n))
        ...     for n, reply in enumerate(["certainly", "for what day"])
        ... ]
        >>> result = score_judge(cases, ["length"], threshold="fixed=0.5")
        >>> result.cell("length", "speaker").value
        1.0
    """
    found = read_cases(cases) if isinstance(cases, str | Path) else list(cases)
    if not found:
        raise DialmeterError("there are no cases to score")
    offered = {"talk": talk if talk is not None else talk_of(found)}
    chosen = dict(judges) if isinstance(judges, Mapping) else _named(judges, offered)
    asked, known = judges_of(chosen, scores or {}, lower_is_better)
    how = How(parse_threshold(threshold), verdict, confidence)
    return assembled(found, asked, known, scores or {}, how=how, store=store, watch=watch)


def judges_of(
    judges: Mapping[str, Judge], scores: Mapping[str, Sequence[Pair]], lower_is_better: Sequence[str] = ()
) -> tuple[dict[str, Judge], list[About]]:
    """The judges to ask, the trivial ones last, and what is known of all of them.

    Raises:
        DialmeterError: two have the same name, or there is none.
    """
    clash = [name for name in scores if name in judges]
    if clash:
        raise DialmeterError(f"two judges are called {clash[0]}; give one another name, as in mine=...")
    if not judges and not scores:
        raise DialmeterError("name at least one judge")
    beside = {name: load_judge(name)[1] for name in TRIVIAL if name not in judges and name not in scores}
    known = [about(name, judge, trivial=name in TRIVIAL) for name, judge in judges.items()]
    known += [About(name, f"scores {name}", name not in lower_is_better) for name in scores]
    known += [about(name, judge, trivial=True) for name, judge in beside.items()]
    return {**judges, **beside}, known


def assembled(
    cases: Sequence[Case],
    asked: Mapping[str, Judge],
    known: Sequence[About],
    scores: Mapping[str, Sequence[Pair]],
    *,
    how: How,
    store: str | Path | None,
    watch: Watch | None,
    ask: Ask | None = None,
) -> JudgeResult:
    """The result of asking judges, with the scores made elsewhere added."""
    scored = score_cases(cases, asked, ScoreStore(store) if store else None, watch, ask)
    for name, pairs in scores.items():
        scored.pairs[name] = list(pairs)
    return JudgeResult(cases, known, scored, how)


def _named(judges: Sequence[str | Judge], offered: Mapping[str, Any]) -> dict[str, Judge]:
    found: dict[str, Judge] = {}
    for each in judges:
        name, judge = load_judge(each, offered) if isinstance(each, str) else (each.name, each)
        if name in found:
            raise DialmeterError(f"two judges are called {name}; give one another name, as in mine=...")
        found[name] = judge
    return found


def talk_of(cases: Sequence[Case]) -> list[list[str]]:
    """The contexts of cases, without the utterances that are scored as replies: nobody is judged on what they learned."""
    replies = {case.reply for case in cases}
    contexts = dict.fromkeys(tuple(move.text for move in case.context) for case in cases)
    kept = [[text for text in context if text not in replies] for context in contexts]
    return [context for context in kept if context]
