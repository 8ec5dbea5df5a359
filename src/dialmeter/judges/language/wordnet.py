"""WordNet from its own files (WNDB): Debian's ``wordnet-base``, ``$WNHOME``, or an NLTK data folder."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from msgspec import Struct

INSTALL = "install WordNet (Debian: apt install wordnet-base), or set WNHOME"
_FILES = {"NOUN": "noun", "VERB": "verb", "ADJ": "adj", "ADV": "adv"}


class Synset(Struct, frozen=True, gc=False):
    """One sense: words that mean the same, and which of their kind it is (the first is the most used)."""

    words: tuple[str, ...]
    sense: int


def places() -> Iterator[Path]:
    """Folders where the files may lie, in the order in which they are tried."""
    if home := os.environ.get("WNHOME"):
        yield from (Path(home), Path(home) / "dict")
    yield Path("/usr/share/wordnet")
    roots = [*filter(None, os.environ.get("NLTK_DATA", "").split(os.pathsep)), str(Path.home() / "nltk_data")]
    for root in roots:
        yield from (Path(root) / "corpora" / name for name in ("wordnet", "wordnet31", "wordnet2022"))


def found() -> Path | None:
    """The first folder that has all eight files."""
    names = [f"{kind}.{pos}" for pos in _FILES.values() for kind in ("index", "data")]
    return next((place for place in places() if all((place / name).is_file() for name in names)), None)


class WordNet:
    """A reader of one folder. The index of a part of speech is read when it is first asked for, senses one by one.

    Args:
        folder: with ``index.noun``, ``data.noun``, and so on.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: dict[str, dict[str, list[int]]] = {}
        self._data: dict[str, bytes] = {}
        self._known: dict[tuple[str, str], list[Synset]] = {}

    @cached_property
    def name(self) -> str:
        """``wordnet-`` and the version that the files tell of themselves."""
        with (self._folder / "data.adv").open("rb") as file:
            version = re.search(rb"WordNet (\d+(?:\.\d+)*)", file.read(4000))
        return f"wordnet-{version[1].decode()}" if version else "wordnet"

    def synsets(self, lemma: str, pos: str) -> list[Synset]:
        """The senses of a word as one part of speech, the most used first; empty for a word that is not known."""
        if pos not in _FILES:
            return []
        key = (lemma.lower().replace(" ", "_"), pos)
        if key not in self._known:
            offsets = self._offsets(pos).get(key[0], [])
            self._known[key] = [Synset(self._words(pos, offset), sense) for sense, offset in enumerate(offsets)]
        return self._known[key]

    def _offsets(self, pos: str) -> dict[str, list[int]]:
        if pos not in self._index:
            self._index[pos] = dict(_entries(self._folder / f"index.{_FILES[pos]}"))
        return self._index[pos]

    def _words(self, pos: str, offset: int) -> tuple[str, ...]:
        if pos not in self._data:
            self._data[pos] = (self._folder / f"data.{_FILES[pos]}").read_bytes()
        data = self._data[pos]
        fields = data[offset : data.index(b"\n", offset)].decode("latin-1").split(" ")
        count = int(fields[3], 16)
        # Adjectives may carry a mark of their place, as in "galore(ip)".
        return tuple(word.partition("(")[0].replace("_", " ") for word in fields[4 : 4 + 2 * count : 2])


def _entries(path: Path) -> Iterator[tuple[str, list[int]]]:
    """Word and offsets of each line; the licence at the top is indented."""
    for line in path.read_text("latin-1").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            yield fields[0], [int(offset) for offset in fields[-int(fields[2]) :]]
