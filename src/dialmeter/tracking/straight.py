"""The straight way from native lines to tallies, for the rules and measures that most people use.

A state mostly is the one before with something added at its end. So only the end is decoded, checked, brought under the
rules, digested and counted; and while a prediction repeats gold letter by letter, it is not looked at. What is unusual
in any way is left to ``prepare`` and ``walk``, which know everything and give the same rows.
"""

from __future__ import annotations

from typing import Any

from msgspec import DecodeError, Raw, ValidationError

from ..errors import InputError
from ..formats.native import LightDialogue
from ..model import State, Value
from .book import Book
from .digest import Change
from .digest import change as difference
from .ledger import Ledger
from .prepare import Preparer
from .tally import NEVER, Lens, compared
from .vocabulary import UnusualError, Vocabulary

_EMPTY = Raw(b"{}")
_OPEN = b"{"
_NOTHING: State = {}


def straight_way(preparer: Preparer, ledger: Ledger) -> Straight | None:
    """The straight way, where rules and measures allow it."""
    rules = preparer.rules
    plain_rules = (rules.state, rules.extra, rules.match, rules.alternatives) == (
        "cumulative",
        "penalise",
        "exact",
        "any-of",
    )
    plain_measures = list(ledger.books) == [Lens("paper", "ignore")] and not ledger.hyphen_cut
    from_tallies = all(measure.reads() == "tally" for measure in ledger.measures)
    return Straight(preparer, ledger.main) if plain_rules and plain_measures and from_tallies else None


class Straight:
    """Tallies of light dialogues, put into a book.

    Args:
        preparer: holds the rules, and takes the digest and what is noticed.
        book: takes the tallies.
    """

    def __init__(self, preparer: Preparer, book: Book) -> None:
        self._preparer = preparer
        self._book = book
        self._words = Vocabulary(preparer.decoder, preparer.normaliser)
        self._right = _Right(book)

    def add(self, dialogue: LightDialogue) -> bool:
        """Takes a dialogue, or says that it has to go another way."""
        try:
            rows, changes = self._read(dialogue)
        except (UnusualError, DecodeError, UnicodeDecodeError, InputError):
            return False
        self._preparer.digest.add(dialogue.id, range(len(rows)), changes)
        self._preparer.note_changes(changes)
        self._book.add_numbers(dialogue.id, rows)
        return True

    def _read(self, dialogue: LightDialogue) -> tuple[list[int], dict[int, Change]]:
        """The rows of a dialogue by their numbers in the book, and the changes of gold by turn."""
        strict, learn = self._words.strict, self._words.learn
        number_of, right, slots = self._book.number_of, self._right, self._preparer.gold_slots
        rows: list[int] = []
        changes: dict[int, Change] = {}
        gold_raw = pred_raw = _EMPTY
        # What the next state begins with if it only grows.
        gold_start = pred_start = _OPEN
        gold: dict[str, Value] = {}
        change: Change
        found: Value | None
        wanted: Value | None
        pred = gold
        golds = preds = match = both = 0
        together = as_read = True
        last_error = number = -1
        for turn in dialogue.turns:
            number += 1
            gold_now, pred_now = turn.gold, turn.pred
            same = gold_now == pred_now
            if together and not same:
                together = False
                pred, pred_raw, pred_start = gold.copy(), gold_raw, gold_start
                preds = match = both = golds
            new_gold: dict[str, Value] | None = None
            new_pred: dict[str, Value] | None = None
            gold_end = pred_end = _NOTHING
            if gold_now != gold_raw:
                gold_raw = gold_now
                text = bytes(gold_now)
                end = text.removeprefix(gold_start)
                if end is text:
                    slots.update(gold)
                    _check(gold_start, gold)
                    before = gold if as_read else self._preparer.decoder.fast(gold_start[:-1] + b"}")
                    read, new_gold = self._whole(text)
                    as_read = new_gold is read
                    change = difference(before, read)
                else:
                    try:
                        change = gold_end = strict(b"{" + end)
                    except ValidationError:
                        change, gold_end = learn(b"{" + end)
                        as_read = as_read and gold_end == change
                if change:
                    changes[number] = change
                gold_start = text[:-1] + b","
            if together:
                if new_gold is not None:
                    correct = sum(gold.get(slot) != value for slot, value in new_gold.items())
                    gold = new_gold
                else:
                    gold.update(gold_end)
                    correct = len(gold_end)
                golds = len(gold)
                rows.append(right[golds, correct])
                continue
            if pred_now != pred_raw:
                pred_raw = pred_now
                text = bytes(pred_now)
                end = text.removeprefix(pred_start)
                if end is text:
                    _check(pred_start, pred)
                    _, new_pred = self._whole(text)
                else:
                    try:
                        pred_end = strict(b"{" + end)
                    except ValidationError:
                        _, pred_end = learn(b"{" + end)
                pred_start = text[:-1] + b","
            missed = wrong = over = correct = 0
            if new_gold is not None or new_pred is not None:
                new_gold = {**gold, **gold_end} if new_gold is None else new_gold
                new_pred = {**pred, **pred_end} if new_pred is None else new_pred
                match, both, missed, wrong, over, correct = compared(new_gold, new_pred, gold, pred)
                gold, pred = new_gold, new_pred
            else:
                gold.update(gold_end)
                pred.update(pred_end)
                for slot, wanted in gold_end.items():
                    found = pred.get(slot)
                    if found is None:
                        missed += 1
                    elif found == wanted:
                        correct += 1
                    else:
                        wrong += 1
                for slot, found in pred_end.items():
                    if slot not in gold_end:
                        wanted = gold.get(slot)
                        if wanted is None:
                            over += 1
                        elif found == wanted:
                            correct += 1
                        else:
                            wrong += 1
                match += correct
                both += correct + wrong
            golds, preds = len(gold), len(pred)
            if match == golds == preds:
                since = NEVER
            elif missed or wrong or over:
                since, last_error = 0, number
            else:
                since = NEVER if last_error < 0 else number - last_error
            rows.append(number_of[golds, preds, match, both, since, missed, wrong, over, correct])
            together = same
        slots.update(gold)
        _check(gold_start, gold)
        if not together:
            _check(pred_start, pred)
        return rows, changes

    def _whole(self, text: bytes) -> tuple[dict[str, str], dict[str, Value]]:
        """A state that does not begin with the one before, as it is read and under the rules."""
        try:
            read: dict[str, Any] = self._words.strict(text)
        except ValidationError:
            read, normal = self._words.learn(text)
            return read, {**normal}
        return read, read


def _check(start: bytes, state: State) -> None:
    """Raises where a state has not four quotation marks a pair: a key stands twice, or something is escaped.

    States that grew into this one are part of its text and need no look of their own.
    """
    if start.count(b'"') != 4 * len(state):
        raise UnusualError


class _Right(dict[tuple[int, int], int]):
    """The numbers of rows of turns at which all is right, by the slots that gold holds and that changed."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def __missing__(self, key: tuple[int, int]) -> int:
        slots, changed = key
        row = (slots, slots, slots, slots, NEVER, 0, 0, 0, changed)
        self[key] = number = self._book.number_of[row]
        return number
