"""The systems of a comparison: prediction files, runs, trivial trackers, and the rows of a leaderboard (``BOARD.toml``)."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from ...core.comparison import Resampling
from ...core.rule_files import parse_toml
from ...errors import DialmeterError, InputError, did_you_mean, one_line
from ...model import Dialogue, dialogue_key
from ...readers.corpus import open_corpus
from ...readers.source import Source
from ...readers.validation import Role
from ...tracking.align import GoldFile, KeptDialogues
from ...tracking.baselines import TRIVIAL, trivial
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules, load
from ...tracking.saved_result import is_run, measures_of_run, saved_result
from ...tracking.scoring import score_file
from ..frame import match_gold_files, name_files
from ..progress import expect_files, track_reading
from . import inputs

_TRIVIAL = "trivial:"
Name = Annotated[str, Meta(min_length=1, max_length=300)]


class SystemFiles(Struct, frozen=True, kw_only=True):
    """The files of a system.

    Attributes:
        file: a prediction file, the folder of a run, or ``trivial:NAME``.
        gold: the file with gold states, if ``file`` has only predictions.
        format: format of the file (default: auto-detect).
        gold_format: format of gold (default: auto-detect).
        schema: a schema file.
        source: where the file of a leaderboard comes from, such as a paper; likewise ``licence`` and ``date``.
    """

    file: str
    gold: str | None = None
    format: str | None = None
    gold_format: str | None = None
    schema: str | None = None
    source: str = ""
    licence: str = ""
    date: str = ""


class _Row(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of a leaderboard; see ``SystemFiles``."""

    system: Name
    file: Name
    gold: str = ""
    format: str = ""
    gold_format: str = ""
    source: str = ""
    licence: str = ""
    date: str = ""


