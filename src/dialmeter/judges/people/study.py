"""Judges compared with people, from Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

from ...core.comparison import make_resampling
from ...errors import DialmeterError, did_you_mean, one_line
from ...model import Notice
from ...readers.ratings.open_ratings import open_ratings
from ...readers.ratings.rated_item import RatedItem, RatedItems, checked
from ..ask import OVER_BUDGET, Ask, Watch
from ..builtin.panel import members_of
from ..judge import Judge, load_judge, load_weights, make_judge, parse_call
from ..judged_items import training_talk
from ..store import ScoreStore
from .columns import TRIVIAL_BESIDE, ScoreColumn, asked_columns, for_level, given_column
from .correlate import PeopleSettings, Resample
from .references import reference_columns, with_references
from .result import PeopleResult


def judge_human(
    ratings: str | Path | RatedItems | Sequence[RatedItem],
    judges: Mapping[str, Judge] | Sequence[str] = (),
    *,
    scores: Mapping[str, Sequence[float | None]] | None = None,
    carried: Sequence[str] = ("*",),
    dimensions: Sequence[str] = (),
    reference_system: str | None = None,
    resample: Resample = "contexts",
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    first: str | None = None,
    lower_is_better: Sequence[str] = (),
    store: str | Path | None = None,
) -> PeopleResult:
    """How far judges agree with people: correlations with mean ratings, as ``dialmeter judge human`` computes them.

    Args:
        ratings: a file of rated items, or rated items.
        judges: judges by name, or as text; a judge of replies is averaged over the replies of a rated dialogue.
            The members of a panel are judged, too.
        scores: scores made elsewhere, by judge, one per item.
        carried: patterns of the names of those scores that the file carries and that are judged, too.
        dimensions: what is looked at; all that people rated by default.
        reference_system: the system whose replies are references for BLEU, chrF and ROUGE-L.
        resample: what is drawn for intervals: ``contexts``, or ``items`` as if they were independent.
        ci: the confidence of the intervals; 0 for none.
        resamples: how often contexts are drawn.
        seed: of the draws.
        first: the judge that others are compared with.
        lower_is_better: judges of scores in files for which a lower score is better.
        store: a folder in which the scores of judges are kept between runs.

    Raises:
        DialmeterError: a judge cannot be loaded, or a setting does not fit.
        InputError: the file cannot be read.

    Example:
        >>> from dialmeter.model import Move
        >>> asked = (Move("user", "Where is the inn?"),)
        >>> rated = [
        ...     RatedItem(str(n), "reply", asked, " ".join(["word"] * n), ratings={"overall": (float(n), n + 1.0)}) for n in range(1, 9)
        ... ]
        >>> found = judge_human(rated, ["length"], ci=0)
        >>> round(found["Spearman", "length", "overall"].value, 6)
        1.0
    """
    resampling = make_resampling(ci, resamples, seed)
    if resample not in get_args(Resample):
        raise DialmeterError(f"resample is contexts or items, not {resample!r}")
    items = opened(ratings, reference_system)
    named = dict(judges) if isinstance(judges, Mapping) else dict(_loaded(text, items) for text in judges)
    if not isinstance(judges, Mapping):
        beside = dict(_loaded(text, items) for text in members_of(judges))
        named |= {name: judge for name, judge in beside.items() if name not in named}
    return compared(
        items,
        named,
        scores or {},
        carried=carried,
        dimensions=chosen_dimensions(items, dimensions),
        how=PeopleSettings(resample, resampling),
        first=first,
        lower_is_better=lower_is_better,
        store=ScoreStore(store) if store else None,
    )


def opened(
    ratings: str | Path | RatedItems | Sequence[RatedItem],
    reference_system: str | None = None,
    format: str | None = None,
) -> RatedItems:
    """The rated items, with references where a system's replies are some."""
    if isinstance(ratings, str | Path):
        items = open_ratings(ratings, format)
    else:
        items = ratings if isinstance(ratings, RatedItems) else checked(ratings, "ratings")
    return with_references(items, reference_system) if reference_system else items


def chosen_dimensions(items: RatedItems, wanted: Sequence[str]) -> list[str]:
    """The dimensions that are looked at.

    Raises:
        DialmeterError: nobody rated one of them.
    """
    known = items.dimensions
    unknown = [each for each in wanted if each not in known]
    if unknown:
        raise DialmeterError(f"nobody rated {unknown[0]!r}; {did_you_mean(unknown[0], known)}")
    return list(dict.fromkeys(wanted)) or known


