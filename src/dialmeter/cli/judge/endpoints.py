"""Language models at endpoints: their options, an estimate of their cost, and their actual cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ...errors import DialmeterError
from ...judges.ask import ScoreStore
from ...judges.builtin.surface import OverReplies
from ...judges.judge import Judge, identity_of
from ...judges.judged_items import JudgedItem
from ..dry_run import dry_run_output
from ..options import choice_option, combine_options, number_option
from ..printer import Output

if TYPE_CHECKING:
    from ...core.endpoint import CostEstimate
    from ...judges.adapters.llm import LanguageModel

endpoint_options = combine_options(
    click.option(
        "--endpoint", metavar="URL", help="URL of an OpenAI-compatible chat endpoint to use as a judge. Needs --model."
    ),
    click.option("--model", metavar="NAME", help="Name of the model at --endpoint."),
    click.option("--template", metavar="FILE", help="File with the prompt for --endpoint, with {context} and {reply}."),
    click.option("--system-prompt", metavar="FILE", help="File with the system prompt for --endpoint."),
    click.option(
        "--rubric",
        "rubrics",
        multiple=True,
        metavar="FACET|FILE",
        help="Rubric for --endpoint: coherence, naturalness, interest, or a file. Each rubric is a judge; may be repeated.",
    ),
    click.option("--scale", metavar="LOW-HIGH", default="1-5", show_default=True, help="Rating scale for --endpoint."),
    choice_option(
        "--parse",
        ["json", "labelled", "last", "letters", "logprobs"],
        "Method to get a number from the answer.",
    ),
    number_option("--repeats", least=1, default=1, about="Number of requests about each reply."),
    click.option(
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="Parameter of requests, such as max_tokens=200; temperature=none removes it. May be repeated.",
    ),
    number_option("--concurrency", least=1, default=4, about="Maximum number of simultaneous requests."),
    click.option(
        "--cache",
        metavar="DIR",
        help="Cache the answers of the model in this folder, to continue after an interruption.",
    ),
    click.option(
        "--price", metavar="in=X,out=Y", help="Price per million tokens of prompts (in) and of answers (out)."
    ),
    click.option(
        "--max-cost",
        type=click.FloatRange(min=0),
        metavar="X",
        help="Maximum cost; requests that may exceed it are not sent. Needs --price.",
    ),
)


def endpoint_judges(options: Mapping[str, Any]) -> Iterator[tuple[str, Judge]]:
    """Yield the judges at --endpoint: one, or one for each rubric. They share budget and answers.

    Raises:
        DialmeterError: an option needs another option that is missing.
    """
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
    """Return the language models among the judges, for a dry run.

    Raises:
        DialmeterError: no judge is a language model.
    """
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
    """Estimate the calls of the language models among the judges. Nothing is sent.

    Args:
        command: its name without ``dialmeter``.
        units: judge → items that the language model would score.
        judges: all judges, also those that are not language models.
        counts: the amount of input.
        store: a folder with stored scores.

    Raises:
        DialmeterError: no judge is a language model.
    """
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
