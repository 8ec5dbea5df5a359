"""The reply in words that nobody would choose."""

from __future__ import annotations

from ..language import SYNONYMS
from ..language.synonyms import Synonym, least_usual
from ..snippets import Snippet
from . import Attack, Kit, NoCase, Variant
from .edits import Edit, exchanged

_NEAREST = 5
_RARE_SHARE = 4
_RARER_BY = 1.0


def _synonyms(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    tokens = kit.language.analysis(text).tokens
    choices = [(token, found[:_NEAREST]) for token in tokens if (found := kit.language.synonyms.of(token))]
    if len(choices) < 2:
        raise NoCase("fewer than two words with a synonym")
    chosen = sorted(kit.random.sample(range(len(choices)), max(2, len(choices) * 3 // 4)))
    # A quarter of the words, and at least one, becomes the synonym that people use least.
    rare = set(kit.random.sample(chosen, -(-len(chosen) // _RARE_SHARE)))
    edits: list[Edit] = []
    for place in chosen:
        token, found = choices[place]
        new = least_usual(found) if place in rare else kit.random.choice(found)
        edits.append((token.start, token.end, new.form))
    if not any(_is_odd(choices[place][1]) for place in chosen):
        raise NoCase("all synonyms are usual words")
    return exchanged(text, edits)


def _is_odd(found: list[Synonym]) -> bool:
    return least_usual(found).usual is None or (least_usual(found).usual or 0) < 4.0


ATTACK = Attack(
    name="unnatural-paraphrase",
    facet="naturalness",
    expected="lower",
    help="Replaces content words by synonyms of the same part of speech, a quarter of them by the least used one.",
    variants=(Variant("synonyms", _synonyms, "Three quarters of the words that have synonyms.", (SYNONYMS,)),),
    cite=("khalid-2022",),
)
