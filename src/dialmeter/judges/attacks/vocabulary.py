"""Attack: words of the reply are replaced by others that occur elsewhere in the snippet: synonyms, or unrelated words."""

from __future__ import annotations

from ...english import STOP_WORDS
from ..corpus_pool import Snippet
from ..language import SYNONYMS
from ..language.analysis import Token
from ..language.edits import Edit, exchanged
from ..language.inflection import inflected
from ..language.synonyms import OPEN_CLASSES, word_frequency
from ..language.words import word_list
from . import Attack, Kit, NoCase, Variant

_MOST = 2
_LEAST_FREQUENCY = 3.5
"""The smallest frequency of a new word on the Zipf scale: rarer words are often misspelled, or names."""


def content_tokens(text: str, kit: Kit) -> list[Token]:
    """The content words of a text, without stop words."""
    return [
        token
        for token in kit.language.analysis(text).tokens
        if token.pos in OPEN_CLASSES
        and not {token.lemma, token.text.lower()} & STOP_WORDS
        and token.text.isalpha()
        and token.lemma.isalpha()
    ]


def replaceable_tokens(text: str, kit: Kit) -> list[Token]:
    """The content words of a text that are not part of a multi-word term.

    In “safety deposit box”, “computer program”, “try for” or “figure it out”, a word has another meaning, or needs its neighbours.
    """
    tokens = kit.language.analysis(text).tokens
    with_particles = {token.head for token in tokens if token.dep == "prt"}
    return [
        token
        for token in content_tokens(text, kit)
        if token.dep != "compound"
        and tokens.index(token) not in with_particles
        and not kit.language.synonyms.is_in_a_term(neighbours(token, text)[0], token, neighbours(token, text)[1])
    ]


def _from_the_snippet(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    context_words = {(token.lemma, token.pos) for move in snippet.context for token in content_tokens(move.text, kit)}
    edits: list[Edit] = []
    for token in replaceable_tokens(text, kit):
        others = [
            lemma
            for lemma, pos in sorted(context_words)
            if kit.language.synonyms.mean_the_same(token, Token(lemma, 0, pos, lemma=lemma))
        ]
        forms = [form for form in (inflected(lemma, token.tag) for lemma in others) if form]
        if forms:
            edits.append((token.start, token.end, kit.random.choice(forms)))
    if not edits:
        raise NoCase("no word has a synonym in the snippet")
    return exchanged(text, kit.random.sample(edits, min(_MOST, len(edits))))


def neighbours(token: Token, text: str) -> tuple[str, str]:
    """The words before and after a token, in lower case; empty at the start and at the end of the text."""
    before, after = word_list(text[: token.start]), word_list(text[token.end :])
    return before[-1] if before else "", after[0] if after else ""


def _unrelated(snippet: Snippet, kit: Kit) -> str:
    offered = [token for move in snippet.context for token in content_tokens(move.text, kit)]
    return with_unrelated_word(snippet.reply.text, content_tokens(snippet.reply.text, kit), offered, kit)


def with_unrelated_word(text: str, places: list[Token], offered: list[Token], kit: Kit) -> str:
    """Replace one noun of a text by a noun of the same form that is unrelated to the nouns of the text.

    Args:
        text: the reply.
        places: words that may be replaced.
        offered: words that may replace them.
        kit: the tools of the attack.

    Raises:
        NoCase: there is no such noun.
    """
    own = content_tokens(text, kit)
    nouns = [each for each in own if each.pos == "NOUN"]
    own_words = {each.text.lower() for each in own}
    synonyms = kit.language.synonyms
    others = [
        other
        for other in dict.fromkeys(Token(each.text.lower(), 0, each.pos, each.tag, each.lemma) for each in offered)
        if other.tag in ("NN", "NNS")
        and other.text not in own_words
        and synonyms.knows(other)
        and (word_frequency(other.lemma) or _LEAST_FREQUENCY) >= _LEAST_FREQUENCY
        and not any(synonyms.is_related(each, other) for each in nouns)
    ]
    words_around = {token: neighbours(token, text) for token in places} if others else {}
    pairs = [
        (token, other)
        for token, (before, after) in words_around.items()
        for other in others
        if other.tag == token.tag and not kit.pool.knows(before, other.text, after)
    ]
    if not pairs:
        raise NoCase("no noun that is unrelated to the reply")
    token, other = kit.random.choice(pairs)
    return exchanged(text, [(token.start, token.end, other.text)])


ATTACK = Attack(
    name="vocabulary",
    facet="naturalness",
    expected="at-most",
    help="Replaces words of the reply by others that occur elsewhere in the snippet.",
    variants=(
        Variant("from-the-snippet", _from_the_snippet, "One or two words by synonyms.", (SYNONYMS,)),
        Variant(
            "unrelated",
            _unrelated,
            "A noun by one that is unrelated to the reply.",
            (SYNONYMS,),
            expected="lower",
        ),
    ),
    cite=("khalid-2022",),
)
