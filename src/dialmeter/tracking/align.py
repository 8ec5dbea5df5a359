"""Gold and predictions as one stream of dialogues, from one file or from two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import structs

from ..errors import DialmeterError, InputError
from ..formats import Corpus, Role, open_corpus
from ..model import Dialogue, Frame, Turn, dialogue_key


def open_pair(
    path: str, gold_path: str | None, form: str | None, gold_form: str | None = None
) -> tuple[Corpus, Corpus | None]:
    """Opens a file with both states, or predictions and the gold that goes with them.

    Raises:
        InputError: a file that holds one state per turn was given alone.
    """
    if gold_path is None:
        corpus = open_corpus(path, Role.BOTH, form)
        if not corpus.holds_both:
            corpus.close()
            raise InputError(
                f"format {corpus.format} holds one state per turn; give the gold states with --gold FILE",
                file=corpus.name,
            )
        return corpus, None
    if path == gold_path == "-":
        raise DialmeterError("predictions and gold cannot both come from standard input")
    pred = open_corpus(path, Role.PRED, form)
    try:
        return pred, open_corpus(gold_path, Role.GOLD, gold_form)
    except DialmeterError:
        pred.close()
        raise


def joined(gold: Iterable[Dialogue], pred: Iterable[Dialogue]) -> Iterator[Dialogue]:
    """Every dialogue of either file once: gold from the one, predictions from the other, matched by id and turn number.

    Both files are read side by side, so that files in the same order need no more memory than one dialogue.

    Example:
        >>> one = Dialogue("A.json", (Turn(0, gold={"x-y": "1"}),))
        >>> other = Dialogue("a", (Turn(0, pred={"x-y": "2"}), Turn(1, pred={})))
        >>> [(turn.number, turn.gold, turn.pred) for turn in next(joined([one], [other])).turns]
        [(0, {'x-y': '1'}, {'x-y': '2'}), (1, None, {})]
    """
    waiting_gold: dict[str, Dialogue] = {}
    waiting_pred: dict[str, Dialogue] = {}
    golds, preds = iter(gold), iter(pred)
    more_gold = more_pred = True
    while more_gold or more_pred:
        if more_gold:
            wanted = next(golds, None)
            if wanted is None:
                more_gold = False
            else:
                found = waiting_pred.pop(dialogue_key(wanted.id), None)
                if found is None:
                    waiting_gold[dialogue_key(wanted.id)] = wanted
                else:
                    yield _merged(wanted, found)
        if more_pred:
            found = next(preds, None)
            if found is None:
                more_pred = False
            else:
                wanted = waiting_gold.pop(dialogue_key(found.id), None)
                if wanted is None:
                    waiting_pred[dialogue_key(found.id)] = found
                else:
                    yield _merged(wanted, found)
    for wanted in waiting_gold.values():
        yield _merged(wanted, Dialogue(wanted.id, ()))
    for found in waiting_pred.values():
        yield _merged(Dialogue(found.id, ()), found)


def _merged(gold: Dialogue, pred: Dialogue) -> Dialogue:
    wanted = {turn.number: turn for turn in gold.turns}
    found = {turn.number: turn for turn in pred.turns}
    numbers = sorted(wanted.keys() | found.keys())
    return Dialogue(gold.id, tuple(_merged_turn(number, wanted.get(number), found.get(number)) for number in numbers))


def _merged_turn(number: int, gold: Turn | None, pred: Turn | None) -> Turn:
    if gold is None:
        assert pred is not None
        return structs.replace(pred, gold=None)
    if pred is None:
        return structs.replace(gold, pred=None)
    return Turn(
        number=number,
        gold=gold.gold,
        pred=pred.pred,
        user=gold.user or pred.user,
        system=gold.system or pred.system,
        frames=_merged_frames(gold.frames, pred.frames),
    )


def _merged_frames(gold: object, pred: object) -> dict[str, Frame] | None:
    """The frames that gold has; what is predicted of other services is no frame of the official scorer."""
    if not isinstance(gold, dict):
        return None
    found = pred if isinstance(pred, dict) else {}
    return {
        service: structs.replace(
            frame,
            pred_intent=found[service].pred_intent if service in found else None,
            pred_requested=found[service].pred_requested if service in found else None,
        )
        for service, frame in gold.items()
    }
