"""Resolve the requested measures: apply the settings of the rule set and the limits of the file."""

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
    """A measure: its text as requested, and the measure that is computed."""

    text: str
    used: Measure


def resolve(
    measures: Sequence[str | Measure] | None, rules: Rules, correctness_only: bool = False
) -> tuple[list[ResolvedMeasure], list[Notice]]:
    """Return the measures to compute, in order and without duplicates, and warnings.

    Args:
        measures: the requested measures (default: those of the rule set).
        rules: the rule set; its settings replace parameters that have their default value.
        correctness_only: the file says which slots are right, but holds no values.

    Raises:
        DialmeterError: a measure is not defined under the rules, or cannot be computed from the file.

    Example:
        >>> from dialmeter.tracking.rule_sets.rules import named
        >>> resolve(["FGA(lam=1)", "jga"], named("fga-repo"))[0]
        [ResolvedMeasure(text='FGA(lam=1)', used=FGA(lam=1, local=code)), ResolvedMeasure(text='JGA', used=JGA)]
    """
    _check_settings(rules)
    parsed = [
        (each, []) if isinstance(each, Measure) else (parse(each), given(each))
        for each in (measures or rules.main_measures)
    ]
    explicit = {_text(each, names, rules): names for each, names in parsed}
    by_text = {_text(each, names, rules): each for each, names in parsed}
    notices: list[Notice] = []
    if correctness_only:
        impossible = [each for each in by_text.values() if not _from_correctness(each)]
        if impossible and measures:
            needed = "the domains of slots" if getattr(impossible[0], "domains", ()) else "values"
            raise DialmeterError(
                f"{impossible[0]} needs {needed}, but the file says only which slots are right; use one of "
                f"{', '.join(_FROM_CORRECTNESS)} (with local=vector)"
            )
        if impossible:
            names = ", ".join(map(repr, impossible))
            message = f"the file holds no values; these measures cannot be computed: {names}"
            notices.append(Notice("no-values", len(impossible), message))
        by_text = {text: each for text, each in by_text.items() if _from_correctness(each)}
    settings = {**rules.settings, **(_BY_VECTOR if correctness_only else {})}
    used = {text: _stand_in(each, rules) for text, each in by_text.items()}
    resolved = [ResolvedMeasure(text, with_settings(each, settings, explicit[text])) for text, each in used.items()]
    if any(getattr(each.used, "credit", "none") != "none" for each in resolved):
        check_match(rules.match)
    return resolved, notices


def _text(measure: Measure, names: Sequence[str], rules: Rules) -> str:
    """Return the text of a measure, including default values that were given explicitly and override the rule set."""
    set_by_rules = [name for name in names if name in rules.settings.get(type(measure).__name__, {})]
    hidden = [name for name in set_by_rules if f"{name}=" not in repr(measure)]
    if not hidden:
        return repr(measure)
    name, _, rest = repr(measure).partition("(")
    visible = [rest.removesuffix(")")] if rest else []
    return f"{name}({', '.join([*visible, *(f'{each}={getattr(measure, each)}' for each in hidden)])})"


def _check_settings(rules: Rules) -> None:
    """Raise DialmeterError for a setting of a measure or parameter that does not exist."""
    for name, settings in rules.settings.items():
        defined = [each.name for each in parameters(registry.load(name))]
        for each in settings:
            if each not in defined:
                raise DialmeterError(
                    f"rules {rules.name}: {name} has no parameter {each!r}; {did_you_mean(each, defined)}"
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
        defined = ", ".join([*rules.stand_ins, *rules.only_measures])
        raise DialmeterError(f"{measure} is not defined under rules {rules.name}; use one of {defined}")
    return measure
