"""Files with dialogue states, for scoring trackers. The formats are listed in :mod:`dialmeter.readers.formats`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from ..errors import DialmeterError, InputError, one_line
from ..model import Dialogue, Schema, dialogue_key
from .entries import keys_of_turns
from .formats import FORMATS, STATES, OpenFile, find_format, split_format
from .pairs.state_layouts import FLAT
from .pairs.vocabulary import PairDialogue, Vocabulary
from .records.updates import sides_of_updates
from .source import Source, Span, spans
from .validation import Role, UniqueIds


class Corpus(OpenFile):
    """An open file with dialogue states. It can be iterated once, and yields one dialogue at a time."""

    def __init__(self, source: Source, format: str, role: Role) -> None:
        super().__init__(source, format)
        self._reader = FORMATS.load(format)
        self._role = role

    def __iter__(self) -> Iterator[Dialogue]:
        vocabulary = Vocabulary()
        for dialogue in self.numbered(vocabulary):
            try:
                yield vocabulary.plain(dialogue)
            except InputError as error:
                raise self._source.add_place(error) from None

    def numbered(self, vocabulary: Vocabulary) -> Iterator[PairDialogue]:
        """Yield the dialogues with their states as pair numbers of the vocabulary."""
        source = self._source
        layout = getattr(self._reader, "STATES", FLAT)
        source.vocabulary = vocabulary
        number = vocabulary.number_dialogue
        ids = UniqueIds()
        with source.reading():
            for dialogue in self._reader.read(source, self._role):
                try:
                    ids.check(dialogue.id)
                except InputError as error:
                    raise error.at(file=source.part, line=source.line) from None
                if type(dialogue) is PairDialogue:
                    yield dialogue
                else:
                    yield number(dialogue, source.states or layout, source.part, source.line)
            source.check_keys()

    def gold_again(self, only: Collection[str] | None) -> Iterator[str]:
        """Read a file for its gold values once more, from the beginning; nothing for standard input and pipes."""
        if not Path(self._source.path).is_file() and not self._source.is_folder:
            return
        source = Source(self._source.path, self._source.tracker)
        source.fields, source.likely_role = self._source.fields, self._source.likely_role
        again, words = Corpus(source, self.format, self._role), Vocabulary()
        try:
            yield from gold_values(again.numbered(words), words, only)
        finally:
            again.close()

    def place(self, error: InputError) -> InputError:
        """Return the error with the file name added, and its line counted from the beginning of the file."""
        return self._source.add_place(error)

    @property
    def holds_both(self) -> bool:
        """True if the format can hold gold and predicted states in the same file."""
        return bool(self._reader.CONTENT == "both")

    @property
    def trackers(self) -> tuple[str, ...]:
        """The trackers of a file that holds several, if none was chosen. It is known when reading has begun."""
        return self._source.trackers

    def set_gold(self, path: str) -> None:
        """Set the path of the gold file, for commands in messages."""
        self._source.gold = path

    @property
    def sides(self) -> tuple[str, str] | None:
        """The predictions and gold of a folder or workbook with one part for each, as paths; None for other files."""
        source = self._source
        if self.format != "records" or (source.tracker and source.sample.kind != "folder"):
            return None
        from .records.reader import has_both, parts_by_side

        preds, golds = parts_by_side(source)
        is_clear = len(preds) == len(golds) == 1 and not any(
            has_both(Source(*split_tracker(each)).sample) for each in (*preds, *golds)
        )
        return (preds[0], golds[0]) if is_clear else None

    @property
    def is_inferred(self) -> bool:
        """True if the layout is not a published one, but was inferred."""
        return self.format in ("records", "rows")

    @property
    def states(self) -> str:
        """What the user said about states that look like updates; empty if nothing."""
        return self._source.fields.get(STATES, "")

    @property
    def correctness_only(self) -> bool:
        """True if the format only states which slots are correct, without values."""
        return bool(getattr(self._reader, "CORRECTNESS_ONLY", False))

    @property
    def schema(self) -> Schema | None:
        """The schema found near the file. It is available once reading has begun."""
        return self._source.schema


def gold_values(dialogues: Iterable[PairDialogue], words: Vocabulary, only: Collection[str] | None) -> Iterator[str]:
    """Yield the texts of the gold values of dialogues, or of some of them by key; each text once."""
    known: set[int] = set()
    for each in dialogues:
        if only is None or dialogue_key(each.id) in only:
            new = {pair for state in each.gold for pair in state or ()} - known
            known |= new
            for pair in sorted(new):
                value = words.values[pair]
                yield from (value,) if isinstance(value, str) else value


def open_corpus(
    path: str | Path, role: Role = Role.BOTH, format: str | None = None, *, is_role_sure: bool = True, asks: bool = True
) -> Corpus:
    """Open a file of the given or detected format.

    Args:
        path: a file, a folder, or ``-``; ``FILE#NAME`` selects one tracker of a native file that holds several.
        role: gold or predicted, for files with one state per turn.
        format: the name of a format; detected if not given. ``rows(pred=belief)`` also names columns.
        is_role_sure: False if the role is only for published formats with one state in each turn. Then both sides are
            looked for first in a file whose layout is inferred.
        asks: False if states that look like updates are not refused in a file whose layout is inferred.

    Raises:
        DialmeterError: unknown format name.
        InputError: the file cannot be read, or its format is unknown.
    """
    source = Source(*split_tracker(path))
    source.asks_about_updates = asks
    if format is not None:
        format, source.fields = split_format(format)
        has_columns = not source.fields.keys() <= {STATES}
        format = format or ("records" if has_columns else None)
    if format is not None:
        if format not in FORMATS.names():
            FORMATS.load(format)
        if has_columns and not getattr(FORMATS.load(format), "NAMED_FIELDS", False):
            raise DialmeterError(f"--columns applies to the formats rows and llm, not to {format}")
    name = find_format(source, FORMATS, format, "format", "formats")
    is_one_side = is_role_sure and role is not Role.BOTH
    if (
        format is None
        and name != "records"
        and (is_one_side or name != "native" or not keys_of_turns(source.sample) >= {"gold", "pred"})
    ):
        from .records.reader import replaces

        name = "records" if replaces(name, FORMATS.load(name).CONTENT == "state", source.sample, is_one_side) else name
    if name not in ("records", "rows") and STATES in source.fields:
        updates = sides_of_updates(source.fields[STATES])
        if updates if role is Role.BOTH else role.value in updates:
            source.close()
            change = "update" if "gold" in updates else "update-pred"
            raise DialmeterError(
                f"--columns states= is for files whose layout is inferred; for the format {name} use --set state={change}"
            )
    if source.tracker and name not in ("native", "records", "rows"):
        source.close()
        raise InputError(
            f"the format {name} holds one tracker; remove #{one_line(source.tracker)} from the path", file=source.name
        )
    if is_role_sure or name not in ("records", "rows"):
        return Corpus(source, name, role)
    if name == "rows":
        source.likely_role = role
    return Corpus(source, name, Role.BOTH)


def trackers_in(path: str, role: Role, format: str | None = None) -> list[str]:
    """Return ``FILE#NAME`` for each tracker of a file whose layout is inferred; an empty list if it holds one."""
    corpus = open_corpus(path, role, format)
    if role is Role.BOTH and corpus.sides == (f"{path}#pred", f"{path}#gold"):
        corpus.close()  # a folder with a pair of files for each tracker, or for each part
        corpus = open_corpus(f"{path}#pred", Role.PRED, format)
    try:
        next(corpus.numbered(Vocabulary()), None)
    except InputError:
        return [f"{path}#{name}" for name in corpus.trackers]
    finally:
        corpus.close()
    return []


