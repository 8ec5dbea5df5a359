"""Words of the reply give way to synonyms that stand elsewhere in the snippet."""

from __future__ import annotations

from collections import Counter

from ..corpus_pool import Snippet
from ..language import SYNONYMS
from ..language.analysis import Token
from ..language.edits import Edit, exchanged
from ..language.inflection import inflected
from ..language.synonyms import OPEN_CLASSES
from ..language.words import STOP_WORDS
from . import Attack, Kit, NoCase, Variant

_MOST = 2


def _from_the_snippet(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    said = Counter(
        (token.lemma, token.pos)
        for move in snippet.context
        for token in kit.language.analysis(move.text).tokens
        if token.pos in OPEN_CLASSES and token.lemma not in STOP_WORDS and token.lemma.isalpha()
    )
    edits: list[Edit] = []
    for token in kit.language.analysis(text).tokens:
        if token.pos not in OPEN_CLASSES or {token.lemma, token.text.lower()} & STOP_WORDS:
            continue
        others = [
            lemma
            for lemma, pos in sorted(said)
            if kit.language.synonyms.mean_the_same(token, Token(lemma, 0, pos, lemma=lemma))
        ]
        forms = [form for form in (inflected(lemma, token.tag) for lemma in others) if form]
        if forms:
            edits.append((token.start, token.end, kit.random.choice(forms)))
    if not edits:
        raise NoCase("no word has a synonym in the snippet")
    return exchanged(text, kit.random.sample(edits, min(_MOST, len(edits))))


ATTACK = Attack(
    name="vocabulary",
    facet="naturalness",
    expected="at-most",
    help="Replaces words of the reply by synonyms that stand elsewhere in the snippet.",
    variants=(Variant("from-the-snippet", _from_the_snippet, "One or two words.", (SYNONYMS,)),),
    cite=("khalid-2022",),
)
