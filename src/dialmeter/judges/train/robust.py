"""Train a small linear head on preference pairs, and measure its error rates on seen attacks and on held-out attacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from ...errors import DialmeterError
from ...numeric import np
from ...stats.formulas import Floats
from ..adapters.robust import FEATURES, FILE, RobustWeights
from ..ask import JudgeScores, ScorePair
from ..attacks import digest
from ..cases import Case, cases_digest, parse_threshold
from ..matrix import ErrorCell, JudgeDescription, VerdictSettings, error_cells, judge_cases

BEFORE, SEEN, HELD_OUT = "before", "after, attack seen", "after, attack held out"
PENALTY = 0.003
"""The factor of the squared weights, relative to the mean loss of a pair."""
LEAST = 2
"""The smallest number of attacks that make a reply worse. With fewer, none can be held out."""


class RobustTraining(Struct, frozen=True):
    """The result of training.

    Attributes:
        weights: the weights from all attacks on the training dialogues.
        cells: error rates on the test dialogues, before and after training, by attack.
        pairs: the number of preference pairs for training, by attack.
        tested: the number of cases in the test dialogues.
    """

    weights: RobustWeights
    cells: list[ErrorCell]
    pairs: dict[str, int]
    tested: int


def train_robust(
    cases: Sequence[Case], *, features: Literal["ngram", "minilm"] = "ngram", test_share: float = 0.3, seed: int = 1
) -> RobustTraining:
    """Train a head on preference pairs. Train it again without each attack, to measure its error rate on an attack that it has not seen.

    The pairs are the cases in which an ideal judge prefers the human reply. All attacks have equal weights. Dialogues are split: error
    rates are measured on dialogues that no head was trained on. Thresholds are half a standard deviation of the human scores.

    Args:
        cases: cases of several attacks.
        features: ``ngram`` or ``minilm``.
        test_share: the share of dialogues for testing.
        seed: the seed of the split.

    Raises:
        DialmeterError: there are too few attacks or dialogues.
    """
    if features not in FEATURES:
        raise DialmeterError(f"features must be {' or '.join(FEATURES)}, not {features!r}")
    names = sorted({case.source.dialogue for case in cases}, key=lambda name: (digest(seed, name), name))
    test = set(names[: round(test_share * len(names))])
    trained = [case for case in cases if case.source.dialogue not in test and case.expected == "lower"]
    tested = [case for case in cases if case.source.dialogue in test]
    attacks = sorted({case.attack for case in trained})
    if len(attacks) < LEAST or not tested:
        raise DialmeterError(
            f"training needs pairs of at least {LEAST} attacks that make a reply worse, and dialogues to test on; "
            f"found {len(attacks)} such attacks and {len(names)} dialogues"
        )
    make_features = FEATURES[features]
    good, bad = (make_features([case.items[side] for case in trained]) for side in (0, 1))
    whole = fit(good, bad, [case.attack for case in trained])
    without: dict[str, Floats] = {}
    for attack in attacks:
        rest = [place for place, case in enumerate(trained) if case.attack != attack]
        without[attack] = fit(good[rest], bad[rest], [trained[place].attack for place in rest])
    human, attacked = (make_features([case.items[side] for case in tested]) for side in (0, 1))
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
    settings = VerdictSettings(parse_threshold("sd"))
    weights = RobustWeights(
        features=features, weights=whole.tolist(), attacks=attacks, cases=cases_digest(cases), seed=seed
    )
    one_corpus = [msgspec.structs.replace(case, corpus="") for case in tested]
    given = one_corpus, JudgeScores(scores, []), judges, settings
    cells = error_cells(*given, judge_cases(*given))
    return RobustTraining(weights, cells, dict(Counter(case.attack for case in trained)), len(tested))


def fit(good: Floats, bad: Floats, attacks: Sequence[str]) -> Floats:
    """Fit weights with which good replies score higher than bad ones: a logistic regression on differences of features.

    Args:
        good: features of the preferred replies.
        bad: features of the other replies, in the same order.
        attacks: the attack of each pair; all attacks have equal weights.

    Example:
        >>> import numpy as np
        >>> bool(fit(np.array([[1.0, 3.0], [2.0, 5.0]]), np.array([[0.0, 3.0], [1.0, 6.0]]), ["a", "b"])[0] > 0)
        True
    """
    from scipy.optimize import minimize

    spread = np.vstack([good, bad]).std(axis=0)
    spread[spread == 0] = np.inf
    differences = (good - bad) / spread
    counts = Counter(attacks)
    shares = np.array([1 / counts[each] / len(counts) for each in attacks])

    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = differences @ weights
        slope = shares / (1 + np.exp(np.clip(margins, -500, 500)))
        value = shares @ np.logaddexp(0, -margins) + PENALTY / 2 * weights @ weights
        return float(value), PENALTY * weights - differences.T @ slope

    solution = minimize(loss, np.zeros(differences.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    weights: Floats = solution.x / spread
    return weights


def write_weights(folder: Path, trained: RobustTraining) -> None:
    """Write the weights into a folder, as JSON."""
    (folder / FILE).write_bytes(msgspec.json.encode(trained.weights) + b"\n")
