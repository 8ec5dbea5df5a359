"""Judges in Python: on cases, and on ratings of people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import signature
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from ..errors import DialmeterError, one_line
from ..judges.case_files import read_cases
from ..judges.cases import case_id
from ..judges.judge import Item, Judge, JudgeDefaults, load_judge
from ..judges.people.labels import label_settings
from ..judges.people.result import PeopleResult
from ..judges.people.study import judge_people, silent
from ..judges.result import JudgeResult
from ..judges.scorer import score_judge
from ..model import Notice
from ..readers.ratings.inferred import items_of_tree
from ..readers.ratings.open_ratings import open_ratings
from ..readers.ratings.rated_item import RatedItem, check_items
from ..views import judge as views
from ..views import people as people_views
from ..views.chart_files import Chart
from ..views.summaries import judge as summaries
from ..views.tables import Table
from .settings import INTERVALS, Options, Settings

AnyResult: TypeAlias = JudgeResult | PeopleResult
_LABELS = ("label_kind", "pass_if", "judge_pass_if", "probability", "labels", "margin")
KEYS = ("threshold", "verdict", "resample", "facets", *_LABELS, *INTERVALS)


class FunctionJudge(JudgeDefaults):
    """A function as a judge: ``function(context, reply)``, with the texts of the context, or ``function(messages)``.

    Example:
        >>> from dialmeter.model import Move
        >>> FunctionJudge("mine", lambda context, reply: len(reply)).score([((Move("user", "hello"),), "hi")])
        [2.0]
    """

    def __init__(self, name: str, function: Callable[..., float]) -> None:
        self.name = name
        self.function = function

    def score(self, items: Sequence[Item]) -> list[float]:
        """One score per item."""
        return [float(self.function(*self._arguments(*item))) for item in items]

    def _arguments(self, context: Sequence[Any], reply: str) -> tuple[Any, ...]:
        if len(signature(self.function).parameters) > 1:
            return [move.text for move in context], reply
        roles = {"user": "user", "system": "assistant"}
        messages = [{"role": roles.get(move.speaker, move.speaker), "content": move.text} for move in context]
        return ([*messages, {"role": "assistant", "content": reply}] if reply else messages,)


def judges_of(given: Any) -> tuple[dict[str, Any], list[str]]:
    """Return judges as objects by name, and judges as texts. A function is a judge.

    Raises:
        DialmeterError: something is not a judge.
    """
    listed = (
        given.items()
        if isinstance(given, Mapping)
        else [("", each) for each in ([given] if isinstance(given, str) or callable(given) else given or ())]
    )
    objects: dict[str, Any] = {}
    texts: list[str] = []
    for name, judge in listed:
        if isinstance(judge, str):
            texts.append(f"{name}={judge}" if name else judge)
        elif hasattr(judge, "score") or hasattr(judge, "compare"):
            objects[name or judge.name] = judge
        elif callable(judge):
            label = name or getattr(judge, "__name__", "mine")
            objects[label] = FunctionJudge(label, judge)
        else:
            raise DialmeterError(
                f"{type(judge).__name__} is not a judge; give a name, a function, or an object with score()"
            )
    return objects, texts


def score(source: Any, settings: Settings, options: Options) -> JudgeResult:
    """Score judges on cases."""
    objects, texts = judges_of(options.judges)
    cases = read_cases(source) if isinstance(source, str) else list(source)
    chosen: Mapping[str, Judge] | list[str] = _loaded(objects, texts) if objects else texts
    result = score_judge(
        cases,
        chosen,
        threshold=settings.get("threshold", "paper"),
        verdict=settings.get("verdict", "paper"),
        ci=settings.get("ci", 0.95),
    )
    _refuse_silent(result.silent, len(result.accounts))
    return result


def _refuse_silent(silent: Sequence[str], judges: int) -> None:
    """Raise an error if no judge scored anything: then its result would say nothing, and not why."""
    if silent and len(silent) == judges:
        raise DialmeterError(one_line("; ".join(silent), 4000))


def _loaded(objects: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    return {**objects, **dict(load_judge(text) for text in texts)}


def score_ratings(source: Any, columns: Mapping[str, str], settings: Settings, options: Options) -> PeopleResult:
    """Compare judges with people: the ratings are a file, items, or rows."""
    objects, texts = judges_of(options.judges)
    resampling = settings.resampling(1000)
    if isinstance(source, str):
        items = open_ratings(source, options.format)
    elif isinstance(source, list) and source and isinstance(source[0], RatedItem):
        items = check_items(source, "ratings")
    else:
        notices: list[Notice] = []
        items = check_items(items_of_tree(source, columns, notices), "ratings")
        items = replace(items, notices=tuple(notices))
    result = judge_people(
        items,
        _loaded(objects, texts) if objects else texts,
        facets=settings.get("facets", ()),
        resample=settings.get("resample", "contexts"),
        ci=resampling.confidence if resampling else 0,
        resamples=resampling.resamples if resampling else 1000,
        seed=settings.get("seed", 12345),
        labels=label_settings({key: settings[key] for key in _LABELS if key in settings}),
    )
    asked = [each for each in result.columns if each.asked and not each.trivial]
    _refuse_silent(silent(asked), len(result.named_judges))
    return result


def preferred(result: AnyResult, matches: Sequence[Any]) -> Sequence[Any]:
    """Return the scores that a short name means: those of the given judges, over items, in the main facet."""
    if isinstance(result, JudgeResult):
        trivial = {each.name for each in result.judges if each.trivial}
        return [each for each in matches if each[0] not in trivial] or matches
    trivial = {each.name for each in result.columns if each.trivial}
    chosen = [each for each in matches if each[1] not in trivial and each[2] == result.main_facet]
    return [each for each in chosen if len(each) == 3] or chosen or matches


def rows(result: AnyResult) -> list[dict[str, Any]]:
    """Return one row per case and judge, or per rated item."""
    if isinstance(result, PeopleResult):
        scores = {each.name: each.scores for each in result.columns}
        return [
            {"item": item.id, "reply": item.reply, **{name: each[place] for name, each in scores.items()}}
            for place, item in enumerate(result.items.items)
        ]
    return [
        {"case": case_id(case), "judge": name, "attack": case.attack, "human": pair[0], "adversarial": pair[1]}
        for name, pairs in result.scored.pairs.items()
        for case, pair in zip(result.cases, pairs, strict=True)
    ]


def errors(result: AnyResult) -> list[dict[str, Any]]:
    """Return the worst cases."""
    return [msgspec.to_builtins(each) for each in result.worst(1_000_000)]


def tables(result: AnyResult) -> list[Table]:
    """Return the tables of a result."""
    return [people_views.overview_table(result)] if isinstance(result, PeopleResult) else views.matrix_tables(result)


def charts(results: Mapping[str, AnyResult]) -> Iterator[Chart]:
    """Yield the charts of results."""
    for result in results.values():
        yield from (
            people_views.people_charts(result) if isinstance(result, PeopleResult) else views.error_charts(result)
        )


def comparison_tables(result: JudgeResult) -> list[Table]:
    """Return the tables of a comparison of judges."""
    return [views.comparison_table(result.comparisons)]


def comparison_charts(result: JudgeResult) -> Iterator[Chart]:
    """Yield the charts of a comparison of judges."""
    yield from views.error_charts(result)


summary, comparison_summary = summaries.score_summary, summaries.compare_summary
