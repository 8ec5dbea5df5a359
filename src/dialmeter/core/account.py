"""The account of a result: how much was asked for, found and scored, and why the rest was not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct, ValidationError, convert, to_builtins

from ..errors import InputError, one_line

NOT_IN_FILE = "not in the file"
NO_PREDICTION = "without a prediction"
NO_GOLD = "without a gold state"
BY_NAME = "that the rule set skips by name"


class Reason(Struct, frozen=True):
    """Why units were not scored, how many, and the first of them."""

    reason: str
    count: int
    where: str = ""


class Account(Struct, frozen=True):
    """How much of what was asked for is in a result.

    Attributes:
        unit: what is counted.
        asked: how many were asked for.
        found: how many of them the input holds.
        scored: how many of these were scored.
        reasons: why the others were not; the counts add up to ``unscored``.
        done: what was done with them where it is not scoring, such as ``played``.
    """

    unit: Literal["dialogue", "case", "item"]
    asked: int
    found: int
    scored: int
    reasons: tuple[Reason, ...] = ()
    done: str = "scored"

    @property
    def unscored(self) -> int:
        """How many were asked for and not scored."""
        return self.asked - self.scored

    @property
    def complete(self) -> bool:
        """Was everything scored?"""
        return self.scored == self.asked

    @property
    def signed(self) -> tuple[str, ...]:
        """The field of signatures that says how many of how many were scored; none where it is everything."""
        return () if self.complete else (f"scored:{self.scored}/{self.asked}",)

    @property
    def line(self) -> str:
        """The account as the last line of a table.

        Example:
            >>> Account("dialogue", 8, 8, 8).line
            '8 of 8 dialogues scored'
            >>> Account("dialogue", 3, 2, 2, (Reason(NOT_IN_FILE, 1, "pmul0001"),)).line
            '3 dialogues asked for, 2 found, 2 scored, 1 unscored: 1 not in the file (pmul0001)'
        """
        units = f"{self.unit}{'' if self.asked == 1 else 's'}"
        if self.complete:
            return f"{self.scored} of {self.asked} {units} {self.done}"
        left = f"{self.unscored} {'unscored' if self.done == 'scored' else f'not {self.done}'}"
        counts = f"{self.asked} {units} asked for, {self.found} found, {self.scored} {self.done}, {left}"
        return f"{counts}: {self.why}" if self.reasons else counts

    @property
    def why(self) -> str:
        """The reasons in one line, each with its count and the first place.

        Example:
            >>> Account("case", 9, 9, 7, (Reason("the request failed", 2, "speaker-1"),)).why
            '2 the request failed (speaker-1)'
        """
        return "; ".join(
            f"{each.count} {each.reason}" + (f" ({one_line(each.where, 200)})" if each.where else "")
            for each in self.reasons
        )

    def plain(self) -> dict[str, Any]:
        """The account as in JSON."""
        numbers = {name: getattr(self, name) for name in ("unit", "asked", "found", "scored", "unscored")}
        return {**numbers, "reasons": to_builtins(self.reasons)}


_MOST = 10
"""How many different reasons are listed."""


def counted(unscored: Iterable[tuple[str, str]]) -> tuple[Reason, ...]:
    """Reasons from pairs of place and reason, in the order in which the reasons come first; many rare ones become one.

    Example:
        >>> counted([("d1", "no goal"), ("d7", "no goal")])
        (Reason(reason='no goal', count=2, where='d1'),)
    """
    found: dict[str, tuple[int, str]] = {}
    for where, why in unscored:
        reason = why if why in found or len(found) < _MOST else "for other reasons"
        count, first = found.get(reason, (0, where))
        found[reason] = count + 1, first
    return tuple(Reason(reason, *rest) for reason, rest in found.items())


def refused_dialogues(refused: Iterable[InputError]) -> list[tuple[str, str]]:
    """The dialogues that could not be read, for :func:`counted`: a dialogue without a name by its line.

    Example:
        >>> refused_dialogues([InputError("no goal", line=3)])
        [('line 3', 'no goal')]
    """
    return [(each.dialogue or f"line {each.line}", one_line(each.message, 100)) for each in refused]


def total(accounts: Iterable[Account]) -> Account:
    """The sum of several accounts of the same unit, such as those of all systems that are compared.

    Example:
        >>> total([Account("case", 2, 2, 2), Account("case", 2, 2, 1, (Reason("the request failed", 1, "c2"),))]).line
        '4 cases asked for, 4 found, 3 scored, 1 unscored: 1 the request failed (c2)'
    """
    every = list(accounts)
    reasons: dict[str, Reason] = {}
    for each in (reason for account in every for reason in account.reasons):
        before = reasons.get(each.reason)
        reasons[each.reason] = Reason(each.reason, before.count + each.count, before.where) if before else each
    return Account(
        every[0].unit,
        sum(account.asked for account in every),
        sum(account.found for account in every),
        sum(account.scored for account in every),
        tuple(reasons.values()),
        every[0].done,
    )


def lines(accounts: Mapping[str, Account]) -> list[str]:
    """The accounts of several subjects: one line where they are alike, otherwise a line for each.

    Example:
        >>> lines({"a": Account("case", 2, 2, 2), "b": Account("case", 2, 2, 2)})
        ['each of 2: 2 of 2 cases scored']
    """
    every = [account.line for account in accounts.values()]
    if len(set(every)) == 1:
        return [every[0] if len(every) == 1 else f"each of {len(every)}: {every[0]}"]
    return [f"{one_line(name, 60)}: {line}" for name, line in zip(accounts, every, strict=True)]


def in_documents(accounts: Mapping[str, Account]) -> dict[str, Any]:
    """The accounts of several subjects as in JSON: their sum, and each by name."""
    return {
        "account": total(accounts.values()).plain(),
        "accounts": {name: account.plain() for name, account in accounts.items()},
    }


def account_in(manifest: Mapping[str, Any]) -> Account | None:
    """The account of a run on disk; None where it has none, or something else in its place.

    Example:
        >>> account_in({"account": Account("case", 2, 2, 1).plain()}).unscored, account_in({"account": 1})
        (1, None)
    """
    try:
        return convert(manifest.get("account"), Account)
    except ValidationError:
        return None


def only_field(keys: Iterable[str] | None) -> tuple[str, ...]:
    """The field of signatures that says which dialogues were asked for; none where these were all.

    Example:
        >>> only_field(["mul0003", "sng01"]), only_field(None)
        (('only:e6e68fbc61',), ())
    """
    if keys is None:
        return ()
    return (f"only:{hashlib.sha256(chr(10).join(sorted(keys)).encode()).hexdigest()[:10]}",)
