"""Options and functions of the commands that call judges: which judges, where they run, where scores are stored, and --fail-if."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from ...core.batch import Waiting
from ...core.document import Count, Document, Number
from ...core.engine import note
from ...core.record import finish_run
from ...core.run_writer import RunWriter
from ...errors import DialmeterError, InputError, one_line
from ...judges.ask import Ask, Asker, Shard, ShardAnswer, stored_scores, unfinished
from ...judges.builtin.surface import OverReplies
from ...judges.judge import Judge, identity_of, load_weights
from ...judges.judge_recipe import RecipeAsker
from ...judges.judged_items import JudgedItem
from ...judges.people.result import PeopleResult
from ...judges.requests import JudgeRequests, MadeJudges, models_of
from ...judges.result import JudgeResult
from ...readers.content import content_of
from ...views.summaries.judge import compare_summary, score_summary
from ..dry_run import dry_run_option, dry_run_output
from ..frame import CommandRun, document_output
from ..main import EXIT_INPUT, EXIT_UNFINISHED
from ..options import combine_options, fail_if_option, option, run_options
from ..printer import Output, typed_command
from ..work import cluster_from_options, is_local_work, run_shards, work_options, workers_from_options

if TYPE_CHECKING:
    from ...core.endpoint import CostEstimate
    from ...judges.adapters.llm import LanguageModel


judge_options = combine_options(
    option("--judge J* judges", "Judge, such as overlap; see `dialmeter list judges`."),
    option("--endpoint URL", "URL of an OpenAI-compatible chat endpoint."),
    option("--model NAME", "Name of the model at the endpoint."),
    option("--key-variable NAME", "Environment variable with the API key."),
    option("--cache DIR", "Cache the answers of the model in this folder, to continue after an interruption."),
    option("--concurrency N", "Maximum number of simultaneous requests.", type=click.IntRange(min=1)),
    option("--price in=X,out=Y", "Price per million tokens of prompts (in) and of answers (out)."),
    option(
        "--max-cost X",
        "Maximum cost; requests that may exceed it are not sent. Needs a price.",
        type=click.FloatRange(min=0),
    ),
)
_MODEL = ("endpoint", "model", "key_variable", "cache", "concurrency", "price", "max_cost")


def place_of_models(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the options say about language models and their endpoint, for the texts of judges."""
    return {"place": {name: options[name] for name in _MODEL if options[name] is not None}}


asking_options = combine_options(
    work_options,
    option(
        "--cluster-resource NAME=N",
        "On a cluster, run neural judges only on workers with this resource, such as GPU=1.",
    ),
    option("--store DIR", "Store scores in this folder, for this run and later runs."),
    dry_run_option,
    run_options,
    fail_if_option,
)
"""The options for where judges run, where their scores are stored, and when the command fails."""


def refuse_ratings(file: str, takes: str) -> None:
    """Refuse rated items where a command takes something else.

    Raises:
        InputError: the file holds rated items.
    """
    if Path(file).is_file() and content_of(file) == "ratings":
        raise InputError(
            f"holds ratings of people, and this command takes {takes}; ratings: dialmeter score {shlex.quote(file)}",
            file=one_line(file, 200),
        )


def run_inputs(role: str, file: str, requests: JudgeRequests) -> dict[str, str | list[str]]:
    """Return the inputs of a run: the file that is judged, and the files of scores."""
    return {role: file, "scores": [each.path for each in requests.files]}


def score_store_from_options(
    options: dict[str, Any], writer: RunWriter | None, judges: Mapping[str, Judge]
) -> str | Path | None:
    """Return the folder for scores: --store, or a folder in the run. Language models store their answers there too."""
    store = options["store"] or (writer.begin() / "scores" if writer else None)
    if store:
        for model in models_of(judges).values():
            model.keep_answers(str(store))
    return store


def judge_output(
    kind: type[Document],
    result: JudgeResult | PeopleResult,
    options: dict[str, Any],
    run: CommandRun,
    judges: Mapping[str, Judge],
    *,
    silent: Sequence[str],
    rows: Iterable[Any],
    compares: bool,
    file: str,
    **given: Any,
) -> Output:
    """Return the output of a command that scores or compares judges.

    The exit code is 2 if a judge scored nothing, and 3 if a later run may score more. A run is then unfinished.

    Args:
        kind: the type of the document.
        result: the scores.
        options: the options of the command.
        run: the run.
        judges: the judges that were asked.
        silent: a line for each judge that scored nothing.
        rows: the rows of the run.
        compares: True if the judges are compared with the first.
        file: the file that was judged.
        given: other arguments of Output, and fields of the document.
    """
    open_lines = unfinished(result.accounts)
    lines = [*silent, *open_lines]
    if not lines:
        run.finish(lambda writer, about: finish_run(writer, about, result, rows=rows))
    elif run.writer is not None:
        run.writer.close()
        lines = [f"{line}; the run is unfinished; the same command continues it" for line in lines]
    if silent and len(silent) == len(result.accounts):
        return Output(notices=result.notices, errors=[one_line("; ".join(lines), 4000)], exit_code=EXIT_INPUT)
    summarise = compare_summary if compares else score_summary
    return document_output(
        kind,
        result,
        summary=summarise(result, typed_command(), file, options["out"] or ""),
        notices=result.notices,
        errors=[one_line(line, 1000) for line in lines],
        exit_code=EXIT_INPUT if silent else EXIT_UNFINISHED if open_lines else 0,
        usage=usage_of(judges),
        **given,
    )


