"""The scorer of trackers: takes dialogues one by one and gives a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..core.account import BY_NAME, NO_GOLD, NO_PREDICTION
from ..core.comparison import Resampling
from ..errors import DialmeterError, InputError, NotApplicable
from ..measure import Measure
from ..model import Dialogue, Notice, Schema, Turn, dialogue_key
from ..readers.pairs.state_layouts import ANY, FLAT
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.parts import UniqueIds, as_mapping, dialogue
from .compared import ComparedDialogue
from .diagnosis.findings import Findings, Mistakes
from .digest import GoldText
from .pairs import PairRules
from .resolve_measures import resolve
from .result import TrackerResult
from .rule_sets.rules import Rules, load
from .vectors.breakdown import Breakdown, By
from .vectors.measure_columns import NEEDS_SCHEMA, MeasureColumns
from .walk import Walk

Sink = Callable[[PairDialogue, ComparedDialogue], None]
"""Takes every scored dialogue as it was read and as it was compared."""


class PartialScores(Struct):
    """What a scorer has of one shard of a corpus; it can be sent between processes."""

    measure_columns: MeasureColumns
    findings: Findings
    breakdowns: list[Breakdown]


class TrackerScorer:
    """Takes dialogues one by one, or turn by turn, as in a training loop.

    A scorer can be pickled, merged with another one (``merge``), and emptied (``reset``).

    Args:
        measures: what to compute, as names or measures; without it those of the rule set.
        rules: a rule set, its name, or a TOML file.
        schema: the slots that exist; SA takes their number from it.
        by: also keep what is needed for scores by ``domain``, ``slot``, ``without-domain`` or ``seen``.
        correctness_only: the dialogues say which slots are right, but hold no values.
        seen: the domains or services of training, for ``seen``.
        vocabulary: numbers the pairs of the dialogues; a new one without it.

    Example:
        >>> scorer = TrackerScorer(["JGA", "SA(slots=30)"])
        >>> scorer.add("d1", [{"hotel-area": "east"}], [{"hotel-area": "East "}])
        >>> scorer.add_turn("d2", {"taxi-to": "x"}, {"taxi-to": "y"})
        >>> [score.value for score in scorer.result().scores]
        [0.5, 0.9833333333333334]
    """

    def __init__(
        self,
        measures: Sequence[str | Measure] | None = None,
        rules: str | Path | Rules = "dialmeter",
        schema: Schema | None = None,
        by: Sequence[By] = (),
        *,
        correctness_only: bool = False,
        seen: frozenset[str] = frozenset(),
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.rules = rules if isinstance(rules, Rules) else load(str(rules))
        self._measures = measures
        self._given_schema = schema
        self._given_vocabulary = vocabulary
        self._by = tuple(dict.fromkeys(by))
        self._correctness_only = correctness_only
        self._seen = seen
        self._left_out = frozenset(map(dialogue_key, self.rules.left_out_of_vectors))
        self._asked, self._notices = resolve(measures, self.rules, correctness_only)
        # The rule set's own FGA and GCA come first: counts are computed with their tally variant.
        own_names = ["FGA(lam=1)"] if correctness_only else ["FGA(lam=1)", "GCA"]
        own, _ = resolve(own_names, replace(self.rules, only_measures=()), correctness_only)
        self._used = [asked.used for asked in (*own, *self._asked)]
        self.reset()

    def reset(self) -> None:
        """Forgets all dialogues."""
        schema, hyphen_cut = self._given_schema, self.rules.hyphen_cut
        self.schema = schema
        self._once = UniqueIds()
        self._open: dict[str, tuple[list[Any], list[Any]]] = {}
        self._ledger = MeasureColumns(self._used, hyphen_cut)
        self.vocabulary = self._given_vocabulary or Vocabulary()
        self.pairs = PairRules(self.rules, self.vocabulary)
        self._walk = Walk(
            self.pairs,
            GoldText(self.vocabulary),
            self._ledger.needs_none,
            hyphen_cut,
            frozenset(map(self.pairs.name_of, schema.slots)) if schema and not self.rules.stand_ins else None,
        )
        self._findings = Findings()
        self._breakdowns = [Breakdown(kind, self._used, hyphen_cut, self._seen) for kind in self._by]

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (self._measures, self.rules, self._given_schema, self._by)
        options = {"correctness_only": self._correctness_only, "seen": self._seen}
        open_turns, self._open = self._open, {}
        state = (self.part, self._once, open_turns, self.schema)
        self._open = open_turns
        return _restored, (type(self), arguments, options, state)

    def add_turn(self, dialogue_id: str, gold: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Takes the next turn of a dialogue. The dialogue is scored at ``end``, or when the result is wanted.

        Args:
            dialogue_id: dialogues may be mixed.
            gold: the gold state after the turn; flat or nested. It may be changed afterwards: a copy is kept.
            pred: the predicted state.
        """
        golds, preds = self._open.setdefault(str(dialogue_id), ([], []))
        golds.append(deepcopy(gold))
        preds.append(deepcopy(pred))

    def end(self, dialogue_id: str) -> None:
        """Scores a dialogue whose turns were added one by one.

        Raises:
            InputError: no turn of it was added, or something that is no state.
        """
        if str(dialogue_id) not in self._open:
            raise InputError("no turn of this dialogue was added", dialogue=str(dialogue_id))
        self.add(dialogue_id, *self._open.pop(str(dialogue_id)))

    def add(self, dialogue_id: str, gold: Iterable[Mapping[str, Any]], pred: Iterable[Mapping[str, Any]]) -> None:
        """Takes one dialogue as two lists of states, one per user turn; flat or nested.

        Raises:
            InputError: lists of different length, or something that is no state.
        """
        dialogue_id = str(dialogue_id)
        self._once.check(dialogue_id)
        golds, preds = states_of(gold, dialogue_id, "gold"), states_of(pred, dialogue_id, "pred")
        if len(golds) != len(preds):
            raise InputError(f"{len(golds)} gold states and {len(preds)} predicted ones", dialogue=dialogue_id)
        pairs = zip(golds, preds, strict=True)
        read = dialogue(dialogue_id, [Turn(number, wanted, found) for number, (wanted, found) in enumerate(pairs)])
        self.add_pairs(self.vocabulary.number_dialogue(read, ANY))

    def add_dialogue(self, read: Dialogue) -> bool:
        """Takes one dialogue with flat states, and says whether any of its turns is scored."""
        return self.add_pairs(self.vocabulary.number_dialogue(read, FLAT))

    def add_pairs(self, read: PairDialogue) -> bool:
        """Takes one dialogue whose pairs have the numbers of the scorer's vocabulary; see ``add_dialogue``.

        Raises:
            InputError: a state in which one slot has two values, or a slot that the schema lacks.
        """
        walk, pairs = self._walk, self.pairs
        if self._correctness_only and dialogue_key(read.id) in self._left_out:
            self._findings.unscored[read.id] = BY_NAME
            return False
        turns = walk.take(read)
        if walk.surplus and self.rules.missing == "predicted-only":
            raise InputError("a prediction without gold", dialogue=read.id, turn=walk.surplus[0])
        self._findings.note(walk, pairs)
        if not turns:
            self._findings.unscored[read.id] = NO_PREDICTION if walk.has_gold else NO_GOLD
            return False
        self._ledger.add(walk, pairs)
        for breakdown in self._breakdowns:
            breakdown.add(walk, pairs)
        if self._ledger.looks_closely:
            self._ledger.add_closely(self.compared(), read, self.schema)
        return True

    def compared(self) -> ComparedDialogue:
        """The dialogue that was added last, as it was compared."""
        return ComparedDialogue(self._walk, self.pairs)

    @property
    def findings(self) -> Findings:
        """What was noticed so far; also what the walk has counted since it was last asked."""
        found = self._findings
        found.gold_slots |= self._walk.gold_slots()
        found.note_carried(self._walk, self.vocabulary)
        found.stops |= self.pairs.stops
        found.mistakes.merge(Mistakes.of(self._walk, self.pairs))
        return found

    @property
    def part(self) -> PartialScores:
        """What was scored so far, to be merged into another scorer."""
        for dialogue_id in list(self._open):
            self.end(dialogue_id)
        return PartialScores(self._ledger, self.findings, self._breakdowns)

    def merge(self, other: TrackerScorer) -> None:
        """Takes the dialogues of another scorer with the same measures, rules and breakdowns.

        Raises:
            DialmeterError: the scorers are not alike.
            InputError: a dialogue is in both.
        """
        if (self.rules, self._asked, self._by) != (other.rules, other._asked, other._by):
            raise DialmeterError("only scorers with the same measures, rules and breakdowns can be merged")
        self.merge_part(other.part)
        self._once.merge(other._once)

    def merge_part(self, part: PartialScores) -> None:
        """Takes what a scorer with the same measures and rules has of another shard of the corpus.

        Raises:
            InputError: a dialogue is in both.
        """
        self._findings.merge(part.findings)
        self._ledger.merge(part.measure_columns)
        for mine, theirs in zip(self._breakdowns, part.breakdowns, strict=True):
            mine.merge(theirs)

    def result(
        self,
        name: str = "",
        notices: Iterable[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
    ) -> TrackerResult:
        """What was measured.

        Args:
            name: of the file, for messages.
            notices: what the reader had to say.
            resampling: how intervals are made; without it there are none.
            only: keys of the dialogues that were asked for; all that have gold where it is None.

        Raises:
            InputError: dialogues that were asked for or turns with gold are missing under rules that do not allow it,
                or there is no turn with gold.
        """
        findings = self.part.findings
        unknown = findings.absent(only)
        if unknown.count and self.rules.missing == "error":
            raise InputError(
                f"{unknown.message}: {', '.join(unknown.where)}{', …' if unknown.count > len(unknown.where) else ''} "
                "(allow it with --missing skip or --missing empty)",
                file=name or None,
            )
        missing = findings.missing
        if missing.turns and self.rules.missing == "error":
            whole = f", {missing.dialogues} of them whole dialogues" if missing.dialogues else ""
            raise InputError(
                f"{missing.turns_have('gold and no prediction')}{whole}: {'; '.join(missing.examples)}"
                f"{' …' if missing.turns > len(missing.examples) else ''} (allow it with --missing empty or --missing skip)",
                file=name or None,
            )
        if not self._ledger.main.rows:
            raise InputError(
                "no turn with a gold state and a prediction; gold that is in another file is given with --gold",
                file=name or None,
            )
        lacking = lacks(self.rules, findings, self.schema)
        if lacking:
            raise NotApplicable(f"{f'{name}: ' if name else ''}rules {self.rules.name} cannot be applied: {lacking}")
        return TrackerResult(
            rules=self.rules,
            asked=self._asked,
            measure_columns=self._ledger,
            findings=findings,
            breakdowns=self._breakdowns,
            slots=len(set(map(self.pairs.name_of, self.schema.slots))) if self.schema else len(findings.gold_slots),
            notices=[*self._notices, *notices, *([unknown] if unknown.count else [])],
            values_known=not self._correctness_only,
            resampling=resampling,
            seen=self._seen,
            account=findings.account(len(self._ledger.main.dialogues), only),
            only=only,
        )


def lacks(rules: Rules, findings: Findings, schema: Schema | None) -> str:
    """What a rule set needs and the files do not carry; empty where they carry it all."""
    carries = findings.carries
    if rules.stand_ins and schema is None:
        return NEEDS_SCHEMA
    if "pairs" not in carries:
        return ""
    if any(section for _, section, _ in rules.only) and "sections" not in carries:
        return "they look at slots in sections (semi, book), which this format does not have"
    if rules.only and "gold" in carries and "looked-at" not in carries:
        return f"gold holds none of the {len(rules.only)} slots that they look at"
    if rules.extra == "unlisted" and "named-empty" not in carries:
        return "they look at slots that gold names, also without a value, and this file names none without a value"
    return ""


def _restored(kind: type[TrackerScorer], arguments: Any, options: Any, state: Any) -> TrackerScorer:
    """A scorer from its pickle."""
    scorer = kind(*arguments, **options)
    part, scorer._once, scorer._open, scorer.schema = state
    scorer._ledger, scorer._findings, scorer._breakdowns = part.measure_columns, part.findings, part.breakdowns
    return scorer


def states_of(given: Iterable[Mapping[str, Any]], dialogue_id: str, side: str) -> list[dict[str, Any]]:
    """The states of a dialogue that a caller gave; flat or nested.

    Raises:
        InputError: something that is no state.
    """
    if isinstance(given, Mapping | str):
        raise InputError(f"{side} must be a list of states, one per user turn", dialogue=dialogue_id)
    result = []
    for number, state in enumerate(given):
        try:
            result.append(dict(as_mapping(state, "a state")))
        except InputError as error:
            raise error.at(dialogue=dialogue_id, turn=number) from None
    return result
