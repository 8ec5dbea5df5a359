"""A judge made of judges: a weighted sum of standard scores, with weights from the facets or learned from ratings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...errors import DialmeterError, did_you_mean
from ...model import Move
from ...readers.ratings.open_ratings import open_ratings
from ...readers.ratings.rated_item import RatedItem, RatedItems, context_moves
from ..cases import item_hash
from ..judge import FACETS, Item, Judge, called, identity_of, load_weights, make_judge, parse_call
from ..people.columns import level_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float64]]

REFERENCE = 200
"""At most so many replies of the reference are scored by every member."""
FOLDS = 5
_BATCH = 256
_QUOTES = "\"'"


def member_texts(text: str) -> list[str]:
    """The members of a panel: texts of judges, separated by plus signs outside of brackets and quotes.

    Example:
        >>> member_texts("overlap + random(seed=3)+llm(endpoint='http://a/b+c', model=m)")
        ['overlap', 'random(seed=3)', "llm(endpoint='http://a/b+c', model=m)"]
    """
    found, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in _QUOTES:
            quote = sign
        else:
            depth += (sign == "(") - (sign == ")")
        if sign == "+" and not depth and not quote:
            found.append("")
        else:
            found[-1] += sign
    return [each.strip() for each in found]


def members_of(texts: Sequence[str]) -> list[str]:
    """The members of all panels among judges that are given as text, each once.

    Example:
        >>> members_of(["length", "panel(judges=overlap+distinct)", "mine=panel(judges=overlap+length)"])
        ['overlap', 'distinct', 'length']
    """
    calls = [call for call in map(parse_call, texts) if call.name == "panel" and "judges" in call.given]
    return list(dict.fromkeys(text for call in calls for text in member_texts(call.given["judges"])))


class WeightedSum(Struct, frozen=True):
    """A score from the scores of members, all turned so that higher is better: offset + Σ weight · (score − mean) / spread.

    A member that gave all replies of the reference the same score has spread 0 and does not count.
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
    """A judge made of judges.

    Scores of members have different scales. Each member's score is turned so that higher is better and standardised with its mean
    and standard deviation over a fixed reference, so the score of a reply does not depend on what else is scored.

    Without ``ratings`` the reference is at most 200 replies of ``talk``, and weights follow from the facets: a member
    judges the facets that it claims, all members that claim a facet have the same weight in it, and all facets count the same.

    With ``ratings`` the reference is the rated items, and weights are those of the non-negative least-squares fit of the mean
    rating. An item whose context is among the rated ones is scored with weights from the other contexts (five folds), so
    agreement with the same ratings is cross-validated.

    Args:
        judges: the members, separated by plus signs, as in ``overlap+distinct``.
        ratings: a file of rated items to learn weights from.
        dimension: what people rated; ``overall`` or the first one by default.
        facet: judge only this facet, with the members that claim it.
        talk: dialogues, each as its utterances: the reference, and what members learn from.

    Example:
        >>> talk = [["a table for two", "for two people"], ["a room", "which room do you want"], ["a bus", "bus bus"]]
        >>> judge = JudgePanel("overlap+distinct", talk=talk)
        >>> good, bad = judge.score([((Move("user", "a cheap room"),), text) for text in ("which room", "bus bus bus")])
        >>> judge.name, good > bad
        ('panel(judges=overlap+distinct)', True)
    """

    higher_is_better = True
    scale: tuple[float, float] | None = None

    def __init__(
        self, judges: str, ratings: str = "", dimension: str = "", facet: str = "", talk: Sequence[Sequence[str]] = ()
    ) -> None:
        if facet and facet not in FACETS:
            raise DialmeterError(f"panel: unknown facet {facet!r}; {did_you_mean(facet, FACETS)}")
        if facet and ratings:
            raise DialmeterError("panel: give facet or ratings, not both: learned weights are not about a facet")
        if dimension and not ratings:
            raise DialmeterError("panel: dimension is a dimension of the ratings; give ratings=FILE, too")
        self.members = _members(judges, facet, talk)
        every = list(self.members.values())
        levels = {level for each in every if (level := level_of(each))}
        if len(levels) > 1:
            raise DialmeterError("panel: all members judge replies, or all judge dialogues")
        self.level = levels.pop() if levels else "reply"
        self._ratings = open_ratings(ratings) if ratings else None
        if self._ratings and self._ratings.level != self.level:
            raise DialmeterError(
                f"panel: members judge {self.level} items, and {ratings} rates items of level {self._ratings.level}"
            )
        self._dimension = _dimension(self._ratings, dimension) if self._ratings else ""
        self._talk = talk
        claims = [each.facets for each in every]
        self.facets: frozenset[str] | None = None if None in claims else frozenset().union(*filter(None, claims))
        if facet:
            self.facets = frozenset({facet})
        self.neural = any(getattr(each, "neural", False) for each in every)
        self.stays = any(getattr(each, "stays", False) for each in every)
        self.batch_size = min(int(getattr(each, "batch_size", _BATCH)) for each in every)
        file = ratings.replace("\\", "/").rpartition("/")[2]
        self.name = called(
            "panel",
            judges=("+".join(member_texts(judges)), ""),
            ratings=(file, ""),
            dimension=(dimension, ""),
            facet=(facet, ""),
        )
        reference = self._ratings.digest() if self._ratings else [list(each) for each in talk]
        digest = hashlib.sha256(msgspec.json.encode(reference)).hexdigest()[:10]
        self.identity = f"panel({' + '.join(map(identity_of, every))}, {self._dimension}, {facet})@{digest}"

    def load_weights(self) -> None:
        for each in self.members.values():
            load_weights(each)
        _ = self._sums

    @property
    def weights(self) -> dict[str, float]:
        """By member, its weight for a standard score; with ratings, the weights from all of them."""
        return dict(zip(self.members, self._sums[0].weights, strict=True))

    def score(self, items: Sequence[Item]) -> Sequence[float]:
        usual, by_context = self._sums
        scores = self._scores(items)
        return [
            by_context.get(_context(*item), usual).of(row) for item, row in zip(items, scores.tolist(), strict=True)
        ]

    @cached_property
    def _sums(self) -> tuple[WeightedSum, dict[str, WeightedSum]]:
        """The sum for new contexts, and those for contexts that weights were learned from."""
        if self._ratings:
            return self._learned(self._ratings)
        items = list(_reference(self._talk, self.level))
        if len(items) < 2:
            raise DialmeterError(
                f"{self.name}: no dialogues to standardise scores with; name some with --corpus, or ratings=FILE"
            )
        means, spreads = _standard(self._scores(items))
        for name, spread in zip(self.members, spreads, strict=True):
            if not spread:
                raise DialmeterError(
                    f"{self.name}: {name} gives all {len(items)} replies of the reference the same score, so it has no standard score"
                )
        judged = [name for name in FACETS if self.facets is None or name in self.facets]
        claims = [each.facets or frozenset(FACETS) for each in self.members.values()]
        shares = {name: 1 / len(judged) / sum(name in own for own in claims) for name in judged}
        weights = tuple(fsum(share for name, share in shares.items() if name in own) for own in claims)
        return WeightedSum(means, spreads, weights), {}

    def _learned(self, ratings: RatedItems) -> tuple[WeightedSum, dict[str, WeightedSum]]:
        import numpy as np

        rated = [item for item in sorted(ratings.items, key=lambda item: item.id) if self._rating(item) is not None]
        folds = fold_of_items(rated)
        if len(set(folds)) < FOLDS:
            raise DialmeterError(f"{self.name}: ratings of at least {FOLDS} contexts are needed to learn weights")
        scores = self._scores([(item.moves, item.reply) for item in rated])
        targets = np.array([self._rating(item) for item in rated])
        usual = fitted(scores, targets)
        if not any(usual.weights):
            raise DialmeterError(f"{self.name}: no member agrees with the ratings, so no weights can be learned")
        by_fold = [fitted(scores[rest], targets[rest]) for fold in range(FOLDS) for rest in [np.array(folds) != fold]]
        return usual, {_context(item.moves, item.reply): by_fold[fold] for item, fold in zip(rated, folds, strict=True)}

    def _rating(self, item: RatedItem) -> float | None:
        return item.rating(self._dimension)

    def _scores(self, items: Sequence[Item]) -> Array:
        """One row per item and one column per member, turned so that higher is better."""
        import numpy as np

        columns = []
        for name, each in self.members.items():
            found = np.asarray(each.score(items), dtype=np.float64)
            if found.shape != (len(items),):
                raise DialmeterError(f"{name} gave {found.size} scores for {len(items)} replies")
            columns.append(found if each.higher_is_better else -found)
        return np.column_stack(columns)


