"""A board: systems on one gold with intervals, groups that do not differ, ranks under every rule set, and what is known of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ...core.comparability import joint_signature
from ...core.comparison import PairedDifference, Resampling
from ...errors import DialmeterError, one_line
from ...measure import Score
from ...model import Notice, dialogue_key
from ...stats import letter_display
from ...tracking.compare import TrackerComparison, check_comparable, compare
from ...tracking.diagnosis.suspicions import Finding
from ...tracking.gold_patch import GoldPatch
from ...tracking.result import TrackerResult
from ...tracking.rule_sets.rules import Rules, load
from ...tracking.scoring import TrackerSettings
from ..audit.given_gold import GoldStateCheck
from .manifest import BoardEntry, BoardManifest, check_names
from .rule_ranks import RuleRanks, rank, rule_ranks
from .systems import BoardSystem, RunSystem, check_distinct, check_runs, read_run, read_system

MEASURES = ("JGA", "FGA(lam=0.5)", "GCA", "SlotF1")
"""The measures of a board where none is named; the first one sorts it."""
_LISTED = 10


class BoardSettings(Struct, frozen=True, kw_only=True):
    """How a board is scored.

    Attributes:
        measures: of the board; without them JGA, FGA(lam=0.5), GCA and SlotF1.
        rules: the rule set.
        resampling: confidence, resamples and seed of intervals and tests.
        common: score the dialogues that all systems share.
    """

    measures: tuple[str, ...] = ()
    rules: Rules
    resampling: Resampling
    common: bool = False


class BoardRow(Struct, frozen=True, kw_only=True):
    """A system on a board.

    Attributes:
        system: its name.
        file: the name of its file.
        sha256: of its file.
        format: of its file.
        source: where the file comes from.
        licence: of the file.
        date: when it was published.
        scores: the measures of the board.
        letters: by measure; systems that share a letter do not differ significantly.
        best_rank: under all measures, rule sets and maps; None for a system that is not ranked.
        worst_rank: likewise.
        diagnosis: what may be wrong with the files rather than with the tracker.
        given_gold: the share of turns at which its states equal gold outside slots that it never predicts, if the file was
            given gold states for that reason. Such a system is neither ranked nor tested. None for the others.
    """

    system: str
    file: str
    sha256: str
    format: str
    source: str
    licence: str
    date: str
    scores: list[Score]
    letters: dict[str, str]
    best_rank: int | None
    worst_rank: int | None
    diagnosis: list[Finding]
    given_gold: float | None = None


class Board(Struct, frozen=True, kw_only=True):
    """Systems on one gold.

    Attributes:
        title: of the board.
        rows: the best under the first measure first; systems that are not ranked come last.
        measures: of the board.
        ranks: under every measure of the board, then under every rule set and map.
        versus: the paired tests behind the letters.
        signature: of all scores.
        dialogues: how many were scored.
        turns: how many were scored.
        data: the digest of gold.
        confidence: of intervals; one minus the level of the tests.
        notices: warnings.
    """

    title: str
    rows: list[BoardRow]
    measures: list[str]
    ranks: list[RuleRanks]
    versus: list[PairedDifference]
    signature: str
    dialogues: int
    turns: int
    data: str
    confidence: float
    notices: list[Notice]


def make_board(
    manifest: BoardManifest,
    settings: BoardSettings,
    watch: Callable[[Sequence[BoardSystem]], Iterable[BoardSystem]] = lambda systems: systems,
) -> Board:
    """Scores the systems of a manifest on their gold.

    Args:
        manifest: the systems; prediction files, or runs.
        settings: how they are scored.
        watch: wraps the systems while they are scored, for a progress bar.

    Raises:
        DialmeterError: a file cannot be used, a system is there twice, or systems are not comparable; says which field differs.
    """
    check_names([entry.system for entry in manifest.row])
    schema = manifest.schema or None
    systems = [_read(entry, schema, settings.rules.gold_patch) for entry in manifest.row]
    check_distinct(systems)
    runs = [system for system in systems if isinstance(system, RunSystem)]
    if runs and len(runs) < len(systems):
        raise DialmeterError("a board takes prediction files or runs, not both; give the prediction file of each run")
    notices: list[Notice] = []
    only: frozenset[str] | None = None
    rules, measures = settings.rules, list(settings.measures or MEASURES)
    if runs:
        rules, measures = _of_runs(runs, settings)
    elif settings.common:
        only, notices = _common(systems)
    elif rules.missing == "error":
        _check_complete(systems)
    how = settings.resampling
    scoring = TrackerSettings(rules, tuple(measures), schema, only)
    checks = {system.entry.system: GoldStateCheck() for system in systems}
    results = {
        system.entry.system: system.scored(scoring, how, checks[system.entry.system].take) for system in watch(systems)
    }
    check_comparable(results)
    given = {name: check.share for name, check in checks.items() if check.share is not None and check.was_given_gold}
    compared = _compared(results, given, how)
    first = next(iter(results.values()))
    ranks = _own_ranks(results, rules, frozenset(given))
    if not runs:
        ranks += rule_ranks(systems, rules, only, frozenset(given))
    return Board(
        title=manifest.title,
        rows=_rows(systems, results, compared, ranks=ranks, given=given, level=1 - how.confidence),
        measures=[each.text for each in first.asked],
        ranks=ranks,
        versus=compared.versus if compared else [],
        signature=joint_signature([score.signature for result in results.values() for score in result.scores]),
        dialogues=first.dialogues,
        turns=first.turns,
        data=_digest(first),
        confidence=how.confidence,
        notices=[*notices, *_notices(results, compared, how)],
    )


def _read(entry: BoardEntry, schema: str | None, patch: GoldPatch | None) -> BoardSystem:
    is_run = any(Path(entry.file, name).exists() for name in ("run.json", "parts"))
    return read_run(entry, schema) if is_run else read_system(entry, schema, patch)


def _of_runs(runs: Sequence[RunSystem], settings: BoardSettings) -> tuple[Rules, list[str]]:
    """The rule set and the measures that runs share."""
    if settings.common or settings.rules != load("dialmeter"):
        raise DialmeterError(
            "runs keep their own rules and dialogues; --common and options of rules go with prediction files"
        )
    shared = [name for name in runs[0].signatures if all(name in run.signatures for run in runs)]
    chosen = list(settings.measures) or [name for name in MEASURES if name in shared] or shared
    check_runs(runs, chosen)
    return runs[0].manifest.rules, chosen


def _check_complete(systems: Sequence[BoardSystem]) -> None:
    """Refuses systems that do not have predictions for the same dialogues."""
    complete = {one_line(system.entry.system): system.complete_dialogues for system in systems}
    common = frozenset.intersection(*complete.values())
    apart = [
        f"{len(keys - common)} in {name} ({', '.join(sorted(keys - common)[:3])}{', …' if len(keys - common) > 3 else ''})"
        for name, keys in complete.items()
        if keys - common
    ]
    if apart:
        raise DialmeterError(
            f"the systems do not have the same dialogues: {len(common)} are complete in all files, further ones are "
            f"{'; '.join(apart)}; --common scores the {len(common)} of all files"
        )


def _common(systems: Sequence[BoardSystem]) -> tuple[frozenset[str] | None, list[Notice]]:
    """The dialogues in which every system has a prediction at every turn, and a warning on the others; None where there are none."""
    common = frozenset.intersection(*(system.complete_dialogues for system in systems))
    if not common:
        raise DialmeterError("the systems have no complete dialogue in common")
    apart = sorted({dialogue_key(each.id) for system in systems for each in system.dialogues} - common)
    if not apart:
        return None, []
    message = f"{len(apart)} dialogues are not complete in every file and are unscored; {len(common)} are"
    return common, [Notice("unequal-dialogues", len(apart), message, tuple(apart[:_LISTED]))]


def _compared(
    results: Mapping[str, TrackerResult], given: Mapping[str, float], how: Resampling
) -> TrackerComparison | None:
    """All pairs of systems that are ranked; None for fewer than two."""
    ranked = {name: result for name, result in results.items() if name not in given}
    return compare(ranked, how, all_pairs=True) if len(ranked) > 1 else None


def _own_ranks(results: Mapping[str, TrackerResult], rules: Rules, unranked: frozenset[str]) -> list[RuleRanks]:
    """The ranks under every measure of the board."""
    found = []
    for position, asked in enumerate(next(iter(results.values())).asked):
        values = {name: result.scores[position].value for name, result in results.items()}
        ranks = rank(values, unranked)
        found.append(RuleRanks(measure=asked.text, rules=rules.name, map=rules.map, values=values, ranks=ranks))
    return found


def _rows(
    systems: Sequence[BoardSystem],
    results: Mapping[str, TrackerResult],
    compared: TrackerComparison | None,
    *,
    ranks: Sequence[RuleRanks],
    given: Mapping[str, float],
    level: float,
) -> list[BoardRow]:
    def order(system: BoardSystem) -> tuple[bool, float, str]:
        name = system.entry.system
        value = results[name].scores[0].value
        return name in given, float("inf") if value is None else -value, name

    ordered = sorted(systems, key=order)
    letters = _letters(compared, level) if compared else {}
    rows = []
    for system in ordered:
        entry, result = system.entry, results[system.entry.system]
        held = [each.ranks[entry.system] for each in ranks]
        places = [place for place in held if place is not None]
        rows.append(
            BoardRow(
                system=entry.system,
                file=system.name,
                sha256=system.sha256,
                format=system.format,
                source=entry.source,
                licence=entry.licence,
                date=entry.date,
                scores=result.scores,
                letters={
                    measure: by_system[entry.system]
                    for measure, by_system in letters.items()
                    if entry.system in by_system
                },
                best_rank=min(places, default=None),
                worst_rank=max(places, default=None),
                diagnosis=system.manifest.diagnosis if isinstance(system, RunSystem) else result.diagnosis,
                given_gold=given.get(entry.system),
            )
        )
    return rows


def _letters(compared: TrackerComparison, level: float) -> dict[str, dict[str, str]]:
    """By measure, the letters of systems; a measure without any test has none."""
    found = {}
    for measure, ranks in compared.ranks.by_measure.items():
        tested = [
            (each, each.p_holm) for each in compared.versus if each.measure == measure and each.p_holm is not None
        ]
        if tested:
            best_first = [name for _, name in sorted((place, name) for name, place in ranks.items())]
            differing = [(each.base, each.system) for each, p in tested if p < level and each.difference]
            found[measure] = letter_display(best_first, differing)
    return found


def _notices(results: Mapping[str, TrackerResult], compared: TrackerComparison | None, how: Resampling) -> list[Notice]:
    """The warnings of all systems, one for each kind, and those of the tests."""
    kinds: dict[tuple[str, str], dict[str, Notice]] = {}
    for name, result in results.items():
        for notice in result.notices:
            words = notice.message.removeprefix(f"{notice.count} ")
            kinds.setdefault((notice.code, words), {})[name] = notice
    found = []
    for (code, words), by_name in kinds.items():
        counts = ", ".join(f"{one_line(name)} {notice.count}" for name, notice in by_name.items())
        found.append(
            Notice(code, sum(notice.count for notice in by_name.values()), f"{words} (count by system: {counts})")
        )
    if compared is None:
        return found
    tests = sum(each.p is not None for each in compared.versus)
    needed = int(tests / (1 - how.confidence))
    if tests and how.resamples <= needed:
        message = f"no difference can be significant with {tests} tests and {how.resamples} resamples; give --resamples {2 * needed}"
        found.append(Notice("few-resamples", tests, message))
    return [*compared.notices, *found]


def _digest(result: TrackerResult) -> str:
    """The digest of gold in the signature of the first score."""
    return next(part[5:] for part in result.scores[0].signature.split("|") if part.startswith("data:"))
