"""``dialmeter judge attack``"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from ...core.account import Account, Reason
from ...core.document import make_document
from ...core.lock import Lock
from ...core.output import refuse_replacing, write_file
from ...errors import DialmeterError, one_line
from ...judges.adapters.llm_attack import PREFIX, ReplyWriter
from ...judges.attack_run import attack_corpus
from ...judges.attack_statistics import Attacked, case_account
from ...judges.attacks import chosen
from ...judges.case_files import case_folders, read_published, write_published
from ...judges.cases import Case, pairs
from ...judges.checkpoint import parts_of
from ...judges.language import SYNONYMS, fallbacks, open_language
from ...judges.scorer import SPEAKERS
from ...model import Notice
from ...readers.conversations import open_conversations
from ...views.judge import yield_table
from .. import options as shared
from ..dry_run import dry_run_option, dry_run_output, price_option
from ..printer import EVERY, TEXT, Block, Output, message, refusals
from ..work import work_options
from .attacking import attacked
from .documents import JudgeAttackDocument

light_option = click.option("--light", is_flag=True, help="Use only what comes with dialmeter, whatever is installed.")
_resource_options = shared.stacked(
    click.option("--pipeline", metavar="NAME", help="A spaCy pipeline by name; detected if not given."),
    light_option,
    click.option("--paraphraser", metavar="MODULE:FUNCTION", help="Gives a text in other words (natural-paraphrase)."),
    click.option(
        "--cache", metavar="DIR", help="Keep analyses of utterances here, not in the platform's cache folder."
    ),
    click.option("--no-cache", is_flag=True, help="Keep no analyses between runs."),
)


@shared.command()
@click.argument("corpus")
@click.option(
    "--attack",
    "names",
    multiple=True,
    default=("paper",),
    metavar="A[:VARIANT]",
    help="An attack, one variant of it, paper for the twelve (the default), or all; may be repeated.",
)
@shared.number_option("--cases", least=1, default=100, about="How many of each attack.")
@shared.choice_option("--speaker", SPEAKERS, "Whose replies are attacked; system to test judges of a system alone.")
@shared.seed_option(7)
@click.option(
    "--out", required=True, metavar="FILE", help="The file of cases, JSON lines; a folder with --layout published."
)
@click.option("--pairs", "as_pairs", is_flag=True, help="Write preference pairs (context, chosen, rejected) instead.")
@shared.choice_option("--layout", ["lines", "published"], "JSON lines, or the published folders of files case_N.")
@shared.from_option("CORPUS")
@_resource_options
@dry_run_option
@price_option
@work_options
@shared.resume_option("a run that was interrupted")
@shared.force_option("what is there")
def attack(**options: Any) -> Output:
    """Make adversarial cases from the dialogues of CORPUS.

    An attack changes the last reply of a snippet and says what an ideal judge would do. The same seed gives the same
    cases, whatever the number of workers. A CORPUS that is a folder of published case_N files is not attacked, but read and written anew.
    """
    if options["dry_run"]:
        return _dry_run(options)
    out = Path(options["out"])
    if options["as_pairs"] and options["layout"] == "published":
        raise DialmeterError("--pairs are written as lines; leave out --layout published")
    with Lock(parts_of(out), name=out):
        goes_on = options["resume"] and parts_of(out).exists()
        refuse_replacing(out, force=options["force"] or goes_on)
    if options["format"] is None and case_folders(Path(options["corpus"])):
        cases, notices = read_published(options["corpus"])
        return _read(_write(out, cases, options), notices, options)
    found, counts, notices = _attacked(out, options)
    account = case_account(found.yields, options["cases"])
    resources = sorted({name for case in found.cases for name in case.resources})
    written = f"{counts['written']} lines or files in {one_line(options['out'], 200)}; seed {options['seed']}"
    return Output(
        document=lambda _: make_document(
            JudgeAttackDocument,
            account=account,
            counts=counts,
            warnings=notices,
            seed=options["seed"],
            resources=resources,
            yields=found.yields,
        ),
        parts=[
            Block(replace(yield_table(found.yields), foot=(account.line,)), EVERY),
            Block(f"{written}\nresources: {', '.join(resources) or 'none'}", TEXT),
        ],
        notices=notices,
    )


def _dry_run(options: dict[str, Any]) -> Output:
    """What the attacks that language models write would take, if every answer is accepted."""
    attacks = [attack for attack in chosen(options["names"]) if attack.name.startswith(PREFIX)]
    if not attacks:
        raise DialmeterError("--dry-run is about language models; name an attack like llm(endpoint=…, model=…)")
    counters = {
        f"{attack.name}:{variant.name}": variant.make.count_requests()
        for attack in attacks
        for variant in attack.variants
        if isinstance(variant.make, ReplyWriter)
    }
    talks = list(open_conversations(options["corpus"], options["format"]))
    attack_corpus(
        talks,
        attacks,
        open_language(light=True),
        cases=options["cases"],
        seed=options["seed"],
        speaker=options["speaker"],
    )
    return dry_run_output(
        "judge attack",
        {name: counter.estimate for name, counter in counters.items()},
        {"dialogues": len(talks)},
        who="attack",
        price=options["price"],
        notes=("if the rules accept every answer; a refused one needs another request",),
    )


def _attacked(out: Path, options: dict[str, Any]) -> tuple[Attacked, dict[str, int], list[Notice]]:
    attacks = chosen(options["names"])
    opened = open_conversations(options["corpus"], options["format"])
    talks = list(opened)
    if not talks:
        raise DialmeterError(f"{one_line(options['corpus'], 200)}: no dialogue could be read")
    spoken = sorted({move.speaker for talk in talks for move in talk.moves})
    if options["speaker"] not in ("both", *spoken):
        raise DialmeterError(
            f"--speaker {options['speaker']}: nobody in the corpus is called so; there are {', '.join(map(one_line, spoken))}"
        )
    with attacked(talks, attacks, out, options) as made:
        written = _write(out, made.cases, options)
    counts = {"dialogues": len(talks), "cases": len(made.cases), "written": written}
    light = [] if options["light"] or not any(SYNONYMS in attack.needs for attack in attacks) else fallbacks()
    lighter = [Notice("stand-in", 1, f"{what}; {how}") for what, how in light]
    notices = [*refusals(opened.refused), *opened.notices, *lighter, *made.notices]
    return made, counts, notices


def _write(out: Path, cases: Sequence[Case], options: dict[str, Any]) -> int:
    if options["layout"] == "published":
        return write_published(out, cases)
    rows: Iterable[Any] = list(pairs(cases)) if options["as_pairs"] else cases
    lines = [msgspec.json.encode(row) + b"\n" for row in rows]
    write_file(out, b"".join(lines), force=True)
    return len(lines)


def _read(count: int, notices: list[Notice], options: dict[str, Any]) -> Output:
    """The output for published cases that were read and written again."""
    left = sum(notice.count for notice in notices)
    reasons = tuple(Reason(each.message.partition(": ")[2], each.count, (*each.where, "")[0]) for each in notices)
    account = Account("case", count + left, count + left, count, reasons, "written")
    return Output(
        document=lambda _: make_document(
            JudgeAttackDocument,
            account=account,
            counts={"cases": count, "left_out": left, "written": count},
            warnings=notices,
            seed=None,
            resources=[],
            yields=[],
        ),
        parts=[message(f"{one_line(options['out'], 200)}: {account.line}")],
        notices=notices,
    )
