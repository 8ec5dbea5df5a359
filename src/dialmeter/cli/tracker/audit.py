"""``dialmeter study audit`` of trackers"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
from msgspec import UNSET, UnsetType

from ...core.document import Count, Document, SignedScore, Text
from ...core.open_runs import is_run
from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...studies.audit.audit import SHEET, GoldAudit, Reliability, audit_gold, read_sheets, sheet_rows
from ...studies.audit.candidates import Candidate
from ...studies.audit.trackers import read_trackers, read_utterances
from ...views import audit as views
from ...views.summaries.studies import audit_summary, patch_summary
from ...views.tables import signature_of
from .. import options as shared
from ..frame import document_output, name_files, scores_and_accounts
from ..printer import CSV, TEXT, Block, Output, message_block, signature_blocks, table_blocks, typed_command
from ..sheets import make_sheet_option, sheet_option, write_sheet
from ..study import study_options
from . import inputs


class TrackerAuditDocument(Document, kw_only=True):
    """Likely errors of gold, the strongest first. With --sheet: the verdicts of annotators, and the digest of the patch.

    Attributes:
        scores: the scores of every tracker on the unchanged gold.
        trackers: the reliability of each tracker, which weights its votes.
        kinds: number of candidates of each kind, unlisted ones included.
        verdicts: with --sheet, number of candidates by verdict.
        patch: with --sheet, the digest that signatures show.
    """

    kind: str = "tracker"
    command: str = "study audit"
    scores: list[SignedScore]
    trackers: list[Reliability] | UnsetType = UNSET
    kinds: dict[str, Count] | UnsetType = UNSET
    candidates: list[Candidate] | UnsetType = UNSET
    verdicts: dict[str, Count] | UnsetType = UNSET
    patch: Text | UnsetType = UNSET


@shared.command("audit")
@click.argument("files", nargs=-1, metavar="GOLD PRED... | RUN...")
@shared.option("--name NAME* names", "Name of a tracker; give one for each tracker.")
@shared.option("--only FILE|common", "Use only these dialogues: a file of ids, or those that all files have.")
@shared.option("--text FILE talk", "File with the utterances, if GOLD and PRED have none.")
@shared.option(
    "--candidates limit",
    "Maximum number of candidates. Candidates that tie with the last one are included.",
    least=1,
    default=100,
)
@shared.option("--limit examples", "Number of candidates to print.", least=0, default=8)
@make_sheet_option
@shared.from_option("predictions")
@inputs.rule_options
@shared.latex_option
@study_options
def audit_(**options: Any) -> Output:
    """Find values of GOLD that are likely errors. Trackers vote: give the files PRED with their predictions, or their runs.

    Candidates are ranked by the weighted votes against gold. Write a sheet with `--make-sheet FILE`. After annotators have filled
    it, make a patch with `dialmeter study audit --sheet FILE -o PATCH`. All commands on trackers take it with --set patch=PATCH.
    """
    rules = inputs.rules_from_options(options)
    gold, files = _inputs(options)
    trackers = read_trackers(
        gold,
        files,
        rules,
        gold_format=options["gold_format"],
        format=options["format"],
        common=options["only"] == "common",
    )
    utterances = trackers.utterances()
    if options["talk"]:
        read = read_utterances(options["talk"])
        utterances = {key: said for key, said in read if key in trackers.names} | utterances
    audit = audit_gold(trackers, utterances, options["limit"])
    if options["sheet"]:
        write_sheet(SHEET, sheet_rows(audit), options)
    voting = audit.trackers.trackers
    return document_output(
        TrackerAuditDocument,
        summary=audit_summary(audit, options["examples"], options["sheet"], typed_command()),
        parts=_parts(audit, gold, options),
        notices=audit.notices,
        **scores_and_accounts({each.name: each.result for each in voting}),
        counts={
            "systems": len(voting),
            "voters": len(audit.trackers.voters),
            "dialogues": voting[0].result.dialogues,
            "turns": voting[0].result.turns,
            "mentions": audit.mentions,
            "candidates": audit.found,
        },
        trackers=audit.reliability,
        kinds=audit.kinds,
        candidates=audit.ranked,
    )


def _inputs(options: dict[str, Any]) -> tuple[str | None, dict[str, str]]:
    """Return the gold file, if there is one, and the trackers by name."""
    files = options["files"]
    runs = bool(files) and all(map(is_run, files))
    if len(files) < (1 if runs else 2):
        raise DialmeterError("give GOLD and at least one prediction file, or at least one run")
    gold, preds = (None, files) if runs else (files[0], files[1:])
    if len(set(preds)) < len(preds):
        twice = next(path for path in preds if preds.count(path) > 1)
        raise DialmeterError(f"{one_line(twice, 200)} is given twice; give each tracker once")
    return gold, dict(zip(name_files(preds, options["names"][-len(preds) :], "trackers"), preds, strict=True))


@shared.command("audit")
@click.argument("files", nargs=-1)
@sheet_option
@shared.option("--out FILE", "Write the patch of gold to this file.")
@shared.force_option
def patch(**options: Any) -> Output:
    """Make a patch of gold from filled sheets."""
    if options["files"]:
        raise DialmeterError(
            f"filled sheets are read without other files; leave out {one_line(options['files'][0], 200)}"
        )
    if not options["out"]:
        raise DialmeterError("--sheet needs -o FILE for the patch of gold")
    answers = read_sheets(options["sheets"])
    write_file(options["out"], answers.patch.encoded(), force=options["force"])
    corrections = len(answers.patch.corrections)
    summary = patch_summary(options["out"], answers)
    return document_output(
        TrackerAuditDocument,
        summary=summary,
        parts=[message_block(summary.verdict)],
        scores=[],
        counts={"sheets": len(options["sheets"]), "candidates": answers.candidates, "corrections": corrections},
        verdicts=answers.verdicts,
        patch=answers.patch.digest,
    )


def _parts(audit: GoldAudit, gold: str | None, options: dict[str, Any]) -> Iterator[Block]:
    first = audit.trackers.trackers[0].result
    heading = [one_line(gold, 200) if gold else "gold of the runs", f"{first.dialogues} dialogues"]
    heading += [
        f"{audit.mentions} values",
        f"{len(audit.trackers.voters)} of {len(audit.trackers.trackers)} trackers vote",
    ]
    yield Block("  ".join([*heading, f"rules {first.rules.name}"]), TEXT)
    yield from table_blocks([views.reliability_table(audit)])
    if audit.ranked:
        yield from table_blocks(views.candidate_tables(audit, options["limit"]))
    yield Block(views.candidate_records(audit), CSV)
    for each in audit.ranked[: options["examples"]]:
        yield Block("\n".join(views.candidate_lines(audit, each)), TEXT)
    if not audit.ranked:
        yield message_block("no candidates")
    yield from signature_blocks(
        signature_of([score for each in audit.trackers.trackers for score in each.result.scores])
    )
