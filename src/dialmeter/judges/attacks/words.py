"""Attacks on single words and phrases of the reply: *vocabulary*, *entrainment* and *repetition*."""

from __future__ import annotations

from ...english import STOP_WORDS
from ..language import CHUNKS, SYNONYMS, TOKENS
from ..language.analysis import TextSpan, Token
from ..language.synonyms import OPEN_CLASSES, word_frequency
from ..language.thesaurus import inflected
from ..language.words import Edit, edited, exchanged, word_list
from . import Attack, Kit, Snippet, require

_MOST, _MOST_REPEATED = 2, 5
_SAMPLE_SIZE = 60
_NEAREST = 3
_LEAST_FREQUENCY = 3.5
"""The smallest frequency of a new word on the Zipf scale: rarer words are often misspelled, or names."""


def _content_tokens(text: str, kit: Kit) -> list[Token]:
    """The content words of a text, without stop words."""
    return [
        token
        for token in kit.language.analysis(text).tokens
        if token.pos in OPEN_CLASSES
        and not {token.lemma, token.text.lower()} & STOP_WORDS
        and token.text.isalpha()
        and token.lemma.isalpha()
    ]


def _replaceable_tokens(text: str, kit: Kit) -> list[Token]:
    """The content words of a text that are not part of a multi-word term.

    In “safety deposit box”, “computer program”, “try for” or “figure it out”, a word has another meaning, or needs its neighbours.
    """
    tokens = kit.language.analysis(text).tokens
    with_particles = {token.head for token in tokens if token.dep == "prt"}
    return [
        token
        for token in _content_tokens(text, kit)
        if token.dep != "compound"
        and tokens.index(token) not in with_particles
        and not kit.language.synonyms.is_in_a_term(token, *_neighbours(token, text))
    ]


def _neighbours(token: Token, text: str) -> tuple[str, str]:
    """The words before and after a token, in lower case; empty at the start and at the end of the text."""
    before, after = word_list(text[: token.start]), word_list(text[token.end :])
    return before[-1] if before else "", after[0] if after else ""


VOCABULARY = Attack(
    "vocabulary", "naturalness", "at-most", "Replaces words of the reply by others that occur elsewhere in the snippet."
)


@VOCABULARY.variant("One or two words by synonyms.", SYNONYMS)
def _from_the_snippet(snippet: Snippet, kit: Kit) -> str:
    context_words = {(token.lemma, token.pos) for move in snippet.context for token in _content_tokens(move.text, kit)}
    edits: list[Edit] = []
    for token in _replaceable_tokens(snippet.text, kit):
        others = [
            lemma
            for lemma, pos in sorted(context_words)
            if kit.language.synonyms.mean_the_same(token, Token(lemma, 0, pos, lemma=lemma))
        ]
        forms = [form for form in (inflected(lemma, token.tag) for lemma in others) if form]
        if forms:
            edits.append((token.start, token.end, kit.random.choice(forms)))
    require(edits, "no word has a synonym in the snippet")
    return exchanged(snippet.text, kit.random.sample(edits, min(_MOST, len(edits))))


@VOCABULARY.variant("A noun by one that is unrelated to the reply.", SYNONYMS, expected="lower")
def _unrelated(snippet: Snippet, kit: Kit) -> str:
    offered = [token for move in snippet.context for token in _content_tokens(move.text, kit)]
    return _with_unrelated_word(snippet.text, _content_tokens(snippet.text, kit), offered, kit)


def _with_unrelated_word(text: str, places: list[Token], offered: list[Token], kit: Kit) -> str:
    """Replace one noun of a text by an offered noun of the same form that is unrelated to the nouns of the text."""
    own = _content_tokens(text, kit)
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
    words_around = {token: _neighbours(token, text) for token in places} if others else {}
    pairs = [
        (token, other)
        for token, (before, after) in words_around.items()
        for other in others
        if other.tag == token.tag and not kit.pool.knows(before, other.text, after)
    ]
    token, other = kit.random.choice(require(pairs, "no noun that is unrelated to the reply"))
    return exchanged(text, [(token.start, token.end, other.text)])


ENTRAINMENT = Attack(
    "entrainment",
    "naturalness",
    "at-most",
    "Replaces a content word that both speakers use by a synonym, or by an unrelated word.",
)


def _shared_tokens(snippet: Snippet, kit: Kit) -> list[Token]:
    """The content words of the reply that the other speaker has used."""
    others = {
        token.lemma
        for move in snippet.context
        if move.speaker != snippet.reply.speaker
        for token in _content_tokens(move.text, kit)
    }
    require(others, "no other speaker before")
    return [token for token in _content_tokens(snippet.text, kit) if token.lemma in others]


@ENTRAINMENT.variant("A synonym, at every occurrence of the word in the reply.", SYNONYMS)
def _shared_word(snippet: Snippet, kit: Kit) -> str:
    """Replace a shared word by one of the synonyms that fit best between its neighbours."""
    choices = []
    replaceable = _replaceable_tokens(snippet.text, kit)
    for token in _shared_tokens(snippet, kit):
        synonyms = kit.language.synonyms.safe(token) if token in replaceable else []
        if synonyms:
            before, after = _neighbours(token, snippet.text)
            synonyms.sort(key=lambda each: (-kit.pool.fit(before, each.form.lower(), after), each.lemma))
            choices.append((token, synonyms))
    require(choices, "no word that both speakers use and that has a synonym in the same sense")
    token, synonyms = kit.random.choice(choices)
    new = kit.random.choice(synonyms[:_NEAREST]).form
    same = [each for each, _ in choices if each.text.lower() == token.text.lower() and each.tag == token.tag]
    return exchanged(snippet.text, [(each.start, each.end, new) for each in same])


@ENTRAINMENT.variant("An unrelated noun from another dialogue.", SYNONYMS, name="unrelated", expected="lower")
def _unrelated_shared(snippet: Snippet, kit: Kit) -> str:
    shared = _shared_tokens(snippet, kit)
    sample = kit.random.sample(kit.pool.utterances, min(_SAMPLE_SIZE, len(kit.pool.utterances)))
    offered = [
        token
        for dialogue, move in sample
        if dialogue != snippet.dialogue
        for token in _content_tokens(move.text, kit)
        if token.text.islower()
    ]
    return _with_unrelated_word(snippet.text, shared, offered, kit)


REPETITION = Attack(
    "repetition", "naturalness", "lower", "Repeats a content word or a noun phrase of the reply one to five more times."
)


@REPETITION.variant("A content word.", TOKENS)
def _word(snippet: Snippet, kit: Kit) -> str:
    words = [
        TextSpan(token.start, token.end)
        for token in kit.language.analysis(snippet.text).tokens
        if token.text.isalpha() and len(token.text) > 2 and not {token.text.lower(), token.lemma} & STOP_WORDS
    ]
    return _repeat(snippet.text, require(words, "no content word"), kit)


@REPETITION.variant("A noun phrase of at least two words.", CHUNKS)
def _phrase(snippet: Snippet, kit: Kit) -> str:
    analysis = kit.language.analysis(snippet.text)
    phrases = [chunk for chunk in analysis.chunks if sum(token.text.isalpha() for token in analysis.within(chunk)) >= 2]
    return _repeat(snippet.text, require(phrases, "no noun phrase of two words or more"), kit)


def _repeat(text: str, spans: list[TextSpan], kit: Kit) -> str:
    span = kit.random.choice(spans)
    more = f" {span.of(text)}" * kit.random.randint(1, _MOST_REPEATED)
    return edited(text, [(span.end, span.end, more)])
