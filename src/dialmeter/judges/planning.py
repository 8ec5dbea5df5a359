"""Which dialogues are attacked in which shard, and when there are enough cases. What comes out does not depend on who works."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import ceil, inf
from typing import overload

from msgspec import Struct

from ..model import Conversation, Move
from .attempts import Attempt
from .corpus_pool import ordered

BATCH = 25
_FEW = 4


class AttackTask(Struct, frozen=True):
    """Dialogues that are to be attacked.

    Attributes:
        number: the task's place among all tasks.
        talks: the dialogues; of a move only speaker and text, which are all that attacks see.
        attacks: names of the attacks that still lack cases.
        rounds: how many cases a dialogue may give; None for as many as it has.
    """

    number: int
    talks: tuple[Conversation, ...]
    attacks: tuple[str, ...]
    rounds: int | None


class AttackPart(Struct, frozen=True):
    """What came of a task: attempts by attack."""

    number: int
    found: dict[str, list[Attempt]]


class Plan(Sequence[AttackTask]):
    """The tasks, in the order in which the seed puts dialogues, and what has come of them.

    Dialogues are asked for a first case each, in as many tasks as that takes. Only where all of them do not give enough are they asked for a few
    more, and at last for all that they have. A task is made when somebody takes it, and leaves out attacks of which there are enough by then.
    To try more than is needed does no harm: ``gather`` takes what comes first by rank.

    Args:
        talks: the corpus.
        attacks: names.
        cases: how many are wanted of each.
        seed: of the order.
        kept: parts of an earlier run that was interrupted.
    """

    def __init__(
        self,
        talks: Iterable[Conversation],
        attacks: Sequence[str],
        cases: int,
        seed: int,
        kept: Collection[AttackPart] = (),
    ) -> None:
        dialogues = ordered(talks, seed)
        self._batches = [dialogues[first : first + BATCH] for first in range(0, len(dialogues), BATCH)]
        self._cases = cases
        least = max(1, ceil(cases / max(1, len(dialogues))))
        self._rounds = (least, _FEW * least, None)
        self._found: dict[str, dict[tuple[int, int, str, int], Attempt]] = {name: {} for name in attacks}
        self._made: dict[str, Counter[int]] = {name: Counter() for name in attacks}
        self._taken: set[int] = set()
        self._upto = 0
        for part in kept:
            self.take(part)
        self._left = [number for number in range(len(self._rounds) * len(self._batches)) if number not in self._taken]

    def __len__(self) -> int:
        return len(self._left)

    @overload
    def __getitem__(self, place: int) -> AttackTask: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[AttackTask]: ...
    def __getitem__(self, place: int | slice) -> AttackTask | Sequence[AttackTask]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        number = self._left[place]
        turn, batch = divmod(number, len(self._batches))
        talks = tuple(_spoken(talk) for talk in self._batches[batch])
        lacking = tuple(name for name in self._found if not self._has_enough(name))
        return AttackTask(number, talks, lacking, self._rounds[turn])

    def take(self, part: AttackPart) -> None:
        """Takes what came of a task."""
        self._taken.add(part.number)
        while self._upto in self._taken:
            self._upto += 1
        for name, attempts in part.found.items():
            known = self._found[name]
            for attempt in attempts:
                if attempt.rank not in known:
                    known[attempt.rank] = attempt
                    self._made[name][attempt.rank[0]] += attempt.case is not None

    def _has_enough(self, name: str) -> bool:
        """Are there enough cases, and none to come that stands before them?

        The first cases of dialogues stand in the order of the dialogues; later ones stand behind the first ones of all dialogues.
        """
        if self._upto != len(self._taken):
            return False
        made, turns = self._made[name], self._upto // len(self._batches)
        sure = (self._rounds[turns - 1] if turns else 1) or inf
        return sum(count for cases_before, count in made.items() if cases_before < sure) >= self._cases

    @property
    def is_done(self) -> bool:
        """Is no task needed any more?"""
        return all(map(self._has_enough, self._found))

    def attempts(self, name: str) -> Iterable[Attempt]:
        """All attempts of an attack."""
        return self._found[name].values() if name in self._found else ()

    def progress(self) -> tuple[str, int, int]:
        """The attack that has most to do, cases made, cases wanted."""
        made = {name: min(self._cases, self._made[name].total()) for name in self._found}
        return min(made, key=lambda name: made[name]), sum(made.values()), self._cases * len(made)


def _spoken(talk: Conversation) -> Conversation:
    return Conversation(talk.id, tuple(Move(move.speaker, move.text) for move in talk.moves))
