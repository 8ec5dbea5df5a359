"""Score a tracker in one call: from states in memory, from files, or from shards of files; and the run of a tracker on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..core.comparison import Resampling
from ..core.engine import note
from ..core.open_runs import Run
from ..core.record import run_identity
from ..errors import DialmeterError, InputError, NotApplicable, one_line
from ..garbage import paused_garbage_collection
from ..measure import Measure
from ..model import Dialogue, Turn, dialogue_key
from ..progress import track_reading
from ..readers.corpus import Corpus, gold_values, open_span
from ..readers.layouts.schema import read_schema
from ..readers.pairs.state_layouts import FLAT
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from .align import GoldFile, KeptDialogues, PairFiles, open_pair, read_pair
from .compared import ComparedDialogue, TrackedDialogue
from .pairs import NO_REPAIRS, Repairs
from .result import TrackerResult
from .rule_sets.rules import Rules, load
from .scorer import PartialScores, RowCallback, TrackerScorer
from .vectors.measure_columns import By

if TYPE_CHECKING:
    from ..core.run_writer import ShardTask

_MOST_KEPT = 2**18
"""With more turns than this, a file is read again for its diagnosis, because a kept turn takes about 220 bytes."""


def tracker_identity(
    inputs: Sequence[Mapping[str, str | None]], rules: Rules, measures: Sequence[str]
) -> dict[str, Any]:
    """Return the identity of a run: its inputs, rules and measures."""
    return run_identity("tracker", inputs, rules=rules, measures=list(measures))


def score_file(
    path: str,
    gold: str | GoldFile | None = None,
    *,
    format: str | None = None,
    gold_format: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    measures: Sequence[str | Measure] | None = None,
    rules: str | Path | Rules = "dialmeter",
    by: Sequence[By] = (),
    train_schema: str | None = None,
    resampling: Resampling | None = None,
    change: Callable[[Dialogue], Dialogue] | None = None,
    on_row: RowCallback | None = None,
    keep: bool = False,
) -> TrackerResult:
    """Score a prediction file.

    Formats are detected if they are not given, and measures are those of the rule set if none are given.

    Args:
        path: the file of predictions, with or without gold.
        gold: the file of gold states, if the first file has none; or a gold file that was already read.
        format: the format of the predictions.
        gold_format: the format of the gold file.
        schema: a schema file, for the number of slots and for categorical slots.
        only: keys of the dialogues to score, such as a split.
        measures: the measures to compute.
        rules: a rule set.
        by: breakdowns to prepare.
        train_schema: the schema of the training data; its services are the seen ones of ``by=["seen"]``.
        resampling: the settings of confidence intervals; None for no intervals.
        change: a function that replaces each dialogue, for example by one with a trivial prediction.
        on_row: receives every scored dialogue, for a run on disk.
        keep: keep the dialogues in memory, however many there are, so that ``compare`` can score them again.

    Raises:
        InputError: a file cannot be scored; the error names the place.
    """
    asks = (rules if isinstance(rules, Rules) else load(str(rules))).state == "cumulative"
    corpus, gold_corpus = open_pair(path, gold, format, gold_format, asks=asks)
    settings = TrackerSettings(rules, measures, schema, only, tuple(by), train_schema)
    scorer = settings.scorer(corpus.correctness_only, gold.vocabulary if isinstance(gold, GoldFile) else None)
    kept = KeptDialogues(scorer.vocabulary, scorer.measure_columns.needs_details, inf if keep else _MOST_KEPT)

    scorer.states = corpus.states

    def take(read: PairDialogue, compared: ComparedDialogue) -> None:
        if on_row is not None:
            on_row(read, compared)
        kept.keep(read)

    read_into(scorer, corpus, gold_corpus, only=only, change=change, on_row=take)
    kept.schema = scorer.schema = scorer.schema or (gold_corpus or corpus).schema
    notices = [*corpus.notices, *(gold_corpus.notices if gold_corpus else [])]
    gold_path = gold.path if isinstance(gold, GoldFile) else gold
    result = scorer.result(corpus.name, notices, resampling, only, gold_path or "", may_be_subset=corpus.is_inferred)
    result.format = corpus.format
    if change is not None:
        # The predictions were made from gold, so there is nothing to diagnose.
        result.diagnosis = []
    if kept.is_complete:
        result.files = kept
    elif change is None:
        gold_format = gold_corpus.format if gold_corpus else None
        result.files = PairFiles(path, gold_path, format, gold_format, only, result.rules.gold_patch)
    return result


def score_again(
    kept: KeptDialogues,
    measures: Sequence[str],
    rules: Rules,
    change: Callable[[PairDialogue], PairDialogue] = lambda read: read,
    repairs: Repairs = NO_REPAIRS,
) -> TrackerResult:
    """Score dialogues that were kept, under other rules, repaired, or with a change of each dialogue.

    Raises:
        DialmeterError: they cannot be scored in this way.
    """
    scorer = TrackerScorer(measures, rules, vocabulary=kept.vocabulary, repairs=repairs)
    # Set after construction, because the slots of gold were compared with the schema before.
    scorer.schema = kept.schema
    scorer.gold_again = partial(gold_values, kept.dialogues, kept.vocabulary, None)
    with paused_garbage_collection():
        for read in kept.dialogues:
            scorer.add_pairs(change(read))
    return scorer.result()


def read_into(
    scorer: TrackerScorer,
    corpus: Corpus,
    gold_corpus: Corpus | GoldFile | None = None,
    *,
    only: frozenset[str] | None = None,
    change: Callable[[Dialogue], Dialogue] | None = None,
    on_row: RowCallback | None = None,
) -> None:
    """Read files into a scorer. The arguments are those of ``score_file``.

    Raises:
        InputError: a file cannot be scored; the error names the place.
    """
    words = scorer.vocabulary
    scorer.gold_again = partial((gold_corpus or corpus).gold_again, only)
    with paused_garbage_collection():
        for read in track_reading(read_pair(corpus, gold_corpus, words, scorer.rules.gold_patch), corpus):
            note(f"dialogue {read.id}")
            if only is not None and dialogue_key(read.id) not in only:
                continue
            scorer.schema = scorer.schema or (gold_corpus or corpus).schema
            try:
                if change is not None:
                    read = words.with_predictions(read, change(words.plain(read)))  # noqa: PLW2901
                scored = scorer.add_pairs(read)
            except InputError as error:
                raise corpus.place(error) from None
            except NotApplicable as error:
                raise NotApplicable(f"{corpus.name}: {error}") from None
            if on_row is not None and scored:
                on_row(read, scorer.compared())


class TrackerSettings(Struct, frozen=True):
    """The settings of scoring, the same for all shards of a file; see ``score_file``."""

    rules: str | Path | Rules
    measures: Sequence[str | Measure] | None = None
    schema: str | None = None
    only: frozenset[str] | None = None
    by: tuple[By, ...] = ()
    train_schema: str | None = None

    def scorer(self, correctness_only: bool = False, vocabulary: Vocabulary | None = None) -> TrackerScorer:
        """Create a scorer with these settings."""
        return TrackerScorer(
            self.measures,
            self.rules,
            read_schema(self.schema) if self.schema else None,
            self.by,
            correctness_only=correctness_only,
            seen=frozenset(read_schema(self.train_schema).services) if self.train_schema else frozenset(),
            vocabulary=vocabulary,
        )


def score_shard(task: ShardTask[TrackerSettings]) -> PartialScores:
    """Score one shard of a file of native lines; it can run in any process.

    Raises:
        InputError: the shard cannot be scored; the error names the place in the file.
    """
    settings = task.settings
    scorer = settings.scorer()
    corpus = open_span(task.span)
    with task.open_rows() as rows:

        def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
            if rows is not None and dialogue.id not in rows.done:
                rows.add(compared.tracked(dialogue))

        read_into(scorer, corpus, only=settings.only, on_row=None if rows is None else take)
    part = scorer.part
    part.notices = corpus.notices
    return part


def check_tracker(run: Run) -> None:
    """Raise an error if a run is not a tracker's run.

    Raises:
        DialmeterError: the message has the kind of the run.
    """
    kind = run.manifest.get("kind") or "an unknown kind"
    if kind != "tracker":
        raise DialmeterError(f"{one_line(str(run.folder), 200)}: a run of {kind}, not of a tracker")


def run_dialogues(run: Run, words: Vocabulary) -> Iterator[PairDialogue]:
    """Yield the dialogues of a finished run, with states after its rules were applied, numbered by a vocabulary.

    Raises:
        DialmeterError: the run is not a tracker's run.
        InputError: a row is damaged; the error has its line.
    """
    check_tracker(run)
    for row in run.rows_as(TrackedDialogue):
        turns = tuple(Turn(turn.turn, turn.gold, turn.pred, turn.user, turn.system) for turn in row.turns)
        yield words.number_dialogue(Dialogue(row.id, turns), FLAT)
