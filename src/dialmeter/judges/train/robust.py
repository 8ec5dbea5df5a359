"""Training a small head on preference pairs, and what it does on attacks that it has seen and on attacks that were held out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...errors import DialmeterError
from ..adapters.robust import FEATURES, FILE, LAYOUT, RobustWeights
from ..ask import JudgeScores, ScorePair
from ..cases import Case, cases_digest
from ..corpus_pool import digest
from ..matrix import ErrorCell, JudgeDescription, VerdictSettings, matrix
from ..verdict import parse_threshold

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[np.float64]]

BEFORE, SEEN, HELD_OUT = "before", "after, attack seen", "after, attack held out"
PENALTY = 0.003
"""Of the squared weights, against the mean loss of a pair."""
LEAST = 2
"""So many attacks that make a reply worse are needed to hold one out."""


class RobustTraining(Struct, frozen=True):
    """The result of training.

    Attributes:
        weights: from all attacks and the training dialogues.
        cells: error rates on the test dialogues, before and after, by attack.
        pairs: how many preference pairs were trained on, by attack.
        tested: how many cases are in the test dialogues.
    """

    weights: RobustWeights
    cells: list[ErrorCell]
    pairs: dict[str, int]
    tested: int


def train_robust(
    cases: Sequence[Case], *, features: str = "ngram", test_share: float = 0.3, seed: int = 1
) -> RobustTraining:
    """Trains a head on preference pairs, and once more without each attack, to see what it does on an attack that it does not know.

    Cases in which an ideal judge prefers the human reply are the pairs. Each attack weighs the same. Dialogues are divided: error
    rates are of dialogues that no head was trained on. Thresholds are half a standard deviation of the human scores.

    Args:
        cases: cases of several attacks.
        features: ``ngram``, or ``minilm``.
        test_share: the share of dialogues for testing.
        seed: of the division.

    Raises:
        DialmeterError: there are too few attacks or dialogues.
    """
    if features not in FEATURES:
        raise DialmeterError(f"features are {' or '.join(FEATURES)}, not {features!r}")
    names = sorted({case.source.dialogue for case in cases}, key=lambda name: (digest(seed, name), name))
    test = set(names[: round(test_share * len(names))])
    ours = [case for case in cases if case.source.dialogue not in test]
    trained = [case for case in ours if case.expected == "lower"]
    tested = [case for case in cases if case.source.dialogue in test]
    attacks = sorted({case.attack for case in trained})
    if len(attacks) < LEAST or not tested:
        raise DialmeterError(
            f"training needs pairs of at least {LEAST} attacks that make a reply worse, and dialogues to test on; "
            f"there are {len(attacks)} such attacks and {len(names)} dialogues"
        )
    make = FEATURES[features]
    good, bad = (make([case.items[side] for case in trained]) for side in (0, 1))
    whole = fit(good, bad, [case.attack for case in trained])
    without: dict[str, Array] = {}
    for attack in attacks:
        rest = [place for place, case in enumerate(trained) if case.attack != attack]
        without[attack] = fit(good[rest], bad[rest], [trained[place].attack for place in rest])
    human, attacked = (make([case.items[side] for case in tested]) for side in (0, 1))
    rows = list(zip(tested, human, attacked, strict=True))
    scores = {
        BEFORE: [ScorePair(float(one[0]), float(other[0])) for _, one, other in rows],
        SEEN: [ScorePair(float(one @ whole), float(other @ whole)) for _, one, other in rows],
        HELD_OUT: [
            ScorePair(float(one @ own), float(other @ own))
            for case, one, other in rows
            for own in [without.get(case.attack, whole)]
        ],
    }
    judges = [JudgeDescription(name, f"{features} {name}", True) for name in scores]
    how = VerdictSettings(parse_threshold("sd"))
    weights = RobustWeights(
        layout=LAYOUT, features=features, weights=whole.tolist(), attacks=attacks, cases=cases_digest(cases), seed=seed
    )
    one_corpus = [msgspec.structs.replace(case, corpus="") for case in tested]
    cells = matrix(one_corpus, JudgeScores(scores, []), judges, how)
    return RobustTraining(weights, cells, dict(Counter(case.attack for case in trained)), len(tested))


def fit(good: Array, bad: Array, attacks: Sequence[str]) -> Array:
    """Weights with which good replies score higher than bad ones: a logistic regression on differences.

    Args:
        good: features of the preferred replies.
        bad: those of the others, in the same order.
        attacks: the attack of each pair; each attack weighs the same.

    Example:
        >>> import numpy as np
        >>> bool(fit(np.array([[1.0, 3.0], [2.0, 5.0]]), np.array([[0.0, 3.0], [1.0, 6.0]]), ["a", "b"])[0] > 0)
        True
    """
    import numpy as np
    from scipy.optimize import minimize

    spread = np.vstack([good, bad]).std(axis=0)
    spread[spread == 0] = np.inf
    differences = (good - bad) / spread
    counts = Counter(attacks)
    shares = np.array([1 / counts[each] / len(counts) for each in attacks])

    def loss(weights: Array) -> tuple[float, Array]:
        margins = differences @ weights
        slope = shares / (1 + np.exp(np.clip(margins, -500, 500)))
        value = shares @ np.logaddexp(0, -margins) + PENALTY / 2 * weights @ weights
        return float(value), PENALTY * weights - differences.T @ slope

    found = minimize(loss, np.zeros(differences.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    weights: Array = found.x / spread
    return weights


def write_weights(folder: Path, trained: RobustTraining) -> None:
    """Writes the weights into a folder, as JSON."""
    (folder / FILE).write_bytes(msgspec.json.encode(trained.weights) + b"\n")
