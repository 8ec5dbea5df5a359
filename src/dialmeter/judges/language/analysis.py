"""The analysis of one utterance: tokens with tags and lemmas, entities, noun chunks. All analysers return this type."""

from __future__ import annotations

from msgspec import Struct


class Token(Struct, frozen=True, array_like=True, gc=False):
    """One token. Tags are those of the Penn Treebank; parts of speech and relations are those of the pipeline. Unknown ones are empty.

    Attributes:
        text: its text in the utterance.
        start: the position of its first character.
        pos: ``NOUN``, ``VERB``, ``ADJ``, ``ADV``, ...
        tag: ``NNS``, ``VBD``, ...
        lemma: in lower case, except ``I``.
        dep: its relation to the head.
        head: the index of the head in the utterance; its own index for a root, -1 if the head is unknown.
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
        """The position after its last character."""
        return self.start + len(self.text)


class TextSpan(Struct, frozen=True, array_like=True, gc=False):
    """A span of characters with a label: the type of an entity, or the start of the head token of a noun chunk."""

    start: int
    end: int
    label: str = ""

    def of(self, text: str) -> str:
        """The text of the span.

        Example:
            >>> TextSpan(3, 6).of("an ace")
            'ace'
        """
        return text[self.start : self.end]


class Analysis(Struct, frozen=True, array_like=True):
    """The analysis of one utterance."""

    tokens: tuple[Token, ...]
    entities: tuple[TextSpan, ...] = ()
    chunks: tuple[TextSpan, ...] = ()
    sentences: tuple[TextSpan, ...] = ()

    def within(self, span: TextSpan) -> tuple[Token, ...]:
        """The tokens within a span.

        Example:
            >>> analysis = Analysis((Token("a", 0), Token("big", 2), Token("dog", 6)))
            >>> [token.text for token in analysis.within(TextSpan(2, 9))]
            ['big', 'dog']
        """
        return tuple(token for token in self.tokens if token.start >= span.start and token.end <= span.end)
