"""Attempts of attacks, and their statistics: tried replies, cases, reasons of rejections."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct, field

from .._version import __version__
from ..core.account import Account, Reason
from ..core.document import Count
from ..model import Conversation, Notice
from .cases import Case


class Attempt(Struct, frozen=True):
    """One attempt to make a case from a reply with a variant of an attack.

    Attributes:
        rank: the sort key that merges the attempts of several shards: the number of earlier cases from the same dialogue, the
            place that the seed gives the dialogue, its id, and the number of the attempt.
        case: the case; None if the attempt failed.
        reason: the reason if there is no case.
    """

    rank: tuple[int, int, str, int]
    case: Case | None
    reason: str = ""


class Yield(Struct, frozen=True):
    """The yield of one attack.

    Attributes:
        attack: its name.
        tried: number of attempts of a variant on a reply.
        made: number of cases.
        by_variant: number of cases by variant.
        reasons: reason → number of rejected attempts.
        untried: variant that needs a missing resource → what to install.
    """

    attack: str
    tried: Count
    made: Count
    rejected: Count
    by_variant: dict[str, Count] = field(name="variants")
    reasons: dict[str, Count] = {}
    untried: dict[str, str] = {}


class Attacked(Struct, frozen=True):
    """The result of attacking a corpus.

    Attributes:
        cases: all cases, grouped by attack in the requested order.
        yields: one yield per attack.
        notices: warnings.
    """

    cases: list[Case]
    yields: list[Yield]
    notices: list[Notice]


def gather(
    attack: str, attempts: Iterable[Attempt], cases: int, untried: dict[str, str] | None = None
) -> tuple[list[Case], Yield]:
    """Select the first cases by rank. Return them, and the yield up to the last of them. The result does not depend on the shards.

    Args:
        attack: the name of the attack.
        attempts: the attempts of all shards, in any order.
        cases: the number of requested cases.
        untried: variants that were not tried.

    Example:
        >>> gather("pronoun", [Attempt((0, 5, "d1", 0), None, "no pronoun")], 100)[1].reasons
        {'no pronoun': 1}
    """
    made: list[Case] = []
    reasons: Counter[str] = Counter()
    for attempt in sorted(attempts, key=lambda each: each.rank):
        if len(made) == cases:
            break
        if attempt.case is not None:
            made.append(attempt.case)
        else:
            reasons[attempt.reason] += 1
    by_variant = dict(sorted(Counter(case.variant for case in made).items()))
    ordered = dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
    rejected = reasons.total()
    return made, Yield(attack, len(made) + rejected, len(made), rejected, by_variant, ordered, untried or {})


def case_account(yields: Iterable[Yield], cases: int) -> Account:
    """The number of requested cases, of cases made, and the reasons for missing cases.

    Example:
        >>> case_account([Yield("pronoun", 3, 2, 1, {"person": 2}, {"no pronoun": 1})], 2).line
        '2 of 2 cases made'
    """
    all_yields = list(yields)
    missing = tuple(
        Reason(f"{each.attack}: {'no further reply fits' if each.tried else 'not tried'}", cases - each.made)
        for each in all_yields
        if each.made < cases
    )
    made = sum(each.made for each in all_yields)
    return Account("case", cases * len(all_yields), made, made, missing, "made")


def yield_notices(yields: Sequence[Yield], cases: int) -> list[Notice]:
    """One warning per missing resource, with the variants that need it, and one for attacks with fewer cases than requested."""
    variants_by_resource: dict[str, list[str]] = {}
    for each in yields:
        for variant, resource in each.untried.items():
            variants_by_resource.setdefault(resource, []).append(f"{each.attack}:{variant}")
    notices = [
        Notice("missing-resource", len(variants), f"not tried, {resource}", tuple(variants))
        for resource, variants in variants_by_resource.items()
        if "paraphraser" not in resource  # A paraphraser is optional, so its absence is no warning.
    ]
    few = [each for each in yields if each.made < cases and (each.tried or not each.untried)]
    if few:
        where = tuple(f"{each.attack} {each.made}" for each in few)
        message = f"the corpus gives fewer than {cases} cases of some attacks"
        notices.append(Notice("few-cases", len(few), message, where))
    return notices


class AttackPart(Struct, frozen=True):
    """The result of one task: attempts by attack."""

    number: int
    found: dict[str, list[Attempt]]


def attack_identity(conversations: Iterable[Conversation], *settings: object) -> str:
    """A digest of everything that the parts depend on: the version, the texts of the corpus, and settings with a stable ``repr``."""
    digest = hashlib.sha256(repr((__version__, *settings)).encode())
    for conversation in conversations:
        digest.update(
            msgspec.json.encode([conversation.id, [(move.speaker, move.text) for move in conversation.moves]])
        )
    return digest.hexdigest()
