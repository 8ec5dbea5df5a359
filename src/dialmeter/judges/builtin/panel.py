"""A panel of judges: a weighted sum of standard scores, with weights from the facets or learned from ratings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import fsum
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...core.batch import Waiting, without_batch
from ...errors import DialmeterError, did_you_mean
from ...model import Move
from ...numeric import np
from ...readers.ratings.open_ratings import open_ratings
from ...readers.ratings.rated_item import RatedItem, RatedItems, context_moves
from ...stats.formulas import Floats
from ..cases import item_hash
from ..judge import (
    FACETS,
    Call,
    Item,
    Judge,
    has_parameter,
    identity_of,
    load_weights,
    make_judge,
    name_with_parameters,
    parse_call,
)
from ..people.columns import level_of

REFERENCE = 200
"""The largest number of reference replies that every member scores."""
FOLDS = 5
_BATCH = 256
_QUOTES = "\"'"


def member_texts(text: str) -> list[str]:
    """Split the text of a panel's members at plus signs outside of brackets and quotes.

    Example:
        >>> member_texts("overlap + random(seed=3)+llm(endpoint='http://a/b+c', model=m)")
        ['overlap', 'random(seed=3)', "llm(endpoint='http://a/b+c', model=m)"]
    """
    members, depth, quote = [""], 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES:
            quote = character
        else:
            depth += (character == "(") - (character == ")")
        if character == "+" and not depth and not quote:
            members.append("")
        else:
            members[-1] += character
    return [member.strip() for member in members]


def members_of(calls: Iterable[Call]) -> list[Call]:
    """The distinct members of all panels, with the training data of their panel.

    Example:
        >>> calls = [parse_call("panel(judges=overlap+distinct)"), parse_call("mine=panel(judges=overlap+length)")]
        >>> [call.name for call in members_of(calls)]
        ['overlap', 'distinct', 'length']
    """
    members: dict[str, Call] = {}
    for call in calls:
        for text in member_texts(call.given["judges"]) if call.name == "panel" and "judges" in call.given else ():
            member = parse_call(text)
            if "corpus" in call.given and has_parameter(member, "dialogues"):
                member = replace(member, given={**member.given, "corpus": call.given["corpus"]})
            members.setdefault(text, member)
    return list(members.values())


class WeightedSum(Struct, frozen=True):
    """Combines the scores of members, oriented so that higher is better: offset + Σ weight · (score − mean) / spread.

    A member that gave all replies of the reference the same score has spread 0 and is ignored.
    """

    means: tuple[float, ...]
    spreads: tuple[float, ...]
    weights: tuple[float, ...]
    offset: float = 0.0

    def of(self, scores: Sequence[float]) -> float:
        """The score of one reply.

        Example:
            >>> WeightedSum((1.0, 0.0), (2.0, 0.0), (0.5, 0.5)).of([5.0, 7.0])
            1.0
        """
        parts = zip(scores, self.means, self.spreads, self.weights, strict=True)
        return self.offset + fsum(weight * (score - mean) / spread for score, mean, spread, weight in parts if spread)


class JudgePanel:
    """A judge that combines the scores of several judges.

    Scores of members have different scales. Each member's score is oriented so that higher is better. It is then standardised with its
    mean and standard deviation over a fixed reference, so the score of a reply does not depend on the other replies.

    Without ``ratings``, the reference is at most 200 replies of ``dialogues``, and weights follow from the facets: a member
    judges the facets that it claims, all members that claim a facet have the same weight in it, and all facets have equal weights.

    With ``ratings``, the reference is the rated items, and the weights are a non-negative least-squares fit of the mean
    rating. An item whose context is among the rated ones is scored with weights from the other contexts (five folds), so
    agreement with the same ratings is cross-validated.

    Args:
        judges: the members, separated by plus signs, as in ``overlap+distinct``.
        ratings: a file of rated items to learn weights from.
        facet: with ratings, the rated facet; default: ``overall``, or the first one. Without ratings, judge only this facet,
            with the members that claim it.
        dialogues: dialogues, each as a sequence of utterances: the reference, and the training data of members.
        place: parameters of members that are language models, such as ``endpoint``.

    Example:
        >>> dialogues = [["a table for two", "for two people"], ["a room", "which room do you want"], ["a bus", "bus bus"]]
        >>> judge = JudgePanel("overlap+distinct", dialogues=dialogues)
        >>> good, bad = judge.score([((Move("user", "a cheap room"),), text) for text in ("which room", "bus bus bus")])
        >>> judge.name, good > bad
        ('panel(judges=overlap+distinct)', True)
    """

    higher_is_better = True
    scale: tuple[float, float] | None = None

    def __init__(
        self,
        judges: str,
        ratings: str = "",
        facet: str = "",
        *,
        dialogues: Sequence[Sequence[str]] = (),
        place: Mapping[str, Any] | None = None,
    ) -> None:
        judged = "" if ratings else facet
        if judged and judged not in FACETS:
            raise DialmeterError(f"panel: unknown facet {judged!r}; {did_you_mean(judged, FACETS)}")
        self.members = _make_members(judges, judged, {"dialogues": dialogues, "place": place or {}})
        members = list(self.members.values())
        levels = {level for each in members if (level := level_of(each))}
        if len(levels) > 1:
            raise DialmeterError("panel: all members must judge replies, or all must judge dialogues")
        self.level = levels.pop() if levels else "reply"
        self._ratings = open_ratings(ratings) if ratings else None
        if self._ratings and self._ratings.level != self.level:
            raise DialmeterError(
                f"panel: members judge items of level {self.level}, but {ratings} rates items of level {self._ratings.level}"
            )
        self._rated = _rated_facet(self._ratings, facet) if self._ratings else ""
        self._dialogues = dialogues
        claims = [each.facets for each in members]
        self.facets: frozenset[str] | None = None if None in claims else frozenset().union(*filter(None, claims))
        if judged:
            self.facets = frozenset({judged})
        self.neural = any(getattr(each, "neural", False) for each in members)
        self.stays = any(getattr(each, "stays", False) for each in members)
        self.batch_size = min(int(getattr(each, "batch_size", _BATCH)) for each in members)
        file = ratings.replace("\\", "/").rpartition("/")[2]
        self.name = name_with_parameters(
            "panel",
            judges=(without_batch("+".join(member_texts(judges))), ""),
            ratings=(file, ""),
            facet=(facet, ""),
        )
        reference = self._ratings.digest() if self._ratings else sorted(map(list, dialogues))
        digest = hashlib.sha256(msgspec.json.encode(reference)).hexdigest()[:10]
        self.identity = f"panel({' + '.join(map(identity_of, members))}, {self._rated}, {judged})@{digest}"

    def load_weights(self) -> None:
        for each in self.members.values():
            load_weights(each)
        _ = self._sums

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each member's standard score, by member; with ratings, the weights learned from all ratings."""
        return dict(zip(self.members, self._sums[0].weights, strict=True))

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        try:
            default, by_context = self._sums
        except Waiting:
            self._scores(items)
            raise
        scores = self._scores(items)
        return [
            by_context.get(_context(*item), default).of(row) for item, row in zip(items, scores.tolist(), strict=True)
        ]

    @cached_property
    def _sums(self) -> tuple[WeightedSum, dict[str, WeightedSum]]:
        """The sum for new contexts, and by context the sums for the contexts of the ratings."""
        if self._ratings:
            return self._learn(self._ratings)
        items = list(_reference(self._dialogues, self.level))
        if len(items) < 2:
            raise DialmeterError(
                f"{self.name}: no dialogues to standardise scores with; give some with corpus=FILE, or ratings=FILE"
            )
        means, spreads = _standard(self._scores(items))
        for name, spread in zip(self.members, spreads, strict=True):
            if not spread:
                raise DialmeterError(
                    f"{self.name}: {name} gives all {len(items)} reference replies the same score, so it cannot be standardised"
                )
        judged = [name for name in FACETS if self.facets is None or name in self.facets]
        claims = [each.facets or frozenset(FACETS) for each in self.members.values()]
        shares = {name: 1 / len(judged) / sum(name in own for own in claims) for name in judged}
        weights = tuple(fsum(share for name, share in shares.items() if name in own) for own in claims)
        return WeightedSum(means, spreads, weights), {}

    def _learn(self, ratings: RatedItems) -> tuple[WeightedSum, dict[str, WeightedSum]]:
        targets_by_item = [(item, item.rating(self._rated)) for item in sorted(ratings.items, key=lambda item: item.id)]
        rated = [item for item, rating in targets_by_item if rating is not None]
        folds = fold_of_items(rated)
        if len(set(folds)) < FOLDS:
            raise DialmeterError(f"{self.name}: ratings of at least {FOLDS} contexts are needed to learn weights")
        scores = self._scores([(item.moves, item.reply) for item in rated])
        targets = np.array([rating for _, rating in targets_by_item if rating is not None])
        default = fit_weights(scores, targets)
        if not any(default.weights):
            raise DialmeterError(f"{self.name}: no member agrees with the ratings, so no weights can be learned")
        by_fold = [
            fit_weights(scores[rest], targets[rest]) for fold in range(FOLDS) for rest in [np.array(folds) != fold]
        ]
        return default, {
            _context(item.moves, item.reply): by_fold[fold] for item, fold in zip(rated, folds, strict=True)
        }

    def _scores(self, items: Sequence[Item]) -> Floats:
        """One row per item and one column per member, oriented so that higher is better."""
        columns, waiting = [], []
        for name, each in self.members.items():
            try:
                column = np.asarray(each.score(items), dtype=np.float64)
            except Waiting as error:  # the other members are asked, too, so that one batch has all requests
                waiting.append(error)
                continue
            if column.shape != (len(items),):
                raise DialmeterError(f"{name} gave {column.size} scores for {len(items)} replies")
            columns.append(column if each.higher_is_better else -column)
        if waiting:
            raise waiting[0]
        return np.column_stack(columns)


