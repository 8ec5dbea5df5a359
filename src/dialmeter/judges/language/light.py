"""The analyser that needs nothing: regular-expression tokens, and tags for the forms of the built-in lexicon."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .analysis import Analysis, Span, Token
from .lexicon import Lexicon
from .words import sentences, tokens


class Light:
    """Stands in where no pipeline is installed."""

    name = "tokens-by-rule"

    def __init__(self, lexicon: Lexicon) -> None:
        self._forms = lexicon.forms

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Analyses texts in their order."""
        return map(self.analyse_one, texts)

    def analyse_one(self, text: str) -> Analysis:
        """Tokens, sentences, and for words of the lexicon their tag and lemma.

        Example:
            >>> found = Light(Lexicon.builtin()).analyse_one("Cheap restaurants.")
            >>> [(token.text, token.tag, token.lemma) for token in found.tokens]
            [('Cheap', 'JJ', 'cheap'), ('restaurants', 'NNS', 'restaurant'), ('.', '', '.')]
        """
        return Analysis(
            tuple(self._token(start, token) for start, token in tokens(text)),
            sentences=tuple(Span(start, end) for start, end in sentences(text)),
        )

    def _token(self, start: int, text: str) -> Token:
        known = self._forms.get(text.lower())
        if known is None:
            return Token(text, start, lemma=text.lower())
        lemma, pos, tag = known
        return Token(text, start, pos, tag, lemma)
