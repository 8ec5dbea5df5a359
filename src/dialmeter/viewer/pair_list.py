"""The list of rows on a page that compares two runs: rows with a changed score, or rows with a mistake on one side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import DialmeterError
from ..views.pages.groups import SIDES, Sides, mistakes_by_row, side_mask
from ..views.pages.kinds import Conditions, Grouping
from ..views.pages.opened_run import OpenedRun
from ..views.pages.scores import MatchedRuns, change_masks, score_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHANGE_SIGNS = {"better": "▲", "worse": "▼", "same": "="}
_REASONS = 10


class GroupQuery(NamedTuple):
    """One text of a field, the side of the mistakes, and further filters for the run that made them."""

    grouping: Grouping
    name: str
    side: Sides
    further_filters: Mapping[str, str]
    mistakes: tuple[NDArray[np.int32], NDArray[np.int32]]
    """Number of mistakes of each shared row, in both runs."""

    @property
    def filters(self) -> dict[str, str]:
        """Field → text that a finding must have."""
        return {self.grouping.field: self.name, **self.further_filters}


class PairList(NamedTuple):
    """Sorted indices of shared rows, the measure of the list, and the parameters of the address."""

    order: NDArray[np.int64]
    by: str
    show: str
    group: GroupQuery | None
    params: dict[str, str]


def list_pairs(matched: MatchedRuns, params: Mapping[str, str]) -> PairList:
    """Return the rows that match the parameters of an address, the largest difference first; invalid parameters are ignored.

    Raises:
        DialmeterError: the runs share no score per row.
    """
    by = _measure(matched, params.get("by", ""))
    comparable = matched.comparable(by)
    group = _parse_group(matched, params) if comparable else None
    if group is not None:
        first, second = group.mistakes
        mask = side_mask(first > 0, second > 0, group.side) & _matching(matched, group, group.further_filters)
        indices = np.flatnonzero(mask)
        difference = np.abs(second - first)[indices]
        own = {"group": group.grouping.field, "name": group.name, "show": group.side, **group.further_filters}
        return PairList(indices[np.lexsort((indices, -difference))], by, group.side, group, own)
    show = params.get("show", "") if params.get("show", "") in CHANGE_SIGNS and comparable else ""
    before, after = score_columns(matched, by)
    changes = after - before
    mask = change_masks(before, after, matched.first.kind.HIGHER_IS_BETTER)[show] if show else np.isfinite(changes)
    indices = np.flatnonzero(mask)
    own = {"by": by, **({"show": show} if show else {})}
    return PairList(indices[np.lexsort((indices, -np.abs(changes[indices])))], by, show, None, own)


def _measure(matched: MatchedRuns, requested: str) -> str:
    shared = [name for name in matched.first.columns if name in matched.second.columns]
    if not shared:
        raise DialmeterError("the two runs have no score per row in common")
    return requested if requested in shared else matched.first.ranking if matched.first.ranking in shared else shared[0]


def _parse_group(matched: MatchedRuns, params: Mapping[str, str]) -> GroupQuery | None:
    kind, name, side = matched.first.kind, params.get("name", ""), params.get("show", "")
    grouping = next((each for each in kind.GROUPINGS if each.field == params.get("group", "")), None)
    if grouping is None or not name or side not in SIDES:
        return None
    fields = [each.name for each in kind.FIELDS if each.name != grouping.field]
    further_filters = {field: params[field] for field in fields if params.get(field)}
    counts = [
        mistakes_by_row(run, grouping, [name])[places, 0]
        for run, places in ((matched.first, matched.first_rows), (matched.second, matched.second_rows))
    ]
    return GroupQuery(grouping, name, side, further_filters, (counts[0], counts[1]))


def mistaken_run(matched: MatchedRuns, group: GroupQuery) -> tuple[OpenedRun, NDArray[np.int64]]:
    """Return the run whose mistakes are listed, and the positions of its shared rows."""
    if group.side in ("only-first", "first"):
        return matched.first, matched.first_rows
    return matched.second, matched.second_rows


def _conditions(run: OpenedRun, group: GroupQuery, filters: Mapping[str, str]) -> Conditions:
    texts = {group.grouping.field: (group.name,), **{field: (text,) for field, text in filters.items()}}
    return {**group.grouping.mistakes, **run.kind.extra_conditions(run), **texts}


def _matching(matched: MatchedRuns, group: GroupQuery, filters: Mapping[str, str]) -> NDArray[np.bool_]:
    """Return the mask of the shared rows with a mistake that has all these texts, in the run that made the mistakes."""
    run, positions = mistaken_run(matched, group)
    mask: NDArray[np.bool_] = run.findings.by_row(_conditions(run, group, filters))[positions, 0] > 0
    return mask


def row_reasons(run: OpenedRun, group: GroupQuery, position: int) -> list[tuple[str, ...]]:
    """Return the distinct mistakes of a row, as the texts of the fields that distinguish them."""
    fields = run.findings.fields
    conditions = [
        (fields.index(field), texts) for field, texts in _conditions(run, group, group.further_filters).items()
    ]
    columns = [fields.index(field) for field in group.grouping.reasons]
    mistakes = (
        tuple(finding[column] for column in columns)
        for finding in run.findings.of_row(position)
        if all(finding[column] in texts for column, texts in conditions)
    )
    return list(dict.fromkeys(mistakes))


def reasons(matched: MatchedRuns, listed: PairList) -> tuple[list[dict[str, Any]], int]:
    """Return the most frequent mistakes of the list with the number of their rows, and the number of other mistakes."""
    group = listed.group
    if group is None:
        return [], 0
    run, positions = mistaken_run(matched, group)
    counts: Counter[tuple[str, ...]] = Counter()
    for index in listed.order:
        counts.update(row_reasons(run, group, int(positions[index])))
    ranked = sorted(counts, key=lambda reason: (-counts[reason], reason))
    frequent = []
    for reason in ranked[:_REASONS]:
        # An empty text is not a filter.
        texts = {field: text for field, text in zip(group.grouping.reasons, reason, strict=True) if text}
        rows = int(_matching(matched, group, {**group.further_filters, **texts})[listed.order].sum())
        frequent.append({"texts": reason, "rows": rows, "params": {**listed.params, **texts}})
    return frequent, len(ranked) - len(frequent)


def describe_texts(run: OpenedRun, fields: Sequence[str], texts: Sequence[str]) -> str:
    """Return the texts of fields with the labels of the fields.

    Example:
        >>> from types import SimpleNamespace
        >>> from dialmeter.views.pages.tracker import KIND
        >>> describe_texts(SimpleNamespace(kind=KIND), ("class", "gold", "pred"), ("missed", "east", ""))
        'class missed, gold value east'
    """
    return ", ".join(f"{run.kind.label(field)} {text}" for field, text in zip(fields, texts, strict=True) if text)
