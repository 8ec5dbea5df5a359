"""The account of a result: how many units were requested, found and scored, and why the others were not scored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct, ValidationError, convert, to_builtins

from ..errors import InputError, one_line

NOT_IN_FILE = "not in the file"
NO_PREDICTION = "without a prediction"
NO_GOLD = "without a gold state"
BY_NAME = "unscored by name in the rule set"


class Reason(Struct, frozen=True):
    """The reason why some units were not scored, their number, and the first of them."""

    reason: str
    count: int
    where: str = ""


class Account(Struct, frozen=True):
    """Number of units that were requested, found and scored, and the reasons for the unscored ones.

    Attributes:
        unit: the unit that is counted.
        asked: number of requested units.
        found: number of requested units that the input contains.
        scored: number of these that were scored.
        reasons: why the others were not scored; the counts add up to ``unscored``.
        done: verb for messages if the units were not scored but, for example, ``played``.
    """

    unit: Literal["dialogue", "case", "item"]
    asked: int
    found: int
    scored: int
    reasons: tuple[Reason, ...] = ()
    done: str = "scored"

    @property
    def unscored(self) -> int:
        """Number of requested units that were not scored."""
        return self.asked - self.scored

    @property
    def complete(self) -> bool:
        """True if all requested units were scored."""
        return self.scored == self.asked

    @property
    def signed(self) -> tuple[str, ...]:
        """The signature field with the number of scored and requested units; empty if all were scored."""
        return () if self.complete else (f"scored:{self.scored}/{self.asked}",)

    @property
    def line(self) -> str:
        """The account as the last line of a table.

        Example:
            >>> Account("dialogue", 8, 8, 8).line
            '8 of 8 dialogues scored'
            >>> Account("dialogue", 3, 2, 2, (Reason(NOT_IN_FILE, 1, "pmul0001"),)).line
            '3 dialogues requested, 2 found, 2 scored, 1 unscored: 1 not in the file (pmul0001)'
        """
        units = f"{self.unit}{'' if self.asked == 1 else 's'}"
        if self.complete:
            return f"{self.scored} of {self.asked} {units} {self.done}"
        rest = f"{self.unscored} {'unscored' if self.done == 'scored' else f'not {self.done}'}"
        counts = f"{self.asked} {units} requested, {self.found} found, {self.scored} {self.done}, {rest}"
        return f"{counts}: {self.reason}" if self.reasons else counts

    @property
    def reason(self) -> str:
        """The reasons in one line, each with its count and its first unit.

        Example:
            >>> Account("case", 9, 9, 7, (Reason("the request failed", 2, "speaker-1"),)).reason
            '2 the request failed (speaker-1)'
        """
        return "; ".join(
            f"{each.count} {each.reason}" + (f" ({one_line(each.where, 200)})" if each.where else "")
            for each in self.reasons
        )

    def plain(self) -> dict[str, Any]:
        """Return the account as a dictionary for JSON."""
        numbers = {name: getattr(self, name) for name in ("unit", "asked", "found", "scored", "unscored")}
        return {**numbers, "reasons": to_builtins(self.reasons)}


_MAX_REASONS = 10
"""Maximum number of different reasons that are listed."""


def count_reasons(unscored: Iterable[tuple[str, str]]) -> tuple[Reason, ...]:
    """Count the reasons in pairs of unit and reason, in order of first occurrence.

    After ten different reasons, all further ones are counted together.

    Example:
        >>> count_reasons([("d1", "no goal"), ("d7", "no goal")])
        (Reason(reason='no goal', count=2, where='d1'),)
    """
    counts: dict[str, tuple[int, str]] = {}
    for where, why in unscored:
        reason = why if why in counts or len(counts) < _MAX_REASONS else "for other reasons"
        count, first = counts.get(reason, (0, where))
        counts[reason] = count + 1, first
    return tuple(Reason(reason, count, first) for reason, (count, first) in counts.items())


def refused_dialogues(refused: Iterable[InputError]) -> list[tuple[str, str]]:
    """Return name and error of each dialogue that could not be read, for :func:`count_reasons`.

    A dialogue without a name is named by its line.

    Example:
        >>> refused_dialogues([InputError("no goal", line=3)])
        [('line 3', 'no goal')]
    """
    return [(each.dialogue or f"line {each.line}", one_line(each.message, 100)) for each in refused]


def sum_accounts(accounts: Iterable[Account]) -> Account:
    """Return the sum of several accounts of the same unit, such as those of all compared systems.

    Example:
        >>> sum_accounts([Account("case", 2, 2, 2), Account("case", 2, 2, 1, (Reason("the request failed", 1, "c2"),))]).line
        '4 cases requested, 4 found, 3 scored, 1 unscored: 1 the request failed (c2)'
    """
    listed = list(accounts)
    reasons: dict[str, Reason] = {}
    for each in (reason for account in listed for reason in account.reasons):
        before = reasons.get(each.reason)
        reasons[each.reason] = Reason(each.reason, before.count + each.count, before.where) if before else each
    return Account(
        listed[0].unit,
        sum(account.asked for account in listed),
        sum(account.found for account in listed),
        sum(account.scored for account in listed),
        tuple(reasons.values()),
        listed[0].done,
    )


def format_accounts(accounts: Mapping[str, Account]) -> list[str]:
    """Return the accounts of several systems or files as text: one line if all are equal, otherwise one line for each.

    Example:
        >>> format_accounts({"a": Account("case", 2, 2, 2), "b": Account("case", 2, 2, 2)})
        ['each of 2: 2 of 2 cases scored']
    """
    texts = [account.line for account in accounts.values()]
    if len(set(texts)) == 1:
        return [texts[0] if len(texts) == 1 else f"each of {len(texts)}: {texts[0]}"]
    return [f"{one_line(name, 60)}: {text}" for name, text in zip(accounts, texts, strict=True)]


def account_fields(accounts: Mapping[str, Account]) -> dict[str, Any]:
    """Return the JSON fields for the accounts of several systems or files: their sum, and each by name."""
    return {
        "account": sum_accounts(accounts.values()).plain(),
        "accounts": {name: account.plain() for name, account in accounts.items()},
    }


def read_account(manifest: Mapping[str, Any]) -> Account | None:
    """Return the account in the manifest of a run, or None if it is missing or invalid.

    Example:
        >>> read_account({"account": Account("case", 2, 2, 1).plain()}).unscored, read_account({"account": 1})
        (1, None)
    """
    try:
        return convert(manifest.get("account"), Account)
    except ValidationError:
        return None


def only_field(keys: Iterable[str] | None) -> tuple[str, ...]:
    """Return the signature field that identifies the requested dialogues; empty if all were requested.

    Example:
        >>> only_field(["mul0003", "sng01"]), only_field(None)
        (('only:e6e68fbc61',), ())
    """
    if keys is None:
        return ()
    return (f"only:{hashlib.sha256(chr(10).join(sorted(keys)).encode()).hexdigest()[:10]}",)
