"""Gold and predictions as one stream of dialogues, from one file or from two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from ..errors import DialmeterError, InputError
from ..model import Dialogue, Frame, Turn, dialogue_key
from ..readers.corpus import Corpus, open_corpus, split_tracker
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary
from ..readers.parts import Role
from .gold_patch import GoldPatch


def open_pair(
    path: str, gold_path: str | GoldFile | None, format: str | None, gold_format: str | None = None
) -> tuple[Corpus, Corpus | GoldFile | None]:
    """Opens a file with both states, or predictions and the gold that goes with them.

    Raises:
        InputError: a file that holds one state per turn was given alone.
    """
    if gold_path is None:
        corpus = open_corpus(path, Role.BOTH, format)
        if not corpus.holds_both:
            corpus.close()
            raise InputError(
                f"format {corpus.format} holds one state per turn; give the gold states with --gold FILE",
                file=corpus.name,
            )
        return corpus, None
    if path == gold_path == "-":
        raise DialmeterError("predictions and gold cannot both come from standard input")
    pred = open_corpus(path, Role.PRED, format)
    if isinstance(gold_path, GoldFile):
        return pred, gold_path
    try:
        return pred, open_corpus(gold_path, Role.GOLD, gold_format)
    except DialmeterError:
        pred.close()
        raise


_READ_AHEAD = 64
"""How many dialogues are read before they are scored."""


WatchDialogues: TypeAlias = Callable[[Iterable[Any], Corpus], Iterable[Any]]
"""Wraps the dialogues of a file while they are read, for a progress bar."""


def unwatched(dialogues: Iterable[Any], corpus: Corpus) -> Iterable[Any]:
    """The same dialogues: nobody watches."""
    return dialogues


class GoldFile:
    """Gold states that were read once, to be joined with several files of predictions.

    Args:
        path: the file.
        format: its format; detected if not given.

    Raises:
        InputError: whatever is wrong with the file, with its place.
    """

    def __init__(self, path: str, format: str | None = None) -> None:
        corpus = open_corpus(path, Role.GOLD, format)
        self.path = path
        self.vocabulary = Vocabulary()
        self._dialogues = [without_states(each) for each in corpus.numbered(self.vocabulary)]
        self.format = corpus.format
        self.schema = corpus.schema
        self.notices = corpus.notices

    def numbered(self, vocabulary: Vocabulary) -> Iterator[PairDialogue]:
        """The dialogues; the vocabulary must be the one that their pairs were numbered with."""
        assert vocabulary is self.vocabulary
        return iter(self._dialogues)


def without_states(dialogue: PairDialogue) -> PairDialogue:
    """The dialogue without the states as they were written, which take most of the memory."""
    dialogue.turns = [
        Turn(turn.number, None, None, turn.user, turn.system, turn.frames, turn.written) for turn in dialogue.turns
    ]
    return dialogue


def read_pair(
    corpus: Corpus, gold_corpus: Corpus | GoldFile | None, vocabulary: Vocabulary, patch: GoldPatch | None = None
) -> Iterator[PairDialogue]:
    """The dialogues of one file, or of two that are joined; with corrected gold where there is a patch."""
    found = corpus.numbered(vocabulary)
    if gold_corpus is not None:
        found = joined(gold_corpus.numbered(vocabulary), found)
    return found if patch is None else patch.apply_to(found, vocabulary)


def read_ahead(dialogues: Iterator[PairDialogue]) -> Iterator[PairDialogue]:
    """The same dialogues, of which some are read before the first of them is given.

    A processor is faster when it does not change between reading and scoring at every dialogue. An error is raised after the
    dialogues that were read before it.
    """
    batch: list[PairDialogue] = []
    failed: DialmeterError | None = None
    while failed is None:
        batch.clear()
        try:
            batch.extend(islice(dialogues, _READ_AHEAD))
        except DialmeterError as error:
            failed = error
        yield from batch
        if not batch:
            break
    if failed is not None:
        raise failed


class PairFiles(Struct, frozen=True):
    """Files that were read and can be read again.

    Attributes:
        path: predictions, with gold or without.
        gold: the file with gold states, where the first has none.
        format: the format of the predictions; detected if not given.
        gold_format: the format of gold.
        only: keys of the dialogues to read.
        patch: corrections of gold.
    """

    path: str
    gold: str | None = None
    format: str | None = None
    gold_format: str | None = None
    only: frozenset[str] | None = None
    patch: GoldPatch | None = None

    @property
    def can_be_read(self) -> bool:
        """Can the files be read as often as one likes? Standard input and pipes cannot."""
        paths = [Path(split_tracker(path)[0]) for path in (self.path, self.gold) if path]
        return all(path.is_file() or path.is_dir() for path in paths)

    def read(self, vocabulary: Vocabulary) -> Iterator[PairDialogue]:
        """The dialogues.

        Raises:
            InputError: whatever is wrong with a file.
        """
        corpus, gold = open_pair(self.path, self.gold, self.format, self.gold_format)
        for read in read_pair(corpus, gold, vocabulary, self.patch):
            if self.only is None or dialogue_key(read.id) in self.only:
                yield read


def plain_dialogues(read: Iterable[PairDialogue], vocabulary: Vocabulary, corpus: Corpus) -> Iterator[Dialogue]:
    """Dialogues with states as mappings; errors get the file's name."""
    for each in read:
        try:
            yield vocabulary.plain(each)
        except InputError as error:
            raise corpus.place(error) from None


