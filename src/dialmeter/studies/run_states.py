"""Read the states in the rows of a tracker's run."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from ..core.open_runs import Run
from ..errors import DialmeterError, one_line
from ..model import Dialogue, Turn, Value
from ..readers.pairs.state_layouts import FLAT
from ..readers.pairs.vocabulary import PairDialogue, Vocabulary


class _RunTurn(Struct):
    turn: int
    gold: dict[str, Value]
    pred: dict[str, Value]
    user: str
    system: str


class _RunRow(Struct):
    id: str
    turns: list[_RunTurn]


def check_tracker(run: Run) -> None:
    """Raise an error if a run is not a tracker's run.

    Raises:
        DialmeterError: the message has the kind of the run.
    """
    kind = run.manifest.get("kind") or "an unknown kind"
    if kind != "tracker":
        raise DialmeterError(f"{one_line(str(run.folder), 200)}: a run of {kind}, not of a tracker")


def run_dialogues(run: Run, words: Vocabulary) -> Iterator[PairDialogue]:
    """Yield the dialogues of a run, with states after its rules were applied.

    Args:
        run: a finished run.
        words: vocabulary that numbers their slot-value pairs.

    Raises:
        DialmeterError: the run is not a tracker's run.
        InputError: a row is damaged; the error has its line.
    """
    check_tracker(run)
    for row in run.rows_as(_RunRow):
        turns = tuple(Turn(turn.turn, turn.gold, turn.pred, turn.user, turn.system) for turn in row.turns)
        yield words.number_dialogue(Dialogue(row.id, turns), FLAT)