def ask_from_options(chosen: MadeJudges, judges: Mapping[str, Judge], file: str, options: dict[str, Any]) -> Ask:
    """Return a function that calls judges: in this process, in other processes, or on a cluster.

    Trivial judges, and judges that must stay in this process, are always called here.
    """

    def ask(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        # The size of the file determines the default number of workers, although workers do not read the file.
        worker_options = {**options, "workers": workers_from_options(options, [file])}
        ask_here = Asker(judges.__getitem__).ask_all
        remote_shards = [shard for shard in shards if shard.judge in chosen.recipes]
        if is_local_work(worker_options, (), len(remote_shards)):
            for name in dict.fromkeys(shard.judge for shard in shards):
                with suppress(Waiting):
                    load_weights(judges[name])
            yield from ask_here(shards)
            return
        yield from ask_here(shard for shard in shards if shard.judge not in chosen.recipes)
        names = {shard.judge for shard in remote_shards}
        recipes = {name: recipe for name, recipe in chosen.recipes.items() if name in names}
        if cluster_from_options(options) is not None:
            recipes = {name: recipe.rooted(judges[name]) for name, recipe in recipes.items()}
        files = [file for recipe in recipes.values() for file in recipe.files]
        work = partial(
            _ask_noted, RecipeAsker(recipes, {key: each for key, each in chosen.offered.items() if key != "place"})
        )
        yield from run_shards(
            work,
            remote_shards,
            worker_options,
            files,
            special=lambda shard: getattr(judges[shard.judge], "neural", False),
        )

    return ask


def _ask_noted(asker: RecipeAsker, shard: Shard) -> ShardAnswer:
    note(str(shard))
    return asker.ask(shard)


class ModelUsage(Struct, kw_only=True):
    """The use of an endpoint.

    Attributes:
        judges: the judges that use it.
        requests: number of requests, failed ones included.
        answers: number of received answers.
        cached: number of answers from the cache.
        busy: number of requests that the server rejected because there were too many.
        estimated: number of answers whose tokens the server did not count.
        cost: null without --price.
    """

    model: str
    judges: list[str]
    requests: Count
    answers: Count
    cached: Count
    busy: Count
    prompt_tokens: Count
    answer_tokens: Count
    estimated: Count
    cost: Number


def checked_models(judges: Mapping[str, Judge]) -> dict[str, LanguageModel]:
    """Return the language models among the judges, for a dry run."""
    models = models_of(judges)
    if not models:
        raise DialmeterError(
            '--dry-run estimates calls of language models; give a judge such as -j "llm(rubric=coherence)"'
        )
    return models


def dry_run(
    command: str,
    units: Mapping[str, Sequence[JudgedItem]],
    judges: Mapping[str, Judge],
    counts: Mapping[str, int],
    store: str | None = None,
) -> Output:
    """Estimate the calls of the language models among the judges. Nothing is sent."""
    estimates: dict[str, CostEstimate] = {}
    for name, model in checked_models(judges).items():
        stored = stored_scores(store, identity_of(judges[name])).values
        items = [unit.item for unit in units[name] for key in unit.keys if key not in stored]
        judge = judges[name]
        estimates[name] = (
            model.estimate(*judge.batches(items)) if isinstance(judge, OverReplies) else model.estimate(items)
        )
    return dry_run_output(command, estimates, counts)


def usage_of(judges: Mapping[str, Judge]) -> list[dict[str, Any]]:
    """Return the use of each endpoint. Judges that share an endpoint are one entry."""
    entries: dict[int, dict[str, Any]] = {}
    for name, judge in models_of(judges).items():
        used = judge.endpoint
        entry = entries.setdefault(id(used), {"model": used.model, "judges": [], "cost": used.cost})
        entry["judges"].append(name)
        entry |= {field: getattr(used.usage, field) for field in used.usage.__struct_fields__}
    return list(entries.values())


def usage_line(used: Mapping[str, Any]) -> str:
    """Return the use of an endpoint as one line."""
    counts = f"{used['requests']} requests ({used['busy']} rejected as too many), {used['answers']} answers, {used['cached']} from the cache"
    about = "about " if used["estimated"] else ""
    tokens = f"{about}{used['prompt_tokens']} prompt tokens and {used['answer_tokens']} answer tokens"
    cost = "" if used["cost"] is None else f", cost {about}{used['cost']:.4f}"
    return f"{used['model']}: {counts}; {tokens}{cost}"
