"""Boards of judges and of trackers: tables for every style, static pages, and a Markdown page of trackers with the same content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core.output import new_folder
from ..errors import DialmeterError, one_line
from ..studies.board import Board, BoardRow, RuleRanks
from ..tracking.diagnosis.suspicions import Finding
from .compare import holm_note
from .content import Code, Paragraph, Section, Warnings, plain_sections
from .html import board_page
from .tables import Table, percent, records_table, score_records, table_of, with_interval

PAGE, MARKDOWN = "index.html", "board.md"
GIVEN_GOLD = "given gold states"
_DIGITS = 12
_KINDS = {
    "news": "states hold only the new slots of a turn",
    "ids": "only some ids match",
    "never-predicted": "slots are never predicted",
    "slot-name": "a slot has another name",
    "slot": "a slot rarely agrees with gold",
    "pair": "one value is often predicted as another",
}


def score_board(board: Board) -> Table:
    """Return one row per system: every measure with its interval and letters, and the range of its ranks."""
    rows, marks = [], {}
    for place, row in enumerate(board.rows):
        name = f"{row.system} ({GIVEN_GOLD})" if row.given_gold is not None else row.system
        rows.append((name, *(with_interval(score.value, score.ci) for score in row.scores), _rank_range(row)))
        for column, measure in enumerate(board.measures, 1):
            if row.letters.get(measure):
                marks[place, column] = row.letters[measure]
    headings = ("system", *board.measures, "ranks")
    return Table(
        "scores in percent with intervals and letters of groups",
        headings,
        tuple(rows),
        frozenset(range(1, len(headings))),
        marks,
    )


def _rank_range(row: BoardRow) -> str:
    if row.best_rank is None or row.worst_rank is None:
        return "–"
    return str(row.best_rank) if row.best_rank == row.worst_rank else f"{row.best_rank} to {row.worst_rank}"


def rank_boards(board: Board) -> list[Table]:
    """Return ranks and values of every system: by the measures of the board, then by every rule set, one table per value map."""
    count = len(board.measures)
    own, others = board.ranks[:count], [each for each in board.ranks[count:] if not each.reason]
    tables = [_rank_table("ranks under every measure", board, [each.measure for each in own], own)]
    for name in dict.fromkeys(each.map for each in others):
        ranks = [each for each in others if each.map == name]
        headings = [each.rules if each.measure == "JGA" else f"{each.rules} ({each.measure})" for each in ranks]
        map_words = f"with the value map {Path(name).name}" if name else "without a value map"
        tables.append(_rank_table(f"ranks by JGA under every rule set, {map_words}", board, headings, ranks))
    return tables


def _rank_table(title: str, board: Board, headings: Sequence[str], ranks: Sequence[RuleRanks]) -> Table:
    rows = tuple(
        (row.system, *(_rank_cell(each.ranks[row.system], each.values[row.system]) for each in ranks))
        for row in board.rows
    )
    return Table(title, ("system", *headings), rows, frozenset(range(1, 1 + len(headings))))


def unranked_notes(board: Board) -> list[str]:
    """Return a line for each rule set under which systems are not ranked, with the reason."""
    if len(board.ranks) == len(board.measures):
        return ["No ranks under other rule sets: a run stores its states after its own rules were applied."]
    maps_by_reason: dict[tuple[str, str], list[str]] = {}
    for each in board.ranks:
        if each.reason:
            maps_by_reason.setdefault((each.rules, each.reason), []).append(each.map or "none")
    return [
        f"No ranks under {rules} (map {', '.join(maps)}): {reason}." for (rules, reason), maps in maps_by_reason.items()
    ]


def _rank_cell(rank: int | None, value: float | None) -> str:
    return f"{'–' if rank is None else rank} ({percent(value)})" if value is not None else "–"


def diagnosis_board(board: Board) -> Table:
    """Return likely problems of each system's file, as opposed to errors of the tracker; no values of the files are shown."""
    rows = tuple((row.system, *_finding_cells(finding)) for row in board.rows for finding in row.diagnosis)
    headings = ("system", "finding", "slots", "turns", "points of JGA", "fixed by")
    return Table("Diagnosis of each file", headings, rows, frozenset({3, 4}))


def no_findings_note(board: Board) -> str:
    """Return a line with the systems whose files have no findings."""
    names = [row.system for row in board.rows if not row.diagnosis]
    return (
        f"The diagnosis has no findings for: {', '.join(names)}."
        if names
        else "The diagnosis has findings for every file."
    )


