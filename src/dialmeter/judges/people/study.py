"""Compare judges with people: the Python interface. BLEU, chrF and ROUGE-L of replies against references are columns too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import get_args

from msgspec.structs import replace

from ...core.comparison import make_resampling
from ...errors import DialmeterError, MissingExtra, did_you_mean, one_line
from ...model import Notice
from ...readers.ratings.open_ratings import open_ratings, open_scores
from ...readers.ratings.rated_item import RatedItem, RatedItems, check_items
from ..ask import Ask, Progress, ScoreStore
from ..builtin.surface import tokens
from ..judge import Judge, load_judge, omission_notices
from ..judged_items import training_dialogues
from ..requests import REFERENCE_MEASURES, JudgeRequests, ScoresFile, make_judges, parse_requests, without_duplicates
from .columns import TRIVIAL_JUDGES, ScoreColumn, column_from_scores, score_items
from .correlate import MEASURES, PeopleSettings, Resample
from .result import PeopleResult

NO_REFERENCE = "without a reference"


def with_references(items: RatedItems, system: str) -> RatedItems:
    """Add the reply of one system to the same context as a reference to each item. Items of that system get no reference.

    Args:
        items: the rated items.
        system: the system whose replies are references, such as the system of human replies.

    Raises:
        DialmeterError: no item has this system.
    """
    clusters = items.clusters
    by_context: dict[str, list[str]] = {}
    for cluster, item in zip(clusters, items.items, strict=True):
        if item.system == system:
            by_context.setdefault(cluster, []).append(item.reply)
    if not by_context:
        names = {item.system for item in items.items if item.system}
        raise DialmeterError(f"no rated item has the system {system!r}; {did_you_mean(system, names)}")

    def add_references(cluster: str, item: RatedItem) -> RatedItem:
        more = () if item.system == system else tuple(by_context.get(cluster, ()))
        return replace(item, references=(*item.references, *more))

    return RatedItems(tuple(map(add_references, clusters, items.items)))


def reference_columns(items: RatedItems, names: Collection[str] | None = None) -> tuple[list[ScoreColumn], str]:
    """The scores against references, and one line about a missing package.

    Args:
        items: the rated items.
        names: the measures, as in tables; by default all of them, and none if no item has a reference.

    Raises:
        DialmeterError: a requested measure cannot be computed.
    """
    if items.level != "reply" or not any(item.references for item in items.items):
        if names:
            raise DialmeterError(f"{', '.join(names)}: no item has a reference; write bleu(reference=SYSTEM)")
        return [], ""
    rouge = [rouge_l(item.reply, item.references) if item.references else None for item in items.items]
    columns = [_column("ROUGE-L", "ROUGE-L|tokens:words-and-signs|beta:1", rouge)]
    missing = ""
    if names is None or {"BLEU", "chrF"} & set(names):
        try:
            columns = [*_sacrebleu(items), *columns]
        except MissingExtra as error:
            if names:
                raise
            missing = str(error)
    return [each for each in columns if names is None or each.name in names], missing


def _sacrebleu(items: RatedItems) -> Iterator[ScoreColumn]:
    try:
        from sacrebleu.metrics import BLEU, CHRF  # type: ignore[attr-defined, import-not-found, unused-ignore]
    except ImportError:
        raise MissingExtra("scoring with BLEU and chrF", "references") from None
    for name, metric in (("BLEU", BLEU(effective_order=True)), ("chrF", CHRF())):
        scores = [
            float(metric.sentence_score(item.reply, list(item.references)).score) / 100 if item.references else None
            for item in items.items
        ]
        yield _column(name, f"{name}|{metric.get_signature().format(short=False)}", scores)


def _column(name: str, identity: str, scores: Sequence[float | None]) -> ScoreColumn:
    missing = {place: (NO_REFERENCE, NO_REFERENCE) for place, each in enumerate(scores) if each is None}
    return ScoreColumn(name, list(scores), identity, reasons=missing)


def rouge_l(reply: str, references: Sequence[str]) -> float:
    """ROUGE-L: the F measure of the longest common subsequence of tokens, with the best of all references.

    Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, with equal weights for precision and recall.

    Example:
        >>> rouge_l("the cat sat", ["the cat", "a dog"])
        0.8
    """
    from rapidfuzz.distance import LCSseq

    own, others = tokens(reply), map(tokens, references)
    common = ((LCSseq.similarity(own, other), len(own) + len(other)) for other in others)
    return max((2 * length / total if length else 0.0 for length, total in common), default=0.0)


def judge_people(
    ratings: str | Path | RatedItems | Sequence[RatedItem],
    judges: Mapping[str, Judge] | Sequence[str] = (),
    *,
    scores: Mapping[str, Sequence[float | None]] | None = None,
    carried: Sequence[str] | None = None,
    references: Collection[str] | None = None,
    facets: Sequence[str] = (),
    resample: Resample = "contexts",
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    first: str | None = None,
    lower_is_better: Sequence[str] = (),
    store: str | Path | None = None,
) -> PeopleResult:
    """The agreement of judges with people: correlations with mean ratings, as ``dialmeter score RATINGS`` computes them.

    Args:
        ratings: a file of rated items, or rated items.
        judges: judges by name, or as text, as for ``-j``; a judge of replies is averaged over the replies of a rated dialogue.
            The members of a panel are included.
        scores: precomputed scores by judge, one per item.
        carried: patterns for the names of scores in the ratings file to include; default: all if there are no other judges.
        references: measures of references, such as ``BLEU``; default: all if there are no other judges.
        facets: the facets to evaluate; default: all rated facets.
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
        >>> result = judge_people(rated, ["length"], ci=0)
        >>> round(result["Spearman", "length", "overall"].value, 6)
        1.0
    """
    resampling = make_resampling(ci, resamples, seed)
    if resample not in get_args(Resample):
        raise DialmeterError(f"resample must be contexts or items, not {resample!r}")
    items = open_items(ratings)
    requests = parse_requests(() if isinstance(judges, Mapping) else judges, items.carried)
    items = with_requested_references(items, requests)
    if isinstance(judges, Mapping):
        by_name = dict(judges)
    else:
        by_name = make_judges(requests.calls, {"dialogues": dialogues_of_items(items)}, items.level).judges
    in_files, lower = scores_of_files(items, requests.files)
    return compare_with_people(
        items,
        by_name,
        without_duplicates(scores or {}, in_files),
        carried=patterns_of(requests, judges or scores) if carried is None else carried,
        references=references_of(requests, judges or scores) if references is None else references,
        facets=chosen_facets(items, facets),
        settings=PeopleSettings(resample, resampling),
        first=first,
        lower_is_better=[*lower_is_better, *lower],
        store=store,
    )


def open_items(ratings: str | Path | RatedItems | Sequence[RatedItem], format: str | None = None) -> RatedItems:
    """Open rated items."""
    if isinstance(ratings, str | Path):
        return open_ratings(ratings, format)
    return ratings if isinstance(ratings, RatedItems) else check_items(ratings, "ratings")


def with_requested_references(items: RatedItems, requests: JudgeRequests) -> RatedItems:
    """Add the replies of the requested system as references.

    Raises:
        DialmeterError: several systems are requested, or no item has this system.
    """
    systems = {system for system in requests.references.values() if system}
    if len(systems) > 1:
        raise DialmeterError(f"all measures of references need the same reference, not {' and '.join(sorted(systems))}")
    return with_references(items, systems.pop()) if systems else items


def parse_agreement(text: str) -> tuple[str, str]:
    """The measure and the facet of a requested measure; the facet is empty for all facets.

    Raises:
        DialmeterError: there is no such measure.

    Example:
        >>> parse_agreement("spearman[coherence]"), parse_agreement("Kendall")
        (('Spearman', 'coherence'), ('Kendall', ''))
    """
    name, bracket, facet = text.strip().partition("[")
    measures = {each.lower(): each for each in MEASURES}
    if name.strip().lower() not in measures or (bracket and not facet.endswith("]")):
        raise DialmeterError(
            f"{one_line(text)!r} is no measure of agreement; write Spearman, Pearson or Kendall, or Spearman[FACET]"
        )
    return measures[name.strip().lower()], facet.removesuffix("]").strip()


def first_requested(text: str, items: RatedItems, judges: Collection[str], scores: Collection[str]) -> str | None:
    """The name of the judge that a request means; None if it means several.

    Args:
        text: the first request.
        items: the rated items.
        judges: the names of the judges that were made, in the order of the requests.
        scores: the names of the judges of files, in the order of the requests.
    """
    requests = parse_requests([text], items.carried)
    carried = chosen_scores(items, requests.carried) if requests.carried else []
    own = [
        *[*judges][: len(requests.calls)],
        *[*scores][: len(requests.files)],
        *(references_of(requests) or ()),
        *carried,
    ]
    return own[0] if len(own) == 1 else None


def patterns_of(requests: JudgeRequests, others: object = None) -> list[str]:
    """The patterns of the scores in the file that are judges: all of them if nothing was requested."""
    return requests.carried or ([] if others or any(requests) else ["*"])


def references_of(requests: JudgeRequests, others: object = None) -> list[str] | None:
    """The requested measures of references; None for all if nothing was requested."""
    names = [REFERENCE_MEASURES[each] for each in requests.references]
    return names if names or others or any(requests) else None


def scores_of_files(items: RatedItems, files: Sequence[ScoresFile]) -> tuple[dict[str, list[float | None]], list[str]]:
    """The scores of judges in files, and the names of judges for which a lower score is better."""
    columns = [open_scores(each.path, items, each.name) for each in files]
    lower = [name for each, own in zip(files, columns, strict=True) if each.lower for name in own]
    return without_duplicates(*columns), lower


def chosen_facets(items: RatedItems, requested: Sequence[str]) -> list[str]:
    """The distinct requested facets, or all rated facets.

    Raises:
        DialmeterError: a requested facet has no ratings.
    """
    rated = items.facets
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
            raise DialmeterError(f"duplicate judge name {name}; give one another name, as in mine=...")
        if name in own:
            raise DialmeterError(f"the file also has scores of {name}; give the judge another name, as in mine={name}")
    return [*own, *given]


def compare_with_people(
    items: RatedItems,
    judges: Mapping[str, Judge],
    scores: Mapping[str, Sequence[float | None]],
    *,
    carried: Sequence[str],
    references: Collection[str] | None,
    facets: Sequence[str],
    settings: PeopleSettings,
    first: str | None = None,
    baselines: bool = True,
    lower_is_better: Sequence[str] = (),
    store: str | Path | None = None,
    progress: Progress | None = None,
    asking: Callable[[Mapping[str, Judge]], Ask] | None = None,
) -> PeopleResult:
    """Compare judges with people. ``baselines`` includes the trivial judges. ``asking`` returns the function that asks the given judges.

    Raises:
        DialmeterError: two judges have the same name, or a name is unknown.
    """
    by_references, missing = reference_columns(items, references)
    names = checked_names(items, [*judges, *scores, *(each.name for each in by_references)], carried)
    for name in (*lower_is_better, *([first] if first else [])):
        if name not in names:
            raise DialmeterError(f"no judge is called {name!r}; {did_you_mean(name, names)}")
    in_file = {name: [item.scores.get(name) for item in items.items] for name in chosen_scores(items, carried)}
    given = [
        column_from_scores(name, each, name not in lower_is_better) for name, each in {**in_file, **scores}.items()
    ]
    missing_names = [name for name in TRIVIAL_JUDGES[items.level] if baselines and name not in names]
    trivial = {name: load_judge(TRIVIAL_JUDGES[items.level][name])[1] for name in missing_names}
    all_judges = {**judges, **trivial}
    ask = asking(all_judges) if asking else None
    scored = score_items(
        items, all_judges, trivial=list(trivial), store=ScoreStore(store) if store else None, progress=progress, ask=ask
    )
    columns = [*scored[: len(judges)], *given, *by_references, *scored[len(judges) :]]
    remarks = [Notice("no-sacrebleu", 2, one_line(missing, 300))] if missing else []
    remarks += omission_notices(judges)
    return PeopleResult(items, columns, facets, settings, first=first, remarks=remarks)


def dialogues_of_items(items: RatedItems) -> list[list[str]]:
    """The contexts of rated items as training data for judges that learn."""
    return training_dialogues((item.moves, item.reply) for item in items.items)


def silent(columns: Iterable[ScoreColumn]) -> list[str]:
    """One line per judge that scored nothing."""
    return [
        f"{each.name} scored none of {len(each.scores)} items: {next(iter(each.reasons.values()), ('', 'no reason'))[1]}"
        for each in columns
        if not any(score is not None for score in each.scores)
    ]
