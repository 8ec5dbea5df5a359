"""Replies and dialogues with human ratings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from ...errors import InputError, one_line
from ...model import SYSTEM, USER, Move, Notice
from ..entries import speaker

Level: TypeAlias = Literal["reply", "dialogue"]


class RatedItem(Struct, frozen=True, omit_defaults=True):
    """A reply in its context, or a whole dialogue, with ratings.

    Attributes:
        id: the id in the file.
        level: ``reply`` or ``dialogue``.
        moves: the context of a reply, or all moves of a dialogue.
        reply: the rated reply; empty for a dialogue.
        system: the system that wrote the reply or took part in the dialogue.
        group: the same for all replies to one context; empty if the file has no groups.
        ratings: the ratings of all people, by facet; an empty tuple if nobody rated the item.
        means: the mean rating, by facet, if the file does not have the single ratings.
        scores: the scores in the file, by judge.
        references: reference replies.
        raters: the names of the people who rated, by facet, in the order of the ratings; empty if they are unknown.
    """

    id: str
    level: Level
    moves: tuple[Move, ...]
    reply: str = ""
    system: str = ""
    group: str = ""
    ratings: dict[str, tuple[float, ...]] = {}
    means: dict[str, float] = {}
    scores: dict[str, float] = {}
    references: tuple[str, ...] = ()
    raters: dict[str, tuple[str, ...]] = {}

    def rating(self, facet: str) -> float | None:
        """Return the mean rating; None if nobody rated the item.

        Example:
            >>> item = RatedItem("1", "reply", (), "yes", ratings={"overall": (3.0, 4.0), "fluent": ()})
            >>> item.rating("overall"), item.rating("fluent")
            (3.5, None)
        """
        ratings = self.ratings.get(facet)
        if ratings:
            return fsum(ratings) / len(ratings)
        return self.means.get(facet)


class RatedItems(Struct, frozen=True):
    """The items of a file, all of one level, and how the file was read."""

    items: tuple[RatedItem, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def level(self) -> Level:
        """The level of all items."""
        return self.items[0].level

    @property
    def facets(self) -> list[str]:
        """The rated facets, in file order."""
        return list(dict.fromkeys(name for item in self.items for name in (*item.ratings, *item.means)))

    @property
    def raters(self) -> list[str]:
        """The names of the people who rated, in file order; empty if they are unknown."""
        return list(dict.fromkeys(name for item in self.items for names in item.raters.values() for name in names))

    @property
    def has_texts(self) -> bool:
        """True if an item has a text that a judge can read."""
        return any(item.reply or item.moves for item in self.items)

    @property
    def carried(self) -> list[str]:
        """The judges with scores in the file, in file order."""
        return list(dict.fromkeys(name for item in self.items for name in item.scores))

    @property
    def clusters(self) -> list[str]:
        """The cluster of each item: its group, or the text of its context. Each dialogue is a cluster."""
        return [item.group or _context(item) for item in self.items]

    def digest(self) -> str:
        """Return ten hexadecimal digits that identify the items and ratings, independent of their order."""
        lines = sorted(
            msgspec.json.encode(
                [
                    item.id,
                    item.system,
                    item.group,
                    [[move.speaker, move.text] for move in item.moves],
                    item.reply,
                    sorted(item.ratings.items()),
                    sorted(item.means.items()),
                ]
            )
            for item in self.items
        )
        return hashlib.sha256(b"\n".join(lines)).hexdigest()[:10]


def _context(item: RatedItem) -> str:
    if item.level == "dialogue":
        return f"dialogue {item.id}"
    return "\x1e".join(move.text for move in item.moves) or f"item {item.id}"


def check_items(items: Iterable[RatedItem], name: str) -> RatedItems:
    """Check that ids are unique, that all items have the same level, and that at least one item is rated.

    Raises:
        InputError: a check fails.
    """
    by_id: dict[str, RatedItem] = {}
    for item in items:
        if item.id in by_id:
            raise InputError("duplicate id", file=name, dialogue=item.id)
        by_id[item.id] = item
        first = next(iter(by_id.values()))
        if item.level != first.level:
            raise InputError(
                f"the file mixes levels: this item is a {item.level}, but {one_line(first.id)} is a {first.level}",
                file=name,
                dialogue=item.id,
            )
    if not any(item.means or any(item.ratings.values()) for item in by_id.values()):
        raise InputError("no item of this file is rated", file=name)
    return RatedItems(tuple(by_id.values()))


def context_moves(texts: Sequence[str]) -> tuple[Move, ...]:
    """Return the moves before a reply of the system. Two speakers take turns, and the user is last.

    Example:
        >>> [move.speaker for move in context_moves(["hi", "hello", "how are you?"])]
        ['user', 'system', 'user']
    """
    last = len(texts) - 1
    return tuple(Move((USER, SYSTEM)[(last - place) % 2], text) for place, text in enumerate(texts))


def dialogue_moves(turns: Iterable[tuple[str, str]]) -> tuple[Move, ...]:
    """Return the moves of a dialogue, given speakers and texts.

    Example:
        >>> [move.speaker for move in dialogue_moves([("human", "hi"), ("model", "hello")])]
        ['user', 'system']
    """
    return tuple(Move(speaker(who), text) for who, text in turns)


def numbers(given: Any, what: str) -> tuple[float, ...]:
    """Return a list of finite numbers as a tuple.

    Raises:
        InputError: not a list of finite numbers.

    Example:
        >>> numbers([1, 2.5], "ratings")
        (1.0, 2.5)
    """
    if not isinstance(given, list):
        raise InputError(f"{what}: expected a list of numbers")
    return tuple(number(each, what) for each in given)


def number(given: Any, what: str) -> float:
    """Return a finite number as a float.

    Raises:
        InputError: not a finite number.
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given):
        raise InputError(f"{what}: expected a number, found {one_line(str(given), 40)!r}")
    return float(given)


def named_numbers(given: Any, what: str) -> dict[str, float]:
    """Return an object of finite numbers as a dict.

    Raises:
        InputError: not an object of finite numbers.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: expected an object with numbers")
    return {str(name): number(each, f"{what}, {one_line(str(name))}") for name, each in given.items()}
