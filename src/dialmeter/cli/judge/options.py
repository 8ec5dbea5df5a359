"""Options and functions of the commands that call judges: which judges, language models at endpoints, where judges run, where
scores are stored, and --fail-if."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from msgspec import Struct
from msgspec.structs import replace

from ...conditions import Condition
from ...core.document import Count, Number
from ...core.engine import note
from ...core.run_writer import RunWriter
from ...errors import DialmeterError
from ...judges.ask import Ask, Asker, ScoreStore, Shard, ShardAnswer
from ...judges.builtin.panel import members_of as panel_members
from ...judges.builtin.surface import OverReplies
from ...judges.cases import Case
from ...judges.judge import Judge, identity_of, is_pairwise, load_weights, parse_call
from ...judges.judge_recipe import Recipe, RecipeAsker
from ...judges.judged_items import JudgedItem
from ...judges.people.columns import for_level
from ...readers.ratings.rated_item import Level
from ..dry_run import dry_run_output
from ..options import Option, combine_options, from_option, option
from ..printer import Output
from ..work import cluster_from_options, is_local_work, run_shards, work_options, workers_from_options

if TYPE_CHECKING:
    from ...core.endpoint import CostEstimate
    from ...judges.adapters.llm import LanguageModel


endpoint_options = combine_options(
    option("--endpoint URL", "URL of an OpenAI-compatible chat endpoint to use as a judge. Needs --model."),
    option("--model NAME", "Name of the model at --endpoint."),
    option("--template FILE", "File with the prompt for --endpoint, with {context} and {reply}."),
    option("--system-prompt FILE", "File with the system prompt for --endpoint."),
    option(
        "--rubric FACET|FILE* rubrics",
        "Rubric for --endpoint: coherence, naturalness, interest, or a file. Each rubric is a judge; may be repeated.",
    ),
    option("--scale LOW-HIGH", "Rating scale for --endpoint.", default="1-5"),
    option(
        "--parse",
        "Method to get a number from the answer.",
        choices=["json", "labelled", "last", "letters", "logprobs"],
    ),
    option("--repeats", "Number of requests about each reply.", least=1, default=1),
    option(
        "--parameter NAME=VALUE* parameters",
        "Parameter of requests, such as max_tokens=200; temperature=none removes it. May be repeated.",
    ),
    option("--concurrency", "Maximum number of simultaneous requests.", least=1, default=4),
    option("--cache DIR", "Cache the answers of the model in this folder, to continue after an interruption."),
    option("--price in=X,out=Y", "Price per million tokens of prompts (in) and of answers (out)."),
    option(
        "--max-cost X",
        "Maximum cost; requests that may exceed it are not sent. Needs --price.",
        type=click.FloatRange(min=0),
    ),
)
judge_options = combine_options(
    option(
        "--judge J* judges",
        'Judge, such as overlap or "pang-c(model=FOLDER)", or module:object; NAME=... renames it. May be repeated.',
    ),
    option(
        "--judge-command [NAME=]COMMAND* commands",
        "Program as a judge: it reads JSON lines and writes one number per line. May be repeated.",
    ),
    endpoint_options,
    option(
        "--lower-is-better NAME* lower",
        "Name of a --judge-command or a --scores file for which lower scores are better; may be repeated.",
    ),
    option("--corpus FILE", "Dialogues to train judges on. Dialogues of the cases are skipped."),
    from_option("--corpus"),
)


class ChosenJudges(NamedTuple):
    """The judges of the options.

    Attributes:
        judges: name → judge; the weights are not loaded yet.
        recipes: name → recipe, for judges that can run in another process.
        dialogues: the training data of judges that learn.
    """

    judges: dict[str, Judge]
    recipes: dict[str, Recipe]
    dialogues: list[list[str]]


def judges_from_options(
    options: dict[str, Any],
    cases: list[Case],
    *,
    dialogues: list[list[str]] | None = None,
    level: Level = "reply",
    pairwise: bool = False,
) -> ChosenJudges:
    """Return the judges of the options, in this order: --judge, --judge-command, members of panels, --endpoint.

    Args:
        options: the options of the command.
        cases: the cases to judge. Their dialogues are not used for training.
        dialogues: the training data without --corpus (default: the contexts of the cases).
        level: the level of the judged items. Judges of replies are averaged over the replies of a dialogue.
        pairwise: accept judges that compare pairs of replies.

    Raises:
        DialmeterError: a judge cannot be made, or two judges have the same name.
    """
    training_dialogues = (
        dialogues
        if dialogues is not None and not options["corpus"]
        else _training_dialogues(options["corpus"], options["format"], cases)
    )
    chosen = ChosenJudges({}, {}, training_dialogues)
    recipes = [Recipe(for_level(parse_call(text), level)) for text in options["judges"]]
    recipes += [_command_recipe(text) for text in options["commands"]]
    members = [Recipe(for_level(parse_call(text), level)) for text in panel_members(options["judges"])]
    for recipe in (*recipes, *members):
        judge = recipe.make({"dialogues": chosen.dialogues})
        name = (recipe.call.alias if recipe.call else "") or judge.name
        if recipe.command:
            judge.higher_is_better = name not in options["lower"]
        if recipe in members and name in chosen.judges:
            continue
        _add_judge(chosen, name, judge)
        if not getattr(judge, "stays", False):
            chosen.recipes[name] = recipe
    for name, judge in endpoint_judges(options):
        _add_judge(chosen, name, judge)
    for name, judge in chosen.judges.items():
        if is_pairwise(judge) and not pairwise:
            raise DialmeterError(f"judge {name} compares pairs of replies; only `judge score` accepts such judges")
    return chosen


def _add_judge(chosen: ChosenJudges, name: str, judge: Judge) -> None:
    if name in chosen.judges:
        raise DialmeterError(f"duplicate judge name {name}; give one another name, as in mine=...")
    chosen.judges[name] = judge


def _command_recipe(text: str) -> Recipe:
    name, equals, rest = text.partition("=")
    named = bool(equals) and name.replace("-", "").replace("_", "").isalnum()
    words = shlex.split(rest if named else text)
    if not words:
        raise DialmeterError("--judge-command is empty")
    return Recipe(command=tuple(words), name=name if named else "")


def _training_dialogues(corpus: str | None, format: str | None, cases: list[Case]) -> list[list[str]]:
    from ...judges.scorer import dialogues_of_cases

    if not corpus:
        return dialogues_of_cases(cases)
    from ...readers.conversations import open_conversations

    case_dialogues = {case.source.dialogue for case in cases}
    opened = open_conversations(corpus, format)
    dialogues = [[move.text for move in each.moves if move.text] for each in opened if each.id not in case_dialogues]
    if not dialogues:
        raise DialmeterError(f"{corpus}: no dialogue is left for training, because all dialogues are in the cases")
    return dialogues


def scores_option(about: str) -> Option:
    """Return the option for files with scores of judges."""
    return option("--scores [NAME=]FILE* score_files", about)


asking_options = combine_options(
    work_options,
    option(
        "--cluster-resource NAME=N",
        "On a cluster, run neural judges only on workers with this resource, such as GPU=1.",
    ),
    option("--store DIR", "Store scores in this folder, for this run and later runs."),
)
"""The options for where judges run, and where their scores are stored."""


def score_files_from_options(options: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Return name and path of each file of --scores. The name is None if it is not given."""
    parts = [text.partition("=") for text in options["score_files"]]
    return [(name, path) if equals else (None, name) for name, equals, path in parts]


