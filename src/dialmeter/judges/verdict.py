"""Verdicts on judges: the reply that a judge prefers by a threshold, compared with the expectation for an ideal judge."""

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
"""The expectation for the score of the adversarial reply, in words."""


def relation(difference: float, threshold: float) -> Relation:
    """The judge's score of the human reply, relative to the adversarial one: ``similar`` if they differ by the threshold or less.

    Args:
        difference: the score of the human reply minus the score of the adversarial reply.
        threshold: the largest difference that does not count.

    Example:
        >>> relation(0.7, 0.1), relation(-0.7, 0.1), relation(0.05, 0.1)
        ('higher', 'lower', 'similar')
    """
    if abs(difference) <= threshold:
        return "similar"
    return "higher" if difference > 0 else "lower"


def conforms(actual: Relation, expected: str) -> bool:
    """True if a judge's relation is what is expected of an ideal judge.

    Example:
        >>> conforms("higher", "lower"), conforms("similar", "at-most"), conforms("similar", "lower")
        (True, True, False)
    """
    if expected == "similar":
        return actual == "similar"
    return actual == "higher" if expected == "lower" else actual != "lower"


def expected_of(case: Case, rules: str = "paper") -> str:
    """The expectation of the case, or of the published code.

    The text of the paper expects that a reply without entrainment does not score higher. Its code and its Table 4 count
    everything that is not lower as an error.

    Raises:
        DialmeterError: the expectation of the case is unknown.
    """
    if case.expected not in EXPECTED:
        raise DialmeterError(
            f"case of dialogue {case.source.dialogue}: expected is {case.expected!r}, not one of {', '.join(EXPECTED)}"
        )
    return "lower" if rules == "published" and case.attack == "entrainment" else case.expected


_OWN_ROW = {("pronoun", "number"): "coherence"}
"""Variants that test another facet than their attack, and the facet that the paper gives them."""


def facet_of(case: Case, rules: str = "paper") -> str:
    """The facet of the case, or the facet of the paper with the rules ``published``."""
    return _OWN_ROW.get((case.attack, case.variant), case.facet) if rules == "published" else case.facet


def row_of(case: Case, rules: str = "paper") -> str:
    """The table row of a case: its attack, or its variant if the variant tests another facet.

    Example:
        >>> from dialmeter.judges.cases import Place
        >>> case = Case("pronoun", "number", (), "I am here", "We am here", "lower", "naturalness", Place("d1", 1))
        >>> row_of(case), row_of(case, "published")
        ('pronoun:number', 'pronoun')
    """
    attack_facet = _OWN_ROW.get((case.attack, case.variant), case.facet)
    return case.attack if attack_facet == facet_of(case, rules) else f"{case.attack}:{case.variant}"


MODES = ("paper", "sd", "noise", "fixed")


class Threshold(Struct, frozen=True):
    """A rule for the smallest difference that counts.

    Attributes:
        mode: ``paper`` (t(.975, n−1)·s/√n of the human scores), ``sd`` (a share of their standard deviation s),
            ``noise`` (the judge's own differences on identical replies), or ``fixed``.
        amount: the share of s for ``sd``, the quantile for ``noise``, the threshold itself for ``fixed``, and the level of the test
            for ``paper``.
    """

    mode: str
    amount: float

    def __str__(self) -> str:
        return self.mode if self.amount == _DEFAULTS.get(self.mode) else f"{self.mode}({self.amount:g})"

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
        # pstdev may be slightly above 0 for equal scores.
        spread = pstdev(human, fmean(human)) if min(human) != max(human) else 0.0
        if self.mode == "sd":
            return self.amount * spread
        from scipy.stats import t

        return float(t.ppf(1 - self.amount / 2, len(human) - 1)) * spread / sqrt(len(human))


_DEFAULTS = {"paper": 0.05, "sd": 0.5, "noise": 0.95}
THRESHOLDS = (*(Threshold(mode, amount) for mode, amount in _DEFAULTS.items()), Threshold("fixed", 0.0))
"""The named thresholds, and the one under which any difference counts."""


def parse_threshold(text: str) -> Threshold:
    """Parse a threshold, such as ``paper``, ``sd``, ``sd=0.2``, ``noise`` or ``fixed=0.1``.

    Example:
        >>> str(parse_threshold("sd=0.2")), str(parse_threshold("paper"))
        ('sd(0.2)', 'paper')
        >>> parse_threshold("fixed")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --threshold fixed needs a number, as in fixed=0.1
    """
    mode, equals, amount = text.partition("=")
    if mode not in MODES:
        raise DialmeterError(f"--threshold {text!r}: must be one of {', '.join(MODES)}, or with a number, as in sd=0.5")
    if not equals and mode == "fixed":
        raise DialmeterError("--threshold fixed needs a number, as in fixed=0.1")
    try:
        number = float(amount) if equals else _DEFAULTS[mode]
    except ValueError:
        raise DialmeterError(f"--threshold {text!r}: {amount!r} is not a number") from None
    if not 0 <= number < float("inf") or (mode in ("paper", "noise") and not 0 < number < 1):
        raise DialmeterError(f"--threshold {text!r}: {amount} is out of range")
    return Threshold(mode, number)