def fit_weights(scores: Floats, targets: Floats) -> WeightedSum:
    """The non-negative least-squares fit of ratings by standard scores. A member that disagrees with people gets weight 0.

    Example:
        >>> import numpy as np
        >>> fit_weights(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]), np.array([2.0, 4.0, 6.0])).of([2.5, 9.0])
        5.0
    """
    from scipy.optimize import nnls

    means, spreads = _standard(scores)
    divisors = np.array([each or np.inf for each in spreads])
    mean_target = float(targets.mean())
    weights, _ = nnls((scores - np.array(means)) / divisors, targets - mean_target)
    return WeightedSum(means, spreads, tuple(weights.tolist()), mean_target)


def fold_of_items(items: Sequence[RatedItem]) -> list[int]:
    """The fold of each item. Items with the same group or the same context are in the same fold. The order of items does not matter.

    Example:
        >>> contexts = [(Move("user", text),) for text in "abcab"]
        >>> folds = fold_of_items([RatedItem(str(n), "reply", moves, group="g" if n in (1, 2) else "") for n, moves in enumerate(contexts)])
        >>> folds[0] == folds[3], folds[1] == folds[2] == folds[4], folds[0] == folds[1]
        (True, True, False)
    """
    root: dict[str, str] = {}

    def find(name: str) -> str:
        while root.setdefault(name, name) != name:
            name = root[name]
        return name

    contexts = [f"context {_context(item.moves, item.reply)}" for item in items]
    for item, context in zip(items, contexts, strict=True):
        one, other = sorted((find(context), find(f"group {item.group}" if item.group else context)))
        root[other] = one
    own = list(map(find, contexts))
    ranked = sorted(set(own), key=lambda name: hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest())
    place = {name: number % FOLDS for number, name in enumerate(ranked)}
    return [place[name] for name in own]


