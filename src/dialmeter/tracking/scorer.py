"""Scoring a tracker: one pass over the dialogues, then a result that can be asked again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from ..errors import InputError
from ..formats import Corpus
from ..formats.native import LightDialogue
from ..formats.parts import Once, any_state, dialogue
from ..formats.schema import read_schema
from ..measure import Measure
from ..model import Dialogue, Notice, Schema, State, Turn
from ..resampling import Resampling
from ..rules import Rules, load
from .align import joined, open_pair
from .asked import resolve
from .breakdown import Breakdown, By
from .ledger import Ledger
from .prepare import AnyDialogue, Findings, Prepared, Preparer
from .result import TrackerResult
from .straight import straight_way

if TYPE_CHECKING:
    from .cache import TallyCache

Sink = Callable[[Dialogue, Prepared], None]
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
    ) -> None:
        self.rules = rules if isinstance(rules, Rules) else load(str(rules))
        self._once = Once()
        self.schema = schema
        self._correctness_only = correctness_only
        self._seen = seen
        self._asked, self._notices = resolve(measures, self.rules, correctness_only)
        # The rule set's own FGA and GCA come first: counts are told through their lens.
        own, _ = resolve(["FGA(lam=1)"] if correctness_only else _OWN, _without_limits(self.rules), correctness_only)
        used = [asked.used for asked in (*own, *self._asked)]
        self._ledger = Ledger(used, self.rules.hyphen_cut)
        self._preparer = Preparer(self.rules, self._ledger.needs_none, schema.slots if schema else None)
        self.straight = straight_way(self._preparer, self._ledger) if not by and schema is None else None
        self._breakdowns = [Breakdown(kind, used, self.rules.hyphen_cut, seen) for kind in dict.fromkeys(by)]

    @property
    def needs_whole_dialogues(self) -> bool:
        """Must dialogues be read with all that the file says of them?"""
        return self._ledger.needs_frames

    @property
    def from_tallies(self) -> bool:
        """Do tallies say all that the measures ask for?"""
        return all(measure.reads() == "tally" for measure in self._ledger.measures)

    @property
    def terms(self) -> dict[str, Any]:
        """What decides the tallies of a dialogue, as plain data."""
        return {
            "rules": to_builtins(self.rules),
            "schema": to_builtins(self.schema),
            "seen": sorted(self._seen),
            "by": [breakdown.by for breakdown in self._breakdowns],
            "lenses": to_builtins([*self._ledger.books]),
        }

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
        self.add_dialogue(
            dialogue(dialogue_id, [Turn(number, wanted, found) for number, (wanted, found) in enumerate(pairs)])
        )

    def add_dialogue(self, read: AnyDialogue) -> Prepared:
        """Takes one dialogue as read from a file."""
        prepared = self._preparer.prepare(read)
        if prepared.steps:
            self._ledger.add(prepared, read if isinstance(read, Dialogue) else None, self.schema)
            for breakdown in self._breakdowns:
                breakdown.add(prepared)
        return prepared

    @property
    def part(self) -> Part:
        """What was scored so far, to be merged into another scorer."""
        return Part(self._ledger, self._preparer.findings, self._breakdowns)

    def merge(self, part: Part) -> None:
        """Takes what a scorer with the same measures and rules has made of another part of the corpus.

        Raises:
            InputError: a dialogue stands in both.
        """
        self._preparer.merge(part.findings)
        self._ledger.merge(part.ledger)
        for mine, theirs in zip(self._breakdowns, part.breakdowns, strict=True):
            mine.merge(theirs)

    def result(
        self, name: str = "", notices: Iterable[Notice] = (), resampling: Resampling | None = None
    ) -> TrackerResult:
        """What was measured.

        Args:
            name: of the file, for messages.
            notices: what the reader had to say.
            resampling: how intervals are made; without it there are none.

        Raises:
            InputError: turns without prediction under rules that do not allow them, or no turn with gold.
        """
        missing = self._preparer.missing
        if missing.turns and self.rules.missing == "error":
            whole = f", {missing.dialogues} of them whole dialogues" if missing.dialogues else ""
            raise InputError(
                f"{missing.turns} turns have gold and no prediction{whole}: {'; '.join(missing.examples)}"
                f"{' …' if missing.turns > len(missing.examples) else ''} (allow it with --missing empty or --missing skip)",
                file=name or None,
            )
        if not self._ledger.count_of_turns:
            raise InputError("no turn with a gold state and a prediction", file=name or None)
        return TrackerResult(
            rules=self.rules,
            asked=self._asked,
            ledger=self._ledger,
            preparer=self._preparer,
            breakdowns=self._breakdowns,
            slots=len(self.schema.slots) if self.schema else len(self._preparer.gold_slots),
            notices=[*self._notices, *notices],
            values_known=not self._correctness_only,
            resampling=resampling,
            seen=self._seen,
        )


_OWN = ["FGA(lam=1)", "GCA"]


def _without_limits(rules: Rules) -> Rules:
    from msgspec.structs import replace

    return replace(rules, only=())


def states_of(given: Iterable[Mapping[str, Any]], dialogue_id: str, side: str) -> list[State]:
    """The states of a dialogue that a caller gave; flat or nested.

    Raises:
        InputError: something that is no state.
    """
    if isinstance(given, Mapping | str):
        raise InputError(f"{side} must be a list of states, one per user turn", dialogue=dialogue_id)
    result = []
    for number, state in enumerate(given):
        try:
            result.append(any_state(state))
        except InputError as error:
            raise error.at(dialogue=dialogue_id, turn=number) from None
    return result


def score_file(
    path: str,
    gold: str | None = None,
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
    cache: TallyCache | None = None,
) -> TrackerResult:
    """Scores a prediction file.

    Args:
        path: predictions, with gold or without.
        gold: the file with gold states, where the first has none.
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
        cache: where tallies are looked for, and kept; where they are found, the file is not read.

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
        )

    question = None
    if cache is not None and (sink is not None or change is not None):
        cache.refuse("dialogues themselves are looked at")
    elif cache is not None:
        scorer = fresh(correctness_only=False)
        question = cache.question(scorer, path, gold, form=form, gold_form=gold_form, only=only)
    if question is not None and (kept := question.answer()) is not None:
        return question.scorer.result(path, kept.notices, resampling)
    corpus, gold_corpus = open_pair(path, gold, form, gold_form)
    if cache is not None and question is not None and corpus.correctness_only:
        cache.refuse(f"format {corpus.format} holds no values")
        question = None
    scorer = fresh(corpus.correctness_only) if question is None else question.scorer
    read_into(scorer, corpus, gold_corpus, only=only, change=change, sink=sink, watch=watch)
    scorer.schema = scorer.schema or (gold_corpus or corpus).schema
    notices = [*corpus.notices, *(gold_corpus.notices if gold_corpus else [])]
    result = scorer.result(corpus.name, notices, resampling)
    if question is not None:
        question.keep(corpus.format, notices)
    return result


def read_into(
    scorer: TrackerScorer,
    corpus: Corpus,
    gold_corpus: Corpus | None = None,
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
    in_full = sink is not None or change is not None or scorer.needs_whole_dialogues
    straight = scorer.straight
    one_file: Iterable[Any] = corpus if in_full else corpus.light(straight.read if straight else None)
    dialogues = one_file if gold_corpus is None else joined(gold_corpus, corpus)
    for each in watch(dialogues, corpus):
        read: AnyDialogue = each
        if only is not None and not _is_in(read, only):
            continue
        if in_full:
            scorer.schema = scorer.schema or (gold_corpus or corpus).schema
        if change is not None:
            assert isinstance(read, Dialogue)
            read = change(read)
        try:
            if straight is not None and not isinstance(read, Dialogue | LightDialogue):
                straight.add(read)
                continue
            prepared = scorer.add_dialogue(read)
        except InputError as error:
            raise error.at(file=corpus.name) from None
        if sink is not None and prepared.steps:
            assert isinstance(read, Dialogue)
            sink(read, prepared)


def _is_in(read: AnyDialogue, keys: frozenset[str]) -> bool:
    from ..model import dialogue_key

    return dialogue_key(read.id) in keys
