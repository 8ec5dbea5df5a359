"""Tallies that are kept from one scoring to the next, so that other measures of the same corpus cost next to nothing.

They stand in ``tallies`` in the cache folder, one file per content and rules, and ``inputs`` remembers which content a file
has. What was used longest ago goes when they come to more than ``LIMIT`` bytes.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from .._version import __version__
from ..cache_folder import cache_folder
from ..errors import one_line
from ..formats import registry, split_tracker
from ..model import Notice
from .contents import Content, content_of, is_plain, is_still, write_atomically
from .kept import Damaged, Kept, from_bytes, to_bytes

if TYPE_CHECKING:
    from .scorer import TrackerScorer

LAYOUT = 1
"""Of the files; tallies in another one are not looked at."""
LIMIT = 512 * 1024 * 1024
_INPUTS = 1000
"""How many inputs are remembered."""
_HOUR = 3600

Tell = Callable[[Notice], None]
"""Takes what there is to say of the cache; it is no part of a result."""


def warned(notice: Notice) -> None:
    """Says it as Python does."""
    warnings.warn(notice.message, stacklevel=3)


class TallyCache:
    """Tallies on disk. Whatever is wrong with the folder costs time and nothing else.

    Args:
        folder: where they are; without it in dialmeter's cache folder.
        tell: takes what there is to say, each thing once.

    Attributes:
        form: the format of the predictions whose tallies were found last.
    """

    form = ""

    def __init__(self, folder: str | Path | None = None, tell: Tell = warned) -> None:
        self._tell = tell
        self._told: set[str] = set()
        try:
            self.folder = Path(folder) if folder is not None else cache_folder()
        except RuntimeError:
            # Nobody knows where home is.
            self.folder = Path(os.devnull) / "dialmeter"

    def say(self, code: str, message: str) -> None:
        """Tells something, once."""
        if code not in self._told:
            self._told.add(code)
            self._tell(Notice(code, 1, message))

    def refuse(self, why: str) -> None:
        """Says why tallies are neither kept nor used."""
        self.say("not-cached", f"the cache is not used: {why}")

    def question(
        self,
        scorer: TrackerScorer,
        path: str,
        gold: str | None = None,
        *,
        form: str | None = None,
        gold_form: str | None = None,
        only: frozenset[str] | None = None,
        spans: int = 0,
    ) -> Question | None:
        """What is asked of the cache; None, with one line that says why, where it has no part in it.

        Args:
            scorer: what takes the tallies; nothing is in it yet.
            path: this and what follows as for ``score_file``.
            gold: the file with gold states.
            form: the format of the predictions.
            gold_form: the format of gold.
            only: keys of the dialogues to score.
            spans: in how many the file is read, where it is read in spans: what is noticed first may depend on it.
        """
        inputs = [split_tracker(each) for each in (path, gold) if each is not None]
        paths = [file for file, _ in inputs]
        foreign = [each for each in (form, gold_form) if each and each not in registry.builtin()]
        if not scorer.from_tallies:
            self.refuse("a measure looks at more than tallies")
        elif not all(map(is_plain, paths)):
            if all(path == "-" or os.path.exists(path) for path in paths):
                self.refuse("standard input or a pipe cannot be read twice")
        elif foreign:
            self.refuse(f"format {one_line(foreign[0], 40)} is not one of dialmeter's own")
        else:
            with suppress(OSError):
                # What cannot be read is told by whoever reads it.
                contents = [content_of(file, self.folder / "inputs") for file in paths]
                terms = {
                    "layout": LAYOUT,
                    "dialmeter": __version__,
                    "program": _program(fuzzy=scorer.rules.match != "exact"),
                    "contents": [content.sha256 for content in contents],
                    "trackers": [tracker for _, tracker in inputs],
                    "forms": (form, gold_form),
                    "only": None if only is None else sorted(only),
                    "spans": spans,
                    **scorer.terms,
                }
                return Question(self, scorer, dict(zip(paths, contents, strict=True)), terms)
        return None


class Question:
    """The tallies of one corpus under one set of rules, perhaps kept.

    Args:
        cache: where to look.
        scorer: what takes the tallies.
        contents: of the inputs, by their paths.
        terms: all that the tallies depend on.
    """

    def __init__(
        self, cache: TallyCache, scorer: TrackerScorer, contents: dict[str, Content], terms: dict[str, Any]
    ) -> None:
        self._cache = cache
        self.scorer = scorer
        self._contents = contents
        self._key = hashlib.sha256(msgspec.json.encode(terms, order="deterministic")).digest()
        self._file = cache.folder / "tallies" / self._key.hex()

    def answer(self) -> Kept | None:
        """What was kept, already merged into the scorer; None where nothing was."""
        try:
            kept = from_bytes(_read(self._file), self._key, self.scorer.part)
        except OSError:
            return None
        except Damaged:
            self._cache.say("cache-damaged", f"{self._file}: damaged; it is made anew")
            return None
        with suppress(OSError):
            os.utime(self._file)
        self._cache.form = kept.form
        self.scorer.merge(kept.part)
        self.scorer.schema = self.scorer.schema or kept.schema
        return kept

    def keep(self, form: str, notices: Iterable[Notice]) -> None:
        """Keeps what the scorer has come to, unless an input was changed meanwhile.

        Args:
            form: the format of the predictions.
            notices: what the reader had to say.
        """
        if not all(is_still(path, content) for path, content in self._contents.items()):
            return
        kept = Kept(self.scorer.part, form, [*notices], self.scorer.schema)
        try:
            data = to_bytes(kept, self._key)
        except UnicodeEncodeError:
            return
        try:
            if len(data) <= LIMIT:
                write_atomically(self._file, data)
                _tidy(self._cache.folder)
        except OSError as error:
            reason = error.strerror or error
            self._cache.say("cache-unwritable", f"{self._cache.folder}: nothing can be kept there: {reason}")


def _read(file: Path) -> bytes:
    with open(file, "rb") as stream:
        if os.fstat(stream.fileno()).st_size > LIMIT:
            raise Damaged
        return stream.read()


def _program(fuzzy: bool) -> list[Any]:
    """What else decides the tallies: the very files that make them, and what they stand on.

    Whoever changes a file of an installed version gets new tallies, too.
    """
    package = Path(__file__).parents[1]
    found: list[Any] = [sys.byteorder, *sys.version_info[:2], msgspec.__version__]
    if fuzzy:
        import rapidfuzz

        found.append(rapidfuzz.__version__)
    with suppress(OSError):
        for folder in (package, package / "formats", package / "formats" / "completion", package / "tracking"):
            with os.scandir(folder) as entries:
                files = [(entry.name, entry.stat()) for entry in entries if entry.is_file()]
            found += sorted((name, said.st_size, said.st_mtime_ns) for name, said in files)
    return found


def _tidy(folder: Path) -> None:
    """Removes what was used longest ago, and what killed writers left."""
    room, now = LIMIT, time.time()
    for name in ("tallies", "inputs"):
        with suppress(OSError), os.scandir(folder / name) as entries:
            found = sorted(((entry.stat(), entry.path) for entry in entries), key=lambda each: -each[0].st_mtime_ns)
            for place, (said, path) in enumerate(found):
                if path.endswith(".part"):
                    surplus = now - said.st_mtime > _HOUR
                elif name == "inputs":
                    surplus = place >= _INPUTS
                else:
                    room -= said.st_size
                    surplus = room < 0
                if surplus:
                    with suppress(OSError):
                        os.unlink(path)
