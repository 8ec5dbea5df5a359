"""The systems of a comparison: prediction files, runs, trivial trackers, and the rows of a leaderboard (``BOARD.toml``)."""

from __future__ import annotations

import datetime
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...core.open_runs import is_run
from ...core.rule_files import parse_toml
from ...errors import DialmeterError, InputError, one_line
from ...model import dialogue_key
from ...readers.corpus import open_corpus, trackers_in
from ...readers.source import Source
from ...readers.validation import Role
from ...tracking.align import GoldFile, KeptDialogues
from ...tracking.baselines import trivial
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules, load
from ...tracking.saved_result import measures_of_run, saved_result
from ...tracking.scoring import score_file
from ..frame import match_gold_files, name_files
from ..progress import expect_files
from . import inputs

_TRIVIAL = "trivial:"
SEED = 12345
"""The seed of trivial trackers where a command has no setting for it."""
Name = Annotated[str, Meta(min_length=1, max_length=300)]


class SystemFiles(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The files of a system, also as a row of a leaderboard.

    Attributes:
        system: the name of the system.
        file: a prediction file, the folder of a run, or ``trivial:NAME``.
        gold: the file with gold states, if ``file`` has only predictions.
        format: format of the file (default: auto-detect).
        gold_format: format of gold (default: auto-detect).
        schema: a schema file.
        source: where the file of a leaderboard comes from, such as a paper; likewise ``licence`` and ``date``.
    """

    system: Name
    file: Name
    gold: str | None = None
    format: str | None = None
    gold_format: str | None = None
    schema: str | None = None
    source: str = ""
    licence: str = ""
    date: str = ""


class _Board(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A leaderboard: gold and schema for all rows without their own, and the rows."""

    title: str = ""
    gold: str | None = None
    gold_format: str | None = None
    schema: str | None = None
    row: list[SystemFiles]


def read_board(path: str) -> dict[str, SystemFiles]:
    """Read a leaderboard: the files of each system by its name. Its paths become relative to the working directory.

    Raises:
        InputError: not TOML, a field that is missing, unknown or of another type, or two rows with the same name.
    """
    source = Source(path)
    try:
        board = msgspec.convert(_dates_as_text(parse_toml(source.text, source.name)), _Board)
    except msgspec.ValidationError as error:
        message = f"{str(error).replace('`', '')}; write [[row]] tables with system, file, gold, source, licence, date"
        raise InputError(message, file=source.name) from None
    name, count = Counter(row.system for row in board.row).most_common(1)[0] if board.row else ("", 0)
    if count != 1:
        fault = f"two systems are called {one_line(name)!r}" if board.row else "there is no row"
        raise InputError(fault, file=source.name)

    def resolve(name: str | None) -> str | None:
        if "\0" in (name or ""):
            raise InputError("a file name contains a NUL character", file=source.name)
        return None if not name else name if name.startswith(_TRIVIAL) else str(Path(path).parent / name)

    return {
        row.system: replace(
            row,
            file=resolve(row.file) or "",
            gold=resolve(row.gold or board.gold),
            format=row.format or None,
            gold_format=row.gold_format or board.gold_format or None,
            schema=resolve(row.schema or board.schema),
        )
        for row in board.row
    }


def _dates_as_text(content: Any) -> Any:
    """Return parsed TOML with dates as text."""
    if isinstance(content, dict):
        return {key: _dates_as_text(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_dates_as_text(value) for value in content]
    return content.isoformat() if isinstance(content, datetime.date) else content


def systems_from_options(options: Mapping[str, Any]) -> dict[str, SystemFiles]:
    """Return the systems of a command by name, in the order of the command line.

    Raises:
        DialmeterError: there are fewer than two, or a leaderboard and options that it states itself.
    """
    files = options["files"]
    boards = [file for file in files if file.endswith(".toml")]
    if boards:
        if len(files) > 1:
            raise DialmeterError(f"{one_line(boards[0], 200)}: compare takes one leaderboard, and no file besides it")
        for name in ("gold", "format", "schema"):
            if options[name]:
                raise DialmeterError(
                    f"--{'from' if name == 'format' else name} is not for a leaderboard; write it into {boards[0]}"
                )
        systems = read_board(boards[0])
    else:
        if len(files) == 1 and not is_trivial(files[0]) and not is_run(files[0]):
            role = Role.PRED if options["gold"] else Role.BOTH
            files = trackers_in(files[0], role, options["format"]) or files
        golds = match_gold_files(files, options["gold"])
        shared = {name: options[name] for name in ("format", "gold_format", "schema")}
        names = _names(files, options["names"])
        systems = {
            name: SystemFiles(system=name, file=file, gold=gold, **shared)
            for name, file, gold in zip(names, files, golds, strict=True)
        }
    if len(systems) < 2:
        raise DialmeterError(
            "compare needs two files or more, the first as the baseline; with a simple baseline: "
            f"dialmeter compare trivial:copy-previous {shlex.join(map(str, files))}"
        )
    return systems


def _names(files: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return the names of the systems; a trivial tracker has the name of its kind."""
    if given:
        return name_files(files, given, "systems")
    trackers = [file for file in files if is_trivial(file)]
    names = iter(name_files([file for file in files if not is_trivial(file)], (), "systems", trackers))
    return [file if is_trivial(file) else next(names) for file in files]


def is_trivial(file: str) -> bool:
    """Return True for ``trivial:NAME``."""
    return file.startswith(_TRIVIAL)


def scoring_arguments(
    files: SystemFiles, rules: Rules, seed: int = SEED, base: SystemFiles | None = None
) -> dict[str, Any]:
    """Return the files of a system as arguments of ``score_file``. A trivial tracker without gold uses that of the base.

    Raises:
        DialmeterError: there is no such trivial tracker, or no file with gold.
    """
    if not is_trivial(files.file):
        return {"path": files.file, "gold": files.gold, "format": files.format, "gold_format": files.gold_format}
    change = trivial(files.file.removeprefix(_TRIVIAL), rules, seed)
    gold, format = files.gold, files.gold_format
    if gold is None and base is not None:
        gold, format = (base.file, base.format) if base.gold is None else (base.gold, base.gold_format)
    if gold is None:
        raise DialmeterError(f"{files.file} is made from gold states; give their file with --gold FILE")
    # A file with one state per turn is read as gold and as predictions, which the trivial ones replace.
    corpus = open_corpus(gold, Role.BOTH, format)
    corpus.close()
    apart = None if corpus.holds_both else gold
    return {"path": gold, "gold": apart, "format": format, "gold_format": files.gold_format, "change": change}


def measures_of_systems(systems: Mapping[str, SystemFiles], options: Mapping[str, Any], rules: Rules) -> Sequence[str]:
    """Return the requested measures; if none are requested, those that all runs have.

    Raises:
        DialmeterError: only some of the systems are runs, or their rules or dialogues are changed.
    """
    measures = inputs.measures_from_options(options, rules)
    runs = [each.file for each in systems.values() if is_run(each.file)]
    if not runs:
        return measures
    if len(runs) < len(systems):
        raise DialmeterError("compare takes runs or prediction files, not both; give the prediction file of each run")
    if rules != load("dialmeter") or options["by"] or options["only"]:
        raise DialmeterError(
            "the rules and dialogues of a run cannot be changed; give the prediction files for --rules, --set, --by and --only"
        )
    first, *others = map(measures_of_run, runs)
    return measures or [each for each in first if all(each in other for other in others)]


def shared_golds(systems: Mapping[str, SystemFiles], *, asks: bool) -> dict[tuple[str | None, str | None], GoldFile]:
    """Read the gold files that several systems share, so that each is read only once."""
    counts = Counter((each.gold, each.gold_format) for each in systems.values() if each.gold)
    return {
        (gold, format): GoldFile(gold, format, asks=asks)
        for (gold, format), count in counts.items()
        if gold and count > 1
    }


def score_systems(  # noqa: PLR0917 - all callers give all of them
    systems: Mapping[str, SystemFiles],
    options: Mapping[str, Any],
    golds: Mapping[tuple[str | None, str | None], GoldFile],
    measures: Sequence[str],
    resampling: Resampling,
    rules: Rules,
    only: frozenset[str] | None = None,
) -> dict[str, TrackerResult]:
    """Return the results of the systems of a command, by name."""
    expect_files(len(systems))
    base = next((each for each in systems.values() if not is_trivial(each.file)), None)
    results = {}
    for name, files in systems.items():
        if is_run(files.file):
            results[name] = saved_result(files.file, measures, resampling, files.schema)
            continue
        arguments = scoring_arguments(files, rules, options["seed"], base)
        if "change" not in arguments:
            arguments["gold"] = golds.get((files.gold, files.gold_format), files.gold)
        results[name] = score_file(
            **arguments,
            schema=files.schema,
            only=only,
            measures=measures or None,
            rules=rules,
            by=[group for group in options["by"] if group not in ("turn", "pair")],
            resampling=resampling,
            keep=True,
        )
    return results


def complete_dialogues(result: TrackerResult) -> Iterator[str]:
    """Yield the keys of the scored dialogues that have a prediction at every turn with gold."""
    kept = result.files.dialogues if isinstance(result.files, KeptDialogues) else ()
    for each in kept:
        if all(gold is None or pred is not None for gold, pred in zip(each.gold, each.pred, strict=True)):
            yield dialogue_key(each.id)


def as_records(systems: Mapping[str, SystemFiles]) -> Sequence[dict[str, str]]:
    """Return the systems for a document; files are without folders."""
    return [
        {
            "system": name,
            "file": Path(each.file).name,
            "source": each.source,
            "licence": each.licence,
            "date": each.date,
        }
        for name, each in systems.items()
    ]
