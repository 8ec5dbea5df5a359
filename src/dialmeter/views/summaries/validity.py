"""The summary of the verdicts of people on cases."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from ...core.account import Account
from ...judges.validity import AttackValidity
from ..tables import interval, percent, table_of
from .summary import Summary, account_text, fit

_ROWS = 10
"""Maximum number of rows of a table."""


def validity_summary(
    rates: Sequence[AttackValidity],
    agreement: Sequence[tuple[int, int, float | None, int]],
    account: Account,
    command: str = "",
) -> Summary:
    """Return the share of valid cases, and the attack with the lowest share."""
    whole = rates[-1]
    verdict = f"{percent(whole.share)} % of {whole.read} verdicts say that the case is valid"
    verdict += f", {interval(whole.ci)}." if whole.ci else "."
    own = [each for each in rates[:-1] if each.share is not None]
    if len(own) > 1:
        lowest = min(own, key=lambda each: each.share or 0)
        verdict = f"{verdict[:-1]}; the lowest is {lowest.attack} with {percent(lowest.share)} %."
    findings = [
        ("kappa", f"{'–' if value is None else f'{value:.2f}'} of readers {one} and {other} on {n} cases")
        for one, other, value, n in agreement[:4]
    ]
    table = table_of(
        "",
        rates[-_ROWS - 1 :],
        ("<attack", lambda each: fit(each.attack, 30)),
        "valid | weak | invalid | % valid=share:percent",
        ("<interval", lambda each: interval(each.ci)),
    )
    files = [word for word in shlex.split(command)[3:] if not word.startswith("-")] if command else []
    next_command = shlex.join(["dialmeter", "score", files[0], "-j", "overlap"]) if files else ""
    return Summary(verdict=verdict, findings=findings, table=table, account=account_text(account), next=next_command)
