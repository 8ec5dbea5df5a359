"""Comparison of users on the same goals: differences to the first user, with confidence intervals and paired tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from ..core.comparability import not_comparable
from ..core.comparison import PairedDifference, PairedSample, Resampling, SystemComparison, compare_pairs
from ..core.ladder import Assumption, Rung, make_ladder, make_rung
from ..errors import DialmeterError, did_you_mean, one_line
from ..model import Notice, dialogue_key
from ..stats.formulas import ratio
from ..values import maps
from .events import COMBINED
from .measures import Key, name_of
from .result import SHOWN, UserResult, UserSettings, column, value_matrix
from .text.rules import RuleMaker

SHOWN_MEASURES: tuple[Key, ...] = (("I-GCDF1", COMBINED), ("R-GCDF1", COMBINED))
"""The measures of a comparison, unless others are requested. The first is that of the verdict."""
UserComparison: TypeAlias = SystemComparison[UserResult]


def common_goals(results: Mapping[str, UserResult]) -> tuple[frozenset[str], list[Notice]]:
    """Return the keys of the dialogues that all results have with equal goals, and notices about the others.

    Raises:
        DialmeterError: there is no such dialogue.
    """
    goals = {
        name: {dialogue_key(dialogue): digest for dialogue, digest in result.score_table.goals.items()}
        for name, result in results.items()
    }
    shared = set.intersection(*(set(digests) for digests in goals.values()))
    equal = frozenset(key for key in shared if len({digests[key] for digests in goals.values()}) == 1)
    if not equal:
        raise DialmeterError(f"{' and '.join(results)} have no dialogue with the same name and the same goal")
    alone = sorted(set.union(*(set(digests) for digests in goals.values())) - shared)
    other = sorted(shared - equal)
    unscored = (("alone", alone, "that not all files have"), ("other-goal", other, "with different goals"))
    return equal, [
        Notice(code, len(keys), f"{len(keys)} dialogues {description} are unscored", tuple(keys[:SHOWN]))
        for code, keys, description in unscored
        if keys
    ]


def other_settings(settings: UserSettings) -> Iterator[tuple[str, Assumption, UserSettings]]:
    """Yield the assumptions that a verdict may depend on, with their settings: another spelling of values, acts from text.

    Example:
        >>> from .profile import named as profile
        >>> from .rules import named as rules
        >>> [name for name, _, _ in other_settings(UserSettings(rules("dialmeter"), profile("multiwoz")))]
        ['map=multiwoz', 'acts read from text']
    """
    profile, value_map = settings.profile, settings.value_map
    if value_map is None and settings.rules.values.map and profile.name in maps.names():
        shipped = maps.load_shipped(profile.name)
        # The rules that read text use the map, too.
        maker = RuleMaker(profile, shipped) if isinstance(settings.from_text, RuleMaker) else settings.from_text
        yield f"map={profile.name}", "spelling", replace(settings, value_map=shipped, from_text=maker)
    if settings.from_text is None:
        yield "acts read from text", "acts", replace(settings, from_text=RuleMaker(profile, value_map), all_text=True)


def compare(
    results: Mapping[str, UserResult],
    resampling: Resampling,
    measures: Sequence[Key] = SHOWN_MEASURES,
    rescore: Callable[[UserSettings], Mapping[str, UserResult]] | None = None,
) -> UserComparison:
    """Compare users with the first one, on the same goals.

    Args:
        results: user name → result. All results are of the same dialogues, scored with the same settings.
        resampling: confidence, resamples and seed.
        measures: measures and domains; the first is that of the verdict.
        rescore: scores the same dialogues with other settings, to find out what the verdict depends on; None for no such rungs.

    Raises:
        DialmeterError: the dialogues, goals or settings are not the same, or no user speaks of a domain.
    """
    names = list(results)
    first = results[names[0]]
    domains = {each for result in results.values() for each in (COMBINED, *result.domains)}
    for _, domain in measures:
        if domain not in domains:
            raise DialmeterError(f"no domain {one_line(domain)!r}; {did_you_mean(domain, sorted(domains))}")
    for name in names[1:]:
        mismatch = not_comparable("user", first.signature, results[name].signature)
        if mismatch:
            raise DialmeterError(f"NOT COMPARABLE: {names[0]} and {name} differ: {mismatch}")
    versus, notices = _differences(results, resampling, measures)
    found: list[tuple[str, Assumption, list[PairedDifference]]] = [("as written", "as written", versus)]
    for name, assumption, settings in other_settings(first.settings):
        again = results if rescore is None else rescore(settings)
        if any(again[each].score_table.rows != results[each].score_table.rows for each in names):
            found.append((name, assumption, _differences(again, resampling, measures)[0]))
    rungs: dict[str, list[Rung]] = {name: [] for name in names[1:]}
    for name, assumption, differences in found:
        for each in (each for each in differences if each.measure == name_of(measures[0])):
            rung = make_rung(name, assumption, each, 1 - resampling.confidence, n=first.dialogues)
            rungs[each.system].append(rung)
    ladders = [make_ladder(name_of(measures[0]), name, names[0], each) for name, each in rungs.items()]
    return UserComparison(results=results, versus=versus, notices=notices, ladders=ladders)


def compare_users(
    score_all: Callable[[frozenset[str] | None, UserSettings | None], Mapping[str, UserResult]],
    chosen: frozenset[str] | None,
    resampling: Resampling,
    measures: Sequence[Key] = SHOWN_MEASURES,
) -> tuple[UserComparison, list[Notice], Mapping[str, UserResult]]:
    """Score users, again on the goals that all have if some have others, and compare them with the first one.

    Args:
        score_all: scores the dialogues of all users with these keys (None for all), with other settings if they are given.
        chosen: keys of the dialogues to compare; None for all.
        resampling: confidence, resamples and seed.
        measures: measures and domains; the first is that of the verdict.

    Returns:
        The comparison, the notices about dialogues that are not compared, and the results before others were left out.
    """
    results = whole = score_all(chosen, None)
    common, notices = common_goals(results)
    if any(result.account.asked > len(common) for result in results.values()):
        chosen = common
        results = score_all(chosen, None)
    return compare(results, resampling, measures, lambda other: score_all(chosen, other)), notices, whole


def _differences(
    results: Mapping[str, UserResult], resampling: Resampling, measures: Sequence[Key]
) -> tuple[list[PairedDifference], list[Notice]]:
    samples = []
    for name, result in results.items():
        rows = result.score_table.rows
        order = sorted(rows, key=dialogue_key)
        columns = {name_of(key): column(rows, *key) for key in measures}
        matrix = value_matrix(order, columns.values())
        by_dialogue = {measure: [values.get(dialogue) for dialogue in order] for measure, values in columns.items()}
        totals: dict[str, float | None] = {}
        for index, measure in enumerate(columns):
            total, count = matrix[:, 2 * index].sum(), matrix[:, 2 * index + 1].sum()
            totals[measure] = float(total) / float(count) if count else None
        signatures = {name_of(key): result.score(key).signature for key in measures}
        samples.append(PairedSample(name, matrix, totals, by_dialogue, signatures))
    base, *others = samples
    formulas = {name_of(key): ratio(2 * index, 2 * index + 1) for index, key in enumerate(measures)}
    return compare_pairs([(base, other) for other in others], formulas, resampling)
