"""Speakers take up each other's words; here the reply avoids one that both have used."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language import SYNONYMS
from ..language.edits import exchanged
from ..language.synonyms import OPEN_CLASSES
from . import Attack, Kit, NoCase, Variant

_NEAREST = 5


def _shared_word(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    others = {
        token.lemma
        for move in snippet.context
        if move.speaker != snippet.reply.speaker
        for token in kit.language.analysis(move.text).tokens
        if token.pos in OPEN_CLASSES
    }
    if not others:
        raise NoCase("no other speaker before")
    shared = [token for token in kit.language.analysis(text).tokens if token.lemma in others]
    choices = [(token, found) for token in shared if (found := kit.language.synonyms.of(token))]
    if not choices:
        raise NoCase("no word that both speakers use and that has a synonym")
    token, found = kit.random.choice(choices)
    new = kit.random.choice(found[:_NEAREST]).form
    same = [each for each, _ in choices if each.text.lower() == token.text.lower() and each.tag == token.tag]
    return exchanged(text, [(each.start, each.end, new) for each in same])


ATTACK = Attack(
    name="entrainment",
    facet="naturalness",
    expected="at-most",
    help="Replaces a content word that both speakers use by one of its best synonyms.",
    variants=(Variant("shared-word", _shared_word, "One word, wherever it stands in the reply.", (SYNONYMS,)),),
    cite=("khalid-2022",),
)
