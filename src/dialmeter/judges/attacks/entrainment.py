"""Speakers reuse each other's words; here the reply avoids a word that both have used."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language import SYNONYMS
from ..language.analysis import Token
from ..language.edits import exchanged
from . import Attack, Kit, NoCase, Variant
from .vocabulary import beside, content_tokens, replaceable_tokens, with_unrelated_word

_LOOKED_AT = 60
_NEAREST = 3


def _shared(snippet: Snippet, kit: Kit) -> list[Token]:
    others = {
        token.lemma
        for move in snippet.context
        if move.speaker != snippet.reply.speaker
        for token in content_tokens(move.text, kit)
    }
    if not others:
        raise NoCase("no other speaker before")
    return [token for token in content_tokens(snippet.reply.text, kit) if token.lemma in others]


def _shared_word(snippet: Snippet, kit: Kit) -> str:
    """The synonym is one of the best by how well they fit between the words beside it."""
    text = snippet.reply.text
    choices = []
    replaceable = replaceable_tokens(text, kit)
    for token in _shared(snippet, kit):
        known = kit.language.synonyms.safe(token) if token in replaceable else []
        if known:
            before, after = beside(token, text)
            known.sort(key=lambda each: (-kit.pool.fit(before, each.form.lower(), after), each.lemma))
            choices.append((token, known))
    if not choices:
        raise NoCase("no word that both speakers use and that has a synonym in the same sense")
    token, found = kit.random.choice(choices)
    new = kit.random.choice(found[:_NEAREST]).form
    same = [each for each, _ in choices if each.text.lower() == token.text.lower() and each.tag == token.tag]
    return exchanged(text, [(each.start, each.end, new) for each in same])


def _unrelated(snippet: Snippet, kit: Kit) -> str:
    shared = _shared(snippet, kit)
    drawn = kit.random.sample(kit.pool.utterances, min(_LOOKED_AT, len(kit.pool.utterances)))
    offered = [
        token
        for dialogue, move in drawn
        if dialogue != snippet.dialogue
        for token in content_tokens(move.text, kit)
        if token.text.islower()
    ]
    return with_unrelated_word(snippet.reply.text, shared, offered, kit)


ATTACK = Attack(
    name="entrainment",
    facet="naturalness",
    expected="at-most",
    help="Replaces a content word that both speakers use by a synonym, or by an unrelated word.",
    variants=(
        Variant("shared-word", _shared_word, "A synonym, wherever the word is in the reply.", (SYNONYMS,)),
        Variant(
            "unrelated",
            _unrelated,
            "A noun of another dialogue that has nothing to do with it.",
            (SYNONYMS,),
            expected="lower",
        ),
    ),
    cite=("khalid-2022",),
)