def spans_of(path: str | Path, format: str) -> list[Span]:
    """Return the spans of a file, with or without ``#TRACKER``, that can be read independently."""
    file, _ = split_tracker(path)
    if format != "native" or not Path(file).is_file():
        return [Span(str(path))]
    return [Span(str(path), span.bounds) for span in spans(file)]


def open_span(span: Span) -> Corpus:
    """Open one span of a file in the native format."""
    file, tracker = split_tracker(span.path)
    return Corpus(Source(file, tracker, span.bounds), "native", Role.BOTH)


def split_tracker(path: str | Path) -> tuple[str, str]:
    """Split ``FILE#TRACKER`` into the path and the tracker, unless a file with exactly this name exists.

    Example:
        >>> split_tracker("played.jsonl#keyword"), split_tracker("played.jsonl")
        (('played.jsonl', 'keyword'), ('played.jsonl', ''))
    """
    file, separator, tracker = str(path).rpartition("#")
    return (file, tracker) if separator and file and not Path(path).exists() else (str(path), "")


def read(path: str | Path, format: str | None = None, *, role: str = "both") -> Iterator[Dialogue]:
    """Yield the dialogues of a file.

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
        raise DialmeterError(f"role must be both, gold or pred, found {role!r}") from None
    return iter(open_corpus(path, chosen, format))
