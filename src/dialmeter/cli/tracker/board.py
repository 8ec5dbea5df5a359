"""``dialmeter tracker board``"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ...core.comparison import Resampling
from ...core.document import make_document
from ...core.result import score_dict
from ...errors import DialmeterError, one_line
from ...measure import parse
from ...studies.board import Board, BoardEntry, BoardManifest, BoardSettings, make_board, read_manifest
from ...views import boards as views
from .. import options as shared
from ..printer import CSV, PROSE, TEXT, Block, Output, signature_blocks, table_blocks
from ..progress import track_count
from ..several import match_gold_files, name_files
from .study_documents import TrackerBoardDocument


@shared.command("board")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--out", required=True, metavar="DIR", help="Output folder for index.html and board.md.")
@shared.source_options("the files", several=True, names="Name of a system; give one for each file.")
@shared.schema_option
@click.option("--common", is_flag=True, help="Score only the dialogues that are complete in all files of a board.")
@click.option("--title", default="", help="Title of the page.")
@shared.measure_option
@shared.rule_options
@shared.interval_options(resamples=10_000)
@shared.force_option
@shared.paper_options
def board_(**options: Any) -> Output:
    """Make a leaderboard of trackers: scores with intervals, groups of systems that do not differ, and ranks under every rule set
    and value map.

    A FILE is a prediction file, the folder of a run, or a manifest (.toml). Each manifest makes one board, and all other files
    together make another board. All systems of a board must have the same gold and the same dialogues.
    """
    views.check_folder(options["out"], force=options["force"])
    settings = BoardSettings(
        measures=tuple(repr(parse(each)) for each in options["measures"]),
        rules=shared.rules_from_options(options),
        resampling=shared.resampling_from_options(options) or Resampling(),
        common=options["common"],
    )
    boards = [
        make_board(each, settings, lambda systems: track_count(systems, len(systems), "scoring", options["quiet"]))
        for each in _manifests(options)
    ]
    title = options["title"] or "Board of trackers"
    written = views.write_boards(options["out"], title, boards, force=options["force"])
    return Output(
        document=lambda _: _document(boards, written),
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


def _document(boards: Sequence[Board], written: list[str]) -> TrackerBoardDocument:
    return make_document(
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
        warnings=[notice for board in boards for notice in board.notices],
        boards=[
            {
                **{name: getattr(board, name) for name in ("title", "dialogues", "turns", "gold", "confidence")},
                "systems": board.rows,
                "ranks": board.ranks,
                "versus": board.versus,
            }
            for board in boards
        ],
        files=written,
    )
