"""What is shared by commands that take several files, one for each system or user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from ..core.account import account_fields
from ..core.comparison import PairedDifference, worse_than_base
from ..core.record import RecordedResult
from ..errors import ConditionHolds, DialmeterError, one_line
from ..measure import Score
from ..model import Notice
from ..views.compare import comparison_rows, result_lines
from ..views.tables import Table
from ..views.tracker import signature_of
from .printer import CSV, TEXT, Block, result_blocks, signature


def chosen_golds(files: Sequence[str], golds: Sequence[str]) -> Sequence[str | None]:
    """The file with gold states of each file: one for all, one for each, or none."""
    if len(golds) not in (0, 1, len(files)):
        raise DialmeterError(f"give --gold once for all files, or once for each of the {len(files)}")
    return [golds[0]] * len(files) if len(golds) == 1 else golds or [None] * len(files)


_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".txt")


def chosen_names(files: Sequence[str], given: Sequence[str], what: str, more: Sequence[str] = ()) -> list[str]:
    """The names of the files: those of --name, else the shortest part of their paths in which they differ.

    Args:
        files: the files; one may name a tracker in it, as in ``file.jsonl#name``.
        given: the names that were given; none, or one for each file.
        what: the plural of what is named.
        more: further names.

    Raises:
        DialmeterError: not one name for each file, or two with the same name.

    Example:
        >>> chosen_names(["runs/a.v1.jsonl.gz", "b.jsonl#own"], [], "systems")
        ['a.v1', 'own']
        >>> chosen_names(["runs/som/pred.json", "runs/trade/pred.json"], [], "systems")
        ['som', 'trade']
        >>> chosen_names(["a/p.json", "a/q.json", "b/p.json"], [], "systems")
        ['a/p', 'a/q', 'b/p']
    """
    if given and len(given) != len(files):
        raise DialmeterError(f"give --name once for each of the {len(files)} files")
    labels = [*(given or _parts_that_differ(files)), *more]
    if len(set(labels)) < len(labels):
        raise DialmeterError(f"two {what} are called {Counter(labels).most_common(1)[0][0]!r}; name them with --name")
    return labels


def _parts_that_differ(files: Sequence[str]) -> list[str]:
    """The shortest ends of paths that differ, without the parts at the end that all have."""
    for without_ending in (True, False):
        paths = [_components(file, without_ending) for file in files]
        while len(files) > 1 and all(len(path) > 1 for path in paths) and len({path[-1] for path in paths}) == 1:
            paths = [path[:-1] for path in paths]
        for count in range(1, max(map(len, paths)) + 1):
            names = [one_line("/".join(path[-count:]), 1000) for path in paths]
            if len(set(names)) == len(names):
                return names
    return [one_line(file, 1000) for file in files]


def _components(file: str, without_ending: bool) -> list[str]:
    path, _, tracker = file.partition("#")
    parts = [part for part in Path(path).parts if part != "/"] or [path]
    if without_ending:
        name = parts[-1].removesuffix(".gz").removesuffix(".zst")
        ending = next((each for each in _ENDINGS if name.endswith(each)), "")
        parts[-1] = name.removesuffix(ending) or parts[-1]
    return [*parts, tracker] if tracker else parts


def named_notices(name: str, notices: Iterable[Notice]) -> list[Notice]:
    """The warnings about one of several files, with its name."""
    return [replace(each, message=f"{name}: {each.message}") for each in notices]


def scores_and_accounts(results: Mapping[str, RecordedResult], key: str = "system") -> dict[str, Any]:
    """The fields of a document that hold the scores and accounts of several results.

    Args:
        results: by name.
        key: the key of a score that holds the name.
    """
    return {
        "scores": [{**each, key: name} for name, result in results.items() for each in result.to_dicts()],
        **account_fields({name: result.account for name, result in results.items()}),
    }


def comparison_parts(
    table: Table,
    scores: Mapping[str, Sequence[Score]],
    versus: Sequence[PairedDifference],
    note: str,
    who: str = "system",
) -> Iterator[Block]:
    """A comparison: its result in words, its table, how much was compared, and the signature.

    Args:
        table: the comparison as a table.
        scores: by name.
        versus: the comparisons.
        note: what is below the table on a terminal.
        who: what is compared.
    """
    yield from result_blocks(result_lines(versus))
    yield Block(table)
    yield Block(comparison_rows(scores, versus, who), CSV)
    yield Block(note, TEXT)
    yield from signature(signature_of(chain.from_iterable(scores.values())), gap=("markdown",))


WORSE = "{system} is worse than {base}: {measure} {difference:+.2f}, p (Holm) {p_holm:.4f}"


def fail_if_worse(
    options: dict[str, Any], found: Sequence[PairedDifference], level: float, message: str = WORSE
) -> None:
    """Ends a command if --fail-if-worse is given and something is significantly worse than its base.

    Args:
        options: of the command.
        found: the comparisons.
        level: of significance.
        message: with the fields of the comparison in braces; the difference is in points.

    Raises:
        ConditionHolds: something is worse.
    """
    for each in worse_than_base(found, level) if options["fail_if_worse"] else ():
        raise ConditionHolds(message.format(**{**to_builtins(each), "difference": 100 * (each.difference or 0)}))
