"""The reply contradicts what was said."""

from __future__ import annotations

import re

from ..language import COREFERENCE, ENTITIES, TAGS
from ..language.words import content_words
from ..snippets import Snippet
from . import Attack, Kit, NoCase, Variant
from .co_reference import resolved, spelled_out
from .entities import around, in_reply, mentioned, swapped
from .negation import negated

_YES_OR_NO = re.compile(
    r"(?:^|[.!?,;]\s*|\b(?:and|if|but|know|please)\s+)(?:is|are|was|do|does|did|can|could|will|would|has|have|may|should|if)\b[^.!?]*\?",
    re.IGNORECASE,
)
_SAYS_YES = re.compile(r"\s*(?:yes|yeah|yep|sure|certainly|of course|absolutely|definitely)\b", re.IGNORECASE)


def _negate_reply(snippet: Snippet, kit: Kit) -> str:
    """An answer to a yes-or-no question may be either, unless it says yes before: negated, it contradicts nothing."""
    text = snippet.reply.text
    last = snippet.context[-1]
    if last.speaker != snippet.reply.speaker and _YES_OR_NO.search(last.text) and not _SAYS_YES.match(text):
        raise NoCase("an answer to a yes-or-no question, which may be negated without harm")
    return kit.random.choice(negated(text, kit.language.analysis(text)))


def _negate_earlier(snippet: Snippet, kit: Kit) -> str:
    """What the published code does, as its Table 2 shows: an earlier turn of the same speaker comes back, negated."""
    own = [move.text for move in snippet.context if move.speaker == snippet.reply.speaker and content_words(move.text)]
    found = []
    for text in dict.fromkeys(own):
        try:
            found += negated(text, kit.language.analysis(text))
        except NoCase:
            continue
    if not found:
        raise NoCase("no earlier statement of the speaker that can be negated")
    return kit.random.choice(found)


def _entity(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    known = [each for each in in_reply(snippet, kit) if mentioned(each.of(text), [text, *around(snippet, each)]) >= 2]
    if not known:
        raise NoCase("no entity of the reply is named twice")
    return swapped(snippet, kit, known, {each.label: [each.label] for each in known})


def _reference(snippet: Snippet, kit: Kit) -> str:
    found = [each for each in resolved(snippet, kit) if each.label]
    if not found:
        raise NoCase("no reference to an entity")
    chosen = found[0]
    near = [snippet.reply.text, *(move.text for move in snippet.context)]
    other = kit.pool.entity(chosen.label, kit.random, near)
    if other is None:
        raise NoCase("no other entity of that type in the corpus")
    return spelled_out(snippet.reply.text, chosen, other)


ATTACK = Attack(
    name="contradiction",
    facet="coherence",
    expected="lower",
    help="Makes the reply contradict what was said before.",
    variants=(
        Variant("negate-reply", _negate_reply, "A statement of the reply, negated.", (TAGS,)),
        Variant(
            "negate-earlier", _negate_earlier, "An earlier statement of the speaker, negated, as the reply.", (TAGS,)
        ),
        Variant("entity", _entity, "An entity that was named before becomes another of its type.", (ENTITIES,)),
        Variant("reference", _reference, "A reference becomes another entity of its type.", (COREFERENCE, ENTITIES)),
    ),
    cite=("khalid-2022",),
)
