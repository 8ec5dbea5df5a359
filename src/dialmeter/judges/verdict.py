"""Did a judge do with an attacked reply what an ideal one would do?"""

from __future__ import annotations

from typing import Literal, TypeAlias

from ..errors import DialmeterError
from .cases import Case

Relation: TypeAlias = Literal["higher", "similar", "lower"]
"""Where the judge put the human reply: above the adversarial one, beside it, or below it."""

RULES = ("paper", "published")
EXPECTED = ("lower", "similar", "at-most")

READING = {"lower": "must fall", "similar": "must not move", "at-most": "must not rise"}
"""What the expectation asks of the score, in words."""


def relation(human: float, adversarial: float, threshold: float, higher_is_better: bool = True) -> Relation:
    """Which reply the judge prefers, where the difference is larger than the threshold.

    Example:
        >>> relation(0.9, 0.2, 0.1), relation(0.9, 0.2, 0.1, higher_is_better=False), relation(0.9, 0.85, 0.1)
        ('higher', 'lower', 'similar')
    """
    difference = human - adversarial if higher_is_better else adversarial - human
    if abs(difference) <= threshold:
        return "similar"
    return "higher" if difference > 0 else "lower"


def conforms(found: Relation, expected: str) -> bool:
    """Is it what an ideal judge does?

    Example:
        >>> conforms("higher", "lower"), conforms("similar", "at-most"), conforms("similar", "lower")
        (True, True, False)
    """
    if expected == "similar":
        return found == "similar"
    return found == "higher" if expected == "lower" else found != "lower"


def expected_of(case: Case, rules: str = "paper") -> str:
    """What is expected of a judge: as the case says, or as the published code has it.

    The paper's text expects that a reply without entrainment scores at most as well; its code and its Table 4 count
    everything that is not lower as an error.

    Raises:
        DialmeterError: the case expects something that is not known.
    """
    if case.expected not in EXPECTED:
        raise DialmeterError(
            f"case of dialogue {case.source.dialogue}: expected is {case.expected!r}, not {', '.join(EXPECTED)}"
        )
    return "lower" if rules == "published" and case.attack == "entrainment" else case.expected
