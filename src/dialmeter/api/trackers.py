"""Trackers in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ..core.comparison import Resampling
from ..errors import DialmeterError
from ..measure import Score, registry
from ..model import dialogue_key
from ..readers.layouts.multiwoz import ids_of_list
from ..tracking.check import Checked, check_file
from ..tracking.compare import TrackerComparison, compare
from ..tracking.compared import OUTCOMES, TrackedTurn
from ..tracking.resolve_measures import ResolvedMeasure, resolve
from ..tracking.result import TrackerResult
from ..tracking.rule_sets.rules import FIELDS, Rules, change, load
from ..tracking.scorer import TrackerScorer
from ..tracking.scoring import score_file
from ..tracking.vectors.measure_columns import By, with_slots
from ..views import tracker as views
from ..views.summaries.tracker import check_summary, compare_summary, score_summary
from ..views.tables import Table
from .inputs import Prepared
from .scores import measure_text, measure_texts
from .settings import INTERVALS, Options, Settings

KEYS = (
    *("only_slots" if name == "only" else name for name in FIELDS),
    "rules", "patch", "schema", "train_schema", "turns", "test", *INTERVALS,
)  # fmt: skip
_GROUPS: tuple[By, ...] = ("domain", "slot", "without-domain")
_NEEDS_HISTORY = ("FGA", "GCA", "VP", "VR", "LP", "LR", "FinalJGA", "DialogueAccuracy", "LocalAccuracy")


def rules_of(settings: Settings) -> Rules:
    """Return the rule set with the changes of the settings."""
    given = settings.get("rules", "dialmeter")
    rules = given if isinstance(given, Rules) else load(str(given))
    changes = {name: settings.text("only_slots" if name == "only" else name) for name in FIELDS}
    rules = change(rules, **changes)
    return replace(rules, patch=str(settings["patch"])) if "patch" in settings else rules


def _measures(given: Any, rules: Rules, flat: bool) -> list[str] | None:
    texts = measure_texts(given, list(registry.builtin()))
    if not flat:
        return texts or None
    for text in texts:
        if text.partition("(")[0] in _NEEDS_HISTORY:
            raise DialmeterError(
                f"{text} needs dialogues, and a flat list has only turns; give a list of dialogues: [[state, state], [state]]"
            )
    return texts or [each for each in rules.measures if each.partition("(")[0] not in _NEEDS_HISTORY]


def score(files: Prepared, settings: Settings, options: Options, *, keep: bool, resamples: int = 1000) -> TrackerResult:
    """Score the files of a tracker."""
    rules = rules_of(settings)
    seen: tuple[By, ...] = ("seen",) if "train_schema" in settings else ()
    return score_file(
        files.path,
        files.gold,
        format=options.format,
        gold_format=options.gold_format,
        schema=settings.text("schema"),
        only=_only(options.only),
        measures=_measures(options.measures, rules, files.flat),
        rules=rules,
        by=(*_GROUPS, *seen),
        train_schema=settings.text("train_schema"),
        resampling=settings.resampling(resamples),
        keep=keep,
    )


def _only(given: Any) -> frozenset[str] | None:
    """Return the keys of the dialogues: of a file, or of a list of ids."""
    if given is None:
        return None
    if isinstance(given, str | Path):
        return frozenset(ids_of_list(str(given)))
    return frozenset(dialogue_key(str(each)) for each in given)


def check(files: Prepared, settings: Settings, options: Options) -> Checked:
    """Check the files of a tracker."""
    return check_file(
        files.path,
        files.gold,
        format=options.format,
        gold_format=options.gold_format,
        schema=settings.text("schema"),
        only=_only(options.only),
        rules=rules_of(settings),
    )


def compare_results(results: Mapping[str, TrackerResult], settings: Settings) -> TrackerComparison:
    """Compare scored trackers."""
    resampling = settings.resampling(10_000) or Resampling()
    return compare(results, resampling, settings.get("test", "randomisation"))


def more(result: TrackerResult, name: str) -> Score | None:
    """Return the score of a measure that was not requested, without interval; None if it needs more than the counts of turns."""
    try:
        [measure], _ = resolve([measure_text(name, registry.builtin())], result.rules, not result.values_known)
        used = with_slots(measure.used, result.slots)
        # A dialogue of one turn has no history.
        is_known = used.reads() == "tally" and (
            measure.text.partition("(")[0] not in _NEEDS_HISTORY or result.turns > result.dialogues
        )
        return result.score_of(ResolvedMeasure(measure.text, used)) if is_known else None
    except (DialmeterError, LookupError):
        return None


def _compared(result: TrackerResult) -> Iterator[tuple[str, TrackedTurn]]:
    """Yield every turn again, with the outcome of its slots."""
    if result.files is None or not result.files.can_be_read:
        raise DialmeterError("the input can be read only once, so its turns cannot be listed")
    vocabulary, dialogues = result.files.open()
    scorer = TrackerScorer(["JGA"], result.rules, vocabulary=vocabulary)
    for read in dialogues:
        if scorer.add_pairs(read):
            yield from ((read.id, turn) for turn in scorer.compared().tracked(read).turns)


def rows(result: TrackerResult) -> list[dict[str, Any]]:
    """Return one row per turn."""
    return [
        {"dialogue": name, "turn": turn.turn, "right": turn.exact, "gold": dict(turn.gold), "pred": dict(turn.pred)}
        for name, turn in _compared(result)
    ]


def find_rows(result: TrackerResult) -> list[dict[str, Any]]:
    """Return one row per slot at a turn."""
    return [
        {
            "dialogue": name,
            "turn": turn.turn,
            "slot": slot,
            "outcome": OUTCOMES[each.kind],
            "gold": turn.gold.get(slot),
            "pred": turn.pred.get(slot),
            "carried_over": each.age == "carried-over",
        }
        for name, turn in _compared(result)
        for slot, each in turn.slots.items()
    ]


def errors(result: TrackerResult) -> list[dict[str, Any]]:
    """Return one row per wrong slot at a turn."""
    return [row for row in find_rows(result) if row["outcome"] != "right"]


def tables(result: TrackerResult) -> list[Table]:
    """Return the tables of a result."""
    return [views.score_table(result.scores, result.account)]


def comparison_tables(compared: TrackerComparison) -> list[Table]:
    """Return the tables of a comparison."""
    return [views.wide_table(compared)]


charts, summary, checked_summary, comparison_summary = (
    views.system_charts,
    score_summary,
    check_summary,
    compare_summary,
)
