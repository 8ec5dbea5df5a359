"""``dialmeter judge attack``"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from ...core.account import Account, Reason
from ...core.lock import Lock
from ...core.output import refuse_replacing, write_file
from ...errors import DialmeterError, one_line
from ...judges.attack_statistics import Attacked, made_of
from ...judges.attacks import chosen
from ...judges.case_files import case_folders, read_published, write_published
from ...judges.cases import Case, pairs
from ...judges.checkpoint import parts_of
from ...judges.language import SYNONYMS, stand_ins
from ...model import Notice
from ...readers.conversations import open_conversations
from ...views.judge import plain_yields, yield_table
from ...views.tables import render
from ..option_kinds import choice_option, max_bytes_option, number_option
from ..options import quiet_option, stacked, style_options
from ..say import document, print_json, refusals, warn
from ..work import work_options
from .attacking import attacked

_resource_options = stacked(
    click.option("--pipeline", metavar="NAME", help="A spaCy pipeline by name; found where it is not named."),
    click.option("--light", is_flag=True, help="Use only what comes with dialmeter, whatever is installed."),
    click.option("--paraphraser", metavar="MODULE:FUNCTION", help="Gives a text in other words (natural-paraphrase)."),
    click.option(
        "--cache", metavar="DIR", help="Keep analyses of utterances here, not in the platform's cache folder."
    ),
    click.option("--no-cache", is_flag=True, help="Keep no analyses between runs."),
)


@click.command()
@click.argument("corpus")
@click.option(
    "--attack",
    "names",
    multiple=True,
    default=("paper",),
    metavar="A[:VARIANT]",
    help="An attack, one variant of it, paper for the twelve (the default), or all; may be repeated.",
)
@number_option("--cases", least=1, default=100, about="How many of each attack.")
@number_option("--seed", least=0, default=7, about="The seed of all random choices.")
@click.option(
    "--out", required=True, metavar="FILE", help="The file of cases, JSON lines; a folder with --layout published."
)
@click.option("--pairs", "as_pairs", is_flag=True, help="Write preference pairs (context, chosen, rejected) instead.")
@choice_option("--layout", ["lines", "published"], "JSON lines, or the published folders of files case_N.")
@click.option("--from", "form", metavar="LAYOUT", help="The layout of CORPUS; found where it is not named.")
@_resource_options
@work_options
@click.option("--resume", is_flag=True, help="Go on with a run that was interrupted.")
@click.option("--force", is_flag=True, help="Replace what is there.")
@style_options
@max_bytes_option
@quiet_option
def attack(**options: Any) -> None:
    """Make adversarial cases from the dialogues of CORPUS.

    An attack changes the last reply of a snippet and says what an ideal judge would do. The same seed gives the same
    cases, whatever the number of workers. A CORPUS that is a folder of published case_N files is not attacked, but read and written anew.
    """
    out = Path(options["out"])
    if options["as_pairs"] and options["layout"] == "published":
        raise DialmeterError("--pairs are written as lines; leave out --layout published")
    with Lock(parts_of(out), name=out):
        goes_on = options["resume"] and parts_of(out).exists()
        refuse_replacing(out, force=options["force"] or goes_on)
    if options["form"] is None and case_folders(Path(options["corpus"])):
        cases, notices = read_published(options["corpus"])
        count = _write(out, cases, options)
        warn(notices, options["quiet"])
        _print_read(count, notices, options)
        return
    found, counts, notices = _attacked(out, options)
    warn(notices, options["quiet"])
    _print(found, counts, notices, options)


def _attacked(out: Path, options: dict[str, Any]) -> tuple[Attacked, dict[str, int], list[Notice]]:
    attacks = chosen(options["names"])
    opened = open_conversations(options["corpus"], options["form"])
    talks = list(opened)
    if not talks:
        raise DialmeterError(f"{one_line(options['corpus'], 200)}: no dialogue could be read")
    with attacked(talks, attacks, out, options) as made:
        written = _write(out, made.cases, options)
    counts = {"dialogues": len(talks), "cases": len(made.cases), "written": written}
    light = [] if options["light"] or not any(SYNONYMS in attack.needs for attack in attacks) else stand_ins()
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


def _print(found: Attacked, counts: dict[str, int], notices: list[Notice], options: dict[str, Any]) -> None:
    style = options["style"]
    account = made_of(found.yields, options["cases"])
    resources = sorted({name for case in found.cases for name in case.resources})
    if style == "json":
        more = {"account": account.plain(), "seed": options["seed"], "resources": resources}
        more["yields"] = plain_yields(found.yields)
        print_json(document("judge", "judge attack", [], counts=counts, warnings=notices, **more))
        return
    click.echo(render(replace(yield_table(found.yields), foot=(account.line,)), style))
    if style == "text":
        click.echo(f"\n{counts['written']} lines or files in {one_line(options['out'], 200)}; seed {options['seed']}")
        click.echo(f"resources: {', '.join(resources) or 'none'}")


def _print_read(count: int, notices: list[Notice], options: dict[str, Any]) -> None:
    left = sum(notice.count for notice in notices)
    reasons = tuple(Reason(each.message.partition(": ")[2], each.count, (*each.where, "")[0]) for each in notices)
    account = Account("case", count + left, count + left, count, reasons, "written")
    if options["style"] == "json":
        counts = {"cases": count, "left_out": left, "written": count}
        print_json(
            document(
                "judge",
                "judge attack",
                [],
                account=account.plain(),
                counts=counts,
                warnings=notices,
                seed=None,
                resources=[],
                yields=[],
            )
        )
    else:
        click.echo(f"{one_line(options['out'], 200)}: {account.line}")
