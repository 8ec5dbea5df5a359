"""Senses of words, from WordNet or from the built-in lexicon, and forms of words: ``eatery`` like ``restaurants`` is ``eateries``.

The files of WordNet (WNDB) may come from Debian's ``wordnet-base``, ``$WNHOME``, or an NLTK data folder. The lexicon contains
everyday words of dialogues, and is used if WordNet is not installed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from importlib.resources import files
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

from msgspec import Struct

_VOWELS = "aeiou"
_BASE = ("NN", "VB", "VBP", "JJ", "RB")
_COMPARED = ("JJR", "JJS", "RBR", "RBS")


def has_lemminflect() -> bool:
    """True if lemminflect is installed. It knows irregular forms."""
    return find_spec("lemminflect") is not None


@cache
def inflected(lemma: str, tag: str) -> str | None:
    """The form of a lemma for a tag, by lemminflect or by rule; None if it is unknown.

    Example:
        >>> inflected("eatery", "NNS"), inflected("purchase", "VBD"), inflected("reserve", "VBG")
        ('eateries', 'purchased', 'reserving')
        >>> inflected("intimate", "RBR") is None
        True
    """
    if tag in _BASE:
        return lemma
    if not has_lemminflect():
        return by_rule(lemma, tag)
    forms = _lemminflect().getInflection(lemma, tag, inflect_oov=tag not in _COMPARED)
    return forms[0] if forms else None


@cache
def _lemminflect() -> Any:
    """The inflections of lemminflect, without its ``__init__``, which imports spaCy and with it torch."""
    spec = find_spec("lemminflect")
    is_new = "lemminflect" not in sys.modules
    if spec and is_new:
        sys.modules["lemminflect"] = module_from_spec(spec)
    try:
        from lemminflect.core.Inflections import Inflections  # type: ignore[import-untyped]
    finally:
        if is_new:  # A later import gets the complete package.
            del sys.modules["lemminflect"]
    return Inflections()


def by_rule(lemma: str, tag: str) -> str | None:
    """The regular form of a lemma. The built-in lexicon contains the irregular forms of its words.

    Example:
        >>> by_rule("dish", "NNS"), by_rule("stop", "VBG"), by_rule("try", "VBZ"), by_rule("arrive", "VBN")
        ('dishes', 'stopping', 'tries', 'arrived')
    """
    if tag in _BASE:
        return lemma
    if tag in ("NNS", "VBZ"):
        if lemma.endswith(("s", "x", "z", "ch", "sh")):
            return lemma + "es"
        return lemma[:-1] + "ies" if _ends_in_y(lemma) else lemma + "s"
    if tag in ("VBD", "VBN"):
        if lemma.endswith("e"):
            return lemma + "d"
        return lemma[:-1] + "ied" if _ends_in_y(lemma) else _doubled(lemma) + "ed"
    if tag == "VBG":
        return lemma[:-1] + "ing" if re.search("[^eoy]e$", lemma) else _doubled(lemma) + "ing"
    return None


def _ends_in_y(lemma: str) -> bool:
    return lemma.endswith("y") and lemma[-2:-1] not in _VOWELS


def _doubled(lemma: str) -> str:
    """Double the last consonant of a word of one syllable that ends in one vowel and one consonant."""
    one_syllable = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", lemma)
    return lemma + lemma[-1] if one_syllable else lemma


INSTALL = "install WordNet (Debian: apt install wordnet-base), or set WNHOME"
_FILES = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}
_USES = "cntlist.rev"
_SENSE_KEY = {"1": "NOUN", "2": "VERB", "3": "ADJ", "4": "ADV", "5": "ADJ"}
"""The digit of a sense key → the part of speech."""


class Synset(Struct, frozen=True, gc=False):
    """One sense of a word.

    Attributes:
        words: all words with this meaning.
        sense: its rank among the senses of the word; 0 is the most used.
        uses: the count of the word with this sense in texts that people labelled; 0 if there is no count.
    """

    words: tuple[str, ...]
    sense: int
    uses: int = 0


def wordnet_places() -> Iterator[Path]:
    """The folders that may contain the files, in search order."""
    if home := os.environ.get("WNHOME"):
        yield from (Path(home), Path(home) / "dict")
    yield Path("/usr/share/wordnet")
    roots = [*filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep)), str(Path.home() / "nltk_data")]
    for root in roots:
        yield from (Path(root) / "corpora" / name for name in ("wordnet", "wordnet31", "wordnet2022"))


def wordnet_folder() -> Path | None:
    """The first folder with all eight files; None if there is none."""
    names = [f"{kind}.{pos}" for pos in _FILES.values() for kind in ("index", "data")]
    return next((place for place in wordnet_places() if all((place / name).is_file() for name in names)), None)


class WordNet:
    """Reads WordNet from a folder with ``index.noun``, ``data.noun``, and so on.

    The index of a part of speech is read on first use, and each word when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index = cache(self._read_index)
        self._data = cache(lambda pos: (folder / f"data.{_FILES[pos]}").read_bytes())
        self._senses = cache(self._read_senses)

    @cached_property
    def name(self) -> str:
        """``wordnet-`` and the version in the files."""
        with (self._folder / "data.adv").open("rb") as file:
            version = re.search(rb"WordNet (\d+(?:\.\d+)*)", file.read(4000))
        return f"wordnet-{version[1].decode()}" if version else "wordnet"

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        """The senses of a word with this part of speech, most used first; empty for an unknown word."""
        return self._senses(lemma.lower().replace(" ", "_"), pos) if pos in _FILES else []

    def _read_senses(self, word: str, pos: str) -> list[Synset]:
        return [
            Synset(self._words(pos, offset), sense, self._uses.get((word, pos, sense), 0))
            for sense, offset in enumerate(self._index(pos).get(word, []))
        ]

    @cached_property
    def _uses(self) -> dict[tuple[str, str, int], int]:
        """Word, part of speech and sense → uses. Some installations do not have the list of counts."""
        path = self._folder / _USES
        counts: dict[tuple[str, str, int], int] = {}
        for line in path.read_text("latin-1").splitlines() if path.is_file() else ():
            key, number, count = line.split()
            word, _, rest = key.partition("%")
            counts[word, _SENSE_KEY[rest[0]], int(number) - 1] = int(count)
        return counts

    def _read_index(self, pos: str) -> dict[str, list[int]]:
        """Word → offsets. The lines of the licence at the top are indented, and are skipped."""
        lines = (self._folder / f"index.{_FILES[pos]}").read_text("latin-1").splitlines()
        entries = (line.split() for line in lines if not line.startswith(" "))
        return {fields[0]: [int(offset) for offset in fields[-int(fields[2]) :]] for fields in entries}

    def _words(self, pos: str, offset: int) -> tuple[str, ...]:
        data = self._data(pos)
        fields = data[offset : data.index(b"\n", offset)].decode("latin-1").split(" ")
        count = int(fields[3], 16)
        # Adjectives may have a position marker, as in "galore(ip)".
        return tuple(word.partition("(")[0].replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])


