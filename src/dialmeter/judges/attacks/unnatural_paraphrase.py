"""Attack: words of the reply become synonyms that people rarely use."""

from __future__ import annotations

from ..corpus_pool import Snippet
from ..language import SYNONYMS
from ..language.analysis import Token
from ..language.edits import exchanged
from ..language.synonyms import Synonym, least_frequent, word_frequency
from . import Attack, Kit, NoCase, Variant

_NEAREST = 5
_RARE_SHARE = 4
_FEWEST_ODD = 2
_RARE = 4.0
_RARER_BY = 1.0


def _synonyms(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    tokens = kit.language.analysis(text).tokens
    choices = [
        (token, synonyms[:_NEAREST])
        for token in tokens
        if _is_whole_word(text, token) and (synonyms := kit.language.synonyms.of(token))
    ]
    if len(choices) < 2:
        raise NoCase("fewer than two words with a synonym")
    chosen = sorted(kit.random.sample(range(len(choices)), max(2, len(choices) * 3 // 4)))
    # A quarter of the words, and at least two, become the least used synonym. Words with a rare synonym come first.
    ranked = kit.random.sample(chosen, len(chosen))
    ranked.sort(key=lambda place: not _is_odd(choices[place][0], least_frequent(choices[place][1])))
    rare = set(ranked[: max(_FEWEST_ODD, -(-len(chosen) // _RARE_SHARE))])
    words = {
        place: least_frequent(choices[place][1]) if place in rare else kit.random.choice(choices[place][1])
        for place in chosen
    }
    if sum(_is_odd(choices[place][0], word) for place, word in words.items()) < _FEWEST_ODD:
        raise NoCase("fewer than two synonyms that are odd")
    replaced = [(choices[place][0], word.form) for place, word in words.items()]
    return exchanged(text, [(token.start, token.end, form) for token, form in replaced])


def _is_whole_word(text: str, token: Token) -> bool:
    """True for a separate word, False for a part of a code that a tagger has split."""
    neighbours = text[token.start - 1 : token.start] + text[token.end : token.end + 1]
    return len(token.text) > 2 and not any(map(str.isalnum, neighbours)) and "-" not in neighbours


def _is_odd(token: Token, word: Synonym) -> bool:
    """True if a synonym is rare, and much rarer than the word that it replaces, or if frequencies are unknown."""
    old_frequency = word_frequency(token.lemma)
    if word.frequency is None or old_frequency is None:
        return True
    return word.frequency < _RARE and word.frequency < old_frequency - _RARER_BY


ATTACK = Attack(
    name="unnatural-paraphrase",
    facet="naturalness",
    expected="lower",
    help="Replaces content words by synonyms of the same part of speech, a quarter of them by the least used one.",
    variants=(Variant("synonyms", _synonyms, "Three quarters of the words that have synonyms.", (SYNONYMS,)),),
    cite=("khalid-2022",),
)
