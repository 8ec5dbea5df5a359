"""The systems of a board: prediction files and runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ...core.comparability import compare_scores, in_one_line
from ...core.comparison import Resampling
from ...core.open_runs import Run
from ...core.record import RunInput, RunInputs
from ...errors import DialmeterError, InputError, NotApplicable, one_line
from ...garbage import paused_garbage_collection
from ...measure import Score
from ...model import Schema, dialogue_key
from ...readers.corpus import split_tracker
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...readers.raw_file import is_stream
from ...readers.services.schema import read_schema
from ...tracking.align import open_pair, read_pair, without_states
from ...tracking.diagnosis.suspicions import Finding
from ...tracking.gold_patch import GoldPatch
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
from ...tracking.scorer import Sink, TrackerScorer
from ...tracking.scoring import TrackerSettings, score_file
from ..run_states import check_tracker, run_dialogues
from .manifest import BoardEntry

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
