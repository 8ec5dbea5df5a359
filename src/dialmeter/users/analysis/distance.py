"""Distances between a simulated user and people: properties of user turns, with confidence intervals of the differences.

The dialogues need not have the same goals. Every measure is a ratio of two sums over dialogues. The confidence interval of
its difference comes from resampling the dialogues of both files independently. Two measures compare distributions: the order
in which slots are first named, as a total variation distance, and the acts, as a Kullback-Leibler divergence of the simulated
from the human acts (Cuayáhuitl et al. 2005). The distance between two samples is never zero, so these measures have a
permutation test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ...core.comparison import Resampling
from ...errors import DialmeterError
from ...model import USER, Conversation, Move

if TYPE_CHECKING:
    import numpy as np

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SMOOTHING = 0.5
_PERMUTATIONS = 1000


class TurnMeasure(Struct, frozen=True):
    """A property of user turns: a ratio of two sums over dialogues."""

    name: str
    title: str
    parts: Callable[[Sequence[Move]], tuple[float, float]]


class Distance(Struct, frozen=True):
    """One measure of both users. The difference is the value of the simulated user minus the value of people.

    Attributes:
        human: value of people; None for a distance between distributions, and for a measure against people.
        simulated: value of the simulated user; None for a distance between distributions.
        difference: the difference or the distance; None for a measure against people.
        ci: confidence interval of the difference, or of the simulated user's value if there is no difference; None for too few
            dialogues and for distances.
        chance: quantile, at the confidence level, of the distances between permuted dialogues.
        p: p-value of the permutation test: the share of permutations with at least this distance.
        signed: fields of the signature.
    """

    measure: str
    title: str
    human: float | None
    simulated: float | None
    difference: float | None
    ci: tuple[float, float] | None
    chance: float | None = None
    p: float | None = None
    signed: tuple[str, ...] = ()


def words(text: str) -> list[str]:
    """Return the words of a text in lower case.

    Example:
        >>> words("Don't you see? 10:30!")
        ["don't", 'you', 'see', '10', '30']
    """
    return _WORD.findall(text.lower())


def _distinct_pairs(turns: Sequence[Move]) -> tuple[float, float]:
    pairs = [pair for turn in turns for pair in pairwise(words(turn.text))]
    return float(len(set(pairs))), float(len(pairs))


def _repeated(turns: Sequence[Move]) -> tuple[float, float]:
    texts = [tuple(words(turn.text)) for turn in turns]
    return float(sum(text in texts[:index] for index, text in enumerate(texts))), float(len(texts))


MEASURES = (
    TurnMeasure("Turns", "user turns per dialogue", lambda turns: (float(len(turns)), 1.0)),
    TurnMeasure(
        "TurnLength",
        "words per turn",
        lambda turns: (float(sum(len(words(turn.text)) for turn in turns)), float(len(turns))),
    ),
    TurnMeasure(
        "ActsPerTurn",
        "acts per turn",
        lambda turns: (
            float(sum(len(turn.acts or ()) for turn in turns)),
            float(sum(turn.acts is not None for turn in turns)),
        ),
    ),
    TurnMeasure(
        "Vocabulary",
        "different words per dialogue",
        lambda turns: (float(len({word for turn in turns for word in words(turn.text)})), 1.0),
    ),
    TurnMeasure("Distinct2", "share of different word pairs among all word pairs of a dialogue", _distinct_pairs),
    TurnMeasure("Repetitions", "turns that repeat an earlier turn word for word", _repeated),
    TurnMeasure(
        "Questions",
        "turns with a question mark",
        lambda turns: (float(sum("?" in turn.text for turn in turns)), float(len(turns))),
    ),
)


def distances(
    human: Iterable[Conversation], simulated: Iterable[Conversation], resampling: Resampling
) -> list[Distance]:
    """Return the distances between a simulated user and people.

    Args:
        human: dialogues of people.
        simulated: dialogues of the simulated user.
        resampling: confidence, resamples and seed.

    Raises:
        DialmeterError: one of the two has no user turns.

    Example:
        >>> talk = lambda name, text: Conversation(name, (Move("user", text), Move("system", "Yes.")))
        >>> found = distances([talk("a", "Is it cheap?")], [talk("b", "A cheap one, please.")], Resampling())
        >>> [(each.measure, each.difference) for each in found if each.difference][:2]
        [('TurnLength', 1.0), ('Vocabulary', 1.0)]
    """
    sides = [[turns for talk in talks if (turns := user_turns(talk))] for talks in (human, simulated)]
    for name, side in zip(("human", "simulated"), sides, strict=True):
        if not side:
            raise DialmeterError(f"the {name} dialogues have no user turns")
    return [*_ratios(sides, resampling), *_distributions(sides, resampling)]


def user_turns(talk: Conversation) -> list[Move]:
    """Return the turns of the user."""
    return [move for move in talk.moves if move.speaker == USER]


def _ratios(sides: Sequence[Sequence[Sequence[Move]]], resampling: Resampling) -> Iterator[Distance]:
    import numpy as np

    weights = draws([len(side) for side in sides], resampling)
    for measure in MEASURES:
        columns = [np.array([measure.parts(turns) for turns in side]) for side in sides]
        sums = [side.sum(axis=0) for side in columns]
        if not all(below for _, below in sums):
            continue
        human, simulated = (float(above / below) for above, below in sums)
        drawn = []
        for side, counts in zip(columns, weights, strict=True):
            totals = counts @ side
            with np.errstate(invalid="ignore", divide="ignore"):
                drawn.append(totals[:, 0] / totals[:, 1])
        yield Distance(
            measure.name, measure.title, human, simulated, simulated - human, limits(drawn[1] - drawn[0], resampling)
        )


def _distributions(sides: Sequence[Sequence[Sequence[Move]]], resampling: Resampling) -> Iterator[Distance]:
    """Yield distances between distributions, with permutation tests, because the distance between two samples is never zero."""
    import numpy as np

    for name, title, events, distance in (
        ("SlotOrder", "total variation between the orders in which slots are first named", _order, _variation),
        ("ActKL", "divergence of the simulated from the human acts, in nats", acts_of, _divergence),
    ):
        counts = [Counter(events(turns)) for side in sides for turns in side]
        keys = sorted({key for each in counts for key in each})
        table = np.array([[each[key] for key in keys] for each in counts], dtype=float)
        is_human = np.arange(len(counts)) < len(sides[0])
        if not (keys and table[is_human].sum() and table[~is_human].sum()):
            continue
        value = float(distance(is_human[None, :] @ table, ~is_human[None, :] @ table)[0])
        permutations = permuted(is_human, resampling)
        drawn = distance(permutations @ table, ~permutations @ table)
        yield with_permutation_test(Distance(name, title, None, None, value, None), drawn, resampling)


def permuted(is_human: Any, resampling: Resampling) -> Any:
    """Return permutations of the flags that mark human dialogues, one permutation per row.

    Args:
        is_human: a flag for each dialogue of both files.
        resampling: resamples and seed.
    """
    import numpy as np

    generator = np.random.default_rng(resampling.seed)
    return np.array([generator.permutation(is_human) for _ in range(min(resampling.resamples, _PERMUTATIONS))])


def with_permutation_test(distance: Distance, drawn: Any, resampling: Resampling) -> Distance:
    """Return a distance with the results of a permutation test.

    Args:
        distance: the distance.
        drawn: the distances of permuted dialogues.
        resampling: the confidence.
    """
    import numpy as np

    p = (1 + int((drawn >= distance.difference).sum())) / (1 + len(drawn))
    return replace(distance, chance=float(np.nanquantile(drawn, resampling.confidence)), p=p)


def _order(turns: Sequence[Move]) -> Iterator[str]:
    named = dict.fromkeys(
        f"{act.service.lower()}-{act.slot.lower()}"
        for turn in turns
        for act in turn.acts or ()
        if act.slot and act.values
    )
    return (f"{before} {after}" for before, after in pairwise(named))


def acts_of(turns: Sequence[Move]) -> list[str]:
    """Return the acts of some turns as name and slot, without values."""
    return [f"{act.name.lower()} {act.slot.lower()}" for turn in turns for act in turn.acts or ()]


def _variation(human: Any, simulated: Any) -> Any:
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        one, other = (table / table.sum(axis=1, keepdims=True) for table in (human, simulated))
    return abs(one - other).sum(axis=1) / 2


def _divergence(human: Any, simulated: Any) -> Any:
    import numpy as np

    one, other = (
        (table + _SMOOTHING) / (table + _SMOOTHING).sum(axis=1, keepdims=True) for table in (human, simulated)
    )
    return (one * np.log(one / other)).sum(axis=1)


def draws(sizes: Sequence[int], resampling: Resampling) -> list[Any]:
    """Return how often each dialogue is drawn in each resample, independently for each side."""
    import numpy as np

    generator = np.random.default_rng(resampling.seed)
    return [generator.multinomial(size, np.full(size, 1 / size), resampling.resamples).astype(float) for size in sizes]


def limits(values: np.ndarray[Any, np.dtype[np.float64]], resampling: Resampling) -> tuple[float, float] | None:
    """Return the confidence interval of resampled values, or None if they do not vary."""
    import numpy as np

    finite = values[np.isfinite(values)]
    if len(finite) < 2 or finite.min() == finite.max():
        return None
    low, high = np.quantile(finite, [(1 - resampling.confidence) / 2, (1 + resampling.confidence) / 2])
    return float(low), float(high)
