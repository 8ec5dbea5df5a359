"""The verdict on a judge: which reply it prefers, by which threshold, and whether an ideal judge would do the same."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, pstdev
from typing import Literal, TypeAlias

from msgspec import Struct

from ..errors import DialmeterError
from .cases import Case

Relation: TypeAlias = Literal["higher", "similar", "lower"]
"""The judge's score of the human reply, relative to the adversarial one."""

RULES = ("paper", "published")
EXPECTED = ("lower", "similar", "at-most")

READING = {"lower": "must fall", "similar": "must not move", "at-most": "must not rise"}
"""The expectation in words."""


def relation(difference: float, threshold: float) -> Relation:
    """Which reply the judge prefers, if the difference (human minus adversarial) is larger than the threshold.

    Example:
        >>> relation(0.7, 0.1), relation(-0.7, 0.1), relation(0.05, 0.1)
        ('higher', 'lower', 'similar')
    """
    if abs(difference) <= threshold:
        return "similar"
    return "higher" if difference > 0 else "lower"


def conforms(found: Relation, expected: str) -> bool:
    """True if an ideal judge does the same.

    Example:
        >>> conforms("higher", "lower"), conforms("similar", "at-most"), conforms("similar", "lower")
        (True, True, False)
    """
    if expected == "similar":
        return found == "similar"
    return found == "higher" if expected == "lower" else found != "lower"


def expected_of(case: Case, rules: str = "paper") -> str:
    """The expected relation: as the case says, or as in the published code.

    The text of the paper expects that a reply without entrainment does not score higher; its code and its Table 4 count
    everything that is not lower as an error.

    Raises:
        DialmeterError: the case expects something that is not known.
    """
    if case.expected not in EXPECTED:
        raise DialmeterError(
            f"case of dialogue {case.source.dialogue}: expected is {case.expected!r}, not {', '.join(EXPECTED)}"
        )
    return "lower" if rules == "published" and case.attack == "entrainment" else case.expected


_OWN_ROW = {("pronoun", "number"): "coherence"}
"""Variants that are about another facet than their attack, and the facet that the paper gives them."""


def facet_of(case: Case, rules: str = "paper") -> str:
    """The facet: as the case says, or as in the paper."""
    return _OWN_ROW.get((case.attack, case.variant), case.facet) if rules == "published" else case.facet


def row_of(case: Case, rules: str = "paper") -> str:
    """The row of a table to which a case belongs: its attack, or its variant where that is about another facet.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case = Case("pronoun", "number", (), "I am here", "We am here", "lower", "naturalness", Place("d1", 1))
        >>> row_of(case), row_of(case, "published")
        ('pronoun:number', 'pronoun')
    """
    usual = _OWN_ROW.get((case.attack, case.variant), case.facet)
    return case.attack if usual == facet_of(case, rules) else f"{case.attack}:{case.variant}"


MODES = ("paper", "sd", "noise", "fixed")


class Threshold(Struct, frozen=True):
    """A rule for the smallest difference that counts.

    Attributes:
        mode: ``paper`` (t(.975, n−1)·s/√n of the human scores), ``sd`` (a share of their standard deviation s),
            ``noise`` (the judge's own differences on identical replies), or ``fixed``.
        amount: the share of s, the quantile of noise, or the number itself; the level of the test for ``paper``.
    """

    mode: str
    amount: float

    def __str__(self) -> str:
        return self.mode if self.amount == _USUAL.get(self.mode) else f"{self.mode}({self.amount:g})"

    def value(self, human: Sequence[float], noise: Sequence[float] = ()) -> float | None:
        """The threshold for the human scores of a cell; None if there are too few scores.

        Args:
            human: the scores of the human replies.
            noise: the judge's differences on identical replies.

        Example:
            >>> Threshold("paper", 0.05).value([1, 2, 3, 4])
            1.7790415683393548
            >>> Threshold("sd", 0.5).value([1, 2, 3, 4]), Threshold("fixed", 0.2).value([])
            (0.5590169943749475, 0.2)
        """
        if self.mode == "fixed":
            return self.amount
        if self.mode == "noise":
            from numpy import quantile

            return float(quantile(noise, self.amount)) if noise else None
        if len(human) < 2:
            return None
        # Exactly 0 if all scores are the same.
        spread = pstdev(human, fmean(human)) if min(human) != max(human) else 0.0
        if self.mode == "sd":
            return self.amount * spread
        from scipy.stats import t

        return float(t.ppf(1 - self.amount / 2, len(human) - 1)) * spread / sqrt(len(human))


_USUAL = {"paper": 0.05, "sd": 0.5, "noise": 0.95}


def parse_threshold(text: str) -> Threshold:
    """A threshold from text: ``paper``, ``sd``, ``sd=0.2``, ``noise``, ``fixed=0.1``.

    Example:
        >>> str(parse_threshold("sd=0.2")), str(parse_threshold("paper"))
        ('sd(0.2)', 'paper')
        >>> parse_threshold("fixed")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --threshold fixed needs a number, as in fixed=0.1
    """
    mode, equals, amount = text.partition("=")
    if mode not in MODES:
        raise DialmeterError(f"--threshold {text!r}: one of {', '.join(MODES)}, perhaps with a number, as in sd=0.5")
    if not equals and mode == "fixed":
        raise DialmeterError("--threshold fixed needs a number, as in fixed=0.1")
    try:
        number = float(amount) if equals else _USUAL[mode]
    except ValueError:
        raise DialmeterError(f"--threshold {text!r}: {amount!r} is not a number") from None
    below_one = mode in ("paper", "noise")
    if not 0 <= number < float("inf") or (below_one and not 0 < number < 1):
        raise DialmeterError(f"--threshold {text!r}: {amount} is out of range")
    return Threshold(mode, number)