def run_inputs(role: str, file: str, options: dict[str, Any]) -> dict[str, str | list[str]]:
    """Return the inputs of a run: the file that is judged, and the files of --scores."""
    return {role: file, "scores": [path for _, path in score_files_from_options(options)]}


def score_store_from_options(
    options: dict[str, Any], writer: RunWriter | None, judges: Mapping[str, Judge]
) -> str | Path | None:
    """Return the folder for scores: --store, or a folder in the run. Language models store their answers there too."""
    store = options["store"] or (writer.begin() / "scores" if writer else None)
    if store:
        for model in models_of(judges).values():
            model.keep_answers(str(store))
    return store


def unfinished_lines(writer: RunWriter | None, *messages: Sequence[str]) -> list[list[str]]:
    """Close the run if there are messages, and add to each message how to continue."""
    if writer is None or not any(messages):
        return [list(lines) for lines in messages]
    writer.close()
    return [[f"{line}; the run is unfinished; the same command continues it" for line in lines] for lines in messages]


def check_cells(
    conditions: Iterable[Condition], cells: Sequence[Mapping[str, Any]], overall: Sequence[Mapping[str, Any]]
) -> None:
    """End the command if a condition of --fail-if is true. It may name several groups, as ``error[contradiction, pang-c]``.

    Args:
        conditions: the conditions.
        cells: scores with their groups.
        overall: the scores for conditions without a group.
    """
    for condition in conditions:
        *others, last = [part.strip() for part in condition.group.split(",")] if condition.group else [None]
        in_groups = [each for each in cells if all(part in each.values() for part in others)]
        replace(condition, group=last).check(overall if last is None else in_groups)


