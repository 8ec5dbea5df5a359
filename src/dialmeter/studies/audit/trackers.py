"""Gold and several trackers on the same dialogues, from files or from runs, with a common numbering of slots and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...core.open_runs import is_run, open_run
from ...errors import DialmeterError, InputError, one_line
from ...model import NAMED, Notice, State, Value, dialogue_key
from ...readers.corpus import open_corpus
from ...readers.pairs.vocabulary import PairDialogue, Vocabulary
from ...readers.validation import Role
from ...tracking.align import GoldFile, joined, open_pair, without_states
from ...tracking.compare import check_comparable
from ...tracking.compared import ComparedDialogue
from ...tracking.digest import joined_alternatives
from ...tracking.gold_patch import Correction
from ...tracking.pairs import PairRules, alternatives
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules
from ...tracking.scorer import RowCallback, TrackerScorer
from ...tracking.scoring import read_into, run_dialogues
from ...tracking.tally import CORRECT
from ...values import maps

LIMIT = 0.95
"""A file whose states equal gold at a larger share of turns was given gold states."""


class GoldStateCheck:
    """Counter of the turns at which predicted states equal gold, outside slots that the file never predicts.

    Two spellings of a value are equal here if the map ``multiwoz`` gives them the same form, whatever the rule set: a file of gold
    states with times written as 9:15 instead of 09:15 was also given gold states. ``take`` is the ``on_row`` of ``score_file``.

    Example:
        >>> check = GoldStateCheck()
        >>> gold = {"train-leaveat": "09:15", "train-day": "friday"}
        >>> check.add_turn(gold, {"train-leaveat": "9:15"}, agreeing=())
        >>> check.share, check.was_given_gold, sorted(check.predicted), check.turns
        (1.0, True, ['train-leaveat'], 1)
        >>> check.add_turn(gold, {"train-leaveat": "10:00"}, agreeing=())
        >>> check.was_given_gold
        False
    """

    def __init__(self) -> None:
        self.turns = 0
        self.predicted: set[str] = set()
        """The slots that the file predicts at any turn."""
        self._wrong: Counter[frozenset[str]] = Counter()

    def take(self, _read: PairDialogue, compared: ComparedDialogue) -> None:
        """Process a scored dialogue."""
        names = compared.pairs.slot_names
        for _, gold, pred, slots in compared.details():
            self.add_turn(gold, pred, {names[slot] for slot, kind, *_ in slots if kind == CORRECT})

    def add_turn(self, gold: State, pred: State, agreeing: Iterable[str]) -> None:
        """Process one turn.

        Args:
            agreeing: slots whose values agree under the rules.
        """
        self.turns += 1
        self.predicted.update(pred)
        unequal = (gold.keys() | pred.keys()).difference(agreeing)
        self._wrong[frozenset(slot for slot in unequal if not _same(slot, gold.get(slot), pred.get(slot)))] += 1

    @property
    def share(self) -> float | None:
        """The share of turns that equal gold in the predicted slots; None if no slot is predicted."""
        if not self.predicted:
            return None
        equal = sum(count for wrong, count in self._wrong.items() if wrong.isdisjoint(self.predicted))
        return equal / self.turns

    @property
    def was_given_gold(self) -> bool:
        """True if the states equal gold at more than 95 % of turns."""
        return (self.share or 0) > LIMIT


@cache
def _same(slot: str, gold: Value | None, pred: Value | None) -> bool:
    """Return True if two values are spellings of the same value."""
    if gold is None or pred is None:
        return False
    canonical = maps.load_shipped("multiwoz").canonical
    one, other = ({canonical(slot, each) for each in alternatives(value)} for value in (gold, pred))
    return not one.isdisjoint(other)


MEASURES = ("JGA", "FGA(lam=0.5)", "GCA")
"""The measures that are computed again for every candidate."""


class Utterances(NamedTuple):
    """The utterances of a turn."""

    system: str
    user: str


class AuditedTracker(Struct, frozen=True):
    """One tracker: its dialogues with gold, by key, its scores, and the check for gold states."""

    name: str
    reads: Mapping[str, PairDialogue]
    result: TrackerResult
    check: GoldStateCheck


class TrackerSet:
    """Trackers with the same gold, sorted by name, so that the order of files does not matter.

    Args:
        words: the vocabulary that numbers all pairs.

    Attributes:
        names: the ids of the dialogues, by key.
        gold: the pairs of gold, by dialogue and turn.
    """

    def __init__(self, trackers: Iterable[AuditedTracker], rules: Rules, words: Vocabulary) -> None:
        self.trackers = sorted(trackers, key=lambda each: each.name)
        # All trackers have the same gold, which decides the languages.
        self.rules = replace(rules, languages=self.trackers[0].result.rules.languages)
        self.words = words
        self.pairs = PairRules(self.rules, words)
        self.pairs.extend()
        self.voters = [each for each in self.trackers if not each.check.was_given_gold]
        self.names: dict[str, str] = {}
        self.gold: dict[str, dict[int, tuple[int, ...]]] = {}
        for each in self.trackers:
            for key, read in each.reads.items():
                self.names[key] = read.id
                states = {n: state for n, state in zip(read.numbers, read.gold, strict=True) if state is not None}
                self.gold.setdefault(key, {}).update(states)

    def utterances(self) -> dict[str, dict[int, Utterances]]:
        """Return the utterances by dialogue and turn, from the first file that has them."""
        by_dialogue: dict[str, dict[int, Utterances]] = {}
        for each in self.trackers:
            for key, read in each.reads.items():
                said = utterances_of(read)
                if key not in by_dialogue and any(map(any, said.values())):
                    by_dialogue[key] = said
        return by_dialogue

    @cached_property
    def _written(self) -> dict[int, int]:
        """The preferred written pair of each cell: the one that occurs most in gold, or else any."""
        used = Counter(pair for turns in self.gold.values() for pair in {p for state in turns.values() for p in state})
        words, best = self.words, dict[int, tuple[int, int, str, int]]()
        for pair in range(len(self.pairs.slot)):
            for cell, is_gold in ((self.pairs.gold[pair], 1), (self.pairs.pred[pair], 0)):
                if cell:
                    rank = (-is_gold, -used[pair], joined_alternatives(words.values[pair]), pair)
                    best[cell] = min(best.get(cell, rank), rank)
        return {cell: rank[-1] for cell, rank in best.items()}

    def value_of(self, cell: int) -> str:
        """Return a value as written in gold, if gold has it anywhere."""
        return joined_alternatives(self.words.values[self._written[cell]])

    def written_gold(self, key: str, turn: int, slot: int) -> tuple[str, str] | None:
        """Return slot and value as written in gold at a turn, including values that mean no value; None if gold has nothing."""
        for pair in self.gold[key].get(turn, ()):
            if self.pairs.slot[pair] == slot and self.words.values[pair] not in ("", NAMED):
                return self.words.written(pair), joined_alternatives(self.words.values[pair])
        return None

    def has_value(self, key: str, turn: int, slot: int) -> bool:
        """Return True if gold has a value at a turn under the rules."""
        return any(self.pairs.slot[pair] == slot and self.pairs.gold[pair] for pair in self.gold[key].get(turn, ()))

    def corrections(self, key: str, slot: int, turns: Iterable[int], cell: int | None) -> list[Correction]:
        """Return corrections that change the value of a slot at some turns, one for each run of equal written values.

        Args:
            cell: the value; None for no value.
        """
        value = None if cell is None else self.value_of(cell)
        name = self.pairs.slot_names[slot] if cell is None else self.words.written(self._written[cell])
        corrections: list[Correction] = []
        before: int | None = None
        next_turn = dict(pairwise(sorted(self.gold[key])))
        for turn in turns:
            written = self.written_gold(key, turn, slot)
            old = written[1] if written else None
            if old == value:
                continue
            if corrections and corrections[-1].gold == old and before is not None and next_turn.get(before) == turn:
                corrections[-1] = replace(corrections[-1], last=turn)
            else:
                slot_name = written[0] if written else name
                corrections.append(Correction(self.names[key], slot_name, turn, turn, old, value))
            before = turn
        return corrections


def read_trackers(
    gold: str | None,
    files: Mapping[str, str],
    rules: Rules,
    *,
    gold_format: str | None = None,
    format: str | None = None,
    common: bool = False,
) -> TrackerSet:
    """Read the predictions of several trackers, and score each.

    Args:
        gold: the file with gold states; None if every file or run contains the same gold.
        files: predictions or runs by name of the tracker.
        common: use only the dialogues that all files have.

    Raises:
        DialmeterError: a tracker has missing dialogues or other gold, or two trackers have the same predictions.
    """
    asks = rules.state == "cumulative"
    shared_gold = GoldFile(gold, gold_format, asks=asks) if gold is not None else None
    words = shared_gold.vocabulary if shared_gold else Vocabulary()
    only = _common_dialogues(gold, gold_format, files, format) if common else None
    runs = {path: open_run(path).manifest.get("rules") for path in files.values() if is_run(path)}
    for path, run_rules in runs.items():
        if run_rules != next(iter(runs.values())):
            raise DialmeterError(
                f"{one_line(next(iter(runs)), 200)} and {one_line(path, 200)} are runs under different rules; "
                "score them again under the same rule set"
            )
    trackers = []
    for name, path in files.items():
        scorer = TrackerScorer(MEASURES, rules, vocabulary=words)
        check, reads = GoldStateCheck(), dict[str, PairDialogue]()

        def take(
            read: PairDialogue, compared: ComparedDialogue, check: GoldStateCheck = check, reads: Any = reads
        ) -> None:
            check.take(read, compared)
            reads[dialogue_key(read.id)] = without_states(read)

        notices: list[Notice] = []
        if is_run(path):
            _read_run(path, shared_gold, scorer, only, take)
        else:
            corpus, gold_corpus = open_pair(path, shared_gold, format, asks=asks)
            if corpus.correctness_only:
                corpus.close()
                raise DialmeterError(f"{one_line(path, 200)}: the file has no values, so it cannot vote")
            own = shared_gold is not None and corpus.holds_both and path != gold
            read_into(scorer, corpus, gold_corpus, only=only, on_row=take)
            notices = [*corpus.notices, *(_other_gold(name, path, format, scorer) if own else ())]
        missing = scorer.findings.missing
        if missing.dialogues and rules.missing == "error":
            raise DialmeterError(
                f"{name}: {missing.dialogues} dialogues of gold have no prediction, first {missing.first_dialogue}; "
                "use --only common for the dialogues that all files have"
            )
        trackers.append(AuditedTracker(name, reads, scorer.result(one_line(path, 200), notices), check))
    _check_trackers(trackers)
    return TrackerSet(trackers, rules, words)


def _read_run(
    path: str, gold: GoldFile | None, scorer: TrackerScorer, only: frozenset[str] | None, take: RowCallback
) -> None:
    """Read a run into a scorer."""
    words = scorer.vocabulary
    dialogues = run_dialogues(open_run(path), words)
    if gold is not None:
        dialogues = joined(gold.numbered(words), dialogues)
    patch = scorer.rules.gold_patch
    for read in dialogues if patch is None else patch.apply_to(dialogues, words):
        if only is None or dialogue_key(read.id) in only:
            try:
                scored = scorer.add_pairs(read)
            except InputError as error:
                raise error.at(file=one_line(path, 200)) from None
            if scored:
                take(read, scorer.compared())


def _common_dialogues(
    gold: str | None, gold_format: str | None, files: Mapping[str, str], format: str | None
) -> frozenset[str]:
    def keys(path: str, role: Role, format: str | None) -> frozenset[str]:
        words = Vocabulary()
        read = (
            run_dialogues(open_run(path), words)
            if is_run(path)
            else open_corpus(path, role, format, asks=False).numbered(words)
        )
        return frozenset(dialogue_key(each.id) for each in read)

    sets = [keys(path, Role.PRED, format) for path in files.values()]
    common = frozenset.intersection(*sets, *([keys(gold, Role.GOLD, gold_format)] if gold is not None else []))
    if not common:
        raise DialmeterError("the files have no dialogue in common")
    return common


def _other_gold(name: str, path: str, format: str | None, scorer: TrackerScorer) -> list[Notice]:
    """Return a warning if a file of predictions has gold that differs from the gold of the audit."""
    if scorer.rules.patch:
        return []
    own_gold = TrackerScorer(["JGA"], replace(scorer.rules, missing="skip"))
    read_into(own_gold, *open_pair(path, None, format, asks=False))
    differing = own_gold.findings.digest.differing(scorer.findings.digest)
    message = f"{name}: the file has gold that differs from GOLD in {len(differing)} dialogues; GOLD is used"
    return [Notice("other-gold", len(differing), message, tuple(differing[:10]))] if differing else []


def _check_trackers(trackers: list[AuditedTracker]) -> None:
    """Raise DialmeterError if trackers have different dialogues or gold, or two have the same predictions."""
    first = trackers[0]
    for each in trackers[1:]:
        differing = first.result.gold_digest.differing(each.result.gold_digest)
        if differing:
            raise DialmeterError(
                f"{first.name} and {each.name} have different gold in {len(differing)} dialogues, first {differing[0]}; "
                "give the GOLD file first, then the predictions"
            )
    check_comparable({each.name: each.result for each in trackers})
    seen: dict[tuple[Any, ...], str] = {}
    for each in trackers:
        states = tuple((key, tuple(read.pred)) for key, read in sorted(each.reads.items()))
        if states in seen:
            raise DialmeterError(
                f"{seen[states]} and {each.name} have the same predictions; give each tracker only once"
            )
        seen[states] = each.name


def utterances_of(read: PairDialogue) -> dict[int, Utterances]:
    """Return the utterances of a dialogue by turn."""
    return {turn.number: Utterances(turn.system or "", turn.user or "") for turn in read.turns}


def read_utterances(path: str) -> Iterator[tuple[str, dict[int, Utterances]]]:
    """Yield the utterances of a file by turn, for each dialogue.

    Raises:
        InputError: the file is invalid; the error has the place.
    """
    for read in open_corpus(path, Role.GOLD).numbered(Vocabulary()):
        yield dialogue_key(read.id), utterances_of(read)
