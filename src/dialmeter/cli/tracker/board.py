"""``dialmeter tracker board``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from msgspec import Struct, field

from ...core.comparison import PairedDifference, Resampling
from ...core.document import Count, Document, Number, SignedScore
from ...core.result import score_dict
from ...errors import DialmeterError, one_line
from ...measure import parse
from ...studies.board import Board, BoardEntry, BoardManifest, BoardSettings, RuleRanks, make_board, read_manifest
from ...tracking.diagnosis.suspicions import Finding
from ...views import boards as views
from .. import options as shared
from ..frame import document_output, match_gold_files, name_files
from ..printer import CSV, PROSE, TEXT, Block, Output, signature_blocks, table_blocks
from ..progress import track_count
from . import inputs


class BoardScore(SignedScore, kw_only=True):
    """A score of a system on a board.

    Attributes:
        letters: systems of the board that share a letter under the measure do not differ significantly; empty without a test.
    """

    board: str
    letters: str


class BoardSystemRecord(Struct, kw_only=True):
    """A system of a board.

    Attributes:
        file: the name of its file, without folders.
        best_rank: the best rank under all measures, rule sets and maps; null for a system that is not ranked.
        given_gold: the share of turns that equal gold, if gold states were given to the system; null for other systems.
    """

    system: str
    file: str
    sha256: str
    format: str
    source: str
    licence: str
    date: str
    best_rank: Count | None
    worst_rank: Count | None
    diagnosis: list[Finding]
    given_gold: Number


class BoardRecord(Struct, kw_only=True):
    """A board.

    Attributes:
        rows: sorted by the first measure, best first; systems that are not ranked are last.
        gold: the digest of gold, the same in every format.
        ranks: the ranks under every measure of the board, then under every rule set and value map.
        versus: the paired tests of all pairs of systems.
    """

    title: str
    dialogues: Count
    turns: Count
    gold: str
    confidence: float
    rows: list[BoardSystemRecord] = field(name="systems")
    ranks: list[RuleRanks]
    versus: list[PairedDifference]


class TrackerBoardDocument(Document, kw_only=True):
    """Boards of trackers, one for each gold. Values are fractions.

    Attributes:
        files: the files written to the folder of --out.
    """

    command: str = "tracker board"
    scores: list[BoardScore]
    boards: list[BoardRecord]
    files: list[str]


@shared.command("board")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@shared.option("--out DIR", "Output folder for index.html and board.md.", required=True)
@shared.source_options("the files", several=True, names="Name of a system; give one for each file.")
@inputs.schema_option
@shared.option("--only FILE|common", "Score only the dialogues that are complete in all files of a board.")
@shared.option("--title", "Title of the page.", default="")
@shared.measure_option
@inputs.rule_options
@shared.interval_options(resamples=10_000)
@shared.force_option
@shared.latex_option
def board_(**options: Any) -> Output:
    """Make a leaderboard of trackers: scores with intervals, groups of systems that do not differ, and ranks under every rule set
    and value map.

    A FILE is a prediction file, the folder of a run, or a manifest (.toml). Each manifest makes one board, and all other files
    together make another board. All systems of a board must have the same gold and the same dialogues.
    """
    views.check_folder(options["out"], force=options["force"])
    settings = BoardSettings(
        measures=tuple(repr(parse(each)) for each in options["measures"]),
        rules=inputs.rules_from_options(options),
        resampling=options["resampling"] or Resampling(),
        common=options["only"] == "common",
    )
    boards = [
        make_board(each, settings, lambda systems: track_count(systems, len(systems), "scoring", options["quiet"]))
        for each in _manifests(options)
    ]
    title = options["title"] or "Board of trackers"
    written = views.write_boards(options["out"], title, boards, force=options["force"])
    return document_output(
        TrackerBoardDocument,
        scores=[
            {
                **score_dict(score),
                "board": board.title,
                "system": row.system,
                "letters": row.letters.get(score.measure, ""),
            }
            for board in boards
            for row in board.rows
            for score in row.scores
        ],
        counts={"boards": len(boards), "systems": sum(len(board.rows) for board in boards)},
        boards=boards,
        files=written,
        parts=_parts(boards),
        notices=[notice for board in boards for notice in board.notices],
        remarks=[f"board: {one_line(str(Path(options['out'], name)), 200)}" for name in written],
    )


def _manifests(options: dict[str, Any]) -> list[BoardManifest]:
    """Return the manifests, and one manifest for all other files."""
    manifests = [read_manifest(file) for file in options["files"] if file.endswith(".toml")]
    files = [file for file in options["files"] if not file.endswith(".toml")]
    if not files:
        for name, option in (
            ("gold", "--gold"),
            ("names", "--name"),
            ("format", "--from"),
            ("gold_format", "--gold-from"),
            ("schema", "--schema"),
        ):
            if options[name]:
                raise DialmeterError(
                    f"{option} needs prediction files; for the rows of a manifest, set it in the manifest"
                )
        return manifests
    rows = [
        BoardEntry(
            system=name,
            file=file,
            gold=gold or "",
            format=options["format"] or "",
            gold_format=options["gold_format"] or "",
        )
        for file, gold, name in zip(
            files, match_gold_files(files, options["gold"]), name_files(files, options["names"], "systems"), strict=True
        )
    ]
    return [*manifests, BoardManifest(title="Trackers", schema=options["schema"] or "", row=rows)]


def _parts(boards: Sequence[Board]) -> Iterator[Block]:
    yield Block(views.score_rows(boards), CSV)
    for board in boards:
        yield Block(f"{one_line(board.title, 200)}: {views.facts(board)}", PROSE)
        yield Block(views.score_board(board))
        yield Block("\n".join(views.notes(board)), TEXT)
        yield from table_blocks(views.rank_boards(board))
        yield from table_blocks([views.diagnosis_board(board)])
        yield Block("\n".join([views.no_findings_note(board), *views.unranked_notes(board)]), TEXT)
        yield from table_blocks([views.source_board(board)])
        yield from signature_blocks(board.signature)
