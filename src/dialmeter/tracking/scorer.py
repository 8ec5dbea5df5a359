"""The scorer of trackers: collects dialogues and computes a result."""

from __future__ import annotations

import shlex
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..core.account import BY_NAME, NO_GOLD, NO_PREDICTION
from ..core.comparison import Resampling
from ..errors import InputError, NotApplicable
from ..measure import Measure
from ..model import Dialogue, Notice, Schema, Turn, dialogue_key
from ..readers.corpus import gold_values
from ..readers.pairs.state_layouts import ANY, FLAT
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.validation import as_mapping, dialogue
from ..values.languages import AUTO, NEVER, Allows, languages_of
from .compared import ComparedDialogue
from .diagnosis.findings import Findings, Mistakes
from .digest import GoldText
from .pairs import NO_REPAIRS, PairRules, Repairs
from .resolve_measures import resolve
from .result import TrackerResult
from .rule_sets.rules import Rules, load
from .seen import SeenGold, seen_by
from .vectors.measure_columns import NEEDS_SCHEMA, Breakdown, By, MeasureColumns
from .walk import Walk


def swapped(name: str, gold: str, command: str = "score") -> str:
    """Return advice on a file without any prediction: it may be gold.

    Example:
        >>> swapped("gold.jsonl", "pred.jsonl")
        'swapped? it has no prediction at all; type: dialmeter score pred.jsonl --gold gold.jsonl'
    """
    if gold:
        right = shlex.join(["dialmeter", command, gold, "--gold", name])
        return f"swapped? it has no prediction at all; type: {right}"
    return "swapped? it has no prediction at all; give the prediction file, and this file with --gold"


RowCallback = Callable[[PairDialogue, ComparedDialogue], None]
"""A function that receives every scored dialogue, as read and as compared."""


class PartialScores(Struct):
    """Partial result of scoring one shard of a corpus; it can be sent between processes."""

    measure_columns: MeasureColumns
    findings: Findings
    breakdowns: dict[str, Breakdown]
    notices: list[Notice] = []


