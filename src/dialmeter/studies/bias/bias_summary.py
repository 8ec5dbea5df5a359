"""The findings of the bias study in a few plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .bias import REFERENCE, RIVAL
from .bias_filter import FILTER_WORDS, Filter
from .bias_findings import Correlation, Study
from .bias_verdict import HOLDS, NO_VALUE, PUBLISHED, WORDS, Verdict, excludes_zero, limits, sign_changes, verdicts

_WAYS = {"TO": ("mistakes fall late", "mistakes fall early"), "NU": ("mistakes are bunched", "mistakes are spread out")}


def summary(study: Study) -> list[str]:
    """Does the papers' claim hold, which measures depend on where mistakes fall, and what does the filter turn round?

    Example:
        >>> from dialmeter.studies.bias.bias import Row, study
        >>> from dialmeter.studies.bias.error_position import traits_of
        >>> rows = [Row("", str(n), (n, 1), traits_of((n, 1)), {"JGA": n / 9, "SA": n % 3 / 3}) for n in range(30)]
        >>> for line in summary(study(rows))[:2]:
        ...     print(line)
        The papers compare FGA(lam=0.5) with GCA; ask for both to hear whether their claim holds here.
        Dialogues with a mistake, TO: higher where mistakes fall early: JGA (-0.648); no dependence found: SA.
    """
    nothing = no_correlation(study)
    if nothing:
        return [f"There is nothing to say of where mistakes fall: {nothing}."]
    changes = [change.sentence for change in sign_changes(study)]
    return [*_claim(verdicts(study)), *(_dependence(study, trait) for trait in _WAYS), *changes]


def no_correlation(study: Study) -> str | None:
    """Why no measure has a correlation with any trait, over whatever dialogues; None where one has."""
    if any(each.r is not None for each in study.correlations):
        return None
    return study.correlations[0].reason


def _claim(found: Sequence[Verdict]) -> list[str]:
    own = {(verdict.filter, verdict.trait): verdict for verdict in found if verdict.rival == RIVAL}
    if not own:
        return [f"The papers compare {RIVAL} with {REFERENCE}; ask for both to hear whether their claim holds here."]
    lines = [
        f"The papers claim that {REFERENCE} follows TO and NU less than {RIVAL} does. Over all dialogues this holds for "
        f"{_held(own, 'none')}; with the published filter for {_held(own, 'published')}."
    ]
    for trait in PUBLISHED:
        told = [verdict for (_, of), verdict in own.items() if of == trait]
        parts = [f"{FILTER_WORDS[each.filter]}: {WORDS[each.outcome]} ({_why(each)})" for each in told]
        lines.append(f"{trait}, {'; '.join(parts)}.")
        other = [FILTER_WORDS[each.filter] for each in told if each.as_tested not in (each.outcome, NO_VALUE)]
        if other:
            lines.append(f"{trait}: the papers' test of signed correlations says otherwise for {', '.join(other)}.")
    return lines


def _held(own: Mapping[tuple[Filter, str], Verdict], chosen: Filter) -> str:
    traits = [trait for trait in ("TO", "NU") if own[chosen, trait].outcome == HOLDS]
    if all(own[chosen, trait].outcome == NO_VALUE for trait in ("TO", "NU")):
        return "neither, because it cannot be judged"
    return {0: "neither", 1: f"{''.join(traits)} only", 2: "both"}[len(traits)]


def _why(verdict: Verdict) -> str:
    return limits(verdict.strength_ci) if verdict.strength_ci else str(verdict.reason)


def _dependence(study: Study, trait: str) -> str:
    found = [each for each in study.correlations if each.trait == trait and each.filter == "mistakes"]
    groups: dict[str, list[str]] = {}
    for each in found:
        shown = f"{each.measure} ({each.r:.3f})" if excludes_zero(each.ci) else each.measure
        groups.setdefault(_way(each), []).append(shown)
    parts = [f"{way}: {', '.join(measures)}" for way, measures in groups.items()]
    return f"Dialogues with a mistake, {trait}: {'; '.join(parts)}."


def _way(each: Correlation) -> str:
    if each.r is None:
        return f"no correlation, because {each.reason}"
    if not excludes_zero(each.ci):
        return "no dependence found"
    return f"higher where {_WAYS[each.trait][each.r < 0]}"
