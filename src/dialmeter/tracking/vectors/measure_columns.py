"""The vectors of all measures, per dialogue: the values of a corpus or of groups of slots, and the matrix for resampling."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise, repeat, zip_longest
from operator import mul
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from msgspec import structs
from msgspec.structs import replace

from ...core.comparison import Resampling, sign_interval
from ...errors import InputError, NotApplicable
from ...measure import Measure, Score, Vector
from ...model import NAMED, Schema, Value, dialogue_key
from ...numeric import np
from ...readers.pairs.vocabulary import PairDialogue, PairState, Vocabulary
from ...stats.draws import map_pieces, resampled_sums
from ...stats.formulas import Floats, Formula, evaluate, exact, rowwise
from ...stats.intervals import Interval
from ...stats.resampling import percentile_interval
from ..compared import ComparedDialogue
from ..measures.dstc10 import ValueMeasure
from ..pairs import PairRules
from ..resolve_measures import ResolvedMeasure
from ..tally import CORRECT, NEVER, OTHER_DOMAINS, Row, Tally, TallyTable, TallyVariant, UnitTable, gathered
from ..walk import Group, Walk
from .frames import FrameTable

_WIDTH = len(Tally._fields) - 1
_SINCE = Tally._fields.index("since")


def with_strictness(
    rows: Sequence[Row], details: Sequence[Any], walk: Walk, pairs: PairRules, places: Mapping[str, int]
) -> list[Row]:
    """Add to the tallies of a dialogue, from ``Walk.rows``, the strictness of the strictest wrong domain.

    ``places`` has the strictness of each domain, 0 for the strictest; ``other`` is for the domains that are not listed.

    Raises:
        InputError: a state holds a domain without a strictness.
    """
    result = []
    for row, slots, number in zip(rows, details, walk.numbers, strict=True):
        wrong = []
        for slot, kind, *_ in slots:
            domain = pairs.domain_names[pairs.domains[slot]]
            place = places.get(domain, places.get(OTHER_DOMAINS))
            if place is None:
                raise InputError(
                    f"lam has no lambda for the domain {domain!r}; add it, or add {OTHER_DOMAINS} for all other domains",
                    dialogue=walk.id,
                    turn=number,
                    slot=pairs.slot_names[slot],
                )
            if kind > CORRECT:
                wrong.append(place)
        strictest = min(wrong) if wrong and row[_SINCE] else -1
        result.append((*row, *(-1 for _ in range(_WIDTH - len(row))), strictest))
    return result


Columns: TypeAlias = list[tuple[float, ...]]
"""The vectors of a measure over distinct tallies, column by column."""
NEEDS_SCHEMA = "measures of frames need a schema, and the file has none; give one with --set schema=FILE"


class Valued(NamedTuple):
    """The value of a measure over a set of units."""

    value: float | None
    n: int
    unscored: int


def variant_of(measure: Measure) -> TallyVariant:
    """Return the tally variant that a measure needs."""
    return measure.tally_variant() if hasattr(measure, "tally_variant") else TallyVariant()


def plan(measures: Iterable[Measure]) -> list[TallyVariant]:
    """Return the fewest tally variants that serve all measures; the first variant combines the first setting of each kind."""
    every = [variant_of(measure) for measure in measures]
    variants = [variant for variant in every if not variant.strictness]
    first, *others = dict.fromkeys(variant.alternatives for variant in variants if variant.alternatives) or ["overlap"]
    planned: list[TallyVariant] = []
    for alternatives in (first, *others):
        served = [variant for variant in variants if (variant.alternatives or first) == alternatives]
        locals_ = dict.fromkeys(variant.local for variant in served if variant.local)
        deletions = dict.fromkeys(variant.deletions for variant in served if variant.deletions)
        pairs = list(zip_longest(locals_, deletions)) or [(None, None)]
        planned += [TallyVariant(local or "paper", deletion or "ignore", alternatives) for local, deletion in pairs]
    by_domain = dict.fromkeys(variant for variant in every if variant.strictness)
    return [*planned, *(structs.replace(variant, deletions="ignore") for variant in by_domain)]


class MeasureColumns:
    """The vectors of measures, per dialogue of a corpus.

    Args:
        measures: the measures, with the settings of the rule set.
        hyphen_cut: count errors like the published code that cuts pairs at the last hyphen.
    """

    def __init__(self, measures: Sequence[Measure], hyphen_cut: bool = False) -> None:
        self.measures = tuple(measures)
        self.hyphen_cut = hyphen_cut
        self.tally_tables = {variant: TallyTable() for variant in plan(measures)}
        self._row_columns: dict[Measure, Columns] = {}
        self.frames = FrameTable(each for each in self.measures if each.reads() == "frames")
        # The vectors of measures that need more than tallies.
        self._vectors: dict[Any, UnitTable] = {
            each: UnitTable() for each in self.measures if each.reads() in ("changes", "states", "texts")
        }

    @property
    def needs_none(self) -> bool:
        """Does a variant need explicit absent words?"""
        return any(variant.deletions == "code" for variant in self.tally_tables)

    @property
    def needs_details(self) -> bool:
        """Does a measure need more than tallies?"""
        return bool(self._vectors or self.frames.measures)

    @property
    def main(self) -> TallyTable:
        """The tallies of the first variant, which is that of the rule set."""
        return next(iter(self.tally_tables.values()))

    def add(self, walk: Walk, pairs: PairRules, group: Group | None = None) -> None:
        """Add the tallies of the last dialogue of a walk, or of one group of its slots.

        Raises:
            InputError: a measure has settings by domain, and a domain of the dialogue is not among them.
        """
        counts = group is None
        for variant, tally_table in self.tally_tables.items():
            details: list[Any] | None = [] if variant.strictness else None
            rows = walk.rows(variant.local, variant.deletions, variant.alternatives, group, details, counts)
            if details is not None:
                rows = with_strictness(rows, details, walk, pairs, dict(variant.strictness))
            tally_table.add(walk.id, walk.numbers, rows)
            counts = False

    def add_details(self, compared: ComparedDialogue, dialogue: PairDialogue, schema: Schema | None) -> None:
        """Add the vectors of measures that need more than tallies.

        Raises:
            NotApplicable: a measure of frames has no schema.
        """
        overlaps: dict[str, list[tuple[float, int, int]]] = {}
        for measure, table in self._vectors.items():
            units: Iterable[Vector]
            if isinstance(measure, ValueMeasure):
                if measure.several not in overlaps:
                    overlaps[measure.several] = measure.overlaps(compared)
                units = [measure.vector(*each) for each in overlaps[measure.several]]
            elif measure.reads() == "states":
                states = [({}, {}), *compared.states()]
                units = [measure.from_states(old[0], new[0], old[1], new[1]) for old, new in pairwise(states)]
            elif measure.reads() == "texts":
                units = [measure.from_texts(*each) for each in state_texts(compared, dialogue)]
            else:
                variant = self._variant_for(measure)
                tally_table = self.tally_tables[variant]
                tallies = [tally_table.table[row] for row in tally_table.rows_of(len(tally_table.dialogues) - 1)]
                units = map(measure.from_changes, tallies, compared.wrong_changes(variant.alternatives))
            table.add(compared.id, compared.numbers, units)
        if self.frames.measures:
            if schema is None:
                raise NotApplicable(NEEDS_SCHEMA)
            self.frames.add_frames(compared, dialogue, schema)

    def merge(self, other: MeasureColumns) -> None:
        """Append the dialogues of another part of the corpus."""
        for variant, tally_table in self.tally_tables.items():
            tally_table.merge(other.tally_tables[variant])
        for measure, table in self._vectors.items():
            table.merge(other._vectors[measure])
        self.frames.merge(other.frames)

    def tally_table_for(self, measure: Measure) -> TallyTable:
        """Return the tallies for a measure."""
        return self.tally_tables[self._variant_for(measure)]

    def _variant_for(self, measure: Measure) -> TallyVariant:
        variant = variant_of(measure)
        return next(mine for mine in self.tally_tables if variant.fits(mine))

    def value(self, measure: Measure) -> Valued:
        """Return the value of a measure over the whole corpus."""
        if measure.average == "dialogue":
            values = self.per_dialogue(measure)
            scored = [value for value in values if value is not None]
            return Valued(math.fsum(scored) / len(scored) if scored else None, len(scored), len(values) - len(scored))
        if measure in self.frames.measures:
            return _repeated(measure, sum(self.frames.counts(measure).values(), Counter()))
        if measure in self._vectors:
            table = self._vectors[measure]
            return _repeated(measure, dict(zip(table.number_of, table.times(), strict=True)))
        tally_table = self.tally_table_for(measure)
        if measure.gather != "sum":
            return _repeated(measure, Counter(map(tuple, self.vectors(measure).tolist())))
        return _value_of_columns(measure, self.columns_of_rows(measure), tally_table.times())

    def columns_of_rows(self, measure: Measure) -> Columns:
        """Return the columns of a measure over the distinct tallies of its table."""
        table = self.tally_table_for(measure).table
        columns = self._row_columns.get(measure)
        if columns is None or len(columns[0]) != len(table):
            columns = self._row_columns[measure] = columns_of(measure, table)
        return columns

    def vectors(self, measure: Measure) -> Floats:
        """Return the vector of a measure per dialogue, in the order in which the dialogues were added."""
        if measure.reads() != "tally":
            units = self.units(measure).values()
            width = len(next((each[0] for each in units if each), (0.0, 0.0)))
            sums = [[math.fsum(column) for column in zip(*each, strict=True)] or [0.0] * width for each in units]
            return np.array(sums, dtype=float).reshape(len(sums), width)
        columns = np.array(self.columns_of_rows(measure), np.float64)
        return gathered(self.tally_table_for(measure), columns, measure.gather).T

    def values(self, measure: Measure) -> Floats:
        """Return the value of a measure for each dialogue; NaN if it has none."""
        sums = self.vectors(measure)
        if type(measure).value is Measure.value:
            shares: Floats = np.full(len(sums), np.nan)
            np.divide(sums[:, 0], sums[:, 1], out=shares, where=sums[:, 1] != 0)
            return shares
        # Many short dialogues have the same sums.
        value_of = cache(measure.value)
        return np.array([value_of(each) for each in map(tuple, sums.tolist())], np.float64)

    def per_dialogue(self, measure: Measure) -> list[float | None]:
        """Return the value of a measure for each dialogue; None if it has none."""
        return [None if value != value else value for value in self.values(measure).tolist()]  # noqa: PLR0124

    def by_turn(self, measure: Measure) -> dict[int, Valued]:
        """Return the value of a measure by turn number; only for measures of turns."""
        tally_table = self.tally_table_for(measure)
        cells: dict[int, Counter[int]] = defaultdict(Counter)
        for (number, row), count in Counter(zip(tally_table.turns, tally_table.rows, strict=True)).items():
            cells[number][row] += count
        return {number: weighted(measure, tally_table.table, cells[number]) for number in sorted(cells)}

    def by_service(self, measure: Measure, name_of: Callable[[str], str] = str) -> dict[str, Valued]:
        """Return the value of a measure of frames by service, or by groups of services."""
        groups = self.frames.counts(measure, name_of)
        return {name: _repeated(measure, groups[name]) for name in sorted(groups)}

    def units(self, measure: Measure) -> dict[str, list[Vector]]:
        """Return the vectors of every unit of a measure that needs more than tallies, by dialogue."""
        if measure in self.frames.measures:
            turns = self.frames.units(measure)
            return {name: [*chain(*each.values())] for name, each in zip(self.main.dialogues, turns, strict=True)}
        table = self._vectors[measure]
        vectors = list(table.number_of)
        return {name: [vectors[row] for row in table.rows_of(at)] for at, name in enumerate(table.dialogues)}


def columns_of(measure: Measure, tallies: Iterable[Tally]) -> Columns:
    """Return the vectors of a measure for many tallies: column i holds the i-th entry of each vector."""
    from_tally = cast(Callable[[Tally], Vector], measure.from_tally)  # type: ignore[attr-defined]
    try:
        return [*zip(*map(from_tally, tallies), strict=True)] or [(), ()]
    except ValueError:
        raise ValueError(f"{measure} gives vectors of different lengths") from None


def weighted(measure: Measure, table: Sequence[Tally], counts: Counter[int]) -> Valued:
    """Return the value of a measure over distinct tallies with counts. Sums are exactly rounded, so order does not matter."""
    columns = columns_of(measure, map(table.__getitem__, counts))
    return _value_of_columns(measure, columns, [*counts.values()])


def _value_of_columns(measure: Measure, columns: Columns, times: Sequence[int]) -> Valued:
    sums = [math.fsum(map(mul, times, column)) for column in columns]
    filled = map(any, zip(*columns, strict=True))
    skipped = sum(count for count, some in zip(times, filled, strict=True) if not some) if measure.skips_empty else 0
    return Valued(measure.value(sums), sum(times) - skipped, skipped)


def _repeated(measure: Measure, counts: Mapping[Vector, int]) -> Valued:
    """Return the value of a measure over distinct vectors with counts. Every unit is one term of an exactly rounded sum."""
    columns = zip(*counts, strict=True)
    times = counts.values()
    sums = [math.fsum(chain.from_iterable(map(repeat, column, times))) for column in columns] or [0.0, 0.0]
    skipped = sum(count for vector, count in counts.items() if not any(vector)) if measure.skips_empty else 0
    return Valued(measure.value(sums), sum(times) - skipped, skipped)


def with_slots(measure: Measure, slots: int) -> Measure:
    """Set the number of slots of a measure that needs it and does not have it."""
    if getattr(measure, "slots", None) == 0:
        return structs.replace(measure, slots=slots)
    return measure


def state_texts(compared: ComparedDialogue, dialogue: PairDialogue) -> list[tuple[str, str]]:
    """Return gold and prediction of every compared turn as texts, from the file if it has texts, or else formatted here.

    Formatted texts keep the order of the file. Of several gold values, they hold the first. They skip empty values and domains
    without values.
    """
    words = compared.pairs.vocabulary
    written = {turn.number: turn.written for turn in dialogue.turns}
    states = dict(zip(dialogue.numbers, zip(dialogue.gold, dialogue.pred, strict=True), strict=True))
    texts = []
    for number in compared.numbers:
        gold, pred = states[number]
        texts.append(
            written[number]
            or (_format_state(words, gold or (), first=True), _format_state(words, pred or (), first=False))
        )
    return texts


def _format_state(words: Vocabulary, state: PairState, first: bool) -> str:
    domains: dict[str, list[str]] = {}
    for pair in state:
        value = _format_value(words.values[pair], first)
        if value:
            domain, _, slot = words.slots[pair].partition("-")
            domains.setdefault(domain, []).append(f"[{slot}][{value}]")
    return ";".join(f"[{domain}]({','.join(pairs)})" for domain, pairs in domains.items())


def _format_value(value: Value, first: bool) -> str:
    if value == NAMED:
        return ""
    if isinstance(value, tuple):
        return value[0] if first and value else "|".join(value)
    return value.partition("|")[0] if first else value


By: TypeAlias = Literal["domain", "slot", "without-domain", "seen"]
ActiveTurns: TypeAlias = Literal["active", "all"]

_EMPTY_TURN = Tally(0, 0, 0, 0, NEVER, 0, 0, 0, 0)
_EMPTY_TURN_CUT = Tally(0, 0, 0, 0, NEVER, 0, 0, 0, 0, 0, 0, 0)


class Breakdown:
    """The columns of the measures that are computed from tallies, per group of slots.

    Both states are restricted to the slots of the group, then measured as usual. ``seen`` has the domains of the training data,
    for groups of seen and unseen domains.
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

        With ``active``, a mean over turns counts only turns at which gold holds a slot of the group; pooled measures always use all
        turns. Dialogues without the domain count as in the whole corpus in ``without-domain``.
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