def fitted(scores: Array, targets: Array) -> WeightedSum:
    """The non-negative least-squares fit of ratings by standard scores. A member that disagrees with people gets weight 0.

    Example:
        >>> import numpy as np
        >>> fitted(np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]]), np.array([2.0, 4.0, 6.0])).of([2.5, 9.0])
        5.0
    """
    import numpy as np
    from scipy.optimize import nnls

    means, spreads = _standard(scores)
    divisors = np.array([each or np.inf for each in spreads])
    middle = float(targets.mean())
    weights, _ = nnls((scores - np.array(means)) / divisors, targets - middle)
    return WeightedSum(means, spreads, tuple(weights.tolist()), middle)


def fold_of_items(items: Sequence[RatedItem]) -> list[int]:
    """The fold of each item. Items with the same group or the same context are in the same fold; the order does not matter.

    Example:
        >>> asked = [(Move("user", text),) for text in "abcab"]
        >>> folds = fold_of_items([RatedItem(str(n), "reply", moves, group="g" if n in (1, 2) else "") for n, moves in enumerate(asked)])
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


def _members(text: str, facet: str, talk: Sequence[Sequence[str]]) -> dict[str, Judge]:
    """The members by name; with a facet, those that claim it."""
    found: dict[str, Judge] = {}
    for each in member_texts(text):
        call = parse_call(each)
        judge = make_judge(call, {"talk": talk})
        name = call.alias or judge.name
        if name in found:
            raise DialmeterError(f"panel: two members are called {name}")
        found[name] = judge
    if len(found) < 2:
        raise DialmeterError('panel: name at least two judges, as in panel(judges="overlap+distinct")')
    claiming = {name: each for name, each in found.items() if not facet or each.facets is None or facet in each.facets}
    if not claiming:
        raise DialmeterError(f"panel: no member judges {facet}")
    return claiming


def _dimension(ratings: RatedItems, wanted: str) -> str:
    known = ratings.dimensions
    if wanted and wanted not in known:
        raise DialmeterError(f"panel: nobody rated {wanted!r}; {did_you_mean(wanted, known)}")
    return wanted or next((each for each in known if each.lower() == "overall"), known[0])


def _standard(scores: Array) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Means and standard deviations of columns; exactly 0 for a column of equal numbers."""
    spreads = scores.std(axis=0)
    spreads[scores.min(axis=0) == scores.max(axis=0)] = 0.0
    return tuple(scores.mean(axis=0).tolist()), tuple(spreads.tolist())


def _reference(talk: Sequence[Sequence[str]], level: str) -> Iterator[Item]:
    """Replies of the talk, or its dialogues: those with the lowest digests, so that the order of the talk does not matter."""
    if level == "dialogue":
        items: list[Item] = [(_turns(texts), "") for texts in talk]
    else:
        items = [(context_moves(texts[:place]), text) for texts in talk for place, text in enumerate(texts) if place]
    distinct = {item_hash(*item): item for item in items}
    return (distinct[key] for key in sorted(distinct)[:REFERENCE])


def _turns(texts: Sequence[str]) -> tuple[Move, ...]:
    """A dialogue of two speakers, the user first."""
    return context_moves(texts if len(texts) % 2 else [*texts, ""])[: len(texts)]


def _context(context: Sequence[Move], reply: str) -> str:
    """What tells contexts apart; a reply without context is its own."""
    return "\x1e".join(move.text for move in context) or f"\x1d{reply}"
