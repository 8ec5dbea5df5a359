"""The result of scoring a tracker: scores with signatures, counts, warnings, breakdowns, and the worst dialogues."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import nsmallest
from math import fsum
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..core.account import only_field
from ..core.comparison import Resampling
from ..core.result import Result, RunFields
from ..errors import DialmeterError, did_you_mean
from ..measure import Measure, Reads, Score
from ..model import Notice
from .align import KeptDialogues, PairFiles
from .diagnosis.findings import notices_of
from .diagnosis.suspicions import Finding, diagnose
from .digest import GOLD
from .resolve_measures import ResolvedMeasure
from .rule_sets.rules import signature
from .seen import digest_of, schema_digest, seen_by
from .vectors.measure_columns import (
    ActiveTurns,
    Valued,
    intervals,
    with_interval,
    with_slots,
)

if TYPE_CHECKING:
    from .scorer import TrackerScorer


_MISTAKES = 50
"""Number of pairs of gold and predicted value that a run keeps."""


class Worst(Struct, frozen=True):
    """A dialogue with a low value, and its counts of mistakes."""

    dialogue: str
    value: float
    turns: int
    wrong_turns: int
    missed: int
    wrong: int
    extra: int


class TrackerResult(Result):
    """The result of scoring a tracker. Values are fractions; see ``scores``, ``by`` and ``worst``."""

    def __init__(
        self,
        scorer: TrackerScorer,
        notices: Sequence[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
    ) -> None:
        self.rules, self.measure_columns, self.findings = scorer.decided_rules, scorer.measure_columns, scorer.findings
        self.values_known = not scorer.correctness_only
        self.resampling = resampling
        self.threads = 1
        """Number of threads for the intervals of a large corpus."""
        self.format = ""
        """The format of the file that was scored."""
        self.files: PairFiles | KeptDialogues | None = None
        """The dialogues that were scored, if they were kept, or the files, if they can be read again."""
        self.account = self.findings.account(self.dialogues, only)
        said = [f"states:{scorer.states}"] if scorer.states else []
        self._selection = (*said, *only_field(only), *self.account.signed)
        self._seen, self._schema, self._breakdowns = scorer.seen, scorer.schema, scorer.breakdowns
        self.gold_digest, self.mistakes = self.findings.digest, self.findings.mistakes
        known = {*map(scorer.pairs.name_of, scorer.schema.slots)} if scorer.schema else self.findings.gold_slots
        self.slots = len(known - scorer.repairs.dropped)
        self.measures = [ResolvedMeasure(each.text, with_slots(each.used, self.slots)) for each in scorer.measures]
        """The requested measures, in order."""
        self.unscored = self.findings.missing.shown if self.rules.skips_missing else ""
        self._worst: dict[str, tuple[list[Worst], int]] = {}
        """The worst dialogues by a measure that were found before, and their requested number."""
        self.notices = [*notices, *notices_of(self.measures, self.measure_columns, self.findings, self.rules)]

    @cached_property
    def diagnosis(self) -> list[Finding]:
        """Problems of the files that look like mistakes of the tracker. If there are any, the dialogues are scored again."""
        if not self.values_known:
            return []
        # Dialogues that were kept are those of the table of tallies.
        exact = self.measure_columns.main.exact_turns() if isinstance(self.files, KeptDialogues) else None
        return diagnose(self.findings, self.rules, self.files, exact)

    @cached_property
    def _digests(self) -> dict[str, str]:
        return self.gold_digest.hexes()

    @property
    def gold(self) -> str:
        """The digest of the canonical gold: the same in every format and under every rule set."""
        return self._digests[GOLD]

    @property
    def data(self) -> str:
        """The digest of what the first measure sees of gold under the rule set."""
        return self._digests.get(seen_by(self.measures[0].used, self.rules), "")

    @property
    def seen(self) -> set[str]:
        """What the measures see of gold: the forms of ``gold_digest`` that decide whether results are comparable."""
        return {seen_by(each.used, self.rules) for each in self.measures}

    @cached_property
    def _schema_digest(self) -> str:
        return schema_digest(self._schema, self.measure_columns.frames.services) if self._schema else ""

    @property
    def dialogues(self) -> int:
        """Number of scored dialogues."""
        return len(self.measure_columns.main.dialogues)

    @property
    def turns(self) -> int:
        """Number of scored turns."""
        return len(self.measure_columns.main.rows)

    @cached_property
    def scores(self) -> list[Score]:
        """The scores of the requested measures in order, with intervals if resampling was requested."""
        limits = (
            intervals(self.measure_columns, self.measures, self.resampling, self.threads) if self.resampling else {}
        )
        plain = map(self.score_of, self.measures)
        return [with_interval(score, limits.get(score.measure), self.resampling) for score in plain]

    def score_of(self, measure: ResolvedMeasure) -> Score:
        """Return the score of a measure over all dialogues, without interval. The measure need not be a requested one.

        But it must use the same tally variant as a requested measure, such as FGA with another lambda.
        """
        return self._score(measure, self.measure_columns.value(measure.used))

    def _no_score(self, name: Any) -> str:
        return f"{name!r} was not requested; {did_you_mean(str(name), [each.text for each in self.measures])}"

    @cached_property
    def counts(self) -> dict[str, int]:
        """Counts of dialogues, turns, exact and local turns, and the four kinds of changes, under the rule set's tally variant."""
        kinds = {"exact_turns": "exact", "local_turns": "local"}
        if self.values_known:
            kinds |= {name: name for name in ("missed", "wrong", "extra", "correct")}
        count = self.measure_columns.main.count_turns
        counts = {name: count(attrgetter(field)) for name, field in kinds.items()}
        return {"dialogues": self.dialogues, "turns": self.turns, **counts}

    def by(self, group: str, turns: ActiveTurns = "active") -> list[Score]:
        """Return the scores by ``domain``, ``slot``, ``without-domain``, ``seen``, ``service`` or ``turn``.

        Args:
            group: the kind of groups.
            turns: for groups of slots, count only turns at which gold holds one of the slots (``active``), or ``all``.

        Raises:
            DialmeterError: the breakdown was not requested before scoring.
        """
        columns, breakdown = self.measure_columns, self._breakdowns.get(group)
        if group == "turn":
            return self._by(
                group,
                "tally",
                lambda used: columns.by_turn(used) if used.gather == "sum" and used.average == "turn" else {},
            )
        # How a breakdown of frames names a service, such as Hotels_2.
        names: dict[str, Callable[[str], str]] = {
            "service": str,
            "seen": lambda service: "seen" if service in self._seen else "unseen",
            "domain": lambda service: service.partition("_")[0],
        }
        if breakdown is None and group not in ("service", "seen"):
            available = ("turn", "service", *self._breakdowns)
            raise DialmeterError(f"no breakdown by {group!r}; {did_you_mean(group, available)} (request it with by=)")
        scores = []
        if group in names:
            scores += self._by(group, "frames", lambda used: columns.by_service(used, names[group]))
        if breakdown is not None:
            also = {"turns": turns} if group != "without-domain" else {}
            scores += self._by(group, "tally", lambda used: breakdown.values(used, turns, columns), also)
        return scores

    def _by(
        self,
        group: str,
        reads: Reads,
        values: Callable[[Measure], Mapping[Any, Valued]],
        also: Mapping[str, str] | None = None,
    ) -> list[Score]:
        """Return the scores of the groups of all measures that read the same kind of input."""
        chosen = [each for each in self.measures if each.used.reads() == reads]
        return [
            self._score(each, value, {group: name}, also)
            for each in chosen
            for name, value in values(each.used).items()
        ]

    def _score(
        self,
        measure: ResolvedMeasure,
        valued: Valued,
        group: dict[str, str | int] | None = None,
        also: Mapping[str, str] | None = None,
    ) -> Score:
        value = valued.value
        seen = seen_by(measure.used, self.rules)
        fields = {"schema": self._schema_digest} if seen == "frames" else {}
        if group and "seen" in group:
            fields["train"] = digest_of(sorted(self._seen))
        if value is None and self.rules.undefined == "zero":
            value = 0.0
        return Score(
            measure=measure.text,
            value=value,
            n=valued.n,
            unscored=valued.unscored,
            reason="" if value is not None else measure.used.reason_unscored,
            group=group or {},
            signature=signature(
                measure.text,
                measure.used,
                self.rules,
                dialogues=self.dialogues,
                turns=self.turns,
                data=self._digests.get(seen, ""),
                gold=self.gold,
                unscored=self.unscored,
                account=self._selection,
                also={**fields, **(group or {}), **(also or {})},
            ),
        )

    def worst(self, n: int = 10, measure: str | None = None) -> list[Worst]:
        """Return the dialogues with mistakes and the lowest values of a measure (default: FGA if it was requested)."""
        ranking = self._ranking(measure)
        found, most = self._worst.get(ranking.text, ([], -1))
        if n > most:
            found = self._find_worst(n, ranking.used)
            self._worst[ranking.text] = found, n
        return found[:n]

    def _find_worst(self, n: int, measure: Measure) -> list[Worst]:
        tally_table, columns = (
            self.measure_columns.tally_table_for(measure),
            self.measure_columns.columns_of_rows(measure),
        )
        kinds = [(row.missed, row.wrong, row.extra) for row in tally_table.table]
        mistakes = [*map(sum, kinds)]
        is_wrong = [not row.exact for row in tally_table.table]

        def ranked() -> Iterator[tuple[float, int, int, str, int]]:
            """The lowest value first, then the most wrong turns, then the most mistakes."""
            for at, dialogue in enumerate(tally_table.dialogues):
                rows = tally_table.rows_of(at)
                wrong_turns = sum(map(is_wrong.__getitem__, rows))
                if not wrong_turns:
                    continue
                value = measure.value([fsum(map(column.__getitem__, rows)) for column in columns])
                if value is not None:
                    yield value, -wrong_turns, -sum(map(mistakes.__getitem__, rows)), dialogue, at

        found = []
        for value, wrong_turns, _, dialogue, at in nsmallest(n, ranked()):
            rows = tally_table.rows_of(at)
            counts = map(sum, zip(*map(kinds.__getitem__, rows), strict=True))
            found.append(Worst(dialogue, value, len(rows), -wrong_turns, *counts))
        return found

    def _ranking(self, measure: str | None) -> ResolvedMeasure:
        ranked = [each for each in self.measures if each.used.reads() == "tally" and each.used.gather == "sum"]
        if measure is not None:
            ranked = [each for each in ranked if each.text == measure]
            if not ranked:
                raise DialmeterError(f"dialogues cannot be ranked by {measure!r}; it was not requested")
        elif not ranked:
            own = self.measure_columns.measures[0]
            return ResolvedMeasure(repr(own), own)
        return next((each for each in ranked if each.text == "FGA(lam=0.5)"), ranked[0])

    def run_fields(self) -> RunFields:
        """Return the scores of each dialogue, the findings of the diagnosis, and the most frequent mistakes."""
        columns, by_turn = self.measure_columns, (each for each in self.measures if each.used.average == "turn")
        mistakes = self.mistakes.worst(_MISTAKES) if self.values_known else []
        return RunFields(
            {each.text: columns.per_dialogue(each.used) for each in by_turn},
            details={"diagnosis": self.diagnosis, "mistakes": mistakes},
        )

    @property
    def ranked_by(self) -> str:
        """The default measure of ``worst``."""
        return self._ranking(None).text