def _make_members(text: str, facet: str, offered: Mapping[str, Any]) -> dict[str, Judge]:
    """Create the members, by name. With a facet, return only the members that claim it."""
    members: dict[str, Judge] = {}
    for each in member_texts(text):
        call = parse_call(each)
        if "corpus" in call.given:
            raise DialmeterError(
                f"panel: give the corpus to the panel, as in panel(judges=…, corpus={call.given['corpus']})"
            )
        judge = make_judge(call, offered)
        name = call.alias or judge.name
        if name in members:
            raise DialmeterError(f"panel: two members are called {name}")
        members[name] = judge
    if len(members) < 2:
        raise DialmeterError('panel: name at least two judges, as in panel(judges="overlap+distinct")')
    claiming = {
        name: each for name, each in members.items() if not facet or each.facets is None or facet in each.facets
    }
    if not claiming:
        raise DialmeterError(f"panel: no member judges {facet}")
    return claiming


def _rated_facet(ratings: RatedItems, requested: str) -> str:
    rated = ratings.facets
    if requested and requested not in rated:
        raise DialmeterError(f"panel: no ratings of {requested!r}; {did_you_mean(requested, rated)}")
    return requested or next((each for each in rated if each.lower() == "overall"), rated[0])


def _standard(scores: Floats) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The means and standard deviations of columns. The deviation of a column of equal numbers is exactly 0."""
    spreads = scores.std(axis=0)
    spreads[scores.min(axis=0) == scores.max(axis=0)] = 0.0
    return tuple(scores.mean(axis=0).tolist()), tuple(spreads.tolist())


def _reference(dialogues: Sequence[Sequence[str]], level: str) -> Iterator[Item]:
    """The replies or the dialogues with the lowest digests, so the order of the dialogues does not matter."""
    if level == "dialogue":  # of two speakers; the user starts it
        items: list[Item] = [
            (context_moves(texts if len(texts) % 2 else [*texts, ""])[: len(texts)], "") for texts in dialogues
        ]
    else:
        items = [
            (context_moves(texts[:place]), text) for texts in dialogues for place, text in enumerate(texts) if place
        ]
    distinct = {item_hash(*item): item for item in items}
    return (distinct[key] for key in sorted(distinct)[:REFERENCE])


def _context(context: Sequence[Move], reply: str) -> str:
    """The key of a context. A reply without context has its own key."""
    return "\x1e".join(move.text for move in context) or f"\x1d{reply}"