_WORD = re.compile(r"([a-z-]+)(?:\(([a-z,-]+)\))?")
_TAGS = {"NOUN": ("NN", "NNS"), "VERB": ("VB", "VBZ", "VBG", "VBN", "VBD"), "ADJ": ("JJ",), "ADV": ("RB",)}


class Lexicon:
    """Reads senses from lines of words.

    Args:
        lines: a part of speech and words with the same meaning, with irregular forms in brackets.

    Example:
        >>> small = Lexicon(["VERB buy(bought,bought) purchase", "NOUN meal repast"])
        >>> small.synsets("purchase", "VERB")
        [Synset(words=('buy', 'purchase'), sense=0, uses=0)]
        >>> small.form("buy", "VBD"), small.form("purchase", "VBD"), small.forms["repasts"]
        ('bought', 'purchased', ('repast', 'NOUN', 'NNS'))
    """

    name = "dialmeter-lexicon-1"

    def __init__(self, lines: Iterable[str]) -> None:
        self._senses: dict[tuple[str, str], list[Synset]] = {}
        self._irregular: dict[tuple[str, str], str] = {}
        seen: dict[str, tuple[str, str, str]] = {}
        ambiguous: set[str] = set()
        for line in lines:
            pos, *entries = line.split()
            words = tuple(self._parse_entry(pos, entry) for entry in entries)
            for word in words:
                listed = self._senses.setdefault((word, pos), [])
                listed.append(Synset(words, len(listed)))
                for tag in _TAGS[pos]:
                    form = self.form(word, tag)
                    first = seen.setdefault(form, (word, pos, tag))
                    if first[:2] != (word, pos):
                        ambiguous.add(form)
        self.forms = {form: reading for form, reading in seen.items() if form not in ambiguous}
        """Form → lemma, part of speech and tag, for unambiguous forms."""

    def _parse_entry(self, pos: str, entry: str) -> str:
        match = _WORD.fullmatch(entry)
        if match is None:
            raise ValueError(f"not an entry of the lexicon: {entry}")
        word, forms = match[1], (match[2] or "").split(",")
        if pos == "NOUN" and forms[0]:
            self._irregular[word, "NNS"] = forms[0]
        if pos == "VERB" and forms[0]:
            self._irregular[word, "VBD"], self._irregular[word, "VBN"] = forms
        return word

    def form(self, word: str, tag: str) -> str:
        """A word of the lexicon in the form of a tag."""
        return self._irregular.get((word, tag)) or by_rule(word, tag) or word

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        """The senses of a word, in the same form as from WordNet."""
        return self._senses.get((lemma.lower(), pos), [])

    @staticmethod
    @cache
    def builtin() -> Lexicon:
        """The lexicon that comes with dialmeter.

        Example:
            >>> Lexicon.builtin().synsets("restaurant", "NOUN")[0].words
            ('restaurant', 'eatery', 'diner')
        """
        text = files(__package__).joinpath("lexicon.txt").read_text("utf-8")
        return Lexicon(line for line in text.splitlines() if line and not line.startswith("#"))
