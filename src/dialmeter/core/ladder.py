"""The ladder of a comparison: the same difference under every assumption that applies to the files.

A verdict is a sentence that people copy, so it comes with what it depends on. Each subject makes a list of rungs from what is
in memory; this module sorts them, decides the verdict and says in one sentence whether it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

if TYPE_CHECKING:
    from .comparison import PairedDifference

Verdict: TypeAlias = Literal["better", "worse", "cannot tell", "depends", "not comparable"]
Assumption: TypeAlias = Literal[
    "as written",
    "spelling",
    "infrastructure",
    "coverage",
    "rules",
    "acts",
    "threshold",
    "user",
    "tasks",
    "calls",
    "scorer",
]

TURNING: frozenset[Assumption] = frozenset({"spelling", "infrastructure"})
"""Only these assumptions can turn a verdict into DEPENDS. The others answer another question: a system that leaves out what is
hard must not gain by it."""
MAX_RUNGS = 6
_SAME_SHOWN = 5e-5
"""Differences that are equal in percent with two decimals are the same difference."""


class Rung(Struct, frozen=True):
    """The difference of two systems under one assumption.

    Attributes:
        name: the assumption in a few words, such as ``map=multiwoz`` or ``slots that both predict``.
        assumption: the kind of assumption.
        difference: the system's value minus the base's value.
        ci: interval of the difference.
        p: p value of the test that decides, corrected as the p value of the difference as written is.
        verdict: better, worse or cannot tell.
        n: number of dialogues or tasks.
        note: a short remark, for example the number of dialogues that are unscored.
        margin: the system is better or worse only if the difference is larger; unset for 0.
    """

    name: str
    assumption: Assumption
    difference: float | None
    ci: tuple[float, float] | None
    p: float | None
    verdict: Verdict
    n: int
    note: str = ""
    margin: float | UnsetType = UNSET


class Ladder(Struct, frozen=True):
    """The verdict on two systems under one measure, and what it depends on.

    Attributes:
        verdict: better, worse, cannot tell, or depends.
        sentence: whether the verdict holds under all assumptions, or with which one it turns.
        rungs: the difference as written, then the others; the one that differs most from it comes first.
    """

    measure: str
    system: str
    base: str
    verdict: Verdict
    sentence: str
    rungs: list[Rung]

    @property
    def headline(self) -> str:
        """The verdict as a sentence.

        Example:
            >>> worse = Rung("as written", "as written", -0.051, (-0.08, -0.02), 0.001, "worse", 1000)
            >>> better = Rung("map=multiwoz", "spelling", 0.1188, (0.09, 0.15), 0.001, "better", 1000)
            >>> make_ladder("JGA", "uniconv", "labes", [worse]).headline
            'WORSE: uniconv is worse than labes by 5.10 JGA.'
            >>> make_ladder("JGA", "uniconv", "labes", [worse, better]).headline
            'DEPENDS on spelling: uniconv is worse than labes by 5.10 JGA as written, better by 11.88 with map=multiwoz.'
            >>> skipped = Rung("infrastructure=skipped", "infrastructure", -0.01, None, 0.7, "cannot tell", 80, "without the 35 tasks where its connection broke")
            >>> make_ladder("Success", "new", "old", [worse, skipped]).headline
            'DEPENDS on infrastructure: new is worse by 5.10 Success, but not shown to be worse without the 35 tasks where its connection broke.'
        """
        written = self.rungs[0]
        text = _describe(written, self.system, self.base, self.measure)
        if self.verdict != "depends":
            return f"{self.verdict.upper()}: {text}."
        turned = next(each for each in self.rungs[1:] if _turns(each, written))
        if turned.assumption == "infrastructure":
            return f"DEPENDS on infrastructure: {_describe_without(written, turned, self)}."
        return f"DEPENDS on {turned.assumption}: {text} as written, {_describe_again(turned)} with {turned.name}."


def decide(difference: Any, level: float, *, higher_is_better: bool = True) -> Verdict:
    """Return better, worse or cannot tell.

    Args:
        difference: a comparison with the attributes ``difference`` and ``p_holm``, the corrected p value.
        level: p values below it are significant.
        higher_is_better: False for a measure of errors.

    Example:
        >>> from dialmeter.core.comparison import PairedDifference
        >>> decide(PairedDifference("JGA", "new", "base", 0.1, None, 0.01, 0.02, 1, 0, 0), 0.05)
        'better'
        >>> decide(PairedDifference("JGA", "new", "base", 0.1, None, None, None, 1, 0, 0), 0.05)
        'cannot tell'
    """
    if difference.p_holm is None or not difference.difference or difference.p_holm >= level:
        return "cannot tell"
    return "better" if (difference.difference > 0) == higher_is_better else "worse"


def make_rung(
    name: str,
    assumption: Assumption,
    difference: PairedDifference,
    level: float,
    *,
    n: int,
    note: str = "",
    margin: float = 0.0,
) -> Rung:
    """Return the rung of a paired comparison. With a margin, its p value is that of "the difference is not larger"."""
    verdict = decide(difference, level)
    given = margin or UNSET
    return Rung(name, assumption, difference.difference, difference.ci, difference.p_holm, verdict, n, note, given)


def make_ladder(measure: str, system: str, base: str, rungs: Sequence[Rung]) -> Ladder:
    """Sort the rungs and decide the verdict.

    Args:
        measure: the measure of the difference.
        system: the later system.
        base: the baseline.
        rungs: the difference as written first, then the others in any order. At most six are kept: those that may turn the
            verdict before the others, then those that differ most.
    """
    written, *others = rungs
    others.sort(key=lambda each: (each.assumption not in TURNING, -_gap(each, written), each.name))
    kept = others[: MAX_RUNGS - 1]
    kept.sort(key=lambda each: (-_gap(each, written), each.name))
    turned = any(_turns(each, written) for each in kept)
    return Ladder(
        measure=measure,
        system=system,
        base=base,
        verdict="depends" if turned else written.verdict,
        sentence=_sentence(written, kept),
        rungs=[written, *kept],
    )


def _gap(rung: Rung, written: Rung) -> float:
    if rung.difference is None or written.difference is None:
        return 0.0
    gap = abs(rung.difference - written.difference)
    return gap if gap >= _SAME_SHOWN else 0.0


def _turns(rung: Rung, written: Rung) -> bool:
    return rung.assumption in TURNING and rung.verdict != written.verdict


def _sentence(written: Rung, others: Sequence[Rung]) -> str:
    """Say whether the verdict holds.

    Example:
        >>> worse = Rung("as written", "as written", -0.05, None, 0.001, "worse", 9)
        >>> _sentence(worse, [Rung("map=multiwoz", "spelling", -0.04, None, 0.001, "worse", 9)])
        'the verdict holds under both'
        >>> _sentence(worse, [Rung("slots that both predict", "coverage", 0.04, None, 0.001, "better", 9)])
        'the verdict holds as written; better for slots that both predict, which is another question'
    """
    if not others:
        return "no other assumption applies to these files"
    turned = _unique(each.assumption for each in others if _turns(each, written))
    if turned:
        return f"the verdict turns with {' and '.join(turned)}"
    differing = [each for each in others if each.verdict != written.verdict]
    if not differing:
        return f"the verdict holds under {'both' if len(others) == 1 else f'all {len(others) + 1}'}"
    listed = "; ".join(f"{each.verdict} for {each.name}" for each in differing)
    holds = "as written" if len(differing) == len(others) else f"under {len(others) + 1 - len(differing)}"
    return f"the verdict holds {holds}; {listed}, which is another question"


def _unique(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(words))


_UNITS = {"error": "points of error"}
"""What a difference is counted in, if the name of the measure does not follow a number."""


def _describe(rung: Rung, system: str, base: str, measure: str) -> str:
    if rung.difference is None:
        return f"{system} and {base} have no difference of {measure} that can be computed"
    margin = rung.margin or 0.0
    points = f"{100 * margin:g} points"
    if margin and rung.ci is not None and -margin < rung.ci[0] and rung.ci[1] < margin:
        return f"{system} and {base} are equal within {points} of {measure}"
    if not rung.difference:
        return f"{system} and {base} have the same {measure}"
    size = f"{100 * abs(rung.difference):.2f} {_UNITS.get(measure, measure)}"
    if rung.verdict in ("better", "worse"):
        return f"{system} is {rung.verdict} than {base} by {size}{f', and by more than {points}' if margin else ''}"
    way, more = "above" if rung.difference > 0 else "below", points if margin else "chance"
    return f"{system} is {size} {way} {base}, which is not shown to be more than {more}"


def _describe_again(rung: Rung) -> str:
    if rung.difference is None:
        return "no value"
    if rung.verdict in ("better", "worse"):
        return f"{rung.verdict} by {100 * abs(rung.difference):.2f}"
    return f"{rung.verdict} ({100 * rung.difference:+.2f})"


def _describe_without(written: Rung, turned: Rung, ladder: Ladder) -> str:
    """Return the verdict as written, and the one without the tasks that an infrastructure error ended; its note names them."""
    if written.verdict not in ("better", "worse"):
        return f"{_describe(written, ladder.system, ladder.base, ladder.measure)}, but {_describe_again(turned)} {turned.note}"
    first = f"{ladder.system} is {written.verdict} by {100 * abs(written.difference or 0):.2f} {ladder.measure}"
    more = f" by more than {100 * margin:g} points" if (margin := written.margin or 0.0) else ""
    again = f"not shown to be {written.verdict}{more}" if turned.verdict == "cannot tell" else _describe_again(turned)
    return f"{first}, but {again} {turned.note}"
