"""Functions for commands that take several files, one for each system or user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..core.account import account_fields
from ..core.comparison import SystemComparison, worse_than_base
from ..core.record import RecordedResult
from ..errors import ConditionHolds, DialmeterError, one_line
from ..measure import Score
from ..model import Notice
from ..views.compare import comparison_rows, result_lines, worse_line
from ..views.ladder import ladder_lines, ladder_table
from ..views.tables import Table, signature_of
from .printer import CSV, TEXT, Block, result_blocks, signature_blocks


def match_gold_files(files: Sequence[str], golds: Sequence[str]) -> Sequence[str | None]:
    """Return the gold file of each file: --gold is given once for all, once for each, or not at all."""
    if len(golds) not in (0, 1, len(files)):
        raise DialmeterError(f"give --gold once for all files, or once for each of the {len(files)}")
    return [golds[0]] * len(files) if len(golds) == 1 else golds or [None] * len(files)


_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".txt")


def name_files(files: Sequence[str], given: Sequence[str], what: str, more: Sequence[str] = ()) -> list[str]:
    """Return a name for each file: those of --name, or the shortest parts of the paths that differ.

    Args:
        files: paths; a path may select a tracker of the file, such as ``file.jsonl#name``.
        given: the names of --name; none, or one for each file.
        what: the plural noun for messages, such as ``systems``.
        more: names that are added at the end, such as those of trivial trackers.

    Raises:
        DialmeterError: the number of names differs from the number of files, or a name is a duplicate.

    Example:
        >>> name_files(["runs/a.v1.jsonl.gz", "b.jsonl#own"], [], "systems")
        ['a.v1', 'own']
        >>> name_files(["runs/som/pred.json", "runs/trade/pred.json"], [], "systems")
        ['som', 'trade']
        >>> name_files(["a/p.json", "a/q.json", "b/p.json"], [], "systems")
        ['a/p', 'a/q', 'b/p']
    """
    if given and len(given) != len(files):
        raise DialmeterError(f"give --name once for each of the {len(files)} files")
    labels = [*(given or _shortest_distinct_ends(files)), *more]
    if len(set(labels)) < len(labels):
        raise DialmeterError(
            f"two {what} are called {Counter(labels).most_common(1)[0][0]!r}; give other names with --name"
        )
    return labels


def _shortest_distinct_ends(files: Sequence[str]) -> list[str]:
    """Return the shortest ends of the paths that differ, without the last parts that all paths share."""
    for without_ending in (True, False):
        paths = [_path_parts(file, without_ending) for file in files]
        while len(files) > 1 and all(len(path) > 1 for path in paths) and len({path[-1] for path in paths}) == 1:
            paths = [path[:-1] for path in paths]
        for count in range(1, max(map(len, paths)) + 1):
            names = [one_line("/".join(path[-count:]), 1000) for path in paths]
            if len(set(names)) == len(names):
                return names
    return [one_line(file, 1000) for file in files]


def _path_parts(file: str, without_ending: bool) -> list[str]:
    path, _, tracker = file.partition("#")
    parts = [part for part in Path(path).parts if part != "/"] or [path]
    if without_ending:
        name = parts[-1].removesuffix(".gz").removesuffix(".zst")
        ending = next((each for each in _ENDINGS if name.endswith(each)), "")
        parts[-1] = name.removesuffix(ending) or parts[-1]
    return [*parts, tracker] if tracker else parts


def named_notices(name: str, notices: Iterable[Notice]) -> list[Notice]:
    """Return the warnings about one of several files with the name in front."""
    return [replace(each, message=f"{name}: {each.message}") for each in notices]


def scores_and_accounts(results: Mapping[str, RecordedResult], key: str = "system") -> dict[str, Any]:
    """Return the fields of a document for the scores and accounts of several results.

    Args:
        results: name → result.
        key: the key of a score for the name.
    """
    return {
        "scores": [{**each, key: name} for name, result in results.items() for each in result.to_dicts()],
        **account_fields({name: result.account for name, result in results.items()}),
    }


def verdict_blocks(comparison: SystemComparison[Any], unit: str = "dialogues", level: float = 0.05) -> Iterator[Block]:
    """Yield the verdict of each system, with the ladder that it depends on, then the outcome under every measure.

    Args:
        comparison: the comparison.
        unit: the noun for what is counted.
        level: p values below it, after the Holm correction, are significant.
    """
    for each in comparison.ladders:
        # In a paper, the captions and labels of the command line belong to the tables of scores.
        plain, listed = result_blocks([each.headline]), result_blocks([each.headline, *ladder_lines(each)])
        yield Block(plain[0].content, TEXT)
        if len(each.rungs) > 1:
            yield Block(ladder_table(each, unit), TEXT, gap=())
        yield Block(listed[0].content, ("latex",))
        yield listed[1]
    if len({each.measure for each in comparison.versus}) > 1 or not comparison.ladders:
        yield from result_blocks(result_lines(comparison.versus, level))


def comparison_parts(
    table: Table,
    scores: Mapping[str, Sequence[Score]],
    comparison: SystemComparison[Any],
    note: str,
    *,
    who: str = "system",
    unit: str = "dialogues",
) -> Iterator[Block]:
    """Yield the parts of a comparison: the verdict, what it depends on, the table, the note and the signature.

    Args:
        table: the comparison as a table.
        scores: name → scores.
        comparison: the comparison.
        note: a line below the table, in text output only.
        who: the noun for what is compared.
        unit: the noun for what is counted in the ladder.
    """
    yield from verdict_blocks(comparison, unit)
    yield Block(table)
    yield Block(comparison_rows(scores, comparison.versus, who), CSV)
    yield Block(note, TEXT)
    yield from signature_blocks(
        signature_of(chain.from_iterable(scores.values()), comparison.versus), gap=("markdown",)
    )


def fail_if_worse(options: dict[str, Any], comparison: SystemComparison[Any], level: float) -> None:
    """End the command if --fail-if-worse is given and a system is significantly worse than its base, as the files are written.

    Args:
        options: the options of the command.
        comparison: the comparison. The message says so if its ladder turns the verdict.
        level: the significance level.

    Raises:
        ConditionHolds: a comparison is significantly worse.
    """
    turned = {(each.system, each.measure): each.sentence for each in comparison.ladders if each.verdict == "depends"}
    for each in worse_than_base(comparison.versus, level) if options["fail_if_worse"] else ():
        sentence = turned.get((each.system, each.measure))
        raise ConditionHolds(worse_line(each) + (f"; {sentence}" if sentence else ""))