def _finding_cells(finding: Finding) -> tuple[str, ...]:
    points = "not scored again" if finding.points is None else f"{finding.points:+.2f}"
    # A proposed map would show values of the file.
    option = "--set map=FILE" if finding.option.startswith("--set map=FILE") else finding.option
    slots = ", ".join(one_line(slot) for slot in finding.slots[:3]) + (", …" if len(finding.slots) > 3 else "")
    return (_KINDS[finding.kind], slots, str(finding.turns), points, one_line(option, 200))


def source_board(board: Board) -> Table:
    """Return the source of each system's file."""
    return table_of(
        "The file of each system",
        board.rows,
        "<system",
        ("date", lambda each: each.date or "–"),
        ("<source", lambda each: each.source or "–"),
        ("<licence", lambda each: each.licence or "–"),
        "<file | <format",
        ("<SHA-256 begins", lambda each: each.sha256[:_DIGITS]),
    )


def score_rows(boards: Sequence[Board]) -> Table:
    """Return a machine-readable table with one row per score."""
    scores = [
        ({"board": board.title, "system": row.system, "letters": row.letters.get(score.measure, "")}, score)
        for board in boards
        for row in board.rows
        for score in row.scores
    ]
    return records_table(score_records(scores))


def notes(board: Board) -> list[str]:
    """Return notes on how to read the tables of a board."""
    confidence = f"{100 * board.confidence:g}"
    lines = [
        f"Intervals of {confidence} % by resampling dialogues. Ranks: the best and the worst rank of a system in the table of ranks."
    ]
    if any(row.letters for row in board.rows):
        lines.append(
            "Systems that share a letter in a column do not differ significantly there (paired randomisation test, "
            f"p < {1 - board.confidence:.2g}; {holm_note(board.versus)})."
        )
    else:
        lines.append("There are no letters, because no pair of systems was tested.")
    lines += [
        f"{row.system} was {GIVEN_GOLD}: its states equal gold at {percent(row.given_gold)} % of turns, outside slots that it never "
        "predicts. It is neither ranked nor tested."
        for row in board.rows
        if row.given_gold is not None
    ]
    return lines


def facts(board: Board) -> str:
    """Return the numbers of systems, dialogues and turns."""
    count = len(board.rows)
    return f"{count} system{'s' * (count > 1)}, {board.dialogues} dialogues, {board.turns} turns, gold {board.gold}."


def sections(board: Board) -> Iterator[Section]:
    """Yield the sections of the page of a board."""
    diagnosed = diagnosis_board(board)
    yield Section(board.title, (Paragraph(facts(board)), score_board(board), *map(Paragraph, notes(board))))
    yield Section("Ranks", (*rank_boards(board), *map(Paragraph, unranked_notes(board))), level=3)
    findings = (*((diagnosed,) if diagnosed.rows else ()), Paragraph(no_findings_note(board)))
    yield Section(diagnosed.title, findings, level=3)
    files = source_board(board)
    yield Section(files.title, (files,), level=3)
    if board.notices:
        yield Section("Warnings", (Warnings(tuple(board.notices)),), level=3)
    yield Section("Signature", (Code(board.signature),), level=3)


def write_boards(folder: str, title: str, boards: Sequence[Board], *, force: bool = False) -> list[str]:
    """Write the HTML page and the Markdown page of boards, and return the names of the files; ``force`` replaces existing boards."""
    content = [section for board in boards for section in sections(board)]
    with new_folder(Path(folder), lambda names: _check_free(folder, names, force)) as new:
        (new / PAGE).write_text(board_page(title, content), "utf-8")
        (new / MARKDOWN).write_text(plain_sections(title, content, "markdown"), "utf-8")
    return [PAGE, MARKDOWN]


def check_folder(folder: str, *, force: bool) -> None:
    """Check that a folder may be written, before any work is done."""
    if Path(folder).exists() and not Path(folder).is_dir():
        raise DialmeterError(f"{one_line(folder, 200)}: is a file; --out needs a folder")
    if Path(folder).is_dir():
        _check_free(folder, {path.name for path in Path(folder).iterdir()}, force)


def _check_free(folder: str, names: set[str], force: bool) -> None:
    if names and not (force and MARKDOWN in names):
        hint = "; replace a board with --force" if MARKDOWN in names else ""
        raise DialmeterError(f"{one_line(folder, 200)}: is not an empty folder{hint}")
