"""Files of states: what trackers are scored on. The formats are listed in :mod:`dialmeter.readers.formats`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import DialmeterError, InputError, one_line
from ..model import Dialogue, Schema
from ..renamed import renamed_argument
from .fields import split_format
from .file_spans import Span, spans
from .formats import FORMATS, OpenFile, find_format
from .pairs.state_layouts import FLAT
from .pairs.vocabulary import PairDialogue, Vocabulary
from .parts import Role, UniqueIds
from .source import Source


class Corpus(OpenFile):
    """A file being read: dialogues come one by one, once."""

    def __init__(self, source: Source, format: str, role: Role) -> None:
        super().__init__(source, format)
        self._reader = FORMATS.load(format)
        self._role = role

    def __iter__(self) -> Iterator[Dialogue]:
        vocabulary = Vocabulary()
        for found in self.numbered(vocabulary):
            try:
                yield vocabulary.plain(found)
            except InputError as error:
                raise self._source.placed(error) from None

    def numbered(self, vocabulary: Vocabulary) -> Iterator[PairDialogue]:
        """The dialogues with states as numbers of written pairs."""
        source = self._source
        written = getattr(self._reader, "STATES", FLAT)
        source.vocabulary = vocabulary
        number = vocabulary.number_dialogue
        ids = UniqueIds()
        with source.reading():
            for found in self._reader.read(source, self._role):
                try:
                    ids.check(found.id)
                except InputError as error:
                    raise error.at(file=source.part, line=source.line) from None
                if type(found) is PairDialogue:
                    yield found
                else:
                    yield number(found, source.states or written, source.part, source.line)
            source.check_keys()

    def place(self, error: InputError) -> InputError:
        """An error with the file's name, and its line counted from the beginning of the file."""
        return self._source.placed(error)

    @property
    def holds_both(self) -> bool:
        """Can the format hold gold and predicted states side by side?"""
        return bool(self._reader.HOLDS == "both")

    @property
    def correctness_only(self) -> bool:
        """Does the format say only which slots are right, without values?"""
        return bool(getattr(self._reader, "CORRECTNESS_ONLY", False))

    @property
    def schema(self) -> Schema | None:
        """The schema that came with the file, known once reading has begun."""
        return self._source.schema


def open_corpus(path: str | Path, role: Role = Role.BOTH, format: str | None = None) -> Corpus:
    """Opens a file in a format that is given or detected.

    Args:
        path: a file, a folder, or ``-``; ``FILE#NAME`` picks one tracker of a native file that holds several.
        role: gold or predicted, for files with one state per turn.
        format: the name of a format; detected if not given. ``rows(pred=belief)`` also names columns.

    Raises:
        DialmeterError: no such format.
        InputError: the file cannot be read, or its format is unknown.
    """
    source = Source(*split_tracker(path))
    if format is not None:
        format, source.fields = split_format(format)
        if format not in FORMATS.names():
            FORMATS.load(format)
        if source.fields and not getattr(FORMATS.load(format), "TAKES_FIELDS", False):
            raise DialmeterError(f"--fields goes with the formats rows and llm, not with {format}")
    name = find_format(
        source,
        FORMATS,
        format,
        "the format is not one that dialmeter knows; see `dialmeter list formats`, or name it with --from",
    )
    if source.tracker and name != "native":
        source.close()
        raise InputError(
            f"format {name} holds one tracker; #{one_line(source.tracker)} names one of several", file=source.name
        )
    return Corpus(source, name, role)


def spans_of(path: str | Path, format: str) -> list[Span]:
    """The spans of a file that can be read independently.

    Args:
        path: the file, perhaps with a tracker, or ``-``.
        format: its format.
    """
    file, _ = split_tracker(path)
    if format != "native" or not Path(file).is_file():
        return [Span(str(path))]
    return [Span(str(path), span.bounds) for span in spans(file)]


def open_span(span: Span) -> Corpus:
    """Opens a span of a file of native lines."""
    file, tracker = split_tracker(span.path)
    return Corpus(Source(file, tracker, span.bounds), "native", Role.BOTH)


def split_tracker(path: str | Path) -> tuple[str, str]:
    """A path and the tracker that is named behind a ``#``, unless there is a file of that very name.

    Example:
        >>> split_tracker("played.jsonl#keyword"), split_tracker("played.jsonl")
        (('played.jsonl', 'keyword'), ('played.jsonl', ''))
    """
    file, mark, tracker = str(path).rpartition("#")
    return (file, tracker) if mark and file and not Path(path).exists() else (str(path), "")


@renamed_argument("form", "format")
def read(path: str | Path, format: str | None = None, *, role: str = "both") -> Iterator[Dialogue]:
    """The dialogues of a file, one by one.

    Args:
        path: a file, a folder, or ``-`` for standard input.
        format: the name of a format; detected if not given.
        role: ``gold`` or ``pred`` for files that hold one state per turn.

    Example:
        >>> import json, tempfile, os
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "p.json")
        ...     with open(path, "w") as file:
        ...         json.dump({"d1": {"0": {"gt": {"hotel": {"area": "east"}}, "pr": {}}}}, file)
        ...     [(d.id, d.turns[0].gold, d.turns[0].pred) for d in read(path)]
        [('d1', {'hotel-area': 'east'}, {})]
    """
    try:
        chosen = Role(role)
    except ValueError:
        raise DialmeterError(f"role is both, gold or pred, not {role!r}") from None
    return iter(open_corpus(path, chosen, format))