class _Board(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A leaderboard: gold and schema for all rows without their own, and the rows."""

    title: str = ""
    gold: str = ""
    gold_format: str = ""
    schema: str = ""
    row: list[_Row]


def read_board(path: str) -> dict[str, SystemFiles]:
    """Read a leaderboard: the files of each system by its name. Its paths become relative to the working directory.

    Raises:
        InputError: not TOML, a field that is missing, unknown or of another type, or two rows with the same name.
    """
    source = Source(path)
    try:
        board = msgspec.convert(_dates_as_text(parse_toml(source.text, source.name)), _Board)
    except msgspec.ValidationError as error:
        message = f"{str(error).replace('`', '')}; write [[row]] tables with system, file, gold, source, licence, date"
        raise InputError(message, file=source.name) from None
    name, count = Counter(row.system for row in board.row).most_common(1)[0] if board.row else ("", 0)
    if count != 1:
        fault = f"two systems are called {one_line(name)!r}" if board.row else "there is no row"
        raise InputError(fault, file=source.name)
    folder = Path(path).parent

    def resolve(name: str) -> str | None:
        if "\0" in name:
            raise InputError("a file name contains a NUL character", file=source.name)
        return None if not name else name if name.startswith(_TRIVIAL) else str(folder / name)

    return {
        row.system: SystemFiles(
            file=resolve(row.file) or "",
            gold=resolve(row.gold or board.gold),
            format=row.format or None,
            gold_format=row.gold_format or board.gold_format or None,
            schema=resolve(board.schema),
            source=row.source,
            licence=row.licence,
            date=row.date,
        )
        for row in board.row
    }


def _dates_as_text(content: Any) -> Any:
    """Return parsed TOML with dates as text."""
    if isinstance(content, dict):
        return {key: _dates_as_text(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_dates_as_text(value) for value in content]
    return content.isoformat() if isinstance(content, datetime.date) else content


def systems_from_options(options: Mapping[str, Any]) -> dict[str, SystemFiles]:
    """Return the systems of a command by name, in the order of the command line.

    Raises:
        DialmeterError: there are fewer than two, or a leaderboard and options that it states itself.
    """
    files = options["files"]
    boards = [file for file in files if file.endswith(".toml")]
    if boards:
        if len(files) > 1:
            raise DialmeterError(f"{one_line(boards[0], 200)}: compare takes one leaderboard, and no file besides it")
        for name in ("gold", "format", "schema"):
            if options[name]:
                raise DialmeterError(
                    f"--{'from' if name == 'format' else name} is not for a leaderboard; write it into {boards[0]}"
                )
        systems = read_board(boards[0])
    else:
        golds = match_gold_files(files, options["gold"])
        shared = {name: options[name] for name in ("format", "gold_format", "schema")}
        names = _names(files, options["names"])
        systems = {
            name: SystemFiles(file=file, gold=gold, **shared)
            for name, file, gold in zip(names, files, golds, strict=True)
        }
    if len(systems) < 2:
        raise DialmeterError(
            "compare needs two files or more, the first as the baseline; for a simple baseline add trivial:copy-previous"
        )
    return systems


def _names(files: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return the names of the systems; a trivial tracker has the name of its kind."""
    if given:
        return name_files(files, given, "systems")
    trackers = [file for file in files if is_trivial(file)]
    names = iter(name_files([file for file in files if not is_trivial(file)], (), "systems", trackers))
    return [file if is_trivial(file) else next(names) for file in files]


SEED = 12345
"""The seed of trivial trackers where a command has no setting for it."""


class Scored(NamedTuple):
    """What is read of a system: a file, its gold, and a change of each dialogue for a trivial tracker."""

    file: str
    gold: str | GoldFile | None
    change: Callable[[Dialogue], Dialogue] | None = None


def trivial_tracker(file: str, gold: str | None, gold_format: str | None, rules: Rules, seed: int) -> Scored:
    """Return how to score ``trivial:NAME`` on a file with gold.

    Raises:
        DialmeterError: there is no such tracker, or no file with gold.
    """
    name = file.removeprefix(_TRIVIAL)
    if name not in TRIVIAL:
        raise DialmeterError(f"no trivial tracker {one_line(name)!r}; {did_you_mean(name, TRIVIAL)}")
    if gold is None:
        raise DialmeterError(f"{file} is made from gold states; give their file with --gold FILE")
    # A file with one state per turn is read as gold and as predictions, which the trivial ones replace.
    corpus = open_corpus(gold, Role.BOTH, gold_format)
    corpus.close()
    return Scored(gold, None if corpus.holds_both else gold, trivial(name, rules, seed))


def is_trivial(file: str) -> bool:
    """Return True for ``trivial:NAME``."""
    return file.startswith(_TRIVIAL)


class SystemScorer:
    """Scores the systems of a command.

    Args:
        systems: the files of each system.
        options: the options of the command.
        rules: the rule set.
        resampling: the settings of intervals.
    """

    def __init__(
        self, systems: Mapping[str, SystemFiles], options: Mapping[str, Any], rules: Rules, resampling: Resampling
    ) -> None:
        self._systems, self._options, self._rules, self._resampling = systems, dict(options), rules, resampling
        self._measures = inputs.measures_from_options(self._options, rules)
        self.runs = [each.file for each in systems.values() if is_run(each.file)]
        if self.runs:
            self._check_runs()
        # A gold file that several systems share is read only once.
        golds = Counter((each.gold or "", each.gold_format) for each in systems.values())
        self._golds = {key: GoldFile(*key) for key, count in golds.items() if count > 1 and key[0]}

    def _check_runs(self) -> None:
        """Raise DialmeterError if the systems are not runs under their own rules; use the measures that all runs have."""
        options = self._options
        if len(self.runs) < len(self._systems):
            raise DialmeterError(
                "compare takes runs or prediction files, not both; give the prediction file of each run"
            )
        changed = [name for name in ("by", "only") if options[name]]
        if self._rules != load("dialmeter") or changed:
            raise DialmeterError(
                "the rules and dialogues of a run cannot be changed; give the prediction files for --rules, --set, --by and --only"
            )
        by_run = [measures_of_run(each) for each in self.runs]
        self._measures = self._measures or tuple(
            each for each in by_run[0] if all(each in measures for measures in by_run)
        )

    def score(self, only: frozenset[str] | None = None, rules: Rules | None = None) -> dict[str, TrackerResult]:
        """Return the results by name."""
        expect_files(len(self._systems))
        return {name: self._score(files, only, rules or self._rules) for name, files in self._systems.items()}

    def _score(self, files: SystemFiles, only: frozenset[str] | None, rules: Rules) -> TrackerResult:
        options = self._options
        if is_run(files.file):
            return saved_result(files.file, self._measures, self._resampling, files.schema)
        gold_file = self._golds.get((files.gold or "", files.gold_format))
        format, scored = files.format, Scored(files.file, gold_file or files.gold)
        if is_trivial(files.file):
            base = next((each for each in self._systems.values() if not is_trivial(each.file)), files)
            gold, format = files.gold, files.gold_format
            if gold is None and base is not files:
                gold, format = (base.file, base.format) if base.gold is None else (base.gold, base.gold_format)
            scored = trivial_tracker(files.file, gold, format, rules, options["seed"])
        return score_file(
            scored.file,
            scored.gold,
            change=scored.change,
            format=format,
            gold_format=files.gold_format,
            schema=files.schema,
            only=only,
            measures=self._measures or None,
            rules=rules,
            by=[group for group in options["by"] if group not in ("turn", "pair")],
            resampling=self._resampling,
            progress=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
            keep=True,
        )


def complete_dialogues(result: TrackerResult) -> Iterator[str]:
    """Yield the keys of the scored dialogues that have a prediction at every turn with gold."""
    kept = result.files.dialogues if isinstance(result.files, KeptDialogues) else ()
    for each in kept:
        if all(gold is None or pred is not None for gold, pred in zip(each.gold, each.pred, strict=True)):
            yield dialogue_key(each.id)


def as_records(systems: Mapping[str, SystemFiles]) -> Sequence[dict[str, str]]:
    """Return the systems for a document; files are without folders."""
    keys = ("source", "licence", "date")
    return [
        {"system": name, "file": Path(each.file).name, **{key: getattr(each, key) for key in keys}}
        for name, each in systems.items()
    ]
