"""Scores by domain, by slot and without a domain: both states are projected, then everything is measured as before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from ..measure import Measure
from ..model import State, domain_of
from .book import Book
from .ledger import Ledger, Valued, weighted
from .prepare import Prepared
from .tally import NEVER, Lens, Step, Tally

By: TypeAlias = Literal["domain", "slot", "without-domain", "seen"]
ActiveTurns: TypeAlias = Literal["active", "all"]

_EMPTY_TURN = Tally(0, 0, 0, 0, NEVER, 0, 0, 0, 0)
_EMPTY_TURN_CUT = Tally(0, 0, 0, 0, NEVER, 0, 0, 0, 0, 0, 0, 0)


class Breakdown:
    """One ledger per group.

    Args:
        by: what the groups are.
        measures: the measures of turns that will be asked.
        hyphen_cut: as in Ledger.
        seen: the domains of training, for groups of seen and unseen ones.
    """

    def __init__(
        self, by: By, measures: Sequence[Measure], hyphen_cut: bool, seen: frozenset[str] = frozenset()
    ) -> None:
        self.by = by
        self._measures = [measure for measure in measures if measure.reads() == "tally"]
        self._hyphen_cut = hyphen_cut
        self._seen = seen
        self._ledgers: dict[str, Ledger] = {}
        self._dialogues = 0
        self._turns = 0

    def add(self, prepared: Prepared) -> None:
        """Takes one dialogue."""
        self._dialogues += 1
        self._turns += len(prepared.steps)
        for group, keep in self._groups(prepared):
            ledger = self._ledgers.get(group)
            if ledger is None:
                ledger = self._ledgers[group] = Ledger(self._measures, self._hyphen_cut)
            ledger.add(Prepared(prepared.id, projected(prepared.steps, keep), prepared.agree))

    def merge(self, other: Breakdown) -> None:
        """Takes the dialogues of another part of the corpus."""
        self._dialogues += other._dialogues
        self._turns += other._turns
        for group, ledger in other._ledgers.items():
            self._ledgers.setdefault(group, Ledger(self._measures, self._hyphen_cut)).merge(ledger)

    @property
    def ledgers(self) -> dict[str, Ledger]:
        """The ledger of each group."""
        return self._ledgers

    @property
    def size(self) -> tuple[int, int]:
        """How many dialogues and turns are in."""
        return self._dialogues, self._turns

    def like(self, dialogues: int, turns: int, groups: Mapping[str, Mapping[Lens, Book]]) -> Breakdown:
        """A breakdown like this one that holds what another held: its size, and books by group."""
        made = Breakdown(self.by, self._measures, self._hyphen_cut, self._seen)
        made._dialogues, made._turns = dialogues, turns
        for group, books in groups.items():
            made._ledgers[group] = Ledger(self._measures, self._hyphen_cut)
            made._ledgers[group].books.update(books)
        return made

    def _groups(self, prepared: Prepared) -> list[tuple[str, Callable[[str], bool]]]:
        slots = sorted({slot for _, gold, pred, _, _ in prepared.steps for slot in (*gold, *pred)})
        if self.by == "slot":
            return [(slot, slot.__eq__) for slot in slots]
        if self.by == "seen":
            return [("seen", self._is_seen), ("unseen", lambda slot: not self._is_seen(slot))]
        domains = sorted({domain_of(slot) for slot in slots})
        if self.by == "domain":
            return [(domain, lambda slot, kept=domain: domain_of(slot) == kept) for domain in domains]  # type: ignore[misc]
        return [(domain, lambda slot, left=domain: domain_of(slot) != left) for domain in domains]  # type: ignore[misc]

    def _is_seen(self, slot: str) -> bool:
        return domain_of(slot) in self._seen

    def values(self, measure: Measure, turns: ActiveTurns, whole: Ledger) -> dict[str, Valued]:
        """A measure for every group, groups by name.

        Args:
            measure: what to compute.
            turns: ``active`` counts only turns at which gold holds something of the group, where the measure is a mean
                over turns; measures over sums always take all.
            whole: the ledger of the corpus; dialogues without the domain count unchanged in ``without-domain``.
        """
        return {group: self._value(measure, group, turns, whole) for group in sorted(self._ledgers)}

    def _value(self, measure: Measure, group: str, turns: ActiveTurns, whole: Ledger) -> Valued:
        ledger = self._ledgers[group]
        if self.by == "without-domain":
            return self._with_the_rest(ledger, whole).value(measure)
        if measure.average == "dialogue" or measure.gather != "sum":
            return ledger.value(measure)
        book = ledger.book_for(measure)
        table, counts = book.table, book.counts()
        if turns == "active" and not measure.pooled:
            counts = Counter({row: count for row, count in counts.items() if table[row].gold})
        else:
            table = [*table, _EMPTY_TURN_CUT if self._hyphen_cut else _EMPTY_TURN]
            counts[len(table) - 1] = self._turns - len(book.rows)
        return weighted(measure, table, counts)

    def _with_the_rest(self, ledger: Ledger, whole: Ledger) -> Ledger:
        """The dialogues that have the domain, without it, and those that do not have it, as they are."""
        merged = Ledger(self._measures, self._hyphen_cut)
        merged.merge(ledger)
        inside = set(ledger.main.dialogues)
        for lens, book in merged.books.items():
            rest = whole.books[lens]
            for position, name in enumerate(rest.dialogues):
                if name not in inside:
                    rows = [rest.table[row] for row in rest.rows_of(position)]
                    book.add(name, rest.turns_of(position), rows)
        return merged


def projected(steps: Sequence[Step], keep: Callable[[str], bool]) -> list[Step]:
    """The steps with only some slots; a state that stays the same stays the same object.

    Example:
        >>> state = {"hotel-area": "east", "taxi-to": "x"}
        >>> projected([(0, state, {}, state, {})], lambda slot: slot.startswith("taxi"))[0][1]
        {'taxi-to': 'x'}
    """
    seen: list[State] = [{}, {}, {}, {}]
    kept: list[State] = [{}, {}, {}, {}]
    result: list[Step] = []
    for number, *states in steps:
        for side, state in enumerate(states):
            if state is not seen[side]:
                seen[side] = state
                part = {slot: value for slot, value in state.items() if keep(slot)}
                if part != kept[side]:
                    kept[side] = part
        result.append((number, kept[0], kept[1], kept[2], kept[3]))
    return result
