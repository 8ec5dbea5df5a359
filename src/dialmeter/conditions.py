"""Conditions for CI, such as ``FGA(lam=0.5) < 0.6`` or ``JGA[hotel] < 0.5``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct

from .errors import ConditionHolds, DialmeterError

SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
KEYS = (
    *("event", "domain", "slot", "value", "turn", "party", "reason", "goal"),
    *("task", "ending", "tool", "argument", "attack", "facet", "judge", "outcome"),
)
"""The keys of the conditions of ``dialmeter find``. Each subject knows some of them."""
_FORM = re.compile(
    r"(?P<measure>[^\[\]()<>=]+(?:\([^()]*\)\s*)?)(?:\[(?P<group>[^\[\]]+)\]\s*)?(?P<sign><=|>=|<|>)\s*(?P<limit>\S+)"
)


_NOT_A_GROUP = {"measure", "value", "ci", "ci_reason", "n", "unscored", "signature", "reason"}


class Condition(Struct, frozen=True):
    """A comparison of a measure, of all data or of one group, with a fraction.

    The group may have several parts, as in ``error[contradiction, pang-c]``: a score must have all of them.
    """

    measure: str
    group: str | None
    sign: str
    limit: float
    text: str

    def check(self, scores: Iterable[Mapping[str, Any]]) -> None:
        """Raise ConditionHolds if the condition is true for a score.

        Raises:
            DialmeterError: there is no such score, or it has no value.
        """
        matches = []
        parts = {part.strip() for part in (self.group or "").split(",")}
        for score in scores:
            groups = {str(value) for key, value in score.items() if key not in _NOT_A_GROUP}
            in_group = self.group in groups or parts <= groups if self.group is not None else not groups
            if score["measure"] == self.measure and in_group:
                matches.append(score)
        if not matches:
            raise DialmeterError(f"--fail-if {self.text!r}: no such score was computed")
        for score in matches:
            if score["value"] is None:
                raise DialmeterError(
                    f"--fail-if {self.text!r}: {self.measure} has no value ({score.get('reason', '')})"
                )
            if SIGNS[self.sign](score["value"], self.limit):
                raise ConditionHolds(f"{self.text}: {self.measure} is {score['value']:.4f}")


def parse_condition(text: str) -> Condition:
    """Parse a condition.

    Example:
        >>> parse_condition("FGA(lam=0.5) < 0.6").limit, parse_condition("JGA[hotel] <= 0.5").group
        (0.6, 'hotel')
        >>> parse_condition("JGA below 50")
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: --fail-if 'JGA below 50': write it like "JGA < 0.5" or "JGA[hotel] < 0.5"
    """
    match = _FORM.fullmatch(text.strip())
    if not match:
        raise DialmeterError(f'--fail-if {text!r}: write it like "JGA < 0.5" or "JGA[hotel] < 0.5"')
    try:
        limit = float(match["limit"])
    except ValueError:
        raise DialmeterError(f"--fail-if {text!r}: {match['limit']!r} is not a number") from None
    if limit != limit:  # noqa: PLR0124  true only for nan
        raise DialmeterError(f"--fail-if {text!r}: nan is not a limit")
    if limit > 1 or limit < -1:
        raise DialmeterError(f"--fail-if {text!r}: values are fractions; for {limit:g} % write {limit / 100:g}")
    return Condition(match["measure"].strip(), match["group"], match["sign"], limit, text.strip())
