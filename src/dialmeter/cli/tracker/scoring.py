"""Scoring of a prediction file for a command: the whole file here, or in shards that other processes may score."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ...core.run_writer import RunWriter
from ...core.shards import ShardTask
from ...errors import InputError
from ...model import Notice, dialogue_key
from ...readers.corpus import Corpus, open_corpus, spans_of, split_tracker
from ...readers.pairs.vocabulary import PairDialogue
from ...readers.source import Span
from ...tracking import record
from ...tracking.align import PairFiles
from ...tracking.compared import ComparedDialogue, dialogue_lines
from ...tracking.result import TrackerResult
from ...tracking.scoring import TrackerSettings, score_file
from ..options import resampling_from_options
from ..progress import track_reading
from ..work import cluster_from_options, run_shards
from .span import score_span

_ONE_SHARD = Notice("one-shard", 1, "the input is one shard; it is scored here and not on the cluster")


class ScoredTracker(NamedTuple):
    """The format of a file, its result, the lines of the dialogues to print, and warnings about the work."""

    format: str
    result: TrackerResult
    printed: dict[str, list[str]]
    notices: tuple[Notice, ...] = ()


def score_predictions(settings: TrackerSettings, writer: RunWriter | None, options: dict[str, Any]) -> ScoredTracker:
    """Score a file: in shards if it is large and native, otherwise as a whole, with its gold file if there is one."""
    file = options["file"]
    spans = _spans(options)
    if len(spans) < 2:
        scored = _score_whole_file(settings, writer, options)
        return scored if cluster_from_options(options) is None else scored._replace(notices=(_ONE_SHARD,))
    parts = None if writer is None else str(writer.begin())
    tasks = [ShardTask(span, number, settings, parts) for number, span in enumerate(spans)]
    scorer = settings.scorer()
    printed: dict[str, list[str]] = {}
    notices: dict[Notice, None] = {}

    try:
        for each in run_shards(score_span, tasks, options, [split_tracker(file)[0]]):
            scorer.merge_part(each.part)
            notices.update(dict.fromkeys(each.notices))
            printed.update(each.printed)
        result = scorer.result(file, notices, resampling_from_options(options), settings.only)
        result.files = PairFiles(file, format="native", only=settings.only, patch=result.rules.gold_patch)
    except InputError as error:
        if writer is not None:
            writer.abandon()
        raise error.at(file=file) from None
    return ScoredTracker("native", result, printed)


def _spans(options: dict[str, Any]) -> list[Span]:
    """Return the spans of a large file of native lines with gold and predictions; an empty list for other files."""
    file = split_tracker(options["file"])[0]
    if options["gold"] or not Path(file).is_file() or len(spans_of(options["file"], "native")) < 2:
        return []
    opened = open_corpus(options["file"], format=options["format"])
    opened.close()
    return spans_of(options["file"], opened.format)


def _score_whole_file(
    settings: TrackerSettings,
    writer: RunWriter | None,
    options: dict[str, Any],
) -> ScoredTracker:
    printed: dict[str, list[str]] = {}
    formats: list[str] = []

    def watch(dialogues: Iterable[Any], corpus: Corpus) -> Iterator[Any]:
        formats.append(corpus.format)
        return track_reading(dialogues, corpus, options["quiet"])

    def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        if writer is not None and dialogue.id not in writer.done:
            writer.add(record.row(dialogue, compared))
        if dialogue_key(dialogue.id) in settings.shown:
            printed[dialogue_key(dialogue.id)] = list(dialogue_lines(dialogue, compared))

    try:
        result = score_file(
            options["file"],
            options["gold"],
            format=options["format"],
            gold_format=options["gold_format"],
            schema=settings.schema,
            only=settings.only,
            measures=settings.measures,
            rules=settings.rules,
            by=settings.by,
            train_schema=settings.train_schema,
            resampling=resampling_from_options(options),
            sink=take if writer is not None or settings.shown else None,
            watch=watch,
        )
    except InputError:
        if writer is not None:
            writer.abandon()
        raise
    return ScoredTracker(formats[0], result, printed)
