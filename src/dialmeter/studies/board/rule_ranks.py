"""Ranks of systems under every rule set and value map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...core.comparability import not_comparable
from ...model import dialogue_key
from ...tracking.rule_sets.explain_rules import UnderRules, explain
from ...tracking.rule_sets.rules import Rules, named, names
from ...values import maps
from .systems import BoardSystem


class RuleRanks(Struct, frozen=True, kw_only=True):
    """Values and ranks of the systems under one measure, rule set and value map.

    Attributes:
        measure: measure by which they are ranked.
        rules: name of the rule set.
        map: name of the value map; empty for none.
        values: value of each system; None if it has none.
        ranks: rank of each system; 1 is best, and equal values share the better rank. None for a system that is not ranked.
        reason: why there are no ranks.
    """

    measure: str
    rules: str
    map: str
    values: dict[str, float | None]
    ranks: dict[str, int | None]
    reason: str = ""


def rank(values: Mapping[str, float | None], unranked: frozenset[str] = frozenset()) -> dict[str, int | None]:
    """Return the rank of each value: 1 is best, equal values share the better rank, and None has no rank.

    Args:
        values: values by system.
        unranked: systems that get no rank and do not affect the ranks of others.

    Example:
        >>> rank({"a": 0.5, "b": 0.7, "c": 0.5, "d": None, "e": 0.9}, frozenset("e"))
        {'a': 2, 'b': 1, 'c': 2, 'd': None, 'e': None}
    """
    ranked = {name: value for name, value in values.items() if value is not None and name not in unranked}
    return {
        name: 1 + sum(other > ranked[name] for other in ranked.values()) if name in ranked else None for name in values
    }


def variants(base: Rules) -> list[Rules]:
    """Return the rule sets for ranking: the base, every shipped one, and all of them with every shipped map, without duplicates."""
    plain = [base, *(replace(named(name), missing=base.missing, patch=base.patch) for name in names())]
    mapped = [replace(rules, map=name) for name in maps.names() for rules in plain]
    unique: dict[bytes, Rules] = {}
    for rules in (*plain, *mapped):
        unique.setdefault(msgspec.json.encode(replace(rules, name="", about="", evidence="")), rules)
    return list(unique.values())


def rule_ranks(
    systems: Sequence[BoardSystem], base: Rules, only: frozenset[str] | None, unranked: frozenset[str]
) -> list[RuleRanks]:
    """Rank the systems by the headline measure of every rule set, with every shipped value map.

    Args:
        systems: the systems; they must be comparable under the base.
        base: the rule set of the board. The others handle turns without prediction and patches of gold in the same way.
        only: keys of the dialogues to score.
        unranked: systems that get no rank.
    """
    rule_sets = variants(base)
    by_system: list[list[UnderRules]] = []
    for system in systems:
        dialogues = [each for each in system.dialogues if only is None or dialogue_key(each.id) in only]
        by_system.append(explain(dialogues, system.vocabulary, rule_sets, system.schema, reasons=False, only=only))
    rankings = []
    for rules, *scores in zip(rule_sets, *by_system, strict=True):
        values = {system.entry.system: each.value for system, each in zip(systems, scores, strict=True)}
        reason = _why_unranked({system.entry.system: each for system, each in zip(systems, scores, strict=True)})
        rankings.append(
            RuleRanks(
                measure=rules.headline,
                rules=rules.name,
                map=rules.map,
                values=values,
                ranks=dict.fromkeys(values) if reason else rank(values, unranked),
                reason=reason,
            )
        )
    return rankings


def _why_unranked(scores: Mapping[str, UnderRules]) -> str:
    """Return why the values of systems under one rule set cannot be ranked; empty if they can."""
    reasons = dict.fromkeys(each.reason for each in scores.values() if each.reason)
    if reasons:
        return "; ".join(reasons)
    (first, one), *others = scores.items()
    for name, other in others:
        differs = not_comparable("tracker", one.signature, other.signature)
        if differs:
            return f"{first} and {name} are not comparable: {differs}"
    return ""
