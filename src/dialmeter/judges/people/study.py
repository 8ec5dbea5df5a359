"""Compare judges with people: the Python interface. BLEU, chrF and ROUGE-L of replies against references are columns too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import replace

from ...core.comparison import make_resampling
from ...errors import DialmeterError, MissingExtra, did_you_mean, one_line
from ...model import Notice
from ...readers.ratings.open_ratings import open_ratings, open_scores
from ...readers.ratings.rated_item import RatedItem, RatedItems, check_items
from ..ask import Ask
from ..builtin.surface import tokens
from ..judge import Judge, endpoint_notices, load_judge
from ..judged_items import training_dialogues
from ..requests import (
    REFERENCE_MEASURES,
    JudgeRequests,
    MadeJudges,
    check_single,
    duplicate_name,
    make_judges,
    parse_requests,
    without_duplicates,
)
from .columns import TRIVIAL_JUDGES, ScoreColumn, column_from_scores, score_items
from .correlate import MEASURES, PeopleSettings, Resample
from .labels import FIGURES, LabelSettings, check_label_names
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
    columns = [column_from_scores("ROUGE-L", rouge, identity="ROUGE-L|tokens:words-and-signs|beta:1", why=NO_REFERENCE)]
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
        identity = f"{name}|{metric.get_signature().format(short=False)}"
        yield column_from_scores(name, scores, identity=identity, why=NO_REFERENCE)


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


class RatingsStudy(Struct, frozen=True, kw_only=True):
    """What shall be compared with people, before any judge is asked.

    Attributes:
        items: the rated items, with the requested references.
        facets: the facets to evaluate.
        settings: the settings of correlations.
        judges: judges by name; their weights are not loaded yet.
        made: those of them that were made from requests.
        scores: the scores of judges in files, one per item.
        lower_is_better: judges of files for which a lower score is better.
        carried: patterns for the names of scores in the ratings file to include.
        references: the measures of references; None for all that can be computed.
        first: the judge that others are compared with; None for the judge with the name of the facet, or the first.
    """

    items: RatedItems
    facets: list[str]
    settings: PeopleSettings
    judges: Mapping[str, Judge]
    made: MadeJudges
    scores: Mapping[str, Sequence[float | None]]
    lower_is_better: Sequence[str]
    carried: Sequence[str]
    references: Sequence[str] | None
    first: str | None = None

    def result(
        self,
        *,
        baselines: bool = True,
        store: str | Path | None = None,
        asking: Callable[[Mapping[str, Judge]], Ask] | None = None,
    ) -> PeopleResult:
        """Ask the judges, and compare all with people.

        Args:
            baselines: include the trivial judges.
            store: a folder that keeps scores between runs.
            asking: returns the function that asks the given judges; None to ask them in this process.

        Raises:
            DialmeterError: two judges have the same name, or a name is unknown.
        """
        items = self.items
        by_references, missing = reference_columns(items, self.references)
        names = self.check_names([each.name for each in by_references])
        for name in (*self.lower_is_better, *([self.first] if self.first else [])):
            if name not in names:
                raise DialmeterError(f"no judge is called {name!r}; {did_you_mean(name, names)}")
        in_file = {name: [item.scores.get(name) for item in items.items] for name in chosen_scores(items, self.carried)}
        known = [
            column_from_scores(name, each, name not in self.lower_is_better)
            for name, each in {**in_file, **self.scores}.items()
        ]
        missing_names = [name for name in TRIVIAL_JUDGES[items.level] if baselines and name not in names]
        trivial = {name: load_judge(TRIVIAL_JUDGES[items.level][name])[1] for name in missing_names}
        to_ask = {**self.judges, **trivial}
        scored = score_items(
            items,
            to_ask,
            trivial=list(trivial),
            store=store,
            ask=asking(to_ask) if asking else None,
        )
        own = len(self.judges)
        remarks = [*self.items.notices]
        remarks += [Notice("no-sacrebleu", 2, one_line(missing, 300))] if missing else []
        remarks += endpoint_notices(self.judges)
        columns = [*scored[:own], *known, *by_references, *scored[own:]]
        return PeopleResult(items, columns, self.facets, self.settings, first=self.first, remarks=remarks)

    def check_names(self, references: Sequence[str] = ()) -> list[str]:
        """The names of all judges: those of the selected scores in the file, and the others.

        Raises:
            DialmeterError: two judges have the same name.
        """
        own = chosen_scores(self.items, self.carried)
        given = [*self.judges, *self.scores, *references]
        for place, name in enumerate(given):
            if name in given[:place]:
                raise duplicate_name(name)
            if name in own:
                raise DialmeterError(
                    f"the file also has scores of {name}; give the judge another name, as in mine={name}"
                )
        return [*own, *given]


def prepare_study(
    items: RatedItems,
    requests: JudgeRequests,
    settings: PeopleSettings,
    *,
    offered: Mapping[str, Any] | None = None,
    facets: Sequence[str] = (),
    judges: Mapping[str, Judge] | None = None,
) -> RatingsStudy:
    """Find what is requested: judges, files of scores, scores of the ratings file, measures of references, and facets.

    Without any request, all scores of the ratings file and all measures of references are judges.

    Args:
        items: the rated items.
        requests: the requests.
        settings: the settings of correlations.
        offered: what the texts of judges do not say, apart from the dialogues of the items.
        facets: the facets to evaluate; by default all rated facets.
        judges: further judges.

    Raises:
        DialmeterError: a request cannot be met.
    """
    systems = {system for system in requests.references.values() if system}
    if len(systems) > 1:
        raise DialmeterError(f"all measures of references need the same reference, not {' and '.join(sorted(systems))}")
    if systems:
        items = with_references(items, systems.pop())
    rated = items.facets
    if unknown := [each for each in facets if each not in rated]:
        raise DialmeterError(f"no ratings of {unknown[0]!r}; {did_you_mean(unknown[0], rated)}")
    dialogues = training_dialogues((item.moves, item.reply) for item in items.items)
    made = make_judges(requests.calls, {**(offered or {}), "dialogues": dialogues}, items.level)
    in_files = [open_scores(each.path, items, each.name) for each in requests.files]
    is_requested = bool(judges) or any(requests)
    references = [REFERENCE_MEASURES[each] for each in requests.references]
    study = RatingsStudy(
        items=items,
        facets=list(dict.fromkeys(facets)) or rated,
        settings=settings,
        judges={**(judges or {}), **made.judges},
        made=made,
        scores=without_duplicates(*in_files),
        lower_is_better=[
            name for each, own in zip(requests.files, in_files, strict=True) if each.lower for name in own
        ],
        carried=requests.carried or ([] if is_requested else ["*"]),
        references=references if references or is_requested else None,
    )
    check_single(study.judges)
    names = [*study.check_names(references), *references]
    check_label_names(settings.labels, names, rated)
    return study


def judge_people(
    ratings: str | Path | RatedItems | Sequence[RatedItem],
    judges: Mapping[str, Judge] | Sequence[str] = (),
    *,
    carried: Sequence[str] | None = None,
    facets: Sequence[str] = (),
    resample: Resample = "contexts",
    ci: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    first: str | None = None,
    lower_is_better: Sequence[str] = (),
    labels: LabelSettings = LabelSettings(),  # noqa: B008  frozen
) -> PeopleResult:
    """The agreement of judges with people: correlations with mean ratings, as ``dialmeter score RATINGS`` computes them.

    Args:
        ratings: a file of rated items, or rated items.
        judges: judges by name, or as text, as for ``-j``; a judge of replies is averaged over the replies of a rated dialogue.
            The members of a panel are included.
        carried: patterns for the names of scores in the ratings file to include; default: all if there are no other judges.
        facets: the facets to evaluate; default: all rated facets.
        resample: the unit that is resampled for intervals: ``contexts``, or ``items`` as if they were independent.
        ci: the confidence level of the intervals; 0 for no intervals.
        resamples: the number of resamples.
        seed: the seed of the resamples.
        first: the judge that others are compared with.
        lower_is_better: judges of scores in files for which a lower score is better.

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
    settings = PeopleSettings(resample, make_resampling(ci, resamples, seed), labels)
    if resample not in get_args(Resample):
        raise DialmeterError(f"resample must be contexts or items, not {resample!r}")
    if isinstance(ratings, str | Path):
        items = open_ratings(ratings)
    else:
        items = ratings if isinstance(ratings, RatedItems) else check_items(ratings, "ratings")
    objects, texts = (judges, ()) if isinstance(judges, Mapping) else ({}, judges)
    requests = parse_requests(texts, items.carried)
    study = prepare_study(items, requests, settings, facets=facets, judges=objects)
    lower = [*study.lower_is_better, *lower_is_better]
    chosen = study.carried if carried is None else carried
    return replace(study, first=first, lower_is_better=lower, carried=chosen).result()


