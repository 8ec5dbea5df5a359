"""The files of a study scored, on the dialogues that they share, with one draw of dialogues for all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...core.comparison import Resampling
from ...errors import DialmeterError, one_line
from ...model import Notice, dialogue_key
from ...tracking.result import TrackerResult
from ...tracking.vectors.bootstrap_matrix import columns, order_of, with_interval
from .curve_files import Entry

if TYPE_CHECKING:
    import numpy as np

    FloatArray: TypeAlias = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

ScoreOne: TypeAlias = Callable[[Entry, frozenset[str] | None], TrackerResult]
"""Scores one file, on some of its dialogues where they are named."""


class Scored:
    """One file's scores, and what resampling needs of it: a row of columns per dialogue, sorted by dialogue."""

    def __init__(self, entry: Entry, result: TrackerResult) -> None:
        names = [dialogue_key(name) for name in result.ledger.main.dialogues]
        self.entry = entry
        self.keys = [names[place] for place in order_of(result.ledger)]
        self.columns, self.formulas = columns(result.ledger, result.asked)
        self.account = result.account
        self.scores = result.scores
        self.data = result.data
        self.notices = result.notices
        self.counts = {"dialogues": result.dialogues, "turns": result.turns}
        self.samples: dict[str, FloatArray] | None = None

    @property
    def values(self) -> dict[str, float | None]:
        """The value of each measure."""
        return {score.measure: score.value for score in self.scores}


def score_entries(
    entries: Sequence[Entry],
    score: ScoreOne,
    how: Resampling | None,
    watch: Callable[[Iterable[Entry]], Iterable[Entry]] = iter,
) -> tuple[list[Scored], list[Notice]]:
    """Scores every file; files of one domain on the dialogues that all of them have.

    Raises:
        DialmeterError: files of one domain with different gold, or without a dialogue in common.
    """
    files: list[Scored] = []
    for entry in watch(entries):
        files.append(Scored(entry, score(entry, None)))
        if list(files[-1].values) != list(files[0].values):
            names = f"{files[0].entry.name} and {entry.name}"
            raise DialmeterError(f"{names} do not allow the same measures; name some that both have with --measure")
    shared: list[Scored] = []
    notices: list[Notice] = []
    for domain in dict.fromkeys(entry.domain for entry in entries):
        group, said = _on_common([each for each in files if each.entry.domain == domain], score)
        _same_gold(group)
        if how:
            _resample(group, how)
        shared += group
        notices += said
    return shared, [*notices, *_merged(shared)]


def _on_common(group: list[Scored], score: ScoreOne) -> tuple[list[Scored], list[Notice]]:
    every = set().union(*(each.keys for each in group))
    common = frozenset(every).intersection(*(each.keys for each in group))
    if len(common) == len(every):
        return group, []
    if not common:
        raise DialmeterError(f"{group[0].entry.name} and the other files have no dialogue in common")
    left = tuple(one_line(key) for key in sorted(every - common))
    said = f"{len(left)} dialogues are not in every file and are unscored; {len(common)} are"
    again = [Scored(each.entry, score(each.entry, common)) for each in group]
    return again, [Notice("unequal-dialogues", len(left), said, left)]


def _same_gold(group: Sequence[Scored]) -> None:
    first = group[0]
    for each in group:
        if each.data != first.data:
            raise DialmeterError(
                f"{first.entry.name} and {each.entry.name} hold different gold for the same dialogues "
                f"(data: {first.data} ≠ {each.data}); a curve needs one gold, see --gold"
            )


def _resample(group: Sequence[Scored], how: Resampling) -> None:
    """Gives files their resampled values, and their scores intervals."""
    from ...stats.formulas import evaluate
    from ...stats.resampling import limits

    keys = group[0].keys
    for each, sums in zip(group, resampled(group, keys, how), strict=True):
        each.samples = {name: evaluate(formula, sums) for name, formula in each.formulas.items()}
        if len(keys) > 1:
            each.scores = [
                with_interval(
                    score,
                    limits(
                        each.samples[score.measure],
                        how.confidence,
                        len(keys),
                        each.formulas[score.measure],
                        each.columns,
                    ),
                )
                for score in each.scores
            ]


def resampled(files: Sequence[Scored], keys: Sequence[str], how: Resampling) -> list[FloatArray]:
    """The resampled sums of files, the same dialogues drawn for all; a file without a dialogue has zeros for it.

    Args:
        files: what to resample.
        keys: the dialogues to draw from, sorted.
        how: how often, and the seed.

    Returns:
        Sums of shape (resamples, columns) for each file; of no resample where there are fewer than two dialogues.
    """
    import numpy as np

    from ...stats.draws import resampled_sums
    from ...stats.exact import exact

    if len(keys) < 2:
        return [np.empty((0, each.columns.shape[1])) for each in files]
    place = {key: position for position, key in enumerate(keys)}
    blocks = []
    for each in files:
        block = np.zeros((len(keys), each.columns.shape[1]))
        block[[place[key] for key in each.keys]] = each.columns
        blocks.append(block)
    ends = np.cumsum([block.shape[1] for block in blocks])
    sums = resampled_sums(exact(np.hstack(blocks)), how.resamples, how.seed)
    return np.split(sums, ends[:-1], axis=1)


def _merged(files: Sequence[Scored]) -> list[Notice]:
    """The warnings of all files, each kind once."""
    merged = []
    for code in dict.fromkeys(notice.code for each in files for notice in each.notices):
        found = [(each, notice) for each in files for notice in each.notices if notice.code == code]
        first, notice = found[0]
        more = f" (and {len(found) - 1} more files with such a warning)" if len(found) > 1 else ""
        count = sum(each.count for _, each in found)
        merged.append(Notice(code, count, f"{first.entry.name}: {notice.message}{more}", notice.where))
    return merged
