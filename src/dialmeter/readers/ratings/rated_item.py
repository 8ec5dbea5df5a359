"""A reply or a dialogue with the ratings that people gave it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from ...errors import InputError, one_line
from ...model import SYSTEM, USER, Move
from ..entries import speaker

Level: TypeAlias = Literal["reply", "dialogue"]


class RatedItem(Struct, frozen=True, omit_defaults=True):
    """A reply in its context, or a whole dialogue, with ratings.

    Attributes:
        id: its name in the file.
        level: ``reply`` or ``dialogue``.
        moves: the context of a reply, or all moves of a dialogue.
        reply: the rated reply; empty for a dialogue.
        system: who wrote the reply, or took part in the dialogue.
        group: replies to the same context have the same group; empty where the file does not say.
        ratings: by dimension, what each person gave; an empty tuple where nobody rated it.
        means: by dimension, the mean rating, where the file does not have the single ratings.
        scores: by judge, the scores that the file carries.
        references: other replies that are known to be good.
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

    def rating(self, dimension: str) -> float | None:
        """The mean rating; None where nobody rated it.

        Example:
            >>> item = RatedItem("1", "reply", (), "yes", ratings={"overall": (3.0, 4.0), "fluent": ()})
            >>> item.rating("overall"), item.rating("fluent")
            (3.5, None)
        """
        given = self.ratings.get(dimension)
        if given:
            return fsum(given) / len(given)
        return self.means.get(dimension)


class RatedItems(Struct, frozen=True):
    """The items of a file, all of one level."""

    items: tuple[RatedItem, ...]

    @property
    def level(self) -> Level:
        """Of all items."""
        return self.items[0].level

    @property
    def dimensions(self) -> list[str]:
        """What was rated, in the order of the file."""
        return list(dict.fromkeys(name for item in self.items for name in (*item.ratings, *item.means)))

    @property
    def carried(self) -> list[str]:
        """The judges whose scores the file carries, in its order."""
        return list(dict.fromkeys(name for item in self.items for name in item.scores))

    @property
    def clusters(self) -> list[str]:
        """By item, the context that it belongs to: its group, or else the text of its context; a dialogue is its own."""
        return [item.group or _context(item) for item in self.items]

    def digest(self) -> str:
        """Ten hexadecimal digits that say which items and ratings these are, whatever their order."""
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
    """Items with distinct ids, all of one level and at least one of them rated.

    Raises:
        InputError: they are not.
    """
    found: dict[str, RatedItem] = {}
    for item in items:
        if item.id in found:
            raise InputError("a duplicate id", file=name, dialogue=item.id)
        found[item.id] = item
        first = next(iter(found.values()))
        if item.level != first.level:
            raise InputError(
                f"the file mixes levels: this item is a {item.level}, and {one_line(first.id)} a {first.level}",
                file=name,
                dialogue=item.id,
            )
    if not any(item.means or any(item.ratings.values()) for item in found.values()):
        raise InputError("no item of this file is rated", file=name)
    return RatedItems(tuple(found.values()))


def context_moves(texts: Sequence[str]) -> tuple[Move, ...]:
    """The turns before a reply of the system: two speakers who take turns, the user last.

    Example:
        >>> [move.speaker for move in context_moves(["hi", "hello", "how are you?"])]
        ['user', 'system', 'user']
    """
    last = len(texts) - 1
    return tuple(Move((USER, SYSTEM)[(last - place) % 2], text) for place, text in enumerate(texts))


def dialogue_moves(turns: Iterable[tuple[str, str]]) -> tuple[Move, ...]:
    """The moves of a dialogue from speakers and texts; ``model`` is the system.

    Example:
        >>> [move.speaker for move in dialogue_moves([("human", "hi"), ("model", "hello")])]
        ['user', 'system']
    """
    return tuple(Move(SYSTEM if who.lower() == "model" else speaker(who), text) for who, text in turns)


def numbers(given: Any, what: str) -> tuple[float, ...]:
    """A list of finite numbers.

    Raises:
        InputError: it is something else.

    Example:
        >>> numbers([1, 2.5], "ratings")
        (1.0, 2.5)
    """
    if not isinstance(given, list):
        raise InputError(f"{what}: expected a list of numbers")
    return tuple(number(each, what) for each in given)


def number(given: Any, what: str) -> float:
    """A finite number.

    Raises:
        InputError: it is something else.
    """
    if isinstance(given, bool) or not isinstance(given, int | float) or not isfinite(given):
        raise InputError(f"{what}: expected a number, found {one_line(str(given), 40)!r}")
    return float(given)


def named_numbers(given: Any, what: str) -> dict[str, float]:
    """Finite numbers by name.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"{what}: expected an object with numbers")
    return {str(name): number(each, f"{what}, {one_line(str(name))}") for name, each in given.items()}
