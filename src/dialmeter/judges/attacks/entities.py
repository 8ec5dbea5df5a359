"""Entities of a reply, and others to put in their place; what two attacks share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..language.analysis import Span
from ..language.words import word_list
from ..pool import usable
from ..snippets import Snippet
from . import Kit, NoCase
from .edits import Edit, edited

TYPES = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "NORP", "DATE", "TIME", "MONEY", "CARDINAL", "LANGUAGE"})  # fmt: skip


def in_reply(snippet: Snippet, kit: Kit) -> list[Span]:
    """The entities of the reply that are worth swapping.

    Raises:
        NoCase: there is none.
    """
    text = snippet.reply.text
    trimmed = [_trimmed(each, text) for each in kit.language.analysis(text).entities if each.label in TYPES]
    found = [each for each in trimmed if usable(each.of(text))]
    if not found:
        raise NoCase("no entity in the reply")
    return found


def _trimmed(entity: Span, text: str) -> Span:
    """An entity without the signs that taggers take along."""
    inner = entity.of(text).rstrip(" .,!?;:")
    return Span(entity.start, entity.start + len(inner), entity.label)


def around(snippet: Snippet, entity: Span) -> list[str]:
    """The turns in which an entity may have been named: all before, but for bare numbers only the last two."""
    moves = snippet.context[-2:] if entity.label == "CARDINAL" else snippet.context
    return [move.text for move in moves]


def mentioned(text: str, where: Iterable[str]) -> int:
    """In how many texts does a name stand, as whole words, whatever its capitals?

    Example:
        >>> mentioned("Ely", ["A train to ely?", "He is lonely.", "Ely."])
        2
    """
    name = word_list(text)
    if name[:1] in (["the"], ["a"]):
        name = name[1:]
    return sum(_holds(word_list(other), name) for other in where) if name else 0


def _holds(words: Sequence[str], name: Sequence[str]) -> bool:
    return any(list(words[start : start + len(name)]) == list(name) for start in range(len(words) - len(name) + 1))


def swapped(snippet: Snippet, kit: Kit, entities: Iterable[Span], labels: Mapping[str, Sequence[str]]) -> str:
    """The reply with entities exchanged for others of the pool, the same one for the same name.

    Args:
        snippet: what is attacked.
        kit: where entities come from.
        entities: those to exchange.
        labels: for each type the types to draw from.

    Raises:
        NoCase: the corpus has no other entity.
    """
    text = snippet.reply.text
    near = [text, *(move.text for move in snippet.context)]
    chosen: dict[str, str | None] = {}
    edits: list[Edit] = []
    for entity in entities:
        old = entity.of(text)
        key = old.strip().lower()
        if key not in chosen:
            chosen[key] = kit.pool.entity(
                kit.random.choice(labels[entity.label]), kit.random, [*near, *filter(None, chosen.values())]
            )
        new = chosen[key]
        if new is not None:
            edits.append((entity.start, entity.end, _fitting(old, new)))
    if not edits:
        raise NoCase("no other entity of that type in the corpus")
    return edited(text, edits)


def _fitting(old: str, new: str) -> str:
    """A name as it can stand where another stood: with an article where that had one, and its possessive ending."""
    had = old.split(maxsplit=1)[0].lower() == "the"
    has = new.split(maxsplit=1)[0].lower() == "the"
    bare = new.split(maxsplit=1)[1] if has and len(new.split()) > 1 else new
    ending = next((mark for mark in ("'s", "’s") if old.endswith(mark)), "")
    for mark in ("'s", "’s"):
        bare = bare.removesuffix(mark)
    return (f"{old.split(maxsplit=1)[0]} {bare}" if had else bare) + ending
