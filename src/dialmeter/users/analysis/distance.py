"""Is a simulated user like people? Differences of what user turns look like, each with an interval.

The dialogues need not have the same goals. Every measure is a ratio of two sums over dialogues; its difference has an
interval from resampling the dialogues of both files independently. Two measures compare distributions: the order in which
slots are first named, as a total variation distance, and the acts, as a Kullback-Leibler divergence of the simulated from
the human acts (Cuayáhuitl et al. 2005). Two samples are always some distance apart, so these come with what permuted
dialogues reach by chance.
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
    """One measure of both users; the difference is the simulated user's value less the human one.

    Attributes:
        human: None for a distance between two distributions, and for what is measured against people.
        simulated: None for a distance between two distributions.
        difference: or the distance; None for what is measured against people.
        ci: of the difference, or of the simulated user's value where there is none; None where there are too few dialogues,
            and for distances.
        chance: a distance that two samples of the same dialogues reach only by chance, from permuting dialogues.
        p: how often permuted dialogues are as far apart.
        signed: fields of its signature.
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
    return [found[0] for found in _WORD.finditer(text.lower())]


def _distinct_pairs(turns: Sequence[Move]) -> tuple[float, float]:
    pairs = [pair for turn in turns for pair in pairwise(words(turn.text))]
    return float(len(set(pairs))), float(len(pairs))


def _repeated(turns: Sequence[Move]) -> tuple[float, float]:
    texts = [tuple(words(turn.text)) for turn in turns]
    return float(sum(text in texts[:place] for place, text in enumerate(texts))), float(len(texts))


MEASURES = (
    TurnMeasure("Turns", "turns of the user per dialogue", lambda turns: (float(len(turns)), 1.0)),
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
    TurnMeasure("Distinct2", "different pairs of words, of all pairs in a dialogue", _distinct_pairs),
    TurnMeasure("Repetitions", "turns that repeat an earlier one word by word", _repeated),
    TurnMeasure(
        "Questions",
        "turns with a question mark",
        lambda turns: (float(sum("?" in turn.text for turn in turns)), float(len(turns))),
    ),
)


def distances(human: Iterable[Conversation], simulated: Iterable[Conversation], how: Resampling) -> list[Distance]:
    """How a simulated user differs from people.

    Args:
        human: dialogues of people.
        simulated: dialogues of the user.
        how: confidence, resamples and seed.

    Raises:
        DialmeterError: a side has no turn of a user.

    Example:
        >>> talk = lambda name, text: Conversation(name, (Move("user", text), Move("system", "Yes.")))
        >>> found = distances([talk("a", "Is it cheap?")], [talk("b", "A cheap one, please.")], Resampling())
        >>> [(each.measure, each.difference) for each in found if each.difference][:2]
        [('TurnLength', 1.0), ('Vocabulary', 1.0)]
    """
    sides = [[user_turns(talk) for talk in talks] for talks in (human, simulated)]
    sides = [[turns for turns in side if turns] for side in sides]
    for name, side in zip(("human", "simulated"), sides, strict=True):
        if not side:
            raise DialmeterError(f"the {name} dialogues have no turn of a user")
    return [*_ratios(sides, how), *_distributions(sides, how)]


def user_turns(talk: Conversation) -> list[Move]:
    """Return the turns of the user."""
    return [move for move in talk.moves if move.speaker == USER]


def _ratios(sides: Sequence[Sequence[Sequence[Move]]], how: Resampling) -> Iterator[Distance]:
    import numpy as np

    drawn_counts = draws([len(side) for side in sides], how)
    for measure in MEASURES:
        columns = [np.array([measure.parts(turns) for turns in side]) for side in sides]
        sums = [side.sum(axis=0) for side in columns]
        if not all(below for _, below in sums):
            continue
        human, simulated = (float(above / below) for above, below in sums)
        drawn = []
        for side, counts in zip(columns, drawn_counts, strict=True):
            totals = counts @ side
            with np.errstate(invalid="ignore", divide="ignore"):
                drawn.append(totals[:, 0] / totals[:, 1])
        yield Distance(
            measure.name, measure.title, human, simulated, simulated - human, limits(drawn[1] - drawn[0], how)
        )


def _distributions(sides: Sequence[Sequence[Sequence[Move]]], how: Resampling) -> Iterator[Distance]:
    """Distances between distributions; a sample is never at no distance from another, so chance is given beside them."""
    import numpy as np

    for name, title, events, apart in (
        ("SlotOrder", "total variation between the orders in which slots are first named", _order, _variation),
        ("ActKL", "divergence of the simulated from the human acts, in nats", acts_of, _divergence),
    ):
        counted = [Counter(events(turns)) for side in sides for turns in side]
        keys = sorted({key for found in counted for key in found})
        table = np.array([[found[key] for key in keys] for found in counted], dtype=float)
        first = np.arange(len(counted)) < len(sides[0])
        if not (keys and table[first].sum() and table[~first].sum()):
            continue
        value = float(apart(first[None, :] @ table, ~first[None, :] @ table)[0])
        chosen = permuted(first, how)
        yield beside_chance(Distance(name, title, None, None, value, None), apart(chosen @ table, ~chosen @ table), how)


def permuted(first: Any, how: Resampling) -> Any:
    """Which dialogues are taken for human in each permutation.

    Args:
        first: for each dialogue of both files, is it human?
        how: resamples and seed.
    """
    import numpy as np

    draw = np.random.default_rng(how.seed)
    return np.array([draw.permutation(first) for _ in range(min(how.resamples, _PERMUTATIONS))])


def beside_chance(found: Distance, drawn: Any, how: Resampling) -> Distance:
    """Return a distance with what permuted dialogues reach.

    Args:
        found: the distance.
        drawn: the distances of permuted dialogues.
        how: the confidence.
    """
    import numpy as np

    p = (1 + int((drawn >= found.difference).sum())) / (1 + len(drawn))
    return replace(found, chance=float(np.nanquantile(drawn, how.confidence)), p=p)


def _order(turns: Sequence[Move]) -> Iterator[str]:
    named = dict.fromkeys(
        f"{act.service.lower()}-{act.slot.lower()}"
        for turn in turns
        for act in turn.acts or ()
        if act.slot and act.values
    )
    return (f"{before} {after}" for before, after in pairwise(named))


def acts_of(turns: Sequence[Move]) -> list[str]:
    """Return the acts of some turns, each as its name and slot, without values."""
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


def draws(sizes: Sequence[int], how: Resampling) -> list[Any]:
    """How often each dialogue is drawn in each resample, for both sides independently."""
    import numpy as np

    draw = np.random.default_rng(how.seed)
    return [draw.multinomial(size, np.full(size, 1 / size), how.resamples).astype(float) for size in sizes]


def limits(values: np.ndarray[Any, np.dtype[np.float64]], how: Resampling) -> tuple[float, float] | None:
    """Return the interval of resampled values; None where they do not vary."""
    import numpy as np

    known = values[np.isfinite(values)]
    if len(known) < 2 or known.min() == known.max():
        return None
    low, high = np.quantile(known, [(1 - how.confidence) / 2, (1 + how.confidence) / 2])
    return float(low), float(high)
