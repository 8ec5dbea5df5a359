"""Scoring a prediction file for a command: as a whole, or in shards, wherever these are worked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError
from ..formats import Corpus, open_corpus, spans_of, split_tracker
from ..formats.pairs.vocabulary import PairDialogue
from ..model import Notice, dialogue_key
from ..runs import RunWriter
from ..shards import Span
from ..tracking import record, show
from ..tracking.cache import TallyCache
from ..tracking.compared import ComparedDialogue
from ..tracking.result import TrackerResult
from ..tracking.scorer import score_file
from ..tracking.spans import Settings, SpanTask
from .options import chosen_resampling
from .say import warn, watched
from .tracker_span import score_noted
from .work import chosen_cluster, worked


class Scored(NamedTuple):
    """What scoring a file comes to, and what else was asked for."""

    form: str
    result: TrackerResult
    printed: dict[str, list[str]]


def scored(settings: Settings, writer: RunWriter | None, shown: frozenset[str], options: dict[str, Any]) -> Scored:
    """Scores a file: line by line, in shards where it is large, or together with the file that holds gold."""
    file, quiet = options["file"], options["quiet"]
    cache, may_cut = _chosen_cache(options), _may_cut(options)
    question = None
    if cache is not None and may_cut > 1:
        question = cache.question(settings.scorer(), file, form=options["form"], only=settings.only, spans=may_cut)
    if question is not None and (kept := question.answer()) is not None:
        result = question.scorer.result(file, kept.notices, chosen_resampling(options))
        return Scored(kept.form, result, {})
    spans = _spans(options) if may_cut > 1 else []
    if len(spans) < 2:
        if chosen_cluster(options) is not None:
            warn(
                [Notice("one-shard", 1, "the input is one shard, so that it is scored here and not on the cluster")],
                quiet,
            )
        return _scored_whole(settings, writer, shown, options, cache)
    parts = None if writer is None else str(writer.begin())
    tasks = [SpanTask(span, number, settings, parts, shown) for number, span in enumerate(spans)]
    scorer = settings.scorer() if question is None else question.scorer
    printed: dict[str, list[str]] = {}
    notices: dict[Notice, None] = {}

    try:
        for each in worked(score_noted, tasks, options, [split_tracker(file)[0]]):
            scorer.merge(each.part)
            notices.update(dict.fromkeys(each.notices))
            printed.update(each.printed)
        result = scorer.result(file, notices, chosen_resampling(options))
    except InputError as error:
        if writer is not None:
            writer.abandon()
        raise error.at(file=file) from None
    if question is not None:
        question.keep("native", notices)
    return Scored("native", result, printed)


def _chosen_cache(options: dict[str, Any]) -> TallyCache | None:
    """The cache that --cache asks for; tallies do not say what goes into a run, a chart or a dialogue that is shown."""
    if not options["cache"]:
        return None
    cache = TallyCache(tell=lambda notice: warn([notice], options["quiet"]))
    for name in ("out", "show", "charts"):
        if options["shown" if name == "show" else name]:
            cache.refuse(f"--{name} looks at the dialogues themselves")
            return None
    return cache


def _may_cut(options: dict[str, Any]) -> int:
    """In how many spans the file would be read if it holds native lines with both states; it is not looked into."""
    file = split_tracker(options["file"])[0]
    return 0 if options["gold"] or not Path(file).is_file() else len(spans_of(options["file"], "native"))


def _spans(options: dict[str, Any]) -> list[Span]:
    """The spans of a large file, if it holds native lines."""
    opened = open_corpus(options["file"], form=options["form"])
    opened.close()
    return spans_of(options["file"], opened.format)


def _scored_whole(
    settings: Settings,
    writer: RunWriter | None,
    shown: frozenset[str],
    options: dict[str, Any],
    cache: TallyCache | None,
) -> Scored:
    printed: dict[str, list[str]] = {}
    formats: list[str] = []

    def watch(dialogues: Iterable[Any], corpus: Corpus) -> Iterator[Any]:
        formats.append(corpus.format)
        return watched(dialogues, corpus, options["quiet"])

    def take(dialogue: PairDialogue, compared: ComparedDialogue) -> None:
        if writer is not None and dialogue.id not in writer.done:
            writer.add(record.row(dialogue, compared))
        if dialogue_key(dialogue.id) in shown:
            printed[dialogue_key(dialogue.id)] = list(show.lines(dialogue, compared))

    result = score_file(
        options["file"],
        options["gold"],
        form=options["form"],
        gold_form=options["gold_form"],
        schema=settings.schema,
        only=settings.only,
        measures=settings.measures,
        rules=settings.rules,
        by=settings.by,
        train_schema=settings.train_schema,
        resampling=chosen_resampling(options),
        sink=take if writer is not None or shown else None,
        watch=watch,
        cache=cache,
    )
    form = formats[0] if formats or cache is None else cache.form
    return Scored(form, result, printed)
