"""What commands share that take several files, one for each system or user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import to_builtins

from ..core.comparison import PairedDifference
from ..errors import ConditionHolds, DialmeterError


def chosen_golds(files: Sequence[str], golds: Sequence[str]) -> Sequence[str | None]:
    """The file with gold states of each file: one for all, one for each, or none."""
    if len(golds) not in (0, 1, len(files)):
        raise DialmeterError(f"give --gold once for all files, or once for each of the {len(files)}")
    return [golds[0]] * len(files) if len(golds) == 1 else golds or [None] * len(files)


def chosen_names(files: Sequence[str], given: Sequence[str], what: str, more: Sequence[str] = ()) -> list[str]:
    """The names of the files: those of --name, else the file names without endings, with folders where two are alike.

    Args:
        files: the files; one may name a tracker in it, as in ``file.jsonl#name``.
        given: the names that were given; none, or one for each file.
        what: the plural of what is named.
        more: further names.

    Example:
        >>> chosen_names(["runs/a.jsonl", "b.jsonl#own"], [], "systems")
        ['a', 'own']
    """
    if given and len(given) != len(files):
        raise DialmeterError(f"give --name once for each of the {len(files)} files")
    stems = [file.rpartition("#")[2] if "#" in file else Path(file).name.split(".")[0] or file for file in files]
    labels = [*(given or (stems if len(set(stems)) == len(stems) else files)), *more]
    if len(set(labels)) < len(labels):
        raise DialmeterError(f"two {what} are called {Counter(labels).most_common(1)[0][0]!r}; name them with --name")
    return labels


def fail_if_worse(found: Sequence[PairedDifference], level: float, message: str) -> None:
    """Ends a command if something is significantly worse than its base.

    Args:
        found: the comparisons.
        level: of significance.
        message: with the fields of the comparison in braces; the difference is in points.

    Raises:
        ConditionHolds: something is worse.
    """
    for each in found:
        if each.p_holm is not None and each.p_holm < level and each.difference is not None and each.difference < 0:
            raise ConditionHolds(message.format(**{**to_builtins(each), "difference": 100 * each.difference}))