def chosen_scores(items: RatedItems, patterns: Sequence[str]) -> list[str]:
    """The names of the carried scores that fit a pattern.

    Raises:
        DialmeterError: nothing fits a pattern that is not ``*``.
    """
    for pattern in patterns:
        if pattern != "*" and not any(fnmatchcase(name, pattern) for name in items.carried):
            raise DialmeterError(f"the file carries no score {pattern!r}; {did_you_mean(pattern, items.carried)}")
    return [name for name in items.carried if any(fnmatchcase(name, pattern) for pattern in patterns)]


def checked_names(items: RatedItems, given: Sequence[str], carried: Sequence[str]) -> list[str]:
    """The names of all judges: those of the caller, and those of the chosen scores that the file carries.

    Raises:
        DialmeterError: two judges have the same name.
    """
    own = chosen_scores(items, carried)
    for place, name in enumerate(given):
        if name in given[:place]:
            raise DialmeterError(f"two judges are called {name}; give one another name, as in mine=...")
        if name in own:
            raise DialmeterError(
                f"the file carries scores that are also called {name}; give the judge another name, as in mine={name}, "
                "or skip the scores of the file with --carried -"
            )
    return [*own, *given]


def compared(
    items: RatedItems,
    judges: Mapping[str, Judge],
    scores: Mapping[str, Sequence[float | None]],
    *,
    carried: Sequence[str],
    dimensions: Sequence[str],
    how: PeopleSettings,
    first: str | None = None,
    lower_is_better: Sequence[str] = (),
    store: ScoreStore | None = None,
    watch: Watch | None = None,
    asking: Callable[[Mapping[str, Judge]], Ask] | None = None,
) -> PeopleResult:
    """The result of comparing judges with people; the trivial judges are asked, too. ``asking`` says who asks judges.

    Raises:
        DialmeterError: two judges have the same name, or a name that is not there is used.
    """
    against, missing = reference_columns(items)
    names = checked_names(items, [*judges, *scores, *(each.name for each in against)], carried)
    for name in (*lower_is_better, *([first] if first else [])):
        if name not in names:
            raise DialmeterError(f"no judge is called {name!r}; {did_you_mean(name, names)}")
    in_file = {name: [item.scores.get(name) for item in items.items] for name in chosen_scores(items, carried)}
    columns = [given_column(name, each, name not in lower_is_better) for name, each in {**in_file, **scores}.items()]
    columns += against
    trivial = TRIVIAL_BESIDE[items.level]
    beside = {name: load_judge(text)[1] for name, text in trivial.items() if name not in names}
    every = {**judges, **beside}
    ask = asking(every) if asking else None
    asked = asked_columns(items, every, trivial=list(beside), store=store, watch=watch, ask=ask)
    columns = [*asked[: len(judges)], *columns, *asked[len(judges) :]]
    remarks = [Notice("no-sacrebleu", 2, one_line(missing, 300))] if missing else []
    return PeopleResult(items, columns, dimensions, how, first=first, remarks=remarks)


def talk_of_items(items: RatedItems) -> list[list[str]]:
    """The contexts of rated items as training data for judges that learn."""
    return training_talk((item.moves, item.reply) for item in items.items)


def _loaded(text: str, items: RatedItems) -> tuple[str, Judge]:
    judge = make_judge(for_level(call := parse_call(text), items.level), {"talk": talk_of_items(items)})
    load_weights(judge)
    return call.alias or judge.name, judge


def silent(columns: Sequence[ScoreColumn]) -> list[str]:
    """The judges that were asked and scored nothing; a line for each."""
    return [
        f"{each.name} scored none of {len(each.scores)} items: {next(iter(each.reasons.values()), ('', 'no reason'))[1]}"
        for each in columns
        if not any(score is not None for score in each.scores)
    ]


def over_budget(columns: Sequence[ScoreColumn]) -> list[str]:
    """The judges that were not asked about everything, because the budget is spent; a line for each."""
    counts = {each.name: sum(reason == OVER_BUDGET for reason, _ in each.reasons.values()) for each in columns}
    return [
        f"{each.name}: {counts[each.name]} of {len(each.scores)} items are unscored, because the budget is spent"
        for each in columns
        if counts[each.name]
    ]
