"""What judges are asked about: distinct replies, or distinct pairs of replies, of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .cases import Case, item_hash
from .judge import AnyItem, AnyJudge, Item, PairItem, is_pairwise
from .verdict import RULES, facet_of

_AGAIN = "/again"


class JudgedItem(NamedTuple):
    """An item with the keys of its scores: two keys where a judge is asked twice, to see whether it gives the same score."""

    keys: tuple[str, ...]
    item: AnyItem


def units_by_judge(cases: Sequence[Case], judges: Mapping[str, AnyJudge]) -> dict[str, list[JudgedItem]]:
    """What each judge is asked about: all replies, or only those of its facets and of the control."""
    found: dict[str, list[JudgedItem]] = {}
    every: list[JudgedItem] | None = None
    for name, judge in judges.items():
        facets = judge.facets if getattr(judge, "asks_own_facets_only", False) else None
        own = cases if facets is None else [case for case in cases if _concerns(case, facets)]
        if is_pairwise(judge):
            found[name] = pair_units_of(own)
        elif facets is not None:
            found[name] = units_of(own)
        else:
            every = units_of(cases) if every is None else every
            found[name] = every
    return found


def _concerns(case: Case, facets: frozenset[str]) -> bool:
    """True for a case of one of these facets, and for the control."""
    return keys_of(case)[1].endswith(_AGAIN) or any(facet_of(case, rules) in facets for rules in RULES)


def training_talk(items: Iterable[Item]) -> list[list[str]]:
    """The distinct contexts of items, without the utterances that are judged: no judge is tested on its training data.

    Example:
        >>> from dialmeter.model import Move
        >>> training_talk([((Move("user", "hi"), Move("system", "yes?")), "yes?"), ((Move("user", "hi"),), "no")])
        [['hi'], ['hi']]
    """
    every = list(items)
    replies = {reply for _, reply in every}
    contexts = dict.fromkeys(tuple(move.text for move in context) for context, _ in every)
    unjudged = [[text for text in context if text not in replies] for context in contexts]
    return [context for context in unjudged if context]


def pair_keys_of(case: Case) -> tuple[str, str]:
    """The keys of both orders of a pair, the human reply first and second; empty where the replies have different contexts."""
    if case.adversarial_context:
        return "", ""
    replies = case.reply, case.adversarial
    first, second = (item_hash(case.context, f"{one}\0{two}") for one, two in (replies, replies[::-1]))
    return first, first + _AGAIN if second == first else second


def pair_units_of(cases: Sequence[Case]) -> list[JudgedItem]:
    """The pairs of cases in both orders, each once."""
    found: dict[str, tuple[set[str], PairItem]] = {}
    for case in cases:
        first, second = pair_keys_of(case)
        if not first:
            continue
        found.setdefault(first, ({first}, (case.context, case.reply, case.adversarial)))
        if second.endswith(_AGAIN):
            found[first][0].add(second)
        else:
            found.setdefault(second, ({second}, (case.context, case.adversarial, case.reply)))
    return [JudgedItem(tuple(sorted(keys)), item) for keys, item in found.values()]


def keys_of(case: Case) -> tuple[str, str]:
    """The keys of the human and of the adversarial reply."""
    human, adversarial = (item_hash(*item) for item in case.items)
    return human, human + _AGAIN if adversarial == human else adversarial


def units_of(cases: Sequence[Case]) -> list[JudgedItem]:
    """Distinct items; those of one context are neighbours."""
    groups: dict[str, dict[str, Item]] = {}
    twice: set[str] = set()
    for case in cases:
        human, adversarial = keys_of(case)
        group = groups.setdefault(item_hash(case.context, ""), {})
        group.setdefault(human, case.items[0])
        if adversarial.endswith(_AGAIN):
            twice.add(human)
        else:
            group.setdefault(adversarial, case.items[1])
    return [
        JudgedItem((key, key + _AGAIN) if key in twice else (key,), item)
        for group in groups.values()
        for key, item in group.items()
    ]
