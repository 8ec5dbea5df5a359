"""The systems of a board: its manifest, prediction files, and runs.

A manifest is a TOML file with one table per system, to which others can add rows.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ...core.comparability import compare_scores, in_one_line
from ...core.comparison import Resampling
from ...core.open_runs import Run
from ...core.record import RunInput, RunInputs
from ...core.rule_files import parse_toml
from ...errors import DialmeterError, InputError, NotApplicable, one_line
from ...garbage import paused_garbage_collection
from ...measure import Score
from ...model import Schema, dialogue_key
from ...readers.corpus import split_tracker
from ...readers.layouts.schema import read_schema
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...readers.raw_file import is_stream
from ...readers.source import Source
from ...tracking.align import open_pair, read_pair, without_states
from ...tracking.diagnosis.suspicions import Finding
from ...tracking.gold_patch import GoldPatch
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
from ...tracking.scorer import Sink, TrackerScorer
from ...tracking.scoring import TrackerSettings, check_tracker, run_dialogues, score_file

Text = Annotated[str, Meta(min_length=1, max_length=300)]
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


class BoardEntry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the manifest.

    Attributes:
        system: name of the system.
        file: the prediction file or the folder of a run, relative to the folder of the manifest.
        gold: the file with gold states, if ``file`` has only predictions (default: that of the manifest).
        format: format of the file (default: auto-detect).
        gold_format: format of gold (default: auto-detect).
        source: origin of the file, such as a repository or a paper.
        licence: licence of the file.
        date: publication date of the file: year, month or day.
    """

    system: Text
    file: Text
    gold: str = ""
    format: str = ""
    gold_format: str = ""
    source: str = ""
    licence: str = ""
    date: str = ""

    def __post_init__(self) -> None:
        if self.date and not _DATE.fullmatch(self.date):
            raise ValueError(f"date must be a year, month or day, such as 2026-03-15, not {one_line(self.date)!r}")


