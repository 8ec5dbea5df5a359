"""Users in Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ..core.comparison import Resampling
from ..errors import DialmeterError
from ..readers.conversations import open_conversations
from ..simulation.world import town
from ..users.analysis.check import UserCheck, check_conversations
from ..users.blame.exchange import Database
from ..users.compare import SHOWN_MEASURES, UserComparison, compare_users
from ..users.measures import Key, key_of
from ..users.profile import load as load_profile
from ..users.result import UserResult, UserSettings
from ..users.rules import changed
from ..users.rules import load as load_rules
from ..users.scorer import ScoringJob, score_conversations, turn_limit_of_file
from ..users.text.rules import RuleMaker
from ..values.maps import load as load_map
from ..views import user as views
from ..views.chart_files import Chart
from ..views.summaries.summary import Summary
from ..views.summaries.user import check_summary, compare_summary, score_summary
from ..views.tables import Table
from .settings import INTERVALS, Options, Settings

KEYS = ("rules", "map", "profile", "acts", *INTERVALS)


def settings_of(settings: Settings) -> UserSettings:
    """Return the settings of users. Keys with a point, such as ``repetitions.max``, change the rule set."""
    profile = load_profile(str(settings.get("profile", "multiwoz")))
    value_map = load_map(str(settings["map"])) if settings.get("map") else None
    changes = [f"{key}={value}" for key, value in settings.items() if "." in key]
    acts = settings.get("acts")
    if acts not in (None, "rules"):
        raise DialmeterError(f"acts must be 'rules' in Python, not {acts!r}")
    return UserSettings(
        rules=changed(load_rules(str(settings.get("rules", "dialmeter"))), *changes),
        profile=profile,
        value_map=value_map,
        from_text=RuleMaker(profile, value_map) if acts else None,
    )


def database_of(settings: UserSettings) -> Database | None:
    """Return the database of the dialogues, which only those of the demo data have."""
    return town().matches if settings.profile.name == "town" else None


def score(
    source: Any,
    settings: UserSettings,
    resampling: Resampling | None,
    options: Options,
    only: frozenset[str] | None = None,
    *,
    blamed: bool = True,
) -> UserResult:
    """Score dialogues: a path, or conversations. ``blamed`` finds out who lost each point."""
    opened, limit = None, None
    if isinstance(source, str):
        opened = open_conversations(source, options.format, options.gold)
        limit = turn_limit_of_file(source, opened.format, options.gold) if blamed else None
    job = ScoringJob(settings, only=only, blamed=blamed, keep=True, database=database_of(settings), limit=limit)
    return UserResult(settings, score_conversations(opened or source, job), resampling, only, _keys(options))


def _keys(options: Options) -> tuple[Key, ...]:
    """Return the requested measures with their domains."""
    given = options.measures or ()
    texts = [given] if isinstance(given, str) else given
    return tuple(dict.fromkeys(key for text in texts for key in key_of(str(text))))


def check(source: str, settings: Settings, options: Options) -> UserCheck:
    """Check a file of dialogues."""
    return check_conversations(open_conversations(source, options.format, options.gold), settings_of(settings))


def compare_sources(sources: Mapping[str, Any], settings: Settings, options: Options) -> UserComparison:
    """Compare users on the goals that all have."""
    own, resampling = settings_of(settings), settings.resampling(1000) or Resampling()
    kept = {name: source if isinstance(source, str) else list(source) for name, source in sources.items()}

    def score_all(only: frozenset[str] | None, other: UserSettings | None) -> dict[str, UserResult]:
        drawn = resampling if other is None else None
        return {name: score(source, other or own, drawn, options, only, blamed=False) for name, source in kept.items()}

    compared, uncommon, _ = compare_users(score_all, None, resampling, _keys(options) or SHOWN_MEASURES)
    return msgspec.structs.replace(compared, notices=[*uncommon, *compared.notices])


def rows(result: UserResult) -> list[dict[str, Any]]:
    """Return one row per dialogue."""
    if not result.outcomes:
        raise DialmeterError("the dialogues of this result were not kept")
    return [
        {
            "dialogue": each.id,
            "turns": each.turns,
            **{f"{kind}-GCDF1": parts.f1 if (parts := each.score(kind)) else None for kind in ("I", "R")},
            "events": [event.name for event in each.events],
        }
        for each in result.outcomes
    ]


def errors(result: UserResult) -> list[dict[str, Any]]:
    """Return one row per event."""
    return [
        {"dialogue": each.id, "event": event.name, "slot": event.slot, **msgspec.to_builtins(event)}
        for each in result.outcomes
        for event in each.events
    ]


def find_rows(result: UserResult) -> list[dict[str, Any]]:
    """Return one row per event, and one row per lost point with the party that lost it."""
    losses = [
        {
            "dialogue": verdict.dialogue,
            "lost_by": loss.lost_by,
            "reason": loss.reason,
            "domain": loss.domain,
            "slot": loss.about.partition("=")[0],
            "about": loss.about,
        }
        for verdict in result.verdicts or ()
        for loss in verdict.losses
    ]
    return [*errors(result), *losses]


def tables(result: UserResult) -> list[Table]:
    """Return the tables of a result."""
    return [views.score_table(result.all_scores, result.account)]


def charts(results: Mapping[str, UserResult]) -> Iterator[Chart]:
    """Yield the charts of results."""
    from ..views.chart_files import score_chart

    scores = {name: list(each.named_scores.values()) for name, each in results.items()}
    yield score_chart("scores", "Scores of users", scores, "percent")


def comparison_tables(compared: UserComparison) -> list[Table]:
    """Return the tables of a comparison."""
    return [views.comparison_table(compared, _compared(compared))]


def comparison_charts(compared: UserComparison) -> Iterator[Chart]:
    """Yield the charts of a comparison."""
    yield views.comparison_chart(compared, _compared(compared))


def _compared(compared: UserComparison) -> tuple[Key, ...]:
    """Return the measures of a comparison."""
    return next(iter(compared.results.values())).measures or SHOWN_MEASURES


def comparison_summary(compared: UserComparison, command: str = "") -> Summary:
    """Return the summary of a comparison."""
    return compare_summary(compared, command, _compared(compared))


summary, checked_summary = score_summary, check_summary
