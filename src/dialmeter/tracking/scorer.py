"""Scoring a tracker: one pass over the dialogues, then a result that can be asked again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..core.account import BY_NAME, NO_GOLD, NO_PREDICTION
from ..core.comparison import Resampling
from ..errors import InputError, NotApplicable
from ..measure import Measure
from ..model import Dialogue, Notice, Schema, Turn, dialogue_key
from ..readers.corpus import Corpus
from ..readers.pairs.state_layouts import ANY, FLAT
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.parts import UniqueIds, as_mapping, dialogue
from ..readers.services.schema import read_schema
from ..rules import Rules, load
from .align import GoldFile, PairFiles, open_pair, read_pair
from .breakdown import Breakdown, By
from .compared import ComparedDialogue
from .digest import GoldText
from .findings import Findings
from .measure_columns import NEEDS_SCHEMA, Ledger
from .mistakes import Mistakes
from .pairs import PairRules
from .resolve_measures import resolve
from .result import TrackerResult
from .walk import Walk

Sink = Callable[[PairDialogue, ComparedDialogue], None]
"""Takes every scored dialogue as it was read and as it was compared."""


class Part(Struct):
    """What scoring a part of a corpus comes to; it can be sent between processes."""

    ledger: Ledger
    findings: Findings
    breakdowns: list[Breakdown]


class TrackerScorer:
    """Takes dialogues one by one, as in a training loop.

    Args:
        measures: what to compute, as names or measures; without it those of the rule set.
        rules: a rule set, its name, or a TOML file.
        schema: the slots that exist; SA takes their number from it.
        by: also keep what is needed for scores by ``domain``, ``slot``, ``without-domain`` or ``seen``.
        correctness_only: the dialogues say which slots are right, but hold no values.
        seen: the domains or services of training, for ``seen``.
        vocabulary: numbers the pairs of the dialogues; one of its own without it.

    Example:
        >>> scorer = TrackerScorer(["JGA", "GCA"])
        >>> scorer.add("d1", [{"hotel-area": "east"}], [{"hotel-area": "East "}])
        >>> [score.value for score in scorer.result().scores]
        [1.0, 1.0]
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
        self._once = UniqueIds()
        self.schema = schema
        self._correctness_only = correctness_only
        self._seen = seen
        self._left_out = frozenset(map(dialogue_key, self.rules.left_out_of_vectors))
        self._asked, self._notices = resolve(measures, self.rules, correctness_only)
        # The rule set's own FGA and GCA come first: counts are told through their lens.
        own, _ = resolve(["FGA(lam=1)"] if correctness_only else _OWN, _without_limits(self.rules), correctness_only)
        used = [asked.used for asked in (*own, *self._asked)]
        self._ledger = Ledger(used, self.rules.hyphen_cut)
        self.vocabulary = vocabulary or Vocabulary()
        self.pairs = PairRules(self.rules, self.vocabulary)
        self._walk = Walk(
            self.pairs,
            GoldText(self.vocabulary),
            self._ledger.needs_none,
            self.rules.hyphen_cut,
            frozenset(map(self.pairs.name_of, schema.slots)) if schema and not self.rules.stand_ins else None,
        )
        self._findings = Findings()
        self._breakdowns = [Breakdown(kind, used, self.rules.hyphen_cut, seen) for kind in dict.fromkeys(by)]

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
        self._ledger.add(walk)
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
        """What was noticed so far."""
        found = self._findings
        found.gold_slots |= self._walk.gold_slots()
        found.note_carried(self._walk, self.vocabulary)
        found.stops |= self.pairs.stops
        found.mistakes.merge(Mistakes.of(self._walk, self.pairs))
        return found

    @property
    def part(self) -> Part:
        """What was scored so far, to be merged into another scorer."""
        return Part(self._ledger, self.findings, self._breakdowns)

    def merge(self, part: Part) -> None:
        """Takes what a scorer with the same measures and rules has made of another part of the corpus.

        Raises:
            InputError: a dialogue stands in both.
        """
        self._findings.merge(part.findings)
        self._ledger.merge(part.ledger)
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
        findings = self.findings
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
                f"{missing.turns} turns have gold and no prediction{whole}: {'; '.join(missing.examples)}"
                f"{' …' if missing.turns > len(missing.examples) else ''} (allow it with --missing empty or --missing skip)",
                file=name or None,
            )
        if not self._ledger.count_of_turns:
            raise InputError("no turn with a gold state and a prediction", file=name or None)
        lacking = lacks(self.rules, findings, self.schema)
        if lacking:
            raise NotApplicable(f"{f'{name}: ' if name else ''}rules {self.rules.name} cannot be applied: {lacking}")
        return TrackerResult(
            rules=self.rules,
            asked=self._asked,
            ledger=self._ledger,
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
    """What a rule set looks at and the files do not carry; nothing where they carry it all."""
    carries = findings.carries
    if rules.stand_ins and schema is None:
        return NEEDS_SCHEMA
    if "pairs" not in carries:
        return ""
    if any(section for _, section, _ in rules.only) and "sections" not in carries:
        return "they look at slots in sections (semi, book), which this layout does not have"
    if rules.only and "gold" in carries and "looked-at" not in carries:
        return f"gold holds none of the {len(rules.only)} slots that they look at"
    if rules.extra == "unlisted" and "named-empty" not in carries:
        return "they look at slots that gold names, also without a value, and this file names none without a value"
    return ""


_OWN = ["FGA(lam=1)", "GCA"]


def _without_limits(rules: Rules) -> Rules:
    from msgspec.structs import replace

    return replace(rules, only_measures=())


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


def score_file(
    path: str,
    gold: str | GoldFile | None = None,
    *,
    form: str | None = None,
    gold_form: str | None = None,
    schema: str | None = None,
    only: frozenset[str] | None = None,
    measures: Sequence[str | Measure] | None = None,
    rules: str | Path | Rules = "dialmeter",
    by: Sequence[By] = (),
    train_schema: str | None = None,
    resampling: Resampling | None = None,
    change: Callable[[Dialogue], Dialogue] | None = None,
    sink: Sink | None = None,
    watch: Callable[[Iterable[Any], Corpus], Iterable[Any]] = lambda dialogues, corpus: dialogues,
) -> TrackerResult:
    """Scores a prediction file.

    Args:
        path: predictions, with gold or without.
        gold: the file with gold states, where the first has none; or what was read of it.
        form: the format of the predictions; found where it is not named.
        gold_form: the format of gold.
        schema: a schema file, for the number of slots and for categorical slots.
        only: keys of the dialogues to score, such as a split.
        measures: what to compute; without it the measures of the rule set.
        rules: a rule set.
        by: breakdowns to keep.
        train_schema: the schema of training; its services are the seen ones of ``by=["seen"]``.
        resampling: how intervals are made; without it there are none.
        change: puts another dialogue in the place of each, such as one with a trivial prediction.
        sink: takes every dialogue, for a run on disk.
        watch: wraps the dialogues, for a progress bar.

    Raises:
        InputError: whatever is wrong with a file, with its place.
    """

    def fresh(correctness_only: bool) -> TrackerScorer:
        return TrackerScorer(
            measures,
            rules,
            read_schema(schema) if schema else None,
            by,
            correctness_only=correctness_only,
            seen=frozenset(read_schema(train_schema).services) if train_schema else frozenset(),
            vocabulary=gold.vocabulary if isinstance(gold, GoldFile) else None,
        )

    corpus, gold_corpus = open_pair(path, gold, form, gold_form)
    scorer = fresh(corpus.correctness_only)
    read_into(scorer, corpus, gold_corpus, only=only, change=change, sink=sink, watch=watch)
    scorer.schema = scorer.schema or (gold_corpus or corpus).schema
    notices = [*corpus.notices, *(gold_corpus.notices if gold_corpus else [])]
    result = scorer.result(corpus.name, notices, resampling, only)
    if change is None:
        gold_path = gold.path if isinstance(gold, GoldFile) else gold
        result.files = PairFiles(path, gold_path, form, gold_corpus.format if gold_corpus else None, only)
    return result


def read_into(
    scorer: TrackerScorer,
    corpus: Corpus,
    gold_corpus: Corpus | GoldFile | None = None,
    *,
    only: frozenset[str] | None = None,
    change: Callable[[Dialogue], Dialogue] | None = None,
    sink: Sink | None = None,
    watch: Callable[[Iterable[Any], Corpus], Iterable[Any]] = lambda dialogues, corpus: dialogues,
) -> None:
    """Reads files into a scorer; the arguments are those of ``score_file``.

    Raises:
        InputError: whatever is wrong with a file, with its place.
    """
    words = scorer.vocabulary
    with paused_garbage_collection():
        for read in watch(read_pair(corpus, gold_corpus, words), corpus):
            if only is not None and dialogue_key(read.id) not in only:
                continue
            scorer.schema = scorer.schema or (gold_corpus or corpus).schema
            try:
                if change is not None:
                    read = words.with_predictions(read, change(words.plain(read)))  # noqa: PLW2901
                scored = scorer.add_pairs(read)
            except InputError as error:
                raise corpus.place(error) from None
            except NotApplicable as error:
                raise NotApplicable(f"{corpus.name}: {error}") from None
            if sink is not None and scored:
                sink(read, scorer.compared())


@contextmanager
def paused_garbage_collection() -> Iterator[None]:
    """Pauses Python's search for reference cycles, of which parsed states have none; it costs a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
