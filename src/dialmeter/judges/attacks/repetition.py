"""Attack: a word or a phrase of the reply is repeated several times."""

from __future__ import annotations

from ...english import STOP_WORDS
from ..corpus_pool import Snippet
from ..language import CHUNKS, TOKENS
from ..language.analysis import TextSpan
from ..language.edits import edited
from . import Attack, Kit, NoCase, Variant

_MOST = 5


def _word(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    words = [
        TextSpan(token.start, token.end)
        for token in kit.language.analysis(text).tokens
        if token.text.isalpha() and len(token.text) > 2 and not {token.text.lower(), token.lemma} & STOP_WORDS
    ]
    if not words:
        raise NoCase("no content word")
    return _repeat(text, kit.random.choice(words), kit)


def _phrase(snippet: Snippet, kit: Kit) -> str:
    text = snippet.reply.text
    analysis = kit.language.analysis(text)
    phrases = [chunk for chunk in analysis.chunks if sum(token.text.isalpha() for token in analysis.within(chunk)) >= 2]
    if not phrases:
        raise NoCase("no noun phrase of two words or more")
    return _repeat(text, kit.random.choice(phrases), kit)


def _repeat(text: str, span: TextSpan, kit: Kit) -> str:
    more = f" {span.of(text)}" * kit.random.randint(1, _MOST)
    return edited(text, [(span.end, span.end, more)])


ATTACK = Attack(
    name="repetition",
    facet="naturalness",
    expected="lower",
    help="Repeats a content word or a noun phrase of the reply one to five more times.",
    variants=(
        Variant("word", _word, "A content word.", (TOKENS,)),
        Variant("phrase", _phrase, "A noun phrase of at least two words.", (CHUNKS,)),
    ),
    cite=("khalid-2022",),
)
