"""From measures as asked for to measures as the rule set and the file allow them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..errors import DialmeterError, did_you_mean
from ..measure import Measure, given, parameters, parse, registry, with_settings
from ..model import Notice
from .measures.gca import check_match
from .rule_sets.rules import Rules

_FROM_CORRECTNESS = ("JGA", "SA", "FGA", "LocalAccuracy", "FinalJGA", "DialogueAccuracy")
_BY_VECTOR = {"FGA": {"local": "vector"}, "LocalAccuracy": {"local": "vector"}}


class ResolvedMeasure(NamedTuple):
    """A measure in the form that was asked for and in the form that is computed."""

    text: str
    used: Measure


def resolve(
    measures: Sequence[str | Measure] | None, rules: Rules, correctness_only: bool = False
) -> tuple[list[ResolvedMeasure], list[Notice]]:
    """The measures to compute, in order and each once; the rule set's own where none are named.

    Args:
        measures: as asked for.
        rules: their settings stand in for parameters left at their default.
        correctness_only: the file says which slots are right, but holds no values.

    Raises:
        DialmeterError: a measure that is not defined under the rules or cannot be had from the file.

    Example:
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> resolve(["FGA(lam=1)", "jga"], named("fga-repo"))[0]
        [ResolvedMeasure(text='FGA(lam=1)', used=FGA(lam=1, local=code)), ResolvedMeasure(text='JGA', used=JGA)]
    """
    _check_settings(rules)
    spelled = [
        (each, []) if isinstance(each, Measure) else (parse(each), given(each)) for each in (measures or rules.measures)
    ]
    explicit = {_text(each, names, rules): names for each, names in spelled}
    texts = {_text(each, names, rules): each for each, names in spelled}
    wanted = list(texts.values())
    notices: list[Notice] = []
    if correctness_only:
        left = [each for each in wanted if not _from_correctness(each)]
        if left and measures:
            needed = "the domains of slots" if getattr(left[0], "domains", ()) else "values"
            raise DialmeterError(
                f"{left[0]} needs {needed}, and the file says only which slots are right; it gives {', '.join(_FROM_CORRECTNESS)} "
                "with local=vector"
            )
        if left:
            names = ", ".join(map(repr, left))
            notices.append(
                Notice("no-values", len(left), f"the file holds no values, so that {names} cannot be computed")
            )
        texts = {text: each for text, each in texts.items() if _from_correctness(each)}
    settings = {**rules.settings, **(_BY_VECTOR if correctness_only else {})}
    asked = {text: _stand_in(each, rules) for text, each in texts.items()}
    resolved = [ResolvedMeasure(text, with_settings(used, settings, explicit[text])) for text, used in asked.items()]
    if any(getattr(each.used, "credit", "none") != "none" for each in resolved):
        check_match(rules.match)
    return resolved, notices


def _text(measure: Measure, names: Sequence[str], rules: Rules) -> str:
    """The measure as it prints, with a default that was asked for where the rule set would have set another."""
    ruled = [name for name in names if name in rules.settings.get(type(measure).__name__, {})]
    hidden = [name for name in ruled if f"{name}=" not in repr(measure)]
    if not hidden:
        return repr(measure)
    name, _, rest = repr(measure).partition("(")
    shown = [rest.removesuffix(")")] if rest else []
    return f"{name}({', '.join([*shown, *(f'{each}={getattr(measure, each)}' for each in hidden)])})"


def _check_settings(rules: Rules) -> None:
    """Raises DialmeterError for a setting of a measure or parameter that does not exist."""
    for name, settings in rules.settings.items():
        known = [each.name for each in parameters(registry.load(name))]
        for each in settings:
            if each not in known:
                raise DialmeterError(
                    f"rules {rules.name}: {name} has no parameter {each!r}; {did_you_mean(each, known)}"
                )


def _from_correctness(measure: Measure) -> bool:
    return (
        type(measure).__name__ in _FROM_CORRECTNESS
        and getattr(measure, "local", "vector") in ("paper", "vector")
        and not getattr(measure, "domains", ())
    )


def _stand_in(measure: Measure, rules: Rules) -> Measure:
    name = type(measure).__name__
    if name in rules.stand_ins:
        return parse(repr(measure).replace(name, rules.stand_ins[name], 1))
    if rules.only_measures and name not in rules.only_measures:
        known = ", ".join([*rules.stand_ins, *rules.only_measures])
        raise DialmeterError(f"{measure} is not defined under rules {rules.name}, which have {known}")
    return measure
