"""How far a judge agrees with itself, prefers long replies, and resists attacks: what a table of people and judge does not show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from ...core.open_runs import open_run
from ...errors import DialmeterError, did_you_mean
from ...model import SYSTEM
from ...numeric import np
from ...stats.agreement import krippendorff_alpha
from ...stats.correlation import ResampledVariable
from ...stats.drift import flip_rate
from ...stats.formulas import Floats
from ...stats.labels import Clusters, Figure, clustered, percentiles
from ..judge import Judge, identity_digest
from .columns import ScoreColumn
from .correlate import mean_ratings
from .labels import LabelAgreement, cluster_keys, repeated_verdicts
from .result import PeopleResult


def partial_spearman(weights: Floats, x: Floats, y: Floats, given: Floats) -> Floats:
    """Return the rank correlation of two variables given a third, in every row of weights.

    Example:
        >>> ones, x = np.ones((1, 4)), np.array([1.0, 2.0, 3.0, 4.0])
        >>> partial_spearman(ones, x, np.array([2.0, 1.0, 4.0, 3.0]), np.array([1.0, 3.0, 2.0, 4.0])).round(4).tolist()
        [1.0]
    """
    one, two, third = (ResampledVariable(weights, each) for each in (x, y, given))
    both, first, second = (a.correlation("Spearman", b) for a, b in ((one, two), (one, third), (two, third)))
    with np.errstate(all="ignore"):
        found: Floats = (both - first * second) / np.sqrt((1 - first**2) * (1 - second**2))
    return found


def length_preference(result: PeopleResult, agreement: LabelAgreement, column: ScoreColumn) -> Figure:
    """Return the partial rank correlation of score and length, given the mean rating: does the judge like long replies more than people do?

    The length is the number of words of the reply, or of all moves of the system in a dialogue. Items with a tie are left out.
    """
    items, facet = result.items.items, agreement.source.facet
    texts = [
        [item.reply] if item.level == "reply" else [m.text for m in item.moves if m.speaker == SYSTEM] for item in items
    ]
    length = np.array([sum(len(text.split()) for text in own) for own in texts], dtype=np.float64)
    verdicts = agreement.verdicts
    score = (
        column.oriented if not agreement.has_verdicts else np.array([verdicts.get(item.id, np.nan) for item in items])
    )
    rating, ties = mean_ratings(result.items, facet), set(agreement.source.ties)
    order = sorted(range(len(items)), key=lambda at: items[at].id)
    kept = [at for at in order if not np.isnan(score[at] + rating[at]) and items[at].id not in ties]
    if not result.items.has_texts or len(kept) < 3:
        return Figure(None, reason="the items have no texts")
    keys = cluster_keys(items)
    clusters, sides = Clusters([keys[at] for at in kept]), (score[kept], length[kept], rating[kept])
    value = float(partial_spearman(np.ones((1, len(kept))), *sides)[0])
    if np.isnan(value):
        return Figure(None, reason="scores, lengths or ratings are constant")
    return Figure(value, percentiles(partial_spearman(clusters.weights(), *sides))[0], n=len(kept))


def repeats(result: PeopleResult, agreement: LabelAgreement, judge: Judge | None = None) -> dict[str, Figure]:
    """Return how often repeats of the judge (``NAME/1``, ``NAME/2``) give different verdicts, or those of a model different scores.

    It is empty without repeats.
    """
    stability: dict[str, Any] = getattr(judge, "stability", dict)()
    if stability:
        n, (low, high) = stability["asked"], stability["same_ci"]
        unequal = Figure(1 - stability["same"], (1 - high, 1 - low), n=n)
        return {"not_unanimous": unequal, "repeats_alpha": Figure(stability["alpha"], n=n)}
    settings = result.settings.labels
    found = repeated_verdicts(result.items, agreement.judge, settings) if agreement.has_verdicts else []
    if len(found) < 2:
        return {}
    values, keys = np.array(found, dtype=np.float64), cluster_keys(result.items.items)
    order = sorted(range(len(keys)), key=lambda at: result.items.items[at].id)
    values, clusters = values[:, order], Clusters([keys[at] for at in order])
    passes, count = values.sum(axis=0), len(values)
    unequal = 2 * passes * (count - passes) / (count * (count - 1))
    weights = clusters.weights()
    differs = (passes > 0) & (passes < count)
    alpha = krippendorff_alpha(values.tolist(), "nominal")
    return {
        "flip_rate": Figure(flip_rate(values), percentiles(weights @ unequal / weights.sum(axis=1))[0], n=len(order)),
        "not_unanimous": clustered(differs, np.ones(len(order), dtype=np.bool_), clusters),
        "repeats_alpha": Figure(alpha.value, n=len(order), reason=alpha.reason or ""),
    }


class CertifiedFigure(Struct, omit_defaults=True):
    """A figure with its interval of 95 %, its number of items, and the method of the interval."""

    value: float | None = None
    ci95: tuple[float, float] | None = None
    n: float | None = None
    method: str = ""
    reason: str = ""


class AttackedRun:
    """What a saved run of ``dialmeter score CASES -j JUDGE -o RUN`` says about one judge.

    Attributes:
        cases: the digest of the cases.
        errors: facet → attack → the error rate.
        position: the share of pairs whose answer changes with the order of the replies, by corpus; for judges of pairs.

    Raises:
        DialmeterError: the folder holds no such run, or none of this judge.
    """

    def __init__(self, folder: str, judge: str, identity: str = "") -> None:
        run = open_run(folder)
        name = Path(folder).name
        if run.manifest.get("kind") != "judge":
            raise DialmeterError(
                f"{name}: attacks needs a run of cases, as `dialmeter score CASES -j {judge} -o RUN` makes it"
            )
        judges = {each["name"]: each.get("identity", "") for each in run.manifest["judges"] if not each.get("trivial")}
        if judge not in judges:
            raise DialmeterError(f"{name}: the run has no judge {judge!r}; {did_you_mean(judge, judges)}")
        if identity and judges[judge] != identity_digest(identity):
            raise DialmeterError(f"{name}: {judge} was another judge when this run was made; score the cases again")
        [self.cases] = [each["sha256"] for each in run.manifest["inputs"] if each["role"] == "cases"]
        own = [each for each in run.scores if each["judge"] == judge and each["value"] is not None]
        corpora = {each["corpus"] for each in own}
        self.errors: dict[str, dict[str, CertifiedFigure]] = {}
        for each in own:
            attack = each["attack"] if len(corpora) == 1 else f"{each['attack']} ({each['corpus']})"
            figure = CertifiedFigure(each["value"], each["ci"], each["n"], "wilson")
            self.errors.setdefault(each["facet"], {})[attack] = figure
        self.position = {
            f"position[{each['corpus']}]": CertifiedFigure(each["value"], each["ci"], each["n"], "wilson")
            for each in run.manifest.get("position_bias", ())
            if each["judge"] == judge
        }
