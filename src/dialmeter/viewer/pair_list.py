"""The rows of two runs that a page of comparison lists: those whose score changed, or those with a mistake on one side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import DialmeterError
from ..views.pages.groups import SIDES, Sides, mistakes_by_row, of_side
from ..views.pages.kinds import Conditions, Grouping
from ..views.pages.opened import Opened
from ..views.pages.scores import Matched, change, ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

WAYS = {"better": "▲", "worse": "▼", "same": "="}
_REASONS = 10


class AtGroup(NamedTuple):
    """One text of a field, on which side the mistakes are, and further filters for the run that made them."""

    grouping: Grouping
    name: str
    side: Sides
    wanted: Mapping[str, str]
    mistakes: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Of both runs, by place."""

    @property
    def filters(self) -> dict[str, str]:
        """All texts that a finding must have."""
        return {self.grouping.field: self.name, **self.wanted}


class PairList(NamedTuple):
    """Places of rows in order, the measure by which they are listed, and the parameters of the address."""

    order: NDArray[np.int64]
    by: str
    show: str
    at: AtGroup | None
    params: dict[str, str]


def list_pairs(matched: Matched, params: Mapping[str, str]) -> PairList:
    """The rows that an address asks for, those with the largest difference first; invalid parts are ignored.

    Raises:
        DialmeterError: the runs have no score per row in common.
    """
    by = _measure(matched, params.get("by", ""))
    comparable = matched.comparable(by)
    at = _group(matched, params) if comparable else None
    if at is not None:
        first, second = at.mistakes
        keep = np.flatnonzero(of_side(first > 0, second > 0, at.side) & _passing(matched, at, at.wanted))
        difference = np.abs(second - first)[keep]
        kept = {"group": at.grouping.field, "name": at.name, "show": at.side, **at.wanted}
        return PairList(keep[np.lexsort((keep, -difference))], by, at.side, at, kept)
    show = params.get("show", "") if params.get("show", "") in WAYS and comparable else ""
    found = change(matched, by)
    mask = ways(found, matched.first.kind.HIGHER_IS_BETTER)[show] if show else np.isfinite(found)
    keep = np.flatnonzero(mask)
    kept = {"by": by, **({"show": show} if show else {})}
    return PairList(keep[np.lexsort((keep, -np.abs(found[keep])))], by, show, None, kept)


def _measure(matched: Matched, asked: str) -> str:
    shared = [name for name in matched.first.columns if name in matched.second.columns]
    if not shared:
        raise DialmeterError("the two runs have no score per row in common")
    return asked if asked in shared else matched.first.ranking if matched.first.ranking in shared else shared[0]


def _group(matched: Matched, params: Mapping[str, str]) -> AtGroup | None:
    kind, name, side = matched.first.kind, params.get("name", ""), params.get("show", "")
    grouping = next((each for each in kind.GROUPINGS if each.field == params.get("group", "")), None)
    if grouping is None or not name or side not in SIDES:
        return None
    fields = [each.name for each in kind.FIELDS if each.name != grouping.field]
    wanted = {field: params[field] for field in fields if params.get(field)}
    counts = [
        mistakes_by_row(run, grouping, [name])[places, 0]
        for run, places in ((matched.first, matched.here), (matched.second, matched.there))
    ]
    return AtGroup(grouping, name, side, wanted, (counts[0], counts[1]))


def mistaken(matched: Matched, at: AtGroup) -> tuple[Opened, NDArray[np.int64]]:
    """The run whose mistakes the list is about, and the positions of its rows."""
    if at.side in ("only-first", "first"):
        return matched.first, matched.here
    return matched.second, matched.there


def _conditions(run: Opened, at: AtGroup, wanted: Mapping[str, str]) -> Conditions:
    texts = {at.grouping.field: (at.name,), **{field: (text,) for field, text in wanted.items()}}
    return {**at.grouping.mistakes, **run.kind.counted(run), **texts}


def _passing(matched: Matched, at: AtGroup, wanted: Mapping[str, str]) -> NDArray[np.bool_]:
    """By place, whether the run that made the mistakes has one with all these texts."""
    run, places = mistaken(matched, at)
    found: NDArray[np.bool_] = run.findings.by_row(_conditions(run, at, wanted))[places, 0] > 0
    return found


def row_reasons(run: Opened, at: AtGroup, position: int) -> list[tuple[str, ...]]:
    """What a row's mistakes at the text are, each once: the texts of the fields that tell them apart."""
    fields = run.findings.fields
    wanted = [(fields.index(field), texts) for field, texts in _conditions(run, at, at.wanted).items()]
    places = [fields.index(field) for field in at.grouping.reasons]
    found = (
        tuple(finding[place] for place in places)
        for finding in run.findings.of_row(position)
        if all(finding[place] in texts for place, texts in wanted)
    )
    return list(dict.fromkeys(found))


def reasons(matched: Matched, listed: PairList) -> tuple[list[dict[str, Any]], int]:
    """The most frequent mistakes of the list with the number of their rows, and how many others there are."""
    at = listed.at
    if at is None:
        return [], 0
    run, places = mistaken(matched, at)
    counts: Counter[tuple[str, ...]] = Counter()
    for place in listed.order:
        counts.update(row_reasons(run, at, int(places[place])))
    ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
    shown = []
    for reason in ranked[:_REASONS]:
        # An empty text is no filter.
        texts = {field: text for field, text in zip(at.grouping.reasons, reason, strict=True) if text}
        rows = int(_passing(matched, at, {**at.wanted, **texts})[listed.order].sum())
        shown.append({"texts": reason, "rows": rows, "params": {**listed.params, **texts}})
    return shown, len(ranked) - len(shown)


def in_words(run: Opened, fields: Sequence[str], texts: Sequence[str]) -> str:
    """The texts of fields with the names of the fields.

    Example:
        >>> from types import SimpleNamespace
        >>> from dialmeter.views.pages.tracker import KIND
        >>> in_words(SimpleNamespace(kind=KIND), ("class", "gold", "pred"), ("missed", "east", ""))
        'class missed, gold value east'
    """
    return ", ".join(f"{run.kind.label(field)} {text}" for field, text in zip(fields, texts, strict=True) if text)