def joined(gold: Iterable[PairDialogue], pred: Iterable[PairDialogue]) -> Iterator[PairDialogue]:
    """Every dialogue of either file once: gold from the one, predictions from the other, matched by id and turn number.

    Both files are read side by side, so that files in the same order need no more memory than one dialogue. Of dialogues that
    wait for their other half only the numbers of their pairs are kept.
    """
    waiting_gold: dict[str, PairDialogue] = {}
    waiting_pred: dict[str, PairDialogue] = {}
    golds, preds = iter(gold), iter(pred)
    more_gold = more_pred = True
    while more_gold or more_pred:
        wanted = next(golds, None) if more_gold else None
        more_gold = wanted is not None
        key = "" if wanted is None else dialogue_key(wanted.id)
        if wanted is not None and key in waiting_pred:
            yield _merged(wanted, waiting_pred.pop(key))
            wanted = None
        found = next(preds, None) if more_pred else None
        more_pred = found is not None
        if found is not None:
            found_key = dialogue_key(found.id)
            if wanted is not None and found_key == key:
                yield _merged(wanted, found)
                wanted = None
            elif found_key in waiting_gold:
                yield _merged(waiting_gold.pop(found_key), found)
            else:
                waiting_pred[found_key] = without_states(found)
        if wanted is not None:
            waiting_gold[key] = without_states(wanted)
    for wanted in waiting_gold.values():
        yield _merged(wanted, PairDialogue(wanted.id))
    for found in waiting_pred.values():
        yield _merged(PairDialogue(found.id), found)


def _merged(gold: PairDialogue, pred: PairDialogue) -> PairDialogue:
    merged = PairDialogue(gold.id, pred.place)
    merged.gold_place = gold.place
    if gold.numbers == pred.numbers:
        merged.numbers, merged.gold, merged.pred = gold.numbers, gold.gold, pred.pred
    else:
        wanted = dict(zip(gold.numbers, gold.gold, strict=True))
        found = dict(zip(pred.numbers, pred.pred, strict=True))
        merged.numbers = sorted(wanted.keys() | found.keys())
        merged.gold = [wanted.get(number) for number in merged.numbers]
        merged.pred = [found.get(number) for number in merged.numbers]
    merged.turns = _MergedTurns(gold.turns, pred.turns)
    return merged


class _MergedTurns(Sequence[Turn]):
    """What both files say of the turns of a dialogue, put together when they are first used."""

    def __init__(self, gold: Sequence[Turn], pred: Sequence[Turn]) -> None:
        self._gold = gold
        self._pred = pred

    @cached_property
    def _turns(self) -> list[Turn]:
        wanted = {turn.number: turn for turn in self._gold}
        found = {turn.number: turn for turn in self._pred}
        numbers = sorted(wanted.keys() | found.keys())
        return [_merged_turn(number, wanted.get(number), found.get(number)) for number in numbers]

    def __getitem__(self, place: Any) -> Any:
        return self._turns[place]

    def __len__(self) -> int:
        return len(self._turns)


def _merged_turn(number: int, gold: Turn | None, pred: Turn | None) -> Turn:
    """What is said of a turn beside its states."""
    both = [turn for turn in (gold, pred) if turn is not None]
    user = next((turn.user for turn in both if turn.user), "")
    system = next((turn.system for turn in both if turn.system), "")
    if gold is not None and pred is not None:
        written = (gold.written[0], pred.written[1]) if gold.written and pred.written else None
        return Turn(number, user=user, system=system, frames=_merged_frames(gold, pred), written=written)
    return Turn(number, user=user, system=system, frames=both[0].frames)


def _merged_frames(gold: Turn, pred: Turn) -> dict[str, Frame] | None:
    """The frames that gold has; what is predicted of other services is no frame of the official scorer."""
    if gold.frames is None:
        return None
    found = pred.frames or {}
    other = "gold and prediction have different utterances" if gold.user and pred.user not in ("", gold.user) else ""
    lone = "gold has a frame and the prediction has none" if pred.frames is not None else ""
    return {
        service: Frame(
            frame.gold_intent,
            found[service].pred_intent if service in found else None,
            frame.gold_requested,
            found[service].pred_requested if service in found else None,
            other or (lone if service not in found else ""),
        )
        for service, frame in gold.frames.items()
    }
