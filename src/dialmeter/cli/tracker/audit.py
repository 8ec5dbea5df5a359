"""``dialmeter tracker audit``"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from ...core.document import Count, Document, Number, SignedScore, Text
from ...core.output import write_file
from ...errors import DialmeterError, one_line
from ...studies.audit.audit import SHEET, GoldAudit, Reliability, audit_gold, read_sheets, sheet_rows
from ...studies.audit.candidates import Candidate, Kind, Vote
from ...studies.audit.trackers import is_run, read_trackers, read_utterances
from ...tracking.gold_patch import Correction
from ...views import audit as views
from ...views.html_env import form_page
from ...views.tables import signature_of
from .. import options as shared
from ..frame import document_output, name_files, scores_and_accounts
from ..printer import CSV, TEXT, Block, Output, message_block, signature_blocks, table_blocks
from ..progress import track_reading
from . import inputs


class CandidateRecord(Struct, kw_only=True):
    """A likely error of gold.

    Attributes:
        rank: 1 is the strongest; candidates of equal strength share the first rank of their group.
        tied: number of candidates that share the rank, this one included.
        turn: the first turn that a correction would change.
        gold: null is no value.
        proposed: null is no value.
        strength: the weight of the votes against gold minus the weight of the votes for it.
        votes: tracker → its values of the slots in question; an empty string is no value.
        talk: turn, speaker and text of the utterances of the turn and of the turn before, if the files have them.
        same_words: number of other dialogues in which the user says the value and talks about its domain, and number of these in
            which gold has the value (annotated); null if the user does not say the value.
        corrected: the score of each tracker if this candidate alone were corrected.
    """

    rank: Count
    tied: Count
    kind: Kind
    dialogue: str
    turn: Count
    slot: str
    gold: str | None
    proposed_slot: str
    proposed: str | None
    strength: float
    corrections: list[Correction]
    votes: dict[str, list[Vote]]
    talk: list[dict[str, str | Count]]
    same_words: dict[str, Count] | None
    corrected: list[dict[str, str | Number]]


class TrackerAuditDocument(Document, kw_only=True):
    """Likely errors of gold, the strongest first. With --read-sheets: the verdicts of annotators, and the digest of the patch.

    Attributes:
        scores: the scores of every tracker on the unchanged gold.
        trackers: the reliability of each tracker, which weights its votes.
        kinds: number of candidates of each kind, unlisted ones included.
        verdicts: with --read-sheets, number of candidates by verdict.
        patch: with --read-sheets, the digest that signatures show.
    """

    kind: str = "tracker"
    command: str = "study audit"
    scores: list[SignedScore]
    trackers: list[Reliability] | UnsetType = UNSET
    kinds: dict[str, Count] | UnsetType = UNSET
    candidates: list[CandidateRecord] | UnsetType = UNSET
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
@shared.option(
    "--limit examples", "Number of candidates to print with utterances, votes and scores.", least=0, default=3
)
@shared.make_sheet_option
@shared.sheet_option
@shared.option("--out FILE", "With --read-sheets: write the patch of gold to this file.")
@shared.force_option
@shared.from_option("predictions")
@shared.columns_option
@inputs.rule_options
def audit_(**options: Any) -> Output:
    """Find values of GOLD that are likely errors. Trackers vote: give the files PRED with their predictions, or their runs.

    Candidates are ranked by the weighted votes against gold. First write a sheet with `--make-sheets FILE`. After
    annotators have filled it, make a patch with `--read-sheets FILE --out PATCH`. All commands on trackers take the patch with
    --patch.
    """
    rules = inputs.rules_from_options(options)
    if options["sheets"]:
        return _patch_from_sheets(options)
    if options["out"]:
        raise DialmeterError("--out needs --read-sheets; --make-sheets writes the sheet")
    gold, files = _inputs(options)
    trackers = read_trackers(
        gold,
        files,
        rules,
        gold_format=options["gold_format"],
        format=options["format"],
        common=options["only"] == "common",
        progress=lambda dialogues, corpus: track_reading(dialogues, corpus, options["quiet"]),
    )
    utterances = trackers.utterances()
    if options["talk"]:
        read = read_utterances(options["talk"])
        utterances = {key: said for key, said in read if key in trackers.names} | utterances
    audit = audit_gold(trackers, utterances, options["limit"])
    if options["sheet"]:
        rows = sheet_rows(audit)
        is_page = Path(options["sheet"]).suffix in (".html", ".htm")
        text = form_page(SHEET, rows) if is_page else SHEET.text(rows)
        write_file(options["sheet"], text, force=options["force"])
    voting = audit.trackers.trackers
    return document_output(
        TrackerAuditDocument,
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
        candidates=[_candidate(audit, each) for each in audit.ranked],
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
    return gold, dict(zip(name_files(preds, options["names"], "trackers"), preds, strict=True))


def _patch_from_sheets(options: dict[str, Any]) -> Output:
    """Make a patch from filled sheets."""
    if options["files"] or options["sheet"]:
        raise DialmeterError("--sheet cannot be combined with files or --make-sheet")
    if not options["out"]:
        raise DialmeterError("--sheet needs --out FILE for the patch")
    answers = read_sheets(options["sheets"])
    patch = answers.patch
    write_file(options["out"], patch.encoded(), force=options["force"])
    count = len(patch.corrections)
    counts = {"sheets": len(options["sheets"]), "candidates": answers.candidates, "corrections": count}
    verdicts = ", ".join(f"{count} {word}" for word, count in answers.verdicts.items())
    summary = (
        f"{one_line(options['out'], 200)}: {count} correction{'s' * (count != 1)}, digest {patch.digest}",
        f"{answers.candidates} candidates: {verdicts}",
    )
    return document_output(
        TrackerAuditDocument,
        parts=[] if options["quiet"] else [message_block("\n".join(summary))],
        scores=[],
        counts=counts,
        verdicts=answers.verdicts,
        patch=patch.digest,
    )


def _candidate(audit: GoldAudit, candidate: Candidate) -> dict[str, Any]:
    around, words = views.utterances_around(audit, candidate), candidate.same_words
    return {
        **asdict(candidate),
        "talk": [{"turn": turn, "speaker": who, "text": text} for turn, who, text in around],
        "same_words": None if words is None else words._asdict(),
        "corrected": [
            {"system": name, "measure": measure, "value": value}
            for name, scores in candidate.corrected.items()
            for measure, value in scores.items()
        ],
    }


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
        yield from table_blocks([views.kinds_table(audit), views.candidate_table(audit, options["limit"])])
    yield Block(views.candidate_records(audit), CSV)
    for each in audit.ranked[: options["examples"]]:
        yield Block("\n".join(views.candidate_lines(audit, each)), TEXT)
    if not audit.ranked:
        yield message_block("no candidates")
    if options["sheet"]:
        yield Block(
            f"{len(audit.ranked)} candidate{'' if len(audit.ranked) == 1 else 's'} in {one_line(options['sheet'], 200)}",
            TEXT,
        )
    yield from signature_blocks(
        signature_of([score for each in audit.trackers.trackers for score in each.result.scores])
    )
