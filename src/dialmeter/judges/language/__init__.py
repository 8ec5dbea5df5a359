"""Language resources of attacks: each distinct utterance is analysed once, for all attacks.

Full resources are used if they are installed (a spaCy pipeline, WordNet, vectors, word frequencies, inflection). Some have a light
substitute; for the others a message says what to install.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from ...errors import DialmeterError, one_line
from . import analysers, inflection, thesaurus
from .analysers import Light, Pipeline
from .analysis import Analysis, TextSpan, Token
from .analysis_store import AnalysisStore
from .synonyms import Synonym, Synonyms, open_vectors
from .thesaurus import Lexicon, WordNet

__all__ = ["Analysis", "Language", "Synonym", "TextSpan", "Token", "open_language"]

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
        store: AnalysisStore,
        paraphraser: Paraphraser | None = None,
    ) -> None:
        self.synonyms = synonyms
        self.paraphraser = paraphraser
        self.analysed = 0
        self._analyser = analyser
        self._store = store
        self._known: dict[str, Analysis] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Analyses all texts that are neither in memory nor in the store."""
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
        """The analysis of an utterance."""
        if text not in self._known:
            self.prepare([text])
        return self._known[text]

    @property
    def is_light(self) -> bool:
        """True without a pipeline."""
        return isinstance(self._analyser, Light)

    def lacks(self, needs: Iterable[str]) -> str | None:
        """What to install for these needs, in one line; None where nothing is missing.

        Raises:
            DialmeterError: there is no such resource.
        """
        for need in needs:
            if need in _OF_THE_PIPELINE:
                if self.is_light:
                    return f"needs {need}: {analysers.INSTALL}"
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
    name = None if light else pipeline_name or analysers.installed_pipeline()
    analyser = Light(lexicon) if name is None else Pipeline(name)
    folder = None if light else thesaurus.wordnet_folder()
    near = None if light else open_vectors(analyser if isinstance(analyser, Pipeline) else None)
    # WordNet needs tags; without a pipeline the lexicon, which knows its forms, is better.
    source = lexicon if folder is None or isinstance(analyser, Light) else WordNet(folder)
    return Language(analyser, Synonyms(source, near), AnalysisStore(cache, analyser.name), paraphraser)


def stand_ins() -> list[tuple[str, str]]:
    """Missing resources that have a fallback: the fallback, and how to install the resource.

    The pipeline is not among them: the attack itself reports that it needs one.
    """
    found = []
    if thesaurus.wordnet_folder() is None:
        found.append(("the built-in lexicon stands in for WordNet", thesaurus.INSTALL))
    if not inflection.installed():
        found.append(("rules stand in for lemminflect", analysers.INSTALL))
    if find_spec("wordfreq") is None:
        found.append(("the order of senses stands in for wordfreq", analysers.INSTALL))
    return found


class Resources(Struct, frozen=True):
    """The resources that workers open.

    Attributes:
        pipeline: a pipeline by name; None for the first known one that is installed.
        light: use only what comes with dialmeter.
        cache: a folder for analyses; None for none.
        paraphraser: ``module:function``; empty for none.
    """

    pipeline: str | None = None
    light: bool = False
    cache: str | None = None
    paraphraser: str = ""

    def open(self) -> Language:
        """The resources.

        Raises:
            DialmeterError: a named one cannot be opened.
        """
        return open_language(
            pipeline_name=self.pipeline,
            light=self.light,
            cache=Path(self.cache) if self.cache else None,
            paraphraser=load_paraphraser(self.paraphraser) if self.paraphraser else None,
        )


def load_paraphraser(text: str) -> Paraphraser:
    """The paraphraser ``module:function``, which is code of the user.

    Raises:
        DialmeterError: there is none.
    """
    module, colon, name = text.partition(":")
    try:
        found = getattr(import_module(module), name) if colon else None
    except (ImportError, AttributeError) as error:
        raise DialmeterError(f"--paraphraser {one_line(text)}: {error}") from None
    if not callable(found):
        raise DialmeterError(f"--paraphraser {one_line(text)}: write it as module:function")

    def reworded(said: str) -> str:
        return str(found(said))

    reworded.__name__ = text
    return reworded
