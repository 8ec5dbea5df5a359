"""Statistics of each attack: the numbers of tried replies and of cases, and the reasons of rejected attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from ..core.account import Account, Reason
from ..model import Notice
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
        tried: the number of attempts.
        made: the number of cases.
        by_variant: the number of cases by variant.
        why: the number of rejected attempts by reason.
        skipped: variants whose resource is not installed → the name of what to install.
    """

    attack: str
    tried: int
    made: int
    by_variant: dict[str, int] = field(default_factory=dict)
    why: dict[str, int] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def rejected(self) -> int:
        """The number of attempts without a case."""
        return self.tried - self.made


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
    attack: str, attempts: Iterable[Attempt], cases: int, skipped: dict[str, str] | None = None
) -> tuple[list[Case], Yield]:
    """Select the first cases by rank. Return them, and the yield up to the last of them. The result does not depend on the shards.

    Args:
        attack: the name of the attack.
        attempts: the attempts of all shards, in any order.
        cases: the number of requested cases.
        skipped: variants that were not tried.

    Example:
        >>> gather("pronoun", [Attempt((0, 5, "d1", 0), None, "no pronoun")], 100)[1].why
        {'no pronoun': 1}
    """
    made: list[Case] = []
    why: Counter[str] = Counter()
    for attempt in sorted(attempts, key=lambda each: each.rank):
        if len(made) == cases:
            break
        if attempt.case is not None:
            made.append(attempt.case)
        else:
            why[attempt.reason] += 1
    by_variant = Counter(case.variant for case in made)
    ordered = dict(sorted(why.items(), key=lambda item: (-item[1], item[0])))
    tried = len(made) + why.total()
    return made, Yield(attack, tried, len(made), dict(sorted(by_variant.items())), ordered, skipped or {})


def case_account(yields: Iterable[Yield], cases: int) -> Account:
    """The number of requested cases, of cases made, and the reasons for missing cases.

    Example:
        >>> case_account([Yield("pronoun", 3, 2, {"person": 2}, {"no pronoun": 1})], 2).line
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
        for variant, resource in each.skipped.items():
            variants_by_resource.setdefault(resource, []).append(f"{each.attack}:{variant}")
    notices = [
        Notice("missing-resource", len(variants), f"skipped, {resource}", tuple(variants))
        for resource, variants in variants_by_resource.items()
        if "paraphraser" not in resource  # A paraphraser is optional, so its absence is no warning.
    ]
    few = [each for each in yields if each.made < cases and (each.tried or not each.skipped)]
    if few:
        where = tuple(f"{each.attack} {each.made}" for each in few)
        message = f"the corpus gives fewer than {cases} cases of some attacks"
        notices.append(Notice("few-cases", len(few), message, where))
    return notices
