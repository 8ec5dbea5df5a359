"""Language models at endpoints: their options, what asking them would cost, and what it has cost."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ...errors import DialmeterError
from ...judges.builtin.dialogue import OverReplies
from ...judges.judge import Judge, identity_of
from ...judges.judged_items import JudgedItem
from ...judges.store import ScoreStore
from ..dry_run import dry_run_output
from ..options import choice_option, combine_options, number_option
from ..printer import Output

if TYPE_CHECKING:
    from ...core.endpoint import CostEstimate
    from ...judges.adapters.llm import LanguageModel

endpoint_options = combine_options(
    click.option("--endpoint", metavar="URL", help="A chat endpoint (OpenAI-compatible) as a judge; needs --model."),
    click.option("--model", metavar="NAME", help="The model that the endpoint is asked for."),
    click.option("--template", metavar="FILE", help="The prompt for the endpoint, with {context} and {reply}."),
    click.option("--system", metavar="FILE", help="The system prompt for the endpoint."),
    click.option(
        "--rubric",
        "rubrics",
        multiple=True,
        metavar="FACET|FILE",
        help="What the endpoint looks at: coherence, naturalness, interest, or a file; each one is a judge. May be repeated.",
    ),
    click.option("--scale", metavar="LOW-HIGH", default="1-5", show_default=True, help="The scale of the endpoint."),
    choice_option(
        "--parse",
        ["json", "labelled", "last", "letters", "logprobs", "digit"],
        "How the endpoint's answer becomes a number; digit is the old name of labelled.",
    ),
    number_option("--repeats", least=1, default=1, about="How often the endpoint is asked about each reply."),
    click.option(
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        help="Of requests, as max_tokens=200; temperature=none sends none. May be repeated.",
    ),
    number_option("--concurrency", least=1, default=4, about="How many requests are under way at most."),
    click.option("--cache", metavar="DIR", help="Keep the endpoint's answers in this folder."),
    click.option("--price", metavar="in=X,out=Y", help="Money per million tokens of prompts and of answers."),
    click.option(
        "--max-cost", type=click.FloatRange(min=0), metavar="X", help="Send nothing that may cost more; needs --price."
    ),
)


def endpoint_judges(options: Mapping[str, Any]) -> Iterator[tuple[str, Judge]]:
    """The judges at --endpoint: one, or one for each rubric, which share budget and answers.

    Raises:
        DialmeterError: an option lacks another one that it needs.
    """
    if bool(options["endpoint"]) != bool(options["model"]):
        raise DialmeterError("--endpoint and --model go together")
    if options["max_cost"] is not None and not options["price"]:
        raise DialmeterError("--max-cost needs --price, as in --price in=0.15,out=0.6")
    if not options["endpoint"]:
        return
    from ...judges.adapters.llm import LanguageModel

    judge = LanguageModel(
        endpoint=options["endpoint"],
        model=options["model"],
        template=options["template"] or "",
        system=options["system"] or "",
        rubric=next(iter(options["rubrics"]), ""),
        scale=options["scale"],
        parse=options["parse"],
        repeats=options["repeats"],
        parameters=json.dumps(dict(map(_parameter, options["parameters"]))),
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


def _parameter(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise DialmeterError(f"--parameter {text!r}: write it like max_tokens=200, or temperature=none")
    if value.strip().lower() == "none":
        return name.strip(), None
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value


def models_of(judges: Mapping[str, Judge]) -> dict[str, LanguageModel]:
    """The judges that are language models at endpoints, or that average over one."""
    inner = {name: judge.inner if isinstance(judge, OverReplies) else judge for name, judge in judges.items()}
    return {name: judge for name, judge in inner.items() if hasattr(judge, "estimate")}  # type: ignore[misc]


def checked_models(judges: Mapping[str, Judge]) -> dict[str, LanguageModel]:
    """The language models that a dry run is about.

    Raises:
        DialmeterError: no judge is one.
    """
    models = models_of(judges)
    if not models:
        raise DialmeterError(
            "--dry-run is about language models; name one with --endpoint and --model, or --judge llm(…)"
        )
    return models


def dry_run(
    command: str,
    units: Mapping[str, Sequence[JudgedItem]],
    judges: Mapping[str, Judge],
    counts: Mapping[str, int],
    store: str | None = None,
) -> Output:
    """What asking the language models would take; nothing is sent.

    Args:
        command: without ``dialmeter``.
        units: what each language model would be asked about.
        judges: all judges; the others ask nobody.
        counts: what the command would work on.
        store: a folder with scores that are known.

    Raises:
        DialmeterError: no judge is a language model.
    """
    found: dict[str, CostEstimate] = {}
    for name, model in checked_models(judges).items():
        known = ScoreStore(store).scores(identity_of(judges[name])) if store else {}
        items = [unit.item for unit in units[name] for key in unit.keys if key not in known]
        judge = judges[name]
        found[name] = model.estimate(*judge.batches(items)) if isinstance(judge, OverReplies) else model.estimate(items)
    return dry_run_output(command, found, counts)


def usage_of(judges: Mapping[str, Judge]) -> list[dict[str, Any]]:
    """What each endpoint was used for; judges that share one are one entry."""
    found: dict[int, dict[str, Any]] = {}
    for name, judge in models_of(judges).items():
        entry = found.setdefault(id(judge.usage), {"model": judge.model, "judges": [], "cost": judge.cost})
        entry["judges"].append(name)
        entry |= {field: getattr(judge.usage, field) for field in judge.usage.__struct_fields__}
    return list(found.values())


def usage_line(used: Mapping[str, Any]) -> str:
    """The use of an endpoint in a line."""
    counts = f"{used['requests']} requests ({used['busy']} refused as too many), {used['answers']} answers, {used['cached']} known before"
    about = "about " if used["estimated"] else ""
    tokens = f"{about}{used['prompt_tokens']} prompt tokens and {used['answer_tokens']} answer tokens"
    cost = "" if used["cost"] is None else f", cost {about}{used['cost']:.4f}"
    return f"{used['model']}: {counts}; {tokens}{cost}"