class TrackerScorer:
    """Scores dialogues that are added one at a time.

    Args:
        measures: names or measures to compute (default: those of the rule set).
        rules: a rule set, its name, or a TOML file.
        schema: the schema of slots; SA takes the number of slots from it.
        by: breakdowns to prepare: ``domain``, ``slot``, ``without-domain`` or ``seen``.
        correctness_only: the dialogues say which slots are right, but hold no values.
        seen: the domains or services of the training data, for ``seen``.
        vocabulary: the vocabulary that numbers the pairs of the dialogues (default: a new one).
        repairs: changes of slots and values besides the rules.

    Example:
        >>> scorer = TrackerScorer(["JGA", "SA(slots=30)"])
        >>> scorer.add("d1", [{"hotel-area": "east"}], [{"hotel-area": "East "}])
        >>> scorer.add("d2", [{"taxi-to": "x"}], [{"taxi-to": "y"}])
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
        repairs: Repairs = NO_REPAIRS,
    ) -> None:
        self.rules = rules if isinstance(rules, Rules) else load(str(rules))
        self.correctness_only = correctness_only
        self.seen = seen
        self.repairs = repairs
        self._skipped = frozenset(map(dialogue_key, self.rules.left_out_of_vectors))
        self.measures, self._notices = resolve(measures, self.rules, correctness_only)
        # FGA and GCA under the settings of the rule set come first, because counts use their tally variant.
        count_names = ["FGA(lam=1)"] if correctness_only else ["FGA(lam=1)", "GCA"]
        for_counts, _ = resolve(count_names, replace(self.rules, only_measures=()), correctness_only)
        used, hyphen_cut = [measure.used for measure in (*for_counts, *self.measures)], self.rules.hyphen_cut
        self.schema = schema
        self.states = ""
        """What the user said about states that look like updates, for signatures."""
        self.measure_columns = MeasureColumns(used, hyphen_cut)
        self.vocabulary = vocabulary or Vocabulary()
        self.gold_again: Callable[[], Iterable[str]] = tuple
        """Reads all gold values of the files, if they can be read again; they decide which languages are used."""
        own = weakref.proxy(self)
        # The method itself would keep the scorer alive as long as its pairs.
        allows: Allows = lambda codes: own._allows(codes)  # noqa: E731, PLW0108
        self.pairs = PairRules(self.rules, self.vocabulary, repairs, allows if self.rules.languages == AUTO else None)
        self._current: PairDialogue | None = None
        self._walk = Walk(
            self.pairs,
            GoldText(self.vocabulary),
            self.measure_columns.needs_none,
            hyphen_cut,
            frozenset(map(self.pairs.name_of, schema.slots)) if schema and not self.rules.stand_ins else None,
        )
        self._seen_gold = SeenGold((seen_by(each, self.rules) for each in used), self.pairs)
        self._findings = Findings()
        self.breakdowns: dict[str, Breakdown] = {kind: Breakdown(kind, used, hyphen_cut, seen) for kind in by}

    def add(self, dialogue_id: str, gold: Iterable[Mapping[str, Any]], pred: Iterable[Mapping[str, Any]]) -> None:
        """Add one dialogue as two lists of states, one state per user turn, flat or nested.

        Raises:
            InputError: the lists have different lengths, or a state is not a mapping.
        """
        dialogue_id = str(dialogue_id)
        golds, preds = states_of(gold, dialogue_id, "gold"), states_of(pred, dialogue_id, "pred")
        if len(golds) != len(preds):
            raise InputError(
                f"{len(golds)} gold states, but {len(preds)} predicted states; give one state per turn",
                dialogue=dialogue_id,
            )
        turns = [Turn(number, *states) for number, states in enumerate(zip(golds, preds, strict=True))]
        self.add_pairs(self.vocabulary.number_dialogue(dialogue(dialogue_id, turns), ANY))

    def add_dialogue(self, read: Dialogue) -> bool:
        """Add one dialogue with flat states. Return True if any of its turns is scored."""
        return self.add_pairs(self.vocabulary.number_dialogue(read, FLAT))

    def add_pairs(self, read: PairDialogue) -> bool:
        """Add one dialogue whose pairs are numbered by the vocabulary of the scorer; see ``add_dialogue``.

        Raises:
            InputError: a slot has two values in a state, or is not in the schema.
        """
        walk, pairs = self._walk, self.pairs
        if self.correctness_only and dialogue_key(read.id) in self._skipped:
            self._findings.unscored[read.id] = BY_NAME
            return False
        self._current = read
        turns = walk.take(read)
        if walk.surplus and self.rules.missing == "predicted-only":
            raise InputError("a prediction without gold", dialogue=read.id, turn=walk.surplus[0])
        self._findings.note(walk, pairs, self._seen_gold.forms(walk, read, self.schema) if turns else {})
        if not turns:
            self._findings.unscored[read.id] = NO_PREDICTION if walk.has_gold else NO_GOLD
            return False
        self.measure_columns.add(walk, pairs)
        for breakdown in self.breakdowns.values():
            breakdown.add(walk, pairs)
        if self.measure_columns.needs_details:
            self.measure_columns.add_details(self.compared(), read, self.schema)
        return True

    def _allows(self, languages: Collection[str]) -> bool:
        """Is the gold of the files in one of these languages? Only asked if a value is a known word of such a language."""
        findings = self._findings
        if not findings.languages.isdisjoint(languages):
            return True
        if findings.refused.issuperset(languages) or self._current is None:
            return False
        current = gold_values([self._current], self.vocabulary, None)
        for text in chain(current, self._gold_so_far(), self.gold_again()):
            if shown := languages_of([text]).intersection(languages):
                findings.languages |= shown
                return True
        findings.refused.update(languages)
        return False

    def _gold_so_far(self) -> Iterator[str]:
        """Yield the gold values of the dialogues before this one, under the rules."""
        mistakes = self._findings.mistakes
        mistakes.merge(Mistakes.of(self._walk, self.pairs))
        for value in {gold for _, gold, _ in mistakes.turns if gold is not None}:
            yield from (value,) if isinstance(value, str) else value

    @property
    def decided_rules(self) -> Rules:
        """The rule set with the languages that gold is in, or ``none``, instead of ``auto``.

        Raises:
            InputError: gold that is read as a stream showed a language after its words were used.
        """
        if self.rules.languages != AUTO:
            return self.rules
        findings = self._findings
        shown = findings.languages | languages_of(self._gold_so_far())
        if late := sorted(shown & findings.refused):
            raise InputError(
                f"predictions used words of the language {late[0]} before gold showed it; give files, or --set languages={late[0]}"
            )
        return replace(self.rules, languages="+".join(sorted(shown)) or NEVER)

    def compared(self) -> ComparedDialogue:
        """Return the last added dialogue with the outcome of each slot."""
        return ComparedDialogue(self._walk, self.pairs)

    @property
    def findings(self) -> Findings:
        """The findings so far, with the counts of the walk up to now."""
        findings = self._findings
        findings.gold_slots |= self._walk.gold_slots()
        findings.note_carried(self._walk, self.vocabulary)
        findings.stops |= self.pairs.stops
        findings.mistakes.merge(Mistakes.of(self._walk, self.pairs))
        return findings

    @property
    def part(self) -> PartialScores:
        """The partial result so far, to be merged into another scorer."""
        return PartialScores(self.measure_columns, self.findings, self.breakdowns)

    def merge_part(self, part: PartialScores) -> None:
        """Add the partial result of another shard, from a scorer with the same measures and rules.

        Raises:
            InputError: a dialogue is in both.
        """
        self._findings.merge(part.findings)
        self.measure_columns.merge(part.measure_columns)
        for kind, breakdown in self.breakdowns.items():
            breakdown.merge(part.breakdowns[kind])

    def result(
        self,
        name: str = "",
        notices: Iterable[Notice] = (),
        resampling: Resampling | None = None,
        only: frozenset[str] | None = None,
        gold: str = "",
        *,
        may_be_subset: bool = False,
    ) -> TrackerResult:
        """Compute the result.

        Args:
            name: the name of the file, for messages.
            notices: the warnings of the reader.
            resampling: the settings of confidence intervals; None for no intervals.
            only: keys of the requested dialogues (default: all dialogues with gold).
            gold: the name of the gold file, if it is another file.
            may_be_subset: leave whole dialogues without prediction out, if at least half of the turns have one.

        Raises:
            InputError: requested dialogues or turns with gold have no prediction, and the rules do not allow it; or no turn
                has gold.
        """
        findings = self.findings
        unknown = findings.absent(only)
        if unknown.count and self.rules.missing == "error":
            raise InputError(
                f"{unknown.message}: {', '.join(unknown.where)}{', …' if unknown.count > len(unknown.where) else ''} "
                "(allow it with --set missing=skip or --set missing=empty)",
                file=name or None,
            )
        missing = findings.missing
        rows = self.measure_columns.main.rows
        is_subset = may_be_subset and only is None and findings.is_subset(len(rows))
        if missing.turns and self.rules.missing == "error" and not is_subset:
            whole = f", {missing.dialogues} of them whole dialogues" if missing.dialogues else ""
            where = f"{'; '.join(missing.examples)}{' …' if missing.turns > len(missing.examples) else ''}"
            hint = f"{where} (allow it with --set missing=empty or --set missing=skip)"
            if findings.has_no_prediction:
                whole, hint = "", swapped(name, gold)
            raise InputError(f"{missing.turns_have('gold and no prediction')}{whole}: {hint}", file=name or None)
        if not rows:
            from_file = name or findings.unscored
            rest = "; if gold is in another file, give that file, too (--gold)" if from_file else " was given"
            raise InputError(f"no turn with a gold state and a prediction{rest}", file=name or None)
        reason = why_not_applicable(self.rules, findings, self.schema)
        if reason:
            raise NotApplicable(f"{f'{name}: ' if name else ''}rules {self.rules.name} cannot be applied: {reason}")
        warnings = [*self._notices, *notices, *([unknown] if unknown.count else [])]
        return TrackerResult(self, warnings, resampling, only)


def why_not_applicable(rules: Rules, findings: Findings, schema: Schema | None) -> str:
    """Return the reason why a rule set cannot be applied to the files; empty if it can."""
    carries = findings.carries
    if rules.stand_ins and schema is None:
        return NEEDS_SCHEMA
    if "pairs" not in carries:
        return ""
    if any(section for _, section, _ in rules.only) and "sections" not in carries:
        return "they use slots in sections (semi, book), and this format has no sections"
    if rules.only and "gold" in carries and "looked-at" not in carries:
        return f"gold holds none of the {len(rules.only)} slots that they use"
    if rules.extra == "unlisted" and "named-empty" not in carries:
        return "they need slots that gold names without a value, and this file has none"
    return ""


def states_of(given: Iterable[Mapping[str, Any]], dialogue_id: str, side: str) -> list[dict[str, Any]]:
    """Validate and copy the states of a dialogue, flat or nested.

    Raises:
        InputError: a state is not a mapping.
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