def order_of(measure_columns: MeasureColumns) -> list[int]:
    """Return the positions of the dialogues sorted by id, so that resampling does not depend on the order of the file."""
    names = list(map(dialogue_key, measure_columns.main.dialogues))
    return sorted(range(len(names)), key=names.__getitem__)


def columns(measure_columns: MeasureColumns, measures: Sequence[ResolvedMeasure]) -> tuple[Floats, dict[str, Formula]]:
    """Return the matrix of all measures, with rows sorted by dialogue, and the formula of each measure over its columns."""
    order = order_of(measure_columns)
    blocks: list[Floats] = []
    formulas: dict[str, Formula] = {}
    width = 0
    for each in measures:
        block = _block(measure_columns, each.used)
        formulas[each.text] = _formula(each.used, slice(width, width + block.shape[1]))
        blocks.append(block[order])
        width += block.shape[1]
    return np.hstack(blocks), formulas


def _block(measure_columns: MeasureColumns, measure: Measure) -> Floats:
    """Return the vectors of a measure; for a mean over dialogues, the value of each dialogue and whether it has one."""
    if measure.average != "dialogue":
        return measure_columns.vectors(measure)
    values = measure_columns.values(measure)
    return np.stack([np.nan_to_num(values), ~np.isnan(values)], axis=1)


