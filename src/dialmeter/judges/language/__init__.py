"""Language resources of attacks. Each distinct utterance is analysed once for all attacks.

Full resources are used if they are installed (a spaCy pipeline, WordNet, vectors, word frequencies, inflection). Some have a light
fallback. For the others, a message names the package to install.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from ...core.output import Store
from ...errors import DialmeterError, one_line
from . import analysis, thesaurus
from .analysis import Analysis, Light, Pipeline, stored_analyses, text_key
from .synonyms import Synonyms, open_vectors
from .thesaurus import Lexicon, WordNet

TOKENS, TAGS, ENTITIES, CHUNKS = "tokens", "tags", "entities", "noun chunks"
COREFERENCE, SYNONYMS, PARAPHRASER = "coreference", "synonyms", "paraphraser"
_PIPELINE_NEEDS = frozenset({TAGS, ENTITIES, CHUNKS, COREFERENCE})
RESOLVER = "dialmeter-resolver-1"

Paraphraser = Callable[[str], str]


class Language:
    """The resources of a run. The store has the analyses of earlier runs."""

    def __init__(
        self,
        analyser: Pipeline | Light,
        synonyms: Synonyms,
        store: Store[Analysis],
        paraphraser: Paraphraser | None = None,
    ) -> None:
        self.synonyms = synonyms
        self.paraphraser = paraphraser
        self._analyser = analyser
        self._store = store
        self._analyses: dict[str, Analysis] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Analyse all texts that are neither in memory nor in the store. A store that cannot be read or written is not used."""
        new = {text: text_key(text) for text in texts if text not in self._analyses}
        with suppress(DialmeterError):
            stored = self._store.values
            self._analyses.update({text: stored[key] for text, key in new.items() if key in stored})
        missing = [text for text in new if text not in self._analyses]
        if missing:
            self._analyses.update(zip(missing, self._analyser.analyse(missing), strict=True))
            with suppress(DialmeterError, UnicodeEncodeError):
                self._store.add({new[text]: self._analyses[text] for text in missing})

    def analysis(self, text: str) -> Analysis:
        """The analysis of an utterance."""
        if text not in self._analyses:
            self.prepare([text])
        return self._analyses[text]

    @property
    def is_light(self) -> bool:
        """True if there is no pipeline."""
        return isinstance(self._analyser, Light)

    def lacks(self, needs: Iterable[str]) -> str | None:
        """One line with the missing resource and how to get it; None if nothing is missing.

        Raises:
            DialmeterError: a resource is unknown.
        """
        for need in needs:
            if need not in (TOKENS, SYNONYMS, PARAPHRASER, *_PIPELINE_NEEDS):
                raise DialmeterError(f"unknown resource {need!r}")
            if need in _PIPELINE_NEEDS and self.is_light:
                return f"needs {need}: {analysis.INSTALL}"
            if need == PARAPHRASER and self.paraphraser is None:
                return "needs a paraphraser: name one with --paraphraser module:function"
        return None

    def names(self, needs: Iterable[str]) -> tuple[str, ...]:
        """The distinct names of the resources for these needs."""
        analyser = self._analyser.name
        special = {
            SYNONYMS: (analyser, *self.synonyms.names),
            COREFERENCE: (analyser, RESOLVER),
            PARAPHRASER: (getattr(self.paraphraser, "__name__", PARAPHRASER),),
        }
        return tuple(dict.fromkeys(name for need in needs for name in special.get(need, (analyser,))))


def fallbacks() -> list[tuple[str, str]]:
    """The fallbacks that replace missing resources, each with the command that installs the resource.

    The pipeline is not included, because an attack itself reports that it needs one.
    """
    resources = (
        (thesaurus.wordnet_folder(), "the built-in lexicon replaces WordNet", thesaurus.INSTALL),
        (thesaurus.has_lemminflect(), "rules replace lemminflect", analysis.INSTALL),
        (find_spec("wordfreq"), "the order of senses replaces wordfreq", analysis.INSTALL),
    )
    return [(fallback, install) for installed, fallback, install in resources if not installed]


class Resources(Struct, frozen=True):
    """The settings of language resources. Workers open them, too.

    Attributes:
        pipeline: the name of a pipeline; None for the first installed pipeline of a fixed list.
        light: use only the resources that come with dialmeter, even if full resources are installed.
        cache: a folder that keeps analyses between runs; None for no cache.
        paraphraser: a function that returns a paraphrase of a text, or ``module:function``; empty for no paraphraser.

    Example:
        >>> Resources(light=True).open().names(["tokens", "synonyms"])[:2]
        ('tokens-by-rule', 'dialmeter-lexicon-1')
    """

    pipeline: str | None = None
    light: bool = False
    cache: str | Path | None = None
    paraphraser: str | Paraphraser = ""

    def open(self) -> Language:
        """Open the best resources that are installed.

        Raises:
            DialmeterError: the pipeline or the paraphraser cannot be loaded.
        """
        lexicon = Lexicon.builtin()
        name = None if self.light else self.pipeline or analysis.installed_pipeline()
        analyser = Light(lexicon) if name is None else Pipeline(name)
        folder = None if self.light else thesaurus.wordnet_folder()
        vectors = None if self.light else open_vectors(analyser if isinstance(analyser, Pipeline) else None)
        # WordNet needs tags. Without a pipeline the lexicon is better, because it contains inflected forms.
        source = lexicon if folder is None or isinstance(analyser, Light) else WordNet(folder)
        store = stored_analyses(Path(self.cache) if self.cache else None, analyser.name)
        given = self.paraphraser
        paraphraser = _load_paraphraser(given) if isinstance(given, str) and given else given or None
        return Language(analyser, Synonyms(source, vectors), store, paraphraser)


def _load_paraphraser(text: str) -> Paraphraser:
    """Load the paraphraser ``module:function``, which is the user's own code."""
    module, colon, name = text.partition(":")
    try:
        function = getattr(import_module(module), name) if colon else None
    except (ImportError, AttributeError) as error:
        raise DialmeterError(f"--paraphraser {one_line(text)}: {error}") from None
    if not callable(function):
        raise DialmeterError(f"--paraphraser {one_line(text)}: write it as module:function")

    def paraphrase(original: str) -> str:
        return str(function(original))

    paraphrase.__name__ = text
    return paraphrase
