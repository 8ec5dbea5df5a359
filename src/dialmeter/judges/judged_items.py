"""The items that judges score: distinct replies, or distinct pairs of replies, of cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .cases import RULES, Case, facet_of, item_hash
from .judge import AnyItem, AnyJudge, Item, is_pairwise

_AGAIN = "/again"


class JudgedItem(NamedTuple):
    """An item with the keys of its scores. An item with two keys is scored twice, to test if the judge repeats its score."""

    keys: tuple[str, ...]
    item: AnyItem


def units_by_judge(cases: Sequence[Case], judges: Mapping[str, AnyJudge]) -> dict[str, list[JudgedItem]]:
    """The items of each judge: all replies, or only the replies of its facets and of the control."""
    by_judge: dict[str, list[JudgedItem]] = {}
    all_items: list[JudgedItem] | None = None
    for name, judge in judges.items():
        facets = judge.facets if getattr(judge, "asks_own_facets_only", False) else None
        own = cases if facets is None else [case for case in cases if _has_facet(case, facets)]
        if is_pairwise(judge):
            by_judge[name] = distinct_pairs(own)
        elif facets is not None:
            by_judge[name] = distinct_items(own)
        else:
            all_items = distinct_items(cases) if all_items is None else all_items
            by_judge[name] = all_items
    return by_judge


def _has_facet(case: Case, facets: frozenset[str]) -> bool:
    """True for a case of one of these facets, and for a case of the control."""
    return keys_of(case)[1].endswith(_AGAIN) or any(facet_of(case, rules) in facets for rules in RULES)


def training_dialogues(items: Iterable[Item]) -> list[list[str]]:
    """The distinct contexts of items, without the judged utterances. So no judge is tested on its training data.

    Example:
        >>> from dialmeter.model import Move
        >>> training_dialogues([((Move("user", "hi"), Move("system", "yes?")), "yes?"), ((Move("user", "hi"),), "no")])
        [['hi'], ['hi']]
    """
    pairs = list(items)
    replies = {reply for _, reply in pairs}
    contexts = dict.fromkeys(tuple(move.text for move in context) for context, _ in pairs)
    without_replies = [[text for text in context if text not in replies] for context in contexts]
    return [context for context in without_replies if context]


def pair_keys_of(case: Case) -> tuple[str, str]:
    """The keys of both orders of a pair: the human reply first, then second. They are empty if the contexts of the replies differ."""
    if case.adversarial_context:
        return "", ""
    replies = case.reply, case.adversarial
    first, second = (item_hash(case.context, f"{one}\0{two}") for one, two in (replies, replies[::-1]))
    return first, first + _AGAIN if second == first else second


def distinct_pairs(cases: Sequence[Case]) -> list[JudgedItem]:
    """The distinct pairs of cases, in both orders."""
    return _distinct(
        (
            pair_keys_of(case),
            ((case.context, case.reply, case.adversarial), (case.context, case.adversarial, case.reply)),
        )
        for case in cases
        if not case.adversarial_context
    )


def keys_of(case: Case) -> tuple[str, str]:
    """The keys of the human and of the adversarial reply."""
    human, adversarial = (item_hash(*item) for item in case.items)
    return human, human + _AGAIN if adversarial == human else adversarial


def distinct_items(cases: Sequence[Case]) -> list[JudgedItem]:
    """The distinct items of cases. Items with the same context are adjacent."""
    by_context: dict[str, list[Case]] = {}
    for case in cases:
        by_context.setdefault(item_hash(case.context, ""), []).append(case)
    return _distinct((keys_of(case), case.items) for own in by_context.values() for case in own)


def _distinct(sides: Iterable[tuple[tuple[str, str], tuple[AnyItem, AnyItem]]]) -> list[JudgedItem]:
    """The distinct items, from the keys and the items of both sides."""
    by_key: dict[str, AnyItem] = {}
    twice: set[str] = set()
    for (first, second), (one, other) in sides:
        by_key.setdefault(first, one)
        if second.endswith(_AGAIN):
            twice.add(first)
        else:
            by_key.setdefault(second, other)
    return [JudgedItem((key, key + _AGAIN) if key in twice else (key,), item) for key, item in by_key.items()]
