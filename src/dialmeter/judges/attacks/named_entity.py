"""Attack: a name, time or number of the reply becomes another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..corpus_pool import Snippet, usable
from ..language import ENTITIES
from ..language.analysis import TextSpan
from ..language.edits import Edit, edited
from ..language.words import word_list
from . import Attack, Kit, NoCase, Variant

TYPES = frozenset({"PERSON", "ORG", "GPE", "LOC", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "NORP", "DATE", "TIME", "MONEY", "CARDINAL", "LANGUAGE"})  # fmt: skip


def in_reply(snippet: Snippet, kit: Kit) -> list[TextSpan]:
    """The entities of the reply that can be swapped.

    Raises:
        NoCase: there are no such entities.
    """
    text = snippet.reply.text
    trimmed = [_trim(each, text) for each in kit.language.analysis(text).entities if each.label in TYPES]
    entities = [each for each in trimmed if usable(each.of(text))]
    if not entities:
        raise NoCase("no entity in the reply")
    return entities


def _trim(entity: TextSpan, text: str) -> TextSpan:
    """An entity without the punctuation at its end."""
    inner = entity.of(text).rstrip(" .,!?;:")
    return TextSpan(entity.start, entity.start + len(inner), entity.label)


def around(snippet: Snippet, entity: TextSpan) -> list[str]:
    """The earlier turns that may have named an entity: all of them, but only the last two for bare numbers."""
    moves = snippet.context[-2:] if entity.label == "CARDINAL" else snippet.context
    return [move.text for move in moves]


def mentioned(text: str, others: Iterable[str]) -> int:
    """Number of texts that contain a name as whole words, ignoring case.

    Example:
        >>> mentioned("Ely", ["A train to ely?", "He is lonely.", "Ely."])
        2
    """
    name = word_list(text)
    if name[:1] in (["the"], ["a"]):
        name = name[1:]
    if not name:
        return 0
    texts = (word_list(other) for other in others)
    return sum(any(words[start : start + len(name)] == name for start in range(len(words))) for words in texts)


def swapped(snippet: Snippet, kit: Kit, entities: Iterable[TextSpan], labels: Mapping[str, Sequence[str]]) -> str:
    """Replace entities of the reply by others from the pool. The same name always gets the same replacement.

    Args:
        snippet: the attacked reply.
        kit: the tools of the attack, with the pool.
        entities: the entities to replace.
        labels: for each type, the types of its replacements.

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
            edits.append((entity.start, entity.end, _adapt(old, new)))
    if not edits:
        raise NoCase("no other entity of that type in the corpus")
    return edited(text, edits)


def _adapt(old: str, new: str) -> str:
    """Give a new name the article and the possessive ending of the old name."""
    old_has_article = old.split(maxsplit=1)[0].lower() == "the"
    new_has_article = new.split(maxsplit=1)[0].lower() == "the"
    bare = new.split(maxsplit=1)[1] if new_has_article and len(new.split()) > 1 else new
    ending = next((mark for mark in ("'s", "’s") if old.endswith(mark)), "")
    for mark in ("'s", "’s"):
        bare = bare.removesuffix(mark)
    return (f"{old.split(maxsplit=1)[0]} {bare}" if old_has_article else bare) + ending


def _same_type(snippet: Snippet, kit: Kit) -> str:
    """Replace only entities that were named before: otherwise a judge cannot know that the new name is wrong."""
    named = [each for each in in_reply(snippet, kit) if mentioned(each.of(snippet.reply.text), around(snippet, each))]
    if not named:
        raise NoCase("no entity of the reply was named before")
    return swapped(snippet, kit, named, {each.label: [each.label] for each in named})


# Types that are so similar that a change from one to another may not be wrong.
_ALIKE = [{"PERSON", "ORG", "FAC", "WORK_OF_ART", "PRODUCT", "EVENT", "GPE", "LOC", "NORP", "LANGUAGE"}, {"DATE", "TIME"}, {"CARDINAL", "MONEY", "TIME", "DATE"}]  # fmt: skip


def _other_type(snippet: Snippet, kit: Kit) -> str:
    entities = in_reply(snippet, kit)
    labels = {}
    for entity in entities:
        near = set().union(*(group for group in _ALIKE if entity.label in group), {entity.label})
        labels[entity.label] = sorted(set(kit.pool.entities) - near)
        if not labels[entity.label]:
            raise NoCase("no other entity of another type in the corpus")
    return swapped(snippet, kit, entities, labels)


ATTACK = Attack(
    name="named-entity",
    facet="coherence",
    expected="lower",
    help="Replaces the names, times and numbers of the reply by others from the corpus.",
    variants=(
        Variant("same-type", _same_type, "Others of the same type, for entities that were named before.", (ENTITIES,)),
        Variant("other-type", _other_type, "Others of a type that does not fit.", (ENTITIES,)),
    ),
    cite=("khalid-2022",),
)
