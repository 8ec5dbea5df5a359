"""Scores by domain, by slot and without a domain: both states are restricted to some slots, then measured as usual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from ...measure import Measure
from ..pairs import PairRules
from ..tally import NEVER, Tally
from ..walk import Group, Walk
from .measure_columns import MeasureColumns, Valued, weighted

By: TypeAlias = Literal["domain", "slot", "without-domain", "seen"]
ActiveTurns: TypeAlias = Literal["active", "all"]

_EMPTY_TURN = Tally(0, 0, 0, 0, NEVER, 0, 0, 0, 0)
_EMPTY_TURN_CUT = Tally(0, 0, 0, 0, NEVER, 0, 0, 0, 0, 0, 0, 0)


class Breakdown:
    """The columns of measures, per group.

    Args:
        by: the kind of groups.
        measures: the measures; only those that are computed from tallies are used.
        hyphen_cut: as in MeasureColumns.
        seen: the domains of the training data, for groups of seen and unseen domains.
    """

    def __init__(
        self, by: By, measures: Sequence[Measure], hyphen_cut: bool, seen: frozenset[str] = frozenset()
    ) -> None:
        self.by = by
        self._measures = [measure for measure in measures if measure.reads() == "tally"]
        self._hyphen_cut = hyphen_cut
        self._seen = seen
        self._by_group: dict[str, MeasureColumns] = {}
        self._dialogues = 0
        self._turns = 0

    def add(self, walk: Walk, pairs: PairRules) -> None:
        """Add the last dialogue of a walk."""
        self._dialogues += 1
        self._turns += len(walk.numbers)
        for name, group in self._groups(walk.slots(), pairs):
            measure_columns = self._by_group.get(name)
            if measure_columns is None:
                measure_columns = self._by_group[name] = MeasureColumns(self._measures, self._hyphen_cut)
            measure_columns.add(walk, pairs, group)

    def merge(self, other: Breakdown) -> None:
        """Add the dialogues of another part of the corpus."""
        self._dialogues += other._dialogues
        self._turns += other._turns
        for group, measure_columns in other._by_group.items():
            self._by_group.setdefault(group, MeasureColumns(self._measures, self._hyphen_cut)).merge(measure_columns)

    def _groups(self, slots: Sequence[int], pairs: PairRules) -> Iterator[tuple[str, Group]]:
        """Yield the groups of a dialogue with these slots, with their names."""
        if self.by == "slot":
            numbers = list(range(len(pairs.slot_names)))
            yield from ((pairs.slot_names[slot], Group(numbers, slot)) for slot in slots)
        elif self.by == "seen":
            seen = [int(pairs.domain_names[domain] in self._seen) for domain in pairs.domains]
            yield from (("seen", Group(seen, 1)), ("unseen", Group(seen, 0)))
        else:
            without = self.by == "without-domain"
            for domain in sorted({pairs.domains[slot] for slot in slots}, key=pairs.domain_names.__getitem__):
                yield pairs.domain_names[domain], Group(pairs.domains, domain, without)

    def values(self, measure: Measure, turns: ActiveTurns, whole: MeasureColumns) -> dict[str, Valued]:
        """Return the value of a measure for every group, sorted by the name of the group.

        Args:
            measure: the measure.
            turns: with ``active``, a mean over turns counts only turns at which gold holds a slot of the group; pooled measures
                always use all turns.
            whole: the columns of the corpus; dialogues without the domain count unchanged in ``without-domain``.
        """
        return {group: self._value(measure, group, turns, whole) for group in sorted(self._by_group)}

    def _value(self, measure: Measure, group: str, turns: ActiveTurns, whole: MeasureColumns) -> Valued:
        measure_columns = self._by_group[group]
        if self.by == "without-domain":
            return self._with_the_rest(measure_columns, whole).value(measure)
        if measure.average == "dialogue" or measure.gather != "sum":
            return measure_columns.value(measure)
        tally_table = measure_columns.tally_table_for(measure)
        table, counts = tally_table.table, tally_table.counts()
        if turns == "active" and not measure.pooled:
            counts = Counter({row: count for row, count in counts.items() if table[row].gold})
        else:
            table = [*table, _EMPTY_TURN_CUT if self._hyphen_cut else _EMPTY_TURN]
            counts[len(table) - 1] = self._turns - len(tally_table.rows)
        return weighted(measure, table, counts)

    def _with_the_rest(self, measure_columns: MeasureColumns, whole: MeasureColumns) -> MeasureColumns:
        """Return the dialogues that have the domain, without that domain, and all other dialogues unchanged."""
        merged = MeasureColumns(self._measures, self._hyphen_cut)
        merged.merge(measure_columns)
        inside = set(measure_columns.main.dialogues)
        for variant, tally_table in merged.tally_tables.items():
            rest = whole.tally_tables[variant]
            for position, name in enumerate(rest.dialogues):
                if name not in inside:
                    rows = [rest.table[row] for row in rest.rows_of(position)]
                    tally_table.add(name, list(rest.turns_of(position)), rows)
        return merged