def parse_agreement(text: str) -> tuple[str, str]:
    """The measure and the facet of a requested measure; the facet is empty for all facets.

    Raises:
        DialmeterError: there is no such measure.

    Example:
        >>> parse_agreement("spearman[coherence]"), parse_agreement("Kendall")
        (('Spearman', 'coherence'), ('Kendall', ''))
        >>> parse_agreement("Kappa"), parse_agreement("pass rate judge")
        (('kappa', ''), ('pass_rate_judge', ''))
    """
    name, bracket, facet = text.strip().partition("[")
    measures = {each.lower(): each for each in (*MEASURES, *FIGURES)}
    wanted = name.strip().lower().replace(" ", "_").replace("-", "_")
    if wanted not in measures or (bracket and not facet.endswith("]")):
        raise DialmeterError(
            f"{one_line(text)!r} is no measure of agreement; write Spearman, Pearson or Kendall, of labels kappa, sensitivity, "
            "specificity …, or Spearman[FACET]"
        )
    return measures[wanted], facet.removesuffix("]").strip()


def first_requested(text: str, study: RatingsStudy) -> str | None:
    """The name of the judge that the first request means; None if it means several."""
    requests = parse_requests([text], study.items.carried)
    own = [
        *[*study.judges][: len(requests.calls)],
        *[*study.scores][: len(requests.files)],
        *(REFERENCE_MEASURES[each] for each in requests.references),
        *(chosen_scores(study.items, requests.carried) if requests.carried else ()),
    ]
    return own[0] if len(own) == 1 else None


def chosen_scores(items: RatedItems, patterns: Sequence[str]) -> list[str]:
    """The names of the scores in the file that match a pattern.

    Raises:
        DialmeterError: no name matches a pattern other than ``*``.
    """
    for pattern in patterns:
        if pattern != "*" and not any(fnmatchcase(name, pattern) for name in items.carried):
            raise DialmeterError(f"the file has no scores {pattern!r}; {did_you_mean(pattern, items.carried)}")
    return [name for name in items.carried if any(fnmatchcase(name, pattern) for pattern in patterns)]


def silent(columns: Iterable[ScoreColumn]) -> list[str]:
    """One line per judge that scored nothing."""
    return [
        f"{each.name} scored none of {len(each.scores)} items: {next(iter(each.reasons.values()), ('', 'no reason'))[1]}"
        for each in columns
        if not any(score is not None for score in each.scores)
    ]