def _formula(measure: Measure, take: slice | Sequence[int]) -> Formula:
    is_share = measure.average == "dialogue" or type(measure).value is Measure.value
    rows = getattr(measure, "values", None) or rowwise(lambda row: measure.value(row.tolist()))
    return Formula((lambda sums: sums[..., 0] / sums[..., 1]) if is_share else rows, take, measure.low, measure.high)


def with_interval(score: Score, interval: Interval | None, resampling: Resampling | None) -> Score:
    """Return a score with its interval, or with the reason why it has none. A score without a value gets no interval."""
    if score.value is None or interval is None:
        return score
    signature = sign_interval(score.signature, resampling, interval.ci)
    return replace(score, ci=interval.ci, ci_reason=interval.reason or "", signature=signature)


def intervals(
    measure_columns: MeasureColumns, measures: Sequence[ResolvedMeasure], resampling: Resampling, threads: int = 1
) -> dict[str, Interval]:
    """Return the bootstrap intervals of all measures from the same resamples; empty if there are fewer than two dialogues."""
    dialogues = len(measure_columns.main.dialogues)
    if dialogues < 2:
        return {}
    matrix, formulas = _exact_columns(measure_columns, measures, threads)
    sums = resampled_sums(matrix, resampling.resamples, resampling.seed, threads=threads)
    return {
        name: percentile_interval(evaluate(formula, sums), resampling.confidence, dialogues, formula, matrix)
        for name, formula in formulas.items()
    }


def _exact_columns(
    measure_columns: MeasureColumns, measures: Sequence[ResolvedMeasure], threads: int
) -> tuple[Floats, dict[str, Formula]]:
    """Like ``columns``, but rounded so that sums are exact, and without duplicates: many measures divide by the number of turns."""
    order = np.array(order_of(measure_columns))
    places: dict[bytes, int] = {}
    distinct: list[Floats] = []
    formulas: dict[str, Formula] = {}
    for each in measures:
        take = []
        for column in _block(measure_columns, each.used)[order].T:
            take.append(places.setdefault(column.tobytes(), len(distinct)))
            if take[-1] == len(distinct):
                distinct.append(column)
        formulas[each.text] = _formula(each.used, take)
    matrix = np.stack(distinct)

    def round_column(column: Floats) -> None:
        column[:] = exact(column)[:, 0]

    list(map_pieces(round_column, matrix, threads=threads))
    return matrix.T, formulas
