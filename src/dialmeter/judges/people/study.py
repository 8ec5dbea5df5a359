"""Compare judges with people: the Python interface."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

from ...core.comparison import make_resampling
from ...errors import DialmeterError, did_you_mean, one_line
from ...model import Notice
from ...readers.ratings.open_ratings import open_ratings
from ...readers.ratings.rated_item import RatedItem, RatedItems, check_items
from ..ask import OVER_BUDGET, UNFINISHED, Ask, Watch
from ..builtin.panel import members_of
from ..judge import Judge, load_judge, load_weights, make_judge, omission_notices, parse_call
from ..judged_items import training_talk
from ..store import ScoreStore
from .columns import TRIVIAL_JUDGES, ScoreColumn, column_from_scores, for_level, score_items
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
    """The agreement of judges with people: correlations with mean ratings, as ``dialmeter judge human`` computes them.

    Args:
        ratings: a file of rated items, or rated items.
        judges: judges by name, or as text; a judge of replies is averaged over the replies of a rated dialogue.
            The members of a panel are included.
        scores: precomputed scores by judge, one per item.
        carried: patterns for the names of scores in the ratings file to include.
        dimensions: the dimensions to evaluate; default: all rated dimensions.
        reference_system: the system whose replies are references for BLEU, chrF and ROUGE-L.
        resample: the unit that is resampled for intervals: ``contexts``, or ``items`` as if they were independent.
        ci: the confidence level of the intervals; 0 for no intervals.
        resamples: the number of resamples.
        seed: the seed of the resamples.
        first: the judge that others are compared with.
        lower_is_better: judges of scores in files for which a lower score is better.
        store: a folder that keeps scores of judges between runs.

    Raises:
        DialmeterError: a judge cannot be loaded, or a setting is not valid.
        InputError: the file cannot be read.

    Example:
        >>> from dialmeter.model import Move
        >>> context = (Move("user", "Where is the inn?"),)
        >>> rated = [
        ...     RatedItem(str(n), "reply", context, " ".join(["word"] * n), ratings={"overall": (float(n), n + 1.0)}) for n in range(1, 9)
        ... ]
        >>> result = judge_human(rated, ["length"], ci=0)
        >>> round(result["Spearman", "length", "overall"].value, 6)
        1.0
    """
    resampling = make_resampling(ci, resamples, seed)
    if resample not in get_args(Resample):
        raise DialmeterError(f"resample must be contexts or items, not {resample!r}")
    items = open_items(ratings, reference_system)
    if isinstance(judges, Mapping):
        by_name = dict(judges)
    else:
        by_name = dict(_load(text, items) for text in judges)
        for name, judge in [_load(text, items) for text in members_of(judges)]:
            by_name.setdefault(name, judge)
    return compare_with_people(
        items,
        by_name,
        scores or {},
        carried=carried,
        dimensions=chosen_dimensions(items, dimensions),
        settings=PeopleSettings(resample, resampling),
        first=first,
        lower_is_better=lower_is_better,
        store=ScoreStore(store) if store else None,
    )


def open_items(
    ratings: str | Path | RatedItems | Sequence[RatedItem],
    reference_system: str | None = None,
    format: str | None = None,
) -> RatedItems:
    """Open rated items, and add references if ``reference_system`` is given."""
    if isinstance(ratings, str | Path):
        items = open_ratings(ratings, format)
    else:
        items = ratings if isinstance(ratings, RatedItems) else check_items(ratings, "ratings")
    return with_references(items, reference_system) if reference_system else items


def chosen_dimensions(items: RatedItems, requested: Sequence[str]) -> list[str]:
    """The distinct requested dimensions, or all rated dimensions.

    Raises:
        DialmeterError: a requested dimension has no ratings.
    """
    rated = items.dimensions
    unknown = [each for each in requested if each not in rated]
    if unknown:
        raise DialmeterError(f"no ratings of {unknown[0]!r}; {did_you_mean(unknown[0], rated)}")
    return list(dict.fromkeys(requested)) or rated


def chosen_scores(items: RatedItems, patterns: Sequence[str]) -> list[str]:
    """The names of the scores in the file that match a pattern.

    Raises:
        DialmeterError: no name matches a pattern other than ``*``.
    """
    for pattern in patterns:
        if pattern != "*" and not any(fnmatchcase(name, pattern) for name in items.carried):
            raise DialmeterError(f"the file has no scores {pattern!r}; {did_you_mean(pattern, items.carried)}")
    return [name for name in items.carried if any(fnmatchcase(name, pattern) for pattern in patterns)]


def checked_names(items: RatedItems, given: Sequence[str], carried: Sequence[str]) -> list[str]:
    """The names of all judges: those of the selected scores in the file, and those of the caller.

    Raises:
        DialmeterError: two judges have the same name.
    """
    own = chosen_scores(items, carried)
    for place, name in enumerate(given):
        if name in given[:place]:
            raise DialmeterError(f"two judges are called {name}; give one another name, as in mine=...")
        if name in own:
            raise DialmeterError(
                f"the file also has scores of {name}; give the judge another name, as in mine={name}, "
                "or skip the scores of the file with --carried -"
            )
    return [*own, *given]


def compare_with_people(
    items: RatedItems,
    judges: Mapping[str, Judge],
    scores: Mapping[str, Sequence[float | None]],
    *,
    carried: Sequence[str],
    dimensions: Sequence[str],
    settings: PeopleSettings,
    first: str | None = None,
    lower_is_better: Sequence[str] = (),
    store: ScoreStore | None = None,
    watch: Watch | None = None,
    asking: Callable[[Mapping[str, Judge]], Ask] | None = None,
) -> PeopleResult:
    """Compare judges with people. The trivial judges are included. ``asking`` returns the function that asks the given judges.

    Raises:
        DialmeterError: two judges have the same name, or a name is unknown.
    """
    by_references, missing = reference_columns(items)
    names = checked_names(items, [*judges, *scores, *(each.name for each in by_references)], carried)
    for name in (*lower_is_better, *([first] if first else [])):
        if name not in names:
            raise DialmeterError(f"no judge is called {name!r}; {did_you_mean(name, names)}")
    in_file = {name: [item.scores.get(name) for item in items.items] for name in chosen_scores(items, carried)}
    given = [
        column_from_scores(name, each, name not in lower_is_better) for name, each in {**in_file, **scores}.items()
    ]
    trivial = {name: load_judge(text)[1] for name, text in TRIVIAL_JUDGES[items.level].items() if name not in names}
    all_judges = {**judges, **trivial}
    ask = asking(all_judges) if asking else None
    scored = score_items(items, all_judges, trivial=list(trivial), store=store, watch=watch, ask=ask)
    columns = [*scored[: len(judges)], *given, *by_references, *scored[len(judges) :]]
    remarks = [Notice("no-sacrebleu", 2, one_line(missing, 300))] if missing else []
    remarks += omission_notices(judges)
    return PeopleResult(items, columns, dimensions, settings, first=first, remarks=remarks)


def talk_of_items(items: RatedItems) -> list[list[str]]:
    """The contexts of rated items as training data for judges that learn."""
    return training_talk((item.moves, item.reply) for item in items.items)


def _load(text: str, items: RatedItems) -> tuple[str, Judge]:
    call = parse_call(text)
    judge = make_judge(for_level(call, items.level), {"talk": talk_of_items(items)})
    load_weights(judge)
    return call.alias or judge.name, judge


def silent(columns: Sequence[ScoreColumn]) -> list[str]:
    """One line per judge that scored nothing."""
    return [
        f"{each.name} scored none of {len(each.scores)} items: {next(iter(each.reasons.values()), ('', 'no reason'))[1]}"
        for each in columns
        if not any(score is not None for score in each.scores)
    ]


def unfinished(columns: Sequence[ScoreColumn]) -> list[str]:
    """One line per judge with unscored items because the budget is spent, or because its server failed after some answers."""
    return [
        f"{each.name}: {count} of {len(each.scores)} items are unscored, because {UNFINISHED[reason]}"
        for each in columns
        for reason, count in Counter(reason for reason, _ in each.reasons.values()).items()
        if reason == OVER_BUDGET or (reason in UNFINISHED and any(score is not None for score in each.scores))
    ]