class BoardManifest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a manifest: gold states, and the systems that are scored on them.

    Attributes:
        title: title of the board (default: name of the file).
        gold: the file with gold states for all rows without one.
        gold_format: format of gold.
        schema: a schema file for all rows.
        row: the systems.
    """

    title: str = ""
    gold: str = ""
    gold_format: str = ""
    schema: str = ""
    row: list[BoardEntry]


def read_manifest(path: str) -> BoardManifest:
    """Read a manifest. Its paths become relative to the working directory.

    Raises:
        InputError: not TOML, a field that is missing, unknown or of another type, or two rows with the same name.
    """
    source = Source(path)
    content = parse_toml(source.text, source.name)
    try:
        manifest = msgspec.convert(_dates_as_text(content), BoardManifest)
    except msgspec.ValidationError as error:
        message = f"{str(error).replace('`', '')}; a board has [[row]] tables with system, file, source, licence, date"
        raise InputError(message, file=source.name) from None
    try:
        check_names([entry.system for entry in manifest.row])
    except DialmeterError as error:
        raise InputError(str(error), file=source.name) from None
    folder = Path(path).parent

    def resolve(name: str) -> str:
        if "\0" in name:
            raise InputError("a file name contains a NUL character", file=source.name)
        return str(folder / name) if name else ""

    rows = [
        replace(
            entry,
            file=resolve(entry.file),
            gold=resolve(entry.gold or manifest.gold),
            gold_format=entry.gold_format or manifest.gold_format,
        )
        for entry in manifest.row
    ]
    title = manifest.title or Path(path).stem
    return replace(manifest, title=title, gold=resolve(manifest.gold), schema=resolve(manifest.schema), row=rows)


def check_names(names: Sequence[str]) -> None:
    """Raise an error if there are no systems, or if two systems have the same name.

    Raises:
        DialmeterError: the message has the name.

    Example:
        >>> check_names(["a", "b", "a"])
        Traceback (most recent call last):
        dialmeter.errors.DialmeterError: two systems are called 'a'
    """
    if not names:
        raise DialmeterError("a board needs at least one row")
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise DialmeterError(f"two systems are called {one_line(name)!r}")


def _dates_as_text(content: Any) -> Any:
    """Return parsed TOML with dates as text."""
    if isinstance(content, dict):
        return {key: _dates_as_text(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_dates_as_text(value) for value in content]
    return content.isoformat() if isinstance(content, datetime.date) else content


_EQUAL = 1e-9
"""Two values are equal if they differ by less. The rows of a run are summed in another order than its input."""


class BoardSystem(Struct):
    """A system of a board with its dialogues.

    Attributes:
        entry: its row in the manifest.
        name: name of its file, without folders.
        sha256: SHA-256 of its file.
        format: format of its file.
        dialogues: dialogues with gold and predictions.
        vocabulary: vocabulary of their pairs.
        schema: schema that is included in the files.
    """

    entry: BoardEntry
    name: str
    sha256: str
    format: str
    dialogues: list[PairDialogue]
    vocabulary: Vocabulary
    schema: Schema | None

    @property
    def complete_dialogues(self) -> frozenset[str]:
        """The keys of the dialogues that have gold, and a prediction at every turn with gold."""
        return frozenset(
            dialogue_key(each.id)
            for each in self.dialogues
            if any(gold is not None for gold in each.gold)
            and all(gold is None or pred is not None for gold, pred in zip(each.gold, each.pred, strict=True))
        )

    def score(self, settings: TrackerSettings, resampling: Resampling, sink: Sink) -> TrackerResult:
        """Score the system.

        Args:
            settings: measures, rules, schema, and the dialogues to score.
            resampling: settings of intervals.
            sink: gets every scored dialogue.
        """
        entry = self.entry
        return score_file(
            entry.file,
            entry.gold or None,
            format=entry.format or None,
            gold_format=entry.gold_format or None,
            schema=settings.schema,
            only=settings.only,
            measures=settings.measures,
            rules=settings.rules,
            resampling=resampling,
            sink=sink,
        )


def read_system(entry: BoardEntry, schema: str | None = None, patch: GoldPatch | None = None) -> BoardSystem:
    """Read a prediction file with its gold.

    Args:
        entry: its row in the manifest.
        schema: a schema file.
        patch: corrections of gold.

    Raises:
        InputError: a file is invalid; the error has the place.
    """
    path, tracker = split_tracker(entry.file)
    if any(is_stream(each) for each in (path, entry.gold) if each):
        raise DialmeterError("a board reads its files more than once; write standard input or a pipe to a file first")
    inputs = RunInputs([RunInput("predictions", path, tracker)])
    corpus, gold = open_pair(entry.file, entry.gold or None, entry.format or None, entry.gold_format or None)
    if corpus.correctness_only:
        corpus.close()
        raise InputError("the file has no values, but a board needs them", file=corpus.name)
    vocabulary = Vocabulary()
    with paused_garbage_collection():
        dialogues = [without_states(each) for each in read_pair(corpus, gold, vocabulary, patch)]
    (described,) = inputs.after_reading()
    return BoardSystem(
        entry=entry,
        name=f"{described['name']}{f'#{tracker}' if tracker else ''}",
        sha256=str(described["sha256"] or ""),
        format=corpus.format,
        dialogues=dialogues,
        vocabulary=vocabulary,
        schema=read_schema(schema) if schema else (gold or corpus).schema,
    )


def check_distinct(systems: Sequence[BoardSystem]) -> None:
    """Raise an error if two systems have the same file.

    Raises:
        DialmeterError: the message has the names of both systems.
    """
    for one, other in combinations(systems, 2):
        if one.sha256 and (one.sha256, one.name.partition("#")[2]) == (other.sha256, other.name.partition("#")[2]):
            raise DialmeterError(
                f"{one_line(one.entry.system)} and {one_line(other.entry.system)} have the same predictions: {one_line(one.name)} "
                f"and {one_line(other.name)} are the same file (SHA-256 {one.sha256[:12]}…)"
            )


class _RunIntervals(Struct):
    confidence: float | None = None


class _TrackerManifest(Struct):
    """The fields of a tracker's ``run.json`` that a board needs."""

    rules: Rules
    scores: list[Score]
    diagnosis: list[Finding] = []
    intervals: _RunIntervals | None = None


