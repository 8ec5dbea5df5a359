"""One place for what attacks need to know about words: each distinct utterance is analysed once, for all attacks.

Full resources are used where they are installed (a spaCy pipeline, WordNet, vectors, word frequencies, inflection); what has a
light stand-in goes on without them, and what has none says what to install.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from ...errors import DialmeterError
from . import analysers as pipeline
from . import inflection
from . import synonyms as vectors
from . import thesaurus as wordnet
from .analysers import Light, Pipeline
from .analysis import Analysis, Span, Token
from .analysis_store import Store
from .synonyms import Synonym, Synonyms
from .thesaurus import Lexicon, WordNet

__all__ = ["Analysis", "Language", "Span", "Synonym", "Token", "open_language"]

TOKENS, TAGS, ENTITIES, CHUNKS = "tokens", "tags", "entities", "noun chunks"
COREFERENCE, SYNONYMS, PARAPHRASER = "coreference", "synonyms", "paraphraser"
_OF_THE_PIPELINE = frozenset({TAGS, ENTITIES, CHUNKS, COREFERENCE})
RESOLVER = "dialmeter-resolver-1"

Paraphraser = Callable[[str], str]


class Language:
    """The resources of a run.

    Args:
        analyser: a pipeline, or the light one.
        synonyms: words of the same meaning.
        store: analyses of earlier runs.
        paraphraser: gives a text in other words; none by default.

    Attributes:
        analysed: how many utterances went through the analyser.
    """

    def __init__(
        self,
        analyser: Pipeline | Light,
        synonyms: Synonyms,
        store: Store | None = None,
        paraphraser: Paraphraser | None = None,
    ) -> None:
        self.synonyms = synonyms
        self.paraphraser = paraphraser
        self.analysed = 0
        self._analyser = analyser
        self._store = store or Store(None, analyser.name)
        self._known: dict[str, Analysis] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Analyses in one go what is not known yet, neither in memory nor in the store."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        stored = self._store.get(new)
        self._known.update(stored)
        unknown = [text for text in new if text not in stored]
        if unknown:
            made = dict(zip(unknown, self._analyser.analyse(unknown), strict=True))
            self.analysed += len(made)
            self._known.update(made)
            self._store.put(made)

    def analysis(self, text: str) -> Analysis:
        """What is known about an utterance; prepared where that was not done before."""
        if text not in self._known:
            self.prepare([text])
        return self._known[text]

    @property
    def is_light(self) -> bool:
        """Is there no pipeline?"""
        return isinstance(self._analyser, Light)

    def lacks(self, needs: Iterable[str]) -> str | None:
        """What to install for these needs, in one line; None where nothing is missing.

        Raises:
            DialmeterError: nobody knows such a need.
        """
        for need in needs:
            if need in _OF_THE_PIPELINE:
                if self.is_light:
                    return f"needs {need}: {pipeline.INSTALL}"
            elif need == PARAPHRASER:
                if self.paraphraser is None:
                    return "needs a paraphraser: name one with --paraphraser module:function"
            elif need not in (TOKENS, SYNONYMS):
                raise DialmeterError(f"no resource is called {need!r}")
        return None

    def names(self, needs: Iterable[str]) -> tuple[str, ...]:
        """The resources that serve these needs, by name, each once."""
        found: list[str] = []
        for need in needs:
            if need == SYNONYMS:
                found += [self._analyser.name, *self.synonyms.names]
            elif need == COREFERENCE:
                found += [self._analyser.name, RESOLVER]
            elif need == PARAPHRASER:
                found.append(getattr(self.paraphraser, "__name__", PARAPHRASER))
            else:
                found.append(self._analyser.name)
        return tuple(dict.fromkeys(found))

    def close(self) -> None:
        """Closes the store."""
        self._store.close()


def open_language(
    *,
    pipeline_name: str | None = None,
    light: bool = False,
    cache: Path | None = None,
    paraphraser: Paraphraser | None = None,
) -> Language:
    """The best resources that are installed.

    Args:
        pipeline_name: a pipeline by name; without it the first of the known ones.
        light: use none of the full resources, even where they are installed.
        cache: a folder where analyses are kept between runs; None keeps nothing.
        paraphraser: gives a text in other words.

    Raises:
        DialmeterError: the pipeline that was named cannot be loaded.

    Example:
        >>> open_language(light=True).names(["tokens", "synonyms"])[:2]
        ('tokens-by-rule', 'dialmeter-lexicon-1')
    """
    lexicon = Lexicon.builtin()
    name = None if light else pipeline_name or pipeline.installed()
    analyser = Light(lexicon) if name is None else Pipeline(name)
    folder = None if light else wordnet.found()
    near = None if light else vectors.open_vectors(analyser if isinstance(analyser, Pipeline) else None)
    # WordNet has no tags of its own to go by; with light tokens the lexicon, which knows its forms, serves better.
    source = lexicon if folder is None or isinstance(analyser, Light) else WordNet(folder)
    return Language(analyser, Synonyms(source, near), Store(cache, analyser.name), paraphraser)


def stand_ins() -> list[tuple[str, str]]:
    """What is not installed and has something lighter in its place: what it is, and how to install it.

    The pipeline is not among them: what it does for an attack is told with the attack.
    """
    found = []
    if wordnet.found() is None:
        found.append(("the built-in lexicon stands in for WordNet", wordnet.INSTALL))
    if not inflection.installed():
        found.append(("rules stand in for lemminflect", pipeline.INSTALL))
    if find_spec("wordfreq") is None:
        found.append(("the order of senses stands in for wordfreq", pipeline.INSTALL))
    return found
