"""The flow of ``judge attack``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from ...core.document import Document
from ...core.output import Checkpoint, write_file
from ...errors import DialmeterError, one_line
from ...judges.adapters.llm_attack import PREFIX, ReplyWriter
from ...judges.attack_run import (
    Attacked,
    AttackPart,
    AttackSetting,
    AttackTask,
    AttackWork,
    Yield,
    attack_corpus,
    attack_identity,
    case_account,
    resource_names,
)
from ...judges.attacks import Attack, chosen
from ...judges.judge import parse_call
from ...judges.language import SYNONYMS, Resources, fallbacks
from ...judges.language.analysis import cache_folder
from ...judges.scorer import SPEAKERS
from ...model import Conversation, Notice
from ...readers.content import case_folders
from ...readers.conversations import open_conversations
from ...views.judge import yield_table
from ...views.summaries.judge import attack_summary
from .. import options as shared
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..frame import document_output
from ..printer import EVERY, TEXT, TYPED, Block, Output, refusal_notices
from ..work import cluster_from_options, is_local_work, run_shards, work_options, workers_from_options
from .options import refuse_ratings

light_option = shared.option("--light", "Use only resources that are part of dialmeter, even if others are installed.")
_resource_options = shared.combine_options(
    shared.option("--pipeline NAME", "Name of a spaCy pipeline (default: auto-detect)."),
    light_option,
    shared.option("--paraphraser MODULE:FUNCTION", "Function that paraphrases a text, for natural-paraphrase."),
    shared.option(
        "--cache DIR", "Cache analyses of utterances in this folder (default: the cache folder of the platform)."
    ),
    shared.option("--no-cache", "Do not cache analyses between runs."),
    shared.option("--endpoint URL", "URL of an OpenAI-compatible chat endpoint, for attacks of a language model."),
    shared.option("--model NAME", "Name of the model at the endpoint."),
    shared.option("--key-variable NAME", "Environment variable with the API key."),
)


class JudgeAttackDocument(Document, kw_only=True):
    """The yield of attacks on a corpus. The cases are in the file of --out.

    Attributes:
        counts: number of dialogues and cases.
        seed: the random seed.
        resources: pipelines, lexicons and similar resources, with versions.
    """

    command: str = "judge attack"
    seed: int
    resources: list[str]
    yields: list[Yield]


@shared.command()
@click.argument("corpus")
@shared.option(
    "--attack A[:VARIANT]* names",
    "Attack, one of its variants, paper (the twelve of the paper), default (these without co-reference), or all; may be repeated.",
    default=("default",),
    show_default=False,
)
@shared.option("--limit cases", "Number of cases of each attack.", least=1, default=100)
@shared.option(
    "--speaker", "Speaker whose replies are attacked; system to test judges of systems only.", choices=SPEAKERS
)
@shared.seed_option(7)
@shared.option("--out FILE", "Output file for the cases (JSON lines).")
@shared.from_option("CORPUS")
@_resource_options
@dry_run_option
@price_option
@work_options
@shared.force_option
def attack(**options: Any) -> Output:
    """Make adversarial cases from the dialogues of CORPUS.

    An attack changes the last reply of a snippet and declares what an ideal judge would do. The same seed gives the same
    cases for any number of workers.
    """
    refuse_ratings(options["corpus"], "dialogues")
    options["names"] = tuple(_with_endpoint(name, options) for name in options["names"])
    if options["dry_run"]:
        return _dry_run(options)
    if not options["out"]:
        raise DialmeterError(
            f"judge attack writes cases to a file; type: {click.get_current_context().meta[TYPED]} -o attacked.jsonl"
        )
    if case_folders(Path(options["corpus"])):
        raise DialmeterError(
            f"{one_line(options['corpus'], 200)}: holds published cases; write `dialmeter convert {one_line(options['corpus'], 200)} "
            f"{one_line(options['out'], 200)}`"
        )
    attacked, counts, notices = _make_cases(Path(options["out"]), options)
    account = case_account(attacked.yields, options["cases"])
    resources = sorted({name for case in attacked.cases for name in case.resources})
    written = f"{counts['cases']} cases in {one_line(options['out'], 200)}; seed {options['seed']}"
    return document_output(
        JudgeAttackDocument,
        summary=attack_summary(attacked.yields, account, options["out"]),
        parts=[
            Block(replace(yield_table(attacked.yields), foot=(account.line,)), EVERY),
            Block(f"{written}\nresources: {', '.join(resources) or 'none'}", TEXT),
        ],
        notices=notices,
        account=account,
        counts=counts,
        seed=options["seed"],
        resources=resources,
        yields=attacked.yields,
    )


def _dry_run(options: dict[str, Any]) -> Output:
    """Estimate the calls of attacks that use language models, if every answer is accepted."""
    attacks = [attack for attack in chosen(options["names"]) if attack.name.startswith(PREFIX)]
    if not attacks:
        raise DialmeterError(
            "--dry-run estimates calls of language models; give an attack such as llm(endpoint=…, model=…)"
        )
    counters = {
        f"{attack.name}:{variant.name}": variant.make.count_requests()
        for attack in attacks
        for variant in attack.variants
        if isinstance(variant.make, ReplyWriter)
    }
    conversations = list(open_conversations(options["corpus"], options["format"]))
    attack_corpus(
        conversations,
        attacks,
        Resources(light=True).open(),
        cases=options["cases"],
        seed=options["seed"],
        speaker=options["speaker"],
    )
    return dry_run_output(
        "judge attack",
        {name: counter.estimate for name, counter in counters.items()},
        {"dialogues": len(conversations)},
        who="attack",
        price=options["price"],
        notes=("assumes that the rules accept every answer; a rejected answer needs another request",),
    )


def _make_cases(out: Path, options: dict[str, Any]) -> tuple[Attacked, dict[str, int], list[Notice]]:
    """Attack the corpus and write the cases. Until they are written, finished parts are in a file next to the output."""
    checkpoint = Checkpoint(out, AttackPart, "a part", "another corpus or other settings", force=options["force"])
    with closing(checkpoint):
        attacks = chosen(options["names"])
        opened = open_conversations(options["corpus"], options["format"])
        conversations = list(opened)
        if not conversations:
            raise DialmeterError(f"{one_line(options['corpus'], 200)}: no dialogue could be read")
        speakers = sorted({move.speaker for conversation in conversations for move in conversation.moves})
        if options["speaker"] not in ("both", *speakers):
            known = ", ".join(map(one_line, speakers))
            raise DialmeterError(f"speaker={options['speaker']}: no such speaker in the corpus; known: {known}")
        attacked = _attack(conversations, attacks, checkpoint, options)
        write_file(out, b"".join(msgspec.json.encode(case) + b"\n" for case in attacked.cases), force=True)
        checkpoint.remove()
    resources = [] if options["light"] or not any(SYNONYMS in attack.needs for attack in attacks) else fallbacks()
    stand_in_notices = [Notice("stand-in", 1, f"{resource}; {advice}") for resource, advice in resources]
    notices = [*refusal_notices(opened.refused), *opened.notices, *stand_in_notices, *attacked.notices]
    return attacked, {"dialogues": len(conversations), "cases": len(attacked.cases)}, notices


def _with_endpoint(name: str, options: dict[str, Any]) -> str:
    """Return an attack of a language model with the endpoint and the model of this place, if it names none."""
    if parse_call(name).name != "llm":
        return name
    given = parse_call(name).given
    place = {key: options[key] for key in ("endpoint", "model", "key_variable") if options[key] and key not in given}
    return f"llm({', '.join(f'{key}={value!r}' for key, value in {**place, **given}.items())})"


def _attack(
    conversations: Sequence[Conversation],
    attacks: Sequence[Attack],
    checkpoint: Checkpoint[AttackPart],
    options: dict[str, Any],
) -> Attacked:
    # A language model is called from this process, because workers would not share its limits and its cache.
    uses_model = any(attack.name.startswith(PREFIX) for attack in attacks)
    is_local = uses_model or is_local_work(options, [options["corpus"]], len(conversations))
    is_cached = not (options["no_cache"] or options["light"])
    folder = os.path.abspath(options["cache"] or cache_folder()) if is_cached else None
    resources = Resources(options["pipeline"], options["light"], folder, options["paraphraser"] or "")
    language = resources.open()
    names = resource_names(language)
    settings = (Path(options["corpus"]).name, options["seed"], options["cases"], options["speaker"])
    identity = attack_identity(conversations, *settings, *options["names"], options["paraphraser"], names)
    return attack_corpus(
        conversations,
        attacks,
        language,
        cases=options["cases"],
        seed=options["seed"],
        corpus=Path(options["corpus"]).name,
        speaker=options["speaker"],
        working=None if is_local else partial(_attack_elsewhere, options=options, resources=resources, names=names),
        done=checkpoint.resume(identity),
        save=checkpoint.add,
    )


def _attack_elsewhere(
    setting: AttackSetting,
    tasks: Sequence[AttackTask],
    options: dict[str, Any],
    resources: Resources,
    names: tuple[str, ...],
) -> Iterable[AttackPart]:
    if cluster_from_options(options) is not None:
        # A database in a home folder that several machines share may break. Use a folder only if --cache names it.
        resources = replace(resources, cache=resources.cache if options["cache"] else None)
    work = AttackWork(tuple(options["names"]), resources, names, setting)
    worker_options = {**options, "workers": workers_from_options(options, [options["corpus"]])}
    return run_shards(work, tasks, worker_options, ())