def ask_from_options(chosen: ChosenJudges, judges: Mapping[str, Judge], file: str, options: dict[str, Any]) -> Ask:
    """Return a function that calls judges: in this process, in other processes, or on a cluster.

    Trivial judges, and judges that must stay in this process, are always called here.
    """

    def ask(shards: Sequence[Shard]) -> Iterator[ShardAnswer]:
        # The size of the file determines the default number of workers, although workers do not read the file.
        worker_options = {**options, "workers": workers_from_options(options, [file]), "quiet": True}
        ask_here = Asker(judges.__getitem__).ask
        remote_shards = [shard for shard in shards if shard.judge in chosen.recipes]
        if is_local_work(worker_options, (), len(remote_shards)):
            for name in dict.fromkeys(shard.judge for shard in shards):
                load_weights(judges[name])
            yield from map(ask_here, shards)
            return
        yield from (ask_here(shard) for shard in shards if shard.judge not in chosen.recipes)
        names = {shard.judge for shard in remote_shards}
        recipes = {name: recipe for name, recipe in chosen.recipes.items() if name in names}
        if cluster_from_options(options) is not None:
            recipes = {name: recipe.rooted(judges[name]) for name, recipe in recipes.items()}
        files = [file for recipe in recipes.values() for file in recipe.files]
        work = partial(_ask_noted, RecipeAsker(recipes, chosen.dialogues))
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


def endpoint_judges(options: Mapping[str, Any]) -> Iterator[tuple[str, Judge]]:
    """Yield the judges at --endpoint: one, or one for each rubric. They share budget and answers."""
    if bool(options["endpoint"]) != bool(options["model"]):
        raise DialmeterError("--endpoint and --model need each other")
    if options["max_cost"] is not None and not options["price"]:
        raise DialmeterError("--max-cost needs --price, such as --price in=0.15,out=0.6")
    if not options["endpoint"]:
        return
    from ...judges.adapters.llm import LanguageModel

    judge = LanguageModel(
        endpoint=options["endpoint"],
        model=options["model"],
        template=options["template"] or "",
        system=options["system_prompt"] or "",
        rubric=next(iter(options["rubrics"]), ""),
        scale=options["scale"],
        parse=options["parse"],
        repeats=options["repeats"],
        parameters=json.dumps(dict(map(_parse_parameter, options["parameters"]))),
        workers=options["concurrency"],
        cache=options["cache"] or "",
        price=options["price"] or "",
        max_cost=float("inf") if options["max_cost"] is None else options["max_cost"],
    )
    if not options["rubrics"]:
        yield options["model"], judge
        return
    for number, rubric in enumerate(options["rubrics"]):
        each = judge.with_rubric(rubric) if number else judge
        yield f"{options['model']}:{each.rubric}", each


def _parse_parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise DialmeterError(f"--parameter {text!r}: write NAME=VALUE, such as max_tokens=200 or temperature=none")
    if value.strip().lower() == "none":
        return name.strip(), None
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value


def models_of(judges: Mapping[str, Judge]) -> dict[str, LanguageModel]:
    """Return the language models among the judges, also those inside a judge that averages over replies."""
    inner = {name: judge.inner if isinstance(judge, OverReplies) else judge for name, judge in judges.items()}
    return {name: judge for name, judge in inner.items() if hasattr(judge, "estimate")}  # type: ignore[misc]


def checked_models(judges: Mapping[str, Judge]) -> dict[str, LanguageModel]:
    """Return the language models among the judges, for a dry run."""
    models = models_of(judges)
    if not models:
        raise DialmeterError(
            "--dry-run estimates calls of language models; give --endpoint and --model, or --judge llm(…)"
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
        stored = ScoreStore(store).scores(identity_of(judges[name])) if store else {}
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
