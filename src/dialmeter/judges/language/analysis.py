"""The analysis of one utterance: tokens with tags and lemmas, entities, noun chunks. Plain data for any analyser."""

from __future__ import annotations

from msgspec import Struct


class Token(Struct, frozen=True, array_like=True, gc=False):
    """One token. Tags are Penn's, parts of speech and relations those of the pipeline; empty where they are not known.

    Attributes:
        text: as in the utterance.
        start: its first character there.
        pos: ``NOUN``, ``VERB``, ``ADJ``, ``ADV``, ...
        tag: ``NNS``, ``VBD``, ...
        lemma: in lower case, except ``I``.
        dep: its relation to the head.
        head: the index of the head in the utterance; its own index at a root, -1 where that is not known.
    """

    text: str
    start: int
    pos: str = ""
    tag: str = ""
    lemma: str = ""
    dep: str = ""
    head: int = -1

    @property
    def end(self) -> int:
        """The character after the last."""
        return self.start + len(self.text)


class TextSpan(Struct, frozen=True, array_like=True, gc=False):
    """A stretch of characters with a label: an entity's type, or the index of a chunk's head token."""

    start: int
    end: int
    label: str = ""

    def of(self, text: str) -> str:
        """The characters themselves.

        Example:
            >>> TextSpan(3, 6).of("an ace")
            'ace'
        """
        return text[self.start : self.end]


class Analysis(Struct, frozen=True, array_like=True):
    """One utterance, analysed."""

    tokens: tuple[Token, ...]
    entities: tuple[TextSpan, ...] = ()
    chunks: tuple[TextSpan, ...] = ()
    sentences: tuple[TextSpan, ...] = ()

    def within(self, span: TextSpan) -> tuple[Token, ...]:
        """The tokens within a span.

        Example:
            >>> found = Analysis((Token("a", 0), Token("big", 2), Token("dog", 6)))
            >>> [token.text for token in found.within(TextSpan(2, 9))]
            ['big', 'dog']
        """
        return tuple(token for token in self.tokens if token.start >= span.start and token.end <= span.end)
