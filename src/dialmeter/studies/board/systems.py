"""The systems of a board: prediction files and runs, read once."""

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
"""Two values are equal if they differ by less; the rows of a run are summed in another order than its input was."""


class BoardSystem(Struct):
    """A system of a board with its dialogues.

    Attributes:
        entry: its row in the manifest.
        name: of its file, without folders.
        sha256: of its file.
        format: of its file.
        dialogues: with gold and predictions.
        vocabulary: of their pairs.
        schema: that came with the files.
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
        """The keys of the dialogues that have gold, and a prediction at every turn that has gold."""
        return frozenset(
            dialogue_key(each.id)
            for each in self.dialogues
            if any(gold is not None for gold in each.gold)
            and all(gold is None or pred is not None for gold, pred in zip(each.gold, each.pred, strict=True))
        )

    def scored(self, settings: TrackerSettings, how: Resampling, sink: Sink) -> TrackerResult:
        """The scores of the system.

        Args:
            settings: measures, rules, schema, and the dialogues to score.
            how: of intervals.
            sink: takes every scored dialogue.
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
            resampling=how,
            sink=sink,
        )


def read_system(entry: BoardEntry, schema: str | None = None, patch: GoldPatch | None = None) -> BoardSystem:
    """Reads a prediction file with its gold.

    Args:
        entry: its row in the manifest.
        schema: a schema file.
        patch: corrections of gold.

    Raises:
        InputError: whatever is wrong with a file, with its place.
    """
    path, tracker = split_tracker(entry.file)
    if any(is_stream(each) for each in (path, entry.gold) if each):
        raise DialmeterError("a board reads its files more than once; write standard input or a pipe to a file first")
    inputs = RunInputs([RunInput("predictions", path, tracker)])
    corpus, gold = open_pair(entry.file, entry.gold or None, entry.format or None, entry.gold_format or None)
    if corpus.correctness_only:
        corpus.close()
        raise InputError("the file holds no values, which a board needs", file=corpus.name)
    words = Vocabulary()
    with paused_garbage_collection():
        dialogues = [without_states(each) for each in read_pair(corpus, gold, words, patch)]
    (described,) = inputs.after_reading()
    return BoardSystem(
        entry=entry,
        name=f"{described['name']}{f'#{tracker}' if tracker else ''}",
        sha256=str(described["sha256"] or ""),
        format=corpus.format,
        dialogues=dialogues,
        vocabulary=words,
        schema=read_schema(schema) if schema else (gold or corpus).schema,
    )


def check_distinct(systems: Sequence[BoardSystem]) -> None:
    """Refuses a board that has one file twice.

    Raises:
        DialmeterError: with the names of both systems.
    """
    for one, other in combinations(systems, 2):
        if one.sha256 and (one.sha256, one.name.partition("#")[2]) == (other.sha256, other.name.partition("#")[2]):
            raise DialmeterError(
                f"{one_line(one.entry.system)} and {one_line(other.entry.system)} have the same predictions: {one_line(one.name)} "
                f"and {one_line(other.name)} are one file (SHA-256 {one.sha256[:12]}…)"
            )


class _RunIntervals(Struct):
    confidence: float | None = None


class _TrackerManifest(Struct):
    """What a board needs of the ``run.json`` of a tracker."""

    rules: Rules
    scores: list[Score]
    diagnosis: list[Finding] = []
    intervals: _RunIntervals | None = None


class RunSystem(BoardSystem):
    """A finished run of ``tracker score``.

    Its rows hold states as its rules left them, so it can be compared with runs under the same rules and not be scored under
    others. Its scores are those of ``run.json``; the rows give the vectors for paired tests.

    Attributes:
        manifest: what a board needs of ``run.json``.
    """

    manifest: _TrackerManifest

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of every score of the whole, by measure."""
        return {score.measure: score.signature for score in self.manifest.scores}

    def scored(self, settings: TrackerSettings, how: Resampling, sink: Sink) -> TrackerResult:
        """The scores of the run, with vectors from its rows.

        Raises:
            InputError: the rows do not give the scores of ``run.json``.
        """
        made = self.manifest.intervals.confidence if self.manifest.intervals else None
        if made is not None and made != how.confidence:
            message = f"the run has intervals of {100 * made:g} %, the board of {100 * how.confidence:g} %; give --ci {made:g}"
            raise InputError(message, file=self.entry.file)
        # What the rules do to names and values is done; what counts as a match is not.
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
                f"{error} (rows of a run do not hold it; give the prediction file)", file=self.entry.file
            ) from None
        found = []
        for score in result.scores:
            known = recorded.get(score.measure)
            if known is None:
                raise InputError(f"the run has no {score.measure}", file=self.entry.file)
            value = known.value
            if (score.value is None) is not (value is None) or abs((score.value or 0.0) - (value or 0.0)) > _EQUAL:
                message = f"the rows give {score.measure} {score.value} and run.json has {value}; give the prediction file, or --schema"
                raise InputError(message, file=self.entry.file)
            found.append(known)
        result.scores = found
        return result


def read_run(entry: BoardEntry, schema: str | None = None) -> RunSystem:
    """Reads a finished run.

    Raises:
        DialmeterError: no finished run there, or one of another kind.
    """
    run = Run(entry.file)
    check_tracker(run)
    inputs = {each.get("role"): each for each in run.manifest.get("inputs") or ()}
    predictions = inputs.get("predictions", {})
    words = Vocabulary()
    try:
        # A patch of gold is in the rows already, and its file may be gone.
        rules = {**(run.manifest.get("rules") or {}), "patch": ""}
        manifest = msgspec.convert({**run.manifest, "rules": rules}, _TrackerManifest)
    except msgspec.ValidationError as error:
        raise InputError(f"damaged: {str(error).replace('`', '')}", file=str(run.path("run.json"))) from None
    return RunSystem(
        entry=entry,
        name=str(predictions.get("name") or Path(entry.file).name),
        sha256=str(predictions.get("sha256") or ""),
        format="run",
        dialogues=list(run_dialogues(run, words)),
        vocabulary=words,
        schema=read_schema(schema) if schema else None,
        manifest=manifest,
    )


def check_runs(systems: Sequence[RunSystem], measures: Sequence[str] | None) -> None:
    """Refuses runs whose signatures differ.

    Args:
        systems: the runs.
        measures: that are compared; all that the runs share without it.

    Raises:
        DialmeterError: with the fields that differ.
    """
    for one, other in combinations(systems, 2):
        first = {name: line for name, line in one.signatures.items() if not measures or name in measures}
        differs = in_one_line(compare_scores("tracker", first, other.signatures))
        if differs:
            raise DialmeterError(
                f"{one_line(one.entry.system)} and {one_line(other.entry.system)} are not comparable: {differs}"
            )
