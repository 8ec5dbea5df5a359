"""The reply names somebody or something else."""

from __future__ import annotations

from ..language import ENTITIES
from ..snippets import Snippet
from . import Attack, Kit, NoCase, Variant
from .entities import around, in_reply, mentioned, swapped


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