class RunSystem(BoardSystem):
    """A finished run of ``tracker score``.

    Its rows contain states after its rules were applied. So it can be compared with runs under the same rules, but not be
    scored under others. Its scores are those of ``run.json``; the vectors for paired tests are computed from the rows.

    Attributes:
        manifest: the fields of ``run.json`` that a board needs.
    """

    manifest: _TrackerManifest

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every score, by measure."""
        return {score.measure: score.signature for score in self.manifest.scores}

    def score(self, settings: TrackerSettings, resampling: Resampling, sink: Sink) -> TrackerResult:
        """Return the scores of the run, with vectors from its rows.

        Raises:
            InputError: the rows do not reproduce the scores of ``run.json``.
        """
        recorded_level = self.manifest.intervals.confidence if self.manifest.intervals else None
        level = resampling.confidence
        if recorded_level is not None and recorded_level != level:
            message = (
                f"the run has {100 * recorded_level:g} % intervals, the board {100 * level:g} %; "
                f"use --ci {recorded_level:g}"
            )
            raise InputError(message, file=self.entry.file)
        # The rules have already been applied to the names and values in the rows, but values are still to be matched.
        applied = replace(
            self.manifest.rules,
            names="as-is",
            clash="keep",
            only=(),
            values=(),
            none=(),
            dontcare="keep",
            map="",
            state="cumulative",
        )
        recorded = {score.measure: score for score in self.manifest.scores}
        scorer = TrackerScorer(settings.measures, applied, self.schema, vocabulary=self.vocabulary)
        try:
            for each in self.dialogues:
                if scorer.add_pairs(each):
                    sink(each, scorer.compared())
            result = scorer.result()
        except NotApplicable as error:
            raise InputError(
                f"{error} (the rows of a run do not contain it; use the prediction file)", file=self.entry.file
            ) from None
        scores = []
        for score in result.scores:
            expected = recorded.get(score.measure)
            if expected is None:
                raise InputError(f"the run has no {score.measure}", file=self.entry.file)
            value = expected.value
            if (score.value is None) is not (value is None) or abs((score.value or 0.0) - (value or 0.0)) > _EQUAL:
                message = (
                    f"{score.measure} is {score.value} from the rows, but {value} in run.json; "
                    "use the prediction file, or --schema"
                )
                raise InputError(message, file=self.entry.file)
            scores.append(expected)
        result.scores = scores
        return result


def read_run(entry: BoardEntry, schema: str | None = None) -> RunSystem:
    """Read a finished run.

    Raises:
        DialmeterError: the folder holds no finished run, or a run of another kind.
    """
    run = Run(entry.file)
    check_tracker(run)
    inputs = {each.get("role"): each for each in run.manifest.get("inputs") or ()}
    predictions = inputs.get("predictions", {})
    vocabulary = Vocabulary()
    try:
        # The rows already contain the patched gold, and the patch file may no longer exist.
        rules = {**(run.manifest.get("rules") or {}), "patch": ""}
        manifest = msgspec.convert({**run.manifest, "rules": rules}, _TrackerManifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=str(run.path("run.json"))) from None
    return RunSystem(
        entry=entry,
        name=str(predictions.get("name") or Path(entry.file).name),
        sha256=str(predictions.get("sha256") or ""),
        format="run",
        dialogues=list(run_dialogues(run, vocabulary)),
        vocabulary=vocabulary,
        schema=read_schema(schema) if schema else None,
        manifest=manifest,
    )


def check_runs(systems: Sequence[RunSystem], measures: Sequence[str] | None) -> None:
    """Raise an error if the signatures of runs differ.

    Args:
        systems: the runs.
        measures: the measures to compare (default: all that the runs share).

    Raises:
        DialmeterError: the message has the fields that differ.
    """
    for one, other in combinations(systems, 2):
        first = {name: line for name, line in one.signatures.items() if not measures or name in measures}
        differs = in_one_line(compare_scores("tracker", first, other.signatures))
        if differs:
            raise DialmeterError(
                f"{one_line(one.entry.system)} and {one_line(other.entry.system)} are not comparable: {differs}"
            )
