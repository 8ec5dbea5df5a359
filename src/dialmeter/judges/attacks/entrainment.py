"""Attack: the reply avoids a word that both speakers have used. Normally, speakers reuse each other's words."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language import SYNONYMS
from ..language.analysis import Token
from ..language.edits import exchanged
from . import Attack, Kit, NoCase, Variant
from .vocabulary import content_tokens, neighbours, replaceable_tokens, with_unrelated_word

_SAMPLE_SIZE = 60
_NEAREST = 3


def _shared_tokens(snippet: Snippet, kit: Kit) -> list[Token]:
    """The content words of the reply that the other speaker has used."""
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
    """Replace a shared word by one of the synonyms that fit best between its neighbours."""
    text = snippet.reply.text
    choices = []
    replaceable = replaceable_tokens(text, kit)
    for token in _shared_tokens(snippet, kit):
        synonyms = kit.language.synonyms.safe(token) if token in replaceable else []
        if synonyms:
            before, after = neighbours(token, text)
            synonyms.sort(key=lambda each: (-kit.pool.fit(before, each.form.lower(), after), each.lemma))
            choices.append((token, synonyms))
    if not choices:
        raise NoCase("no word that both speakers use and that has a synonym in the same sense")
    token, synonyms = kit.random.choice(choices)
    new = kit.random.choice(synonyms[:_NEAREST]).form
    same = [each for each, _ in choices if each.text.lower() == token.text.lower() and each.tag == token.tag]
    return exchanged(text, [(each.start, each.end, new) for each in same])


def _unrelated(snippet: Snippet, kit: Kit) -> str:
    shared = _shared_tokens(snippet, kit)
    sample = kit.random.sample(kit.pool.utterances, min(_SAMPLE_SIZE, len(kit.pool.utterances)))
    offered = [
        token
        for dialogue, move in sample
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
        Variant("shared-word", _shared_word, "A synonym, at every occurrence of the word in the reply.", (SYNONYMS,)),
        Variant(
            "unrelated",
            _unrelated,
            "An unrelated noun from another dialogue.",
            (SYNONYMS,),
            expected="lower",
        ),
    ),
    cite=("khalid-2022",),
)
