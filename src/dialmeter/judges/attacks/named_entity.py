"""Entities of a reply, and others to put in their place; what two attacks share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..corpus_pool import Snippet, usable
from ..language import ENTITIES
from ..language.analysis import Span
from ..language.edits import Edit, edited
from ..language.words import word_list
from . import Attack, Kit, NoCase, Variant

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


def _same_type(snippet: Snippet, kit: Kit) -> str:
    """Only what was named before can be named wrongly: of a new name nobody can tell."""
    known = [each for each in in_reply(snippet, kit) if mentioned(each.of(snippet.reply.text), around(snippet, each))]
    if not known:
        raise NoCase("no entity of the reply was named before")
    return swapped(snippet, kit, known, {each.label: [each.label] for each in known})


# Types that are alike enough that one may stand for another without harm.
_ALIKE = [{"PERSON", "ORG", "FAC", "WORK_OF_ART", "PRODUCT", "EVENT", "GPE", "LOC", "NORP", "LANGUAGE"}, {"DATE", "TIME"}, {"CARDINAL", "MONEY", "TIME", "DATE"}]  # fmt: skip


def _other_type(snippet: Snippet, kit: Kit) -> str:
    found = in_reply(snippet, kit)
    labels = {}
    for entity in found:
        near = set().union(*(group for group in _ALIKE if entity.label in group), {entity.label})
        labels[entity.label] = sorted(set(kit.pool.entities) - near)
        if not labels[entity.label]:
            raise NoCase("no other entity of another type in the corpus")
    return swapped(snippet, kit, found, labels)


ATTACK = Attack(
    name="named-entity",
    facet="coherence",
    expected="lower",
    help="Replaces the names, times and numbers of the reply by others from the corpus.",
    variants=(
        Variant("same-type", _same_type, "Others of the same type, for what was named before.", (ENTITIES,)),
        Variant("other-type", _other_type, "Others of a type that does not fit.", (ENTITIES,)),
    ),
    cite=("khalid-2022",),
)
