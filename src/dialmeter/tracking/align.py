"""Read gold and predictions from one file or two, as one stream of dialogues."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import zip_longest
from math import inf
from pathlib import Path
from typing import Any, ClassVar, TypeAlias, TypeVar

from msgspec import Struct

from ..errors import DialmeterError, InputError, one_line
from ..model import Dialogue, Frame, Notice, Schema, Turn, dialogue_key
from ..readers.corpus import Corpus, gold_values, open_corpus, open_span, split_tracker
from ..readers.pairs.state_layouts import FLAT
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.records.names import letters_of
from ..readers.source import Span
from ..readers.validation import Role
from .gold_patch import GoldPatch


def open_pair(
    path: str,
    gold_path: str | GoldFile | None,
    format: str | None,
    gold_format: str | None = None,
    *,
    asks: bool = True,
) -> tuple[Corpus, Corpus | GoldFile | None]:
    """Open one file that holds gold and predictions, or a file of predictions and its gold file.

    With ``asks=False``, states that look like updates are not refused: a rule says what they are.

    Raises:
        InputError: only one file was given, and it holds one state per turn.
    """
    if gold_path is None:
        corpus = open_corpus(path, Role.BOTH, format, asks=asks)
        if corpus.sides is not None:
            corpus.close()
            pair = open_pair(*corpus.sides, format, format, asks=asks)
            pair[0].notices.append(Notice("reading", 2, "predictions are in {}, gold is in {}".format(*corpus.sides)))
            return pair
        if not corpus.holds_both:
            corpus.close()
            raise InputError(
                f"format {corpus.format} holds one state per turn; give the file of gold states with --gold FILE",
                file=corpus.name,
            )
        return corpus, None
    if path == gold_path == "-":
        raise DialmeterError("predictions and gold cannot both come from standard input")
    pred = open_corpus(path, Role.PRED, format, asks=asks)
    pred.set_gold(gold_path if isinstance(gold_path, str) else gold_path.path)
    if isinstance(gold_path, GoldFile):
        return pred, gold_path
    try:
        return pred, open_corpus(gold_path, Role.GOLD, gold_format, asks=asks)
    except DialmeterError:
        pred.close()
        raise


class GoldFile:
    """Gold states that are read once and joined with several files of predictions.

    Raises:
        InputError: the file cannot be read; the error names the place.
    """

    def __init__(self, path: str, format: str | None = None, *, asks: bool = True) -> None:
        corpus = open_corpus(path, Role.GOLD, format, asks=asks)
        self.path = path
        self.vocabulary = Vocabulary()
        self._dialogues = [without_states(each) for each in corpus.numbered(self.vocabulary)]
        self.format = corpus.format
        self.schema = corpus.schema
        self.notices = corpus.notices
        self.has_ids = corpus.has_ids

    def numbered(self, vocabulary: Vocabulary) -> Iterator[PairDialogue]:
        """Return the dialogues. The vocabulary must be the one that numbered their pairs."""
        assert vocabulary is self.vocabulary
        return iter(self._dialogues)

    def gold_again(self, only: Collection[str] | None) -> Iterator[str]:
        """Return the gold values."""
        return gold_values(self._dialogues, self.vocabulary, only)


def without_states(dialogue: PairDialogue) -> PairDialogue:
    """Remove the states as written from a dialogue, because they take most of the memory."""
    dialogue.turns = [
        Turn(turn.number, None, None, turn.user, turn.system, turn.frames, turn.written) for turn in dialogue.turns
    ]
    return dialogue


def read_pair(
    corpus: Corpus, gold_corpus: Corpus | GoldFile | None, vocabulary: Vocabulary, patch: GoldPatch | None = None
) -> Iterable[PairDialogue]:
    """Read the dialogues of one file, or of two files that are joined, and apply the patch of gold if there is one."""
    dialogues = corpus.numbered(vocabulary)
    if gold_corpus is not None:
        golds = gold_corpus.numbered(vocabulary)
        if not {"records", "rows"}.isdisjoint((corpus.format, gold_corpus.format)):
            all_golds, all_preds = list(golds), list(dialogues)
            golds, dialogues = aligned(all_golds, all_preds, corpus, gold_corpus)
            _check_slots(all_golds, all_preds, vocabulary, corpus)
        dialogues = joined(golds, dialogues)
    elif corpus.is_inferred:
        read = list(dialogues)
        _check_slots(read, read, vocabulary, corpus)
        return read if patch is None else patch.apply_to(read, vocabulary)
    return dialogues if patch is None else patch.apply_to(dialogues, vocabulary)


Made = TypeVar("Made")
PartWork: TypeAlias = Callable[[Vocabulary, Iterable[PairDialogue]], Made]
"""Work on a part of the dialogues, with the vocabulary that numbers their pairs."""


class PairFiles(Struct, frozen=True):
    """The files that were read, so that they can be read again; see ``score_file``."""

    path: str
    gold: str | None = None
    format: str | None = None
    gold_format: str | None = None
    only: frozenset[str] | None = None
    patch: GoldPatch | None = None

    @property
    def can_be_read(self) -> bool:
        """Can the files be read more than once? Standard input and pipes cannot."""
        paths = [Path(split_tracker(path)[0]) for path in (self.path, self.gold) if path]
        return all(path.is_file() or path.is_dir() for path in paths)

    def map(self, work: PartWork[Made]) -> Iterator[Made]:
        """Apply a function to every part of the dialogues; here they are one part."""
        yield work(*self.open())

    def open(self) -> tuple[Vocabulary, Iterator[PairDialogue]]:
        """Return the dialogues, which are read again, and the vocabulary that numbers their pairs.

        Raises:
            InputError: a file cannot be read.
        """
        vocabulary = Vocabulary()
        corpus, gold = open_pair(self.path, self.gold, self.format, self.gold_format, asks=False)
        dialogues = read_pair(corpus, gold, vocabulary, self.patch)
        return vocabulary, (each for each in dialogues if self.only is None or dialogue_key(each.id) in self.only)


class ShardFiles(PairFiles, frozen=True):
    """A large file that can be read again in parts. ``run`` applies a function to every span, in any process."""

    spans: Sequence[Span] = ()
    run: Callable[[Callable[[Span], Any], Sequence[Span]], Iterator[Any]] = map

    def map(self, work: PartWork[Made]) -> Iterator[Made]:
        """Apply a function to the dialogues of every span, which are read again."""
        return self.run(partial(_work_on_span, work, self.only, self.patch), self.spans)


def _work_on_span(work: PartWork[Made], only: frozenset[str] | None, patch: GoldPatch | None, span: Span) -> Made:
    vocabulary = Vocabulary()
    dialogues = read_pair(open_span(span), None, vocabulary, patch)
    return work(vocabulary, (each for each in dialogues if only is None or dialogue_key(each.id) in only))


class KeptDialogues(Struct):
    """Scored dialogues that stay in memory, so that they can be scored again in other ways.

    Attributes:
        with_turns: a measure needs more than the states of a dialogue.
        most_turns: with more turns than this, no dialogue is kept.
    """

    vocabulary: Vocabulary
    with_turns: bool
    most_turns: float = inf
    dialogues: list[PairDialogue] = []
    turns: int = 0
    schema: Schema | None = None
    can_be_read: ClassVar[bool] = True

    @property
    def is_complete(self) -> bool:
        """Were all dialogues kept?"""
        return self.turns <= self.most_turns

    def keep(self, dialogue: PairDialogue) -> None:
        """Add a dialogue without its states as written, and without its turns if no measure needs them."""
        self.turns += len(dialogue.numbers)
        if not self.is_complete:
            self.dialogues.clear()
            return
        kept = PairDialogue(dialogue.id, dialogue.place)
        kept.gold_place = dialogue.gold_place
        kept.numbers, kept.gold, kept.pred = dialogue.numbers, dialogue.gold, dialogue.pred
        kept.turns = dialogue.turns if self.with_turns else ()
        self.dialogues.append(without_states(kept))

    def map(self, work: PartWork[Made]) -> Iterator[Made]:
        """Apply a function to the dialogues."""
        yield work(self.vocabulary, self.dialogues)

    def open(self) -> tuple[Vocabulary, list[PairDialogue]]:
        """Return the vocabulary and the dialogues."""
        return self.vocabulary, self.dialogues


def without_predictions(read: PairDialogue, turns: Collection[int]) -> PairDialogue:
    """Return a dialogue without the predictions of some turns."""
    result = PairDialogue(read.id, read.place)
    result.numbers, result.gold, result.turns = read.numbers, read.gold, read.turns
    result.pred = [None if number in turns else pred for number, pred in zip(read.numbers, read.pred, strict=True)]
    return result


def plain_dialogues(dialogues: Iterable[PairDialogue], vocabulary: Vocabulary, corpus: Corpus) -> Iterator[Dialogue]:
    """Yield the dialogues with states as mappings. Errors get the name of the file."""
    for dialogue in dialogues:
        try:
            yield vocabulary.plain(dialogue)
        except InputError as error:
            raise corpus.place(error) from None


def joined(gold: Iterable[PairDialogue], pred: Iterable[PairDialogue]) -> Iterator[PairDialogue]:
    """Join gold and predictions by dialogue id and turn number; each dialogue of either file is yielded once.

    Both files are read in parallel. If they have the same order, only one dialogue is in memory at a time. Of a dialogue whose
    other half was not read yet, only the numbers of its pairs are kept.
    """
    golds: dict[str, PairDialogue] = {}
    preds: dict[str, PairDialogue] = {}
    for gold_read, pred_read in zip_longest(gold, pred):
        if gold_read and pred_read and dialogue_key(gold_read.id) == dialogue_key(pred_read.id):
            yield _merge_dialogues(gold_read, pred_read)
            continue
        if gold_read:
            if other := preds.pop(key := dialogue_key(gold_read.id), None):
                yield _merge_dialogues(gold_read, other)
            else:
                golds[key] = without_states(gold_read)
        if pred_read:
            if other := golds.pop(key := dialogue_key(pred_read.id), None):
                yield _merge_dialogues(other, pred_read)
            else:
                preds[key] = without_states(pred_read)
    for each in golds.values():
        yield _merge_dialogues(each, PairDialogue(each.id))
    for each in preds.values():
        yield _merge_dialogues(PairDialogue(each.id), each)


def _check_slots(golds: list[PairDialogue], preds: list[PairDialogue], vocabulary: Vocabulary, corpus: Corpus) -> None:
    """Say which slots have names of another form, and refuse gold and predictions without a common slot.

    If most slots have such names, they are compared by their letters and digits.
    """
    slot_of = vocabulary.slots.__getitem__
    pairs = (
        {pair for each in golds for state in each.gold for pair in state or ()},
        {pair for each in preds for state in each.pred for pair in state or ()},
    )
    gold, pred = ({letters_of(slot_of(pair)): slot_of(pair) for pair in sorted(each)} for each in pairs)
    if gold and pred and gold.keys().isdisjoint(pred):
        names = (", ".join(one_line(name, 30) for name in sorted(each.values())[:3]) for each in (pred, gold))
        raise InputError("no slot has the same name in gold: {}; gold: {}".format(*names), file=corpus.name)
    if other := [f"{pred[key]} for {gold[key]}" for key in sorted(pred) if pred[key] != gold.get(key, pred[key])]:
        is_bridged = 2 * len(other) > len(pred)
        if is_bridged:
            of = {pair: gold.get(letters_of(slot_of(pair)), slot_of(pair)) for pair in pairs[1]}
            renamed = {
                pair: vocabulary.number({slot: vocabulary.values[pair]}, FLAT) if slot != slot_of(pair) else (pair,)
                for pair, slot in of.items()
            }
            for each in preds:
                each.pred = [
                    None if state is None else tuple(new for pair in state for new in renamed[pair])
                    for state in each.pred
                ]
        message = f"{len(other)} slots have names of another form than in gold"
        message += ", and are compared by their letters: " if is_bridged else ": "
        listed = ", ".join(map(one_line, other[:3]))
        corpus.notices.append(Notice("slot-names", len(other), f"{message}{listed}{', …' if len(other) > 3 else ''}"))


_SHIFTS: dict[str, Callable[[int], float]] = {
    "the same": lambda number: number,
    "one lower in gold": lambda number: number - 1,
    "one higher in gold": lambda number: number + 1,
    "twice as high in gold": lambda number: 2 * number,
    "half as high in gold": lambda number: number / 2,
}
"""How turn numbers of predictions may differ from those of gold."""


def aligned(
    golds: list[PairDialogue], preds: list[PairDialogue], corpus: Corpus, gold_corpus: Corpus | GoldFile
) -> tuple[Iterator[PairDialogue], Iterator[PairDialogue]]:
    """Return gold and predictions of two files whose layout was inferred, with the same ids and turn numbers.

    Raises:
        InputError: the turns cannot be matched; the message has what both files hold.
    """
    notices = corpus.notices
    if not (corpus.has_ids and gold_corpus.has_ids):
        return iter(golds), iter(_by_order(golds, preds, corpus, gold_corpus))
    gold_numbers = {dialogue_key(each.id): each.numbers for each in golds}
    common = [each for each in preds if dialogue_key(each.id) in gold_numbers]
    if not common:
        ids = (
            ", ".join(one_line(each.id, 30) for each in preds[:3]),
            ", ".join(one_line(each.id, 30) for each in golds[:3]),
        )
        raise InputError(f"no dialogue has the same id in gold: {ids[0]}, …; gold: {ids[1]}, …", file=corpus.name)
    if any(each.id not in {gold.id for gold in golds} for each in common):
        notices.append(Notice("reading", len(common), "letter case, .json and the Unicode form of ids were ignored"))
    pairs = [(each.numbers, {*gold_numbers[dialogue_key(each.id)]}) for each in common]
    fitting = [
        name for name, shift in _SHIFTS.items() if all(shift(one) in of for numbers, of in pairs for one in numbers)
    ]
    if fitting[:1] == ["the same"]:
        is_short = any(len(numbers) < len(of) for numbers, of in pairs)
        if is_short and len(fitting) > 1:
            notices.append(
                Notice("reading", 1, f"turn numbers are read as the same; {' and '.join(fitting[1:])} would fit, too")
            )
    elif fitting:
        notices.append(Notice("reading", 1, f"turn numbers are {fitting[0]}"))
        for each in common:
            _renumber(each, [int(_SHIFTS[fitting[0]](number)) for number in each.numbers])
    elif all(len(numbers) == len(of) for numbers, of in pairs):
        notices.append(
            Notice("reading", 1, "turns are matched by their order, because their numbers differ from those of gold")
        )
        for each, (_, of) in zip(common, pairs, strict=True):
            _renumber(each, sorted(of))
    else:
        first, of = next(pair for pair in pairs if not {*pair[0]} <= pair[1])
        raise InputError(
            f"the turns {', '.join(map(str, first[:8]))} do not match those of gold, {', '.join(map(str, sorted(of)[:8]))}",
            file=corpus.name,
        )
    return iter(golds), iter(preds)


def _by_order(
    golds: Sequence[PairDialogue], preds: Sequence[PairDialogue], corpus: Corpus, gold_corpus: Corpus | GoldFile
) -> list[PairDialogue]:
    """Return the predictions with the ids and turn numbers of gold, in the order of the file."""
    places = [(each.id, number) for each in golds for number in each.numbers]
    states = [pred for each in preds for pred in each.pred]
    if len(places) != len(states):
        side = "predictions have" if not corpus.has_ids else "gold has"
        raise InputError(
            f"the {side} no ids of dialogues, and there are {len(states)} turns but {len(places)} in gold",
            file=corpus.name,
        )
    message = f"no ids of dialogues; the {len(states)} turns are matched with those of gold by their order"
    corpus.notices.append(Notice("reading", len(states), message))
    by_id: dict[str, PairDialogue] = {}
    for (name, number), state in zip(places, states, strict=True):
        each = by_id.setdefault(name, PairDialogue(name, (corpus.name, None)))
        each.numbers = [*each.numbers, number]
        each.pred = [*each.pred, state]
        each.gold = [*each.gold, None]
        each.turns = [*each.turns, Turn(number)]
    return list(by_id.values())


def _renumber(dialogue: PairDialogue, numbers: list[int]) -> None:
    dialogue.turns = [
        Turn(number, None, None, turn.user, turn.system, turn.frames, turn.written)
        for number, turn in zip(numbers, dialogue.turns, strict=True)
    ]
    dialogue.numbers = numbers


def _merge_dialogues(gold: PairDialogue, pred: PairDialogue) -> PairDialogue:
    merged = PairDialogue(gold.id, pred.place)
    merged.gold_place = gold.place
    if gold.numbers == pred.numbers:
        merged.numbers, merged.gold, merged.pred = gold.numbers, gold.gold, pred.pred
    else:
        gold_states = dict(zip(gold.numbers, gold.gold, strict=True))
        pred_states = dict(zip(pred.numbers, pred.pred, strict=True))
        merged.numbers = sorted(gold_states.keys() | pred_states.keys())
        merged.gold = [gold_states.get(number) for number in merged.numbers]
        merged.pred = [pred_states.get(number) for number in merged.numbers]
    merged.turns = _MergedTurns(gold.turns, pred.turns)
    return merged


class _MergedTurns(Sequence[Turn]):
    """The turns of a dialogue from both files; they are merged at the first use."""

    def __init__(self, gold: Sequence[Turn], pred: Sequence[Turn]) -> None:
        self._gold = gold
        self._pred = pred

    @cached_property
    def _turns(self) -> list[Turn]:
        gold = {turn.number: turn for turn in self._gold}
        pred = {turn.number: turn for turn in self._pred}
        numbers = sorted(gold.keys() | pred.keys())
        return [_merge_turns(number, gold.get(number), pred.get(number)) for number in numbers]

    def __getitem__(self, index: Any) -> Any:
        return self._turns[index]

    def __len__(self) -> int:
        return len(self._turns)


def _merge_turns(number: int, gold: Turn | None, pred: Turn | None) -> Turn:
    """Merge everything of a turn except its states."""
    both = [turn for turn in (gold, pred) if turn is not None]
    user = next((turn.user for turn in both if turn.user), "")
    system = next((turn.system for turn in both if turn.system), "")
    if gold is not None and pred is not None:
        written = (gold.written[0], pred.written[1]) if gold.written and pred.written else None
        return Turn(number, user=user, system=system, frames=_merge_frames(gold, pred), written=written)
    return Turn(number, user=user, system=system, frames=both[0].frames)


def _merge_frames(gold: Turn, pred: Turn) -> dict[str, Frame] | None:
    """Merge the frames that gold has. The official scorer ignores predicted frames of other services."""
    if gold.frames is None:
        return None
    predicted = pred.frames or {}
    mismatch = "gold and prediction have different utterances" if gold.user and pred.user not in ("", gold.user) else ""
    missing = "gold has a frame and the prediction has none" if pred.frames is not None else ""
    return {
        service: Frame(
            frame.gold_intent,
            predicted[service].pred_intent if service in predicted else None,
            frame.gold_requested,
            predicted[service].pred_requested if service in predicted else None,
            mismatch or (missing if service not in predicted else ""),
        )
        for service, frame in gold.frames.items()
    }
